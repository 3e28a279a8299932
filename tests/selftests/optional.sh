#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# optional - an optional client loads without jtrace and needs no symbol of it; it is traced
# whenever jtrace is loaded, whichever was loaded first

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

have jtrace_optional || skip_all "no jtrace_optional.ko"

fire() {
	echo 1 >/sys/module/jtrace_optional/parameters/fire
}

evaluated() {
	param jtrace_optional evaluated
}

# words NAME: print the symbols in the file of a module, and the output of modinfo
words() {
	tr '\0' '\n' <"$(ko "$1")"
}

# recorded HEX FILE FUNCTION TAG [TIMES]: is the event in the trace once, or so many times?
recorded() {
	[ "$(grep -c " : $1 .* $2:$3:[0-9]* ($4)\$" "$JT/trace")" -eq "${5:-1}" ]
}

# fired HEX HEX: are the two events of a fire in the trace?
fired() {
	recorded "$1" 'optional\.c' fire_set 'optional: fire (evaluated)' &&
		recorded "$2" 'second\.c' optional_fire \
			'optional: second file (evaluated, 0, 0, 0, at)'
}

# ---- the file ----

expect "nothing is a dependency for depmod" "$(words jtrace_optional | grep '^depends=')" depends=
words jtrace_optional >"$TMP/words"
lacks "no symbol of jtrace is needed" '^jtrace_(record|key)$' "$TMP/words"
expect "of one that does not say so it is" \
	"$(words jtrace_client | grep -xE 'depends=.*|jtrace_record' | sort -u | tr '\n' ' ')" \
	"depends=jtrace jtrace_record "

# ---- it comes first ----

refuse "a client that does not say so needs jtrace" "$UNKNOWN" load jtrace_client
check "without jtrace: it loads" load jtrace_optional
check "without jtrace: a trace point does no harm" fire
expect "without jtrace: and evaluates nothing" "$(evaluated)" 0
log_mark
refuse "jtrace is refused" "$INVALID" load jtrace last_entry_storage=-2
log_since >"$TMP/log"
check "jtrace is refused: for its parameter" grep -q 'jtrace: last_entry_storage=-2: ' "$TMP/log"
check "jtrace is refused: a trace point does no harm" fire
expect "jtrace is refused: and evaluates nothing" "$(evaluated)" 0

check "jtrace after it: it is loaded" load jtrace
fire
expect "jtrace after it: arguments are evaluated" "$(evaluated)" 2
check "jtrace after it: both files are recorded" fired 00000001 00000002
expect "jtrace after it: nothing else is" "$(shown) $(lost)" "2 0"
check "jtrace after it: it does not hold jtrace" unload jtrace
fire
expect "jtrace gone: nothing is evaluated" "$(evaluated)" 2

# Other sites come first, so the site numbers that it kept are wrong in the second image.
load jtrace target_buffer_size=256K
load jtrace_client
load jtrace_types
unload jtrace_client
unload jtrace_types
clear_trace
fire
fire
check "jtrace again: the sites are right" fired 00000003 00000004
check "jtrace again: the next time, too" fired 00000005 00000006
expect "jtrace again: nothing else is recorded" "$(shown)" 4

# ---- off ----

recording 0
fire
expect "recording is off: nothing is evaluated" "$(evaluated) $(shown)" "6 5"
recording 1
fire
expect "and on: it records" "$(evaluated) $(shown)" "8 8"
check "and on: the sites are right" fired 00000007 00000008
check "jtrace before it: it is unloaded" unload jtrace_optional
expect "the last event, too" "$(shown)" 9
check "its strings are kept" recorded 00000009 'optional\.c' jtrace_optional_exit \
	'optional: bye (evaluated)'

start enabled=off
load jtrace_optional
fire
expect "off at load: nothing is evaluated" "$(evaluated) $(shown)" "0 0"
recording 1
fire
check "on later: it records" fired 00000001 00000002
unload jtrace_optional

# ---- jtrace comes first ----

start
check "jtrace before it: it loads" load jtrace_optional
check "jtrace before it: its init is recorded" recorded 00000001 'optional\.c' \
	jtrace_optional_init 'optional: hello (evaluated)'
fire
check "jtrace before it: it records" fired 00000002 00000003
check "jtrace before it: it does not hold jtrace" unload jtrace
fire
expect "jtrace gone again: nothing is evaluated" "$(evaluated)" 3
check "without jtrace: it is unloaded" unload jtrace_optional

# ---- stop ----

# A client stops the recording.
stop() {
	echo 1 >/sys/module/jtrace_optional/parameters/stop
}

start
load jtrace_optional
stop
expect "a client stops the recording" "$(config Stopped)" "by a client"
check "an event says so" grep -q '(jtrace: stopped: by a client)$' "$JT/trace"
recording 1
clear_trace
fire
expect "recording goes on" "$(shown)" 2
unload jtrace
check "without jtrace: a stop does no harm" stop
unload jtrace_optional

start
refuse "it refuses to load" "$INVALID" load jtrace_optional refuse=y
check "it refuses to load: its init is recorded" recorded 00000001 'optional\.c' \
	jtrace_optional_init 'optional: hello (evaluated)' "$LOAD_TRIES"
sites=$(stat sites)
for i in $(seq 8); do
	if ! load jtrace_optional || ! fire || ! unload jtrace_optional; then
		not_ok "load $i of it"
	fi
done
expect "8 loads: all events" "$(stat recorded) $(lost)" $((LOAD_TRIES + 4 * 8))" 0"
expect "8 loads: no more sites than it has" "$(stat sites) $(stat sites_unstored)" \
	$((sites + 3))" 0"

# ---- all contexts ----

# hammer_grown NAME N: is this counter of the client N or more?
hammer_grown() {
	[ "$(param jtrace_optional_hammer "$1")" -ge "$2" ]
}

hammer_ended() {
	[ "$(param jtrace_optional_hammer running)" -eq 0 ]
}

hammer_end() {
	echo y >/sys/module/jtrace_optional_hammer/parameters/stop
	check "the client ends" wait_for hammer_ended
}

contexts=7
[ "$(uname -m)" != x86_64 ] || contexts=15
start target_buffer_size=64K
load jtrace_optional_hammer seconds=0 contexts=$contexts
wait_for grown recorded 1000
dumps=0
for _ in $(seq 8); do
	"$VERIFY" -r 5 -A "$JT/trace" >"$TMP/out" 2>&1 || { sed 's/^/#   /' "$TMP/out"; break; }
	dumps=$((dumps + 1))
done
expect "from all contexts: dumps that are right" $dumps 8
hammer_end
check "from all contexts: right at the end" verify -A -H 100
sums "$(param jtrace_optional_hammer events)" "from all contexts"
for context in task softirq hardirq $([ $contexts -eq 7 ] || echo nmi); do
	# Look in the site table, because its events may be overwritten.
	check "from all contexts: $context" grep -aq "hammer: $context (" "$JT/trace_raw"
done
unload jtrace_optional_hammer

# Load and unload jtrace while events happen: on one CPU, as in enabled.sh.
unload_all
cpus=0xffffffffffffffff
if grep -q QEMU /proc/cpuinfo; then
	cpus=1
	taskset -p 1 $$ >/dev/null
	diag "emulated: under load on CPU 0 only"
fi
load jtrace_optional_hammer seconds=0 cpus=$cpus
bad=0
for i in $(seq 4); do
	# Its sites get other numbers each time.
	load jtrace && { [ $((i % 2)) -eq 0 ] || load jtrace_example; } || bad=$((bad + 1))
	recording 0
	recording 1
	before=$(param jtrace_optional_hammer passed)
	wait_for hammer_grown passed $((before + 1000)) || bad=$((bad + 1))
	recording 0
	verify -H 1 >"$TMP/out" 2>&1 || { bad=$((bad + 1)); sed 's/^/#   /' "$TMP/out"; }
	entries <"$JT/trace" | grep -qv -e 'jtrace_hammer\.c:hammer_event:' -e jtrace_example \
		-e '(jtrace: st' &&
		bad=$((bad + 1))
	recording 1
	! loaded jtrace_example || unload jtrace_example
	unload jtrace || bad=$((bad + 1))
done
expect "jtrace comes and goes under load: all traces are right" $bad 0
before=$(param jtrace_optional_hammer passed)
events=$(param jtrace_optional_hammer events)
check "jtrace is gone: the client goes on" \
	wait_for hammer_grown events $((events + 1000))
expect "jtrace is gone: nothing is evaluated" "$(param jtrace_optional_hammer passed)" "$before"
check "the client goes, too" unload jtrace_optional_hammer

finish
