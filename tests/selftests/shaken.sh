#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# shaken - probes under load: hits from all contexts, NMIs included, while probes are removed and
# defined again, their module is unloaded and loaded, CPUs go offline and online, recording is
# stopped by a probe and enabled again: all counters add up, all entries shown are true
#
# log: took more than 25 % of a CPU
# sanitized: yes
#
# SECONDS_STORM sets its length.  Code is patched with one CPU online where QEMU runs a thread for
# each CPU (see enabled.sh).  Only ftrace and tracepoints are hit in NMIs: kprobes do not survive a
# breakpoint in an NMI that interrupts a breakpoint in a handler of a hit.

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

have jtrace_probe || skip_all "no jtrace_probe.ko"
seconds=${SECONDS_STORM:-12}
# $parts: so many more entries has a hit with all registers.
case $(uname -m) in
x86_64)	contexts=15 parts=6 ;;
*)	contexts=7 parts=12
	skip "NMIs: the hammer has them on x86 only" ;;
esac

# patching COMMAND...: run it where code can be patched
patching() {
	if misses_patches; then
		alone "$@"
	else
		"$@"
	fi
}

# define LINE: or say why not
define() {
	echo "$1" 2>/dev/null >>"$PROBES" && return
	sed -n 's/^# refused: /#   /p' "$PROBES"
	return 1
}

# sum COUNTER REGEXP: print the sum of a counter of all probes whose names match
sum() {
	awk -v counter=" $1=" -v name="^[prt]:($2) " '
		$0 ~ name {
			split(substr($0, index($0, counter) + length(counter)), value, " ")
			n += value[1]
		}
		END { print n + 0 }' "$TMP/probes"
}

# to_record REGEXP: print how many hits had to be recorded, lost ones included
to_record() {
	echo $(($(sum hits "$1") - $(sum filtered "$1") - $(sum passed "$1") - $(sum limited "$1")))
}

# These stay.  The switch gate is open while jtrace_source is loaded.
lasting() {
	define "t:open module_load on=gate" &&
	define "t:close module_free off=gate" &&
	define "t:mend module_free on=fuse" &&
	define "t:source jtrace_source:jtrace_source n=\$arg1:u32 every=3" &&
	define "p:call jtrace_source:jtrace_source_call n=\$arg1:u32 self=+24(\$arg2) skip=7" &&
	define "r:called jtrace_source:jtrace_source_call \$retval:s32 if \$retval:s32 lt -2" &&
	define "p:event jtrace_hammer:hammer_event id=+0(\$arg1):u32 user=+8(+8(\$arg1)) text=@0xffff800000000000:string every=5" &&
	define "r:event_ends jtrace_hammer:hammer_event rate=500" &&
	define "t:free kfree at=\$arg1 if \$arg2 eq 0 every=2"
}

# Not at an entry: a jump or a breakpoint.  The first place where an instruction begins.
inside() {
	for at in $(seq 5 16); do
		define "p:inside jtrace_source:jtrace_source_call+$at" >"$TMP/out" && return
	done
	cat "$TMP/out"
	return 1
}

# These come and go.  One that stops recording comes every other time, and does that once.
passing() {
	if [ $((rounds % 2)) -ne 0 ]; then
		define "p:pass_stop jtrace_hammer:hammer_event in=fuse off=fuse skip=20 stop=40" ||
			return 1
	fi
	define "p:pass_regs jtrace_hammer:hammer_event \$regs in=gate every=50" &&
	define "p:pass_event jtrace_hammer:hammer_event id=+0(\$arg1):u32 user=@0x400000 in=gate" &&
	define "r:pass_end jtrace_hammer:hammer_event \$retval in=gate skip=10" &&
	define "t:pass_free kfree load=@0x8000000000000000:string8 in=gate if \$arg2 eq 0 every=3" &&
	define "t:pass_source jtrace_source:jtrace_source text=+0(\$arg2):string in=gate"
}

# read_passing: read the counters of probes, until those that pass have the same twice.  The
# switch is closed, but they are hit: a hit between two counters would be one to record.
read_passing() {
	before=
	for _ in $(seq 50); do
		cat "$PROBES" >"$TMP/probes"
		now="$(to_record 'pass_.*') $(to_record pass_regs)"
		[ "$now" != "$before" ] || return
		before=$now
	done
	diag "the counters of probes that pass differ each time: $before, $now"
}

# forget: add up what the probes that pass have recorded; nothing is added when the switch is closed
forget() {
	read_passing
	grep -q '^# switch gate: closed' "$TMP/probes" || failed=$((failed + 1))
	# Without its first entry, a hit has no others.
	with_regs=$(($(to_record pass_regs) - $(sum lost pass_regs)))
	added=$((added + $(to_record 'pass_.*') + parts * with_regs))
	regs=$((regs + with_regs))
	faults=$((faults + $(sum faults 'pass_.*')))
	sed -n 's/^[prt]\(:pass_[a-z]*\) .*/-\1/p' "$TMP/probes" >"$TMP/removals"
	while read -r removal; do
		define "$removal" || failed=$((failed + 1))
	done <"$TMP/removals"
}

# fire PARAMETER CALLS TIMES: let jtrace_source call
fire() {
	echo "$2" >/sys/module/jtrace_source/parameters/"$1" && calls=$((calls + $2 * $3))
}

# go_on: record again, if a probe stopped it
go_on() {
	[ "$(config Stopped)" != "?" ] || return 0
	stops=$((stops + 1))
	# An event says that recording is stopped, another one that it goes on.
	own=$((own + 2))
	recording 1
}

# close_gate: unload jtrace_source until that is recorded, because a lost hit closes no switch
close_gate() {
	for _ in $(seq 5); do
		unload jtrace_source || return 1
		! grep -q '^# switch gate: closed' "$PROBES" || return 0
		go_on
		load jtrace_source || return 1
	done
	return 1
}

# shake: while hits come
shake() {
	fire fire 20 1
	close_gate || failed=$((failed + 1))
	forget
	go_on
	passing || failed=$((failed + 1))
	load jtrace_source || failed=$((failed + 1))
	fire fire 20 1
}

# The last hits are over.
settle() {
	close_gate || failed=$((failed + 1))
	forget
	go_on
	recording 0
	own=$((own + 1))
	cat "$PROBES" >"$TMP/probes"
}

online() {
	grep -c '^processor' /proc/cpuinfo
}

start target_buffer_size=16K last_entry_storage=-1
load jtrace_probe
bad=0 dumps=0 gone=0 own=0 added=0 regs=0 faults=0 calls=0 stops=0 rounds=0 failed=0
check "probes that stay" patching lasting
check "a probe inside a function" patching load jtrace_source && check "defined" patching inside
check "probes that pass" patching passing
fire fire 20 1
hammering 100 bound=n frees=y contexts=$contexts burst=4 pause_us=1000 irq_us=2000
end=$(($(up) + seconds))
while [ $rounds -lt 4 ] || [ $stops -eq 0 ] || [ "$(up)" -lt $end ]; do
	rounds=$((rounds + 1))
	for cpu in $(removable_cpus); do
		cpu_online "$cpu" 0 && gone=$((gone + 1))
		fire fire_each 30 "$(online)"
		cpu_online "$cpu" 1 || failed=$((failed + 1))
	done
	fire fire_each 100 "$(online)"
	verify -c -1 >"$TMP/out" 2>&1 || { bad=$((bad + 1)); cp "$TMP/out" "$TMP/bad"; }
	dumps=$((dumps + 1))
	patching shake
	[ $((rounds % 2)) -eq 0 ] || clear_trace
done
hammer_stop
patching settle
[ $bad -eq 0 ] || sed 's/^/#   /' "$TMP/bad"
sed 's/^/# /' "$TMP/probes"
diag "$rounds rounds, $stops stops, CPUs went $gone times, $added of probes that passed," \
	"hammer $(param jtrace_hammer passed); $(tr '\n' ' ' <"$JT/stats")"

expect "all of $dumps dumps are right" $bad 0
expect "all that was told to come or go did" $failed 0
[ -z "$(removable_cpus)" ] || at_least "CPUs went" $gone 2
at_least "recording was stopped" $stops 1
at_least "events of the hammer" "$(param jtrace_hammer passed)" 1000
at_least "probes that passed recorded" $added 100
at_least "with all registers" "$regs" 1
at_least "their loads faulted" $faults 100

# Hits that a probe counted, or counted as missed, are all that there were.  Kprobes count what they
# miss without care for other CPUs.
same=at_most
[ "$CPUS" -gt 1 ] || same=expect
# hit NAME CALLS HOW: unless it took too much time
hit() {
	if grep -q "^[prt]:$1 .* mode=disarmed" "$TMP/probes"; then
		diag "$1 took too much time"
		at_least "$1: hits" "$(sum hits "$1")" 1
		return
	fi
	hit_n=$(($(sum hits "$1") + $(sum missed "$1")))
	case $3 in
	expect)	expect "$1: each call is a hit, or missed" "$hit_n" "$2" ;;
	*)	expect "$1: no more hits than calls" $((hit_n <= $2)) 1
		at_least "$1: hits" "$hit_n" $(($2 / 2)) ;;
	esac
}
hit source $calls expect
hit call $calls "$same"
hit event "$(param jtrace_hammer events)" "$same"
least=$(param jtrace_hammer events)
! grep -q '^t:free .* mode=disarmed' "$TMP/probes" || least=1
at_least "free: hits in each context" "$(($(sum hits free) - $(sum filtered free) + $(sum missed free)))" "$least"
at_least "event: each load of a hit faulted" "$(sum faults event)" $((2 * $(sum hits event)))
for name in open close mend source call called event event_ends free inside; do
	at_least "$name recorded" "$(($(to_record $name) - $(sum lost $name)))" 1
done
check "right at the end" verify -c -1
sums $(($(param jtrace_hammer passed) + own + added + $(to_record '.*'))) "at the end"
patching recording 1
patching sh -c ": >$PROBES"
expect "all are gone" "$(cat "$PROBES")" ""

finish
