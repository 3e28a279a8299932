# shellcheck shell=bash disable=SC2154 # set by run
# SPDX-License-Identifier: GPL-2.0
#
# Tests of jtrace save: an image with the names it needs

# A system whose kernel has these names, and another one without any.
make_systems() {
	rm -rf "$tmp/here" "$tmp/there"
	mkdir -p "$tmp/here/proc/sys/kernel/random" "$tmp/here/sys/kernel/btf" "$tmp/there"
	echo 01010101-0101-0101-0101-010101010101 > "$tmp/here/proc/sys/kernel/random/boot_id"
	build_id 11 > "$tmp/here/sys/kernel/notes"
	printf '%s\n' "ffffffff81000000 T _stext" "ffffffff81001000 T ip_rcv" \
		"ffffffff81002000 T _etext" "ffffffff82000000 D _sdata" "ffffffff82000040 D jiffies" \
		"ffffffff82001000 D _edata" > "$tmp/here/proc/kallsyms"
	"$tmp/mkbtf" "$tmp/here/sys/kernel/btf" old
}

make_save() {
	local i

	for i in 1 2; do
		echo "0 3 0 0 0 0 ffffffff81001012 ffffffff82000040 event e e (ip:symbol, data:x64)"
		echo "0 3 0 0 0 0 ffffffff8100$i ffffffffffffffff event e e (ip:symbol, data:x64)"
		printf '0 3 40 40 17e 0 0 0 event kmalloc kmalloc (%s)\n' \
			"bytes_req:u32, bytes_alloc:u32, gfp_flags:x32"
		echo "0 3 8 2 0 0 0 0 event kfree_skb kfree_skb (protocol:x16, reason:u32)"
	done
}

# saved TEXT WANT: the file shows WANT on a system without names
saved() {
	JTRACE_ROOT=$tmp/there run 0 -d "$tmp/saved"
	if diff "$2" "$tmp/out" > "$tmp/diff"; then
		ok "save: $1"
	else
		not_ok "save: $1" "$tmp/diff"
	fi
}

test_save() {
	local i size at bad=0 named

	make_systems
	make_save > "$tmp/save.in"
	"$tmp/mkimage" -c 8 -i 1 -T ffffffff81000000 -a 100,1,cat -e "$tmp/save.in" > "$tmp/file"
	JTRACE_ROOT=$tmp/there run 0 -d "$tmp/file"
	cp "$tmp/out" "$tmp/without"
	JTRACE_ROOT=$tmp/here run 0 -d "$tmp/file"
	cp "$tmp/out" "$tmp/with"
	# Without libbpf, without two of them.
	named=$(grep -c '<ip_rcv+0x12>.*<jiffies>\|<GFP_KERNEL|\|<NO_SOCKET>' "$tmp/with")
	if [ "$named" = 6 ] || { [ "$named" = 2 ] && "$jtrace" --version | grep -q 'without libbpf'; }; then
		ok "save: there are names"
	else
		not_ok "save: there are names" "$tmp/with"
	fi
	rm -f "$tmp/saved"
	JTRACE_ROOT=$tmp/here run 0 save "$tmp/saved" "$tmp/file"
	saved "all names are in the file" "$tmp/with"
	run 0 "$tmp/file"
	cp "$tmp/out" "$tmp/plain"
	run 0 "$tmp/saved"
	if cmp -s "$tmp/plain" "$tmp/out"; then
		ok "save: not without -d"
	else
		not_ok "save: not without -d" "$tmp/out"
	fi
	says "save: exists" 1 "$tmp/saved: exists; --force replaces it" save "$tmp/saved" "$tmp/file"
	mv "$tmp/saved" "$tmp/first"
	JTRACE_ROOT=$tmp/there run 0 save "$tmp/saved" "$tmp/first"
	if cmp -s "$tmp/first" "$tmp/saved"; then
		ok "save: of a saved one, the same"
	else
		not_ok "save: of a saved one, the same"
	fi
	JTRACE_ROOT=$tmp/there run 0 save --force "$tmp/saved" "$tmp/file"
	if cmp -s "$tmp/file" "$tmp/saved"; then
		ok "save: without names, the same bytes"
	else
		not_ok "save: without names, the same bytes"
	fi
	echo text > "$tmp/saved"
	says "save: no other file is lost" 1 \
		"$tmp/saved: --force replaces only an export of jtrace or an empty file" \
		save --force "$tmp/saved" "$tmp/file"

	# A damaged byte of the names: none is shown.
	size=$(size_of "$tmp/first")
	for i in $(seq 40); do
		at=$(($(size_of "$tmp/file") - 512 + RANDOM % (size - $(size_of "$tmp/file"))))
		{ head -c $at "$tmp/first"; junk 1; tail -c +$((at + 2)) "$tmp/first"; } > "$tmp/saved"
		cmp -s "$tmp/first" "$tmp/saved" && continue
		JTRACE_ROOT=$tmp/there run 0 -d "$tmp/saved"
		cmp -s "$tmp/without" "$tmp/out" || bad=$((bad + 1))
	done
	if [ $bad = 0 ]; then
		ok "save: no name of damaged ones"
	else
		not_ok "save: no name of damaged ones: $bad" "$tmp/out"
	fi
	head -c $((size - 512)) "$tmp/first" > "$tmp/cut"
	rm -f "$tmp/saved"
	JTRACE_ROOT=$tmp/here run 0 save "$tmp/saved" "$tmp/cut"
	if cmp -s "$tmp/cut" "$tmp/saved" &&
		grep -q 'cut: saved without names: the image is cut' "$tmp/err"; then
		ok "save: what is cut stays as it is"
	else
		not_ok "save: what is cut stays as it is"
	fi
	# What claims to be names is not written over.
	for i in 12 16 512 1024 3000 100000; do
		"$tmp/mkimage" -c 8 -i 1 -T ffffffff81000000 -a 100,1,cat -e "$tmp/save.in" -Y $i > "$tmp/file"
		rm -f "$tmp/saved"
		JTRACE_ROOT=$tmp/here run 0 save "$tmp/saved" "$tmp/file"
		saved "an area of $i bytes that has no names" "$tmp/with"
	done
	says "save: no name" 2 "save: needs the name of a file to write" save
	says "save: a part" 2 "save: cannot be combined with --last" save "$tmp/new" -n 3 "$tmp/file"
	says "save: -d" 2 "save: cannot be combined with -d" -d save "$tmp/new" "$tmp/file"
	says "save: another export" 2 "save: cannot be combined with --ctf" --ctf "$tmp/x" save "$tmp/new"
	says "save: the log" 2 "save: cannot be combined with -l" -l save "$tmp/new" "$tmp/file"
}
