# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# why.sh - tests of "jtrace why", on made-up machines; sourced by run
#
# The clock of mkimage goes 1 us with each event, and 1 s with "pause".

# of CPU CONTEXT TID A B C D E F TAG: print an event of the kernel; TID in decimal
of() {
	printf '%d 3:0:%x:%x %s %s %s %s %s %s event %s %s\n' "$@" 2> /dev/null
}

# m WHAT ARG...: print what a machine does
m() {
	local what=$1

	shift
	case $what in
	# CPU PREV NEXT STATE
	switch)	of "$1" 0 "$2" "$(printf %x "$2")" "$(printf %x "$3")" "$4" 78 "${5:-6b736174}" 0 sched_switch \
			"sched_switch (prev_pid:s32, next_pid:s32, prev_state:x32, next_prio:s32, next_comm:string)" ;;
	# CPU TID PID TARGET
	wake)	of "$1" 0 "$2" "$(printf %x "$3")" 78 "$4" 0 6b736174 0 sched_wakeup \
			"sched_wakeup (pid:s32, prio:s32, target_cpu:u32, comm:string)" ;;
	# CPU TID IRQ
	irq)	of "$1" 100 "$2" "$3" 0 0 0 306469 0 irq_handler_entry "irq_handler_entry (irq:s32, name:string)" ;;
	irqend)	of "$1" 100 "$2" "$3" 1 0 0 0 0 irq_handler_exit "irq_handler_exit (irq:s32, ret:s32)" ;;
	# CPU TID VEC
	soft)	of "$1" 1 "$2" "$3" 0 0 0 0 0 softirq_entry "softirq_entry (vec:u32)" ;;
	softend) of "$1" 1 "$2" "$3" 0 0 0 0 0 softirq_exit "softirq_exit (vec:u32)" ;;
	# CPU TID WORK FUNCTION
	work)	of "$1" 0 "$2" 0 0 0 0 "$3" "$4" workqueue_execute_start \
			"workqueue_execute_start (work:x64, function:symbol)" ;;
	workend) of "$1" 0 "$2" 0 0 0 0 "$3" "$4" workqueue_execute_end \
			"workqueue_execute_end (work:x64, function:symbol)" ;;
	# CPU TID LOCK OWNER
	lock)	of "$1" 0 "$2" 20 "$(printf %x "$4")" 0 0 "$3" 0 contention_begin \
			"contention_begin (flags:x32, owner:s32, lock_addr:x64)" ;;
	lockend) of "$1" 0 "$2" 0 0 0 0 "$3" 0 contention_end "contention_end (ret:s32, lock_addr:x64)" ;;
	# CPU TID SECTOR
	issue)	of "$1" 0 "$2" 8 0 "$3" 0 616476 0 block_rq_issue \
			"block_rq_issue (nr_sector:u32, cmd_flags:x32, dev:string, sector:u64)" ;;
	done)	of "$1" 0 "$2" 8 0 "$3" 0 616476 0 block_rq_complete \
			"block_rq_complete (nr_sector:u32, status:u8, dev:string, sector:u64)" ;;
	# CPU TID ID
	enter)	of "$1" 0 "$2" "$3" 0 0 0 0 0 sys_enter "sys_enter (id:s32, compat:u8, arg0:x64, arg1:x64, arg2:x64)" ;;
	leave)	of "$1" 0 "$2" "$3" 0 0 0 0 0 sys_exit "sys_exit (id:s32, compat:u8, ret:s64)" ;;
	# CPU
	offline) echo "$1 0:0:0:0 0 0 0 0 0 0 jtrace_hotplug.c goes_offline jtrace: cpu offline" ;;
	switched) echo "$1 0:0:0:0 1 ${2:-0} 0 0 0 0 attach.c record_switch jtrace: events switched (on, off)" ;;
	stop)	echo "$1 0:0:0:0 0 0 0 0 0 0 jtrace_control.c record_counters jtrace: stop (0, 0, 0, 0, recorded, lost)" ;;
	start)	echo "$1 0:0:0:0 0 0 0 0 0 0 jtrace_control.c record_counters jtrace: start (0, 0, 0, 0, recorded, lost)" ;;
	lost | pause) echo "$1 $what" ;;
	esac
}

# goes_on CPU TIMES: a CPU works: tasks 10 and 11 in turn, interrupts, requests, locks, calls
goes_on() {
	local i

	for i in $(seq "$2"); do
		m wake "$1" 0 1"$1" "$1"
		m switch "$1" 0 1"$1" 0
		m enter "$1" 1"$1" 0
		m irq "$1" 1"$1" 9
		m soft "$1" 1"$1" 3
		m softend "$1" 1"$1" 3
		m irqend "$1" 1"$1" 9
		m work "$1" 1"$1" a1 ffffffff81000000
		m workend "$1" 1"$1" a1 ffffffff81000000
		m lock "$1" 1"$1" 50"$1" 0
		m lockend "$1" 1"$1" 50"$1"
		m issue "$1" 1"$1" 4"$1"
		m done "$1" 1"$1" 4"$1"
		m leave "$1" 1"$1" 0
		m switch "$1" 1"$1" 0 1
	done
}

# why NAME STATUS WANT... < EVENTS: pass if these events give such findings, and no others: each a
# regular expression for its line
why() {
	local name=$1 status=$2 n=0 line ok=1

	shift 2
	cat > "$tmp/why.in"
	"$tmp/mkimage" -c 64 -p 4 -e "$tmp/why.in" "${why_options[@]}" > "$tmp/file" || ok=0
	run "$status" why "${why_args[@]}" "$tmp/file" || ok=0
	grep -E '^[0-9]+\. ' "$tmp/out" > "$tmp/findings"
	for line; do
		n=$((n + 1))
		sed -n "${n}p" "$tmp/findings" | grep -qE "^$n\. $line\.\$" || ok=0
	done
	[ "$(wc -l < "$tmp/findings")" -eq $n ] || ok=0
	if [ $ok -eq 1 ]; then
		ok "why: $name"
	else
		not_ok "why: $name" "$tmp/out" "$tmp/err"
	fi
}

# told NAME TEXT: pass if the last output has it
told() {
	if grep -qF -- "$2" "$tmp/out"; then
		ok "why: $1"
	else
		not_ok "why: $1" "$tmp/out"
	fi
}

# last_seconds CPU N: nothing but that CPU goes on for so long
last_seconds() {
	local i

	for i in $(seq "$2"); do
		m pause "$1"
		goes_on "$1" 2
	done
}

test_why() {
	local why_options=() why_args=()
	local for='for [0-9.]+ (s|ms|us)' t='[0-9]+\.[0-9]{6}'

	healthy() { goes_on 0 10; goes_on 1 10; }

	why "nothing is unfinished" 3 < <(healthy; last_seconds 0 3)
	told "it says so" 'Nothing that is recorded was unfinished for unusually long'
	why "a handler" 0 "\[fact\] CPU 1: interrupt 9 \(id0\) began at $t and did not end $for; 26 others ended, the slowest in 3.0 us" \
		< <(healthy; m irq 1 0 9; last_seconds 0 3)
	why "the innermost handler" 0 "\[fact\] CPU 1: softirq NET_RX began .*" \
		< <(healthy; m irq 1 0 9; m soft 1 0 3; last_seconds 0 3)
	why "a handler: not if it is young" 3 < <(healthy; m irq 1 0 9; goes_on 0 20)
	why "a handler: not if it ended" 3 < <(healthy; m irq 1 0 9; m irqend 1 0 9; last_seconds 0 3)
	why "a handler: not if events are missing since" 3 \
		< <(healthy; m irq 1 0 9; m lost 0; last_seconds 0 3)
	why "a handler: not over a switch of events" 3 \
		< <(healthy; m irq 1 0 9; m switched 0; last_seconds 0 3)
	why "a handler: not over a stop" 3 < <(healthy; m irq 1 0 9; m stop 0; m start 0; last_seconds 0 3)
	why "a handler: not if no end is recorded" 3 \
		< <(healthy; m switched 0 1; m irq 1 0 9; last_seconds 0 3 | grep -v irq_handler)
	why "a CPU that is silent" 0 "\[fact\] CPU 1 recorded nothing after $t, $for, while task \(11\) ran there; before, .*" \
		< <(healthy; m switch 1 0 11 0; last_seconds 0 3)
	why "a CPU that is silent: not if it is idle" 3 < <(healthy; last_seconds 0 3)
	why "a CPU that is silent: not if it is offline" 3 \
		< <(healthy; m switch 1 0 11 0; m offline 1; last_seconds 0 3)
	why "a CPU that is silent: not if it was before" 3 < <(healthy; m switch 1 0 11 0; m pause 1
		m switch 1 11 0 0; m switch 1 0 11 0; last_seconds 0 3)
	why "a task that does not leave its CPU" 0 \
		"\[fact\] task \(12\) runs on CPU 1 since $t without a break, $for; task \(13\) is ready there since $t" \
		< <(healthy; m switch 1 0 12 0; m wake 0 0 13 1; for _ in 1 2 3 4; do last_seconds 0 1; m irq 1 12 9; m irqend 1 12 9; done)
	why "a task that does not leave its CPU: not if nobody waits" 3 \
		< <(healthy; m switch 1 0 12 0; for _ in 1 2 3 4; do last_seconds 0 1; m irq 1 12 9; m irqend 1 12 9; done)
	why "a deadlock" 0 "\[fact\] Deadlock: tid 12 waits for mutex 0x500 since $t, which tid 13 held then; tid 13 waits for mutex 0x600 since $t, which tid 12 held then" \
		< <(healthy; m switch 1 0 12 0; m lock 1 12 500 13; m switch 1 12 13 2; m lock 1 13 600 12; m switch 1 13 0 2; last_seconds 0 3)
	why "a lock, and what its owner does" 0 "\[fact\] tid 12 waits for mutex 0x500 since $t, which tid 13 held then, and is asleep since $t" \
		< <(healthy; m switch 1 0 13 0; m switch 1 13 12 1; m lock 1 12 500 13; m switch 1 12 0 2; last_seconds 0 3)
	why "a lock: not if the wait ended" 3 < <(healthy; m switch 1 0 12 0; m lock 1 12 500 13; m lockend 1 12 500
		m switch 1 12 0 1; last_seconds 0 3)
	why "a lock: not if waits are as long" 3 < <(healthy; m lock 0 12 500 13; m pause 0; m lockend 0 12 500
		m lock 0 12 500 13; last_seconds 0 3)
	why "the owner's wait, not who waits for it" 0 "\[fact\] tid 12 waits for mutex 0x500 .*; who held it is not recorded" \
		< <(healthy; m switch 1 0 12 0; m lock 1 12 500 0; m switch 1 12 13 2; m lock 1 13 600 12; m switch 1 13 0 2; last_seconds 0 3)
	why "a request" 0 "\[fact\] a request to disk vda, a read, was issued at $t and did not complete $for; 26 others ended, the slowest in 1.0 us; 1 like it wait, too" \
		< <(healthy; m issue 1 0 777; m issue 1 0 888; last_seconds 0 3)
	why "a request: not if two have one place" 3 \
		< <(healthy; m issue 1 0 777; m issue 1 0 777; last_seconds 0 3)
	why "a work item" 0 "\[fact\] work item 0xffffffff81000000 of .* began at $t and did not end $for; .*; it is in uninterruptible sleep since $t" \
		< <(healthy; m switch 1 0 12 0; m work 1 12 b2 ffffffff81000000; m switch 1 12 0 2; last_seconds 0 3)
	why "a work item: not its first second" 3 \
		< <(healthy; m work 0 12 b2 ffffffff81009999; last_seconds 0 3)
	why "a task that is blocked" 0 "\[fact\] tid 12 is in uninterruptible sleep since $t, $for, and was not woken; it is in write\(\) since $t" \
		< <(healthy; last_seconds 0 2; m switch 1 0 12 0; m enter 1 12 1; m switch 1 12 0 2; last_seconds 0 7)
	why "a task that is blocked: not if it waits for a child" 3 \
		< <(healthy; last_seconds 0 2; m switch 1 0 12 0; m enter 1 12 3a; m switch 1 12 0 2; last_seconds 0 7)
	why "a task that is blocked: not if it was woken" 3 \
		< <(healthy; last_seconds 0 2; m switch 1 0 12 0; m enter 1 12 1; m switch 1 12 0 2; m wake 0 0 12 1; last_seconds 0 7)
	why "a contradiction: nothing from before" 3 \
		< <(healthy; m irq 1 0 9; m switch 0 77 10 0; m switch 0 10 0 1; last_seconds 0 3)
	why "a stop ends what is told" 3 < <(healthy; m irq 1 0 9; m stop 0; last_seconds 0 3)
	why "what is open at a stop" 0 "\[fact\] CPU 1: interrupt 9 .*" < <(healthy; m irq 1 0 9; last_seconds 0 3; m stop 0)
	told "it says when" '(recording was stopped); complete from '
	why_args=(-U 5.2)
	why "as of a moment" 3 < <(healthy; m irq 1 0 9; last_seconds 0 3)
	why_args=(-U 7.5)
	why "as of a later moment" 0 "\[fact\] CPU 1: interrupt 9 .*" < <(healthy; m irq 1 0 9; last_seconds 0 3)
	why_args=()
	why "a handler: not if its end may be passed over" 3 < <({ healthy; m irq 1 0 9; last_seconds 0 3; } |
		sed '/ irq_handler_exit /s/ 3:0:/ 3:40000077:/')
	told "it says so, too" 'Not judged: irq: clauses pass over hits.'
	# More than fit.
	why "three findings, the most telling first" 0 "\[fact\] CPU 1: .*" "\[fact\] a request .*" "\[fact\] work item .*" \
		< <(healthy; m issue 0 0 777; m work 0 12 b2 ffffffff81000000; m work 0 13 b3 ffffffff81000000; m irq 1 0 9
		last_seconds 0 3)
	told "it counts the others" '1 more of less weight is left out.'
	run 0 why --json "$tmp/file"
	if [ "$(grep -c '^{"type":"why",.*"findings":3,"more":1,' "$tmp/out")" -eq 1 ] &&
		[ "$(grep -o '^{"type":"finding","what":"[a-z]*","certainty":"fact"' "$tmp/out" | sed 's/.*what":"\([a-z]*\)".*/\1/' | xargs)" = \
			"handler block work" ] && python3 -c 'import json, sys
for line in sys.stdin: json.loads(line)' < "$tmp/out"; then
		ok "why: in JSON"
	else
		not_ok "why: in JSON" "$tmp/out"
	fi
	head -c -4096 "$tmp/file" > "$tmp/damaged"
	run 3 why "$tmp/damaged"
	if grep -q '^I do not know what was unfinished\.$' "$tmp/out" &&
		grep -q '^Not judged: what was unfinished: the image is damaged\.$' "$tmp/out"; then
		ok "why: not of a damaged image"
	else
		not_ok "why: not of a damaged image" "$tmp/out"
	fi
	says "why: not with -d" 2 "why: cannot be combined with -d" why -d "$tmp/file"
	says "why: not with a part of the trace" 2 "why: cannot be combined with --last" \
		why -n 5 "$tmp/file"
}
