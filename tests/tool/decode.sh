# shellcheck shell=bash disable=SC2154 # set by run
# SPDX-License-Identifier: GPL-2.0
#
# Tests of jtrace -d: arguments by their names, addresses by their symbols
#
# Types of arguments are hex digits, argument 1 in the last one: 1 to 4 are u8 to u64, 5 to 8 are s8
# to s64, 9 is a pointer.

# call TYPES[:CONTEXT] A B C D E F TAG; event A B C D E F TAG; probe A B C D E F TAG
call() {
	echo "0 0:$1 $2 $3 $4 $5 $6 $7 driver.c driver_irq $8"
}
event() {
	echo "0 3 $1 $2 $3 $4 $5 $6 event netif_receive_skb $7"
}
probe() {
	echo "1 2:0:1 $1 $2 $3 $4 $5 $6 kprobe ip_rcv+0x0[net] $7"
}

# Named.
make_named() {
	call 97773 6 1 0 0 ffff888012345678 0 "irq (status, pending, 0, 0, dev)"
	call 777:100 7fffffff ffffffff 80000000 0 0 0 "in an interrupt(a,b,c)"
	call 777:1000 1 2 3 0 0 0 "in an NMI  ( a , 0 , c )"
	call 843651:2 ffffffff ffffffff ffff ffffffff ffffffffffffffff 8000000000000000 \
		"(a, b, c, d, e, f)"
	# Behind BH, which is no softirq.
	call 1:2 1 0 0 0 0 0 "a (bool)"
	# Two parentheses: the last ones count.
	call 3 1a 0 0 0 0 0 "f(x) = (y)"
	# A wide argument in two narrow fields.
	call 7704 89abcdef 01234567 ffffffff 5 0 0 "wide (a, 0, d)"
	event 36 fffffffe 0 0 6f6c 0 "rx (len:u32, minus:s16, dev:string)"
	event 36 ff 0 0 ffffffffffffffff ffffffffffffffff "all (a:u8, b:x8, c:u64, d:s64)"
	event 36 0 0 0 6e5c61221b41ff42 6968 "text (len:u8, comm:string)"
	event 0 0 0 0 a9c3 0 "umlaut (comm:string8)"
	probe 36 0 0 0 ffffffff81001000 0 "rx (len:u32, ip:symbol)"
}

# Not named: another number of arguments, no names, two alike, types that do not fit.
make_numbers() {
	local tag

	for tag in "irq (status)" "irq (a, b, c)" "irq (skb->len, b)" "irq (1, b)" "irq (00, b)" \
		"irq ()" "irq (a, b" "irq a, b)" "irq (a, b) " "irq (a b)" "irq (a, b,)" \
		"irq (, b)" "irq (0, 0)" "irq (a, a)" "irq" "" "(" ")" "irq (a:u32, b:u32)" \
		"irq (=, b)" $'irq (\e, b)' "irq (é, b)"; do
		call 77 1 2 0 0 0 0 "$tag"
	done
	call 0 1 2 0 0 0 0 "types are not known (a, b)"
	call 707 1 2 3 0 0 0 "no type of the second (a, b, c)"
	for tag in "x (a, b)" "x (a:u32, a:u8)" "x (a:u33)" "x (a:string, b:string, c:u64)" "x (a:u32" \
		"x(a:u32)" "x (a:string8, a_hex:u32)" $'\e[31mx'; do
		event 1 2 0 0 0 0 "$tag"
	done
	# Such a probe has the types of its values.
	echo "0 2:1 1 2 0 0 0 0 kprobe f+0x0 other (a:u32)"
	echo "0 9 1 2 0 0 0 0 later kind later (a:u32)"
}

test_decode() {
	local n

	make_named > "$tmp/named.in"
	make_numbers > "$tmp/numbers.in"
	"$tmp/mkimage" -c 32 -e "$tmp/named.in" > "$tmp/named"
	"$tmp/mkimage" -c 32 -e "$tmp/numbers.in" > "$tmp/numbers"
	LC_ALL=C shows "-d: by names" "$here/expected/decode.txt" -d "$tmp/named"
	run 0 "$tmp/numbers"
	cp "$tmp/out" "$tmp/numbers.txt"
	n=$(grep '^\[' "$tmp/out" | grep -cv '<site')
	if [ "$n" -eq "$(wc -l < "$tmp/numbers.in")" ]; then
		ok "-d: numbers: each entry has its site"
	else
		not_ok "-d: numbers: each entry has its site" "$tmp/out"
	fi
	shows "-d: $n that name nothing are as without" "$tmp/numbers.txt" --decode "$tmp/numbers"
	run 0 --json "$tmp/numbers"
	cp "$tmp/out" "$tmp/numbers.txt"
	shows "-d --json: the same" "$tmp/numbers.txt" -d --json "$tmp/numbers"
	has "-d: UTF-8" C.UTF-8 '] : umlaut comm="é" : (' -d "$tmp/named"
	run 0 -d --json "$tmp/named"
	if parse_json args symbols < "$tmp/out" > "$tmp/json" &&
		cmp -s "$tmp/json" "$here/expected/decode.json"; then
		ok "-d --json"
	else
		diff "$here/expected/decode.json" "$tmp/json" > "$tmp/diff"
		not_ok "-d --json" "$tmp/diff" "$tmp/err"
	fi
	# Argument 1, unless it has no name or is wide.
	{
		call 73 6 1 0 0 0 0 "irq (status, pending)"
		call 73 6 1 0 0 0 0 "irq (0, pending)"
		call 704 6 1 0 0 0 0 "irq (wide, 0)"
	} > "$tmp/small.in"
	"$tmp/mkimage" -k small -c 16 -p 1 -e "$tmp/small.in" > "$tmp/file"
	run 0 -d "$tmp/file"
	if [ "$(sed -n 's/^.*\] : \(.*\) : (.*uSec) : \(.*\)/\1|\2/p' "$tmp/out" | paste -sd ';')" = \
		"irq status=0x6|driver.c:driver_irq:42;00000006|(irq (0, pending));00000006|(irq (wide, 0))" ]; then
		ok "-d: small entries"
	else
		not_ok "-d: small entries" "$tmp/out" "$tmp/err"
	fi
	printf '7 <6>[    4.000001] hello\n' > "$tmp/kmsg"
	"$tmp/mkimage" -c 32 -e "$tmp/named.in" -L 8192 -g "$tmp/kmsg" > "$tmp/file"
	LC_ALL=C run 0 -d -m "$tmp/file"
	grep -v '\[log\] : hello$' "$tmp/out" > "$tmp/merged.txt"
	if cmp -s "$tmp/merged.txt" "$here/expected/decode.txt" &&
		[ "$(wc -l < "$tmp/out")" -eq $(($(wc -l < "$tmp/merged.txt") + 1)) ]; then
		ok "-d -m"
	else
		not_ok "-d -m" "$tmp/out" "$tmp/err"
	fi
	says "-d and -l" 2 "-d: cannot be combined with -l, .*" -d -l x
	says "-d and --frame" 2 "-d: cannot be combined with --frame, .*" -d --frame 1 x
	says "start and -d" 2 "start: cannot be combined with -d" -d start
	test_decode_random
	test_symbols
}

# Random values of random types, against another decoder.
test_decode_random() {
	local s

	for s in 1 2 "$seed"; do
		"$here/decoded" "$s" 400 > "$tmp/random.in"
		"$tmp/mkimage" -c 64 -e "$tmp/random.in" > "$tmp/file"
		run 0 -d --json "$tmp/file"
		cp "$tmp/out" "$tmp/json"
		LC_ALL=C run 0 -d "$tmp/file"
		if "$here/decoded" "$tmp/random.in" "$tmp/json" "$tmp/out" > "$tmp/log" 2>&1; then
			ok "-d: random ones, seed $s: $(cat "$tmp/log")"
		else
			not_ok "-d: random ones, seed $s" "$tmp/log"
		fi
	done
}

# ---- Symbols ----

# symbol NAME SYMBOL... -- ARG...: the image that mkimage makes with ARG shows these symbols of
# $addresses; "-" is none
symbol() {
	local name=$1 expect=() got

	shift
	while [ "$1" != -- ]; do
		expect+=("$1")
		shift
	done
	shift
	for got in $addresses; do
		event 0 0 0 0 "$got" 0 "x (at:symbol)"
	done > "$tmp/symbols.in"
	"$tmp/mkimage" -c 32 -p 1 -e "$tmp/symbols.in" "$@" > "$tmp/file"
	run 0 -d "$tmp/file"
	got=$(sed -n -e 's/^\[.*x at=0x[0-9a-f]* <\(.*\)> : (.*/\1/p' \
		-e 's/^\[.*x at=0x[0-9a-f]* : (.*/-/p' "$tmp/out" | tr -d ' ' | xargs)
	if [ "$got" = "${expect[*]}" ]; then
		ok "symbols: $name"
	else
		not_ok "symbols: $name: not ${expect[*]}, but $got" "$tmp/out" "$tmp/err"
	fi
}

# build_id BYTE: print ELF notes with a build id that consists of this byte, in hex, behind another
build_id() {
	printf '\4\0\0\0\4\0\0\0\1\0\0\0Xen\0abcd\4\0\0\0\24\0\0\0\3\0\0\0GNU\0'
	for _ in $(seq 20); do printf '%b' "\\x$1"; done
}

test_symbols() {
	local root=$tmp/symbols addresses id13 id14 text=ffffffff81000000 none='- - - - - - - -'

	rm -rf "$root"
	mkdir -p "$root/proc/sys/kernel/random" "$root/sys/kernel" \
		"$root/sys/module/widget/notes"
	export JTRACE_ROOT=$root
	echo 01010101-0101-0101-0101-010101010101 > "$root/proc/sys/kernel/random/boot_id"
	build_id 11 > "$root/sys/kernel/notes"
	cat > "$root/proc/kallsyms" <<-'SYMBOLS'
	ffffffff81000000 T _stext
	ffffffff81001000 T ip_rcv
	ffffffff81001080 T the_name
	ffffffff81001080 t its_alias
	ffffffff81002000 T _etext
	ffffffff82000000 D _sdata
	ffffffff82000040 D jiffies
	ffffffff82000048 d state.3
	ffffffff82001000 D _edata
	ffffffff82002000 B __bss_start
	ffffffff82002000 b first
	ffffffff82003000 B __bss_stop
	ffffffffc0002000 d widget_data	[widget]
	ffffffffc0001f00 t widget_last	[widget]
	ffffffffc0001000 t widget_irq	[widget]
	ffffffffc0001010 t $x	[widget]
	ffffffffc0001011 t .L12	[widget]
	ffffffffc0001f00 d widget_end	[widget]
	ffffffffc0001000 t other_irq	[other]
	ffffffffc0005010 t late_irq	[late]
	SYMBOLS
	printf '%s\n' "widget 12288 0 - Live 0xffffffffc0001000 (OE)" \
		"late 8192 0 - Live 0xffffffffc0005000 (OE)" > "$root/proc/modules"

	# The first and the last byte of the text, and those beside them; an alias; data.
	addresses="ffffffff80ffffff ffffffff81000000 ffffffff81001012 ffffffff81001081
		   ffffffff81001fff ffffffff81002000 ffffffff82001000 81001000"
	local code="- _stext+0x0 ip_rcv+0x12 the_name+0x1 the_name+0xf7f - - -"
	# shellcheck disable=SC2086 # a list of words
	symbol "this boot" $code -- -i 1 -T $text
	# shellcheck disable=SC2086
	symbol "this boot, which did not tell its address" $code -- -i 1
	sed -i 's/ T _etext/ D _etext/' "$root/proc/kallsyms"
	# shellcheck disable=SC2086
	symbol "this boot, of arm64" $code -- -i 1 -T $text
	# shellcheck disable=SC2086
	symbol "an earlier boot at the same address" $code -- -i 2 -b 11 -T $text
	# shellcheck disable=SC2086 # a list of words
	symbol "another build" $none -- -i 2 -b 12 -T $text
	# shellcheck disable=SC2086
	symbol "an unknown build" $none -- -i 2 -T $text
	# shellcheck disable=SC2086
	symbol "the same build, at an unknown address" $none -- -i 2 -b 11
	# shellcheck disable=SC2086
	symbol "this boot, but another address" $none -- -i 1 -T ffffffff81000010
	"$tmp/mkimage" -c 16 -i 1 -T $text -e "$tmp/symbols.in" > "$tmp/file"
	head -c -512 "$tmp/file" > "$tmp/cut"
	zeroed "$tmp/cut" 0 512 > "$tmp/file"
	LC_ALL=C run 0 -d "$tmp/file"
	if [ "$(grep -c 'x at=0x[0-9a-f]* : ' "$tmp/out")" = 8 ]; then
		ok "symbols: both headers lost: none"
	else
		not_ok "symbols: both headers lost: none" "$tmp/out"
	fi
	# Values that are not shown in hex, or have not 64 bits, are no addresses.
	{
		event 81001012 ffffffff 0 0 ffffffff81001012 ffffffff81001012 "no (a:u64, b:s64, c:x32)"
		event 81001012 ffffffff 0 0 ffffffff81001012 ffffffff81001012 "yes (a:x64, b:symbol)"
		call 94773 1 2 0 0 ffffffff81001012 ffffffff81001012 "pointer (0, 0, 0, 0, e, f)"
		call 947777 1 2 0 0 ffffffff81001012 ffffffff81001012 "pointer (0, 0, 0, 0, e, f)"
	} > "$tmp/symbols.in"
	"$tmp/mkimage" -c 16 -i 1 -T $text -e "$tmp/symbols.in" > "$tmp/file"
	run 0 -d "$tmp/file"
	if [ "$(grep -o '<ip_rcv+0x12>' "$tmp/out" | wc -l)" = 4 ] &&
		! grep ' : no ' "$tmp/out" | grep -q '<'; then
		ok "symbols: of numbers in hex with 64 bits"
	else
		not_ok "symbols: of numbers in hex with 64 bits" "$tmp/out"
	fi
	run 0 -d --json "$tmp/file"
	if [ "$(parse_json symbols < "$tmp/out" | tail -n 3 | xargs)" = \
		"event symbols=a:ip_rcv+0x12,b:ip_rcv+0x12 event event symbols=e:ip_rcv+0x12,f:ip_rcv+0x12" ]; then
		ok "symbols: in JSON"
	else
		not_ok "symbols: in JSON" "$tmp/out"
	fi
	# The boot before had the kernel elsewhere.
	addresses="ffffffffb3c01012 ffffffff81001012 ffffffffb4c00041 ffffffffb4c02004"
	symbol "an earlier boot elsewhere" ip_rcv+0x12 - jiffies+0x1 __bss_start+0x4 -- \
		-i 2 -b 11 -T ffffffffb3c00000
	addresses="ffffffff82000000 ffffffff82000040 ffffffff82000047 ffffffff82000048
		   ffffffff82000fff ffffffff82001fff ffffffff82002fff ffffffff82003000"
	symbol "data" _sdata jiffies jiffies+0x7 state.3 state.3+0xfb7 - __bss_start+0xfff - -- -i 1

	# A module: a function, its page behind it, data behind functions, and outside.
	id13=$(build_id 13 | tail -c 20 | od -An -v -tx1 | tr -d ' \n')
	id14=${id13//13/14}
	addresses="ffffffffc0000fff ffffffffc0001012 ffffffffc0001fff ffffffffc0002000
		   ffffffffc0003fff"
	symbol "a module" - "widget_irq+0x12[widget]" "widget_last+0xff[widget]" - - -- \
		-C -i 1 -T $text -m widget,-,ffffffffc0008000,ffffffffc0001000+3000
	symbol "a module, and the image does not tell modules" - - - - - -- -i 1 -T $text
	symbol "two modules were there" - - - - - -- -C -i 1 -T $text \
		-m widget,-,ffffffffc0008000,ffffffffc0001000+3000 \
		-m other,-,ffffffffc0008000,ffffffffc0000000+5000
	symbol "the same, in another order" - - - - - -- -C -i 1 -T $text \
		-m other,-,ffffffffc0008000,ffffffffc0000000+5000 \
		-m widget,-,ffffffffc0008000,ffffffffc0001000+3000
	symbol "the module is elsewhere now" - - - - - -- -C -i 1 -T $text \
		-m widget,-,ffffffffc0008000,ffffffffc0000000+4000
	symbol "another module" - - - - - -- -C -i 1 -T $text -m gadget,-,ffffffffc0008000,ffffffffc0001000+3000
	symbol "no name of a module" - - - - - -- -C -i 1 -T $text \
		-m ../widget,-,ffffffffc0008000,ffffffffc0001000+3000
	symbol "a module of an earlier boot, without build id" - - - - - -- \
		-i 2 -b 11 -T $text -m widget,-,ffffffffc0008000,ffffffffc0001000+3000
	build_id 13 > "$root/sys/module/widget/notes/.note.gnu.build-id"
	symbol "a module of an earlier boot, another build" - - - - - -- \
		-i 2 -b 11 -T $text -m "widget,$id14,ffffffffc0008000,ffffffffc0001000+3000"
	symbol "this boot, another build of the module" - - - - - -- \
		-C -i 1 -T $text -m "widget,$id14,ffffffffc0008000,ffffffffc0001000+3000"
	addresses="ffffffffa0000012 ffffffffa0000fff ffffffffa0001000"
	symbol "a module of an earlier boot elsewhere" \
		"widget_irq+0x12[widget]" "widget_last+0xff[widget]" - -- \
		-i 2 -b 11 -T $text -m "widget,$id13,ffffffffc0008000,ffffffffa0000000+3000"
	symbol "a module, another build of the kernel" \
		"widget_irq+0x12[widget]" "widget_last+0xff[widget]" - -- \
		-i 2 -b 12 -T $text -m "widget,$id13,ffffffffc0008000,ffffffffa0000000+3000"

	addresses="ffffffffc0005012 ffffffffc0005fff ffffffffc0006000"
	symbol "a module without data" "late_irq+0x2[late]" "late_irq+0xfef[late]" - -- \
		-C -i 1 -T $text -m late,-,ffffffffc0008000,ffffffffc0005000+2000

	# What kptr_restrict shows; no file at all.
	addresses="ffffffff81001012 ffffffffc0001012 8000000000000012"
	sed -i 's/^[0-9a-f]*/0000000000000000/' "$root/proc/kallsyms"
	sed -i 's/0xf[0-9a-f]*/0x0000000000000000/' "$root/proc/modules"
	symbol "hidden by kptr_restrict" - - - -- -C -i 1 -T $text -m widget,-,ffffffffc0008000,ffffffffc0001000+3000
	symbol "hidden, and the address was not told" - - - -- \
		-i 1 -m widget,-,ffffffffc0008000,ffffffffc0001000+3000
	rm "$root/proc/kallsyms"
	symbol "no /proc/kallsyms" - - - -- -C -i 1 -T $text -m widget,-,ffffffffc0008000,ffffffffc0001000+3000
	test_files_of_modules
	test_tasks
	unset JTRACE_ROOT
}

# ---- Names of tasks ----

test_tasks() {
	local t

	{
		printf '0 3:0:0:7 1 0 0 0 0 0 event e one (n:u32)\n'
		printf '0 3:0:0:7 2 0 0 0 0 0 event e one (n:u32)\n'
		printf '1 3:0:0:0 3 0 0 0 0 0 event e one (n:u32)\n'
		printf '0 3:0:0:b 4 0 0 0 0 0 event e one (n:u32)\n'
		printf '0 3:0:0:9 5 0 0 0 0 0 event e one (n:u32)\n'
	} > "$tmp/tasks.in"
	"$tmp/mkimage" -c 16 -e "$tmp/tasks.in" > "$tmp/file"
	run 0 --json "$tmp/file"
	t=$(grep -o '"time_ns":[0-9]*' "$tmp/out" | sed -n '2s/.*://p')
	"$tmp/mkimage" -c 16 -e "$tmp/tasks.in" -a 7,1,sh -a "7,$t,a cat]" -a "11,$((t * 2)),late" \
		-a "9,1,$(printf 'x\033[1m\377')" > "$tmp/file"
	run 0 -d "$tmp/file"
	if [ "$(sed -n 's/^\[[^]]*\]\[cpu \([0-9]*\) tid  *\([0-9].*\)\] : one n=.*/\1 \2/p' "$tmp/out" |
		tr '\n' '|')" = '0 7 sh|0 7 a cat]|1 0 swapper/1|0 11|0 9 x\x1b[1m\xff|' ]; then
		ok "tasks: -d"
	else
		not_ok "tasks: -d" "$tmp/out"
	fi
	has "tasks: one has no name" C "JTRACE: 1 of 5 entries are of tasks whose name is not known" \
		-d "$tmp/file"
	has "tasks: one has no name, JSON" C '"capacity":112,"damage":{},"unnamed":1,' -d --json "$tmp/file"
	run 0 -d --tid 7 "$tmp/file"
	if ! grep -q "name is not known" "$tmp/out" && [ "$(grep -c "^\[" "$tmp/out")" = 2 ]; then
		ok "tasks: of those shown, all have names"
	else
		not_ok "tasks: of those shown, all have names" "$tmp/out"
	fi
	run 0 "$tmp/file"
	if ! grep -q 'tid  *7 ' "$tmp/out" && grep -q 'tid  *7\]' "$tmp/out"; then
		ok "tasks: not without -d"
	else
		not_ok "tasks: not without -d" "$tmp/out"
	fi
	run 0 --json "$tmp/file"
	if [ "$(grep -o '"task":"[^"]*"' "$tmp/out" | tr '\n' ' ')" = \
		'"task":"sh" "task":"a cat]" "task":"swapper/1" "task":"x\u001b[1m\ufffd" ' ]; then
		ok "tasks: JSON"
	else
		not_ok "tasks: JSON" "$tmp/out"
	fi
	run 0 -d --task 'a *' "$tmp/file"
	if [ "$(grep -c '^\[' "$tmp/out")" = 1 ] && grep -q ' n=2 ' "$tmp/out"; then
		ok "tasks: --task"
	else
		not_ok "tasks: --task" "$tmp/out"
	fi
	ctf_equal "names of tasks" "$tmp/file"
	mkdir -p "$tmp/pages"
	html_equal "names of tasks" "$tmp/file"
	"$tmp/mkimage" -c 16 -e "$tmp/tasks.in" > "$tmp/file"
	run 1 --task sh "$tmp/file"
	if grep -q 'the trace has no names of tasks, for which tasks= gives room$' "$tmp/err"; then
		ok "tasks: --task without names"
	else
		not_ok "tasks: --task without names" "$tmp/err"
	fi
}

# ---- Files of modules ----

# make_module BYTES: make $root/lib/modules/6.1.0-test/a/my-mod.ko, whose section .static_call_sites
# has so many bytes.  These are data at 0x24.  Since 7.2 they are read-only after init, at 0, before
# 0x10 bytes of __jump_table and my_setting.  Behind them in the data are the struct module, aligned
# to 0x40, with 0x100 bytes, and my_state.
make_module() {
	sed "s/BYTES/$1/" > "$tmp/my_mod.s" <<-'ASM'
	.macro	object name, size
	.type	\name, @object
	.size	\name, \size
	\name:	.skip \size
	.endm
	.section .init.text, "ax"
	.skip	0x1000
	.text
	.skip	0x10
	.type	my_function, @function
	.size	my_function, 0x20
	my_function: .skip 0x20
	.section .exit.text, "ax"
	.type	my_exit, @function
	.size	my_exit, 0x10
	my_exit: .skip 0x10
	.section .rodata, "a"
	.skip	8
	object	my_constant, 8
	.section .modinfo, "a"
	.skip	0x500
	.section .data, "aw"
	.skip	0x20
	object	my_number, 4
	.section .data..percpu, "aw"
	.skip	0x700
	object	my_percpu, 8
	.section .static_call_sites, "aw"
	.skip	BYTES
	.section __jump_table, "aw"
	.skip	0x10
	.section .data..ro_after_init, "aw"
	object	my_setting, 8
	.section .gnu.linkonce.this_module, "aw"
	.balign	64
	object	__this_module, 0x100
	.bss
	.balign	32
	object	my_state, 0x40
	my_alias = my_state
	.size	my_alias, 0x40
	.type	my_alias, @object
	ASM
	mkdir -p "$root/lib/modules/6.1.0-test/a"
	gcc -c -o "$tmp/my_mod.o" "$tmp/my_mod.s" &&
		ld -r --build-id=0x1515151515151515151515151515151515151515 \
			-o "$root/lib/modules/6.1.0-test/a/my-mod.ko" "$tmp/my_mod.o"
}

# test_modules_come_and_go NAME REST: event N is 1000 * N ns later than this
test_modules_come_and_go() {
	local s=5000 f="my_function+0x0[my_mod]" other="-,ffffffffc0110080,ffffffffc0110000+2000"
	local addresses

	addresses=$(yes ffffffffc0110010 | head -n 6)
	symbol "while a module is loaded" - "$f" "$f" - - - -- -m "$1@${s}002000-${s}004000,$2"
	symbol "a module that is not unloaded" - - - - "$f" "$f" -- -m "$1@${s}005000,$2"
	symbol "from before jtrace" "$f" "$f" "$f" - - - -- -m "$1@0-${s}003001,$2"
	symbol "loaded again" - "$f" - - "$f" - -- -m "$1@${s}002000-${s}003000,$2" \
		-m "$1@${s}005000-${s}006000,$2"
	symbol "another one was there before" - - - "$f" "$f" - -- \
		-m "other@${s}001000-${s}003000,$other" -m "$1@${s}004000-${s}006000,$2"
	symbol "another one, whose end is not known" - - "$f" "$f" - - -- \
		-m "other@${s}001000,$other" -m "$1@${s}003000-${s}005000,$2"
	symbol "another one came, and none went" "$f" "$f" - - - - -- \
		-m "$1,$2" -m "other@${s}003000,$other"
	symbol "two that came at once" - - - - - - -- -m "$1@${s}001000,$2" \
		-m "other@${s}001000,$other"
	run 0 --json "$tmp/file"
	if grep -q '"name":"other",.*,"from_ns":5000001000}' "$tmp/out" &&
		! grep -q until_ns "$tmp/out"; then
		ok "symbols: in JSON, when modules came"
	else
		not_ok "symbols: in JSON, when modules came" "$tmp/out"
	fi
	symbol "in time, to be stored" "$f" "$f" - - - - -- -m "$1@0-${s}003000,$2"
	run 0 -d "$tmp/file"
	cp "$tmp/out" "$tmp/alive"
	run 0 save --force "$tmp/saved" "$tmp/file"
	run 0 -d "$tmp/saved"
	if cmp -s "$tmp/alive" "$tmp/out"; then
		ok "symbols: a saved name is not of another time"
	else
		not_ok "symbols: a saved name is not of another time" "$tmp/out"
	fi
}

test_files_of_modules() {
	local id=1515151515151515151515151515151515151515 folder=$root/lib/modules/6.1.0-test
	local data=ffffffffc0220000 ranges names

	make_module 0x40 || { not_ok "symbols in files of modules: no file"; return; }
	ranges=ffffffffc0110000+1000,$data+1000,ffffffffc0330000+1000,ffffffffc0440000+1000
	# Without libelf there are none.
	if "$jtrace" --version | grep -q 'without libelf'; then
		addresses="ffffffffc0110010 ffffffffc0440010"
		symbol "file of a module, without libelf" - - \
			-- -m "my_mod,$id,ffffffffc0220080,$ranges"
		return
	fi
	addresses="ffffffffc0110010 ffffffffc011002f ffffffffc0110030 ffffffffc033002c
		   ffffffffc0440010 ffffffffc0220020 ffffffffc0220024 ffffffffc0220180
		   ffffffffc0440050 ffffffffc0220140"
	names="my_function+0x0[my_mod] my_function+0x1f[my_mod] my_exit+0x0[my_mod]"
	names+=" my_constant[my_mod]"
	# shellcheck disable=SC2086 # a list of words
	symbol "file of a module, 6.1" $names "my_setting[my_mod]" "my_number[my_mod]" - \
		"my_state[my_mod]" - "__this_module+0xc0[my_mod]" \
		-- -m "my_mod,$id,ffffffffc0220080,$ranges"
	# shellcheck disable=SC2086
	symbol "file of a module, 7.2" $names - "my_number[my_mod]" - - "my_setting[my_mod]" \
		"my_state[my_mod]" -- -m "my_mod,$id,ffffffffc0220040,$ranges"
	test_modules_come_and_go "my_mod" "$id,ffffffffc0220080,$ranges"
	# shellcheck disable=SC2086
	make_module 8 && symbol "file of a module: the rules agree on some" $names - \
		"my_number[my_mod]" - - - "my_state[my_mod]" \
		-- -m "my_mod,$id,ffffffffc0220040,$ranges"
	make_module 0x40
	addresses="ffffffffc0110010 ffffffffc0440010"
	names="my_function+0x0[my_mod] my_setting[my_mod]"
	# shellcheck disable=SC2086
	symbol "of another build" - - -- -m "my_mod,${id/15/16},ffffffffc0220080,$ranges"
	# shellcheck disable=SC2086
	symbol "its struct module was elsewhere" - - -- \
		-m "my_mod,$id,ffffffffc02200c0,$ranges"
	# shellcheck disable=SC2086
	symbol "a range is too small" - - -- \
		-m "my_mod,$id,ffffffffc0220080,${ranges/0+1000/0+30}"
	# shellcheck disable=SC2086
	symbol "the data has no room" - - -- \
		-m "my_mod,$id,ffffffffc0220080,${ranges/220000+1000/220000+100}"
	# shellcheck disable=SC2086
	symbol "a range has more" - - -- \
		-m "my_mod,$id,ffffffffc0220080,${ranges/330000+1000/330000+2000}"
	# shellcheck disable=SC2086
	symbol "another module" - - -- -m "my_mo,$id,ffffffffc0220080,$ranges"
	xz "$folder/a/my-mod.ko"
	# shellcheck disable=SC2086
	symbol "compressed" $names -- -m "my_mod,$id,ffffffffc0220080,$ranges"
	mv "$root/lib/modules/6.1.0-test" "$tmp/elsewhere.$$"
	# shellcheck disable=SC2086
	symbol "no file" - - -- -m "my_mod,$id,ffffffffc0220080,$ranges"
	run 0 -d --modules "$tmp/elsewhere.$$" "$tmp/file"
	if grep -q 'at=0xffffffffc0440010 <my_setting \[my_mod\]>' "$tmp/out"; then
		ok "symbols: --modules"
	else
		not_ok "symbols: --modules" "$tmp/out"
	fi
	mv "$tmp/elsewhere.$$" "$root/lib/modules/6.1.0-test"
}

# Numbers have names, those of 32-bit calls others, and tasks between two entries that agree.
# Interrupts 6 and 1030 have one place in a cache.
test_symbolic() {
	local a b c d e f event tag

	# expected/symbolic: values, event, fields, "|", and what is shown but values without a name.
	while read -r a b c d e f event tag; do
		echo "${tag#*| }" >&3
		tag=${tag%% |*}
		printf '0 3:0:0:2c %s event %s %s %s\n' "$a $b $c $d $e $f" "$event" "$event" "$tag"
	done > "$tmp/symbolic.in" 3> "$tmp/symbolic.want" < "$here/expected/symbolic"
	"$tmp/mkimage" -c 64 -e "$tmp/symbolic.in" > "$tmp/file"
	run 0 -d "$tmp/file"
	# Without times, and without what has no name.
	sed -n 's/^\[[^]]*\]\[cpu 0 tid  *44 *\([^]]*\)\] : \(.*\) : (.*/\1 \2/p' "$tmp/out" |
		sed -e 's/=[^ ]* </ </g' -e 's/^ //' -e 's/compat=1/compat#1/' \
			-e ':a' -e 's/ [a-z0-9_]*=[^ ]*//' -e ta -e 's/#/=/' > "$tmp/got"
	if diff "$tmp/symbolic.want" "$tmp/got" > "$tmp/diff"; then
		ok "names of numbers: $(wc -l < "$tmp/got") rows"
	else
		not_ok "names of numbers" "$tmp/diff" "$tmp/out"
	fi
	run 0 --json "$tmp/file"
	if ! grep -q '"symbols"' "$tmp/out"; then
		ok "names of numbers: not without -d"
	else
		not_ok "names of numbers: not without -d" "$tmp/out"
	fi
	run 0 --json -d "$tmp/file"
	if [ "$(grep -c '"args":{.*,"symbols":{"vec":"TIMER"}' "$tmp/out")" = 1 ]; then
		ok "names of numbers: JSON"
	else
		not_ok "names of numbers: JSON" "$tmp/out"
	fi
	mkdir -p "$tmp/pages"
	html_equal "names of numbers" "$tmp/file"
}

# flags NAME WANT OPTION...: names of two numbers that only BTF knows, in an image of that build
flags() {
	local name=$1 shown=$2

	shift 2
	{
		printf '0 3 40 40 17e 0 0 0 event kmalloc kmalloc (%s)\n' \
			"bytes_req:u32, bytes_alloc:u32, gfp_flags:x32"
		echo "0 3 8 2 0 0 0 0 event kfree_skb kfree_skb (protocol:x16, reason:u32)"
	} > "$tmp/flags.in"
	"$tmp/mkimage" -c 8 -e "$tmp/flags.in" "$@" > "$tmp/file"
	run 0 -d "$tmp/file"
	if [ "$(grep -o ' gfp_flags=.* : (\| reason=.* : (' "$tmp/out" | tr -d '\n')" = "$shown" ]; then
		ok "names of flags: $name"
	else
		not_ok "names of flags: $name: not $shown" "$tmp/out"
	fi
}

test_symbolic_btf() {
	local numbers=' gfp_flags=0x17e : ( reason=2 : (' names newer
	names=' gfp_flags=0x17e <GFP_KERNEL|__GFP_HIGH|__GFP_ZERO|0x100>'
	names+=' : ( reason=2 <NO_SOCKET> : ('
	newer=' gfp_flags=0x17e <__GFP_DMA|__GFP_HIGH|__GFP_IO|__GFP_FS|__GFP_ZERO'
	newer+='|__GFP_DIRECT_RECLAIM|__GFP_COMP> : ( reason=2 : ('

	rm -rf "$tmp/btf"
	mkdir -p "$tmp/btf/proc/sys/kernel/random" "$tmp/btf/sys/kernel/btf"
	export JTRACE_ROOT=$tmp/btf
	echo 01010101-0101-0101-0101-010101010101 > "$tmp/btf/proc/sys/kernel/random/boot_id"
	build_id 11 > "$tmp/btf/sys/kernel/notes"
	flags "no BTF" "$numbers" -i 1
	case $("$jtrace" --version) in
	*", with libbpf, "*) ;;
	*)	names=$numbers newer=$numbers ;;
	esac
	"$tmp/mkbtf" "$tmp/btf/sys/kernel/btf" old
	flags "this boot" "$names" -i 1
	flags "the same build" "$names" -i 2 -b 11
	flags "another build" "$numbers" -i 2 -b 12
	flags "an unknown build" "$numbers" -i 2
	"$tmp/mkbtf" "$tmp/btf/sys/kernel/btf" new
	flags "another kernel's numbers" "$newer" -i 1
	head -c 1000 "$tmp/btf/sys/kernel/btf/vmlinux" > "$tmp/cut"
	mv "$tmp/cut" "$tmp/btf/sys/kernel/btf/vmlinux"
	flags "damaged BTF" "$numbers" -i 1
	unset JTRACE_ROOT
}

# How long waits took: that spin and sleep, nested, of idle tasks; not over a gap, nor over a time
# without recording or a switch of events, nor without a begin.
test_waits() {
	local b='event contention_begin contention_begin (flags:x32, owner:s32, lock_addr:x64)'
	local e='event contention_end contention_end (ret:s32, lock_addr:x64)'
	local one=ffff888000000040 two=ffff888000000080

	{
		echo "0 3:0:0:5 0 0 0 0 $two 0 $e"
		echo "0 3:0:0:5 21 0 0 0 $one 0 $b"
		echo "0 3:0:0:5 20 0 0 0 $one 0 $b"
		echo "0 3:0:0:5 0 0 0 0 $two 0 $b"
		echo "0 3:0:0:6 20 0 0 0 $one 0 $b"
		echo "0 3:0:0:5 0 0 0 0 $two 0 $e"
		echo "0 3:0:0:5 0 0 0 0 $one 0 $e"
		echo "0 3:0:0:5 0 0 0 0 $one 0 $e"
		echo "0 3:0:0:0 0 0 0 0 $one 0 $b"
		echo "1 3:0:0:0 0 0 0 0 $one 0 $b"
		echo "0 3:0:0:0 0 0 0 0 $one 0 $e"
		echo "1 3:0:0:0 0 0 0 0 $one 0 $e"
		echo "0 0:0:0:5 0 0 0 0 0 0 jtrace_control.c record_counters" \
			"jtrace: stop (0, 0, 0, 0, recorded, lost)"
		echo "0 3:0:0:6 0 0 0 0 $one 0 $e"
	} > "$tmp/waits.in"
	"$tmp/mkimage" -c 16 -e "$tmp/waits.in" > "$tmp/file"
	run 0 -d "$tmp/file"
	sed -n 's/.*: contention_end .* lock_addr=[^ ,]*\(.*\) : (.*/\1/p' "$tmp/out" > "$tmp/got"
	if [ "$(sed 's/, waited \([0-9.]*\) uSec/\1/' "$tmp/got" | tr '\n' ' ')" = \
		" 2.000 5.000  2.000 2.000  " ]; then
		ok "waits"
	else
		not_ok "waits" "$tmp/out"
	fi
	run 0 -d --json "$tmp/file"
	if [ "$(grep -o '"waited_ns":[0-9]*}' "$tmp/out" | grep -o '[0-9]*' | xargs)" = \
		"2000 5000 2000 2000" ]; then
		ok "waits: in JSON"
	else
		not_ok "waits: in JSON" "$tmp/out"
	fi
	# Events were switched before each end.
	sed "/ contention_end /i 1 0:0:0:9 1 0 0 0 0 0 attach.c record_switch jtrace: events switched (on, off)" \
		"$tmp/waits.in" > "$tmp/switched.in"
	"$tmp/mkimage" -c 16 -e "$tmp/switched.in" > "$tmp/file"
	run 0 -d "$tmp/file"
	if ! grep -q waited "$tmp/out" && grep -q ':record_switch:' "$tmp/out"; then
		ok "waits: not over a switch of events"
	else
		not_ok "waits: not over a switch of events" "$tmp/out"
	fi
	# An end may have been passed over.
	sed 's/^\([01]\) 3:0:\(.* contention_end \)/\1 3:40040007:\2/' "$tmp/waits.in" > "$tmp/partial.in"
	"$tmp/mkimage" -c 16 -e "$tmp/partial.in" > "$tmp/file"
	run 0 -d "$tmp/file"
	if ! grep -q waited "$tmp/out" && grep -q 'contention_end ret=0 lock_addr=0x' "$tmp/out"; then
		ok "waits: not if ends are passed over"
	else
		not_ok "waits: not if ends are passed over" "$tmp/out"
	fi
	has "waits: JSON tells that ends are passed over" C \
		'"function":"contention_end","line":0,"partial":true' --json "$tmp/file"
	# Events of CPU 1 are lost after the begin on CPU 0.
	{
		echo "0 3:0:0:5 20 0 0 0 $one 0 $b"
		for _ in $(seq 9); do echo "1 3:0:0:7 20 0 0 0 $two 0 $b"; done
		echo "1 lost"
		for _ in $(seq 9); do echo "1 3:0:0:7 20 0 0 0 $two 0 $b"; done
		echo "0 3:0:0:5 0 0 0 0 $one 0 $e"
	} > "$tmp/waits.in"
	"$tmp/mkimage" -c 16 -e "$tmp/waits.in" > "$tmp/file"
	run 0 -d "$tmp/file"
	if ! grep -q waited "$tmp/out" && grep -q contention_end "$tmp/out"; then
		ok "waits: not over a gap"
	else
		not_ok "waits: not over a gap" "$tmp/out"
	fi
}
