#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# clocks - time stamps lie between readings of the clock around the events

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

# Tolerance in ns. The measured values are printed. If reading the clock takes longer, as
# an emulated timer on a busy host may, stamps of the tick clock are that coarse. Then
# COARSE must hold, and one of the next two rounds must be better.
FAST=${TOLERANCE_FAST:-0}
TICKS=${TOLERANCE_TICKS:-1000}
COARSE=1000000

# enough: wait for 150 more events
enough() {
	wait_for grown recorded $(($(stat recorded) + 150))
}

# dumps WHAT TOLERANCE: check several dumps while events are recorded
dumps() {
	for _ in 1 2 3 4 5; do
		enough
		verify -H 100 -b "$2" >"$TMP/out" 2>&1 || return 1
		diag "$1: $(sed 's/.*\(early.*\)/\1/' "$TMP/out")"
	done
}

# look WHAT TOLERANCE
look() {
	for round in 1 2 3; do
		enough
		if dumps "$1" "$2"; then
			ok "$1: times are in their brackets, to $2 ns"
			return
		fi
		sed 's/^/#   /' "$TMP/out"
		if [ "$2" -eq 0 ] || ! verify -H 100 -b $COARSE >"$TMP/out" 2>&1; then
			break
		fi
		diag "$1: round $round: to $COARSE ns"
		clear_trace
	done
	not_ok "$1: times are in their brackets, to $2 ns"
	sed 's/^/#   /' "$TMP/out"
}

for mono in n y; do
	start clock=fast use_mono_timestamps=$mono
	expect "fast, mono=$mono: config" "$(config Clock)" fast
	load jtrace_hammer seconds=0 mono=$mono
	look "fast, mono=$mono" "$FAST"

	unload_all
	log_mark
	if load jtrace clock=ticks use_mono_timestamps=$mono 2>/dev/null; then
		check "ticks, mono=$mono: config" grep -qE '^Clock  *: ticks, [0-9]+ kHz$' "$JT/config"
		load jtrace_hammer seconds=0 mono=$mono
		look "ticks, mono=$mono" "$TICKS"

		# Few events, so that chunks and their stamps are far apart.
		unload jtrace_hammer
		clear_trace
		load jtrace_hammer seconds=0 mono=$mono contexts=1 burst=2 pause_us=20000
		look "ticks, mono=$mono, few events" "$TICKS"
	else
		log_since >"$TMP/log"
		check "ticks, mono=$mono: refused" grep 'has no counter' "$TMP/log" &&
			skip "ticks, mono=$mono: no counter on this machine"
	fi
done

finish
