#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# clear - discards all entries recorded so far; counters stay exact

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

start last_entry_storage=-1
clear_trace
expect "clearing nothing" "$(trace)" "JTRACE: no entries"
expect "clearing nothing counts nothing" "$(stat recorded) $(stat cleared)" "0 0"

load jtrace_client id=1
clear_trace
expect "one event cleared" "$(trace)" "JTRACE: no entries"
expect "and counted" "$(stat recorded) $(stat cleared)" "1 1"
clear_trace
expect "clearing again counts nothing" "$(stat recorded) $(stat cleared)" "1 1"
unload jtrace_client
expect "what comes later is shown" "$(shown)" 1
lacks "alone" hello "$JT/trace"
check "and right" verify -c -1 -a -e 1
sums 2 "one cleared, one not"

hammer count=3000
events=$(param jtrace_hammer events)
check "after many laps" verify -H 1
sums $((events + 2)) "after many laps"
clear_trace
expect "all cleared after many laps" "$(trace)" "JTRACE: no entries"
sums $((events + 2)) "all cleared after many laps"

hammering 100 burst=8
for _ in $(seq 50); do
	clear_trace
done
expect "cleared under load: no event is skipped" "$(stat skipped)" 0
bad=0
for _ in $(seq 50); do
	clear_trace
	verify >"$TMP/out" 2>&1 || { bad=$((bad + 1)); cp "$TMP/out" "$TMP/bad"; }
done
hammer_stop
[ $bad -eq 0 ] || sed 's/^/#   /' "$TMP/bad"
expect "cleared under load: the trace is right all the while" $bad 0
events=$((events + $(param jtrace_hammer events)))
sums $((events + 2)) "cleared under load"

# One shell, which starts no process and stays on CPU 0: otherwise a flush of the other CPU's TLB
# would wait for that CPU.
# shellcheck disable=SC2016 # expanded there
silence() {
	taskset 1 sh -c 'cpu=/sys/module/jtrace_silent/parameters/cpu
		echo 1 >$cpu; echo 1 >$1/clear; status=$?; echo -1 >$cpu; exit $status' sh "$JT"
}

silent() {
	start last_entry_storage=-1
	load jtrace_silent
	taskset 1 insmod "$(ko jtrace_client)" id=1
	taskset 2 rmmod jtrace_client
	refuse "a CPU is silent" '[Rr]esource busy' silence
	expect "a CPU was silent: all events are shown" "$(shown) $(stat cleared)" "2 0"
	taskset 2 insmod "$(ko jtrace_client)" id=2
	expect "a CPU was silent: it goes on" "$(shown) $(stat cleared)" "3 0"
	check "a CPU was silent: the trace is right" verify -c -1 -a -e 3
	clear_trace
	expect "a CPU was silent: cleared" "$(shown) $(stat cleared)" "0 3"
	sums 3 "a CPU was silent"
}

if [ "$CPUS" -gt 1 ]; then
	silent
else
	skip "a CPU is silent: there is no other"
fi

finish
