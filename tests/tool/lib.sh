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

# quiet NAME: pass if the last run printed nothing on standard error
quiet() {
	if [ ! -s "$tmp/err" ]; then
		ok "$1: no message"
	else
		not_ok "$1: a message" "$tmp/err"
	fi
}

# nothing_left NAME GLOB: pass if there is no such file
nothing_left() {
	if ! compgen -G "$2" > "$tmp/left"; then
		ok "$1: nothing is left"
	else
		not_ok "$1: something is left" "$tmp/left"
		xargs -d '\n' rm -rf < "$tmp/left"
	fi
}

# ends_export OPTION TARGET: pass if a signal ends an export that has another name yet, and nothing
# is left.  Try again if it came too late.
ends_export() {
	local option=$1 t=$2 tries pid half

	rm -rf "$t"
	"$tmp/mkimage" -n 300000 -c 5000 -s 12 -p 2 > "$tmp/file"
	for tries in $(seq 50); do
		"$jtrace" "$option" "$t" "$tmp/file" 2> "$tmp/err" &
		pid=$!
		while half=$(compgen -G "$t.??????"); [ -z "$half" ] && kill -0 $pid 2> /dev/null; do :; done
		kill -TERM $pid 2> /dev/null
		status=0
		wait $pid || status=$?
		[ "$status" -ne 143 ] || break
		rm -rf "$t"
	done
	if [ "$status" -eq 143 ] && [ ! -e "$t" ] && [ ! -s "$tmp/err" ]; then
		ok "$option: a signal, at try $tries"
	else
		not_ok "$option: a signal: exit status $status" "$tmp/err"
	fi
	nothing_left "$option: a signal" "$t*"
}
