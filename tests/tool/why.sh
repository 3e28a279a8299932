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
	if "$tmp/mkimage" -c 64 -p 4 -e "$tmp/why.in" > "$tmp/file" &&
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
	local why_sed='' why_args=()

	test_why_cpus
	test_why_waits
	test_why_gates
	test_why_output
}

test_why_cpus() {
	why "a handler" <<- 'MACHINE'
	healthy
	irq 1 0 9
	seconds 0 3
	> [fact] CPU 1: interrupt 9 (id0) began at T and did not end for S; 26 others ended,
	>> the slowest in S
	MACHINE
	why "the innermost handler" <<- 'MACHINE'
	healthy
	irq 1 0 9
	soft 1 0 3
	seconds 0 3
	> [fact] CPU 1: softirq NET_RX began at T and did not end for S; 26 others ended,
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
	seconds 0 3
	> [fact] CPU 1 recorded nothing after T, for S, while task (11) ran there; before,
	>> it never did so for longer than S
	MACHINE
	why "no CPU that is idle" <<- 'MACHINE'
	healthy
	seconds 0 3
	MACHINE
	why "no CPU that is offline" <<- 'MACHINE'
	healthy
	switch 1 0 11 0
	offline 1
	seconds 0 3
	MACHINE
	why "no CPU that was as silent before" <<- 'MACHINE'
	healthy
	switch 1 0 11 0
	pause 1
	switch 1 11 0 0
	switch 1 0 11 0
	seconds 0 3
	MACHINE
	why "a task that does not leave its CPU" <<- 'MACHINE'
	healthy
	switch 1 0 12 0
	wake 0 0 13 1
	seconds 0 3
	irq 1 12 9
	irqend 1 12 9
	> [fact] task (12) runs on CPU 1 since T without a break, for S;
	>> task (13) is ready there since T
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
	> [fact] Deadlock: tid 12 waits for mutex 0x500 since T, which tid 13 held then;
	>> tid 13 waits for mutex 0x600 since T, which tid 12 held then
	MACHINE
	why "a lock, and what its owner does" <<- 'MACHINE'
	healthy
	switch 1 0 13 0
	switch 1 13 12 1
	lock 1 12 500 13
	switch 1 12 0 2
	seconds 0 3
	> [fact] tid 12 waits for mutex 0x500 since T, which tid 13 held then, and is asleep since T
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
	> [fact] tid 12 waits for mutex 0x500 since T; who held it is not recorded
	MACHINE
	why "a request" <<- 'MACHINE'
	healthy
	issue 1 0 777
	issue 1 0 888
	seconds 0 3
	> [fact] a request to disk vda, a read, was issued at T and did not complete for S;
	>> 26 others ended, the slowest in S; 1 like it wait, too
	MACHINE
	why "no request if two have one place" <<- 'MACHINE'
	healthy
	issue 1 0 777
	issue 1 0 777
	seconds 0 3
	MACHINE
	why "a work item" <<- 'MACHINE'
	healthy
	switch 1 0 12 0
	work 1 12 b2 ffffffff81000000
	switch 1 12 0 2
	seconds 0 3
	> [fact] work item 0xffffffff81000000 of tid 12 began at T and did not end for S;
	>> 26 others ended, the slowest in S; it is in uninterruptible sleep since T
	MACHINE
	why "no work item of a kind that never ended, in its first seconds" <<- 'MACHINE'
	healthy
	work 0 12 b2 ffffffff81009999
	seconds 0 3
	MACHINE
	why "a task that is blocked" <<- 'MACHINE'
	healthy
	seconds 0 2
	switch 1 0 12 0
	enter 1 12 1
	switch 1 12 0 2
	seconds 0 7
	> [fact] tid 12 is in uninterruptible sleep since T, for S, and was not woken;
	>> it is in write() since T
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
	> [fact] CPU 1: interrupt 9 (id0) began at T and did not end for S; 26 others ended,
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
	> [fact] CPU 1: interrupt 9 (id0) began at T and did not end for S; 24 others ended,
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
	work 0 12 b2 ffffffff81000000
	work 0 13 b3 ffffffff81000000
	irq 1 0 9
	seconds 0 3
	> [fact] CPU 1: interrupt 9 (id0) began at T and did not end for S; 26 others ended,
	>> the slowest in S
	> [fact] a request to disk vda, a read, was issued at T and did not complete for S;
	>> 26 others ended, the slowest in S
	> [fact] work item 0xffffffff81000000 of tid 12 began at T and did not end for S;
	>> 26 others ended, the slowest in S
	MACHINE
	told "it counts the others" '1 more of less weight is left out.'
	run 0 why --json "$tmp/file"
	if [ "$(grep -c '^{"type":"why",.*"findings":3,"more":1,' "$tmp/out")" -eq 1 ] &&
		[ "$(sed -n 's/^{"type":"finding","what":"\([a-z]*\)","certainty":"fact".*/\1/p' \
			"$tmp/out" | xargs)" = "handler block work" ] &&
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
