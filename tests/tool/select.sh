# shellcheck shell=bash disable=SC2154,SC2016 # set by run; $ is Perl's
# SPDX-License-Identifier: GPL-2.0
#
# Tests of jtrace(1): which entries are shown

# whole FILE: the whole output for an image, for filter
whole() {
	LC_ALL=C.UTF-8 "$jtrace" --json "$1" > "$tmp/all.json" 2> /dev/null
	LC_ALL=C.UTF-8 "$jtrace" "$1" > "$tmp/all.txt" 2> /dev/null
	[ -s "$tmp/all.json" ] && [ -s "$tmp/all.txt" ]
}

# selects FILE LAST EXPRESSION ARG...: pass if the options select what filter selects, as text and
# as JSON; after whole FILE
selects() {
	local file=$1 last=$2 expression=$3 name

	shift 3
	name="select: ${file##*/} $*"
	if ! "$here/filter" "$tmp" "$last" "$expression" 2> "$tmp/err"; then
		not_ok "$name: filter" "$tmp/err"
		return
	fi
	LC_ALL=C.UTF-8 shows "$name" "$tmp/want.txt" "$@" "$file"
	LC_ALL=C.UTF-8 run 0 --json "$@" "$file" || not_ok "$name: JSON: exit status $status" "$tmp/err"
	if sed -n '/"type":"event"/p' "$tmp/out" | cmp -s - "$tmp/want.json" &&
		grep -q "^{\"type\":\"image\".*,\"shown\":$(wc -l < "$tmp/want.json")," "$tmp/out"; then
		ok "$name: JSON"
	else
		not_ok "$name: JSON" "$tmp/out"
	fi
	[ -z "$some" ] || [ ! -s "$tmp/want.json" ] || cmp -s "$tmp/want.json" <(
		grep '"type":"event"' "$tmp/all.json") || some=$((some + 1))
}

# Each option, and some together, on images of both kinds, on golden ones, and on one whose clock
# went back.
test_select() {
	local image from to regex some=0
	local images=("$tmp"/{tiny,small,none,strings})

	[ "$build" != gcc ] || images+=("$tmp"/{large,laps} "$top"/tests/golden/v2/*.img)
	for image in "${images[@]}"; do
		if ! whole "$image"; then
			not_ok "select: ${image##*/} is shown"
			continue
		fi
		from=$(sed -n 's/.*"time":"\([0-9.]*\)".*/\1/p' "$tmp/all.json" | sed -n '3p')
		to=$(sed -n 's/.*"time":"\([0-9.]*\)".*/\1/p' "$tmp/all.json" | tail -n 2 | head -n 1)
		grep -q '^JTRACE: Recovered' "$tmp/all.txt" || continue
		selects "$image" 0 '$e->{cpu} == 1' -C 1
		selects "$image" 0 '$e->{cpu} != 1' --cpu 0,2-4294967295
		selects "$image" 0 '$e->{cpu} >= 1 && $e->{cpu} <= 2' --cpu 1-2
		selects "$image" 1 '1' -n 1
		selects "$image" 7 '1' --last 7
		selects "$image" 100000 '1' -n 100000
		selects "$image" 3 '$e->{cpu} == 0' -n 3 -C 0
		selects "$image" 100000 '$e->{cpu} == 0' -n 100000 -C 0
		selects "$image" 0 '$e->{time_ns} >= $end - 500000' -S -500us
		selects "$image" 0 '$e->{time_ns} >= $end - 500000' -S -0.5ms
		selects "$image" 0 '1' -S -4294967295
		selects "$image" 0 '$e->{time_ns} <= $end - 1000000' -U -1ms
		selects "$image" 0 "\$e->{time} >= ${from:-0} && \$e->{time} <= ${to:-0}" \
			--since "${from:-0}" --until "${to:-0}s"
		for regex in 'read|thr|ü' '^(close|three)$' '^func$' '^file\.c$'; do
			selects "$image" 2 "grep { (\$e->{\$_} // '') =~ m{$regex} } qw(tag function file)" \
				-g "$regex" -n 2
		done
		selects "$image" 0 '0' -g 'no such word'
		if grep -q '"kind":"large"' "$tmp/all.json"; then
			selects "$image" 0 '$e->{tid} == 101' --tid 101
			selects "$image" 0 '$e->{tid} == 0' --tid 0
		else
			says "select: --tid of small entries" 1 ".*: --tid: small entries have no thread: load jtrace with use_large_entries=y" \
				--tid 1 "$image"
		fi
	done
	# A tag with bytes that are not UTF-8, which "." does not match, but their text does.
	LC_ALL=C.UTF-8 run 0 "$tmp/bytes"
	grep '^\[.*bad)$' "$tmp/out" > "$tmp/want"
	LC_ALL=C.UTF-8 run 0 -g '^.*bad' "$tmp/bytes"
	if [ -s "$tmp/want" ] && grep '^\[' "$tmp/out" | sed 's/(  *[0-9.]* uSec)//' |
		cmp -s - <(sed 's/(  *[0-9.]* uSec)//' "$tmp/want"); then
		ok "select: bytes that are not UTF-8"
	else
		not_ok "select: bytes that are not UTF-8" "$tmp/out" "$tmp/err"
	fi
	# What selects all or nothing everywhere would prove little.
	if [ "$some" -gt $((4 * ${#images[@]})) ]; then
		ok "select: $some selections are a part"
	else
		not_ok "select: only $some selections are a part"
	fi
}

# More sites than are cached: each entry is selected by its own one.
test_select_sites() {
	local some=''

	seq 1500 | awk '{ print "0 0:1 " $1 " 0 0 0 0 0 file func " ($1 % 3 ? "" : "third-") $1 }' \
		> "$tmp/sites.in"
	"$tmp/mkimage" -c 256 -e "$tmp/sites.in" > "$tmp/sites"
	if whole "$tmp/sites" && [ "$(wc -l < "$tmp/all.json")" -eq 1501 ]; then
		selects "$tmp/sites" 0 '$e->{tag} =~ /^third/' -g '^third'
	else
		not_ok "select: 1500 sites" "$tmp/all.txt"
	fi
}

# The kernel log, alone and merged.
test_select_log() {
	local from

	printf '7 <6>[    5.000010] one\n8 <3>[    5.000500] two\n9 <3>[    6.000000] end\n' > "$tmp/kmsg"
	"$tmp/mkimage" -x 3 -n 40 -c 40 -s 12 -L 65536 -g "$tmp/kmsg" > "$tmp/file"
	printf '[    5.000500] two\n[    6.000000] end\n' > "$tmp/want"
	shows "select: the last lines of the log" "$tmp/want" -l -n 2 "$tmp/file"
	shows "select: lines of the log since" "$tmp/want" -l -S 5.0001 "$tmp/file"
	printf '[    5.000500] two\n' > "$tmp/want"
	shows "select: lines of the log that match" "$tmp/want" -l -g '^tw' "$tmp/file"
	shows "select: the last line of the log that matches" "$tmp/want" -l -g 'o' -n 1 "$tmp/file"
	shows "select: lines of the log before its end" "$tmp/want" -l -S -999600us -U -999ms "$tmp/file"
	printf '%s\n' '7 <6>[    5.000010] one' '8 <3>[    5.000500] two' \
		'8 <3>[    5.000500] halves' > "$tmp/kmsg"
	"$tmp/mkimage" -x 3 -n 4 -c 40 -s 12 -L 65536 -g "$tmp/kmsg" > "$tmp/parts"
	printf '[    5.000500] halves\n' > "$tmp/want"
	shows "select: the last line of a message with two" "$tmp/want" -l -n 1 "$tmp/parts"
	# The clock of the events is ahead.
	run 0 -m "$tmp/file"
	from=$(sed -n 's/^\[ *\([0-9.]*\)\]\[log\] : two/\1/p' "$tmp/out")
	run 0 -m -S "$from" -U "$from" -g 'no such word' "$tmp/file"
	if grep -q . <<< "$from" && [ "$(sed -n 's/.*\]\[log\] : //p' "$tmp/out")" = two ]; then
		ok "select: the log between entries, by time only"
	else
		not_ok "select: the log between entries, by time only" "$tmp/out"
	fi
	run 0 --json -l -g '^tw' "$tmp/file"
	if grep -q '"entries":40,.*"shown":0,' "$tmp/out" &&
		[ "$(sed -n 's/.*"type":"log".*"text":"\(.*\)"}/\1/p' "$tmp/out")" = two ]; then
		ok "select: lines of the log, JSON"
	else
		not_ok "select: lines of the log, JSON" "$tmp/out"
	fi
	# Some lines before the first of the last entries, some behind.
	printf '7 <6>[    4.000010] one\n8 <3>[    4.001850] two\n9 <3>[    5.000000] end\n' > "$tmp/kmsg"
	"$tmp/mkimage" -x 3 -n 40 -c 40 -s 12 -L 65536 -g "$tmp/kmsg" > "$tmp/file"
	run 0 -m -n 2 "$tmp/file"
	from=$(sed -n 's/^\[ *\([0-9.]*\)\]\[cpu .*/\1/p' "$tmp/out" | head -n 1)
	"$jtrace" -m "$tmp/file" | sed -n 's/^\[ *\([0-9.]*\)\]\[log\] .*/\1/p' |
		awk -v from="$from" '$1 >= from' > "$tmp/want"
	sed -n 's/^\[ *\([0-9.]*\)\]\[log\] .*/\1/p' "$tmp/out" > "$tmp/got"
	if [ -s "$tmp/want" ] && cmp -s "$tmp/want" "$tmp/got" && [ "$(wc -l < "$tmp/got")" -lt 3 ]; then
		ok "select: the log from the first of the last entries on"
	else
		not_ok "select: the log from the first of the last entries on" "$tmp/want" "$tmp/out"
	fi
	run 0 -m -n 2 -g 'no such word' "$tmp/file"
	if grep -q '^JTRACE: 0 of 40 entries shown' "$tmp/out" && ! grep -q '\]\[log\]' "$tmp/out"; then
		ok "select: without an entry no log"
	else
		not_ok "select: without an entry no log" "$tmp/out"
	fi
	# A line without a time, then messages that are missing between lines that do not match.
	printf '%s\n' '6 <6>no time' '7 <6>[    5.000010] one' '18 <6>[    5.100000] two' \
		'29 <6>[    6.000000] end' > "$tmp/kmsg"
	"$tmp/mkimage" -x 3 -n 4 -c 40 -s 12 -L 65536 -g "$tmp/kmsg" > "$tmp/file"
	printf '[    6.000000] end\n' > "$tmp/want"
	run 0 -l -S 5.9 "$tmp/file"
	if [ "$(grep -v '^JTRACE' "$tmp/out")" = '[    6.000000] end' ]; then
		ok "select: since leaves out lines without a time"
	else
		not_ok "select: since leaves out lines without a time" "$tmp/out"
	fi
	run 0 -l -g 'one|end' "$tmp/file"
	if grep -qx 'JTRACE: messages missing here: 20' "$tmp/out"; then
		ok "select: all missing messages are counted"
	else
		not_ok "select: all missing messages are counted" "$tmp/out"
	fi
}

test_select_usage() {
	local list="must be a list of CPUs, such as 0,2-5" text

	for text in "" "1," a 1-0 1-2-3 4294967296; do
		says "select: --cpu \"$text\"" 2 "--cpu $text: $list" -C "$text" x
	done
	says "select: too many CPUs" 2 "--cpu .*: more than 64 ranges" -C "$(seq -s , 0 2 130)" x
	for text in '' - 5x 1.2.3 --5 1e3 4294967296 '1 s'; do
		says "select: --since \"$text\"" 2 \
			"--since $text: must be seconds as in the trace, or -5s, -200ms before its end" \
			-S "$text" x
	done
	says "select: --grep" 2 '--grep a\(: Unmatched .*' -g 'a(' x
	says "select: --tid" 2 '--tid -1: must be the number of a thread' --tid -1 x
	for text in 0 '' -1 1.5; do
		says "select: --last \"$text\"" 2 "--last $text: must be a number from 1 on" -n "$text" x
	done
	says "select: -l and --cpu" 2 "-l: cannot be combined with --cpu" -l -C 1 x
	says "select: an error after a regular expression" 2 "--last 0: .*" -g a -n 0 x
	says "select: with --frame" 2 "--frame: cannot be combined with --cpu" --frame 1 -C 1 x
	says "select: with a verb" 2 "start: cannot be combined with --last" -n 1 start
}
