#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# wrap - many laps of the ring, past the overflow of the low half of claim numbers

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

# claims: print the high halves of the claim numbers in the image's chunk headers
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

	# To the edge, where 64 claims are left, and over it by steps of two events.
	each=$(config Chunks | sed 's/.* \([0-9]*\) entries each/\1/')
	hammer count=$((50 * each)) cpus=1 burst=1 contexts=1 small=$small
	events=$(($(param jtrace_hammer events) + 1))
	looks=0 mixed=0 wrong=0
	while [ "$(claims)" != "00000001 " ] && [ $looks -lt 1000 ]; do
		unload jtrace_client && load jtrace_client && events=$((events + 2))
		verify -c -1 -a >"$TMP/out" 2>&1 || { wrong=$((wrong + 1)); cp "$TMP/out" "$TMP/wrong"; }
		looks=$((looks + 1))
		[ "$(claims)" != "00000000 00000001 " ] || mixed=$((mixed + 1))
	done
	[ $wrong -eq 0 ] || sed 's/^/#   /' "$TMP/wrong"
	expect "large=$large: the trace is right all the while" $wrong 0
	at_least "large=$large: looks" $looks 3
	at_least "large=$large: with claims on both sides of 2^32" $mixed 1
	sums $events "large=$large: over the edge"

	hammer count=$((101 * $(config Entries))) small=$small
	expect "large=$large: all claim numbers are above 2^32" "$(claims)" "00000001 "
	check "large=$large: right after many laps" verify -H 1
	at_least "large=$large: laps" $(($(stat overwritten) / $(config Entries))) 100
done

# Two events each tenth of a second, for two laps.
for _ in $(seq "$(config Entries)"); do
	unload jtrace_client
	load jtrace_client
	sleep 0.1
done
history=$(sed -n 's/^history_ms=//p' "$JT/state")
at_least "for how long it remembers" "${history:-0}" $(($(config Entries) * 25))
expect "config says so, too" "$(config History | sed 's/\..*//')" "$((history / 1000))"

finish
