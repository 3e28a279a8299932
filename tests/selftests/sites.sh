#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# sites - with a full site table, events are still recorded, and sites are shown by number

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

have jtrace_sites || skip_all "no jtrace_sites.ko"
have jtrace_made || skip_all "no jtrace_made.ko"

start target_buffer_size=65536
load jtrace_sites
stored=$(stat sites)
expect "stored + unstored = sites that fired" "$((stored + $(stat sites_unstored)))" 400
at_least "some are stored" "$stored" 20
at_least "some are not" "$(stat sites_unstored)" 20
expect "all events are recorded" "$(shown)" 400
check "the trace is right" verify -e 400
expect "named" "$(trace | grep -cE 'jtrace_sites\.c:jtrace_sites_init:[0-9]+ \(site [0-9]{3}\)$')" "$stored"
expect "shown by number" "$(trace | grep -cE ' \?:\?:0 \(<site [0-9]+>\)$')" "$((400 - stored))"
expect "numbers differ" "$(trace | sed -n 's/.*(<site \([0-9]*\)>)$/\1/p' | sort -u | wc -l)" "$((400 - stored))"
expect "each event has its argument" \
	"$(trace | entries | sed 's/.*\] : \([0-9a-f]*\) .*/\1/' | sort -u | wc -l)" 400
trace | entries | awk -F' : ' '{
	tag = $NF; sub(/.*\(site 0*/, "", tag); sub(/\).*/, "", tag)
	if ($NF !~ /</ && sprintf("%08x", tag + 0) != substr($2, 1, 8)) print
}' >"$TMP/wrong"
expect "each name is that of its event" "$(cat "$TMP/wrong")" ""

# The text and config report it, and each names a size that is enough.
nameless=$((400 - stored))
table=$(config 'Site table' | sed 's/ bytes.*//')
said="JTRACE: $nameless of 400 entries have no name: the site table of $table bytes was full; load jtrace with sites="
expect "the second line says it" "$(trace | sed -n '2s/[0-9]*$//p')" "$said"
text_size=$(trace | sed -n '2s/.*=//p')
warning="$nameless call sites found no room in the site table, so their entries have no name: load jtrace with sites="
expect "config says it" "$(config Warning | grep 'found no room' | sed 's/[0-9]*$//')" "$warning"
config_size=$(config Warning | sed -n '/found no room/s/.*=//p')

# Sites that are not stored keep one number each, too, and each counts once.
trace | sed -n 's/.*(<site \([0-9]*\)>)$/\1/p' | sort -u >"$TMP/numbers"
for _ in 1 2 3; do
	unload jtrace_sites
	load jtrace_sites
	expect "loaded again: sites without room" "$(stat sites_unstored)" "$nameless"
	trace | sed -n 's/.*(<site \([0-9]*\)>)$/\1/p' | sort -u >"$TMP/again"
	expect "loaded again: no other numbers" \
		"$(grep -vxFc -f "$TMP/numbers" "$TMP/again")" 0
	at_least "loaded again: some are shown" "$(wc -l <"$TMP/again")" 20
done
expect "loaded again: the advice is the same" \
	"$(config Warning | sed -n '/found no room/s/.*=//p')" "$config_size"
expect "loaded again: no more sites are stored" "$(stat sites)" "$stored"
at_least "loaded again: events go on being recorded" "$(stat recorded)" 800
check "the trace is right then, too" verify

# quiet TEXT: check that all sites have a name, and nothing is reported
quiet() {
	expect "$1: all are stored" "$(stat sites) $(stat sites_unstored)" "400 0"
	expect "$1: all are named" "$(trace | grep -cE '\(site [0-9]{3}\)$')" "$(shown)"
	expect "$1: the text says nothing" "$(trace | grep -c 'have no name')" 0
	expect "$1: config says nothing" "$(grep -c 'found no room' "$JT/config")" 0
	check "$1: the trace is right" verify
}

# sizes TEXT PARAM...: check that the advised sizes are enough
sizes() {
	sizes_text=$1
	shift
	for size in "$text_size" "$config_size"; do
		start sites="$size" "$@"
		at_least "$sizes_text sites=$size: the table is as large" \
			"$(config 'Site table' | sed 's/ bytes.*//')" "$size"
		load jtrace_sites
		quiet "$sizes_text sites=$size"
	done
}
sizes "large entries"
at_least "the entries are as many as without sites=" "$(shown)" 365
sizes "small entries" use_large_entries=n
expect "small entries: all are shown" "$(shown)" 400

# made COUNT: does the trace show each site of jtrace_made COUNT times?
made() {
	trace | sed -n 's/^.*\] : \(.*\) : (.*uSec) : \(.*\)$/\1 : \2/p' | sort | uniq -c >"$TMP/got"
	for nr in 0 1 2 3 4 5 6 7; do
		file=kprobe
		[ $((nr % 2)) -eq 0 ] || file=event
		printf '%7d %08x ffffff92 00000000 00000000 %016x %016x : ' "$1" $nr $((4096 + nr)) 0
		printf '%s:symbol+0x%x:0 (made %d (nr, error, 0, 0, site))\n' $file $nr $nr
	done | cmp - "$TMP/got"
}

# Sites that are made at run time, and freed.
start target_buffer_size=1M
load jtrace_made
check "made at run time: the sites are shown" made 1
expect "made at run time: so many sites" "$(stat sites)" 8
unload jtrace_made
load jtrace_made
check "made again: they are the same sites" made 2
expect "made again: no more of them" "$(stat sites) $(stat sites_unstored)" "8 0"
recording 0
unload jtrace_made
load jtrace_made
expect "made while recording is off: nothing is recorded but the stop" "$(shown)" 17

# A table that is large enough.
start target_buffer_size=1M
load jtrace_sites rounds=3
expect "large table: all are stored" "$(stat sites) $(stat sites_unstored)" "400 0"
expect "large table: all are named" "$(trace | grep -cE '\(site [0-9]{3}\)$')" 1200

# Small entries.
start use_large_entries=n
load jtrace_sites
check "small: the trace is right" verify -e 400
expect "small: shown by number" "$(trace | grep -cE ' : \(<site [0-9]+>\)$')" "$(stat sites_unstored)"

finish
