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
	call 9943215 1 2 3 4 5 6 "words (int, struct, event, env, _x, __)"
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
	for image in "$tmp"/{tiny,small,strings,large,laps} "$top"/tests/golden/v1/*.img; do
		ctf_equal "${image##*/}" "$image"
	done
	ctf_equal "-C 1 -n 7" "$tmp/large" -C 1 -n 7
	ctf_equal "--tid 101 -g o" "$tmp/large" --tid 101 -g o
	ctf_equal "-S -1ms" "$tmp/large" -S -1ms
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
	# No event of the kernel has small entries.
	grep -av sched_wakeup "$tmp/hostile.in" > "$tmp/small.in"
	"$tmp/mkimage" -k small -c 32 -p 4 -e "$tmp/small.in" > "$tmp/file"
	ctf_equal "hostile tags, small entries" "$tmp/file"
	# More than a packet for each CPU.
	"$tmp/mkimage" -n 10000 -c 700 -s 12 -p 2 > "$tmp/file"
	ctf_equal "several packets" "$tmp/file"
	test_ctf_lttng
	test_ctf_boots
	test_ctf_clock
	test_ctf_target
}

# Events of the kernel have LTTng's names, and its priorities.
test_ctf_lttng() {
	local reader

	{
		echo "0 3 a 14 2 78 62617364 0 event sched_switch sched_switch (prev_pid:s32, next_pid:s32, prev_state:x32, next_prio:s32, next_comm:string)"
		echo "0 3:0:1 9 0 0 0 0 0 event softirq_entry softirq_entry (vec:u32)"
		echo "1 3:0:100 40 0 0 0 6f6c 0 event netif_receive_skb netif_receive_skb (len:u32, dev:string)"
		echo "1 3 21 0 0 0 30616473 0 event irq_handler_entry irq_handler_entry (irq:s32, name:string)"
		echo "1 3 1 2 0 0 0 0 event sched_wakeup sched_wakeup (pid:s32, tid:s32)"
		echo "1 0 1 2 0 0 0 0 file softirq_entry softirq_entry (vec:u32)"
	} > "$tmp/lttng.in"
	"$tmp/mkimage" -c 32 -e "$tmp/lttng.in" > "$tmp/file"
	cat > "$tmp/want" <<-'EVENTS'
	sched_switch: { prev_tid = 10, next_tid = 20, prev_state = 0x2, next_prio = 20, next_comm = "dsab" }
	irq_softirq_entry: { vec = 9 }
	net_if_receive_skb: { len = 64, name = "lo" }
	irq_handler_entry: { irq = 33, name = "sda0" }
	sched_wakeup: { pid = 1, tid = 2 }
	softirq_entry (vec:u32): { a = 0x1, b = 0x2, c = 0x0, d = 0x0, e = 0x0, f = 0x0 }
	EVENTS
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

# Without a wall clock.
test_ctf_clock() {
	rm -rf "$tmp/ctf"
	zeroed "$tmp/large" 0 384 | head -c -384 > "$tmp/file"
	run 0 --ctf "$tmp/ctf" "$tmp/file"
	notes "ctf: no header" ': the image does not tell the wall clock: times count from the boot$'
	if grep -q '^	offset = 0;$' "$tmp/ctf/metadata" &&
		grep -q 'absolute = false' "$tmp/ctf/metadata" &&
		! grep -q uuid "$tmp/ctf/metadata"; then
		ok "ctf: no header: no clock, no boot"
	else
		not_ok "ctf: no header: no clock, no boot" "$tmp/ctf/metadata"
	fi
}

# left NAME: pass if no directory is left beside the target
left() {
	if ! compgen -G "$tmp/target*.??????" > /dev/null; then
		ok "ctf: $1: nothing is left"
	else
		not_ok "ctf: $1: something is left: $(compgen -G "$tmp/target*.??????")"
		rm -rf "$tmp"/target*.??????
	fi
}

test_ctf_target() {
	local t=$tmp/target only="--force replaces only an export of jtrace or an empty directory" pid

	rm -rf "$t" "$tmp/ctf"
	run 0 --ctf "$t" "$tmp/large" && run 0 --ctf "$tmp/ctf" "$tmp/large"
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
	: > "$t/notes"
	says "ctf: not with another file in it" 1 "$t: $only" --ctf "$t" --force "$tmp/tiny"
	rm "$t/notes"
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
	: > "$t"
	says "ctf: a file" 1 "$t: exists, and is no directory" --ctf "$t" --force "$tmp/tiny"
	rm "$t"
	says "ctf: nowhere" 1 "$t/a/b: cannot create it: No such file or directory" \
		--ctf "$t/a/b" "$tmp/tiny"
	says "ctf: no image" 1 ".*: no jtrace image .*" --ctf "$t" "$top/COPYING"
	says "ctf: with -l" 2 "--ctf: cannot be combined with -l" --ctf "$t" -l x
	says "ctf: with a verb" 2 "start: cannot be combined with --ctf" --ctf "$t" start
	says "ctf: --force alone" 2 "--force: needs an export" --force x
	left "refused"
	# A file that may not become larger: SIGXFSZ is ignored.
	status=0
	(trap '' XFSZ; ulimit -f 8; exec "$jtrace" --ctf "$t" "$tmp/large") 2> "$tmp/err" || status=$?
	if [ "$status" -eq 1 ] && grep -qE "^jtrace: $t/cpu_[0-9]: File too large$" "$tmp/err" &&
		[ "$(wc -l < "$tmp/err")" -eq 1 ] && [ ! -e "$t" ]; then
		ok "ctf: no room"
	else
		not_ok "ctf: no room: exit status $status" "$tmp/err"
	fi
	left "no room"
	test_ctf_signal "$t"
}

# A signal while the export waits for a reader of its first file.
test_ctf_signal() {
	local t=$1 tries pid half

	"$tmp/mkimage" -n 300000 -c 5000 -s 12 -p 2 > "$tmp/file"
	for tries in $(seq 50); do
		"$jtrace" --ctf "$t" "$tmp/file" 2> "$tmp/err" &
		pid=$!
		while half=$(compgen -G "$t.??????"); [ -z "$half" ] && kill -0 $pid 2> /dev/null; do :; done
		kill -TERM $pid 2> /dev/null
		status=0
		wait $pid || status=$?
		[ "$status" -ne 143 ] || break
		rm -rf "$t"
	done
	if [ "$status" -eq 143 ] && [ ! -e "$t" ] && [ ! -s "$tmp/err" ]; then
		ok "ctf: a signal, at try $tries"
	else
		not_ok "ctf: a signal: exit status $status" "$tmp/err"
	fi
	left "a signal"
}
