#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# follow - "jtrace -f" while CPUs record: each entry comes once, entries + gaps = recorded

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

TOOL=${TOOL:-/jtrace/bin/jtrace}
[ -x "$TOOL" ] || skip_all "no program $TOOL"

# rests: how often did jtrace -f rest after a look?
rests() {
	awk '/^voluntary/ { print $2 }' "/proc/$follower/status"
}

rested() {
	[ "$(rests)" -gt "$rests_more_than" ]
}

# follow OPTION...: follow the trace, which has one event; return when the account has started
follow() {
	echo "a mark" >"$JT/marker"
	: >"$TMP/out"
	"$TOOL" -f "$@" >"$TMP/out" 2>"$TMP/err" &
	follower=$!
	wait_for grep -q "a mark" "$TMP/out"
	# After each look.
	rests_more_than=12
	wait_for rested
}

follow_end() {
	kill "$follower"
	wait "$follower"
	expect "$1: exit status" $? 0
	expect "$1: no message" "$(cat "$TMP/err")" ""
}

# printed: number of events of JSON; gaps: number of entries in gaps
printed() {
	grep -c '^{"type":"event"' "$TMP/out"
}

gaps() {
	sed -n 's/^{"type":"gap","entries":\([0-9]*\)}$/\1/p' "$TMP/out" |
		awk '{ n += $1 } END { print n + 0 }'
}

# holds N TEXT: are there at least N such lines?
holds() {
	[ "$(grep -c "$2" "$TMP/out")" -ge "$1" ]
}

# outrun WHAT: while the follower stands still, CPUs record more than any buffer here holds.  They
# stop before it goes on, because it may need long beside them.
outrun() {
	kill -STOP "$follower"
	o_gaps=$(grep -c '"gap"' "$TMP/out")
	check "$1: recorded while nobody looked" wait_for grown recorded $(($(stat recorded) + 10000))
	hammer_stop
	kill -CONT "$follower"
	check "$1: that makes a gap" wait_for holds $((o_gaps + 1)) '"gap"'
}

# judge WHAT: after the end
judge() {
	expect "$1: entries + gaps = recorded" $(($(printed) + $(gaps))) "$(stat recorded)"
	expect "$1: no entry comes twice" \
		"$(grep '^{"type":"event"' "$TMP/out" | sort | uniq -d | head -n 3)" ""
	expect "$1: nothing else is printed" \
		"$(grep -cvE '^\{"type":"(image|module|event|gap)".*\}$' "$TMP/out")" 0
	diag "$1: $(printed) printed, $(gaps) lost in $(grep -c '"gap"' "$TMP/out") gaps;" \
		"$(tr '\n' ' ' <"$JT/stats")"
}

# round WHAT MODULE-PARAMS HAMMER-PARAMS [COMMAND...]: follow under the hammer, and through a gap.
# The pauses leave the follower time on slow machines.
round() {
	round_what=$1
	# shellcheck disable=SC2086 # a list of words
	start $2
	round_params=$3
	shift 3
	follow --json
	# shellcheck disable=SC2086 # a list of words
	hammering 20000 pause_us=500 $round_params
	[ $# -eq 0 ] || "$@"
	rests_more_than=$(($(rests) + 2))
	check "$round_what: looks while CPUs record" wait_for rested
	check "$round_what: a hundred entries" wait_for holds 100 '^{"type":"event"'
	outrun "$round_what"
	follow_end "$round_what"
	judge "$round_what"
}

clears() {
	for _ in 1 2 3 4 5; do
		clear_trace
		wait_for grown recorded $(($(stat recorded) + 1000))
	done
}

# flip 0|1: on the CPU that records
flip() {
	taskset 1 sh -c "echo $1 >$JT/enabled"
}

stops() {
	for _ in 1 2 3; do
		flip 0
		rests_more_than=$(($(rests) + 1))
		wait_for rested
		flip 1
		wait_for grown recorded $(($(stat recorded) + 1000))
	done
}

round "small buffer" target_buffer_size=4096 ''
round "32 KiB, threads and interrupts" target_buffer_size=32768 'threads_per_cpu=2 irq_us=300'
round "small entries" 'target_buffer_size=8192 use_large_entries=n' small=y
# Slowly: the follower may print all of it, into the memory of the guest.
slowly='burst=8 pause_us=2000 irq_us=10000'
round "cleared meanwhile" target_buffer_size=32K "$slowly" clears
at_least "cleared meanwhile: entries were cleared" "$(stat cleared)" 1
# A switch of recording is a patch of code: in QEMU, only the CPU that patches records (see
# enabled.sh).
cpus=
! grep -q QEMU /proc/cpuinfo || cpus=cpus=1
round "stopped and started meanwhile" target_buffer_size=16384 "$slowly $cpus" stops

start target_buffer_size=4M
follow --json
hammer count=1000
follow_end "large buffer"
expect "large buffer: nothing was overwritten" "$(stat overwritten)" 0
at_least "large buffer: entries" "$(printed)" 1000
expect "large buffer: no gaps" "$(gaps)" 0
judge "large buffer"

start target_buffer_size=4096
follow
hammering 5000 pause_us=500
hammer_stop
follow_end "text"
expect "text: entries + gaps = recorded" \
	$(($(grep -c '^\[' "$TMP/out") + $(sed -n 's/^JTRACE: \([0-9]*\) entries lost here$/\1/p' \
		"$TMP/out" | awk '{ n += $1 } END { print n + 0 }'))) "$(stat recorded)"

unload jtrace_hammer
follow
# A look holds the module.
wait_for unload jtrace
wait "$follower"
expect "unloaded: exit status" $? 1
expect "unloaded: message" "$(cat "$TMP/err")" "jtrace: -f: module jtrace was unloaded"

finish
