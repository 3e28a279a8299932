# shellcheck shell=bash disable=SC2154 # set by run
# SPDX-License-Identifier: GPL-2.0
#
# Tests of jtrace(1) on compressed dumps, which mkdump.c makes

# make_dump FILE IMAGE ARG...: make a dump with an image
make_dump() {
	rm -f "$1"
	"$tmp/mkdump" "${@:3}" < "$2" 1<> "$1" || not_ok "mkdump: $1"
}

make_dumps() {
	# Its entries have check values, so that damage cannot change one.
	"$tmp/mkimage" -C -n 800 -c 32 -s 11 -p 4 -S 7 -r 3000 > "$tmp/checked"
	make_dump "$tmp/dump" "$tmp/checked" -a 0x100000
}

# patched FILE OFFSET BYTES: print FILE with other bytes there
patched() {
	perl -0777 -pe 'BEGIN { ($at, $to) = splice(@ARGV, 1); $to = pack("H*", $to); }
		substr($_, $at, length $to) = $to' "$@"
}

test_dumps() {
	{ printf 'makedumpfile\0\0\0\0'; cat "$tmp/dump"; } > "$tmp/file"
	says "flattened dump" 1 \
		".*/file: flattened dump: make an ordinary one with makedumpfile -R DUMP <FILE" "$tmp/file"
	case $("$jtrace" --version) in
	*", with libkdumpfile, "*)
		run 0 "$tmp/checked"
		cp "$tmp/out" "$tmp/checked.txt"
		test_dump_text
		test_dump_refused
		test_dump_damage
		;;
	*", without libkdumpfile, "*)
		[ "$build" = gcc-32 ] || not_ok "libkdumpfile is there"
		says "compressed dump without libkdumpfile" 1 \
			".*/dump: compressed dump, and this jtrace was built without libkdumpfile: install .*" \
			"$tmp/dump"
		sed '1s/^KDUMP   /DISKDUMP/' "$tmp/dump" > "$tmp/file"
		says "old dump without libkdumpfile" 1 ".*/file: compressed dump, and .*" "$tmp/file"
		;;
	*)	not_ok "--version tells whether libkdumpfile is in" ;;
	esac
}

test_dump_text() {
	local how start

	shows "compressed dump" "$tmp/checked.txt" "$tmp/dump"
	shows "compressed dump, standard input" "$tmp/checked.txt" - < <(cat "$tmp/dump")
	for how in "-b" "-p 65536" "-p 16384 -a 0x4000000" "-f 100000"; do
		# shellcheck disable=SC2086 # a list of words
		make_dump "$tmp/file" "$tmp/checked" $how
		shows "compressed dump, $how" "$tmp/checked.txt" "$tmp/file"
	done
	# Offsets are physical addresses.
	{ cat "$tmp/checked"; head -c 40000 /dev/zero; cat "$tmp/other"; } > "$tmp/file"
	make_dump "$tmp/two" "$tmp/file" -a 0x200000000
	shows "compressed dump, two images" <("$jtrace" "$tmp/other") "$tmp/two"
	notes "names physical addresses" \
		"2 images: at 0x200000000 \(running, 6.1.0-test\), at 0x20[0-9a-f]{7} \(panicked, 6.9-next\)"
	shows "compressed dump, --at" "$tmp/checked.txt" --at 0x200000000 "$tmp/two"
	run 1 --at 0 "$tmp/two" || not_ok "compressed dump, --at elsewhere" "$tmp/err"
	notes "compressed dump, --at elsewhere" '/two: no image at 0x0$'
	# Of a machine with 1 TiB, the dump has 20 pages.
	make_dump "$tmp/file" "$tmp/checked" -a 0xff00000000 -f 0x10000000
	start=$(date +%s%N)
	shows "compressed dump of 1 TiB" "$tmp/checked.txt" "$tmp/file"
	echo "# 1 TiB in $((($(date +%s%N) - start) / 1000000)) ms"
	rm -f "$tmp/file"
}

# Offsets in the files of mkdump: header 0, sub header 4096, notes 8192, bitmaps 12288,
# descriptors 20480.
test_dump_refused() {
	make_dump "$tmp/file" "$tmp/checked" -s
	says "split dump" 1 ".*/file: part of a split dump: join the parts with makedumpfile --reassemble" \
		"$tmp/file"
	head -c 400 "$tmp/dump" > "$tmp/file"
	says "dump cut in the header" 1 ".*/file: damaged dump: 400 bytes, the header has 464" "$tmp/file"
	head -c 20479 "$tmp/dump" > "$tmp/file"
	says "dump cut in the bitmaps" 1 \
		".*/file: damaged dump: its bitmaps would end at 0x5000, the file ends at 0x4fff" "$tmp/file"
	patched "$tmp/dump" 428 00000000 > "$tmp/file"
	says "dump with a wrong page size" 1 ".*/file: damaged dump: no valid page size .*" "$tmp/file"
	patched "$tmp/dump" 8 00000000 > "$tmp/file"
	says "dump with a wrong version" 1 ".*/file: dump has header version 0, must be 1 to 255" "$tmp/file"
	patched "$tmp/dump" 4192 0000000000000000 > "$tmp/file"
	says "dump of no frames" 1 ".*/file: damaged dump: 0 page frames, must be 1 to [0-9]*" "$tmp/file"
	patched "$tmp/dump" 4152 0000000100000000 > "$tmp/file"
	says "dump with notes beyond the end" 1 \
		".*/file: damaged dump: 16777216 bytes of notes at 0x2000, the file ends at .*" "$tmp/file"
	patched "$tmp/dump" 8225 2e > "$tmp/file"
	says "dump with damaged notes" 1 ".*/file: damaged dump: its notes at 0x2000 are not valid" \
		"$tmp/file"
	patched "$tmp/dump" 416 00100000000000000100000002000000ffff0000 > "$tmp/file"
	says "dump of 32 bits" 1 ".*/file: dump of a 32-bit machine, where jtrace does not run" "$tmp/file"
	head -c 32768 /dev/zero > "$tmp/zero"
	make_dump "$tmp/file" "$tmp/zero"
	says "dump without an image" 1 ".*/file: no jtrace image in its 32768 bytes" "$tmp/file"
}

test_dump_damage() {
	local n=4000

	# The size of the first compressed page overflows the buffer in libkdumpfile 0.5.1.
	patched "$tmp/dump" 20488 00000200 > "$tmp/file"
	run 0 "$tmp/file"
	notes "a descriptor is damaged" \
		": 1 pages of the dump cannot be read, took them for zeros; the first one at 0x100000: its desc.*"
	# The data of the third page, which is compressed.
	patched "$tmp/dump" "$(perl -e 'open(F, $ARGV[0]); seek(F, 20480 + 48, 0); read(F, $b, 8);
		print unpack("Q<", $b)' "$tmp/dump")" ffff > "$tmp/file"
	run 0 "$tmp/file"
	notes "a compressed page is damaged" \
		": 1 pages of the dump cannot be read, took them for zeros; the first one at 0x102000: .+"
	[ "$build" != clang-asan ] || n=150
	if "$tmp/$build/shakedump" -s "$seed" -n $n "$tmp/dump" "$tmp/checked.txt" > "$tmp/out" 2>&1; then
		ok "compressed dump cut and damaged"
	else
		not_ok "compressed dump cut and damaged" "$tmp/out"
	fi
}
