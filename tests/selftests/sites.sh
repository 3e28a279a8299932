#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# sites - a full site table: events are still recorded, sites shown by number

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

have jtrace_sites || skip_all "no jtrace_sites.ko"

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

unload jtrace_sites
load jtrace_sites
expect "loaded again: no more sites are stored" "$(stat sites)" "$stored"
at_least "loaded again: events go on being recorded" "$(stat recorded)" 800
check "the trace is right then, too" verify

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
