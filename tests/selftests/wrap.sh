#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# wrap - many laps of the ring, over the overflow of the claim numbers' low half

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

# claims: high halves of the claim numbers in the image's chunk headers
claims() {
	od -v -A n -t x4 "$JT/trace_raw" |
		awk 'next_is { print $2; next_is = 0 } $1 == "4b43544a" { next_is = 1 }' |
		sort -u | tr '\n' ' '
}

for large in y n; do
	small=n
	[ $large = y ] || small=y
	start target_buffer_size=4096 use_large_entries=$large last_entry_storage=-1
	load jtrace_client
	expect "large=$large: claim numbers start below 2^32" "$(claims)" "00000000 "

	# Slowly over the edge, with a look at each step.
	load jtrace_hammer seconds=9 burst=4 pause_us=80000 contexts=1 small=$small
	looks=0 mixed=0 wrong=0
	while [ "$(param jtrace_hammer running)" -ne 0 ]; do
		verify -c -1 -a >"$TMP/out" 2>&1 || { wrong=$((wrong + 1)); cp "$TMP/out" "$TMP/wrong"; }
		looks=$((looks + 1))
		[ "$(claims)" != "00000000 00000001 " ] || mixed=$((mixed + 1))
	done
	[ $wrong -eq 0 ] || sed 's/^/#   /' "$TMP/wrong"
	expect "large=$large: the trace is right all the while" $wrong 0
	at_least "large=$large: looks" $looks 3
	at_least "large=$large: with claims on both sides of 2^32" $mixed 1
	sums $(($(param jtrace_hammer events) + 1)) "large=$large: slowly"

	hammer seconds=3 small=$small
	expect "large=$large: all claim numbers are above 2^32" "$(claims)" "00000001 "
	check "large=$large: right after many laps" verify -H 1
	at_least "large=$large: laps" $(($(stat overwritten) / $(config Entries))) 100
done

finish
