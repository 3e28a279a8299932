# shellcheck shell=bash disable=SC2154 # set by run
# SPDX-License-Identifier: GPL-2.0
#
# Tests of jtrace(1) on files: text, places, damage, JSON

make_images() {
	"$tmp/mkimage" -n 5 -l 2 > "$tmp/tiny"
	"$tmp/mkimage" -k small -n 2 > "$tmp/small"
	"$tmp/mkimage" -n 0 > "$tmp/none"

	# 20 pages, 16 of them with chunks; all events are there.
	"$tmp/mkimage" -n 800 -c 32 -s 11 -p 4 -S 7 -r 3000 > "$tmp/large"
	# The same some time earlier.
	"$tmp/mkimage" -n 300 -c 32 -s 11 -p 4 -S 7 -r 2000 > "$tmp/before"
	# More events than fit, and the same most of a lap earlier.
	"$tmp/mkimage" -n 1500 -c 32 -s 11 -p 4 -S 9 -r 3000 > "$tmp/laps"
	"$tmp/mkimage" -n 800 -c 32 -s 11 -p 4 -S 9 -r 2000 > "$tmp/lap"
	# Another boot, later.
	"$tmp/mkimage" -n 100 -c 32 -s 11 -p 4 -S 8 -r 5000 -R 6.9-next -x 3 > "$tmp/other"
	"$tmp/mkimage" -B > "$tmp/bytes"
	"$tmp/mkimage" -B -n 4 > "$tmp/strings"
	"$tmp/mkimage" -n 0 -p 4 -r 5000 -R 6.9-next -x 3 > "$tmp/header"
	"$tmp/mkimage" -v 7 > "$tmp/version"
}

# junk BYTES: print random bytes from a fixed seed
junk() {
	perl -e 'srand(5); print pack("L*", map { int(rand(2 ** 32)) } 0 .. $ARGV[0] / 4 + 1)' \
		"$1" | head -c "$1"
}

# zeroed FILE OFFSET BYTES: print FILE with zeros there
zeroed() {
	perl -0777 -pe 'BEGIN { ($at, $n) = splice(@ARGV, 1); } substr($_, $at, $n) = "\0" x $n' "$@"
}

# page_of FILE N: print that page, padded with zeros
page_of() {
	dd if="$1" bs=4096 skip="$2" count=1 conv=sync status=none
}

size_of() {
	stat -c %s "$1"
}

# has_all IMAGE N LAST: pass if it has N entries, each with its site, the last one with that
# number; later tests expect the text in IMAGE.txt
has_all() {
	run 0 "$tmp/$1"
	cp "$tmp/out" "$tmp/$1.txt"
	if [ "$status" -eq 0 ] && [ "$(grep -c '^\[' "$tmp/out")" -eq "$2" ] &&
		! grep -q '<site' "$tmp/out" &&
		grep '^\[' "$tmp/out" | tail -n 1 | grep -q "\] : $(printf %08x "$3") "; then
		ok "$1: all of $2 entries"
	else
		not_ok "$1: all of $2 entries" "$tmp/out" "$tmp/err"
	fi
}

test_text() {
	shows "large entries" "$here/expected/tiny.txt" "$tmp/tiny"
	shows "small entries" "$here/expected/small.txt" "$tmp/small"
	shows "no entries" "$here/expected/none.txt" "$tmp/none"
	has_all large 800 799
	has_all other 100 99
	has_all before 300 299
	# As many as fit beside the open chunks.
	has_all laps 942 1499
	shows "standard input, a file" "$here/expected/tiny.txt" - < "$tmp/tiny"
	# shellcheck disable=SC2002 # a pipe is what is tested
	shows "standard input, a pipe" "$here/expected/tiny.txt" - < <(cat "$tmp/tiny")
}

# The first lines for an image that is no live buffer.
test_tell() {
	"$tmp/mkimage" -C -n 5 -l 2 > "$tmp/file"
	{
		echo "JTRACE: Recorded by Linux 6.1.0-test"
		echo "JTRACE: It was still running; its last event was at 1970-01-01 00:00:05 UTC"
		cat "$here/expected/tiny.txt"
	} > "$tmp/told.txt"
	shows "a persistent image" "$tmp/told.txt" "$tmp/file"
	# The header of the first chunk.
	zeroed "$tmp/file" 1024 64 > "$tmp/cut"
	entries "a chunk's header is lost" "$here/expected/tiny.txt" \
		'chunk headers lost: 1, used their entries \(at 0x400\)' "$tmp/cut"
	"$tmp/mkimage" -x 2 -n 5 -l 2 > "$tmp/file"
	entries "a clean image in a file" "$here/expected/tiny.txt" '' "$tmp/file"
}

# UTF-8 in a UTF-8 locale, but no characters that act on a terminal.
test_characters() {
	local tag ascii acts

	for tag in 'grün' '\xff\xc0\xafbad' '\xbf\xbfcut \xe2\x82' \
		   'tab\x09here 😀 \xc2\x9b1m\xe2\x80\xae'; do
		has "UTF-8: $tag" C.UTF-8 "($tag)" "$tmp/strings"
	done
	acts='\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]|[\x00-\x09\x0b-\x1f\x7f]'
	if [ "$(LC_ALL=C grep -caP "$acts" "$tmp/out")" = 0 ] &&
		[ "$(printf '\302\233' | LC_ALL=C grep -caP "$acts")" = 1 ]; then
		ok "UTF-8: nothing acts on a terminal"
	else
		not_ok "UTF-8: nothing acts on a terminal" "$tmp/out"
	fi
	has "C locale: bytes" C '(gr\xc3\xbcn)' "$tmp/strings"
	ascii=$(LC_ALL=C grep -caP '[^ -~]' "$tmp/out")
	if [ "$ascii" -eq 0 ]; then
		ok "C locale: nothing but ASCII"
	else
		not_ok "C locale: nothing but ASCII" "$tmp/out"
	fi
	# é, then a soft hyphen, a zero width space, a byte order mark, a tag; a cut é.
	"$tmp/mkimage" -C -n 1 -R $'6.9-\303\251\302\255\342\200\213\357\273\277\363\240\201\201\303' \
		> "$tmp/file"
	has "UTF-8: what is not seen is escaped" C.UTF-8 \
		'6.9-é\xc2\xad\xe2\x80\x8b\xef\xbb\xbf\xf3\xa0\x81\x81\xc3' "$tmp/file"
	has "JSON: the same" C.UTF-8 '"6.9-é\u00ad\u200b\ufeff\udb40\udc41\ufffd"' --json "$tmp/file"
}

# Sites that found no room; an image of the golden ones.
test_nameless() {
	local image=$top/tests/golden/v2/small-running.img
	local full='9 of 60 entries have no name: the site table of 1280 bytes was full'

	has "a full site table" C "JTRACE: $full; load jtrace with sites=4096" "$image"
	has "a full site table, JSON" C '"nameless":9,"sites":4096,' --json "$image"
	run 0 --json "$tmp/tiny"
	if grep -q '"capacity":' "$tmp/out" && [ "$(grep -c nameless "$tmp/out")" = 0 ]; then
		ok "JSON: not said of others"
	else
		not_ok "JSON: not said of others" "$tmp/out"
	fi
}

# has NAME LOCALE TEXT ARG...: pass if it prints a line with that text
has() {
	local name=$1 text=$3

	if LC_ALL=$2 run 0 "${@:4}" && grep -qF -- "$text" "$tmp/out"; then
		ok "$name"
	else
		not_ok "$name: exit status $status, not \"$text\"" "$tmp/out" "$tmp/err"
	fi
}

# entries NAME EXPECTED DAMAGE-REGEX ARG...: pass if it prints the same entries, and only that
# damage; none if DAMAGE-REGEX is empty
entries() {
	local name=$1 expected=$2 regex=$3

	shift 3
	grep -q '^\[' "$expected" || not_ok "$name: $expected: has no entries" "$expected"
	if ! run 0 "$@"; then
		not_ok "$name: exit status $status" "$tmp/err"
	elif ! diff <(grep -v '^JTRACE: ' "$expected") <(grep -v '^JTRACE: ' "$tmp/out") \
		> "$tmp/diff"; then
		not_ok "$name" "$tmp/diff"
	elif [ -z "$regex" ] && grep -q 'Damaged' "$tmp/out"; then
		not_ok "$name: damaged" "$tmp/out"
	elif [ -n "$regex" ] && { ! grep -q '^JTRACE: Damaged' "$tmp/out" ||
		grep '^JTRACE: Damaged' "$tmp/out" | grep -qvE "Damaged: $regex"; }; then
		not_ok "$name: not \"$regex\"" "$tmp/out"
	else
		ok "$name"
	fi
}

# ---- in one piece, somewhere ----

# Around 256 KiB, the end of a window of the scan.
test_places() {
	local at last

	for at in 8 4088 4096 100000 261824 262136 262144 524280; do
		{ junk "$at"; cat "$tmp/tiny"; junk 9000; } > "$tmp/file"
		shows "image at $at" "$here/expected/tiny.txt" "$tmp/file"
	done
	{ junk 300000; cat "$tmp/tiny"; } > "$tmp/file"
	shows "image at the end" "$here/expected/tiny.txt" "$tmp/file"
	last=$(size_of "$tmp/file")
	for at in 1 7 512 513; do
		head -c $((last - at)) "$tmp/file" > "$tmp/cut"
		entries "image at the end, $at bytes cut off" "$here/expected/tiny.txt" \
			'end of the image missing' "$tmp/cut"
	done
	zeroed "$tmp/tiny" 0 512 > "$tmp/cut"
	entries "image without its first header" "$here/expected/tiny.txt" \
		'header lost, used the backup header' "$tmp/cut"
	{ junk 8192; cat "$tmp/cut"; junk 8192; } > "$tmp/file"
	entries "the same, elsewhere" "$here/expected/tiny.txt" \
		'header lost, used the backup header' "$tmp/file"
	tail -c +513 "$tmp/tiny" > "$tmp/file"
	entries "image whose beginning is cut off" "$here/expected/tiny.txt" \
		'header lost, used the backup header' "$tmp/file"
	zeroed "$tmp/tiny" $(($(size_of "$tmp/tiny") - 512)) 512 > "$tmp/cut"
	entries "image without its last header" "$here/expected/tiny.txt" \
		'backup header lost' "$tmp/cut"
	last=$(size_of "$tmp/large")
	zeroed "$tmp/large" $((last - 512)) 512 > "$tmp/cut"
	zeroed "$tmp/cut" 0 512 > "$tmp/file"
	entries "image without headers" "$tmp/large.txt" 'both headers lost' "$tmp/file"
	{ junk 80000; cat "$tmp/file"; junk 8192; } > "$tmp/cut"
	entries "the same, elsewhere" "$tmp/large.txt" 'both headers lost' "$tmp/cut"
	{ junk 4; cat "$tmp/tiny"; } > "$tmp/file"
	says "image at no multiple of 8" 1 ".*: no jtrace image in its [0-9]+ bytes" "$tmp/file"
}

# ---- in pages, anywhere ----

# Records of modules change: each has its end, and the older of two copies does not count.
test_scattered_modules() {
	local at=ffffffffc0110080,ffffffffc0110000+1000 s wrong=0

	"$tmp/mkimage" -n 99 -c 16 -s 12 -m "gone@5-9,-,$at" -m "here@12,-,$at" > "$tmp/later"
	"$tmp/mkimage" -n 99 -c 16 -s 12 -m "gone@5,-,$at" -m "here@12,-,$at" > "$tmp/earlier"
	run 0 --json "$tmp/later"
	grep '"type":"module"' "$tmp/out" > "$tmp/modules"
	# Which copy is met first is chance.
	for s in 0 1 2 3 4 5 6 7; do
		"$here/scatter" $((seed + s)) "$tmp/earlier" "$tmp/later" "$tmp/earlier" > "$tmp/file"
		run 0 --json "$tmp/file"
		grep '"type":"module"' "$tmp/out" | diff "$tmp/modules" - >> "$tmp/diff" || wrong=1
	done
	if [ $wrong = 0 ] &&
		[ "$(grep -c '"from_ns":5,"until_ns":9}' "$tmp/modules")" = 1 ]; then
		ok "scattered, when modules were loaded"
	else
		not_ok "scattered, when modules were loaded" "$tmp/diff" "$tmp/modules"
	fi
}

test_scattered() {
	local s last

	for s in 1 2 3; do
		"$here/scatter" $((seed + s)) "$tmp/large" > "$tmp/file"
		shows "scattered, seed $((seed + s))" "$tmp/large.txt" "$tmp/file"
	done
	notes "says that it was scattered" 'put [0-9]+ scattered parts in place$'
	printf '7 <6>[    1.234567] hello\n8 <3>[    2.000000] two\n' > "$tmp/kmsg"
	printf '[    1.234567] hello\n[    2.000000] two\n' > "$tmp/log.txt"
	"$tmp/mkimage" -x 3 -n 300 -c 40 -s 12 -L 65536 -g "$tmp/kmsg" > "$tmp/cut"
	"$here/scatter" "$seed" "$tmp/cut" > "$tmp/file"
	shows "scattered, the kernel log" "$tmp/log.txt" -l "$tmp/file"
	zeroed "$tmp/large" 0 512 > "$tmp/cut"
	"$here/scatter" "$seed" "$tmp/cut" > "$tmp/file"
	entries "scattered, without its first header" "$tmp/large.txt" \
		'backup header lost' "$tmp/file"
	last=$(size_of "$tmp/large")
	zeroed "$tmp/large" $((last - 512)) 512 > "$tmp/cut"
	"$here/scatter" "$seed" "$tmp/cut" > "$tmp/file"
	entries "scattered, without its last header" "$tmp/large.txt" \
		'backup header lost' "$tmp/file"
	zeroed "$tmp/cut" 0 512 > "$tmp/file"
	"$here/scatter" "$seed" "$tmp/file" > "$tmp/cut"
	entries "scattered, without headers" "$tmp/large.txt" 'both headers lost' \
		"$tmp/cut"
	"$here/scatter" "$seed" "$tmp/before" "$tmp/large" "$tmp/before" > "$tmp/file"
	shows "scattered, with older copies" "$tmp/large.txt" "$tmp/file"
	"$here/scatter" "$seed" "$tmp/lap" "$tmp/laps" "$tmp/lap" > "$tmp/file"
	shows "scattered, with copies of a lap before" "$tmp/laps.txt" "$tmp/file"
	# The headers of two copies are as far apart as those of one.  The third page of the older
	# copy is in its place, the other pages between are not.
	last=$((($(size_of "$tmp/laps") - 1) / 4096))
	{
		page_of "$tmp/lap" 0
		junk 4096
		page_of "$tmp/lap" 2
		for s in $(seq $((last - 1)) -1 3); do page_of "$tmp/laps" "$s"; done
		page_of "$tmp/laps" "$last"
		for s in 1 2 0; do page_of "$tmp/laps" "$s"; done
	} > "$tmp/file"
	shows "scattered, headers of two copies as of one" "$tmp/laps.txt" "$tmp/file"
	# With seed 1, half of the parts of the newer image lie as in one piece with a missing end.
	for s in 1 "$seed"; do
		"$here/scatter" "$s" "$tmp/other" "$tmp/large" > "$tmp/file"
		shows "two that are scattered, the newer one, seed $s" "$tmp/other.txt" "$tmp/file"
	done
	# A header of the other image is in place of the backup header.
	s=$(($(size_of "$tmp/other") / 4096))
	{
		page_of "$tmp/other" 0
		for _ in $(seq $((s - 1))); do junk 4096; done
		page_of "$tmp/large" "$s"
		for s in $(seq "$s"); do page_of "$tmp/other" "$s"; done
	} > "$tmp/file"
	shows "scattered, a header of another image for its second" "$tmp/other.txt" "$tmp/file"
	# A page of chunks is lost, with their entries, and nothing else.
	zeroed "$tmp/large" 16384 4096 > "$tmp/cut"
	run 0 "$tmp/cut" || not_ok "a page missing: exit status $status" "$tmp/err"
	cp "$tmp/out" "$tmp/cut.txt"
	"$here/scatter" "$seed" "$tmp/cut" > "$tmp/file"
	shows "scattered, a page missing" "$tmp/cut.txt" "$tmp/file"
	last=$(grep -c '^\[' "$tmp/cut.txt")
	if [ "$last" -gt 700 ] && [ "$last" -lt 800 ]; then
		ok "scattered, a page missing: some entries"
	else
		not_ok "scattered, a page missing: $last entries of 800" "$tmp/cut.txt"
	fi
}

# ---- more than one ----

test_several() {
	local a at

	a=$(size_of "$tmp/large")
	{ cat "$tmp/large"; junk 4096; cat "$tmp/other"; } > "$tmp/file"
	shows "two images, the newer one" "$tmp/other.txt" "$tmp/file"
	at=$(printf '0x%x' $((a + 4096)))
	notes "says which there are" \
		"2 images: at 0x0 \(running, 6.1.0-test\), at $at \(panicked, 6.9-next\): showing the one at $at, choose another with --at"
	shows "--at, the older one" "$tmp/large.txt" --at 0 "$tmp/file"
	shows "--at, hexadecimal" "$tmp/other.txt" --at "$at" "$tmp/file"
	status=0
	run 1 --at 8 "$tmp/file" || not_ok "--at, nothing there: exit status $status" "$tmp/err"
	notes "--at, nothing there" 'no image at 0x8$'
	run 1 --at 8 "$tmp/large" || not_ok "--at beside one image: exit status $status" "$tmp/err"
	notes "--at beside one image" ": 1 image: at 0x0 \(running, 6.1.0-test\): choose one with --at"
	cat "$tmp/before" "$tmp/large" "$tmp/before" > "$tmp/file"
	shows "three copies of one image are one" "$tmp/large.txt" "$tmp/file"
	# An older copy has the entries that the newest one lost.
	{ zeroed "$tmp/large" 16384 4096; cat "$tmp/before" "$tmp/large"; } > "$tmp/file"
	zeroed "$tmp/large" 8192 4096 >> "$tmp/file"
	shows "copies that are damaged complete each other" "$tmp/large.txt" "$tmp/file"
	zeroed "$tmp/laps" 16384 4096 > "$tmp/cut"
	run 0 "$tmp/cut" || not_ok "a page missing: exit status $status" "$tmp/err"
	cp "$tmp/out" "$tmp/cut.txt"
	cat "$tmp/lap" "$tmp/cut" > "$tmp/file"
	shows "what was overwritten does not come back from a copy" "$tmp/cut.txt" "$tmp/file"
}

# Thousands of copies without backup header: the work is linear in their number.  Quadratic
# work took minutes.
test_many() {
	local status=0

	head -c $(($(size_of "$tmp/tiny") - 512)) "$tmp/tiny" > "$tmp/file"
	head -c 8 /dev/zero >> "$tmp/file"
	for _ in $(seq 15); do
		cat "$tmp/file" "$tmp/file" > "$tmp/many" && mv "$tmp/many" "$tmp/file"
	done
	timeout 60 "$jtrace" "$tmp/file" > "$tmp/out" 2> "$tmp/err" || status=$?
	if [ "$status" -eq 0 ] && [ ! -s "$tmp/err" ] && diff "$here/expected/tiny.txt" \
		<(grep -v '^JTRACE: Damaged: backup header lost' "$tmp/out") > "$tmp/diff"; then
		ok "32768 copies of an image"
	else
		not_ok "32768 copies of an image: exit status $status" "$tmp/err"
	fi
	rm -f "$tmp/file"
}

# ---- nothing to show ----

# What zstd has compressed.
test_packed() {
	local size

	zstd -q -f "$tmp/large" -o "$tmp/packed"
	case $("$jtrace" --version) in
	*", without libzstd, "*)
		[ "$build" = gcc-32 ] || not_ok "libzstd is there"
		says "compressed without libzstd" 1 \
			".*/packed: compressed, and this jtrace was built without libzstd: use zstd -d" "$tmp/packed"
		return
		;;
	esac
	run 0 "$tmp/large"
	cp "$tmp/out" "$tmp/large.txt"
	shows "compressed" "$tmp/large.txt" "$tmp/packed"
	shows "compressed, standard input" "$tmp/large.txt" - < <(cat "$tmp/packed")
	{ zstd -qc "$tmp/tiny"; zstd -qc "$tmp/large"; } > "$tmp/file"
	run 0 "$tmp/file"
	notes "compressed, in two frames" '2 images: .*'
	# As long as some buffers of the reader.
	cp "$tmp/large" "$tmp/unpacked"
	truncate -s 1M "$tmp/unpacked"
	zstd -q -f "$tmp/unpacked" -o "$tmp/packed"
	run 0 "$tmp/packed"
	if [ ! -s "$tmp/err" ]; then
		ok "compressed, of 1 MiB: whole"
	else
		not_ok "compressed, of 1 MiB: whole" "$tmp/err"
	fi
	# Each entry of this image has a check value.
	"$tmp/mkimage" -C -n 8000 -c 320 -s 11 -p 4 -S 7 > "$tmp/unpacked"
	"$jtrace" "$tmp/unpacked" > "$tmp/unpacked.txt"
	zstd -q -f "$tmp/unpacked" -o "$tmp/packed"
	size=$(size_of "$tmp/packed")
	head -c $((size / 2)) "$tmp/packed" > "$tmp/file"
	run 0 "$tmp/file"
	notes "compressed, cut off" '.*/file: cut off, unpacked the first [0-9]+ bytes only'
	is_part "compressed, cut off"
	patched "$tmp/packed" $((size / 2)) ffffffffffffffff > "$tmp/file"
	run 0 "$tmp/file"
	notes "compressed, damaged" '.*/file: damaged, unpacked the first [0-9]+ bytes only: .*'
	is_part "compressed, damaged"
	head -c 100 "$tmp/packed" > "$tmp/file"
	says "compressed, the beginning only" 1 ".*/file: damaged, nothing of it can be unpacked" "$tmp/file"
	head -c 600M /dev/zero | zstd -qc > "$tmp/file"
	says "compressed zeros" 1 \
		".*/file: more than 536870912 bytes when it is unpacked: use zstd -d" "$tmp/file"
	rm -f "$tmp/unpacked" "$tmp/unpacked.txt" "$tmp/packed"
}

# is_part NAME: the last run shows some of the entries of unpacked.txt, and no others
is_part() {
	# The time since the last entry differs.
	local entry='/^\[/s/( *[0-9.]* uSec)//p'

	sed -n "$entry" "$tmp/out" > "$tmp/some"
	if [ -s "$tmp/some" ] &&
		! sed -n "$entry" "$tmp/unpacked.txt" | grep -vxFf - "$tmp/some" > "$tmp/diff"; then
		ok "$1: true entries only"
	else
		not_ok "$1: true entries only" "$tmp/diff" "$tmp/err"
	fi
}

# Files that never end, or that have holes.
test_endless() {
	says "a device that never ends" 1 \
		"/dev/zero: a device without a size: copy what it has to a file first" /dev/zero
	says "standard input that never ends" 1 \
		"standard input: a device without a size: .*" - < /dev/zero
	: > "$tmp/file"
	truncate -s 1T "$tmp/file" && cat "$tmp/large" >> "$tmp/file"
	if timeout 60 "$jtrace" "$tmp/file" > "$tmp/out" 2> "$tmp/err" &&
		cmp -s "$tmp/out" "$tmp/large.txt"; then
		ok "1 TiB of nothing, then an image"
	else
		not_ok "1 TiB of nothing, then an image" "$tmp/err"
	fi
	rm -f "$tmp/file"
}

# An image of a newer jtrace, with a feature that this one need not know, or must know.
test_newer() {
	local says="has incompat features 0x40000000 that this jtrace does not know: use the jtrace that belongs to the module"

	run 0 "$tmp/large"
	mv "$tmp/out" "$tmp/same.txt"
	"$tmp/mkimage" -n 800 -c 32 -s 11 -p 4 -S 7 -r 3000 -U > "$tmp/file"
	shows "a feature and an area that need not be known" "$tmp/same.txt" "$tmp/file"
	"$tmp/mkimage" -I 0x40000000 -i 3 > "$tmp/new"
	says "a feature that must be known" 1 ".*/new: image at 0x0 $says" "$tmp/new"
	zeroed "$tmp/new" 0 512 > "$tmp/file"
	says "the same, without its first header" 1 \
		".*/file: image at 0x[0-9a-f]* $says" "$tmp/file"
	# The work is linear in both numbers.  To compare each with each took a minute.
	"$here/foreign" 1000000 200000 > "$tmp/file"
	timeout 60 "$jtrace" "$tmp/file" > "$tmp/out" 2> "$tmp/err"
	if grep -q "/file: 200000 images: " "$tmp/err" &&
		grep -q "/file: cannot read what is left of the image$" "$tmp/err"; then
		ok "1000000 headers of a newer jtrace, 200000 images without a header"
	else
		not_ok "1000000 headers of a newer jtrace, 200000 images without a header" "$tmp/err"
	fi
	rm -f "$tmp/file"
	# Another image behind it, as in the memory of a machine.
	{ cat "$tmp/new"; zeroed "$tmp/large" 0 0; } > "$tmp/file"
	shows "one that can be read, behind it" "$tmp/same.txt" "$tmp/file"
	notes "one that cannot be read, before it" ".*/file: image at 0x0 $says"
}

test_garbage() {
	: > "$tmp/file"
	says "an empty file" 1 ".*/file: empty file" "$tmp/file"
	says "an empty pipe" 1 "standard input: empty file" - < <(:)
	junk 65536 > "$tmp/file"
	says "65536 bytes" 1 ".*/file: no jtrace image in its 65536 bytes" "$tmp/file"
	printf JTRIMAG > "$tmp/file"
	says "7 bytes" 1 ".*/file: no jtrace image in its 7 bytes" "$tmp/file"
	head -c 511 "$tmp/tiny" > "$tmp/file"
	says "a header less a byte" 1 ".*/file: no jtrace image in its 511 bytes" "$tmp/file"
	head -c 512 "$tmp/version" > "$tmp/file"
	says "another version" 1 \
		".*/file: image at 0x0 has format version 7, this jtrace reads 2: use the jtrace that belongs to the module" "$tmp/file"
	{ junk 262136; head -c 512 "$tmp/version"; } > "$tmp/file"
	says "another version, where a window ends" 1 \
		".*/file: image at 0x3fff8 has format version 7, this jtrace reads 2: use the jtrace that belongs to the module" "$tmp/file"
	says "another version, and its chunks" 1 \
		".*/version: image at 0x0 has format version 7, this jtrace reads 2: use the jtrace that belongs to the module" "$tmp/version"
	head -c 512 "$tmp/tiny" | perl -0777 -pe 'substr($_, 200, 1) ^= "\1"' > "$tmp/file"
	says "a damaged header" 1 \
		".*/file: damaged image header at 0x0 \(check value\), .*" "$tmp/file"
	says "a directory" 1 ".*: Is a directory" "$tmp"
	says "no file" 1 ".*/nowhere: No such file or directory" "$tmp/nowhere"
	cp "$tmp/tiny" "$tmp/file"
	chmod 0 "$tmp/file"
	if [ "$(id -u)" -ne 0 ]; then
		says "a file that may not be read" 1 ".*: Permission denied" "$tmp/file"
	elif command -v setpriv > /dev/null; then
		says_nobody "a file that may not be read" ".*: Permission denied" "$tmp/file"
	else
		skip "a file that may not be read" "root, and no setpriv"
	fi
	rm -f "$tmp/file"
}

# says_nobody NAME REGEX ARG...: like says, with status 1, as user nobody
says_nobody() {
	local real=$jtrace

	printf '#!/bin/sh\nexec setpriv --reuid 65534 --regid 65534 --clear-groups %s "$@"\n' \
		"$real" > "$tmp/nobody"
	chmod 755 "$tmp/nobody"
	jtrace=$tmp/nobody
	says "$1" 1 "$2" "${@:3}"
	jtrace=$real
}

# Each length, and thousands of damaged images, in one process.
test_damage() {
	local image

	for image in tiny small bytes; do
		if "$tmp/$build/mutate" -s "$seed" -n 2000 "$tmp/$image" > "$tmp/out" 2>&1; then
			ok "$image cut and damaged"
		else
			not_ok "$image cut and damaged" "$tmp/out"
		fi
	done
}

# Offsets beyond 32 bits, in a 32-bit build.  --at scans the whole file, too, and finds nothing if
# the image is said to be elsewhere.
test_beyond_4g() {
	truncate -s 4097M "$tmp/sparse" && cat "$tmp/tiny" >> "$tmp/sparse" || return
	shows "--at beyond 4 GiB" "$here/expected/tiny.txt" --at $((4097 << 20)) "$tmp/sparse"
	rm -f "$tmp/sparse"
}

# ---- the kernel log ----

# The events are from second 5 on; the log's clock lags a second.
make_log() {
	{
		printf '1 <6>[    3.999999] before\n2 <4>[    4.000020] tab\there\n'
		printf '5 <11>[    4.000030] \033[31mred\377\n'
		printf '6 <1>[    4.000400] BUG: kernel NULL pointer dereference, address: 0\n'
		printf '7 <1>Oops: 0002 [#1] SMP\n8 <4>[    4.000410] RIP: 0010:f+0x1/0x2 [mod]\n'
		printf '9 <6>[    4.100000] %0900d\n' 7
		printf '10 <0>[    9.000000] Kernel panic - not syncing: Fatal exception\n'
	} > "$tmp/log.in"
	"$tmp/mkimage" -C -n 5 -c 32 -s 11 -x 3 -W 'Fatal exception' -L 8192 -g "$tmp/log.in" > "$tmp/logged"
	{
		printf '[    3.999999] before\n[    4.000020] tab     here\n'
		printf 'JTRACE: messages missing here: 2\n[    4.000030] \\x1b[31mred\\xff\n'
		printf '[    4.000400] BUG: kernel NULL pointer dereference, address: 0\n'
		printf 'Oops: 0002 [#1] SMP\n[    4.000410] RIP: 0010:f+0x1/0x2 [mod]\n'
		printf '[    4.100000] %0900d\n' 7
		printf '[    9.000000] Kernel panic - not syncing: Fatal exception\n'
	} > "$tmp/log.txt"
}

test_log() {
	local lines

	make_log
	shows "-l" "$tmp/log.txt" -l "$tmp/logged"
	shows "--log" "$tmp/log.txt" --log "$tmp/logged"
	run 0 "$tmp/logged"
	if sed -n 2p "$tmp/out" | grep -qE '^JTRACE: It panicked .*: BUG: kernel NULL pointer deref'\
'erence, address: 0, RIP f\+0x1/0x2 \[mod\]; Fatal exception$'; then
		ok "the fault is named"
	else
		not_ok "the fault is named" "$tmp/out"
	fi
	run 0 -m "$tmp/logged"
	lines=$(sed -nE 's/^\[ *([0-9.]*)\]\[(log|cpu).*/\1 \2/p' "$tmp/out")
	if [ "$(grep -c 'cpu$' <<< "$lines")" -eq 5 ] && [ "$(grep -c 'log$' <<< "$lines")" -eq 8 ] &&
		sort -snc -k 1,1 <<< "$lines" && [ "$(head -n 1 <<< "$lines")" = "4.999999000 log" ] &&
		[ "$(tail -n 1 <<< "$lines")" = "10.000000000 log" ]; then
		ok "-m: by time"
	else
		not_ok "-m: by time" "$tmp/out"
	fi
	run 0 -l --json "$tmp/logged"
	if parse_json level facility printk_ns time_ns seq missing text_hex < "$tmp/out" \
			> "$tmp/json" && [ "$(sed -n 4p "$tmp/json")" = "log level=3 facility=1 printk_ns=4000030000 time_ns=5000030000 seq=5 missing=2 text_hex=1b5b33316d726564ff" ] &&
		[ "$(sed -n 6p "$tmp/json")" = "log level=1 facility=0 seq=7 missing=0" ] &&
		[ "$(grep -c '^log' "$tmp/json")" -eq 8 ]; then
		ok "-l --json"
	else
		not_ok "-l --json" "$tmp/json" "$tmp/err"
	fi
	run 0 -m --json "$tmp/logged"
	if [ "$(parse_json < "$tmp/out" | sort | uniq -c | xargs)" = "5 event 1 image 8 log" ]; then
		ok "-m --json"
	else
		not_ok "-m --json" "$tmp/out"
	fi
	# Without headers, and in pages anywhere.
	zeroed "$tmp/logged" 0 512 | head -c -512 > "$tmp/file"
	shows "-l: both headers lost" "$tmp/log.txt" -l "$tmp/file"
	"$here/scatter" 3 "$tmp/logged" > "$tmp/file"
	shows "-l: scattered" "$tmp/log.txt" -l "$tmp/file"
	# The end is cut: what is left is shown.
	head -c $(($(size_of "$tmp/logged") - 512 - 8192 + 150)) "$tmp/logged" > "$tmp/file"
	head -n 2 "$tmp/log.txt" > "$tmp/cut.txt"
	shows "-l: cut" "$tmp/cut.txt" -l "$tmp/file"
	says "-l: none" 1 ".*/tiny: the image has no line of the kernel log: only a persistent buffer of 256 KiB .*" -l "$tmp/tiny"
	says "-m: none" 1 ".*/tiny: the image has no line of the kernel log: only a persistent buffer of 256 KiB .*" -m "$tmp/tiny"
	# An oops that the machine survived.
	"$tmp/mkimage" -C -x 3 -W 'sysrq triggered crash' -L 8192 -g "$tmp/log.in" > "$tmp/file"
	run 0 "$tmp/file"
	if sed -n 2p "$tmp/out" | grep -q ': sysrq triggered crash$'; then
		ok "another panic than that of the oops"
	else
		not_ok "another panic than that of the oops" "$tmp/out"
	fi
}

# ---- JSON ----

# Parse with Python's JSON module, and print the values to compare.
parse_json() {
	perl -MJSON::PP -e '
		my ($nr, $json) = (0, JSON::PP->new->utf8);
		binmode(STDOUT, ":utf8");
		while (<STDIN>) {
			my $o = $json->decode($_);
			printf "%s", $o->{type};
			for (grep { exists $o->{$_} } @ARGV) {
				my $v = $o->{$_};
				$v = join(",", map { "$_:$v->{$_}" } sort keys %$v) if ref $v eq "HASH";
				printf " %s=%s", $_, defined $v ? $v : "null";
			}
			print "\n";
		}' "$@"
}

# json NAME IMAGE MEMBER...: print members of the objects, one object a line
json() {
	local name=$1 image=$2 expected=$here/expected/$2.json

	shift 2
	if ! run 0 --json "$tmp/$image"; then
		not_ok "$name: exit status $status" "$tmp/err"
	elif ! parse_json "$@" < "$tmp/out" > "$tmp/json" 2>&1; then
		not_ok "$name: not JSON" "$tmp/json" "$tmp/out"
	elif ! cmp -s "$expected" "$tmp/json"; then
		diff "$expected" "$tmp/json" > "$tmp/diff"
		not_ok "$name" "$tmp/diff"
	else
		ok "$name"
	fi
}

test_json() {
	local members='time time_ns cpu tid context context_bits a b c d e f line function'

	# shellcheck disable=SC2086 # a list of words
	json "JSON, large entries" tiny $members
	json "JSON, small entries" small kind entries capacity tid context a b e tag
	json "JSON, an image" header offset kind state release real_ns cpus machine damage
	json "JSON, strings that are not ASCII" strings tag tag_hex
	# U+0080 to U+009F, U+202A to U+202E
	if LC_ALL=C grep -aP '\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]' "$tmp/out" > "$tmp/acts"; then
		not_ok "JSON does nothing to a terminal" "$tmp/acts"
	else
		ok "JSON does nothing to a terminal"
	fi
	run 0 --json "$tmp/large"
	if [ "$(parse_json < "$tmp/out" | uniq -c | xargs)" = "1 image 800 event" ]; then
		ok "JSON, 800 events"
	else
		not_ok "JSON, 800 events" "$tmp/out"
	fi
}
