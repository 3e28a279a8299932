#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# hammer - all CPUs record into a small buffer while readers dump: no entry is torn,
# unsorted or false, and the counters add up
#
# SECONDS_HAMMER sets the length of its first part; the others take as long again.

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

seconds=${SECONDS_HAMMER:-60}

# round WHAT SECONDS CLEAR MODULE-PARAMS HAMMER-PARAMS
round() {
	# shellcheck disable=SC2086 # lists of words
	start last_entry_storage=-1 $4
	# shellcheck disable=SC2086 # lists of words
	hammering 1000 $5
	dumps=0 bad=0 found=0 end=$(($(up) + $2))
	while [ $dumps -eq 0 ] || [ "$(up)" -lt $end ]; do
		if "$VERIFY" -r 20 -A -c -1 "$JT/trace" >"$TMP/out" 2>&1; then
			found=$((found + $(sed 's/.*hammer \([0-9]*\).*/\1/' "$TMP/out")))
		else
			bad=$((bad + 1))
			cp "$TMP/out" "$TMP/bad"
		fi
		dumps=$((dumps + 20))
		[ -z "$3" ] || clear_trace
	done
	hammer_stop
	[ $bad -eq 0 ] || sed 's/^/#   /' "$TMP/bad"
	expect "$1: all of $dumps dumps are right" $bad 0
	at_least "$1: dumps" $dumps 20
	at_least "$1: records in them" "$found" 100
	diag "$1: $(param jtrace_hammer events) events, $found records read;" \
		"$(tr '\n' ' ' <"$JT/stats")"
	at_least "$1: events" "$(param jtrace_hammer events)" 1000
	skipped=$((skipped + $(stat skipped)))
	check "$1: right at the end" verify -A -c -1
	sums "$(param jtrace_hammer events)" "$1"
}

start
least=$((CPUS * 12288))
expect "default size for $CPUS CPUs" "$(config 'Allocated Buffer Size')" \
	$((least > 32768 ? least : 32768))

skipped=0
part=$((seconds / 12 + 1))
round "large, 4096 bytes, $CPUS CPUs" "$seconds" '' target_buffer_size=4096 ''
round "large, 2 threads a CPU" $part '' target_buffer_size=8192 'threads_per_cpu=2 irq_us=200'
round "small" $part '' 'target_buffer_size=4096 use_large_entries=n' small=y
round "large, clearing" $part clear target_buffer_size=4096 ''
round "large, tick clock" $part '' 'target_buffer_size=4096 clock=ticks' ''
# Emulated CPUs that record may not run meanwhile, so not every time.
at_least "events were skipped while the trace was copied" $skipped 1

finish
