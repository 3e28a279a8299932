# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # set by run
#
# why_stacks.sh - tests of "jtrace why" on events that have stacks; sourced by run

# Two tasks that wait for each other, and a handler that does not end.
make_stuck() {
	cat <<- MACHINE
	healthy
	switch 1 0 12 0
	stack 1 ffffffff81001012 ffffffff81001180 $(printf 'ffffffff8100120%x ' $(seq 10)) ...
	lock 1 12 500 13
	switch 1 12 13 2
	stack 1 ffffffff81001012 $(printf 'ffffffff8100121%x ' $(seq 8)) ?
	lock 1 13 600 12
	switch 1 13 0 2
	stack 1 $(printf 'ffffffff8100122%x ' $(seq 8))
	irq 1 0 9
	seconds 0 3
	MACHINE
}

# Make $tmp/file of that machine, and $tmp/plain, which has no stacks.
make_stuck_images() {
	local options=(-c 500 -p 4 -i 1 -T ffffffff81000000 -K 4096)

	make_stuck | awk -f "$here/machine.awk" > "$tmp/why.in"
	"$tmp/mkimage" "${options[@]}" -e "$tmp/why.in" > "$tmp/file"
	grep -v ' stack ' "$tmp/why.in" > "$tmp/plain.in"
	"$tmp/mkimage" "${options[@]}" -e "$tmp/plain.in" > "$tmp/plain"
}

# shows_stacks NAME IMAGE: pass if the evidence has the frames in $tmp/want below it
shows_stacks() {
	run 0 why "$2"
	sed -n -e 's/^     [0-9.]* cpu 1 tid \([0-9]*\) .*/\1/p' \
		-e 's/^     [0-9.]* cpu 1 the idle task .*/idle/p' -e '/^      /p' "$tmp/out" > "$tmp/got"
	if diff "$tmp/want" "$tmp/got" > "$tmp/diff"; then
		ok "why: $1"
	else
		not_ok "why: $1: exit status $status" "$tmp/diff" "$tmp/err"
	fi
}

# Print what the evidence in the JSON of "why" has, and what the same events have in that of -d.
compare_stacks() {
	python3 - "$1" "$2" <<- 'PYTHON'
	import json, sys
	read = lambda name: [json.loads(line) for line in open(name)]
	stack = lambda o: {k: o[k] for k in ('stack', 'stack_end') if k in o}
	events = {(o['time_ns'], o['cpu']): stack(o)
	          for o in read(sys.argv[2]) if o['type'] == 'event'}
	shown = [e for o in read(sys.argv[1]) if o['type'] == 'finding' for e in o['evidence']]
	for e in shown:
	    print(stack(e) == events[e['time_ns'], e['cpu']], len(e.get('stack') or []),
	          e.get('stack_end'), 'stack' in e and e['stack'] is None)
	PYTHON
}

test_why_stacks() {
	local pad='                 ' at

	make_stack_system
	export JTRACE_ROOT=$root
	make_stuck_images
	{
		echo 12
		printf '%s\n' low+0x12/0x100 dies+0x80/0x80 high+0x{1,2,3,4,5,6}/0xe00 \
			"(4 more frames)" ... | sed "s/^/$pad/"
		echo 13
		printf '%s\n' low+0x12/0x100 high+0x1{1,2,3,4,5,6,7}/0xe00 "(1 more frame)" \
			"(the rest of the stack could not be read)" | sed "s/^/$pad/"
		echo idle
		printf '%s\n' high+0x2{1,2,3,4,5,6,7,8}/0xe00 | sed "s/^/$pad/"
	} > "$tmp/want"
	shows_stacks "who called, below each event" "$tmp/file"
	grep -v "^$pad" "$tmp/out" > "$tmp/rest"
	shows "why: without stacks, the rest is the same" "$tmp/rest" why "$tmp/plain"

	run 0 why --json "$tmp/file"
	cp "$tmp/out" "$tmp/why.json"
	run 0 -d --json "$tmp/file"
	compare_stacks "$tmp/why.json" "$tmp/out" > "$tmp/got"
	if printf '%s\n' "True 12 cut False" "True 9 broken False" "True 8 None False" |
		diff - "$tmp/got" > "$tmp/diff"; then
		ok "why: JSON has the stacks of the events, whole"
	else
		not_ok "why: JSON has the stacks of the events, whole" "$tmp/diff" "$tmp/why.json"
	fi
	run 0 why --json "$tmp/plain"
	if grep -q evidence "$tmp/out" && ! grep -q stack "$tmp/out"; then
		ok "why: JSON, without stacks"
	else
		not_ok "why: JSON, without stacks" "$tmp/out"
	fi

	# The first record: that of the first lock.
	at=$(grep -abo JTSK "$tmp/file" | head -n 1)
	zeroed "$tmp/file" "${at%%:*}" 8 > "$tmp/lost"
	{
		echo 12
		echo "$pad(its stack is lost)"
		sed '1,/^13/{/^13/!d}' "$tmp/want"
	} > "$tmp/want.lost"
	mv "$tmp/want.lost" "$tmp/want"
	shows_stacks "a stack that is lost" "$tmp/lost"
	run 0 why --json "$tmp/lost"
	cp "$tmp/out" "$tmp/why.json"
	run 0 -d --json "$tmp/lost"
	compare_stacks "$tmp/why.json" "$tmp/out" > "$tmp/got"
	if [ "$(head -n 1 "$tmp/got")" = "True 0 None True" ]; then
		ok "why: a stack that is lost, in JSON"
	else
		not_ok "why: a stack that is lost, in JSON" "$tmp/got" "$tmp/why.json"
	fi

	# Crashes are one whether their events have stacks or not.
	run 4 --cause "$tmp/plain"
	cp "$tmp/out" "$tmp/rest"
	run 4 --cause "$tmp/file"
	if grep -q 'Deadlock: ' "$tmp/out" && cmp -s "$tmp/rest" "$tmp/out"; then
		ok "why: the signature is the same without stacks"
	else
		not_ok "why: the signature is the same without stacks" "$tmp/rest" "$tmp/out"
	fi
	unset JTRACE_ROOT
}
