#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# log: took more than 25 % of a CPU
# short: yes
#
# probes - the file probes and the parameter probe=: places, values, conditions, clauses, counters,
# refusals; modules that come and go
#
# Needs a machine where code can be patched: not QEMU with several CPUs (see enabled.sh).

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

have jtrace_probe || skip_all "no jtrace_probe.ko"
have jtrace_source || skip_all "no jtrace_source.ko"
need_patching
KERNEL_LIST=/sys/kernel/debug/kprobes/list
start target_buffer_size=8M
load jtrace_probe
load jtrace_source
case $(uname -m) in
x86_64)	first=%di pc=ip past=1 ;;
*)	first=%x0 pc=pc past=0 ;;
esac

# counts NAME: hits recorded filtered passed limited lost faults missed
counts() {
	probe_line "$1" | sed 's/.* # //; s/ mode=.*//; s/[a-z]*=//g'
}

mode() {
	probe_line "$1" | sed 's/.* mode=//'
}

mode_is() {
	[ "$(mode "$1")" = "$2" ]
}

# field_of NAME: its 64 bits in an entry with three values after the first one
field_of() {
	awk -v name="$1" '{
		# Values of 64 bits take e, f, then c and d.
		n = split($0, word, /[(), ]+/)
		for (i = 1; i <= n; i++) {
			at += word[i] ~ /:x64$/
			if (word[i] == name ":x64")
				print at == 1 ? $5 : at == 2 ? $6 : $4 $3
		}
	}'
}

# numbers PROBE: first values of its entries
numbers() {
	entries_of "$1" | sed 's/^0*\([0-9a-f]\).*/\1/' | sort | tr '\n' ' '
}

# records CLAUSES NUMBERS: these of ten calls, with the numbers 0 to 9
records() {
	clear_trace
	r_says=$(define "p:x jtrace_source_call n=\$arg1:u32 $1")
	fire 10
	expect "$1: records the right calls" "$r_says$(numbers x)" "$2"
	# shellcheck disable=SC2046 # words
	set -- "$1" "$(echo "$2" | wc -w)" $(counts x)
	expect "$1: all are accounted for" "$3 $4 $(($5 + $6 + $7))" "10 $2 $((10 - $2))"
	define -:x
}

# refused LINE POSITION: WHY
refused() {
	expect "refused: $1" "$(define "$1")" "$1: at character $2"
	expect "state tells it" "$(sed -n 's/^probes_refused=//p' "$JT/state")" \
		"$1: at character $2"
}

# ---- Places and values ----

enter="n=\$arg1:u32 minus=+4(\$arg2):s16 deep=+0(+16(+16(\$arg2))):u32 text=+0(+8(\$arg2)):string"
expect "an entry" "$(define "p:enter jtrace_source_call $enter")" ""
expect "can be written back" "$(probe_line enter | sed 's/ # .*//')" \
	"p:enter jtrace_source:jtrace_source_call $enter"
expect "a return" "$(define "r:exit jtrace_source:jtrace_source_call \$retval:s32")" ""
expect "a tracepoint" "$(define "t:event jtrace_source number=\$arg1:u32 text=+3(\$arg2):string8 \$comm:string8")" ""
fire 3
expect "the entry's last values" "$(entries_of enter | tail -n 1)" \
	"00000002 fffffffe 00000002 00000000 000000006e657665 0000000000000000 : kprobe:jtrace_source_call+0x0[jtrace_source]:0 (enter (n:u32, minus:s16, deep:u32, text:string))"
expect "the return's" "$(entries_of exit | tail -n 1)" \
	"fffffffe 00000000 00000000 00000000 0000000000000000 0000000000000000 : kretprobe:jtrace_source_call[jtrace_source]:0 (exit (arg1:s32))"
expect "the tracepoint's, of a call before" "$(entries_of event | sed -n 2p | cut -c 1-69)" \
	"00000001 00000000 00000000 00000000 626d756e2064646f 0000000000006873"
for name in enter exit event; do
	expect "$name: counted" "$(counts $name)" "3 3 0 0 0 0 0 0"
done

# kind TEXT: print the kind in the record of the site whose text begins so: 5 bytes before it
kind() {
	k_at=$(strings -t d "$TMP/raw" | sed -n "s/^ *\([0-9]*\) $1.*/\1/p" | head -n 1)
	[ -z "$k_at" ] || od -A n -t u1 -j $((k_at - 5)) -N 1 "$TMP/raw" | tr -d ' \n'
}
cat "$JT/trace_raw" >"$TMP/raw"
expect "the sites say what they are" "$(kind "enter (.*)kprobe") $(kind "exit (.*)kretprobe") $(kind "event (.*)tracepoint")" "2 4 2"
case $(uname -m) in
x86_64) expect "modes" "$(mode enter) $(mode exit) $(mode event)" "ftrace ftrace tracepoint" ;;
*)	expect "modes" "$(mode enter) $(mode exit) $(mode event)" "breakpoint breakpoint tracepoint" ;;
esac
define -:enter
define -:exit
define -:event
expect "all are gone" "$(cat "$PROBES")" ""

# ---- More places and values ----

call=$(sed -n 's/^\([0-9a-f]*\) [tT] jtrace_source_call\t.*/\1/p' /proc/kallsyms)
define "p:address 0x$call n=\$arg1:u32 c=\$comm:string8 k=\\-3:s32 at=%$pc"
define "p:stack jtrace_source_call back=\$stack0:symbol s=\$stack if \$arg1:u32 has 1"
clear_trace
fire 4
expect "an address is shown by its name" "$(entries_of address | tail -n 1 | sed 's/.* : //')" \
	"kprobe:jtrace_source_call+0x0[jtrace_source]:0 (address (n:u32, c:string8, k:s32, at:x64))"
expect "its values" "$(entries_of address | tail -n 1 | cut -d ' ' -f 1-2,5)" \
	"00000003 fffffffd 0000000000006873"
# Some kernels have endbr64 before the instruction.
at=$((0x$(entries_of address | tail -n 1 | cut -d ' ' -f 6) - 0x$call))
[ $past -eq 0 ] || [ $at -ne 5 ] || at=1
expect "the program counter, as kprobes pass it" $at $past
expect "the stack pointer" "$(entries_of stack | cut -d ' ' -f 6 | grep -c '^ffff')" 2
[ $past -eq 0 ] || expect "the return address is in the module" \
	"$(entries_of stack | cut -d ' ' -f 5 | grep -c '^ffffffffc')" 2
expect "has: odd numbers" "$(counts stack)" "4 2 2 0 0 0 0 0"
: >"$PROBES"
if [ "$(uname -m)" = x86_64 ]; then
	# Behind the 5 bytes for ftrace, and before them endbr64 in some kernels.
	at=5
	[ -z "$(define "p:inside jtrace_source_call+5")" ] || at=9
	[ $at -eq 5 ] || define "p:inside jtrace_source_call+9"
	check "a probe inside a function becomes a jump" wait_for mode_is inside jump
	fire 7
	expect "and is hit" "$(counts inside)" "7 7 0 0 0 0 0 0"
	refused "p:a jtrace_source_call+$((at - 1))" "5: no instruction begins here"
	# Kprobes take a jump out some jiffies after its removal.  If the module goes earlier, the
	# kernel keeps a dead kprobe, and refuses the next one at that address.
	beside="p:beside jtrace_source_call+$((at + 5))"
	expect "a probe behind the jump" "$(define "$beside")" ""
	check "becomes a jump, too" wait_for mode_is beside jump
	for how in unload remove; do
		[ $how = unload ] || : >"$PROBES"
		unload jtrace_source
		expect "$how: no kprobe stays in a module that goes" "$(grep -c GONE "$KERNEL_LIST")" 0
		load jtrace_source
		if [ $how = remove ]; then
			define "p:inside jtrace_source_call+$at"
			define "$beside"
		fi
		check "$how: a jump again" wait_for mode_is inside jump
		check "$how: the one behind it, too" wait_for mode_is beside jump
	done
	expect "a second probe at the jump" "$(define "p:second jtrace_source_call+$at")" ""
	fire 2
	expect "both are hit" "$(counts inside) $(counts second)" "2 2 0 0 0 0 0 0 2 2 0 0 0 0 0 0"
	define -:second
	fire 3
	expect "then the one that is left" "$(counts inside)" "5 5 0 0 0 0 0 0"
	: >"$PROBES"
fi

# ---- Registers ----

case $(uname -m) in
x86_64)	parts=6 other=si ;;
*)	parts=12 other=x1 ;;
esac
define "p:all jtrace_source_call n=\$arg1:u32 \$regs if \$arg1:u32 ge 3"
define "r:ends jtrace_source_call \$regs every=2"
define "t:none jtrace_source"
expect "\$regs can be written back" "$(probe_line all | sed 's/ # .*//')" \
	"p:all jtrace_source:jtrace_source_call n=\$arg1:u32 hit=\$regs:u32 if \$arg1:u32 ge 3"
clear_trace
fire 5
expect "\$regs: the entries of hits" "$(entries_of all | grep -v regs | cut -c 1-17 | tr '\n' '|')" \
	"00000003 00000001|00000004 00000002|"
expect "and of their parts" "$(entries_of all | sed -n "s/^\([0-9a-f]*\) .*(all .regs \(.*\) (hit:u32, .*/\1 \2/p" |
	sort | uniq -c | wc -l)" $((2 * parts))
first_arg=$(entries_of all | grep "[(,] *$(echo $first | tr -d %):x64" | head -n 1)
expect "the first argument, in the order of the tag" \
	"$(echo "$first_arg" | field_of "$(echo $first | tr -d %)")" 0000000000000003
expect "the second is a pointer" "$(entries_of all | grep -m 1 "[(,] *$other:x64" | field_of $other |
	grep -c '^ffff')" 1
expect "every hit with its registers" "$(counts all)" "5 2 3 0 0 0 0 0"
expect "returns with registers, and clauses" "$(counts ends) $(entries_of ends | grep -c regs)" \
	"5 2 0 3 0 0 0 0 $((2 * parts))"
: >"$PROBES"

# ---- Addresses that are not loaded from ----

# 0x400000 is in the code of busybox, which runs this script.
for address in 0x0 0x400000 0x7ffffffff000 0x7fffffffffff 0x800000000000 0x8000000000000000 \
	0xffff7fffffffffff 0xffffffffff600000 0xfffffffffffffffc 0xffffffffffffffff; do
	define "t:load jtrace_source text=@$address:string8 value=@$address"
	clear_trace
	fire 1
	expect "$address: all ones, and counted" "$(entries_of load | cut -d ' ' -f 5-6) $(counts load)" \
		"ffffffffffffffff ffffffffffffffff 1 1 0 0 0 0 2 0"
	define -:load
done

# The fault of a load hits a tracepoint: a hit inside a hit of the same context.
if [ "$(uname -m)" = x86_64 ]; then
	define "t:inner page_fault_kernel if \$arg1 eq 0xffff800000000000"
	define "p:outer jtrace_source_call value=@0xffff800000000000"
	fire 3
	expect "a hit inside a hit is missed" "$(counts outer) $(counts inner | cut -d ' ' -f 2,8)" \
		"3 3 0 0 0 0 3 0 0 3"
	: >"$PROBES"
fi

# ---- Conditions and clauses ----

records "" "0 1 2 3 4 5 6 7 8 9 "
records "if \$arg1:u32 ge 3 and +4(\$arg2):s16 gt -6" "3 4 5 "
records "if +0(+8(\$arg2)):string eq even" "0 2 4 6 8 "
records "if $first:u32 == 7" "7 "
records "skip=8" "8 9 "
records "every=3" "2 5 8 "
records "skip=1 every=4 if \$arg1:u32 gt 0" "5 9 "
records "rate=4" "0 1 2 3 "
records "skip=3 if \$arg1:u32 ne 4 rate=2" "3 5 "

# ---- Refused ----

refused "x jtrace_source_call" "1: a probe begins with p, r, t, w, f or -:NAME"
refused "p:a no_such_function" "5: there is no such function"
refused "p:a jtrace_source:no_such_function" "5: there is no such function"
refused "p:a jtrace_source_never" "5: kprobes refuse this address: it is not kernel code, or must not be probed"
refused "p:a jtrace_record" "5: kprobes refuse this address: it is not kernel code, or must not be probed"
refused "p:a jtrace_ring_claim" "5: jtrace does not probe itself"
refused "p:a jtrace_probe_define" "5: jtrace does not probe itself"
refused "r:a jtrace_stats_read" "5: jtrace does not probe itself"
refused "p:a __SCT__cond_resched" "5: this is a static call, not a function: probe the function that it calls"
refused "p:a 0x1000" "5: there is no function at this address"
refused "t:a no_such_tracepoint" "5: there is no such tracepoint; MODULE:TRACEPOINT waits for a module"
refused "p:a jtrace_source_call \$retval" "24: there is no return value here"
refused "t:a jtrace_source \$regs" "19: there are no registers here"
refused "-:a" "3: there is no probe of this name: the file probes lists all"
expect "they leave nothing behind" "$(grep -v '^# refused' "$PROBES")" ""

# ---- Switches ----

define "p:opens jtrace_source_call if \$arg1:u32 eq 3 on=gate"
define "t:inside jtrace_source n=\$arg1:u32 in=gate"
define "p:closes jtrace_source_call if \$arg1:u32 eq 6 off=gate"
clear_trace
fire 10
expect "a switch" "$(numbers inside)" "4 5 6 "
expect "what is filtered" "$(counts inside)" "10 3 7 0 0 0 0 0"
expect "its state" "$(grep switch "$PROBES")" "# switch gate: closed"
: >"$PROBES"
expect "truncation removes all" "$(cat "$PROBES")" ""

# ---- Stop ----

# stopped N: so many events after call 3
stopped() {
	clear_trace
	expect "stop=$1" "$(define "p:stopper jtrace_source_call if \$arg1:u32 eq 3 stop=$1")" ""
	define "t:all jtrace_source n=\$arg1:u32"
	fire 100
	expect "stop=$1: so many events after it" \
		"$(trace | entries | sed -n '/(stopper)/,$p' | grep -c '(all (')" "$1"
	expect "stop=$1: the last one says who did" "$(trace | entries | tail -n 1 | grep -c '(jtrace: stopped: stopper)')" 1
	expect "stop=$1: the others are lost" "$(counts all)" "100 $(($1 + 4)) 0 0 0 $((96 - $1)) 0 0"
	expect "stop=$1: config says so" "$(sed -n 's/^Stopped *: //p' "$JT/config")" stopper
	echo 1 >"$JT/enabled"
	fire 100
	expect "stop=$1: again, when recording is enabled" "$(counts all)" "200 $((2 * ($1 + 4))) 0 0 0 $((2 * (96 - $1))) 0 0"
	: >"$PROBES"
	echo 1 >"$JT/enabled"
	clear_trace
	echo "t:all jtrace_source" >"$PROBES"
	fire 100
	expect "stop=$1: no longer" "$(counts all)" "100 100 0 0 0 0 0 0"
	: >"$PROBES"
}
stopped 0
stopped 1
stopped 50

# ---- Modules ----

unload jtrace_source
expect "a module that is not loaded" "$(define "p:call jtrace_source:jtrace_source_call n=\$arg1:u32")$(mode call)" waiting
expect "its init" "$(define "p:init jtrace_source:jtrace_source_begin n=\$arg1:u32")$(mode init)" waiting
expect "its tracepoint" "$(define "t:event jtrace_source:jtrace_source n=\$arg1:u32")$(mode event)" waiting
clear_trace
for round in 1 2; do
	load jtrace_source
	expect "$round: init was seen" "$(counts init)" "$round $round 0 0 0 0 0 0"
	expect "$round: and waits again" "$(mode init)" waiting
	fire 5
	expect "$round: hits" "$(counts call) $(counts event)" \
		"$((5 * round)) $((5 * round)) 0 0 0 0 0 0 $((5 * round)) $((5 * round)) 0 0 0 0 0 0"
	unload jtrace_source
	expect "$round: the module goes" "$(mode call) $(mode event)" "waiting waiting"
done
expect "its init got 7" "$(numbers init)" "7 7 "
log_mark
define "p:typo jtrace_source:jtrace_source_cal"
load jtrace_source
log_since >"$TMP/log"
check "the log says that a function is not there" grep -q \
	"probe typo is not armed in module jtrace_source: there is no such function" "$TMP/log"
define -:typo
unload jtrace_source
cp "$PROBES" "$TMP/saved"
: >"$PROBES"
cat "$TMP/saved" >"$PROBES"
sed 's/ # .*//' "$TMP/saved" >"$TMP/was"
expect "what is read can be written back" "$(sed 's/ # .*//' "$PROBES")" "$(cat "$TMP/was")"
refuse "jtrace is in use by jtrace_probe" "$IN_USE" unload jtrace
unload jtrace_probe

# ---- The parameter ----

load jtrace_source
# shellcheck disable=SC2016 # $arg1 is for jtrace
load jtrace_probe probe='"p:one jtrace_source_call;t:two jtrace_source if $arg1:u32 eq 1"' \
	probe='"r:three jtrace_source_call # none"'
fire 3
expect "parameters" "$(sed 's/^\([prt]:[a-z]*\) .*# \([^p]*\) .*/\1 \2/' "$PROBES")" \
	"p:one hits=3 recorded=3 filtered=0
t:two hits=3 recorded=1 filtered=2
r:three hits=3 recorded=3 filtered=0"
unload jtrace_probe
log_mark
refuse "a parameter with an error" "$INVALID" load jtrace_probe probe='"p:one jtrace_source_call;p:two nowhere"'
log_since >"$TMP/log"
check "the log says where" grep -q "jtrace_probe: probe=p:two nowhere: at character 7: \
there is no such function$" "$TMP/log"
log_mark
refuse "a long parameter with an error" "$INVALID" load jtrace_probe \
	probe="\"p:long jtrace_source_call $(seq 200 | sed 's/.*/v&=%sp:u8/' | tr '\n' ' ')\""
log_since >"$TMP/log"
check "the log says why" grep -q "v[0-9]*=.*: at character [0-9]*: there are at most 6 values$" "$TMP/log"
check "it left nothing behind" sh -c "! ls $PROBES"
# Not "exists", which modprobe takes for a module that is loaded.
refuse "a parameter with a probe twice" "$INVALID" load jtrace_probe \
	probe='"p:one jtrace_source_call;p:one jtrace_source_call"'
start use_large_entries=n
refuse "small entries" "$INVALID" load jtrace_probe

# ---- A module that takes its time to leave ----

# leaving: is it on its way out?
leaving() {
	grep -q '^jtrace_foreign .* Unloading ' /proc/modules
}

start target_buffer_size=1M
load jtrace_probe
load jtrace_foreign linger=y
unload jtrace_foreign &
check "the module leaves" wait_for leaving
expect "a function of it is awaited" \
	"$(define "p:call jtrace_foreign:jtrace_foreign_call n=\$arg1:u32")" ""
expect "and a tracepoint" \
	"$(define "t:new jtrace_foreign:task_newtask n=\$arg1:u32")" ""
expect "by both" "$(mode call) $(mode new)" "waiting waiting"
echo n >/sys/module/jtrace_foreign/parameters/linger
wait
load jtrace_foreign
echo 4 >/sys/module/jtrace_foreign/parameters/fire
expect "they come with the module" "$(numbers call) $(numbers new)" "4  4 "
unload jtrace_foreign

# ---- Clauses of hits that are lost ----

load jtrace_source
: >"$PROBES"
define "p:stops jtrace_source_call stop=0 if \$arg1:u32 eq 0"
define "p:opens jtrace_source_call on=seen if \$arg1:u32 eq 50"
define "p:sees jtrace_source_call in=seen"
fire 100
expect "a hit is lost after the stop" "$(counts opens)" "100 0 99 0 0 1 0 0"
expect "and opens no switch" "$(counts sees)" "100 0 100 0 0 0 0 0"
recording 1

# ---- Kprobes that are turned off ----

: >"$PROBES"
define "p:off jtrace_source_call"
define "p:traced vfs_statx"
before="$(mode off) $(mode traced)"
echo 0 >/sys/kernel/debug/kprobes/enabled
expect "modes say that kprobes are off" "$(mode off) $(mode traced)" "off off"
echo 1 >/sys/kernel/debug/kprobes/enabled
check "and that they are on again" wait_for sh -c "! grep -q ' mode=off' $PROBES"
diag "modes: $before"

# ---- Too much time ----

start target_buffer_size=8M
load jtrace_probe
load jtrace_source
define "p:slow jtrace_source_call @0xffff800000000000 @0xffff800000000000 @0xffff800000000000:u32 @0xffff800000000000:u32"
define "p:rare jtrace_source_fired"
log_mark
# The share is one of a CPU's time: a call of fire takes longer than its period, and stays there.
tries=0
until [ "$(mode slow)" = disarmed ] || [ $tries -eq 10 ]; do
	fire 500000
	tries=$((tries + 1))
done
expect "a probe that takes too much time is disarmed" "$(mode slow)" disarmed
expect "another one is not, and is hit" "$(mode rare | grep -c disarmed) $(counts rare)" \
	"0 $tries $tries 0 0 0 0 0 0"
log_since >"$TMP/log"
check "the log says so" grep -q "probe slow took more than 25 % of a CPU: disarmed" "$TMP/log"

finish
