#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# select - jtrace(1) selects entries of the live buffer, as awk does from its whole text
#
# The events are those of jtrace_hammer, on all CPUs and in interrupts.

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

TOOL=${TOOL:-/jtrace/bin/jtrace}
[ -x "$TOOL" ] || skip_all "no jtrace(1)"
start target_buffer_size=256K
hammer count=3000
echo off >"$JT/enabled"

# plain: print the entries on stdin without the time since the line above
plain() {
	entries | sed 's/ : ( *[0-9.]* uSec) : / : /'
}

# selected CONDITION: print those of all entries for which this is true in awk: of time, cpu, tid
# and the last word of the line
selected() {
	plain <"$TMP/all" | awk '{
		line = $0
		gsub(/[][]/, " ")
		time = $1; cpu = $3; tid = $5
		if ('"$1"') print line
	}'
}

# selects NAME CONDITION LAST ARG...: the options select what awk does, the last LAST of them
selects() {
	s_name=$1
	selected "$2" | tail -n "$3" >"$TMP/want"
	shift 3
	"$TOOL" "$@" >"$TMP/text"
	plain <"$TMP/text" >"$TMP/got"
	check "$s_name" cmp "$TMP/want" "$TMP/got"
	s_lines=$(grep -c . "$TMP/want")
	expect "$s_name: the title" "$(sed -n 's/^JTRACE: \(.* shown\)$/\1/p' "$TMP/text")" \
		"$s_lines of $all entries shown"
	expect "$s_name: JSON" "$("$TOOL" --json "$@" | grep -c '"type":"event"')" "$s_lines"
}

"$TOOL" >"$TMP/all"
all=$(plain <"$TMP/all" | grep -c .)
at_least "entries" "$all" 1000
end=$(plain <"$TMP/all" | sed -n '$s/^\[ *\([0-9.]*\)\].*/\1/p')
tid=$(plain <"$TMP/all" | sed -n '$s/.* tid *\([0-9]*\)\].*/\1/p')
middle=$(plain <"$TMP/all" | sed -n "$((all / 2))s/^\[ *\([0-9.]*\)\].*/\1/p")

selects "the last ones" 1 100 -n 100
selects "a CPU" 'cpu == 0' "$all" -C 0
selects "a CPU, the last ones" 'cpu == 0' 7 --cpu 0 --last 7
selects "a thread" "tid == $tid" "$all" --tid "$tid"
selects "up to a time" "time <= $middle" "$all" -U "$middle"
selects "between times" "time >= $middle && time <= $end" "$all" -S "$middle" -U "$end"
selects "a tag" '/hammer/' "$all" -g hammer
selects "none" 0 "$all" -g 'no such tag'
rest=$(selected "time > $middle" | grep -c .)
at_least "the second half" "$rest" $((all / 3))
late=$(awk -v end="$end" 'BEGIN { printf "%.9f", end - 0.001 }')
selects "the last millisecond" "time >= $late" "$all" -S -1ms

finish
