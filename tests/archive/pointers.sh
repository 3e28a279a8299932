# shellcheck shell=bash disable=SC2154 # set by run
# SPDX-License-Identifier: GPL-2.0
#
# Addresses of the kernel in the journal: none, unless Pointers=yes.

# The addresses that mkimage -P records; what is none; one that the panic told in decimal.
pointers="ffff8880123456c0 ffffffffa1b2c3d4 ff11abcdef987650 f4ffbc0000123450 12ffbc0000123450"
numbers="ffffffffffffffea 000000012a05f200 00007fffdeadbee0"
reason="HYP panic: PC:FFFFFFFFA1B2C3D4 FAR:0xff11abcdef987650 18446612682375452352 badffff8880123456c0"

# pointers_in: in how many forms the entry has one of these
pointers_in() {
	local p swapped n=0 form

	for p in $pointers; do
		swapped=$(fold -w 2 <<< "$p" | tac | tr -d '\n')
		# Digits, with what may be between bytes; bytes; and in the other order.
		# shellcheck disable=SC2001 # no other way
		for form in $(sed "s/[0-9a-f][0-9a-f]/&[^0-9a-f]?/g" <<< "$p $swapped") \
				$(sed 's/[0-9a-f][0-9a-f]/\\x&/g' <<< "$p $swapped") \
				"$(printf '%llu' "0x$p")"; do
			! LC_ALL=C grep -qaiP -- "$form" "$JOURNAL"/* || n=$((n + 1))
		done
	done
	echo $n
}

# one_to_one TEXT FIELD N: equal addresses have equal tokens, others other ones, and all else is
# as it was; TEXT may have more lines before, N is how many there are
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

# Group adm reads the journal: no address of a kernel is there, unless it is wanted.
test_pointers() {
	local storage number pc conf=$root/etc/jtrace.conf

	for storage in external journal; do
		system -x 3 -n 60 -P -W "$reason"
		printf '[Archive]\nStorage=%s\nPointers=yes\n' $storage > "$conf"
		runs "Pointers=yes, $storage" 0 ''
		is "Pointers=yes, $storage: they are in the journal" [ "$(pointers_in)" -ge 6 ]
		is "Pointers=yes, $storage: also in the reason" \
			field JTRACE_REASON "$reason"
		system -x 3 -n 60 -P -W "$reason"
		printf '[Archive]\nStorage=%s\n' $storage > "$conf"
		if [ $storage = external ]; then
			runs "no Pointers=" 0 ''
			is "no Pointers=: files have them all" whole "$(traces)"
		else
			runs "no Pointers=, journal" 0 \
				"the image may hold kernel addresses: the journal gets it only with Pointers=yes"
			is "no Pointers=, journal: no image" no_field JTRACE_IMAGE
		fi
		is "no Pointers=, $storage: no address in the journal" [ "$(pointers_in)" -eq 0 ]
		JTRACE_ROOT=$root "$tmp/jtrace" -r > "$tmp/text"
		is "no Pointers=, $storage: equal ones stay equal" \
			one_to_one "$tmp/text" "$JOURNAL/JTRACE_LINES" 5
		for number in $numbers; do
			is "no Pointers=, $storage: $number is none" \
				grep -q " $number " "$JOURNAL/JTRACE_LINES"
		done
		is "no Pointers=, $storage: in the reason, too" field JTRACE_REASON \
			"HYP panic: PC:ptr-???????????? FAR:0xptr-???????????? ptr-???????????????? ptr-???????????????"
		pc=$(sed 's/.* PC:\(ptr-[0-9]*\) .*/\1/' "$JOURNAL/JTRACE_REASON")
		is "no Pointers=, $storage: by the same names" eval \
			"paste <(grep '^\[' '$tmp/text' | tail -n 9) \
			<(grep '^\[' '$JOURNAL/JTRACE_LINES' | tail -n 9) |
			grep -q 'ffffffffa1b2c3d4 .* $pc '"
	done
	is "JTRACE_TEXT: equal ones stay equal" one_to_one "$tmp/text" "$JOURNAL/JTRACE_TEXT" 7
	system -x 3 -P -v 9
	runs "of another version" 0 ''
	is "of another version: two lines, no bytes" \
		[ "$(grep -c ^JTRACE: "$JOURNAL/JTRACE_LINES") $(wc -l < "$JOURNAL/JTRACE_LINES")" = "2 1" ]
	is "of another version: files have all" grep -q '^00000000: ' "$(traces)/recovered"
	system -x 3 -P -v 9
	printf '[Archive]\nPointers=yes\n' > "$conf"
	runs "of another version, Pointers=yes" 0 ''
	is "of another version, Pointers=yes: bytes" grep -q '^00000[0-9a-f]*: ' "$JOURNAL/JTRACE_LINES"
}
