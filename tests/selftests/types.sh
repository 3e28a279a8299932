#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# types - every integer type and pointer in every field, 0 to 6 arguments; which
# arguments are evaluated, and when
#
# short: yes

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

have jtrace_types || skip_all "no jtrace_types.ko"

# judge: check that each line of $TMP/trace has the values in its tag (tests/kmod/types.c)
judge() {
	entries <"$TMP/trace" | awk '
	function want(a, b, c, d, e, f) { return a " " b " " c " " d " " e " " f }
	BEGIN { z = "00000000"; zz = z z }
	{
		split($0, part, " : ")
		tag = $0
		sub(/^.*uSec\) : [^(]*\(/, "", tag)
		split(tag, word, " ")
		got = part[2]
		split(got, arg, " ")
		v = word[2]; w = word[3]
		if (word[1] == "count") {
			n = word[2] + 0
			ref = want(n > 0 ? "00000001" : z, n > 1 ? "00000002" : z,
				   n > 2 ? "00000003" : z, n > 3 ? "00000004" : z,
				   n > 4 ? z "00000005" : zz, n > 5 ? z "00000006" : zz)
		} else if (word[1] == "odd") {
			ref = want(v, z, v, z, w, zz)
		} else if (word[1] == "even") {
			ref = want(z, v, z, v, zz, w)
		} else if (word[1] == "wide") {
			ref = want(z, z, z, z, v, v)
		} else if (word[1] == "same" && arg[5] != zz) {
			ref = want(z, z, z, z, arg[5], arg[5])
		} else {
			ref = "?"
		}
		seen[word[1]]++
		if (got == ref)
			right++
		else
			print "wrong, expected " ref ": " $0 > "'"$TMP/wrong"'"
	}
	END {
		print right + 0 > "'"$TMP/right"'"
		exit !(seen["count"] == 7 && seen["odd"] >= 28 && seen["odd"] == seen["even"] &&
		       seen["wide"] >= 20 && seen["same"] >= 7)
	}'
}

start target_buffer_size=1M
load jtrace_types
trace >"$TMP/trace"
: >"$TMP/wrong"
check "there are events of each kind" judge
expect "each field shows its argument" "$(cat "$TMP/wrong")" ""
expect "as many as were recorded" "$(cat "$TMP/right")" "$(param jtrace_types records)"
at_least "which is all of them" "$(cat "$TMP/right")" 90

expect "nothing is evaluated before" "$(param jtrace_types evaluated)" 0
echo 1 >/sys/module/jtrace_types/parameters/fire
expect "each argument is evaluated once" "$(param jtrace_types evaluated)" 6
trace | grep '(fire)$' | sed 's/.*\] : \(.*\) : (.*/\1/' | tr ' ' '\n' | sed 's/^0*//' | sort |
	tr '\n' ' ' >"$TMP/fired"
expect "and recorded once" "$(cat "$TMP/fired")" "1 2 3 4 5 6 "

recording 0
before=$(cat "$JT/stats")
echo 1 >/sys/module/jtrace_types/parameters/fire
expect "nothing is evaluated while recording is off" "$(param jtrace_types evaluated)" 6
expect "nothing is counted while recording is off" "$(cat "$JT/stats")" "$before"
recording 1
echo 1 >/sys/module/jtrace_types/parameters/fire
expect "evaluated again when it is on" "$(param jtrace_types evaluated)" 12

before=$(cat "$JT/stats")
echo 1 >/sys/module/jtrace_types/parameters/fire_disabled
expect "JTRACE_DISABLED: nothing is evaluated" "$(param jtrace_types evaluated)" 12
expect "JTRACE_DISABLED: nothing is recorded" "$(cat "$JT/stats")" "$before"

# Small entries keep argument 1, with any other arguments.
start target_buffer_size=1M use_large_entries=n
load jtrace_types
expect "small: all events" "$(shown)" "$(param jtrace_types records)"
trace | entries | grep '(odd ' | grep -vE ' : ([0-9a-f]{8}) : .*\(odd \1 ' >"$TMP/wrong"
expect "small: argument 1 is kept" "$(cat "$TMP/wrong")" ""
at_least "small: of so many" "$(trace | grep -cE ' : ([0-9a-f]{8}) : .*\(odd \1 ')" 28

finish
