#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# access - permissions of files and parameters, and where addresses are hidden
#
# short: yes

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

PARAMS=/sys/module/jtrace/parameters
KPTR=/proc/sys/kernel/kptr_restrict
# The second half, because another test needs the first half as it was at boot.
REGION=$(printf '0x%x' $((RESERVED + 0x80000)))

DENIED='(Permission denied|not permitted)$'

# mode FILE
mode() {
	command stat -c %a "$1"
}

as_nobody() {
	su -s /bin/sh nobody -c "$1" </dev/null
}

# location, location_of_nobody: print the address that root, or user nobody, sees
location() {
	config "Allocated Buffer Loc"
}

location_of_nobody() {
	as_nobody "cat $JT/config" | sed -n 's/^Allocated Buffer Loc *: //p'
}

# no_address TEXT FILE...: user nobody reads no kernel address there, nor that of the region,
# but hashes only
no_address() {
	no_address_text=$1
	shift
	for file; do
		as_nobody "cat $file" 2>&1 | sed -E 's/ : 0x0{8}[0-9a-f]{8}$/ : a hash/'
	done >"$TMP/nobody"
	lacks "$no_address_text" \
		'0x0*[1-9a-f][0-9a-f]{6,}|ffff[0-9a-f]{8}|cat: ' "$TMP/nobody"
}

as_nobody true 2>/dev/null || skip_all "no user nobody to become"
reserved || skip_all "no memory reserved at $RESERVED: boot with memmap=1M\$$RESERVED"

start enabled=persistent mem_address="$REGION" mem_size=512K
load jtrace_client id=5
root_mode=$(mode /sys/kernel/debug)
kptr=$(cat $KPTR)

# ---- files ----

expect "debugfs is closed" "$root_mode" 700
expect "mode of the folder" "$(mode "$JT")" 755
for file in clear:200 config:444 enabled:600 free_recovered:200 last_boot_info:400 \
		event:200 marker:200 \
		recovered:400 recovered_log:400 recovered_raw:400 state:400 stats:444 trace:400 \
		trace_raw:400; do
	expect "mode of ${file%:*}" "$(mode "$JT/${file%:*}")" "${file#*:}"
	expect "${file%:*} is root's" "$(command stat -c %u:%g "$JT/${file%:*}")" 0:0
done
expect "files" "$(find "$JT" -type f | wc -l)" 14

chmod 755 /sys/kernel/debug
for file in config stats; do
	check "nobody reads $file" as_nobody "cat $JT/$file"
	refuse "and does not write it" "$DENIED" as_nobody "echo 1 >$JT/$file"
done
for file in clear enabled event free_recovered last_boot_info marker recovered recovered_log \
		recovered_raw state trace trace_raw; do
	refuse "nobody does not read $file" "$DENIED" as_nobody "cat $JT/$file"
	refuse "and does not write it" "$DENIED" as_nobody "echo 1 >$JT/$file"
done
refuse "nobody removes nothing" "$DENIED" as_nobody "rm $JT/config </dev/null"
expect "nobody changed nothing" "$(cat "$JT/enabled") $(stat cleared)" "1 0"

# ---- addresses ----

for restrict in 0 1 2; do
	echo $restrict >$KPTR
	no_address "kptr_restrict $restrict: nobody sees no address" "$JT/config" "$JT/stats"
	expect "kptr_restrict $restrict: nor that of the region" \
		"$(as_nobody "cat $JT/config" | sed -n 's/^Physical address *: //p')" 0x0
	expect "kptr_restrict $restrict: root sees that" "$(config "Physical address")" "$REGION"
	case $restrict in
	0)	# A hash, the same for all, when there was randomness enough to make one.
		check "root sees a hash" \
			sh -c "echo '$(location)' | grep -E '^0x(0{8}[0-9a-f]{8}|\(_+ptrval_+\))\$'"
		expect "the same for nobody" "$(location_of_nobody)" "$(location)" ;;
	1)	check "root sees the location" \
			sh -c "echo '$(location)' | grep -E '^0xffff[0-9a-f]{12}\$'"
		expect "nobody sees zeros" "$(location_of_nobody)" 0x0000000000000000 ;;
	2)	expect "root sees zeros" "$(location)" 0x0000000000000000
		expect "nobody sees zeros" "$(location_of_nobody)" 0x0000000000000000 ;;
	esac
done
echo "$kptr" >$KPTR
# The permissions of the opener count, not those of the reader.
expect "root's open file read by nobody" \
	"$(su -s /bin/sh nobody -c cat <"$JT/config" | sed -n 's/^Physical address *: //p')" "$REGION"
chmod "$root_mode" /sys/kernel/debug

# ---- parameters ----

for file in "$PARAMS"/*; do
	name=${file##*/}
	want=444
	[ "$name" != mem_address ] || want=400
	expect "mode of the parameter $name" "$(mode "$file")" $want
	refuse "root does not write it" "$DENIED" sh -c "echo 0 >$file"
done
expect "parameters" "$(find $PARAMS -type f | sed 's,.*/,,' | sort | tr '\n' ' ')" \
	"clock dump_on_oops enabled keep_on_reboot last_entry_storage log_size mem_address \
mem_name mem_size mem_type panic_lines sites stacks stop_on target_buffer_size tasks \
use_large_entries use_mono_timestamps "
refuse "nobody does not read mem_address" "$DENIED" as_nobody "cat $PARAMS/mem_address"
# shellcheck disable=SC2046 # words
no_address "nobody sees no address in the others" \
	$(find $PARAMS -type f ! -name mem_address)
expect "nothing came of that" "$(config "Physical address")" "$REGION"

finish
