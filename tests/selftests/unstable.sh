#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# unstable - the kernel marks the counter unstable after jtrace was loaded: config warns, and
# times stay right while the counter runs evenly; the trace reports a jump
#
# needs: tsc
# short: yes

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

have jtrace_tsc || skip_all "no jtrace_tsc: no processor of that kind"
TICKS=${TOLERANCE_TICKS:-1000}
TSC=/sys/module/jtrace_tsc/parameters
WARNS='the kernel does not trust the counter'
JUMPED='^JTRACE: The clock jumped, by up to '

# in_brackets COMMAND...: check that times are right after it, once in three tries, because
# stamps are coarse while the host takes the CPU away
in_brackets() {
	for _ in 1 2 3; do
		"$@"
		! verify -H 100 -b "$TICKS" || return 0
		clear_trace
	done
	return 1
}

more_events() {
	wait_for grown recorded $(($(stat recorded) + 150))
}

says_jumped() {
	trace | grep -E "${JUMPED}[45]\\.[0-9]{3} s: times and the order of entries may be wrong\$"
}

load jtrace_tsc
start
check "auto: the kernel trusts the counter" grep -qE '^Clock  *: ticks,' "$JT/config"
lacks "config does not warn" "$WARNS" "$JT/config"
echo "0x$(sed -n 's/ . jtrace_clock\t.*//p' /proc/kallsyms)" >$TSC/clock
load jtrace_hammer seconds=0
check "trusted: times are in their brackets" in_brackets more_events

echo 1 >$TSC/unstable
check "the kernel takes another clock source" wait_for \
	grep -vqw tsc /sys/devices/system/clocksource/clocksource0/current_clocksource
check "config warns" grep -q "^Warning  *: $WARNS" "$JT/config"
check "unstable: times are in their brackets" in_brackets more_events
lacks "the trace says nothing of a jump" "$JUMPED" "$JT/trace"

unload jtrace_hammer
for jump in 5000 -5000; do
	hammer count=60 contexts=1
	echo $jump >$TSC/jump
	hammer count=60 contexts=1
	check "jump of $jump ms: the trace says so" says_jumped
	check "jump of $jump ms: nothing is said when it is overwritten, and times are right" \
		in_brackets hammer count=3000 contexts=1
done
unload jtrace_hammer

start
expect "loaded again: the clock is another one" "$(config Clock)" fast
lacks "loaded again: config does not warn" "$WARNS" "$JT/config"

unload_all
unload jtrace_tsc
finish
