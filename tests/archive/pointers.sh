# shellcheck shell=bash disable=SC2154 # set by run
# SPDX-License-Identifier: GPL-2.0
#
# No kernel address gets into the journal, unless Pointers=yes.

# Addresses that mkimage -P records; numbers that are no addresses; a reason with addresses.
pointers="ffff8880123456c0 ffffffffa1b2c3d4 ff11abcdef987650 f4ffbc0000123450 12ffbc0000123450"
numbers="ffffffffffffffea 000000012a05f200 00007fffdeadbee0"
reason="HYP panic: PC:FFFFFFFFA1B2C3D4 FAR:0xff11abcdef987650 18446612682375452352 badffff8880123456c0"

# pointers_in: print how many forms of these addresses the entry has
pointers_in() {
	local p swapped n=0 form

	for p in $pointers; do
		swapped=$(fold -w 2 <<< "$p" | tac | tr -d '\n')
		# Digits with anything between two bytes; bytes; both in either byte order; decimal.
		# shellcheck disable=SC2001 # needs a regular expression
		for form in $(sed "s/[0-9a-f][0-9a-f]/&[^0-9a-f]?/g" <<< "$p $swapped") \
				$(sed 's/[0-9a-f][0-9a-f]/\\x&/g' <<< "$p $swapped") \
				"$(printf '%llu' "0x$p")"; do
			! LC_ALL=C grep -qaiP -- "$form" "$JOURNAL"/* || n=$((n + 1))
		done
	done
	echo $n
}

# one_to_one TEXT FIELD N: FIELD equals the last lines of TEXT, except that each of N addresses
# became a token of its own
one_to_one() {
	tail -n "$(($(wc -l < "$2") + 1))" "$1" | paste - "$2" | awk -F '\t' '
		{
			gsub(/0x/, "0x ")
			n = split(tolower($1), a, /[^0-9a-z-]+/)
			if (split(tolower($2), b, /[^0-9a-z-]+/) != n) exit bad = 1
			for (i = 1; i <= n; i++) {
				if (a[i] == b[i]) continue
				if (b[i] !~ /^ptr-[0-9]+$/ || length(b[i]) != length(a[i])) bad = 1
				if (!(b[i] in of)) { of[b[i]] = a[i]; tokens++ }
				if (of[b[i]] != a[i]) bad = 1
				if (!(a[i] in to)) to[a[i]] = b[i]
				if (to[a[i]] != b[i]) bad = 1
			}
		}
		END { exit bad || tokens != '"$3"' }'
}

# Group adm can read the journal.
test_pointers() {
	local storage number pc conf=$root/etc/jtrace.conf

	for storage in external journal; do
		system -x 3 -n 60 -P -W "$reason"
		printf '[Archive]\nStorage=%s\nPointers=yes\n' $storage > "$conf"
		runs "Pointers=yes, $storage" 0 ''
		is "Pointers=yes, $storage: the journal has addresses" [ "$(pointers_in)" -ge 6 ]
		is "Pointers=yes, $storage: the reason has addresses" \
			field JTRACE_REASON "$reason"
		system -x 3 -n 60 -P -W "$reason"
		printf '[Archive]\nStorage=%s\n' $storage > "$conf"
		if [ $storage = external ]; then
			runs "no Pointers=" 0 ''
			is "no Pointers=: files have all addresses" whole "$(traces)"
		else
			runs "no Pointers=, journal" 0 \
				"the image may hold kernel addresses: the journal gets it only with Pointers=yes"
			is "no Pointers=, journal: no image" no_field JTRACE_IMAGE
		fi
		is "no Pointers=, $storage: no address in the journal" [ "$(pointers_in)" -eq 0 ]
		JTRACE_ROOT=$root "$tmp/jtrace" -r > "$tmp/text"
		is "no Pointers=, $storage: each address has its token" \
			one_to_one "$tmp/text" "$JOURNAL/JTRACE_LINES" 5
		for number in $numbers; do
			is "no Pointers=, $storage: $number is no address" \
				grep -q " $number " "$JOURNAL/JTRACE_LINES"
		done
		is "no Pointers=, $storage: the reason has tokens" field JTRACE_REASON \
			"HYP panic: PC:ptr-???????????? FAR:0xptr-???????????? ptr-???????????????? ptr-???????????????"
		pc=$(sed 's/.* PC:\(ptr-[0-9]*\) .*/\1/' "$JOURNAL/JTRACE_REASON")
		is "no Pointers=, $storage: the same token everywhere" eval \
			"paste <(grep '^\[' '$tmp/text' | tail -n 9) \
			<(grep '^\[' '$JOURNAL/JTRACE_LINES' | tail -n 9) |
			grep -q 'ffffffffa1b2c3d4 .* $pc '"
	done
	is "JTRACE_TEXT: each address has its token" one_to_one "$tmp/text" "$JOURNAL/JTRACE_TEXT" 7
	system -x 3 -P -v 9
	runs "an image of another version" 0 ''
	is "an image of another version: two lines, no bytes" \
		[ "$(grep -c ^JTRACE: "$JOURNAL/JTRACE_LINES") $(wc -l < "$JOURNAL/JTRACE_LINES")" = "2 1" ]
	is "an image of another version: files have all bytes" grep -q '^00000000: ' "$(traces)/recovered"
	system -x 3 -P -v 9
	printf '[Archive]\nPointers=yes\n' > "$conf"
	runs "another version, Pointers=yes" 0 ''
	is "another version, Pointers=yes: bytes" grep -q '^00000[0-9a-f]*: ' "$JOURNAL/JTRACE_LINES"
	# Halves of a value of 64 bits: the low one first.
	printf '0 0 %s 0 0 a.c f %s\n' '123456c0 ffff8880 9abcdef0 f4ffbc00' addresses \
		'12345678 80000000 ffffffea ffffffff' numbers > "$tmp/events"
	printf '0 0 1 2 3 4 ffff8880123456c0 0 a.c f whole\n' >> "$tmp/events"
	system -x 3 -e "$tmp/events"
	runs "halves of addresses" 0 ''
	is "halves of addresses: tokens" grep -q \
		' ptr-0000 0000000\([0-9]\) ptr-0000 0000000[0-9] .* (addresses)' "$JOURNAL/JTRACE_LINES"
	# shellcheck disable=SC2016 # for eval
	is "halves of addresses: the same token for the same one" eval \
		'[ "$(sed -n "s/.* : ptr-\([0-9]*\) \([0-9]*\) .*/\1\2/p" "$JOURNAL/JTRACE_LINES" | sort -u)" = \
		"$(sed -n "s/.* 00000004 ptr-\([0-9]*\) .*/\1/p" "$JOURNAL/JTRACE_LINES" | sort -u)" ]'
	is "halves of numbers" grep -q ' 12345678 80000000 ffffffea ffffffff ' "$JOURNAL/JTRACE_LINES"
}
