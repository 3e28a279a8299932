# shellcheck shell=bash disable=SC2154 # set by run
# SPDX-License-Identifier: GPL-2.0
#
# Tests of jtrace --frame: hits of probes with $regs
#
# The image has, in this order:
#   rx 1, whole; of an earlier probe of this name
#   rx 1, whole; tx 1 comes on the same CPU between its parts
#   rx 2 on both CPUs at once: whole on CPU 1, without its second part on CPU 0
#   rx 3, its values are missing
#   what looks like frames, and is none

# entry CPU KIND A B C D E F FUNCTION TAG
entry() {
	echo "$1 $2 $3 $4 $5 $6 $7 $8 kprobe $9 ${10}"
}

# rx_values CPU HIT; rx_part CPU HIT PART FIRST: registers FIRST, FIRST + 1, FIRST + 2
rx_values() {
	entry "$1" 2 5c fffffffe "$2" 0 30687465 0 ip_rcv+0x0 \
		"rx (len:u32, minus:s16, hit:u32, dev:string)"
}
rx_part() {
	case $3 in
	1)	entry "$1" 2 "$2" 0 0000000"$4" ffff8880 "$4"1 "$4"2 ip_rcv+0x0 \
			"rx \$regs 1/2 (hit:u32, ax:x64, bx:x64, cx:x64)" ;;
	2)	entry "$1" 2 "$2" 0 0 0 "$4"3 0 ip_rcv+0x0 "rx \$regs 2/2 (hit:u32, dx:x64)" ;;
	esac
}

make_frames() {
	local call="rx \$regs 1/2 (hit:u32, ax:x64, bx:x64, cx:x64)"

	{
		rx_values 0 1
		rx_part 0 1 1 a
		rx_part 0 1 2 a
		rx_values 0 1
		rx_part 0 1 1 b
		entry 0 2 1 0 0 0 ffffffffffffff92 0 f+0x8 "tx (hit:u32, ret:s64)"
		entry 0 2 1 0 0 0 77 0 f+0x8 "tx \$regs 1/1 (hit:u32, ax:x64)"
		rx_part 0 1 2 b
		rx_values 0 2
		rx_values 1 2
		rx_part 1 2 1 d
		rx_part 0 2 1 c
		rx_part 1 2 2 d
		rx_part 0 3 1 e
		# A trace point in code, a probe without $regs, tags that are not of probes.
		entry 0 0 9 0 0 0 1 2 f "$call"
		entry 0 2 9 0 0 0 0 0 f+0x0 "plain (hit:u32)"
		entry 0 2 9 0 0 0 0 0 f+0x0 "odd \$regs 2/1 (hit:u32, ax:x64)"
		entry 0 2 9 0 0 0 0 0 f+0x0 "odd \$regs 1/64 (hit:u32, ax:x64)"
		entry 0 2 9 0 0 0 0 0 f+0x0 "odd \$regs 1/1 (hit:u32, ax:x99)"
		entry 0 2 9 0 0 0 0 0 f+0x0 "odd \$regs 1/1 x (hit:u32, ax:x64)"
		entry 0 2 9 0 0 0 0 0 f+0x0 "odd \$regs 1/1 (hit:u32, ax:x64"
		entry 0 2 9 0 0 0 0 0 f+0x0 "odd \$regs 1/1 (hit:x32, ax:x64)"
		entry 0 2 9 0 0 0 0 0 f+0x0 \
			"odd \$regs 1/1 (hit:u32, a:x64, b:x64, c:x64, d:x64)"
	} > "$tmp/frames.in"
	"$tmp/mkimage" -c 16 -e "$tmp/frames.in" > "$tmp/frames"
}

# frame NAME ARG...: the frame is as expected
frame() {
	local name=$1

	shift
	shows "--frame: $name" "$here/expected/frame-${name// /-}.txt" "$@" "$tmp/frames"
}

test_frames() {
	export XDG_RUNTIME_DIR=$tmp

	make_frames
	rm -f "$tmp/jtrace-frame"
	frame "the newest with the number" --frame 1 --probe rx
	frame "between the parts of another" --frame 1 --probe tx
	frame "the newest of two CPUs" --frame 2
	frame "the values are missing" --frame 3
	says "--frame: of two probes" 1 "--frame 1: (rx and tx|tx and rx) have such a hit: add --probe NAME" \
		--frame 1 "$tmp/frames"
	says "--frame: not there" 1 "--frame 9: not in the trace; the first one is hit 1 of rx, the last one hit 3 of rx" \
		--frame 9 "$tmp/frames"
	says "--frame: no such probe" 1 "--frame 1: no hit of plain with .regs is in the trace: add .regs to its definition" \
		--frame 1 --probe plain "$tmp/frames"
	says "--frame: none" 1 "--frame next: no hit of a probe with .regs is in the trace: add .regs to its definition" \
		--frame next "$tmp/large"

	# All of them, in the order of the trace; then those of one probe.
	rm -f "$tmp/jtrace-frame"
	while "$jtrace" --frame next "$tmp/frames" 2> "$tmp/err"; do :; done > "$tmp/out"
	sed -n 's/^Hit \([0-9]*\) of \([a-z]*\): .*cpu \([0-9]\) .*/\2 \1 \3/p' "$tmp/out" > "$tmp/hits"
	if [ "$(tr '\n' ',' < "$tmp/hits")" = "rx 1 0,rx 1 0,tx 1 0,rx 2 0,rx 2 1,rx 3 0," ]; then
		ok "--frame next: each hit once"
	else
		not_ok "--frame next: each hit once" "$tmp/hits" "$tmp/err"
	fi
	notes "--frame next: the end" "^jtrace: --frame next: that was the last one; --frame N shows"
	run 0 --frame 1 --probe tx "$tmp/frames"
	frame "a part is missing" --frame next --probe rx
	# Another image begins with its first one.
	sed 's/rx/qx/g' "$tmp/frames.in" > "$tmp/other.in"
	"$tmp/mkimage" -S 2 -c 16 -e "$tmp/other.in" > "$tmp/file"
	run 0 --frame next "$tmp/file"
	if grep -q '^Hit 1 of qx: \[   5\.000001000\]' "$tmp/out"; then
		ok "--frame next: another image"
	else
		not_ok "--frame next: another image" "$tmp/out" "$tmp/err"
	fi

	# The values of an old hit are gone; a new one has its number.
	{
		rx_part 0 1 1 a
		rx_part 0 1 2 a
		rx_values 0 1
		rx_part 0 1 1 b
		rx_part 0 1 2 b
	} > "$tmp/again.in"
	"$tmp/mkimage" -c 16 -e "$tmp/again.in" > "$tmp/file"
	run 0 --frame 1 "$tmp/file"
	if [ "$(sed -n 's/^  \(len\|ax\)  *//p' "$tmp/out" | xargs)" = "92 0x00000000000000b1" ]; then
		ok "--frame: values and registers of one hit"
	else
		not_ok "--frame: values and registers of one hit" "$tmp/out"
	fi
	# A name that would act on a terminal is none of a probe.
	sed "s/rx/r$(printf '\033')x/" "$tmp/again.in" > "$tmp/other.in"
	"$tmp/mkimage" -c 16 -e "$tmp/other.in" > "$tmp/file"
	says "--frame: a name with control bytes" 1 \
		"--frame 9: no hit of a probe with .regs is in the trace: add .regs to its definition" --frame 9 "$tmp/file"

	run 0 --json --frame 1 --probe rx "$tmp/frames"
	if parse_json probe hit cpu tid context file function values parts parts_there registers \
		< "$tmp/out" > "$tmp/json" && grep -v '^image' "$tmp/json" > "$tmp/frame" &&
		cmp -s "$tmp/frame" "$here/expected/frame.json"; then
		ok "--frame --json"
	else
		not_ok "--frame --json" "$tmp/out" "$tmp/json" "$tmp/err"
	fi
	run 0 --json --frame 1 --probe tx "$tmp/frames"
	if grep -q '"values":{"ret":"-110"},"parts":1,"parts_there":1,"registers":{"ax":"0x0000000000000077"}}$' \
		"$tmp/out"; then
		ok "--frame --json: a signed value"
	else
		not_ok "--frame --json: a signed value" "$tmp/out"
	fi
	XDG_RUNTIME_DIR=$tmp/nowhere run 0 --frame 2 "$tmp/frames"
	notes "--frame: where it was cannot be kept" '^jtrace: .*/nowhere/jtrace-frame: "--frame next" will not go on here: No such'
	# A link is not followed: it might name any file.
	mkdir "$tmp/linked"
	echo "not a cursor" > "$tmp/target"
	ln -s ../target "$tmp/linked/jtrace-frame"
	XDG_RUNTIME_DIR=$tmp/linked run 0 --frame 2 "$tmp/frames"
	notes "--frame: the file is a link" \
		"^jtrace: .*/jtrace-frame: a symbolic link, which is not followed, so .* remove it$"
	shows_file "--frame: its target is not overwritten" "not a cursor" "$tmp/target"
	run 0 --frame 2 "$tmp/frames"
	cp "$tmp/jtrace-frame" "$tmp/target"
	XDG_RUNTIME_DIR=$tmp/linked run 0 --frame next "$tmp/frames"
	if grep -q '^Hit 1 of rx:' "$tmp/out"; then
		ok "--frame: its target is not read"
	else
		not_ok "--frame: its target is not read" "$tmp/out" "$tmp/err"
	fi
	rm "$tmp/linked/jtrace-frame"
	mkfifo "$tmp/linked/jtrace-frame"
	XDG_RUNTIME_DIR=$tmp/linked timeout 60 "$jtrace" --frame 2 "$tmp/frames" > "$tmp/out" 2> "$tmp/err"
	notes "--frame: the file is a pipe" '"--frame next" will not go on here: '
	rm -r "$tmp/linked"
	says "--frame: no number" 2 "--frame -1: must be the number of a hit, or next" --frame -1 x
	says "--frame: too large" 2 "--frame 4294967296: must be .*" --frame 4294967296 x
	says "--frame and -l" 2 "--frame: cannot be combined with -l" --frame 1 -l x
	says "doctor and --frame" 2 "doctor: cannot be combined with --frame" --frame 1 doctor
	says "--probe alone" 2 "--probe: needs --frame" --probe rx x
	unset XDG_RUNTIME_DIR
}
