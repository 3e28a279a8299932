#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# sizes - from the smallest buffer that loads upwards, and one byte less

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

# smallest LARGE: print the limit that the refusal of one byte names
smallest() {
	unload_all
	log_mark
	load jtrace target_buffer_size=1 use_large_entries="$1" 2>/dev/null
	log_since | sed -n 's/.*must be at least \([0-9]*\) for.*/\1/p' | sort -u
}

for large in y n; do
	least=$(smallest $large)
	at_least "large=$large: the refusal names a size" "${least:-0}" 1
	log_mark
	refuse "large=$large: $((least - 1)) bytes are refused" "$INVALID" \
		load jtrace target_buffer_size=$((least - 1)) use_large_entries=$large
	log_since >"$TMP/log"
	check "large=$large: and the same size is named" \
		grep "must be at least $least for" "$TMP/log"

	for size in "$least" $((least + 1)) $((least + 127)) $((least + 128)) $((least + 384)) \
		    4096 5000 6144 8192 10000 12345 16384 32768 65536 100000 262144 1048576; do
		[ "$size" -ge "$least" ] || continue
		what="large=$large size=$size"
		start target_buffer_size="$size" use_large_entries=$large last_entry_storage=-1
		rounded=$((size / 128 * 128))
		expect "$what: allocated" "$(config 'Allocated Buffer Size')" $rounded
		small=n
		[ $large = y ] || small=y
		hammer count=500 burst=32 small=$small
		check "$what: records are right" verify -A -H 1 -c -1 -a
		sums "$(param jtrace_hammer events)" "$what"
	done
done

finish
