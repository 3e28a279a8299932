#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# dump - a dump that dies or gets stuck: recording goes on, and stats says so
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
[ -w /proc/sysrq-trigger ] || skip_all "no /proc/sysrq-trigger"
have jtrace_trap || skip_all "no jtrace_trap.ko"

# next_dump TEXT: check that the next dump is whole
next_dump() {
	log_mark
	echo y >/proc/sysrq-trigger
	log_since >"$TMP/log"
	check "$1: the next dump is right" "$VERIFY" -k -n 1 -c -1 -a -H 10 <"$TMP/log"
}

# A trap that cannot be set is refused, or refuses jtrace: its test must not pass.
unload_all
load jtrace_trap symbol=no_such_function
refuse "a trap on no function, then jtrace" "$UNKNOWN" load jtrace
unload jtrace_trap
start
refuse "jtrace, then a trap on no function" "$UNKNOWN" load jtrace_trap symbol=no_such_function

for symbol in jtrace_recover_scan jtrace_text_next; do
	point=${symbol#jtrace_}
	start last_entry_storage=-1
	hammering 1000 contexts=1
	load jtrace_trap symbol=$symbol how=oops
	check "$point: the dump dies" \
		sh -c '! sh -c "echo y >/proc/sysrq-trigger" && dmesg | grep jtrace_trap'
	next_dump "$point"
	expect "$point: that is counted" "$(stat dumps_died)" 1
	check "$point: recording goes on" wait_for grown recorded $(($(stat recorded) + 1000))
	expect "$point: nothing is stuck" "$(stat chunks_stuck)" 0
	hammer_stop
	unload jtrace_trap
done

# The gate opens when a dump prints nothing for a minute.  The test lets the minute pass at
# once, which the kernel's watchdogs would report.
quiet=/sys/module/rcupdate/parameters/rcu_cpu_stall_suppress
stall=$(cat $quiet)
echo 1 >$quiet
for jump in 30 61; do
	start last_entry_storage=-1
	hammering 1000 contexts=1
	load jtrace_trap symbol=jtrace_text_next how=stuck jump=$jump
	echo y >/proc/sysrq-trigger &
	if [ $jump -gt 60 ]; then
		check "stuck for $jump s: that is counted" wait_for grown dumps_died 1
		check "stuck for $jump s: recording goes on" \
			wait_for grown recorded $(($(stat recorded) + 1000))
	else
		check "stuck for $jump s: the gate is closed" wait_for grown skipped 5000
	fi
	expect "stuck for $jump s: dumps_died" "$(stat dumps_died)" $((jump / 60))
	echo y >/sys/module/jtrace_trap/parameters/go
	wait $!
	next_dump "stuck for $jump s"
	hammer_stop
	expect "stuck for $jump s: nothing is stuck" "$(stat chunks_stuck)" 0
	unload jtrace_trap
done
echo "$stall" >$quiet

# Room for all that is recorded behind that event.
start last_entry_storage=-1 target_buffer_size=4M
load jtrace_trap symbol=jtrace_text_next how=stuck jump=0
echo y >/proc/sysrq-trigger &
wait_for grep -qx 1 /sys/module/jtrace_trap/parameters/calls
load jtrace_hammer seconds=0 contexts=1 count=3000
check "a dump under way: events are skipped" wait_for grown skipped 1
expect "a dump under way: no event tells so yet" "$(told_skipped)" 0
echo y >/sys/module/jtrace_trap/parameters/go
wait $!
hammer_wait
expect "after the dump, an event tells how many" "$(told_skipped)" "$(stat skipped)"
expect "one event" "$(stat thaws)" 1
unload jtrace_trap

finish
