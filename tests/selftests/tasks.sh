#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# tasks - each entry has the name that its task had then, or none: processes that fork, run programs
# and end, threads, names that change, numbers that are used again
#
# Needs a machine where code can be patched: not QEMU with several CPUs (see enabled.sh).
# TASKS: the program.

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

TOOL=${TOOL:-/jtrace/bin/jtrace}
TASKS=${TASKS:-$HERE/tasks}
have jtrace_probe || skip_all "no jtrace_probe.ko"
[ -x "$TASKS" ] || skip_all "no program tasks"
need_patching

# What the kernel itself says is the name: of the task that runs when a tracepoint is called.
probe_names() {
	for point in sched_switch sched_process_exit sched_wakeup_new sys_exit; do
		echo "t:is_$point $point now=\$comm:string" >>"$PROBES" || return 1
	done
}

# judged TEXT LEAST MOST: after what was done, no name is wrong, LEAST entries have one, and of a
# hundred at the most MOST have none
judged() {
	"$TOOL" -d | "$HERE/judge_tasks" >"$TMP/judged"
	expect "$1: no name is wrong" "$(sed '$d' "$TMP/judged" | sort | uniq -c | head -n 8)" ""
	j_text=$1 j_least=$2 j_most=$3
	# shellcheck disable=SC2046 # words
	set -- $(tail -n 1 "$TMP/judged")
	diag "$j_text: $1 with their name, $2 without; $(stat tasks_evicted) evicted"
	at_least "$j_text: entries with a name" "$1" "$j_least"
	at_least "$j_text: hardly one has none" $((j_most * ($1 + $2) / 100)) "$2"
}

start target_buffer_size=2M
load jtrace_probe
sleep 100 &
sleeper=$!
check "probes" probe_names

# ---- Tasks ----

clear_trace
for _ in $(seq 20); do
	(head -n 1 /proc/version | cat) >/dev/null
done
"$TASKS" names 3
for _ in $(seq 10); do
	"$TASKS" exec /bin/sleep
done
# On a busy machine, threads of the kernel that were there before run more often: 71 of 3,012.
judged "programs and threads" 500 5
check "names have all their bytes" sh -c "$TOOL -d --task 'eve]*' | grep -q 'tid *[0-9]* eve\] [0-9]*\] : '"
expect "names of one thread" "$("$TOOL" --json --task 'ann *' |
	grep -o '"task":"ann [0-9]*"' | sort -u | xargs)" \
	"task:ann 0 task:ann 1 task:ann 2"
kill $sleeper
wait $sleeper
check "a task that was there before" sh -c "$TOOL -d --tid $sleeper | grep -q 'tid *$sleeper sleep\]'"
check "the idle task" sh -c "$TOOL -d | grep -q '\[cpu 0 tid *0 swapper/0\]'"
"$TOOL" >"$TMP/plain"
lacks "without -d, the line is that of ever" '\]\[cpu [0-9]+ tid +[0-9]+ ' "$TMP/plain"

# ---- Many ----

# With the events that one has on for a hang, in the default room.
load jtrace_events events="\"sched;syscall;lock;timer\""
clear_trace
"$TASKS" forks "${TASKS_FORKS:-1000}"
judged "many short processes" 1000 1
echo '!all' >"$JT/events"
unload jtrace_events
unload jtrace_probe

# With little more than their beginning and end, in room for all.
start target_buffer_size=2M tasks=256K
load jtrace_probe
check "probes" probe_names
"$TASKS" forks "${TASKS_FORKS:-1000}"
judged "nothing but short processes" 1000 1
expect "no name of a live task made room" "$(stat tasks_evicted)" 0

# ---- No room ----

unload jtrace_probe
start target_buffer_size=2M tasks=1K
load jtrace_probe
check "probes" probe_names
"$TASKS" forks 500
judged "room for 32 names" 50 99
at_least "names of live tasks made room" "$(stat tasks_evicted)" 1
unload jtrace_probe
start target_buffer_size=2M tasks=0
expect "none" "$(config 'Names of tasks')" "0 bytes, for 0 names"
load jtrace_client
"$TOOL" -d >"$TMP/none"
check "the client" grep -q 'client: hello' "$TMP/none"
lacks "no name is shown" '\]\[cpu [0-9]+ tid +[1-9][0-9]* ' "$TMP/none"
refuse "--task says why" "the trace has no names of tasks" "$TOOL" --task x
unload_all
refuse "too much" "Invalid argument|invalid parameter" load jtrace tasks=2M target_buffer_size=2M

finish
