# shellcheck shell=bash disable=SC2154 # set by run
# SPDX-License-Identifier: GPL-2.0
#
# Tests of jtrace -f FILE: a file that another program writes to, as that of a machine's RAM

# put_ram ARG...: write the image of mkimage to the file, from page 100 on
put_ram() {
	"$tmp/mkimage" "$@" > "$tmp/next"
	dd if="$tmp/next" of="$tmp/ram" bs=4096 seek=100 conv=notrunc status=none
}

# put_scattered SEED ARG...: the same, torn into pages, which have the same places for each SEED
put_scattered() {
	local s=$1

	shift
	"$tmp/mkimage" "$@" > "$tmp/next"
	"$here/scatter" "$s" "$tmp/next" | dd of="$tmp/ram" bs=4096 seek=100 conv=notrunc status=none
}

# new_ram: a file of 16 MiB without an image
new_ram() {
	rm -f "$tmp/ram"
	truncate -s 16M "$tmp/ram"
}

# wait_err REGEX: wait up to a minute for a message
wait_err() {
	local i

	for ((i = 0; i < 600; i++)); do
		! grep -qE "$1" "$tmp/err" || return 0
		kill -0 "$follower" 2> /dev/null || return 1
		sleep 0.1
	done
	return 1
}

# ends_with NAME REGEX: pass if the follower ends with this message, which is its last one
ends_with() {
	end_follow 1
	if [ "$status" -eq 1 ] && tail -n 1 "$tmp/err" | grep -qE "^jtrace: -f: $2$"; then
		ok "-f FILE: $1"
	else
		not_ok "-f FILE: $1: exit status $status" "$tmp/err"
	fi
}

# expect_from NR ARG...: let $tmp/expected be the entries of an image from its NRth on, as -f shows
# them
expect_from() {
	local nr=$1

	shift
	"$tmp/mkimage" "$@" > "$tmp/next"
	run 0 "$tmp/next"
	entries_of_out | tail -n +"$nr" | sed '1s/([ 0-9.]* uSec)/(       0.000 uSec)/' > "$tmp/expected"
}

# wait_lines NR: wait up to a minute until so many lines are shown
wait_lines() {
	local i

	for ((i = 0; i < 600; i++)); do
		[ "$(wc -l < "$tmp/out")" -lt "$1" ] || return 0
		sleep 0.1
	done
	return 1
}

# follow_more NAME PUT ARG...: it shows the last ten of 12 events, and all up to the 200th.  Events
# of pages that were not known before may come after later ones.
follow_more() {
	local name=$1 put=$2 nr

	shift 2
	new_ram
	expect_from 3 -n 200 "$@"
	without_differences < "$tmp/expected" > "$tmp/these"
	# shellcheck disable=SC2086 # a list of words
	$put -n 12 "$@"
	start_follow "$tmp/ram"
	for nr in 40 200; do
		# shellcheck disable=SC2086 # a list of words
		$put -n $nr "$@"
		wait_lines $((nr - 2))
	done
	end_follow 0 INT
	if [ "$status" -eq 0 ] && [ ! -s "$tmp/err" ] &&
		without_differences < "$tmp/out" | cmp -s "$tmp/these" -; then
		ok "-f FILE: $name"
	else
		diff "$tmp/expected" "$tmp/out" > "$tmp/diff"
		not_ok "-f FILE: $name: exit status $status" "$tmp/diff" "$tmp/err"
	fi
}

# Entries are overwritten between two looks: the bound of the gap is no less than what is missing.
follow_most() {
	local shown most

	new_ram
	put_ram -n 12 -c 32
	start_follow "$@" "$tmp/ram"
	put_ram -n 1500 -c 32
	wait_follow "$(printf '[: ]%08x |"a":1499,' 1499)"
	end_follow 0 TERM
	shown=$(grep -cE '^\[|"type":"event"' "$tmp/out")
	most=$(sed -nE 's/^JTRACE: up to ([0-9]+) entries lost here$|^\{"type":"gap","at_most":([0-9]+)\}$/\1\2/p' \
		"$tmp/out" | awk '{ n += $1 } END { print n + 0 }')
	# The first two are before the last ten.
	if [ "$most" -ge $((1500 - 2 - shown)) ] && [ "$most" -le 1500 ] && [ "$shown" -gt 200 ]; then
		ok "-f${1:+ $1} FILE: a gap"
	else
		not_ok "-f${1:+ $1} FILE: a gap: up to $most, $shown shown" "$tmp/out"
	fi
}

# The machine is reset, and its next boot has an image of its own.
follow_others() {
	new_ram
	put_ram -n 12 -c 32
	start_follow "$tmp/ram"
	put_ram -n 20 -c 32 -S 9 -r 2000
	wait_follow "$(printf ' : %08x ' 19)"
	dd if=/dev/zero of="$tmp/ram" bs=4096 seek=100 count=100 conv=notrunc status=none
	wait_err 'has gone'
	# An older one does not count.
	"$tmp/mkimage" -n 30 -c 64 -S 11 -r 1500 | dd of="$tmp/ram" bs=4096 seek=500 conv=notrunc status=none
	wait_rests $(($(awk '/^voluntary/ { print $2 }' "/proc/$follower/status") + 10))
	"$tmp/mkimage" -n 25 -c 64 -S 12 -r 3000 -R 6.9-next | dd of="$tmp/ram" bs=4096 seek=1000 conv=notrunc status=none
	wait_follow "$(printf ' : %08x ' 24)"
	end_follow 0 TERM
	cp "$tmp/out" "$tmp/followed"
	cp "$tmp/err" "$tmp/said"
	printf 'jtrace: %s: %s\n' "$tmp/ram" "another image, at 0x64000 (running, 6.1.0-test)" \
		"$tmp/ram" "the image has gone: waiting for another one" \
		"$tmp/ram" "another image, at 0x3e8000 (running, 6.9-next)" > "$tmp/want"
	{
		expect_from 3 -n 12 -c 32
		cat "$tmp/expected"
		expect_from 11 -n 20 -c 32 -S 9 -r 2000
		cat "$tmp/expected"
		expect_from 16 -n 25 -c 64 -S 12 -r 3000
		cat "$tmp/expected"
	} > "$tmp/shown"
	if [ "$status" -eq 0 ] && cmp -s "$tmp/shown" "$tmp/followed" && cmp -s "$tmp/want" "$tmp/said"; then
		ok "-f FILE: images of other boots"
	else
		diff "$tmp/shown" "$tmp/followed" > "$tmp/diff"
		not_ok "-f FILE: images of other boots: exit status $status" "$tmp/diff" "$tmp/said"
	fi
}

# without_differences: print the sorted entries without the time since the line above
without_differences() {
	sed -E 's/ : \( *[0-9.]* uSec\) : / : /' | LC_ALL=C sort
}

# Bytes of the file are damaged, and mended, while it is followed: each entry that is shown was
# recorded, and comes once.  The record of its site may be lost.
follow_damaged() {
	local i at

	new_ram
	put_ram -C -n 150 -c 32
	start_follow "$tmp/ram"
	for ((i = 0; i < 40; i++)); do
		at=$((seed * (i + 1) * 7919 % 17000))
		junk $((i * 20)) | dd of="$tmp/ram" bs=1 seek=$((409600 + at)) conv=notrunc status=none
		wait_rests $((i + 2))
		put_ram -C -n $((150 + i)) -c 32
	done
	wait_follow "$(printf ' : %08x ' $((150 + i - 1)))"
	end_follow 0 TERM
	cp "$tmp/out" "$tmp/followed"
	cp "$tmp/err" "$tmp/said"
	expect_from 1 -C -n 190 -c 32
	grep -v ' (<site [0-9]*>)$' "$tmp/followed" | without_differences > "$tmp/these"
	without_differences < "$tmp/expected" | LC_ALL=C comm -13 - "$tmp/these" > "$tmp/false"
	if [ "$status" -eq 0 ] && [ ! -s "$tmp/false" ] && [ "$(wc -l < "$tmp/these")" -ge 40 ]; then
		ok "-f FILE: damaged and mended, seed $seed"
	else
		not_ok "-f FILE: damaged and mended, seed $seed: exit status $status" "$tmp/false" "$tmp/said"
	fi
}

# The user chooses an older image.
follow_at() {
	new_ram
	put_ram -n 12 -c 32
	"$tmp/mkimage" -n 15 -c 64 -S 12 -r 3000 | dd of="$tmp/ram" bs=4096 seek=500 conv=notrunc status=none
	start_follow --at 0x64000 "$tmp/ram"
	put_ram -n 20 -c 32
	wait_lines 18
	end_follow 0 TERM
	cp "$tmp/out" "$tmp/followed"
	cp "$tmp/err" "$tmp/said"
	expect_from 3 -n 20 -c 32
	if [ "$status" -eq 0 ] && [ ! -s "$tmp/said" ] && cmp -s "$tmp/expected" "$tmp/followed"; then
		ok "-f FILE --at"
	else
		not_ok "-f FILE --at: exit status $status" "$tmp/followed" "$tmp/said"
	fi
}

follow_ends() {
	new_ram
	put_ram -n 12 -c 32
	start_follow "$tmp/ram"
	truncate -s 1M "$tmp/ram"
	ends_with "cut off" "$tmp/ram: has 1048576 bytes, had 16777216"
	new_ram
	put_ram -n 12 -c 32
	start_follow "$tmp/ram"
	cp "$tmp/ram" "$tmp/other-ram"
	mv "$tmp/other-ram" "$tmp/ram"
	ends_with "replaced" "$tmp/ram: another file has this name now: run this command again"
	start_follow "$tmp/ram"
	rm "$tmp/ram"
	ends_with "removed" "$tmp/ram: No such file or directory"
}

test_follow_file() {
	local s

	follow_more "an image in one piece" put_ram -c 32
	follow_more "reserved memory" put_ram -c 32 -C
	follow_more "a scattered image, seed $seed" "put_scattered $seed" -c 8 -s 12
	follow_most
	follow_most --json
	follow_others
	follow_damaged
	follow_at
	follow_ends
	new_ram
	says "-f FILE: no image" 1 ".*: no jtrace image in its 16777216 bytes" -f "$tmp/ram"
	zeroed "$tmp/large" 0 512 > "$tmp/next"
	head -c -512 "$tmp/next" > "$tmp/ram"
	says "-f FILE: no header" 1 "-f: .*: the image at 0x0 has no header" -f "$tmp/ram"
	says "-f FILE: standard input" 1 "-f: standard input: not a file that a machine writes to" \
		-f - < "$tmp/large"
	rm -f "$tmp/ram"
}
