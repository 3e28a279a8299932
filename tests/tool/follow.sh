# shellcheck shell=bash disable=SC2154 # set by run
# SPDX-License-Identifier: GPL-2.0
#
# Tests of jtrace -f with files in the place of the live trace

# put_live ARG...: make the image of mkimage the live trace, at once
put_live() {
	"$tmp/mkimage" "$@" > "$tmp/next"
	mv "$tmp/next" "$debug/trace_raw"
}

# follow ARG...: start to follow, and wait for the first line
start_follow() {
	# Before the job in the background does it, maybe late.
	: > "$tmp/out"
	# In the background bash ignores SIGINT.
	env --default-signal=INT "$jtrace" -f "$@" > "$tmp/out" 2> "$tmp/err" &
	follower=$!
	wait_follow '.'
}

# wait_follow REGEX: wait up to a minute for a line
wait_follow() {
	local i

	for ((i = 0; i < 600; i++)); do
		! grep -qE "$1" "$tmp/out" || return 0
		kill -0 "$follower" 2> /dev/null || return 1
		sleep 0.1
	done
	return 1
}

# end_follow STATUS [SIGNAL]: pass if it ends so, within a minute
end_follow() {
	local i

	[ $# -lt 2 ] || kill -s "$2" "$follower"
	for ((i = 0; i < 600; i++)); do
		kill -0 "$follower" 2> /dev/null || break
		sleep 0.1
	done
	kill -s KILL "$follower" 2> /dev/null
	status=0
	wait "$follower" || status=$?
	[ "$status" -eq "$1" ]
}

# follow_has NAME EXPECTED STATUS: pass if the follower ended so, with this output and no message
follow_has() {
	if [ "$status" -eq "$3" ] && [ ! -s "$tmp/err" ] && cmp -s "$2" "$tmp/out"; then
		ok "$1"
	else
		diff "$2" "$tmp/out" > "$tmp/diff"
		not_ok "$1: exit status $status" "$tmp/diff" "$tmp/err"
	fi
}

test_follow_options() {
	local args

	for args in "-r -r" "-l -l" "-m -m" "--frame --frame=1" "-i -i" \
		"stop stop" "--since -S1" "--until -U1"; do
		says "-f and ${args#* }" 2 "-f: cannot be combined with ${args% *}" -f "${args#* }"
	done
}

# follow_gap NAME REGEX ARG...: 4900 entries are lost; REGEX finds the number in the line of a gap
follow_gap() {
	local name=$1 regex=$2 told

	shift 2
	put_live -n 12 -c 32 -q 12
	start_follow "$@"
	# It rests after the first looks only.
	wait_rests 10
	put_live -n 100 -c 32 -q 5000
	wait_follow "$(printf '[: ]%08x |"a":99,' 99)"
	end_follow 0 TERM
	told=$(sed -nE "s/$regex/\\1/p" "$tmp/out" | awk '{ n += $1 } END { print n + 0 }')
	if [ "$told" -eq 4900 ] && [ "$(grep -cE "$regex" "$tmp/out")" -ge 2 ]; then
		ok "-f: $name"
	else
		not_ok "-f: $name: $told entries" "$tmp/out"
	fi
}

# wait_rests NR: wait until the follower has rested so often
wait_rests() {
	until [ "$(awk '/^voluntary/ { print $2 }' "/proc/$follower/status")" -ge "$1" ]; do
		sleep 0.1
	done
}

# Each look is narrowed and decoded alike; -n counts in the first one.
follow_narrowed() {
	local nr first

	for nr in 12 40 100; do
		put_live -n $nr -c 32 -N
		run 0 -d -C 1
		entries_of_out > "$tmp/all.$nr"
	done
	put_live -n 12 -c 32 -N
	first=$(wc -l < "$tmp/all.12")
	start_follow -d -C 1 -n $((first - 1))
	for nr in 40 100; do
		put_live -n $nr -c 32 -N
		wait_follow "^$(tail -n 1 "$tmp/all.$nr" | sed 's/].*//; s/[][]/\\&/g')"
	done
	end_follow 0 TERM
	tail -n +2 "$tmp/all.100" | sed '1s/([ 0-9.]* uSec)/(       0.000 uSec)/' > "$tmp/expected"
	follow_has "-f -d -C 1 -n $((first - 1))" "$tmp/expected" 0
	[ "$(wc -l < "$tmp/expected")" -ge 30 ] || not_ok "-f -d -C 1: enough entries" "$tmp/expected"
}

# The same image with more events each time: mkimage makes the same ones first.
test_follow() {
	local root=$tmp/follow debug=$tmp/follow/sys/kernel/debug/jtrace other

	test_follow_options
	rm -rf "$root"
	mkdir -p "$root/proc" "$root/sys/module/jtrace" "$debug"
	echo "none /sys/kernel/debug debugfs rw 0 0" > "$root/proc/mounts"
	export JTRACE_ROOT=$root
	says "-f: no buffer" 1 ".*/trace_raw: No such file or directory" -f
	head -c 100 "$tmp/tiny" > "$debug/trace_raw"
	says "-f: half an image" 1 "trace_raw: no whole image in its 100 bytes" -f

	put_live -n 100 -c 32
	run 0
	entries_of_out > "$tmp/all"
	put_live -n 12 -c 32
	start_follow
	put_live -n 40 -c 32
	wait_follow "$(printf ' : %08x ' 39)"
	put_live -n 100 -c 32
	wait_follow "$(printf ' : %08x ' 99)"
	end_follow 0 TERM
	# The line above the first one is not shown.
	tail -n +3 "$tmp/all" | sed '1s/([ 0-9.]* uSec)/(       0.000 uSec)/' > "$tmp/expected"
	follow_has "-f: the last ten, then all that come, with the time between" "$tmp/expected" 0

	run 0 --json
	grep '"type":"event"' "$tmp/out" | tail -n +3 > "$tmp/expected"
	put_live -n 12 -c 32
	start_follow --json
	put_live -n 100 -c 32
	wait_follow '"a":99,'
	end_follow 0 INT
	sed -i '/"type":"image"/d' "$tmp/out"
	follow_has "-f --json" "$tmp/expected" 0

	# It is stopped while the last events come, and gets the signal before it can look.
	put_live -n 12 -c 32
	start_follow
	kill -s STOP "$follower"
	until grep -q '^State:[[:space:]]*T' "/proc/$follower/status"; do sleep 0.1; done
	put_live -n 100 -c 32
	kill -s TERM "$follower"
	end_follow 0 CONT
	if [ "$status" -eq 0 ] && grep -q "$(printf ' : %08x ' 99)" "$tmp/out"; then
		ok "-f: what came before the signal"
	else
		not_ok "-f: what came before the signal: exit status $status" "$tmp/out"
	fi

	follow_narrowed
	follow_gap "gaps" '^JTRACE: ([0-9]+) entries lost here$'
	follow_gap "gaps in JSON" '^\{"type":"gap","entries":([0-9]+)\}$' --json
	status=0
	"$jtrace" -f > /dev/full 2> "$tmp/err" || status=$?
	if [ "$status" -eq 1 ] && grep -q '^jtrace: standard output: No space left' "$tmp/err"; then
		ok "-f: a full disk"
	else
		not_ok "-f: a full disk: exit status $status" "$tmp/err"
	fi
	for other in "-S 9" "-c 64"; do
		put_live -n 5
		start_follow
		# shellcheck disable=SC2086 # a list of words
		put_live -n 6 $other
		end_follow 1
		echo "jtrace: -f: module jtrace was loaded again: run this command again" > "$tmp/want"
		if [ "$status" -eq 1 ] && cmp -s "$tmp/want" "$tmp/err"; then
			ok "-f: another image, $other"
		else
			not_ok "-f: another image, $other: exit status $status" "$tmp/err"
		fi
	done

	put_live -n 5
	start_follow
	rm "$debug/trace_raw"
	end_follow 1
	if [ "$status" -eq 1 ] && [ "$(cat "$tmp/err")" = "jtrace: -f: module jtrace was unloaded" ]; then
		ok "-f: unloaded"
	else
		not_ok "-f: unloaded: exit status $status" "$tmp/err"
	fi

	# Nothing new comes, so only the pipe tells that its reader has gone.
	put_live -n 5
	status=0
	timeout 60 "$jtrace" -f 2> "$tmp/err" | head -n 1 > "$tmp/out" || status=$?
	if [ "$status" -eq 1 ] && [ ! -s "$tmp/err" ] && [ "$(wc -l < "$tmp/out")" -eq 1 ]; then
		ok "-f | head"
	else
		not_ok "-f | head: exit status $status" "$tmp/out" "$tmp/err"
	fi
	unset JTRACE_ROOT
}

entries_of_out() {
	sed -n -e '/^$/q' -e '/^\[/p' "$tmp/out"
}

# test_account [ROUNDS]
test_account() {
	# shellcheck disable=SC2086 # a list of words
	if clang $flags -Wno-gnu -O1 -g $sanitize -o "$tmp/account" "$here/account.c" \
		> "$tmp/log" 2>&1 && timeout 300 "$tmp/account" "$seed" "${1:-20000}" > "$tmp/log" 2>&1; then
		ok "-f: the account is exact: $(cat "$tmp/log")"
	else
		not_ok "-f: the account is exact, SEED=$seed" "$tmp/log"
	fi
}

# test_steady [ROUNDS]
test_steady() {
	# shellcheck disable=SC2086 # a list of words
	if clang $flags -Wno-gnu -O1 -g $sanitize -o "$tmp/steady" "$here/steady.c" \
		> "$tmp/log" 2>&1 && timeout 300 "$tmp/steady" "$seed" "${1:-2000}" > "$tmp/log" 2>&1; then
		ok "no entry of a file that changes is false: $(cat "$tmp/log")"
	else
		not_ok "no entry of a file that changes is false, SEED=$seed" "$tmp/log"
	fi
}
