#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# oops - an oops that does not panic is dumped once, or not at all, and recording goes on
#
# needs: oops
# log: oops
# short: yes
#
# Oopses on purpose: for a machine that can be thrown away, booted without
# oops=panic. Run by name, or with WITH=oops.

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

[ "$(cat /proc/sys/kernel/panic_on_oops)" -eq 0 ] || skip_all "panic_on_oops is set"
have jtrace_die || skip_all "no jtrace_die.ko"

# Messages of x86, of arm64, of both.
OOPS='BUG: kernel NULL pointer|kernel NULL pointer dereference at|kernel BUG at'

# dead: has the kernel thread died, and is all of its report printed?
dead() {
	log_since >"$TMP/log"
	grep -q -e '---\[ end trace' "$TMP/log" || return
	[ "$(config 'Dump on oops')" = no ] || grep -q 'JTRACE: Last log timestamp' "$TMP/log"
}

# oops HOW: let a kernel thread die
oops() {
	log_mark
	load jtrace_die how="$1" where=thread
	wait_for dead
	log_since >"$TMP/log"
}

# thawed: are events recorded that need new chunks?  After an oops that was not dumped, they
# are skipped for a while.
thawed() {
	thawed_before=$(stat skipped)
	hammer count=1000 contexts=1 && [ "$(stat skipped)" -eq "$thawed_before" ]
}

stopped() {
	[ "$(config Stopped)" != '?' ]
}

# stop HOW ALARM: a kernel thread oopses or warns, and recording stops
stop() {
	start stop_on=hung_task,"$2"
	log_mark
	load jtrace_die how="$1" where=thread
	wait_for stopped
	expect "stop_on=$2: stopped" "$(config Stopped)" "$2"
	check "stop_on=$2: an event says so" sh -c "grep -q '(jtrace: stopped: $2)' $JT/trace"
	unload jtrace_die
	# Not because of the oops: that ends by itself.
	sleep 3
	load jtrace_stopper before=200 after=0
	at_least "stop_on=$2: still stopped" "$(stat skipped)" 1
	unload jtrace_stopper
	echo 1 >"$JT/enabled"
	wait_for thawed
	check "stop_on=$2: recording goes on" thawed
}

stop null oops
stop warn warn

for how in null bug; do
	start dump_on_oops=y last_entry_storage=-1
	oops $how
	check "$how: there was an oops" grep -qE "$OOPS" "$TMP/log"
	check "$how: dumped once, with the last words" \
		"$VERIFY" -k -n 1 -c -1 -a -l 'die: last words' <"$TMP/log"
	lacks "$how: no panic" 'Kernel panic' "$TMP/log"
	unload jtrace_die
	load jtrace_client id=0x99
	check "$how: recording goes on" sh -c "grep -q ' : 00000099 ' $JT/trace"
	check "$how: the trace is right" verify -c -1 -a
	expect "$how: nothing is stuck" "$(stat chunks_stuck)" 0

	# And again: each oops is dumped.
	unload jtrace_client
	oops $how
	check "$how: the next one is dumped, too" \
		"$VERIFY" -k -n 1 -f 'client: hello' -l 'die: last words' <"$TMP/log"
	unload jtrace_die

	# Room for what is recorded behind the event of the thaw.
	start dump_on_oops=n target_buffer_size=4M
	oops $how
	check "$how, dump_on_oops=n: not dumped" "$VERIFY" -k -n 0 <"$TMP/log"
	check "$how, dump_on_oops=n: though there was one" \
		grep -qE "$OOPS" "$TMP/log"
	unload jtrace_die
	check "$how, dump_on_oops=n: thaws" wait_for thawed
	expect "$how, dump_on_oops=n: events tell how many were skipped" "$(told_skipped)" \
		"$(stat skipped)"
	clear_trace
	hammer count=5000
	check "$how, dump_on_oops=n: recording goes on" verify -H 1
	at_least "$how, dump_on_oops=n: over chunks" "$(stat recorded)" 1000
	expect "$how, dump_on_oops=n: nothing is stuck" "$(stat chunks_stuck)" 0
done

# An oops in jtrace itself: later events can enter the code in which the task died.
for clock in ticks fast; do
	start dump_on_oops=y target_buffer_size=8192 last_entry_storage=-1 \
		clock=$clock
	oops record
	check "in a record, $clock: dumped once, with the last words" \
		"$VERIFY" -k -n 1 -c -1 -a -l 'die: last words' <"$TMP/log"
	unload jtrace_die
	hammer count=5000 contexts=1 cpus=1
	expect "in a record, $clock: all events of its CPU are recorded" \
		"$(stat dropped_nested) $(stat skipped) $(stat dropped_busy)" '0 0 0'
	at_least "in a record, $clock: over chunks" "$(stat recorded)" 5000
	# "loaded", "in thread", the last words, and the record that the task died in.
	expect "in a record, $clock: that is counted" "$(stat unfinished)" 1
	sums $((4 + $(param jtrace_hammer events))) "in a record, $clock"
	# The kernel's own clocks stand still while an oops is printed for seconds.
	check "in a record, $clock: the trace is right" verify -j -H 1
done

# All CPUs record meanwhile.  The CPU of the oops uses its open chunk.
start dump_on_oops=y last_entry_storage=-1 panic_lines=0
hammering 1000 contexts=1
oops null
check "under load: dumped once, right" "$VERIFY" -k -n 1 -c -1 -a -H 10 <"$TMP/log"
check "under load: with the last words" grep -q 'die: last words' "$TMP/log"
check "under load: recording goes on" wait_for grown recorded $(($(stat recorded) + 100))
check "under load: the trace is right" verify -H 10

# With dump_on_oops=n the trace is frozen for a while after an oops, and then thaws: events that
# led to the oops are not overwritten while it is printed.
start dump_on_oops=n last_entry_storage=-1
hammering 1000
skipped=$(stat skipped)
oops null
check "under load, dump_on_oops=n: not dumped" "$VERIFY" -k -n 0 <"$TMP/log"
check "under load, dump_on_oops=n: frozen" wait_for grown skipped $((skipped + 1000))
check "under load, dump_on_oops=n: recording goes on" \
	wait_for grown recorded $(($(stat recorded) + 100))

finish
