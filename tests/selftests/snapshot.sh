#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# snapshot - readers stop no CPU: while CPUs record, no event is skipped for a reader, and
# the snapshot has no holes, ends at one moment and has its own counters

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

# counts FILE: print recorded, overwritten, cleared, unfinished, lost_in_snapshot of an image
counts() {
	od -A n -t d8 -v -j 304 -N 40 "$1" | tr -s ' \n' ' '
}

# stats_counts: print the same counters of stats
stats_counts() {
	for name in recorded overwritten cleared unfinished lost_in_snapshot; do
		printf ' %s' "$(stat $name)"
	done
	echo ' '
}

# field FILE OFFSET: print 4 bytes of an image as a number
field() {
	od -A n -t u4 -v -j "$2" -N 4 "$1" | tr -d ' '
}

# times_right FILE: has an image large entries, none later than its stamp?
times_right() {
	# The second area is that of the chunks.
	start=$(field "$1" 360)
	# A chunk's header begins with its magic, an entry ends with its sequence.
	od -A n -t u4 -v -j "$start" -N "$(field "$1" 364)" "$1" |
		awk -v magic=1262703690 -v stamp="$(od -A n -t u8 -v -j 64 -N 8 "$1")" '
			NR % 4 == 1 { time = $2 * 4294967296 + $1; is_entry = $1 != magic }
			NR % 4 == 0 && is_entry && $4 { n++; late += time > stamp + 0 }
			END { print n + 0, late + 0; exit !(n > 0 && !late) }'
}

# snapshots: read trace_raw 8 times while CPUs record; set lost, and wrong: with wrong counters
snapshots() {
	was=0 lost=0 wrong=0
	for _ in $(seq 8); do
		before=$(stat overwritten)
		cat "$JT/trace_raw" >"$TMP/raw"
		after=$(stat overwritten)
		# shellcheck disable=SC2046 # five numbers
		set -- $(counts "$TMP/raw")
		lost=$((lost + $5))
		if [ "$1" -lt "$was" ] || [ "$2" -gt "$after" ] || [ "$2" -lt "$before" ]; then
			wrong=$((wrong + 1))
			diag "recorded $was, $1; overwritten $before, $2, $after"
		fi
		was=$1
	done
}

# Emulated CPUs may stand still for long: at this rate they lag less than a lap.
slowly='burst=16 pause_us=500 irq_us=5000'

for kind in y n; do
	what="large=$kind"
	small=n
	[ $kind = y ] || small=y
	start target_buffer_size=16777216 use_large_entries=$kind
	hammering 1000 small=$small
	check "$what: the buffer is full" wait_for grown overwritten 1
	snapshots
	expect "$what: snapshots with wrong counters" $wrong 0
	expect "$what: events skipped for readers" "$(stat skipped)" 0
	diag "$what: $lost entries lost at full speed"
	hammer_stop
	sums "$(param jtrace_hammer events)" "$what"
	cat "$JT/trace_raw" >"$TMP/raw"
	expect "$what: counters of a snapshot when all is quiet" "$(counts "$TMP/raw")" \
		"$(stats_counts)"
	# shellcheck disable=SC2086 # a list of words
	hammering 1000 small=$small $slowly
	snapshots
	expect "$what: entries lost in 8 snapshots" $lost 0
	hammer_stop
done

# The gate is open.  The snapshot has every event of each CPU that had returned before, so no CPU
# ends before the others.  None is missing but in the oldest part, where a chunk can outlive its
# neighbours while an interrupted record keeps it busy.  Not at full speed: a CPU that stands still
# for half a lap writes on in its old chunk, which the others overwrite half a lap later.
if reserved; then
	start target_buffer_size=16777216
	# shellcheck disable=SC2086 # a list of words
	hammering 1000 progress="$RESERVED" $slowly
	check "open gate: the buffer is full" wait_for grown overwritten 1
	for i in 1 2; do
		cat /sys/kernel/debug/jtrace_hammer >"$TMP/progress"
		exec 4<"$JT/trace"
		most=200000
		lost=$(stat lost_in_snapshot)
		[ "$lost" -eq 0 ] || most=0
		diag "open gate, snapshot $i: $lost lost, $(lost) not recorded"
		check "open gate, snapshot $i: all that had returned, and no hole" \
			"$VERIFY" -A -H 200000 -P "$TMP/progress" -G $most <&4
		exec 4<&-
	done
	expect "open gate: all was recorded" "$(lost)" 0
	hammer_stop
else
	skip "open gate: no memory reserved at $RESERVED"
fi

# Half of them, because the host decides how many each CPU has.
start target_buffer_size=1048576
# shellcheck disable=SC2086 # a list of words
hammering 30000 $slowly
for i in 1 2 3; do
	trace >"$TMP/trace"
	check "snapshot $i: right, and without holes" "$VERIFY" -A -H 8000 -G 8000 "$TMP/trace"
done
hammer_stop

# In a small one the gate closes.
start target_buffer_size=65536 clock=fast
hammering 1000
late=0
for _ in $(seq 12); do
	cat "$JT/trace_raw" >"$TMP/raw"
	times_right "$TMP/raw" >"$TMP/out" || { late=$((late + 1)) && cp "$TMP/out" "$TMP/bad"; }
done
[ $late -eq 0 ] || sed 's/^/# entries, of these late: /' "$TMP/bad"
expect "small: of 12 snapshots, those with entries later than their stamp" $late 0
hammer_stop
sums "$(param jtrace_hammer events)" "small"
# skips: does a reader close the gate for so long that an event is skipped?
skips() {
	cat "$JT/trace_raw" >/dev/null
	[ "$(stat skipped)" -gt 0 ]
}

# So few events that none of those which tell is overwritten.
start target_buffer_size=4M
hammering 1000 burst=64 pause_us=5000 irq_us=50000
check "small: events are skipped for readers" wait_for skips
hammer_stop
# The last event that was skipped may have been too late to be told; the next reader tells.
cat "$JT/trace_raw" >/dev/null
expect "small: events tell how many" "$(told_skipped)" "$(stat skipped)"

start target_buffer_size=65536 clock=fast
hammer count=1000
clear_trace
hammer count=10
cat "$JT/trace_raw" >"$TMP/raw"
expect "cleared: counters of a snapshot" "$(counts "$TMP/raw")" "$(stats_counts)"

finish
