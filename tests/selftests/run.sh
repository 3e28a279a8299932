#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# run.sh - run all selftests, or those named, and add up their results
#
# Usage: sh run.sh [TEST...]     (as root; see lib.sh for MODULES and VERIFY)
# Exit: 0 all passed, 1 something failed or nothing ran, 4 all skipped.
#
# Each test has TEST_TIMEOUT seconds (900).  It must leave no warning in the kernel log, unless it
# has a line "# log: oops", or "# log: TEXT" for warnings with this text only. TAP goes to stdout,
# and to fd 3 if that is open. A test with a line "# needs: WORD" runs only if named, or with
# WITH=WORD.

HERE=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT

PATTERN='WARNING:|BUG:|Oops|Call Trace:|general protection|INFO: task'
PATTERN="$PATTERN|rcu:.*(stall|detected)|UBSAN|KASAN:|kmemleak: .*suspected"

passed=0
failed=0
skipped=0

say() {
	echo "$*"
	{ echo "$*" >&3; } 2>/dev/null
}

# header FILE NAME: print the value of a "# NAME: value" line
header() {
	sed -n "s/^# $2: //p" "$1" | head -n 1
}

# take FILE TEST: print its TAP, renumbered, and count the results
take() {
	while IFS= read -r line; do
		case $line in
		"ok "*"# SKIP"*)
			skipped=$((skipped + 1)) ;;
		"ok "*)
			passed=$((passed + 1)) ;;
		"not ok "*)
			failed=$((failed + 1)) ;;
		"1..0 # SKIP"*)
			skipped=$((skipped + 1))
			say "ok $((passed + failed + skipped)) $2${line#1..0}"
			continue ;;
		"TAP version"*|"1.."*)
			continue ;;
		*)
			say "$line"
			continue ;;
		esac
		say "${line%%ok *}ok $((passed + failed + skipped)) $2: ${line#*- }"
	done <"$1"
}

# fail TEST TEXT
fail() {
	failed=$((failed + 1))
	say "not ok $((passed + failed + skipped)) $1: $2"
}

run() {
	name=$(basename "$1" .sh)
	limit=${TEST_TIMEOUT:-900}
	mark="selftest $name $$ $(cut -d' ' -f1 /proc/uptime)"
	echo "$mark" >/dev/kmsg
	before=$failed
	begin=$(cut -d. -f1 /proc/uptime)

	timeout "$limit" sh "$1" >"$out/tap" 2>"$out/err" </dev/null 3>&-
	status=$?
	take "$out/tap" "$name"
	sed 's/^/# /' "$out/err" | head -n 20 >"$out/err.tap"
	while IFS= read -r line; do
		say "$line"
	done <"$out/err.tap"
	case $status in
	0|4)	;;
	1)	[ "$failed" -gt "$before" ] || fail "$name" "failed without saying why" ;;
	124|143) fail "$name" "timed out after $limit s" ;;
	*)	fail "$name" "ended with status $status" ;;
	esac
	grep -q '^1\.\.' "$out/tap" || [ "$failed" -gt "$before" ] ||
		fail "$name" "did not come to its end"

	# If the mark was overwritten, search the whole log.
	dmesg | awk -v mark="$mark" 'index($0, mark) { n = 0; next } { line[n++] = $0 }
		END { for (i = 0; i < n; i++) print line[i]; exit !NR }' >"$out/dmesg" ||
		fail "$name" "the kernel log cannot be read"
	expected=$(header "$1" log)
	grep -E "$PATTERN" "$out/dmesg" | grep -vF "${expected:-$mark}" >"$out/log"
	if [ "$expected" != oops ] && [ -s "$out/log" ]; then
		fail "$name" "warnings in the kernel log"
		while IFS= read -r line; do
			say "#   $line"
		done <"$out/log"
	fi
	# As in lib.sh: clients first.
	for m in $(grep -o '^jtrace_[^ ]*' /proc/modules) jtrace; do
		if grep -q "^$m " /proc/modules && ! rmmod "$m"; then
			fail "$name" "left $m loaded, and it cannot be unloaded"
		fi
	done
	say "# $name took $(($(cut -d. -f1 /proc/uptime) - begin)) s"
}

say "TAP version 13"
if [ $# -gt 0 ]; then
	for name; do
		if [ ! -f "$HERE/$name.sh" ]; then
			fail "$name" "no such test"
			continue
		fi
		run "$HERE/$name.sh"
	done
else
	for file in "$HERE"/*.sh; do
		case $file in
		*/lib.sh|*/run.sh) continue ;;
		esac
		needs=$(header "$file" needs)
		case " ${WITH-} " in
		*" ${needs:-${WITH-}} "*)
			run "$file" ;;
		*)
			skipped=$((skipped + 1))
			say "ok $((passed + failed + skipped)) $(basename "$file" .sh): needs $needs: name it to run it # SKIP" ;;
		esac
	done
fi

say "1..$((passed + failed + skipped))"
say "# $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] || exit 1
[ "$passed" -ne 0 ] || { [ "$skipped" -ne 0 ] && exit 4; exit 1; }
