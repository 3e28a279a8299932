#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# enabled - recording can be turned off and on, at load time and later
#
# short: yes

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

start enabled=off
expect "off at load" "$(cat "$JT/enabled")" 0
load jtrace_client
expect "off: nothing is recorded" "$(trace)" "JTRACE: no entries"
expect "off: nothing is counted" "$(stat recorded) $(lost) $(stat sites)" "0 0 0"
recording 1
expect "turned on" "$(cat "$JT/enabled")" 1
unload jtrace_client
expect "on: an event is recorded, after that of the start" "$(shown)" 2
recording 0
before=$(cat "$JT/stats")
load jtrace_client
hammer count=1000
expect "off again: nothing is recorded or counted" "$(cat "$JT/stats")" "$before"
at_least "off again: though events passed by" "$(param jtrace_hammer events)" 1000
expect "off: what there is can be read" "$(shown)" 3
for _ in 1 2 3; do
	recording 1
	recording 1
	recording 0
	recording 0
done
unload jtrace_client
expect "off and on many times: an event each time" "$(cat "$JT/enabled") $(shown)" "0 9"
recording 1
load jtrace_client
expect "and on: an event is recorded" "$(shown)" 11
# Each has the number of events before it, in e.
counters() {
	trace | sed -n 's/^.* 0*\([0-9a-f]\) 0\{16\} : .*(jtrace: \(st[a-z]*\) (.*/\2 \1/p' |
		tr '\n' ' '
}
expect "the events of start and stop have the counters" "$(counters)" \
	"start 0 stop 2 start 3 stop 4 start 5 stop 6 start 7 stop 8 start 9 "

# While events are recorded. With one thread for each CPU, QEMU 7.2 may go on running an
# instruction that another CPU patched (a CPU then stays at that jump label: 3 of 8
# runs, 0 of 8 with thread=single). In QEMU, only the CPU that patches records.
unload jtrace_hammer
cpus=0xffffffffffffffff
if grep -q QEMU /proc/cpuinfo; then
	cpus=1
	taskset -p 1 $$ >/dev/null
	diag "emulated: flipped under load on CPU 0 only"
fi
own=$(($(stat recorded) + 200))
hammering 100 cpus=$cpus
for _ in $(seq 100); do
	recording 0
	recording 1
done
hammer_stop
check "turned off and on under load: the trace is right" verify -H 1
sum=$(($(stat recorded) + $(lost)))
at_least "turned off and on under load: not more than there were" \
	$(($(param jtrace_hammer events) + own)) $sum
expect "recorded = shown + overwritten + cleared" \
	$(($(shown) + $(stat overwritten) + $(stat cleared))) "$(stat recorded)"

start enabled=on
expect "on at load" "$(cat "$JT/enabled")" 1
start
expect "on is the default of the module" "$(cat "$JT/enabled")" 1

finish
