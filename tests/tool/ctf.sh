# shellcheck shell=bash disable=SC2154 # set by run
# SPDX-License-Identifier: GPL-2.0
#
# Tests of jtrace --ctf, judged by babeltrace 1.5 and babeltrace2

# bt 1|2 OPTION... DIR...: print a trace by that babeltrace
bt() {
	local reader=babeltrace

	[ "$1" = 1 ] || reader=babeltrace2
	shift
	TZ=UTC "$reader" --no-delta --clock-seconds "$@" 2> "$tmp/bt.err"
}

# ctf_equal NAME IMAGE ARG...: pass if both read what --json -d prints
ctf_equal() {
	local name=$1 image=$2 reader

	shift 2
	rm -rf "$tmp/ctf"
	if ! run 0 --ctf "$tmp/ctf" "$@" "$image"; then
		not_ok "ctf: $name: exit status $status" "$tmp/err"
		return
	fi
	"$jtrace" --json -d "$@" "$image" > "$tmp/json" 2> /dev/null
	for reader in 1 2; do
		if bt $reader -f emf "$tmp/ctf" > "$tmp/bt" && [ ! -s "$tmp/bt.err" ] &&
			"$here/ctf_same" $reader "$tmp/ctf/metadata" "$tmp/json" "$tmp/bt" > "$tmp/log" 2>&1; then
			ok "ctf: $name: $(cat "$tmp/log") events, babeltrace $reader"
		else
			not_ok "ctf: $name, babeltrace $reader" "$tmp/log" "$tmp/bt.err"
		fi
	done
}

# Tags that are hostile in TSDL, and names that are its words.
make_hostile() {
	local tag

	for tag in 'ße' $'\377\300\257bad' 'a "quoted" \ tag \n \x41 %s' $'back\\' '";};' $'\ttab \e[1m' \
		'/* no comment' '' '*/ // ?' '(a, b)'; do
		call 77 1 2 0 0 0 0 "$tag"
	done
	call 993321 1 2 3 4 5 6 "words (int, struct, event, env, _x, __)"
	event 1 2 0 0 6e5c61221b41ff42 6968 "x (string:u8, text:string, 1a:s16)"
	event 1 2 0 0 0 0 "<no tag>"
	probe 36 0 0 0 ffffffff81001000 0 "rx (len:u32, ip:symbol)"
	# Two fields with one name: none; two that LTTng's names would make alike: no LTTng names.
	event 1 2 0 0 0 0 "twice (a:u32, a:u32)"
	event 1 2 0 0 0 0 "sched_wakeup (pid:s32, tid:s32)"
}

test_ctf() {
	local image s

	if ! command -v babeltrace > /dev/null || ! command -v babeltrace2 > /dev/null; then
		not_ok "ctf: babeltrace and babeltrace2 are there"
		return
	fi
	for image in "$tmp"/{tiny,small,strings,large,laps} "$top"/tests/golden/v2/*.img; do
		ctf_equal "${image##*/}" "$image"
	done
	ctf_equal "-C 1 -n 7" "$tmp/large" -C 1 -n 7
	ctf_equal "--tid 101 -g o" "$tmp/large" --tid 101 -g o
	ctf_equal "-S -1ms" "$tmp/large" -S -1ms
	ctf_equal "-U 5.01" "$tmp/large" -U 5.01
	ctf_equal "no event is selected" "$tmp/large" -g 'no such tag'
	"$tmp/mkimage" -n 0 > "$tmp/empty"
	ctf_equal "no event" "$tmp/empty"
	for s in 1 "$seed"; do
		"$here/decoded" "$s" 400 > "$tmp/random.in"
		"$tmp/mkimage" -c 64 -e "$tmp/random.in" -i 7 -r 1700000000000000000 > "$tmp/file"
		ctf_equal "random arguments, seed $s" "$tmp/file"
	done
	make_named > "$tmp/named.in"
	"$tmp/mkimage" -c 32 -e "$tmp/named.in" > "$tmp/file"
	ctf_equal "named arguments" "$tmp/file"
	make_hostile > "$tmp/hostile.in"
	"$tmp/mkimage" -c 32 -e "$tmp/hostile.in" > "$tmp/file"
	ctf_equal "hostile tags" "$tmp/file"
	if grep -q '"args":{"int":"0x' "$tmp/json"; then
		ok "ctf: words of the language are names"
	else
		not_ok "ctf: words of the language are names" "$tmp/json"
	fi
	# No event of the kernel has small entries.
	grep -av sched_wakeup "$tmp/hostile.in" > "$tmp/small.in"
	"$tmp/mkimage" -k small -c 32 -p 4 -e "$tmp/small.in" > "$tmp/file"
	ctf_equal "hostile tags, small entries" "$tmp/file"
	# More than a packet for each CPU.
	"$tmp/mkimage" -n 10000 -c 700 -s 12 -p 2 > "$tmp/file"
	ctf_equal "several packets" "$tmp/file"
	if [ "$(LC_ALL=C grep -oaP '\xc1\x1f\xfc\xc1\0\0\0\0' "$tmp/ctf/cpu_1" | wc -l)" -eq 2 ]; then
		ok "ctf: two packets"
	else
		not_ok "ctf: two packets"
	fi
	test_ctf_symbols
	test_ctf_lttng
	test_ctf_boots
	test_ctf_boot
	test_ctf_clock
	test_ctf_target
}

# Fields that have a symbol in all events, in some, or in none; a field with the symbol's name.
test_ctf_symbols() {
	mkdir -p "$tmp/ctf_root/proc/sys/kernel/random" "$tmp/ctf_root/sys/kernel"
	echo 01010101-0101-0101-0101-010101010101 > "$tmp/ctf_root/proc/sys/kernel/random/boot_id"
	printf '%s\n' "ffffffff81000000 T _stext" "ffffffff81001000 T ip_rcv" \
		"ffffffff81002000 T _etext" > "$tmp/ctf_root/proc/kallsyms"
	{
		event 0 0 0 0 ffffffff81001012 0 "all (at:symbol, ip:x64)"
		event 0 0 0 0 ffffffff81001fff 1 "all (at:symbol, ip:x64)"
		event 0 0 0 0 ffffffff81000000 ffffffff81000001 "both (at:symbol, ip:x64)"
		event 7 0 0 0 ffffffff81001012 0 "like it (at_symbol:u32, at:symbol)"
		event 0 0 0 0 ffffffff82000000 81001000 "none (at:symbol, ip:x64)"
		event 36 0 0 0 1 0 "some (len:u32, location:symbol)"
		event 36 0 0 0 ffffffff81001000 0 "some (len:u32, location:symbol)"
	} > "$tmp/symbols.in"
	"$tmp/mkimage" -c 32 -i 1 -T ffffffff81000000 -e "$tmp/symbols.in" > "$tmp/file"
	export JTRACE_ROOT=$tmp/ctf_root
	ctf_equal "symbols" "$tmp/file"
	unset JTRACE_ROOT
	if [ "$(grep -c '"symbols":' "$tmp/json")" -eq 5 ] && grep -q ' _at_symbol_;$' "$tmp/ctf/metadata"; then
		ok "ctf: there are symbols"
	else
		not_ok "ctf: there are symbols" "$tmp/json" "$tmp/ctf/metadata"
	fi
}

# Events of the kernel have LTTng's names, and its priorities.
test_ctf_lttng() {
	local reader event field n=0

	{
		echo "0 3 a 14 2 78 62617364 0 event sched_switch sched_switch (prev_pid:s32, next_pid:s32, prev_state:x32, next_prio:s32, next_comm:string)"
		echo "0 3:0:1 9 0 0 0 0 0 event softirq_entry softirq_entry (vec:u32)"
		echo "1 3:0:100 40 0 0 0 6f6c 0 event netif_receive_skb netif_receive_skb (len:u32, dev:string)"
		echo "1 3 21 0 0 0 30616473 0 event irq_handler_entry irq_handler_entry (irq:s32, name:string)"
		echo "1 3 1 2 0 0 0 0 event sched_wakeup sched_wakeup (pid:s32, tid:s32)"
		echo "1 0 1 2 0 0 0 0 file softirq_entry softirq_entry (vec:u32)"
	} > "$tmp/lttng.in"
	"$tmp/mkimage" -c 32 -e "$tmp/lttng.in" > "$tmp/file"
	{
		echo "sched_switch: { prev_tid = 10, next_tid = 20, prev_state = 0x2, prev_state_symbol = \"D\", next_prio = 20, next_comm = \"dsab\" }"
		echo "irq_softirq_entry: { vec = 9, vec_symbol = \"RCU\" }"
		echo "net_if_receive_skb: { len = 64, name = \"lo\" }"
		echo "irq_handler_entry: { irq = 33, name = \"sda0\" }"
		echo "sched_wakeup: { pid = 1, tid = 2 }"
		echo "softirq_entry (vec:u32): { a = 0x1, b = 0x2, c = 0x0, d = 0x0, e = 0x0, f = 0x0 }"
	} > "$tmp/want"
	rm -rf "$tmp/ctf"
	run 0 --ctf "$tmp/ctf" "$tmp/file"
	for reader in 1 2; do
		bt $reader "$tmp/ctf" | sed 's/^\[[ 0-9.]*\] //; s/: { cpu_id.*{/: {/' > "$tmp/bt"
		if cmp -s "$tmp/want" "$tmp/bt"; then
			ok "ctf: LTTng's names, babeltrace $reader"
		else
			diff "$tmp/want" "$tmp/bt" > "$tmp/diff"
			not_ok "ctf: LTTng's names, babeltrace $reader" "$tmp/diff" "$tmp/err"
		fi
	done
	# Each row of the table is an event of the module, or a field of one.
	while read -r event field; do
		n=$((n + 1))
		[ "$field" != NULL ] || field=JTRACE_EVENT
		sed -n "/^JTRACE_EVENT($event,/,/;\$/p" "$top"/events/*.c > "$tmp/out"
		grep -qw "$field" "$tmp/out" || not_ok "ctf: LTTng's names: $event has no $field"
	done < <(sed -n 's/^	{ "\([a-z_]*\)", "*\([a-zA-Z_]*\)"*, .*/\1 \2/p' "$top/tools/export/ctf/lttng.c")
	if [ $n -gt 20 ]; then
		ok "ctf: LTTng's names: $n rows"
	else
		not_ok "ctf: LTTng's names: only $n rows"
	fi
}

# Events of two boots, in the order of the wall clock.
test_ctf_boots() {
	local reader

	"$tmp/mkimage" -n 60 -S 3 -i 1 -c 32 -r 1700000000000000000 > "$tmp/file"
	"$tmp/mkimage" -n 60 -S 4 -i 2 -c 32 -r 1700000000000300000 > "$tmp/cut"
	rm -rf "$tmp/ctf" "$tmp/ctf2"
	run 0 --ctf "$tmp/ctf" "$tmp/file" && run 0 --ctf "$tmp/ctf2" "$tmp/cut"
	for reader in 1 2; do
		bt $reader -f emf "$tmp/ctf2" "$tmp/ctf" > "$tmp/bt"
		{ bt $reader -f emf "$tmp/ctf"; bt $reader -f emf "$tmp/ctf2"; } > "$tmp/log"
		if [ "$(wc -l < "$tmp/bt")" -eq 120 ] && LC_ALL=C sort -c -k 1,1 "$tmp/bt" 2> /dev/null &&
			LC_ALL=C cmp -s <(sort "$tmp/bt") <(sort "$tmp/log") &&
			! cmp -s "$tmp/bt" "$tmp/log" && ! LC_ALL=C sort -c -k 1,1 "$tmp/log" 2> /dev/null; then
			ok "ctf: two boots in one order, babeltrace $reader"
		else
			not_ok "ctf: two boots in one order, babeltrace $reader" "$tmp/bt" "$tmp/bt.err"
		fi
	done
}

# Exports of one boot number other events; the clock was set between them.
test_ctf_boot() {
	local reader one t=$tmp/ctf_boot

	"$tmp/mkimage" -n 60 -S 3 -i 1 -c 32 -r 1700000000000000000 > "$tmp/file"
	"$tmp/mkimage" -n 60 -S 4 -i 1 -c 32 -r 1700000000000300000 > "$tmp/cut"
	rm -rf "$t"*
	run 0 --ctf "$t" -C 0 "$tmp/file" && run 0 --ctf "$t.2" -C 1 "$tmp/file" &&
		run 0 --ctf "$t.3" "$tmp/cut"
	for reader in 1 2; do
		bt $reader -f emf "$t" "$t.2" "$t.3" > "$tmp/bt"
		for one in "$t" "$t.2" "$t.3"; do
			bt $reader -f emf "$one"
		done > "$tmp/log"
		if [ "$(wc -l < "$tmp/bt")" -eq 120 ] &&
			LC_ALL=C cmp -s <(sort "$tmp/bt") <(sort "$tmp/log"); then
			ok "ctf: three exports of one boot, babeltrace $reader"
		else
			diff <(sort "$tmp/log") <(sort "$tmp/bt") > "$tmp/diff"
			not_ok "ctf: three exports of one boot, babeltrace $reader" "$tmp/diff" "$tmp/bt.err"
		fi
	done
}

# no_wall_clock NAME: pass if the last export says that it has none
no_wall_clock() {
	notes "ctf: $1" ': the image does not tell the wall clock: times count from the boot$'
	if grep -q '^	offset = 0;$' "$tmp/ctf/metadata" && grep -q 'absolute = false' "$tmp/ctf/metadata"; then
		ok "ctf: $1: no offset"
	else
		not_ok "ctf: $1: no offset" "$tmp/ctf/metadata"
	fi
}

# The offset of the clock, which ctf_same takes as it is; and times that readers do not take.
test_ctf_clock() {
	local image real mono boot n=0

	for image in clean large-panicked small-running; do
		image=$top/tests/golden/v2/$image.img
		read -r mono boot real < <(od -An -w24 -tu8 -j 72 -N 24 "$image")
		run 0 --json "$image"
		! grep -q '"mono":true' "$tmp/out" || boot=$mono
		run 0 --ctf "$tmp/ctf" --force "$image"
		if [ "$mono" -gt 0 ] && [ ! -s "$tmp/err" ] && grep -qx '	absolute = true;' "$tmp/ctf/metadata" &&
			grep -qx "	offset = $((real - boot));" "$tmp/ctf/metadata"; then
			ok "ctf: clock of ${image##*/}: $((real - boot))"
		else
			not_ok "ctf: clock of ${image##*/}" "$tmp/ctf/metadata" "$tmp/err"
		fi
	done
	for real in 0 4611686018427387903 18446744073709551615; do
		"$tmp/mkimage" -r $real > "$tmp/file"
		run 0 --ctf "$tmp/ctf" --force "$tmp/file"
		no_wall_clock "wall clock $real"
	done
	zeroed "$tmp/large" 0 512 | head -c -512 > "$tmp/file"
	run 0 --ctf "$tmp/ctf" --force "$tmp/file"
	no_wall_clock "no header"
	if ! grep -q uuid "$tmp/ctf/metadata"; then
		ok "ctf: no header: no boot"
	else
		not_ok "ctf: no header: no boot" "$tmp/ctf/metadata"
	fi
	# The last of five times.
	"$tmp/mkimage" -n 5 -p 1 -r 1700000000000000000 > "$tmp/cut"
	n=$("$jtrace" --json "$tmp/cut" | sed -n 's/.*"time_ns":\([0-9]*\).*/\1/p' | tail -n 1)
	perl -0777 -pe 'BEGIN { $ns = pack("Q<", shift(@ARGV)) } s/\Q$ns\E/"\xff" x 8/e' "$n" "$tmp/cut" > "$tmp/file"
	run 0 --ctf "$tmp/ctf" --force "$tmp/file"
	notes "ctf: a late time" ': times of 1 events are too late for readers: .* 7523372036854775807 ns$'
	for n in 1 2; do
		if bt $n "$tmp/ctf" > "$tmp/bt" && [ "$(grep -o '^\[[0-9.]*' "$tmp/bt" | tail -n 2 | xargs)" = \
			"[1700000005.000117606 [9223372036.854775807" ]; then
			ok "ctf: a late time, babeltrace $n"
		else
			not_ok "ctf: a late time, babeltrace $n" "$tmp/bt" "$tmp/bt.err"
		fi
	done
}

test_ctf_target() {
	local t=$tmp/target name only="--force replaces only an export of jtrace or an empty directory"

	rm -rf "$t" "$tmp/ctf"
	LC_ALL=C run 0 --ctf "$t" "$tmp/large" &&
		LC_ALL=C.UTF-8 TZ=Asia/Tokyo run 0 --ctf "$tmp/ctf" "$tmp/large"
	if diff -r "$t" "$tmp/ctf" > "$tmp/diff" && [ -s "$t/metadata" ] && [ -s "$t/cpu_3" ]; then
		ok "ctf: two exports are equal"
	else
		not_ok "ctf: two exports are equal" "$tmp/diff"
	fi
	says "ctf: exists" 1 "$t: exists; --force replaces it" --ctf "$t" "$tmp/tiny"
	run 0 --ctf "$t/" --force "$tmp/tiny"
	if [ "$status" -eq 0 ] && [ ! -e "$t/cpu_3" ] && [ -s "$t/cpu_1" ]; then
		ok "ctf: --force replaces an export"
	else
		not_ok "ctf: --force replaces an export" "$tmp/err"
	fi
	# Streams have no such numbers.
	for name in notes cpu_ cpu_x cpu_07 cpu_1.txt cpu_65536 metadata2; do
		: > "$t/$name"
		says "ctf: not with $name in it" 1 "$t: $only" --ctf "$t" --force "$tmp/tiny"
		rm "$t/$name"
	done
	mkdir "$t/cpu_7"
	says "ctf: not with a directory in it" 1 "$t: $only" --ctf "$t" --force "$tmp/tiny"
	rmdir "$t/cpu_7"
	ln -s "$tmp/tiny" "$t/cpu_7"
	says "ctf: not with a link in it" 1 "$t: $only" --ctf "$t" --force "$tmp/tiny"
	rm "$t/cpu_7"
	mv "$t" "$tmp/ctf_other"
	ln -s ctf_other "$t"
	says "ctf: a link to an export" 1 "$t: exists, and is no directory" --ctf "$t/" --force "$tmp/tiny"
	rm "$t"
	mv "$tmp/ctf_other" "$t"
	diff -r "$t" "$tmp/ctf" > /dev/null || run 0 --ctf "$tmp/ctf" --force "$tmp/tiny"
	if diff -r "$t" "$tmp/ctf" > "$tmp/diff"; then
		ok "ctf: what was refused is as before"
	else
		not_ok "ctf: what was refused is as before" "$tmp/diff"
	fi
	echo 'mine' > "$t/metadata"
	says "ctf: not with other metadata" 1 "$t: $only" --ctf "$t" --force "$tmp/tiny"
	rm -r "$t"
	mkdir "$t"
	says "ctf: an empty one exists" 1 "$t: exists; .*" --ctf "$t" "$tmp/tiny"
	if run 0 --ctf "$t" --force "$tmp/tiny" && [ -s "$t/metadata" ]; then
		ok "ctf: --force replaces an empty directory"
	else
		not_ok "ctf: --force replaces an empty directory" "$tmp/err"
	fi
	rm -r "$t"
	run 0 --ctf "$tmp/ctf" --force "$tmp/large"
	: > "$t"
	says "ctf: a file" 1 "$t: exists, and is no directory" --ctf "$t" --force "$tmp/tiny"
	rm "$t"
	says "ctf: nowhere" 1 "$t/a/b: cannot create it: No such file or directory" \
		--ctf "$t/a/b" "$tmp/tiny"
	says "ctf: no image" 1 ".*: no jtrace image .*" --ctf "$t" "$top/COPYING"
	says "ctf: with -l" 2 "--ctf: cannot be combined with -l" --ctf "$t" -l x
	says "ctf: with a verb" 2 "start: cannot be combined with --ctf" --ctf "$t" start
	says "ctf: --force alone" 2 "--force: needs an export" --force x
	says "ctf: twice" 2 "--ctf: cannot be combined with --ctf" --ctf "$t" --ctf "$t.2" x
	says "ctf: with --json" 2 "--json: cannot be combined with --ctf" --ctf "$t" --json x
	says "ctf: after --json" 2 "--ctf: cannot be combined with --json" --json --ctf "$t" x
	says "ctf: without a name" 2 "--ctf: needs a name" --ctf "" x
	nothing_left "ctf: refused" "$t*.??????"
	test_ctf_room "$t"
	test_ctf_rename "$t"
	ends_export --ctf "$t"
}

# no_room NAME BLOCKS IMAGE: pass if the file NAME may not become larger than that
no_room() {
	status=0
	# SIGXFSZ is ignored.
	(trap '' XFSZ; ulimit -f "$2"; exec "$jtrace" --ctf "$t" "$3") 2> "$tmp/err" || status=$?
	if [ "$status" -eq 1 ] && grep -qE "^jtrace: $t/$1: File too large$" "$tmp/err" &&
		[ "$(wc -l < "$tmp/err")" -eq 1 ] && [ ! -e "$t" ]; then
		ok "ctf: no room for $1"
	else
		not_ok "ctf: no room for $1: exit status $status" "$tmp/err"
	fi
	nothing_left "ctf: no room for $1" "$t*.??????"
}

# Files that may not become larger; and the signal that says so.
test_ctf_room() {
	local t=$1

	no_room 'cpu_[0-9]' 8 "$tmp/large"
	no_room metadata 1 "$tmp/empty"
	status=0
	# That shell reports the signal.
	bash -c 'ulimit -c 0 -f 8; "$1" --ctf "$2" "$3" 2> "$4"; exit $?' \
		bash "$jtrace" "$t" "$tmp/large" "$tmp/err" 2> /dev/null || status=$?
	if [ "$status" -eq $((128 + $(kill -l XFSZ))) ] && [ ! -e "$t" ] && [ ! -s "$tmp/err" ]; then
		ok "ctf: SIGXFSZ"
	else
		not_ok "ctf: SIGXFSZ: exit status $status" "$tmp/err"
	fi
	nothing_left "ctf: SIGXFSZ" "$t*.??????"
	# Nothing goes to standard output.
	if "$jtrace" --ctf "$t" "$tmp/large" > /dev/full 2> "$tmp/err" && diff -r "$t" "$tmp/ctf" > "$tmp/diff"
	then
		ok "ctf: standard output is full"
	else
		not_ok "ctf: standard output is full" "$tmp/err" "$tmp/diff"
	fi
	rm -r "$t"
}

# The directory is whole, and cannot get its name.
test_ctf_rename() {
	local t=$1 compile="gcc -shared -fPIC" error name

	if ! $compile -DFULL -o "$tmp/full.so" "$here/rename.c" ||
		! $compile -o "$tmp/rename.so" "$here/rename.c"; then
		not_ok "ctf: rename.c builds"
		return
	fi
	# Only the command loads them.
	for name in full rename; do
		# shellcheck disable=SC2016 # for the other shell
		printf '#!/bin/sh\nexec env LD_PRELOAD="%s" "%s" "$@"\n' "$tmp/$name.so" "$jtrace" > "$tmp/$name"
		chmod +x "$tmp/$name"
	done
	error="$t: cannot give the export this name: No space left on device"
	jtrace=$tmp/full says "ctf: no room for the name" 1 "$error" --ctf "$t" "$tmp/large"
	nothing_left "ctf: no room for the name" "$t*.??????"
	run 0 --ctf "$t" "$tmp/large"
	jtrace=$tmp/full says "ctf: no room to exchange" 1 "$error" --ctf "$t" --force "$tmp/tiny"
	nothing_left "ctf: no room to exchange" "$t*.??????"
	if diff -r "$t" "$tmp/ctf" > "$tmp/diff"; then
		ok "ctf: no room to exchange: the old one is whole"
	else
		not_ok "ctf: no room to exchange: the old one is whole" "$tmp/diff"
	fi
	jtrace=$tmp/rename run 0 --ctf "$t" --force "$tmp/tiny"
	if [ "$status" -eq 0 ] && [ ! -s "$tmp/err" ] && [ ! -e "$t/cpu_3" ] && [ -s "$t/cpu_1" ]; then
		ok "ctf: names cannot be exchanged"
	else
		not_ok "ctf: names cannot be exchanged" "$tmp/err"
	fi
	nothing_left "ctf: names cannot be exchanged" "$t*.??????"
	rm -r "$t"
}
