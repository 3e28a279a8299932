#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# stop - code stops the recording, until enabled is written; markers of a script
#
# The kernel's own alarms: oops.sh, and the scenario stop-hung-task of tests/qemu/persist.
#
# short: yes

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

have jtrace_stopper || skip_all "no jtrace_stopper.ko"

# tags PATTERN: count entries with that tag
tags() {
	trace | grep -c "($1"
}

# ---- jtrace_stop() ----

for irq in n y; do
	start
	expect "irq=$irq: not stopped" "$(config Stopped)" "?"
	# More events than the open chunks of all CPUs hold.
	load jtrace_stopper irq=$irq before=5 after=1000
	expect "irq=$irq: events before" "$(tags 'stopper: before')" 5
	expect "irq=$irq: one event tells the first stop" "$(tags 'jtrace: stopped')" 1
	check "irq=$irq: and why" sh -c "grep -q '(jtrace: stopped: by a test)' $JT/trace"
	expect "irq=$irq: config says why" "$(config Stopped)" "by a test"
	check "irq=$irq: the open chunk fills up, no more" [ "$(tags 'stopper: after')" -lt 64 ]
	expect "irq=$irq: the others are skipped" \
		$(($(tags 'stopper: after') + $(stat skipped))) 1000
	cat "$JT/trace" >/dev/null
	load jtrace_client id=1
	unload jtrace_client
	expect "irq=$irq: nothing more is recorded" "$(tags 'client:')" 0
	echo 1 >"$JT/enabled"
	expect "irq=$irq: no longer stopped" "$(config Stopped)" "?"
	load jtrace_client id=1
	expect "irq=$irq: recording goes on" "$(tags 'client:')" 1
	expect "irq=$irq: the start tells of those, no other event" "$(tags 'jtrace: thawed')" 0
	unload jtrace_client
	unload jtrace_stopper
	load jtrace_stopper irq=$irq before=0 after=0 why="$(printf '%0100d' 0)"
	expect "irq=$irq: a long reason is cut" "$(config Stopped)" "$(printf '%063d' 0)"
	expect "irq=$irq: in the trace, too" "$(tags "jtrace: stopped: 0\{63\})")" 1
	echo 0 >"$JT/enabled"
	expect "irq=$irq: 0 undoes it, too" "$(config Stopped)" "?"
	expect "irq=$irq: off" "$(cat "$JT/enabled")" 0
	unload jtrace_stopper
	load jtrace_stopper irq=$irq
	echo 1 >"$JT/enabled"
	expect "irq=$irq: a stop while it was off is no event" "$(tags 'jtrace: stopped')" 2
done

start
load jtrace_stopper
unload jtrace_stopper
start
expect "stopped no longer after a reload" "$(config Stopped)" "?"
load jtrace_client id=2
expect "and events are recorded" "$(tags 'client: hello')" 1

# ---- marker ----

start
echo "step 1: the disk" >"$JT/marker"
load jtrace_client id=3
printf 'step 2\nstep 3\n' >"$JT/marker"
expect "markers, in order" \
	"$(trace | sed -n 's/.* : marker:.*(\(step.*\))$/\1/p' | tr '\n' ',')" \
	"step 1: the disk,step 2,step 3,"
check "among the events" sh -c "sed -n 2,3p $JT/trace | grep -q 'client: hello'"
echo "step 2" >"$JT/marker"
expect "again" "$(tags 'step 2)')" 2
printf 'no newline' >"$JT/marker"
expect "without a newline" "$(tags 'no newline)')" 1
longest=$(printf '%0128d' 1)
echo "$longest" >"$JT/marker"
expect "the longest line" "$(tags "$longest)")" 1
printf '\033[31m\377\n' >"$JT/marker"
expect "any bytes, escaped" "$(tags '\\x1b\[31m\\xff)')" 1
for text in '\n' '' "0$longest\n" '\0nul\n' 'jtrace: stop (\n'; do
	before=$(stat recorded)
	if [ -n "$text" ]; then
		check "a bad line is refused" sh -c "! printf '$text' >$JT/marker"
	fi
	expect "and records nothing" "$(stat recorded)" "$before"
done
sites=$(stat sites)
for i in $(seq 58); do
	echo "many $i" >"$JT/marker" || break
done
expect "64 distinct lines" $(($(stat sites) - sites)) 58
log_mark
for text in "one more" "and more"; do
	refuse "not another one" 'No space left|error 28' sh -c "echo '$text' >$JT/marker"
done
expect "one line says so" "$(log_since | grep -c 'jtrace: marker: 64 distinct lines.*: reload jtrace')" 1
check "a known one is taken" sh -c "echo 'many 7' >$JT/marker"
expect "and recorded" "$(tags 'many 7)')" 2
echo 0 >"$JT/enabled"
check "while off, it is taken" sh -c "echo 'many 8' >$JT/marker"
expect "and not recorded" "$(tags 'many 8)')" 1

finish
