# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# why.sh - tests of "jtrace why", on made-up machines; sourced by run

# why NAME < MACHINE: pass if a machine has the findings of the lines "> ...", and no others
#
# MACHINE is for machine.awk.  Of findings, a time is T, a span is S; ">> ..." continues one.  There:
# why_sed for events, why_options for mkimage, why_args for jtrace.
why() {
	local status=3

	sed -e '/^>/!d' -e 's/^> //' > "$tmp/want" < <(tee "$tmp/machine" |
		sed -e ':a' -e '/^>/{N;s/\n>> / /;ta' -e 'P;D' -e '}')
	[ ! -s "$tmp/want" ] || status=0
	grep -v '^>' "$tmp/machine" | awk -f "$here/machine.awk" | sed "$why_sed" > "$tmp/why.in"
	if "$tmp/mkimage" -c 500 -p 4 "${why_options[@]}" -e "$tmp/why.in" > "$tmp/file" &&
		run $status why "${why_args[@]}" "$tmp/file" &&
		sed -n -e 's/^[0-9]\. \(\[.*\)\.$/\1/p' "$tmp/out" |
		sed -E -e 's/[0-9]+\.[0-9]{6}/T/g' -e 's/[0-9]+\.[0-9] (s|ms|us)\>/S/g' > "$tmp/got" &&
		cmp -s "$tmp/want" "$tmp/got"; then
		ok "why: $1"
	else
		not_ok "why: $1" "$tmp/want" "$tmp/out" "$tmp/err"
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

test_why() {
	local why_sed='' why_args=() why_options=()

	test_why_cpus
	test_why_storms
	test_why_busy
	test_why_waits
	test_why_wakers
	test_why_gates
	test_why_output
	test_why_cost
}

# busy TID LINE: print that a task does something for 11 seconds, and another one preempts it
busy() {
	printf '%s\n' healthy "switch 1 0 $1 0" "$2"
	for _ in $(seq 11); do
		printf '%s\n' 'seconds 0 1' "switch 1 $1 13 0" "switch 1 13 $1 0"
	done
}

test_why_busy() {
	why "a work item that does not sleep" < <(busy 12 'work 1 12 b2 ffffffff81000000'; cat <<- 'FOUND'
	> [likely] work item 0xffffffff81000000 of task (12) began at T and did not end for S;
	>> 130 others ended, the slowest in S; it has not slept since
	FOUND
	)
	why "no work item that slept" < <(busy 12 'work 1 12 b2 ffffffff81000000' | awk '
		{ print }
		/^work/ { print "switch 1 12 0 1\nwaking 1 0 12 1\nswitch 1 0 12 0" }')
	why "no work item that waits for its CPU" < <(busy 12 'work 1 12 b2 ffffffff81000000'
		printf '%s\n' 'switch 1 12 13 0' 'seconds 0 2')
	why "no work item over a time in which nothing ran" < <(busy 12 'work 1 12 b2 ffffffff81000000' |
		sed '4i pause 0')
	why "no system call, which may have much to do" < <(busy 12 'enter 1 12 10')
}

test_why_storms() {
	local why_options=(-c 4000)

	why "a timer that a CPU does not get rid of" <<- 'MACHINE'
	healthy
	runs 1 0 b1 ffffffff81000000 10000
	> [fact] CPU 1 has run timer function 0xffffffff81000000 10000 times since T, in S,
	>> and recorded nothing else
	MACHINE
	why "no timer that ran less often" <<- 'MACHINE'
	healthy
	runs 1 0 b1 ffffffff81000000 9999
	MACHINE
	why "no timer beside something else" <<- 'MACHINE'
	healthy
	runs 1 0 b1 ffffffff81000000 9000
	irq 1 0 9
	irqend 1 0 9
	runs 1 0 b1 ffffffff81000000 9000
	MACHINE
	why "no two timers of one function" <<- 'MACHINE'
	healthy
	runs 1 0 b1 ffffffff81000000 9000
	runs 1 0 b2 ffffffff81000000 9000
	MACHINE
	why "no timer that leaves time for more" <<- 'MACHINE'
	healthy
	runs 1 0 b1 ffffffff81000000 12000 blink
	MACHINE
	why "no timer that is over" <<- 'MACHINE'
	healthy
	runs 1 0 b1 ffffffff81000000 10000
	seconds 0 1
	MACHINE
}

# cost ARG...: print the processor time of a run, ms
cost() {
	local TIMEFORMAT='%U %S'

	{ time "$jtrace" "$@" > /dev/null 2>&1; } 2>&1 | awk '{ print int(1000 * ($1 + $2)) + 1 }'
}

# At most ten times the time of printing the events.
test_why_cost() {
	local plain whole

	yes healthy | head -n 200 | awk -f "$here/machine.awk" > "$tmp/why.in"
	"$tmp/mkimage" -s 12 -c 2000 -p 4 -e "$tmp/why.in" > "$tmp/file"
	run 3 why --json "$tmp/file"
	if ! grep -q '"events":60000,' "$tmp/out"; then
		not_ok "why: time for 60,000 events: they are all looked at" "$tmp/out"
		return
	fi
	plain=$(cost "$tmp/file")
	whole=$(cost why "$tmp/file")
	if [ "$whole" -le $((10 * plain)) ]; then
		ok "why: time for 60,000 events: $whole ms, and $plain ms to print them"
	else
		not_ok "why: time for 60,000 events: $whole ms, and $plain ms to print them"
	fi
}

test_why_cpus() {
	why "a handler" <<- 'MACHINE'
	healthy
	irq 1 0 9
	seconds 0 3
	> [fact] CPU 1: interrupt 9 (id0) began at T and did not end for S; 50 others ended,
	>> the slowest in S
	MACHINE
	why "the innermost handler" <<- 'MACHINE'
	healthy
	irq 1 0 9
	soft 1 0 3
	seconds 0 3
	> [fact] CPU 1: softirq NET_RX began at T and did not end for S; 50 others ended,
	>> the slowest in S
	MACHINE
	why "no handler that is young" <<- 'MACHINE'
	healthy
	irq 1 0 9
	healthy
	MACHINE
	why "no handler that ended" <<- 'MACHINE'
	healthy
	irq 1 0 9
	irqend 1 0 9
	seconds 0 3
	MACHINE
	why "a CPU that is silent" <<- 'MACHINE'
	healthy
	switch 1 0 11 0
	irq 1 11 9
	irqend 1 11 9
	irq 1 11 9
	irqend 1 11 9
	irq 1 11 9
	irqend 1 11 9
	seconds 0 3
	> [fact] CPU 1 recorded nothing after T, for S, while tid 11 ran there; before,
	>> never for longer than S
	MACHINE
	why "a CPU that does not run a task that is ready" <<- 'MACHINE'
	healthy
	switch 1 0 11 0
	wake 0 0 13 1
	seconds 0 3
	> [fact] CPU 1 recorded nothing after T, for S, while task (11) ran there; before,
	>> never for longer than S
	MACHINE
	why "a CPU that does not answer a wake-up" <<- 'MACHINE'
	healthy
	switch 1 0 11 0
	waking 0 0 13 1
	seconds 0 3
	> [fact] CPU 1 recorded nothing after T, for S, while task (11) ran there; before,
	>> never for longer than S
	MACHINE
	why "two CPUs that get nowhere since the same moment" <<- 'MACHINE'
	healthy
	soft 0 0 3
	soft 1 0 3
	seconds 2 3
	> [fact] CPU 0: softirq NET_RX began at T and did not end for S;
	>> 50 others ended, the slowest in S
	> [fact] CPU 1: softirq NET_RX began at T and did not end for S;
	>> 50 others ended, the slowest in S;
	>> CPU 0 has got nowhere since about then, too: one may wait for the other
	MACHINE
	why "two CPUs that get nowhere since two moments" <<- 'MACHINE'
	healthy
	soft 0 0 3
	nap 2
	soft 1 0 3
	seconds 2 3
	> [fact] CPU 0: softirq NET_RX began at T and did not end for S;
	>> 50 others ended, the slowest in S
	> [fact] CPU 1: softirq NET_RX began at T and did not end for S;
	>> 50 others ended, the slowest in S
	MACHINE
	why "a CPU that ticked before" <<- 'MACHINE'
	healthy
	switch 1 0 11 0
	irq 1 11 9
	irqend 1 11 9
	irq 1 11 9
	irqend 1 11 9
	irq 1 11 9
	irqend 1 11 9
	switch 1 11 0 1
	switch 1 0 12 0
	seconds 0 3
	> [likely] CPU 1 recorded nothing after T, for S, while task (12) ran there; before,
	>> never for longer than S
	MACHINE
	why "no CPU whose timer does not tick" <<- 'MACHINE'
	healthy
	switch 1 0 11 0
	seconds 0 3
	MACHINE
	why "no CPU if all were silent" <<- 'MACHINE'
	healthy
	switch 1 0 11 0
	wake 0 0 13 1
	pause 0
	pause 0
	pause 0
	seconds 0 1
	MACHINE
	why "no CPU that is idle" <<- 'MACHINE'
	healthy
	seconds 0 3
	MACHINE
	why "no CPU that is offline" <<- 'MACHINE'
	healthy
	switch 1 0 11 0
	wake 0 0 13 1
	offline 1
	seconds 0 3
	MACHINE
	why "no CPU that was as silent before" <<- 'MACHINE'
	healthy
	switch 1 0 11 0
	wake 0 0 13 1
	nap 1
	nap 1
	nap 1
	nap 1
	switch 1 11 0 0
	switch 1 0 11 0
	wake 0 0 14 1
	seconds 0 3
	MACHINE
	why "a task that does not leave its CPU" <<- 'MACHINE'
	healthy
	switch 1 0 12 0
	wake 0 0 13 1
	migrate 0 0 10 0
	seconds 0 3
	irq 1 12 9
	irqend 1 12 9
	> [likely] task (12) has not left CPU 1 since T, for S;
	>> task (13) has been ready there since T
	MACHINE
	why "a task that leaves its CPU to the one only that stops CPUs" <<- 'MACHINE'
	healthy
	switch 1 0 12 0
	wake 0 0 13 1
	migrate 0 0 10 0
	seconds 0 3
	wake 1 12 20 1
	switch 1 12 20 0 0
	switch 1 20 12 1
	seconds 0 1
	irq 1 12 9
	irqend 1 12 9
	> [likely] task (12) has not left CPU 1 since T, for S, but for moments of tid 20;
	>> task (13) has been ready there since T
	MACHINE
	why "no task that left its CPU for longer" <<- 'MACHINE'
	healthy
	switch 1 0 12 0
	wake 0 0 13 1
	migrate 0 0 10 0
	seconds 0 3
	wake 1 12 20 1
	switch 1 12 20 0 0
	nap 1
	switch 1 20 12 1
	seconds 0 1
	irq 1 12 9
	irqend 1 12 9
	MACHINE
	why "no task that left its CPU to any other" <<- 'MACHINE'
	healthy
	switch 1 0 12 0
	wake 0 0 13 1
	migrate 0 0 10 0
	seconds 0 3
	wake 1 12 20 1
	switch 1 12 20 0
	switch 1 20 12 1
	seconds 0 1
	irq 1 12 9
	irqend 1 12 9
	MACHINE
	why "no task that slept meanwhile" <<- 'MACHINE'
	healthy
	switch 1 0 12 0
	wake 0 0 13 1
	migrate 0 0 10 0
	seconds 0 3
	wake 1 12 20 1
	switch 1 12 20 1 0
	wake 1 20 12 1
	switch 1 20 12 1
	seconds 0 1
	irq 1 12 9
	irqend 1 12 9
	MACHINE
	why "a task that does not leave its CPU, not who waits for that" <<- 'MACHINE'
	healthy
	seconds 0 2
	switch 1 0 14 0
	enter 1 14 1
	switch 1 14 0 2
	switch 1 0 12 0
	enter 1 12 0
	wake 0 0 13 1
	migrate 0 0 10 0
	seconds 0 7
	irq 1 12 9
	irqend 1 12 9
	> [likely] task (12) has not left CPU 1 since T, for S; it has been in read() since T;
	>> task (13) has been ready there since T
	MACHINE
	why "no task for one that came just now" <<- 'MACHINE'
	healthy
	switch 1 0 12 0
	wake 0 0 13 0
	seconds 0 3
	migrate 0 0 13 1
	irq 1 12 9
	irqend 1 12 9
	MACHINE
	why "no softirq whose thread was preempted" <<- 'MACHINE'
	healthy
	switch 1 0 15 0
	soft 1 15 3
	switch 1 15 66 100
	seconds 0 1
	irq 1 66 9
	irqend 1 66 9
	seconds 0 2
	switch 1 66 0 1
	MACHINE
	why "no interrupt whose end is lost, as the next softirq shows" <<- 'MACHINE'
	healthy
	soft 1 0 3
	seconds 0 3
	soft 1 0 3
	softdone 1 0 3
	MACHINE
	why "no task that nobody waits for" <<- 'MACHINE'
	healthy
	switch 1 0 12 0
	seconds 0 3
	irq 1 12 9
	irqend 1 12 9
	MACHINE
}

test_why_waits() {
	why "a deadlock" <<- 'MACHINE'
	healthy
	switch 1 0 12 0
	lock 1 12 500 13
	switch 1 12 13 2
	lock 1 13 600 12
	switch 1 13 0 2
	seconds 0 3
	> [fact] Deadlock: tid 12 has waited for mutex 0x500 since T, which tid 13 held then;
	>> tid 13 has waited for mutex 0x600 since T, which tid 12 held then
	MACHINE
	why "a task that locks a mutex twice" <<- 'MACHINE'
	healthy
	switch 1 0 12 0
	lock 1 12 500 12
	switch 1 12 0 2
	seconds 0 3
	> [fact] Deadlock: tid 12 has waited for mutex 0x500 since T, which it holds itself
	MACHINE
	# Tid 12 woke up since: it may have seen that the lock was free.
	why "a deadlock that is not sure" <<- 'MACHINE'
	healthy
	switch 1 0 12 0
	lock 1 12 500 13
	switch 1 12 13 2
	lock 1 13 600 12
	switch 1 13 0 2
	wake 0 0 12 1
	seconds 0 3
	> [likely] Deadlock: task (12) has waited for mutex 0x500 since T, which tid 13 held then;
	>> tid 13 has waited for mutex 0x600 since T, which task (12) held then
	MACHINE
	why "no deadlock if another task has got the lock" <<- 'MACHINE'
	healthy
	switch 1 0 14 0
	lock 1 14 500 13
	switch 1 14 12 2
	lock 1 12 500 13
	switch 1 12 14 2
	unlock 1 14 500
	switch 1 14 13 2
	lock 1 13 600 12
	switch 1 13 0 2
	seconds 0 3
	> [fact] tid 12 has waited for mutex 0x500 since T, which tid 13 held then;
	>> another task has got it since
	MACHINE
	why "a lock, and what its owner does" <<- 'MACHINE'
	healthy
	switch 1 0 13 0
	switch 1 13 12 1
	lock 1 12 500 13
	switch 1 12 0 2
	seconds 0 3
	> [fact] tid 12 has waited for mutex 0x500 since T, which tid 13 held then;
	>> tid 13 has been asleep since T
	MACHINE
	why "a lock, and the system call of its owner" <<- 'MACHINE'
	healthy
	switch 1 0 13 0
	enter 1 13 1
	switch 1 13 12 2
	lock 1 12 500 13
	switch 1 12 0 2
	seconds 0 3
	> [fact] tid 12 has waited for mutex 0x500 since T, which tid 13 held then;
	>> tid 13 has been in uninterruptible sleep since T; it has been in write() since T
	MACHINE
	why "a lock whose owner has asked the one that waits for it" <<- 'MACHINE'
	healthy
	switch 1 0 13 0
	waking 1 13 12 1
	switch 1 13 12 2
	lock 1 12 500 13
	switch 1 12 0 2
	seconds 0 3
	> [fact] tid 12 has waited for mutex 0x500 since T, which tid 13 held then;
	>> tid 13 has been in uninterruptible sleep since T; just before, it woke tid 12
	MACHINE
	why "a lock whose owner has exited" <<- 'MACHINE'
	healthy
	switch 1 0 12 0
	lock 1 12 500 13
	switch 1 12 13 2
	switch 1 13 0 10
	seconds 0 3
	> [fact] tid 12 has waited for mutex 0x500 since T, whose owner is noted as tid 13,
	>> which has exited
	MACHINE
	why "no wait for a semaphore" <<- 'MACHINE'
	healthy
	switch 1 0 12 0
	lock 1 12 500 0 0
	switch 1 12 0 2
	seconds 0 3
	MACHINE
	why "a task that a semaphore blocks" <<- 'MACHINE'
	healthy
	seconds 0 2
	switch 1 0 12 0
	enter 1 12 1
	lock 1 12 500 0 0
	switch 1 12 0 2
	seconds 0 7
	> [fact] tid 12 has been in uninterruptible sleep since T, for S, and was not woken;
	>> it has been in write() since T
	MACHINE
	why "a work item, and the task that it woke" <<- 'MACHINE'
	healthy
	switch 1 0 12 0
	work 1 12 b2 ffffffff81000000
	waking 1 12 13 1
	switch 1 12 13 2
	switch 1 13 0 1
	seconds 0 6
	> [fact] work item 0xffffffff81000000 of tid 12 began at T and did not end for S;
	>> 80 others ended, the slowest in S; it has been in uninterruptible sleep since T;
	>> just before, it woke tid 13, which has been asleep since T
	MACHINE
	why "a work item that waits" <<- 'MACHINE'
	healthy
	switch 1 0 12 0
	work 1 12 b2 ffffffff81000000
	switch 1 12 0 1
	seconds 0 11
	> [likely] work item 0xffffffff81000000 of tid 12 began at T and did not end for S;
	>> 130 others ended, the slowest in S; it has been asleep since T
	MACHINE
	why "no work item of a kind that always waits" <<- 'MACHINE'
	healthy
	switch 1 0 12 0
	work 1 12 b2 ffffffff81009999
	switch 1 12 0 1
	seconds 0 11
	MACHINE
	why "no work item that waits for some seconds" <<- 'MACHINE'
	healthy
	switch 1 0 12 0
	work 1 12 b2 ffffffff81000000
	switch 1 12 0 1
	seconds 0 8
	MACHINE
	why "no wait that a signal ends" <<- 'MACHINE'
	healthy
	switch 1 0 12 0
	lock 1 12 500 13
	switch 1 12 0 1
	seconds 0 3
	MACHINE
	why "no wait that ended" <<- 'MACHINE'
	healthy
	switch 1 0 12 0
	lock 1 12 500 13
	unlock 1 12 500
	switch 1 12 0 1
	seconds 0 3
	MACHINE
	why "no wait as long as others" <<- 'MACHINE'
	healthy
	lock 0 12 500 13
	pause 0
	unlock 0 12 500
	lock 0 12 500 13
	seconds 0 3
	MACHINE
	why "the wait of the owner, not the one for it" <<- 'MACHINE'
	healthy
	switch 1 0 12 0
	lock 1 12 500 0
	switch 1 12 13 2
	lock 1 13 600 12
	switch 1 13 0 2
	seconds 0 3
	> [fact] tid 12 has waited for mutex 0x500 since T; the trace does not name its holder
	MACHINE
	why "a request" <<- 'MACHINE'
	healthy
	issue 1 0 777
	issue 1 0 888
	seconds 0 7
	> [likely] a request to disk vda, a read, was issued at T and did not complete for S;
	>> 90 others ended, the slowest in S; 1 more request is so late
	MACHINE
	why "no request if two have one place" <<- 'MACHINE'
	healthy
	issue 1 0 777
	issue 1 0 777
	seconds 0 7
	MACHINE
	why "a work item" <<- 'MACHINE'
	healthy
	switch 1 0 12 0
	work 1 12 b2 ffffffff81000000
	switch 1 12 0 2
	seconds 0 6
	> [fact] work item 0xffffffff81000000 of tid 12 began at T and did not end for S;
	>> 80 others ended, the slowest in S; it has been in uninterruptible sleep since T
	MACHINE
	why "no work item that goes on" <<- 'MACHINE'
	healthy
	switch 1 0 12 0
	work 1 12 b2 ffffffff81000000
	switch 1 12 0 2
	seconds 0 4
	wake 1 0 12 1
	switch 1 0 12 0
	switch 1 12 0 2
	seconds 0 4
	MACHINE
	why "no work item of a kind that never ended, in its first seconds" <<- 'MACHINE'
	healthy
	work 0 12 b2 ffffffff81009999
	seconds 0 3
	MACHINE
	why "two tasks that are blocked, the longer one first" <<- 'MACHINE'
	healthy
	seconds 0 2
	switch 1 0 14 0
	enter 1 14 1
	switch 1 14 0 2
	switch 1 0 13 0
	switch 1 13 0 2
	switch 1 0 12 0
	switch 1 12 0 2
	seconds 0 7
	> [fact] tid 14 has been in uninterruptible sleep since T, for S, and was not woken;
	>> it has been in write() since T; tid 13 has slept like that since T
	MACHINE
	why "two tasks that are blocked, and the one that the second woke" <<- 'MACHINE'
	healthy
	seconds 0 2
	switch 1 0 14 0
	enter 1 14 1
	switch 1 14 0 2
	switch 1 0 13 0
	waking 1 13 15 1
	switch 1 13 15 2
	switch 1 15 0 1
	seconds 0 7
	> [fact] tid 14 has been in uninterruptible sleep since T, for S, and was not woken;
	>> it has been in write() since T; tid 13 has slept like that since T;
	>> just before, it woke tid 15, which has been asleep since T
	MACHINE
	why "a task that is blocked" <<- 'MACHINE'
	healthy
	seconds 0 2
	switch 1 0 12 0
	enter 1 12 1
	switch 1 12 0 2
	seconds 0 7
	> [fact] tid 12 has been in uninterruptible sleep since T, for S, and was not woken;
	>> it has been in write() since T
	MACHINE
	why "a task that is blocked, and the one that it woke" <<- 'MACHINE'
	healthy
	seconds 0 2
	switch 1 0 12 0
	enter 1 12 1
	waking 1 12 13 1
	switch 1 12 13 2
	switch 1 13 0 1
	seconds 0 7
	> [fact] tid 12 has been in uninterruptible sleep since T, for S, and was not woken;
	>> it has been in write() since T;
	>> just before, it woke tid 13, which has been asleep since T
	MACHINE
	why "two that are blocked, and one woke the other" <<- 'MACHINE'
	healthy
	seconds 0 2
	switch 1 0 12 0
	enter 1 12 1
	waking 1 12 13 1
	switch 1 12 13 2
	switch 1 13 0 2
	seconds 0 7
	> [fact] tid 12 has been in uninterruptible sleep since T, for S, and was not woken;
	>> it has been in write() since T;
	>> just before, it woke tid 13, which has been in uninterruptible sleep since T
	MACHINE
	why "a task that is blocked, not one that an interrupt woke" <<- 'MACHINE'
	healthy
	seconds 0 2
	switch 1 0 12 0
	enter 1 12 1
	waking 1 12 13 1 100
	switch 1 12 13 2
	switch 1 13 0 1
	seconds 0 7
	> [fact] tid 12 has been in uninterruptible sleep since T, for S, and was not woken;
	>> it has been in write() since T
	MACHINE
	why "a task that is blocked, not one that it woke long before" <<- 'MACHINE'
	healthy
	seconds 0 2
	switch 1 0 12 0
	enter 1 12 1
	waking 1 12 13 1
	nap 1
	switch 1 12 13 2
	switch 1 13 0 1
	seconds 0 7
	> [fact] tid 12 has been in uninterruptible sleep since T, for S, and was not woken;
	>> it has been in write() since T
	MACHINE
	why "a task that is blocked, not one that it woke before an earlier sleep" <<- 'MACHINE'
	healthy
	seconds 0 2
	switch 1 0 12 0
	enter 1 12 1
	waking 1 12 13 1
	switch 1 12 13 1
	waking 1 13 12 1
	switch 1 13 12 1
	switch 1 12 0 2
	seconds 0 7
	> [fact] tid 12 has been in uninterruptible sleep since T, for S, and was not woken;
	>> it has been in write() since T
	MACHINE
	why_options=(-a "13,0,kworker/1:2")
	why "a task that is blocked, not a worker without work" <<- 'MACHINE'
	healthy
	seconds 0 2
	switch 1 0 12 0
	enter 1 12 1
	waking 1 12 13 1
	switch 1 12 13 2
	switch 1 13 0 80
	seconds 0 7
	> [fact] tid 12 has been in uninterruptible sleep since T, for S, and was not woken;
	>> it has been in write() since T
	MACHINE
	why "a task that is blocked, and the worker that it gave work" <<- 'MACHINE'
	healthy
	seconds 0 2
	switch 1 0 12 0
	enter 1 12 1
	waking 1 12 13 1
	switch 1 12 13 2
	switch 1 13 0 2
	seconds 0 7
	> [fact] tid 12 has been in uninterruptible sleep since T, for S, and was not woken;
	>> it has been in write() since T; just before, it woke kworker/1:2 (13),
	>> which has been in uninterruptible sleep since T
	MACHINE
	why_options=()
	why "a task that is blocked while it exits" <<- 'MACHINE'
	healthy
	seconds 0 2
	switch 1 0 12 0
	enter 1 12 e7
	exit 1 12
	switch 1 12 0 2
	seconds 0 7
	> [likely] tid 12 has been in uninterruptible sleep since T, for S, and was not woken;
	>> it has been exiting since T
	MACHINE
	why "no task that only has the number of one that exited" <<- 'MACHINE'
	healthy
	seconds 0 2
	switch 1 0 12 0
	exit 1 12
	enter 1 12 1
	leave 1 12 1
	switch 1 12 0 2
	seconds 0 7
	MACHINE
	why "a task that is blocked, and woke itself" <<- 'MACHINE'
	healthy
	seconds 0 2
	switch 1 0 12 0
	enter 1 12 1
	waking 1 12 12 1
	switch 1 12 0 100
	switch 1 0 12 0
	switch 1 12 0 2
	seconds 0 7
	> [fact] tid 12 has been in uninterruptible sleep since T, for S, and was not woken;
	>> it has been in write() since T
	MACHINE
	why_options=(-a "13,0,rcu_preempt")
	why "a task that is blocked, not a thread that serves the whole kernel" <<- 'MACHINE'
	healthy
	seconds 0 2
	switch 1 0 12 0
	enter 1 12 1
	waking 1 12 13 1
	switch 1 12 13 2
	switch 1 13 0 1
	seconds 0 7
	> [fact] tid 12 has been in uninterruptible sleep since T, for S, and was not woken;
	>> it has been in write() since T
	MACHINE
	why_options=()
	why "no task that was being woken when it went to sleep" <<- 'MACHINE'
	healthy
	seconds 0 2
	switch 1 0 12 0
	enter 1 12 1
	waking 0 0 12 1
	switch 1 12 0 2
	seconds 0 7
	MACHINE
	why "no task that waits for a child" <<- 'MACHINE'
	healthy
	seconds 0 2
	switch 1 0 12 0
	enter 1 12 3a
	switch 1 12 0 2
	seconds 0 7
	MACHINE
	why "no task that was woken" <<- 'MACHINE'
	healthy
	seconds 0 2
	switch 1 0 12 0
	enter 1 12 1
	switch 1 12 0 2
	wake 0 0 12 1
	seconds 0 7
	MACHINE
}

# sleeps TIMES LAST: print so many sleeps of children of task 20 in read(), which the function of a
# timer ends, and the begin of another one; LAST: before: the timer runs before it, after: it runs
# then, goes on: and each second, never: it does not run
sleeps() {
	local i

	echo healthy
	echo "seconds 0 2"
	for ((i = 30; i < 30 + $1; i++)); do
		begins $i
		echo "switch 1 $i 0 1"
		timer $i waking
		printf '%s\n' "switch 1 0 $i 0" "leave 1 $i 0" "switch 1 $i 0 1"
	done
	begins "$i"
	[ "$2" != before ] || timer "$i"
	echo "switch 1 $i 0 1"
	case $2 in after|"goes on") timer "$i" ;; esac
	for _ in $(seq 9); do
		echo "seconds 0 1"
		[ "$2" != "goes on" ] || timer "$i"
	done
}

# begins TID: print that a new child of task 20 calls read()
begins() {
	printf '%s\n' "new 1 20 $1" "switch 1 0 $1 0" "enter 1 $1 0"
}

# timer TID [waking]: print a run of the timer, which wakes a task or does not
timer() {
	echo "timer 1 0 ffffffff82000040 $why_function"
	[ $# -eq 1 ] || printf '%s\n' "waking 1 0 $1 1 1" "wake 1 0 $1 1"
	echo "timerdone 1 0 ffffffff82000040"
}

# blocked TIMES LINE...: print so many sleeps of task 12, and a last one; these lines end each
blocked() {
	local times=$1 i

	shift
	printf '%s\n' healthy 'switch 1 0 12 0' 'switch 1 12 0 2'
	for ((i = 0; i < times; i++)); do
		printf '%s\n' "$@" 'switch 1 0 12 0' 'switch 1 12 0 2'
	done
	echo 'seconds 0 7'
}

test_why_wakers() {
	local why_function=ffffffffc0001000 why_sed='' JTRACE_ROOT=$tmp/why_root
	local why_options=(-i 1 -T ffffffff81000000
		-m "widget,-,ffffffffc0008000,ffffffffc0001000+3000")

	mkdir -p "$JTRACE_ROOT/proc/sys/kernel/random" "$JTRACE_ROOT/sys/kernel"
	export JTRACE_ROOT
	echo 01010101-0101-0101-0101-010101010101 > "$JTRACE_ROOT/proc/sys/kernel/random/boot_id"
	printf '%s\n' "ffffffff81000000 T _stext" "ffffffff81001000 T process_timeout" \
		"ffffffff81001800 t wq_barrier_func" \
		"ffffffff81002000 T _etext" "ffffffffc0001000 t measured	[widget]" \
		"ffffffffc0001100 t polled	[widget]" > "$JTRACE_ROOT/proc/kallsyms"
	echo "widget 12288 0 - Live 0xffffffffc0001000 (OE)" > "$JTRACE_ROOT/proc/modules"
	why "a timer that ran before a sleep" < <(sleeps 6 before; cat <<- 'FOUND'
	> [likely] tid 36 has been asleep since T, for S; it has been in read() since T;
	>> timer function measured [widget] ended the last 6 such sleeps,
	>> and ran last at T, S before this one
	FOUND
	)
	why "a timer that does not wake" < <(sleeps 6 after; cat <<- 'FOUND'
	> [likely] tid 36 has been asleep since T, for S; it has been in read() since T;
	>> timer function measured [widget] ended the last 6 such sleeps, and ran last at T,
	>> without ending this one
	FOUND
	)
	why "no timer that does not run" < <(sleeps 6 never)
	why "no timer that goes on" < <(sleeps 6 "goes on")
	why "no timer that ended few sleeps" < <(sleeps 4 after)
	why "no timer beside a sibling that waits" < <(sleeps 6 after | sed \
		-e '/^new 1 20 30$/i new 1 20 29\nswitch 1 0 29 0\nenter 1 29 0\nswitch 1 29 0 1' \
		-e '/^new 1 20 36$/,/^timerdone/d')
	why "no timer whose end is lost" < <(sleeps 6 after | awk '
		/^timerdone/ && !n++ { print "lost 1"; next }
		/^timer/ && n && n < 7 { n += /^timerdone/; next }
		{ print }')
	why "no timer over a time without recording" < <(sleeps 6 after |
		sed '/^new 1 20 36$/i stop 0\nstart 0')
	why "no timer if wake-ups do not begin" < <(sleeps 12 after |
		awk '!/^waking/ || n++ < 6')
	why "no timer where another one was" < <(sleeps 6 after | awk '
		/^timer / && ++n == 7 { sub(/1000$/, "1100") }
		{ print }')
	why "a task that is blocked, and the softirq that used to wake it" < <(blocked 5 \
		'soft 1 0 6' 'waking 1 0 12 1 1' 'softdone 1 0 6'; cat <<- 'FOUND'
	> [likely] tid 12 has been in uninterruptible sleep since T, for S, and was not woken;
	>> softirq TASKLET ended the last 5 such sleeps, but for timeouts, and ran last at T
	FOUND
	)
	why "the same, few times" < <(blocked 4 \
		'soft 1 0 6' 'waking 1 0 12 1 1' 'softdone 1 0 6'; cat <<- 'FOUND'
	> [likely] tid 12 has been in uninterruptible sleep since T, for S, and was not woken
	FOUND
	)
	why "the same, not the softirq of timers" < <(blocked 5 \
		'soft 1 0 1' 'waking 1 0 12 1 1' 'softdone 1 0 1'; cat <<- 'FOUND'
	> [likely] tid 12 has been in uninterruptible sleep since T, for S, and was not woken
	FOUND
	)
	why "the same, and the task that used to wake it" < <(blocked 5 \
		'switch 1 0 13 0' 'waking 1 13 12 1' 'switch 1 13 0 1'; cat <<- 'FOUND'
	> [likely] tid 12 has been in uninterruptible sleep since T, for S, and was not woken;
	>> tid 13 ended the last 5 such sleeps, but for timeouts, and has been asleep since T
	FOUND
	)
	why "the same, which has exited" < <(blocked 5 \
		'switch 1 0 13 0' 'waking 1 13 12 1' 'switch 1 13 0 1' |
		sed '/^seconds 0 7/i waking 1 0 13 1\nswitch 1 0 13 0\nswitch 1 13 0 10'
		cat <<- 'FOUND'
	> [likely] tid 12 has been in uninterruptible sleep since T, for S, and was not woken;
	>> tid 13 ended the last 5 such sleeps, but for timeouts, and has exited
	FOUND
	)
	why "the same, not a new task with its number" < <(blocked 5 \
		'switch 1 0 13 0' 'waking 1 13 12 1' 'switch 1 13 0 1' |
		sed '/^seconds 0 7/i new 1 20 13'; cat <<- 'FOUND'
	> [likely] tid 12 has been in uninterruptible sleep since T, for S, and was not woken
	FOUND
	)
	why "the same, not two tasks in turn" < <(blocked 6 \
		'switch 1 0 13 0' 'waking 1 13 12 1' 'switch 1 13 0 1' |
		awk '/^switch 1 0 13/ { n++ } n % 2 { gsub(/ 13 /, " 14 ") } { print }'; cat <<- 'FOUND'
	> [likely] tid 12 has been in uninterruptible sleep since T, for S, and was not woken
	FOUND
	)
	why "the same, not the task that ended interruptible sleeps" < <(blocked 5 \
		'switch 1 0 13 0' 'waking 1 13 12 1' 'switch 1 13 0 1' | awk '
		/^switch 1 12 0 2/ { sub(/2$/, n++ < 5 ? 1 : 2) }
		{ print }
		/^switch 1 0 12 0/ && !called++ { print "enter 1 12 0" }'; cat <<- 'FOUND'
	> [fact] tid 12 has been in uninterruptible sleep since T, for S, and was not woken;
	>> it has been in read() since T
	FOUND
	)
	why "the same, and its work item" < <(blocked 5 "work 1 13 b1 $why_function" \
		'waking 1 13 12 1' "workdone 1 13 b1 $why_function"; cat <<- 'FOUND'
	> [likely] tid 12 has been in uninterruptible sleep since T, for S, and was not woken;
	>> work item measured [widget] ended the last 5 such sleeps, but for timeouts,
	>> and ran last at T
	FOUND
	)
	why "the same, beside timers that it set itself" < <(blocked 5 \
		"timer 1 0 ffffffff82000080 ffffffff81001000" 'waking 1 0 12 1 1' \
		'timerdone 1 0 ffffffff82000080' 'switch 1 0 12 0' 'switch 1 12 0 2' \
		'switch 1 0 13 0' 'waking 1 13 12 1' 'switch 1 13 0 1'; cat <<- 'FOUND'
	> [likely] tid 12 has been in uninterruptible sleep since T, for S, and was not woken;
	>> tid 13 ended the last 5 such sleeps, but for timeouts, and has been asleep since T
	FOUND
	)
	why_function=ffffffff81001800
	why "the same, not the work item by which others wait" < <(blocked 5 "work 1 13 b1 $why_function" \
		'waking 1 13 12 1' "workdone 1 13 b1 $why_function"; cat <<- 'FOUND'
	> [likely] tid 12 has been in uninterruptible sleep since T, for S, and was not woken
	FOUND
	)
	why_function=ffffffff81001000
	why "no timer of anybody" < <(sleeps 6 after)
	why_function=ffffffff81003000
	why "no timer without a name" < <(sleeps 6 after)
}

test_why_gates() {
	why "nothing over missing events" <<- 'MACHINE'
	healthy
	irq 1 0 9
	lost 0
	seconds 0 3
	MACHINE
	why "nothing over a switch of events" <<- 'MACHINE'
	healthy
	irq 1 0 9
	switched 0 1 0
	seconds 0 3
	MACHINE
	why "nothing over a time without recording" <<- 'MACHINE'
	healthy
	irq 1 0 9
	stop 0
	start 0
	seconds 0 3
	MACHINE
	why "nothing from an event with other fields" <<- 'MACHINE'
	healthy
	as sched_switch (a:s32)
	as contention_begin (flags:x32)
	as irq_handler_entry (irq:string)
	seconds 0 3
	MACHINE
	why "nothing over a suspend" <<- 'MACHINE'
	healthy
	irq 1 0 9
	resume 0
	seconds 0 3
	MACHINE
	why "nothing from before a contradiction" <<- 'MACHINE'
	healthy
	irq 1 0 9
	switch 0 77 10 0
	switch 0 10 0 1
	seconds 0 3
	MACHINE
	why "nothing of a CPU that filled its chunk, after claims were refused" <<- 'MACHINE'
	healthy
	irq 1 0 9
	full 1
	thawed 0
	seconds 0 3
	MACHINE
	why "what was open when claims were refused, if it was in no full chunk" <<- 'MACHINE'
	healthy
	irq 1 0 9
	thawed 0
	seconds 0 3
	> [fact] CPU 1: interrupt 9 (id0) began at T and did not end for S; 50 others ended,
	>> the slowest in S
	MACHINE
	why "a chunk that is full means nothing else" <<- 'MACHINE'
	healthy
	irq 1 0 9
	full 1
	seconds 0 3
	> [fact] CPU 1: interrupt 9 (id0) began at T and did not end for S; 50 others ended,
	>> the slowest in S
	MACHINE
	echo '1 <1>[    5.000400] BUG: kernel NULL pointer dereference, address: 0' > "$tmp/why.log"
	why_options=(-L 65536 -g "$tmp/why.log")
	why "nothing from before a fault is over" <<- 'MACHINE'
	healthy
	seconds 0 2
	irq 1 0 9
	seconds 0 4
	MACHINE
	why "what began behind a fault" <<- 'MACHINE'
	healthy
	seconds 0 4
	irq 1 0 9
	seconds 0 3
	> [fact] CPU 1: interrupt 9 (id0) began at T and did not end for S; 90 others ended,
	>> the slowest in S
	MACHINE
	why_options=()
	why_sed='/ irq_handler_exit /d'
	why "nothing without events that tell the end" <<- 'MACHINE'
	healthy
	irq 1 0 9
	seconds 0 3
	MACHINE
	why_sed='/ irq_handler_exit /s/ 3:0:/ 3:40000077:/'
	why "nothing if clauses may pass over the end" <<- 'MACHINE'
	healthy
	irq 1 0 9
	seconds 0 3
	MACHINE
	told "it says so" 'Not judged: irq: clauses pass over hits.'
	why_sed=''
	why "nothing from after a stop" <<- 'MACHINE'
	healthy
	irq 1 0 9
	stop 0
	seconds 0 3
	MACHINE
	why "what was open at a stop" <<- 'MACHINE'
	healthy
	irq 1 0 9
	seconds 0 3
	stop 0
	> [fact] CPU 1: interrupt 9 (id0) began at T and did not end for S; 50 others ended,
	>> the slowest in S
	MACHINE
	told "it says when" '(recording was stopped); complete from '
	why_args=(-U 5.2)
	why "as of a moment" <<- 'MACHINE'
	healthy
	irq 1 0 9
	seconds 0 3
	MACHINE
	why_args=(-U 7.5)
	why "as of a later moment" <<- 'MACHINE'
	healthy
	irq 1 0 9
	seconds 0 3
	> [fact] CPU 1: interrupt 9 (id0) began at T and did not end for S; 44 others ended,
	>> the slowest in S
	MACHINE
	why_args=()
	head -c -4096 "$tmp/file" > "$tmp/damaged"
	run 3 why "$tmp/damaged"
	if grep -q '^I do not know what was unfinished\.$' "$tmp/out" &&
		grep -q '^Not judged: what was unfinished: the image is damaged\.$' "$tmp/out"; then
		ok "why: nothing of a damaged image"
	else
		not_ok "why: nothing of a damaged image" "$tmp/out"
	fi
}

test_why_output() {
	why "nothing is unfinished" <<- 'MACHINE'
	healthy
	seconds 0 3
	MACHINE
	told "it says so, too" 'Nothing that is recorded was unfinished for unusually long.'
	why "three findings, those that tell most first" <<- 'MACHINE'
	healthy
	issue 0 0 777
	lock 0 12 500 0
	lock 0 13 600 0
	irq 1 0 9
	seconds 0 8
	> [fact] CPU 1: interrupt 9 (id0) began at T and did not end for S; 100 others ended,
	>> the slowest in S
	> [likely] a request to disk vda, a read, was issued at T and did not complete for S;
	>> 100 others ended, the slowest in S
	> [fact] tid 12 has waited for mutex 0x500 since T; the trace does not name its holder
	MACHINE
	told "it counts the others" '1 more of less weight is left out.'
	run 0 why --json "$tmp/file"
	if [ "$(grep -c '^{"type":"why",.*"findings":3,"more":1,' "$tmp/out")" -eq 1 ] &&
		[ "$(sed -n 's/^{"type":"finding","what":"\([a-z]*\)","certainty":"[a-z]*".*/\1/p' \
			"$tmp/out" | xargs)" = "handler block lock" ] &&
		python3 -c 'import json, sys; [json.loads(line) for line in sys.stdin]' \
			< "$tmp/out"; then
		ok "why: in JSON"
	else
		not_ok "why: in JSON" "$tmp/out"
	fi
	says "why: not with -d" 2 "why: cannot be combined with -d" why -d "$tmp/file"
	says "why: not with a part of the trace" 2 "why: cannot be combined with --last" \
		why -n 5 "$tmp/file"
}
