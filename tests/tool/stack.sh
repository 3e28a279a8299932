# shellcheck shell=bash disable=SC2154 # set by run
# SPDX-License-Identifier: GPL-2.0
#
# Tests of stacks: as text, as JSON, saved with their names, and of damaged images

# A system with functions of the kernel, of its boot and of a module.
make_stack_system() {
	root=$tmp/stacks
	rm -rf "$root"
	mkdir -p "$root/proc/sys/kernel/random" "$root/sys/module"
	echo 01010101-0101-0101-0101-010101010101 > "$root/proc/sys/kernel/random/boot_id"
	cat > "$root/proc/kallsyms" <<-SYMBOLS
	ffffffff81000000 T _stext
	ffffffff81001000 T low
	ffffffff81001000 T low_alias
	ffffffff81001100 t dies
	ffffffff81001180 t next
	ffffffff81001200 T high
	ffffffff81002000 T _etext
	ffffffff81003000 T _sinittext
	ffffffff81003040 t start_kernel
	ffffffff81004000 T _einittext
	ffffffff82000000 D _sdata
	ffffffff82001000 D _edata
	ffffffffc0001000 t widget_low	[widget]
	ffffffffc0001040 t widget_last	[widget]
	SYMBOLS
	echo "widget 12288 0 - Live 0xffffffffc0001000 (OE)" > "$root/proc/modules"
}

make_stacks() {
	echo "0 stack ffffffff81001012 ffffffff81001180 ffffffff81001200! ffffffff81003050 ffffffffc0001022 ffffffffc0001fff"
	echo "0 3:0:0:7 1 0 0 0 0 0 event e one (n:u32)"
	echo "0 stack ffffffff81001012 ..."
	echo "0 3:0:0:7 2 0 0 0 0 0 event e two (n:u32)"
	echo "0 stack ffffffff81001012 ?"
	echo "0 3:0:0:7 3 0 0 0 0 0 event e three (n:u32)"
	echo "0 stack 123456789012 ffffffff90000000"
	echo "0 3:0:0:7 4 0 0 0 0 0 event e four (n:u32)"
	echo "0 3:0:0:7 5 0 0 0 0 0 event e five (n:u32)"
}

# stacks_are TEXT ARG...: the output has the lines of $tmp/want below its entries
stacks_are() {
	local name=$1

	shift
	run 0 -d "$@"
	sed -n -e 's/^\[.*\] : \([a-z]*\) n=.*/\1/p' -e '/^   /p' "$tmp/out" > "$tmp/got"
	if diff "$tmp/want" "$tmp/got" > "$tmp/diff"; then
		ok "stacks: $name"
	else
		not_ok "stacks: $name: exit status $status" "$tmp/diff" "$tmp/err"
	fi
}

test_stack() {
	local text=ffffffff81000000 pad='                 ' base nr at where

	make_stack_system
	export JTRACE_ROOT=$root
	make_stacks > "$tmp/stacks.in"
	base=(-c 16 -p 1 -i 1 -T "$text" -K 4096 -C -e "$tmp/stacks.in"
		-m "widget,-,ffffffffc0008000,ffffffffc0001000+1000")
	"$tmp/mkimage" "${base[@]}" > "$tmp/file"
	# The call at the end of "dies" returns to "next", which begins there; an interrupt stopped
	# "high" at its first instruction.
	sed "s/^-/$pad/" > "$tmp/want" <<-WANT
	one
	-low+0x12/0x100
	-dies+0x80/0x80
	-high+0x0/0xe00
	-start_kernel+0x10/0xfc0
	-widget_low+0x22/0x40 [widget]
	-widget_last+0xfbf/0xfc0 [widget]
	two
	-low+0x12/0x100
	-...
	three
	-low+0x12/0x100
	-(the rest of the stack could not be read)
	four
	-?
	-0xffffffff90000000
	five
	WANT
	stacks_are "as an oops writes them" "$tmp/file"
	cp "$tmp/want" "$tmp/right"
	cp "$tmp/out" "$tmp/right.txt"
	run 0 "$tmp/file"
	if grep -q '^  ' "$tmp/out"; then
		not_ok "stacks: without -d, the format is the old one" "$tmp/out"
	else
		ok "stacks: without -d, the format is the old one"
	fi
	has "stacks: JSON" C '"stack":[{"address":"0xffffffff81001012","symbol":"low+0x12/0x100"},{"address":"0xffffffff81001180","symbol":"dies+0x80/0x80"},' \
		--json -d "$tmp/file"
	has "stacks: JSON, cut" C '"stack_end":"cut"' --json "$tmp/file"
	has "stacks: JSON, an address that is not known" C \
		'"stack":[{"address":null},{"address":"0xffffffff90000000"}]' --json -d "$tmp/file"
	run 0 --json "$tmp/file"
	if [ "$(parse_json < "$tmp/out" | grep -c '^event')" = 5 ]; then
		ok "stacks: it is JSON"
	else
		not_ok "stacks: it is JSON" "$tmp/out"
	fi
	echo "1 <6>[    1.000000] hello" > "$tmp/log.in"
	"$tmp/mkimage" "${base[@]}" -L 4096 -g "$tmp/log.in" > "$tmp/logged"
	run 0 -d --merge "$tmp/logged"
	if grep -v '^JTRACE: ' "$tmp/right.txt" |
		diff - <(grep -v '^JTRACE: \|\[log\]' "$tmp/out") > "$tmp/diff"; then
		ok "stacks: with the log between the entries"
	else
		not_ok "stacks: with the log between the entries" "$tmp/diff"
	fi

	# Exports.
	rm -rf "$tmp/ctf" "$tmp/pf"
	run 0 --ctf "$tmp/ctf" "$tmp/file"
	babeltrace2 --no-delta "$tmp/ctf" > "$tmp/out" 2>&1
	if [ "$(grep -o 'callstack_kernel = \[.*\] }' "$tmp/out" | head -n 2 | tr 'A-F' 'a-f' |
		tr -s ' ' | xargs)" = "$(printf '%s ' "callstack_kernel = [" \
		"[0] = 0xffffffff81001012, [1] = 0xffffffff81001180, [2] = 0xffffffff81001200," \
		"[3] = 0xffffffff81003050, [4] = 0xffffffffc0001022, [5] = 0xffffffffc0001fff ] }" \
		"callstack_kernel = [ [0] = 0xffffffff81001012 ] }" | xargs)" ] &&
		grep -q 'callstack_kernel_length = 0, callstack_kernel = \[ \] }' "$tmp/out"; then
		ok "stacks: CTF, as LTTng has them"
	else
		not_ok "stacks: CTF, as LTTng has them" "$tmp/out"
	fi
	if "$jtrace" --version | grep -q 'without protobuf-c'; then
		ok "stacks: Perfetto is not built in"
	else
		run 0 --perfetto "$tmp/pf" "$tmp/file"
		if decoded "$tmp/pf" > "$tmp/pf.txt" && [ "$(grep -A 3 'array_values {' "$tmp/pf.txt" |
			sed -n 's/.*string_value: "\(.*\)"/\1/p' | head -n 8 | tail -n 3 | xargs)" = \
			"widget_last+0xfbf/0xfc0 [widget] low+0x12/0x100 ..." ]; then
			ok "stacks: Perfetto"
		else
			not_ok "stacks: Perfetto" "$tmp/pf.txt"
		fi
	fi

	# A page, also of an image in which a stack gets names while the trace goes on.
	mkdir -p "$tmp/pages"
	html_equal "stacks" "$tmp/file"
	for nr in 1 2 3 4; do
		echo "0 stack ffffffff81001012 ffffffffc0001022"
		echo "0 3:0:0:7 $nr 0 0 0 0 0 event e late (n:u32)"
	done > "$tmp/late.in"
	"$tmp/mkimage" -p 1 -i 1 -T "$text" -K 4096 -C -e "$tmp/late.in" \
		-m "widget@5000002500,-,ffffffffc0008000,ffffffffc0001000+1000" > "$tmp/late"
	html_equal "a stack whose module came late" "$tmp/late"
	if [ "$("$here/page_rows" "$tmp/pages/page" | grep -o '"stack":' | wc -l)" = 2 ]; then
		ok "--html: a stack whose module came late is there twice"
	else
		not_ok "--html: a stack whose module came late is there twice" "$tmp/pages/page"
	fi

	# Saved with their names, then on a system without.
	rm -f "$tmp/saved"
	run 0 save "$tmp/saved" "$tmp/file"
	JTRACE_ROOT=$tmp/none stacks_are "saved with their names" "$tmp/saved"

	# The address of the text in another boot.
	sed -i 's/^ffffffff8/ffffffffa/' "$root/proc/kallsyms"
	printf '02020202-0202-0202-0202-020202020202\n' > "$root/proc/sys/kernel/random/boot_id"
	build_id 11 > "$root/sys/kernel.notes"
	mkdir -p "$root/sys/kernel"
	mv "$root/sys/kernel.notes" "$root/sys/kernel/notes"
	"$tmp/mkimage" "${base[@]}" -b 11 > "$tmp/moved"
	sed "s/^$pad\\(widget_.*0x\\).*/$pad\\1/" "$tmp/right" | sed \
		-e "s/^${pad}widget_low.*/${pad}0xffffffffc0001022/" \
		-e "s/^${pad}widget_last.*/${pad}0xffffffffc0001fff/" > "$tmp/want"
	stacks_are "of an earlier boot, which had the kernel elsewhere" "$tmp/moved"
	make_stack_system

	# The same stack names another module once that has come.
	sed 's/^\(ffffffffc000.*\)widget\(.*\)widget/\1gadget\2gadget/;t;d' "$root/proc/kallsyms" \
		> "$tmp/gadget"
	cat "$tmp/gadget" >> "$root/proc/kallsyms"
	echo "gadget 12288 0 - Live 0xffffffffc0001000 (OE)" >> "$root/proc/modules"
	for at in one one one two none pause three three; do
		[ "$at" != pause ] || { echo "0 pause"; continue; }
		[ "$at" = none ] || echo "0 stack ffffffffc0001022 ffffffff81001012"
		echo "0 3:0:0:7 1 0 0 0 0 0 event e $at (n:u32)"
	done > "$tmp/turn.in"
	"$tmp/mkimage" -c 16 -p 1 -i 1 -T "$text" -K 4096 -e "$tmp/turn.in" \
		-m "widget@0-5000003000,-,ffffffffc0008000,ffffffffc0001000+1000" \
		-m "gadget@5500000000,-,ffffffffc0009000,ffffffffc0001000+1000" > "$tmp/turn"
	for at in 'one widget' 'one widget' 'one 0x' 'two 0x' none 'three gadget' 'three gadget'; do
		printf '%s\n' "${at% *}"
		case $at in
		*0x)	echo "${pad}0xffffffffc0001022" ;;
		*\ *)	echo "$pad${at#* }_low+0x22/0x40 [${at#* }]" ;;
		none)	continue ;;
		esac
		echo "${pad}low+0x12/0x100"
	done > "$tmp/want"
	stacks_are "one stack while modules come and go" "$tmp/turn"
	make_stack_system

	# A record that is lost: the entry tells, and other entries have theirs.
	at=$(grep -abo JTSK "$tmp/file" | head -n 1)
	zeroed "$tmp/file" "${at%%:*}" 8 > "$tmp/lost"
	{
		echo one
		echo "$pad(its stack is lost)"
		sed '1,/^two/{/^two/!d}' "$tmp/right"
	} > "$tmp/want"
	stacks_are "one is lost" "$tmp/lost"
	html_equal "a stack that is lost" "$tmp/lost"
	has "stacks: one is lost, in JSON" C '"stack":null' --json "$tmp/lost"

	# Both headers lost: addresses are not known, but how far they are from the text.
	head -c -512 "$tmp/file" > "$tmp/cut"
	zeroed "$tmp/cut" 0 512 > "$tmp/headless"
	has "stacks: both headers lost" C "${pad}_stext+0x1012" -d "$tmp/headless"

	# Pages in another order, as in the memory of a machine.
	junk 4096 > "$tmp/shuffled"
	nr=$((($(size_of "$tmp/file") + 4095) / 4096))
	for where in $(seq 0 $((nr - 1)) | shuf --random-source=<(yes "$seed")); do
		page_of "$tmp/file" "$where"
		head -c 4096 /dev/zero
	done >> "$tmp/shuffled"
	cp "$tmp/right" "$tmp/want"
	stacks_are "of an image whose pages are scattered" "$tmp/shuffled"

	unset JTRACE_ROOT
}

# least ARG...: print the least processor time of three runs, ms
least() {
	{ cost "$@"; cost "$@"; cost "$@"; } | sort -n | head -n 1
}

# Each distinct stack is named once: many modules are no matter.
test_stack_cost() {
	local modules=() frames few many at n

	make_stack_system
	export JTRACE_ROOT=$root
	for n in $(seq 0 255); do
		at=ffffffffd$(printf %03x "$n")
		modules+=(-m "m$n,-,${at}0000,${at}1000+800,${at}2000+800")
	done
	frames=$(for n in $(seq 23); do printf ' ffffffff81001%03x' $((17 * n)); done)
	for n in $(seq 20000); do
		echo "0 stack$frames ffffffff81001$((n % 8))04"
		echo "0 3:0:0:7 1 0 0 0 0 0 event e one (n:u32)"
	done > "$tmp/many.in"
	for n in 1 256; do
		"$tmp/mkimage" -s 12 -c 400 -p 1 -i 1 -T ffffffff81000000 -K 4096 \
			"${modules[@]:0:$((2 * n))}" -e "$tmp/many.in" > "$tmp/modules.$n"
	done
	few=$(least save --force "$tmp/saved" "$tmp/modules.1")
	many=$(least save --force "$tmp/saved" "$tmp/modules.256")
	if [ "$many" -le $((few * 3 / 2)) ]; then
		ok "stacks: time to name 480,000 frames: $few ms, and $many ms with 256 modules"
	else
		not_ok "stacks: time to name 480,000 frames: $few ms, and $many ms with 256 modules"
	fi
	run 0 -d "$tmp/modules.256"
	if [ "$(grep -c '^ .*+0x.*/0x' "$tmp/out")" = 480000 ]; then
		ok "stacks: each of them has its name"
	else
		not_ok "stacks: each of them has its name" "$tmp/out"
	fi
	unset JTRACE_ROOT
}
