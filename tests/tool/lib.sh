# shellcheck shell=bash disable=SC2154 # set by run
# SPDX-License-Identifier: GPL-2.0
#
# Shared by the tests of jtrace(1).  A failed test does not end the run.

passed=0 failed=0 skipped=0

ok() {
	passed=$((passed + 1))
	echo "ok $((passed + failed + skipped)) - $build: $1"
}

# not_ok TEXT [FILE...]: report a failure, with the first lines of the files
not_ok() {
	failed=$((failed + 1))
	echo "not ok $((passed + failed + skipped)) - $build: $1"
	shift
	[ $# -eq 0 ] || head -n 20 "$@" | cut -c 1-300 | sed 's/^/# /'
}

skip() {
	skipped=$((skipped + 1))
	echo "ok $((passed + failed + skipped)) - $build: $1 # SKIP $2"
}

# run STATUS ARG...: run jtrace(1), with output in $tmp/out and $tmp/err
run() {
	want=$1
	shift
	status=0
	"$jtrace" "$@" > "$tmp/out" 2> "$tmp/err" || status=$?
	[ "$status" -eq "$want" ]
}

# shows NAME EXPECTED ARG...: pass if it prints exactly that file
shows() {
	local name=$1 expected=$2

	shift 2
	if ! run 0 "$@"; then
		not_ok "$name: exit status $status" "$tmp/err"
	elif ! cmp -s "$tmp/out" "$expected"; then
		diff "$expected" "$tmp/out" > "$tmp/diff"
		not_ok "$name" "$tmp/diff"
	else
		ok "$name"
	fi
}

# says NAME STATUS REGEX ARG...: pass if it prints one line on standard error, and nothing else
says() {
	local name=$1 wanted=$2 regex=$3

	shift 3
	if ! run "$wanted" "$@"; then
		not_ok "$name: exit status $status, not $wanted" "$tmp/err"
	elif [ -s "$tmp/out" ] || ! head -n 1 "$tmp/err" | grep -qE "^jtrace: $regex$"; then
		not_ok "$name: not \"$regex\"" "$tmp/out" "$tmp/err"
	elif [ "$wanted" -eq 1 ] && [ "$(wc -l < "$tmp/err")" -ne 1 ]; then
		not_ok "$name: more than a line" "$tmp/err"
	else
		ok "$name"
	fi
}

# notes NAME REGEX: pass if the last run printed that on standard error
notes() {
	if grep -qE "$2" "$tmp/err"; then
		ok "$1"
	else
		not_ok "$1: not \"$2\"" "$tmp/err"
	fi
}
