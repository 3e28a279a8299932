#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# switch - the file events and the parameter events=: names, groups, clauses, counters, refusals;
# modules that bring tracepoints or events come and go in any order
#
# Needs a machine where code can be patched: not QEMU with several CPUs (see enabled.sh).
#
# short: yes

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

have jtrace_sink || skip_all "no jtrace_sink.ko"
need_patching
EVENTS=$JT/events
start target_buffer_size=8M
load jtrace_events
load jtrace_sink

# set_events LINE: write it; print nothing, or how the last line was refused
set_events() {
	echo "$1" 2>/dev/null >>"$EVENTS" || sed -n 's/^# refused: //p' "$EVENTS"
}

# event NAME: print its line
event() {
	sed -n "s/^\(!*$1[ #].*\)/\1/p" "$EVENTS"
}

# counters NAME: hits, recorded, filtered
counters() {
	event "$1" | sed 's/.* hits=\([0-9]*\) recorded=\([0-9]*\) filtered=\([0-9]*\)$/\1 \2 \3/'
}

# numbers EVENT: first values of its entries
numbers() {
	trace | entries | grep "($1 (" | sed 's/^[^]]*\][^]]*\] : 0*\([0-9a-f]\).*/\1/' |
		sort | tr '\n' ' '
}

# records CLAUSES NUMBERS: these of ten calls, with the numbers 0 to 9
records() {
	clear_trace
	r_says=$(set_events "jtrace_source $1")
	r_before=$(counters jtrace_source)
	fire 10
	expect "$1: records the right calls" "$r_says$(numbers jtrace_source)" "$2"
	# shellcheck disable=SC2046,SC2086 # words
	set -- "$1" "$(echo "$2" | wc -w)" $r_before $(counters jtrace_source)
	expect "$1: counts" "$(($6 - $3)) $(($7 - $4)) $(($8 - $5))" "10 $2 $((10 - $2))"
}

# refused LINE WHY
refused() {
	expect "refused: $1" "$(set_events "$1")" "$1: at character $2"
	expect "state tells it" "$(sed -n 's/^events_refused=//p' "$JT/state")" \
		"$1: at character $2"
}

# ---- An event of a module that is not loaded yet ----

expect "without its tracepoint" "$(event jtrace_source)" \
	"!jtrace_source # sink MISSING (number:u32, minus:s8, mask:x16, text:string) hits=0 recorded=0 filtered=0"
expect "is turned on meanwhile" "$(set_events 'jtrace_source if number ge 3')" ""
load jtrace_source
fire 5
expect "records when the module is loaded" "$(event jtrace_source)" \
	"jtrace_source if number ge 3 # sink on (number:u32, minus:s8, mask:x16, text:string) hits=5 recorded=2 filtered=3"
expect "what it recorded" "$(numbers jtrace_source)" "3 4 "
check "all of an entry" sh -c "grep -qE '\] : 00000003 fffffffd 00003000 00000000 \
6e2064646f206e61 69202c7265626d75 : .* : event:jtrace_source:0 \
\(jtrace_source \(number:u32, minus:s8, mask:x16, text:string\)\)$' $JT/trace"
unload jtrace_source
expect "the module goes" "$(event jtrace_source | sed 's/.* # sink \([A-Za-z]*\) .*/\1/')" MISSING
load jtrace_source
fire 5
expect "and comes back" "$(counters jtrace_source)" "10 4 6"

# ---- Clauses ----

records "" "0 1 2 3 4 5 6 7 8 9 "
records "every=3" "2 5 8 "
records "if number eq 7" "7 "
records "if number != 7" "0 1 2 3 4 5 6 8 9 "
records "if number ge 3 and number lt 6" "3 4 5 "
records "every=2 if number gt 1 && number <= 7" "3 5 7 "
records "skip=3" "3 4 5 6 7 8 9 "
records "if number ge 2 skip=1 every=3" "5 8 "
records "rate=4" "0 1 2 3 "
records "skip=1 rate=2" "1 2 "
records "if number has 0x5" "5 7 "
records "if minus lt -6" "7 8 9 "
records "if minus == -1" "1 "
records "if mask ge 0x8000" "8 9 "
records 'if text eq "an odd number, i" and number < 4' "1 3 "
records "if text eq even" "0 2 4 6 8 "
records 'if text ne "even" # but not the odd ones' "1 3 5 7 9 "

# ---- Clauses that act ----

# The events of a tracepoint are called in the order in which they are turned on.
set_events '!all'
set_events 'jtrace_source_wide in=gate'
set_events 'jtrace_source if number eq 4 on=gate'
fire 10
expect "on= opens a switch" "$(counters jtrace_source_wide)" "8 5 3"
check "and the file says so" grep -q '^# switch gate: open$' "$EVENTS"
set_events 'jtrace_source if number eq 6 off=gate'
fire 10
expect "off= closes it" "$(counters jtrace_source_wide)" "16 10 6"
set_events '!jtrace_source'
# shellcheck disable=SC2016 # $arg1 is for jtrace
load jtrace_probe probe='"p:opener jtrace_source_call if $arg1:u32 eq 7 on=gate"'
fire 10
expect "a probe opens it" "$(counters jtrace_source_wide)" "24 12 12"
unload jtrace_probe
set_events '!all'
lacks "a switch that nobody names is gone" '^# switch' "$EVENTS"

set_events 'jtrace_source if number eq 2 stop=3'
set_events jtrace_source_wide
clear_trace
fire 10
expect "stop= lets so many events follow" "$(trace | entries | grep -c '(jtrace_source_wide (')" 3
expect "and the last entry says who stopped" \
	"$(trace | entries | tail -n 1 | grep -c '(jtrace: stopped: jtrace_source)')" 1
expect "the others are lost" "$(counters jtrace_source_wide)" "8 3 0"
echo 1 >"$JT/enabled"

set_events '!all'
set_events 'jtrace_source if number eq 2 stop=0'
set_events 'jtrace_source_wide on=gate'
set_events 'sched_switch in=gate'
fire 10
expect "a hit that is lost opens no switch" "$(sed -n 's/^# switch gate: //p' "$EVENTS")" closed
set_events '!all'
echo 1 >"$JT/enabled"

set_events jtrace_source
fire 5
set_events 'jtrace_source if number eq 1'
expect "counters begin anew when it is turned on" "$(counters jtrace_source)" "0 0 0"

# ---- No room ----

set_events '!all'
clear_trace
set_events 'jtrace_source every=2'
load jtrace_stopper before=0 after=0
skipped=$(stat skipped)
# shellcheck disable=SC2046 # words
set -- $(counters jtrace_source)
fire 1000
# shellcheck disable=SC2046 # words
set -- $(($(counters jtrace_source | cut -d ' ' -f 1) - $1)) "$2" \
	$(($(counters jtrace_source | cut -d ' ' -f 3) - $3)) $(counters jtrace_source)
expect "stopped: hits and filtered" "$1 $3" "1000 500"
expect "stopped: recorded is what is in the ring" $(($5 - $2)) \
	"$(trace | grep -c '(jtrace_source (')"
expect "stopped: the rest is lost" $((500 - ($5 - $2))) $(($(stat skipped) - skipped))
unload jtrace_stopper
echo 1 >"$JT/enabled"

# ---- Wide values, and a condition of the event itself ----

set_events '!jtrace_source'
set_events 'jtrace_source_wide if large le 0xfffffffffffffffc and minus gt -5'
clear_trace
fire 10
expect "a call without the condition is no hit" "$(counters jtrace_source_wide)" "8 2 6"
check "its values" sh -c "grep -q '\] : 00000003 00000000 00000000 30000000 \
fffffffffffffffd fffffffffffffffc : ' $JT/trace"

# ---- Names, groups, lines that are refused ----

set_events '!all'
expect "a group" "$(set_events sink)" ""
expect "both of its events are on" "$(grep -c '^[a-z_].* # sink on' "$EVENTS")" 2
expect "nothing else is on" "$(grep -c '^[a-z]' "$EVENTS")" 2
set_events mem
expect "a group turns on those within it" "$(grep -c '^[a-z_]*_fail # alloc_fail on' "$EVENTS")" 3
set_events '!mem'
expect "and off" "$(grep -c '^[a-z]' "$EVENTS")" 2
refused nothing "1: no event or group has this name: the file events lists all"
refused "jtrace_source_" "1: no event or group has this name: the file events lists all"
refused "jtrace_source if size eq 1" "18: the event has no such field"
refused "jtrace_source if number eq" "27: a number is missing"
refused "jtrace_source if number eq -1" "28: the field is never negative"
refused "jtrace_source if minus lt -129" "27: the field is never so large"
refused "jtrace_source if text lt a" "23: a string takes eq or ne"
refused "jtrace_source every=0" "21: N is 1 to 4294967295"
refused "jtrace_source often" "15: expected the end, or a clause that is not there yet: if, skip=, every=, rate=, stop=, stack, in=, on= or off="
refused "sink if text eq even" "9: the event has no such field"
expect "nothing has changed" "$(grep -c '^[a-z_]* # sink on' "$EVENTS")" 2
clear_trace
fire 3
expect "both still record" "$(trace | grep -cE ' : event:jtrace_source(_wide)?:0 ')" 4
expect "an event goes" "$(set_events '!jtrace_source')" ""
expect "the other one stays" "$(grep -c '^jtrace_source_wide # sink on' "$EVENTS")" 1
expect "refused: !sink with a clause" "$(set_events '!sink if number eq 1')" \
	"!sink if number eq 1: at character 6: expected nothing after !NAME"

# ---- Written back, truncated ----

set_events 'sink every=7'
set_events 'jtrace_source if text eq "a \"b\" \\ c" and mask has 0x10'
set_events "sched_switch every=1000 if next_comm ne 'sh' in=gate stop=7"
sed 's/ # .*//' "$EVENTS" >"$TMP/was"
cp "$EVENTS" "$TMP/saved"
: >"$EVENTS"
expect "truncation turns all off" "$(grep -c '^[a-z]' "$EVENTS")" 0
cat "$TMP/saved" >"$EVENTS"
sed 's/ # .*//' "$EVENTS" >"$TMP/is"
check "what is read can be written back" cmp "$TMP/was" "$TMP/is"
long='text ne "\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\""'
long="jtrace_source if $long and $long and $long and $long and $long and $long rate=4294967295"
expect "a long filter" "$(set_events "$long")" ""
expect "is shown whole" "$(event jtrace_source | sed 's/ # .*//')" "$long"
at_least "of all events" "$(wc -l <"$TMP/was")" 40

# ---- All events at once, while jtrace works ----

: >"$EVENTS"
expect "all" "$(set_events all)" ""
expect "no event is off" "$(grep -c '^!.* off ' "$EVENTS")" 0
hammer count=2000
check "the trace is right" verify
load jtrace_client && unload jtrace_client
dmesg >/dev/null
expect "all off" "$(set_events '!all')" ""
at_least "they recorded" "$(sed -n 's/.* recorded=\([0-9]*\) .*/\1/p' "$EVENTS" |
	awk '{ n += $1 } END { print n }')" 1000
unload jtrace_hammer

# ---- Names that mean something already ----

unload jtrace_sink
# Newer kernels keep "File exists" for a module that is loaded already.
for words in name=sched name=kfree name=mem name=all within=kfree; do
	log_mark
	refuse "jtrace_sink $words" "File exists|Device or resource busy" load jtrace_sink $words
	expect "the log says so" "$(log_since | sed -n 's/.*jtrace_events: //p' | sort -u)" \
		"${words#*=}: there is an event or a group of this name"
done
load jtrace_sink within=mem
expect "a group within another one" "$(set_events mem)$(event jtrace_source | sed 's/ # .*//')" \
	jtrace_source
set_events '!mem'
unload jtrace_sink
load jtrace_sink

# ---- Load and unload in any order ----

set_events sink
refuse "jtrace_events is in use by a module with events" "$IN_USE" unload jtrace_events
refuse "jtrace is in use by jtrace_events" "$IN_USE" unload jtrace
unload jtrace_sink
fire 10
expect "its events are gone" "$(event jtrace_source)" ""
load jtrace_sink
expect "and are off when they come back" "$(event jtrace_source | cut -c 1-16)" "!jtrace_source #"
set_events sink
fire 10
unload jtrace_source
unload jtrace_sink
unload jtrace_events
check "the file is gone" sh -c "! ls $EVENTS"
unload jtrace

# ---- What entries say of it ----

# partial LINE...: print whether the entries of sched_wakeup say that hits are passed over, in turn
partial() {
	clear_trace
	for p_line; do
		set_events "$p_line"
		for _ in $(seq 10); do sleep 0.01; done
		set_events '!sched_wakeup'
	done
	"${TOOL:-/jtrace/bin/jtrace}" --json | grep '"tag":"sched_wakeup ' |
		sed 's/.*"partial":true.*/passed over/; s/^{.*/all/' | uniq | paste -sd ' '
}

start target_buffer_size=1M
load jtrace_events
expect "clauses and conditions" "$(partial "sched_wakeup every=2" sched_wakeup \
	"sched_wakeup if pid gt 0" "sched_wakeup stop=100000" "sched_wakeup rate=100")" \
	"passed over all passed over all passed over"

# switched: print what the trace says of events that were switched, in turn
switched() {
	trace | entries | grep '(jtrace: events switched (on, off))$' |
		sed 's/^.*\] : \([0-9a-f]*\) \([0-9a-f]*\) .*/\1 \2/' |
		while read -r s_on s_off; do echo $((0x$s_on))+$((0x$s_off)); done | xargs
}

set_events '!all'
clear_trace
set_events '!all'
expect "nothing was switched" "$(switched)" ""
set_events sched_wakeup
set_events "sched_wakeup every=2"
set_events irq
set_events '!irq'
set_events '!all'
set_events "sched_wakeup if" >/dev/null
expect "what was switched" "$(switched)" "1+0 1+0 2+0 0+2 0+1"
set_events sched_wakeup
clear_trace
unload jtrace_events
expect "by unloading, too" "$(switched)" "0+1"
unload jtrace

# ---- The parameter ----

start target_buffer_size=1M
load jtrace_events events='"sched;!sched_switch;;sched_wakeup if comm eq "a;b#" # none;timer every=9"'
expect "parameter" "$(grep '^[a-z]' "$EVENTS" | sed 's/ # .*//')" 'sched_waking
sched_wakeup if comm eq "a;b#"
sched_wakeup_new
sched_migrate_task
timer_expire_entry every=9
timer_expire_exit every=9
hrtimer_expire_entry every=9
hrtimer_expire_exit every=9'
unload jtrace_events
load jtrace_events events="\"sched_wakeup if comm eq 'a ;#b'\""
expect "parameter with blanks" "$(grep '^[a-z]' "$EVENTS" | sed 's/ # .*//')" \
	'sched_wakeup if comm eq "a ;#b"'
unload jtrace_events
# The kernel's parser ends the parameter at the blank, and passes what is before it.
refuse "a parameter that the kernel cuts" "$INVALID" \
	load jtrace_events events='"sched_wakeup if comm eq \"a b\""'
log_mark
refuse "a parameter with an error" "$INVALID" load jtrace_events events='"sched;irq if nr eq 1"'
log_since >"$TMP/log"
check "the log says where" grep -q "jtrace_events: events=irq if nr eq 1: at character 8: \
the event has no such field$" "$TMP/log"
check "it left nothing behind" sh -c "! ls $EVENTS"

# ---- A module with tracepoints of others ----

# entries_of_task: entries of new tasks
entries_of_task() {
	trace | entries | grep -c '(task_newtask ('
}

# news N: does the event have so many hits, of real tasks?
news() {
	[ "$(counters task_newtask | cut -d ' ' -f 1)" -ge "$1" ]
}

start target_buffer_size=1M
log_mark
load jtrace_events
set_events task_newtask
load jtrace_foreign
set_events '!task_newtask'
clear_trace
(:)
expect "the kernel's tracepoint is let go" "$(entries_of_task)" 0
set_events task_newtask
echo 5 >/sys/module/jtrace_foreign/parameters/fire
(:)
check "and is taken again" news 1
lacks "no value is that of the other tracepoint" '^\[[^]]*\]\[[^]]*\] : 00000005 ' "$JT/trace"
unload jtrace_foreign
unload jtrace_events
(:)
expect "nothing is attached when the module is gone" "$(log_since | grep -c 'WARNING:\|BUG:')" 0
start target_buffer_size=1M
load jtrace_events
load jtrace_sink
load jtrace_foreign
refuse "a tracepoint that refuses" "busy" sh -c "echo jtrace_source >>$EVENTS"
expect "its event is off" "$(event jtrace_source | sed 's/ (.*//')" "!jtrace_source # sink off"
refuse "with clauses" "busy" sh -c "echo jtrace_source in=gate stop=0 >>$EVENTS"
lacks "nothing of them is left" '^# switch' "$EVENTS"
echo n >/sys/module/jtrace_foreign/parameters/refuse
expect "it is turned on as soon as it can be" "$(set_events jtrace_source)" ""
echo 3 >/sys/module/jtrace_foreign/parameters/fire
expect "and records" "$(numbers jtrace_source)" "3 "
unload jtrace_foreign
# The order of locks: recording turned off and on calls tracepoints, too.
expect "with clauses" "$(set_events 'jtrace_source on=gate stop=1')" ""
load jtrace_foreign
lacks "is off when a tracepoint comes and refuses" '^# switch|^[a-z]' "$EVENTS"
recording 0
recording 1

# ---- Small entries ----

start use_large_entries=n
log_mark
refuse "small entries" "$INVALID" load jtrace_events
log_since >"$TMP/log"
check "the log says what to do" grep -q 'load it with use_large_entries=y$' "$TMP/log"

finish
