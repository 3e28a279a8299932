#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# persistent - reserved memory is found or refused, and a later load recovers its trace;
# tests/qemu/persist tests resets
#
# short: yes

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

reserved || skip_all "no memory reserved at $RESERVED: boot with memmap=1M\$$RESERVED"
AT="enabled=persistent mem_address=$RESERVED mem_size=1M"
NODE=$(ls -d /proc/device-tree/reserved-memory/jtrace@"${RESERVED#0x}"/compatible 2>/dev/null)

recovered() {
	cat "$JT/recovered"
}

# has TEXT PATTERN: check that the recovered text has such a line
has() {
	recovered >"$TMP/recovered"
	check "$1" grep -qE "$2" "$TMP/recovered"
}

# timeless: print entries without fractions of seconds.  When the trace is closed, one more
# stamp relates readings of a counter to the clock.
timeless() {
	entries | sed 's/^\(\[ *[0-9]*\)\.[0-9]*\(.*\) : ( *[0-9]*\.[0-9]* uSec)/\1\2/'
}

# says_next TEXT: since the mark, the log has one line with what was found and what to do next
says_next() {
	expect "found, and what to do next" "$(log_since | sed -n 's/.*jtrace: .*found there: //p')" "$1"
	expect "no other such line" "$(log_since | grep -c ': jtrace setup$')" 0
}

# ---- nothing yet, then a reload ----

# jtrace does not read the boot id from the caller's /proc.
echo 00112233-4455-6677-8899-aabbccddeeff >"$TMP/id"
mount -o bind "$TMP/id" /proc/sys/kernel/random/boot_id || not_ok "another file over the boot id"
log_mark
# shellcheck disable=SC2086 # words
start $AT
umount /proc/sys/kernel/random/boot_id
says_next "no trace; to check that a trace survives a reset: jtrace doctor"
expect "default size" "$(config 'Requested Buffer Size')" 1048576
expect "all of it" "$(config 'Allocated Buffer Size')" 1048576
expect "default kind" "$(config 'Large entries')" yes
expect "persistent" "$(config Persistent)" yes
expect "physical address" "$(config 'Physical address')" "$RESERVED"
expect "region" "$(config 'Region size')" 1048576
expect "memory type" "$(config 'Memory type')" wb
expect "nothing is recovered from fresh memory" "$(recovered)" "JTRACE: no entries"
expect "nor raw" "$(wc -c <"$JT/recovered_raw")" 0
check "the range is ours" grep -q "${RESERVED#0x}-.*fffff : jtrace" /proc/iomem
load jtrace_client id=0xabcd
unload jtrace_client
trace | timeless >"$TMP/before"
expect "entries" "$(wc -l <"$TMP/before")" 2
unload jtrace
lacks "the range is free again" ' : jtrace$' /proc/iomem

for type in wb wc uc; do
	log_mark
	# shellcheck disable=SC2086 # words
	start $AT mem_type=$type target_buffer_size=64K use_large_entries=y keep_on_reboot=y
	says_next "a trace, whole; to read it: jtrace -r"
	expect "$type: memory type" "$(config 'Memory type')" $type
	recovered | timeless >"$TMP/after"
	check "$type: the trace of the load before is recovered" cmp "$TMP/before" "$TMP/after"
	has "$type: it is said to be of this boot" \
		"^JTRACE: Recorded by Linux $(uname -r | sed 's/[+.]/\\&/g'), boot $(cat /proc/sys/kernel/random/boot_id), which is this one\$"
	has "$type: and how it ended" '^JTRACE: jtrace was unloaded at 20..-..-.. ..:..:.. UTC$'
	recovered >"$TMP/recovered"
	cp "$JT/recovered_raw" "$TMP/raw"
	expect "$type: raw, too" "$(head -c 8 "$TMP/raw")" JTRIMAGE
	load jtrace_client id=0x1234
	unload jtrace_client
	hammer count=1000
	check "$type: the live trace is right" verify -H 1
	echo 1 >"$JT/clear"
	load jtrace_client id=0x77
	unload jtrace_client
	load jtrace_made
	unload jtrace_made
	recovered >"$TMP/again"
	check "$type: recording changes nothing that is recovered" cmp "$TMP/recovered" "$TMP/again"
	check "$type: nor raw" cmp "$JT/recovered_raw" "$TMP/raw"
	for file in recovered recovered_raw; do
		refuse "$type: $file is not written to" 'Invalid argument' sh -c "echo x >$JT/$file"
	done
	check "$type: nor changed so" cmp "$JT/recovered_raw" "$TMP/raw"
	check "$type: where jtrace lay" \
		grep -Eq '^jtrace 0x[0-9a-f]+\+0x[0-9a-f]+ build id [0-9a-f]{40}$' \
		"$JT/last_boot_info"
	check "$type: where the kernel lies" grep -Eq '^kernel 0x[0-9a-f]+ build id [0-9a-f]{40}$' \
		"$JT/last_boot_info"
	trace | timeless >"$TMP/before"
	expect "$type: entries after clear" "$(wc -l <"$TMP/before")" 10
	expect "$type: of sites made at run time" "$(grep -c '(made [0-7] (nr, ' "$TMP/before")" 8
done

# ---- freed by hand ----

# vmalloc: print the kB in use
vmalloc() {
	sed -n 's/^VmallocUsed: *\([0-9]*\) kB$/\1/p' /proc/meminfo
}

# less_by KB THAN: is so much less vmalloc memory in use?
less_by() {
	[ "$(vmalloc)" -le $(($2 - $1)) ]
}

# shellcheck disable=SC2086 # words
start $AT
load jtrace_client id=0x88
unload jtrace_client
# shellcheck disable=SC2086 # words
start $AT
recovered >"$TMP/recovered"
cp "$JT/recovered_raw" "$TMP/raw"
cp "$JT/last_boot_info" "$TMP/info"
found=$(config 'Found at load')
check "recovered" grep -q '00000088 .*client: hello' "$TMP/recovered"
expect "the whole region" "$(wc -c <"$TMP/raw")" 1048576
exec 4<"$JT/recovered" 5<"$JT/recovered_raw"
before=$(vmalloc)
check "0 frees nothing" sh -c "echo 0 >$JT/free_recovered && cmp $JT/recovered $TMP/recovered"
check "free it" sh -c "echo 1 >$JT/free_recovered"
for file in recovered recovered_raw; do
	refuse "$file cannot be opened again" 'No data available|error 61' cat "$JT/$file"
done
check "a file that is open shows the text" cmp - "$TMP/recovered" <&4
check "and the image" cmp - "$TMP/raw" <&5
exec 4<&-
exec 5<&-
check "when it is closed, image and index are freed" wait_for less_by 1024 "$before"
check "once more: nothing happens" sh -c "echo 1 >$JT/free_recovered"
expect "config tells what was found" "$(config 'Found at load')" "$found"
check "last_boot_info tells of the kernel" cmp "$JT/last_boot_info" - <<EOF
$(grep -E '^(# boot|kernel) ' "$TMP/info")
EOF
expect "state tells where it records, and which boot that was" "$(xargs <"$JT/state")" \
	"size=$(config 'Allocated Buffer Size') persistent=y mem_address=$(config 'Physical address') mem_size=$(config 'Region size') mem_type=$(config 'Memory type') recovered_boot=$(sed -n 's/^# boot \([0-9a-f]*\),.*/\1/p' "$TMP/info")"
check "and the live trace is there" verify

# ---- defaults that depend on the region ----

# defaults SIZE WANT-SIZE WANT-LARGE PARAM...
defaults() {
	region=$1 want=$2 large=$3
	shift 3
	start enabled=persistent mem_address="$RESERVED" mem_size="$region" "$@"
	expect "region of $region${*:+, $*}: size" "$(config 'Allocated Buffer Size')" "$want"
	expect "region of $region${*:+, $*}: large entries" "$(config 'Large entries')" "$large"
	unload jtrace
}

defaults 60K 4096 no
defaults 60K 4096 yes use_large_entries=y target_buffer_size=4096
defaults 60K 61440 no target_buffer_size=60K
defaults 64K 65536 yes
defaults 64K 65536 no use_large_entries=n
defaults 64K 4096 yes target_buffer_size=4096
defaults 64K 65536 yes sites=16K

# ---- less than was asked for ----

# shellcheck disable=SC2086 # words
start $AT target_buffer_size=2M
expect "less memory than asked for: asked" "$(config 'Requested Buffer Size')" 2097152
expect "less memory than asked for: given" "$(config 'Allocated Buffer Size')" 1048576
unload jtrace

# ---- a node of the device tree ----

if [ -n "$NODE" ]; then
	start enabled=persistent target_buffer_size=64K
	expect "by its node: physical address" "$(config 'Physical address')" "$RESERVED"
	expect "by its node: region" "$(config 'Region size')" 1048576
	load jtrace_client id=0x4321
	unload jtrace_client
	trace | timeless >"$TMP/before"
	# shellcheck disable=SC2086 # words
	start $AT
	recovered | timeless >"$TMP/after"
	check "by its node: the same memory" cmp "$TMP/before" "$TMP/after"
	unload jtrace
else
	skip "by its node: no node compatible with jtrace in /reserved-memory"
fi

# ---- refused ----

# refused PATTERN PARAM...: jtrace refuses to load with one line, and leaves nothing behind
refused() {
	refused_want=$1
	shift
	refuse_load "$@" || return
	check "$*: says why" grep -qE "$refused_want" "$TMP/lines"
	lacks "$*: no range is left" ' : jtrace$' /proc/iomem
}

# Half of it is reserved, the kernel uses the other half.
case $(uname -m) in
x86_64)	how="memmap=2048K.$RESERVED" ;;
*)	how="a no-map node" ;;
esac
refused "memory that the kernel uses.*$how" \
	enabled=persistent mem_address="$RESERVED" mem_size=2M
case $(uname -r) in
6.1.*)	refused 'has no reserve_mem=, it came with 6.11' enabled=persistent mem_name=x ;;
*)	refused 'mem_name=x: no such region: boot with ' enabled=persistent mem_name=x ;;
esac
unload_all
check "a driver has a part of the range" load jtrace_claim start=$((RESERVED + 0x80000))
refused 'belongs to a driver, see /proc/iomem: choose another range' \
	enabled=persistent mem_address="$RESERVED" \
	mem_size=1M
unload jtrace_claim

# ---- warnings ----

unload_all
if have jtrace_mor; then
	check "firmware of our own" load jtrace_mor
	# shellcheck disable=SC2086 # words
	load jtrace $AT
	check "firmware that will clear memory: said at load" \
		sh -c "dmesg | tail -n 3 | grep -q 'jtrace: firmware clears memory at the next reset: .*: run jtrace doctor'"
	check "firmware that will clear memory: in config" \
		grep -q '^Warning  .*: firmware clears memory at the next reset' "$JT/config"
	asked=$(param jtrace_mor calls)
	for _ in $(seq 20); do
		cat "$JT/config" >"$TMP/config"
	done
	expect "firmware that will clear memory: asked once, not by each reader" \
		"$asked $(param jtrace_mor calls)" "1 1"
	check "firmware that will clear memory: each reader is told" \
		grep -q '^Warning  .*: firmware clears memory at the next reset' "$TMP/config"
	unload jtrace
	echo 0 >/sys/module/jtrace_mor/parameters/control
	# shellcheck disable=SC2086 # words
	load jtrace $AT
	lacks "firmware that will not" 'firmware clears memory' "$JT/config"
	expect "firmware that will not: each load asks once" "$(param jtrace_mor calls)" 2
	unload jtrace
	# shellcheck disable=SC2086 # words
	load jtrace
	expect "not persistent: nobody asks" "$(param jtrace_mor calls)" 2
	unload jtrace
	unload jtrace_mor
else
	skip "firmware that will clear memory: no jtrace_mor"
fi

# ---- sites ----

# The next load reports a full site table, too, and the size that it names is enough. With the
# tick clock the last digits of the two texts differ, see timeless().
# shellcheck disable=SC2086 # a list of words
{
	start $AT clock=fast target_buffer_size=65536
	load jtrace_sites
	trace >"$TMP/trace"
	size=$(sed -n 's/.*have no name: .*sites=//p' "$TMP/trace")
	at_least "full site table: a size is named" "${size:-0}" 4096
	start $AT sites="$size"
	sed '/^JTRACE: Recorded by/d; /^JTRACE: jtrace was unloaded/d' "$JT/recovered" >"$TMP/got"
	check "full site table: recovered as it was" cmp "$TMP/trace" "$TMP/got"
	load jtrace_sites
	expect "sites=$size: all are stored" "$(stat sites) $(stat sites_unstored)" "400 0"
	start $AT
}
named=$(sed -n 's|^JTRACE: Recovered \([0-9]*\)/.*|\1|p' "$JT/recovered")
at_least "sites=$size: some are recovered" "${named:-0}" 1
expect "sites=$size: all of these are named" \
	"$(grep -cE '\(site [0-9]{3}\)$' "$JT/recovered")" "$named"
expect "sites=$size: nothing is said" "$(grep -c 'have no name' "$JT/recovered")" 0

# ---- an image that cannot be read ----

# write_region FILE BLOCK_SIZE: write a file to the beginning of the memory
write_region() {
	dd if="$1" of=/dev/mem bs="$2" seek=$((RESERVED / $2)) conv=notrunc 2>"$TMP/dd"
}

unload_all
head -c 1048576 /dev/zero >"$TMP/zeros"
printf JTRIMAGE >"$TMP/magic"
if write_region "$TMP/zeros" 4096 && write_region "$TMP/magic" 8; then
	log_mark
	# shellcheck disable=SC2086 # words
	start $AT
	says_next "a trace, unreadable; to look at it: cat $JT/recovered"
	check "the file has its bytes" grep -q '^00000000: 4a 54 52 49 4d 41 47 45 ' "$JT/recovered"
else
	skip "an image that cannot be read: no /dev/mem to write to"
fi

finish
