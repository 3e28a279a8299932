# shellcheck shell=bash disable=SC2154,SC2016 # set by run; $arg1 is for jtrace
# SPDX-License-Identifier: GPL-2.0
#
# Tests of jtrace probe: names to the text of the module, with the types of two kernels that
# mkbtf.c makes.

# probe_root old|new: make the root of such a kernel, and set JTRACE_ROOT to it
probe_root() {
	local debug

	export JTRACE_ROOT=$tmp/probe-$1
	debug=$JTRACE_ROOT/sys/kernel/debug
	mkdir -p "$debug/jtrace" "$JTRACE_ROOT/proc/sys/kernel" "$JTRACE_ROOT/sys/kernel/btf" \
		"$JTRACE_ROOT/sys/module/jtrace"
	echo "none /sys/kernel/debug debugfs rw 0 0" > "$JTRACE_ROOT/proc/mounts"
	echo x86_64 > "$JTRACE_ROOT/proc/sys/kernel/arch"
	: > "$debug/jtrace/probes"
	[ ! -x "$tmp/mkbtf" ] || "$tmp/mkbtf" "$JTRACE_ROOT/sys/kernel/btf" "$1"
	cat > "$JTRACE_ROOT/proc/kallsyms" <<-'SYMBOLS'
	ffffffff81000000 T _text
	ffffffff81001000 T ip_rcv
	ffffffff81001000 T ip_rcv_alias
	ffffffff81001000 T ip_rcv
	ffffffff81002000 t do_filp_open
	ffffffff81003000 T many
	ffffffff81004000 T by_value
	ffffffff81005000 T nothing
	ffffffff81006000 W nameless
	ffffffff81007000 t shapes
	ffffffff81008000 T twice
	ffffffff81009000 T no_types
	ffffffff8100a000 t common
	ffffffff8100b000 t common
	ffffffff8100c000 d ip_rcv
	ffffffff8100d000 T __traceiter_sched_switch
	ffffffff8100e000 T printk
	ffffffff8100f000 T struck
	SYMBOLS
	printf '%s t %s\t[%s]\n' ffffffffc0001000 widget_poll widget ffffffffc0002000 twice widget \
		ffffffffc0003000 __traceiter_widget_event widget ffffffffc0004000 shared widget \
		ffffffffc0005000 shared gadget ffffffffc0006000 gadget_poll gadget \
		>> "$JTRACE_ROOT/proc/kallsyms"
}

# denied POSITION WHY DEFINITION: it is refused with this message
denied() {
	if run 1 probe --print "$3" && [ ! -s "$tmp/out" ] &&
		[ "$(cat "$tmp/err")" = "jtrace: $3: at character $1: $2" ]; then
		ok "refused: $3"
	else
		not_ok "refused: $3: exit status $status" "$tmp/out" "$tmp/err"
	fi
}

# lists PLACE LINE...: --args prints these
lists() {
	printf '%s\n' "${@:2}" > "$tmp/want"
	shows "--args $1" "$tmp/want" probe --args "$1"
}

test_probe_names() {
	local expected=$here/expected/probes kernel task='struct task_struct *'

	for kernel in old new; do
		probe_root $kernel
		shows "definitions for the $kernel kernel" "$expected.$kernel" \
			probe --print --load "$expected"
	done
	printf '# one\np:x ip_rcv skb.nil\np:y ip_rcv\n' > "$tmp/lines"
	says "--load says where" 1 "$tmp/lines:2: p:x ip_rcv skb.nil: at character 16: .*" \
		probe --print --load "$tmp/lines"
	lists ip_rcv 'skb: struct sk_buff *' 'dev: struct net_device *' 'pt: void *' \
		'in: struct net_device *' '$retval: int'
	lists 0xffffffff81001000 'skb: struct sk_buff *' 'dev: struct net_device *' 'pt: void *' \
		'in: struct net_device *' '$retval: int'
	lists sched_switch "preempt: _Bool" "prev: struct task_struct *" "next: struct task_struct *" \
		'prev_state: unsigned int'
	lists t:widget:widget_event 'w: struct widget *'
	lists widget:twice 'w: struct widget *' '$retval: int'
	lists nothing '$retval: void'
	lists printk 'fmt: char *' '$retval: int'
	lists nameless '$arg1: struct sk_buff *' 'skb: struct sk_buff *' '$retval: int'
	run 0 probe --args many
	if grep -qx "f: short" "$tmp/out" && grep -qx "g: int  # cannot be fetched: it is passed on the stack, .*" "$tmp/out"; then
		ok "--args many: the seventh is on the stack"
	else
		not_ok "--args many: the seventh is on the stack" "$tmp/out"
	fi
	echo aarch64 > "$JTRACE_ROOT/proc/sys/kernel/arch"
	run 0 probe --args many
	if grep -qx 'g: int' "$tmp/out"; then
		ok "--args many: on arm64 it is not"
	else
		not_ok "--args many: on arm64 it is not" "$tmp/out"
	fi
	printf 'p:x many %%x0 $arg8 g=$arg7:s32\n' > "$tmp/want"
	shows "registers and arguments of arm64" "$tmp/want" probe --print 'p:x many %x0 $arg8 g'
	denied 11 "there is no such register" 'p:x many %di'
	echo x86_64 > "$JTRACE_ROOT/proc/sys/kernel/arch"
	denied 11 "there is no such register" 'p:x many %x0'
	says "--args: no such place" 1 "--args nowhere: there is no function or tracepoint nowhere" \
		probe --args nowhere
	says "--args: no such tracepoint" 1 "--args t:ip_rcv: there is no tracepoint ip_rcv" \
		probe --args t:ip_rcv
	says "--args: more than a place" 1 '--args ip_rcv .arg1: expected one word' \
		probe --args 'ip_rcv $arg1'
	printf '%s\n' \
		"sched_switch(_Bool preempt, ${task}prev, ${task}next, unsigned int prev_state)" \
		'widget:widget_event(struct widget *w)' > "$tmp/want"
	shows "event --kernel" "$tmp/want" event --kernel
	tail -n 1 "$tmp/want" > "$tmp/one"
	shows "event --kernel, some" "$tmp/one" event --kernel 'no*' 'widget_?vent'
	says "event --kernel, none" 1 "no tracepoint has such a name: no" event --kernel no
	says "--args: not unique" 1 "--args common: 2 functions have the name common: .*" \
		probe --args common
}

test_probe_refused() {
	local bits="3 bits from bit 0 of its first byte, which is +128(\$arg1):u8"

	probe_root new
	denied 12 'ip_rcv has no argument "skp": it has skb, dev, pt, in' 'p:x ip_rcv skp.len'
	denied 13 'nothing has no arguments' 'p:x nothing x'
	denied 12 'ip_rcv has no argument "$arg5": it has skb, dev, pt, in' 'p:x ip_rcv $arg5.len'
	denied 16 'struct sk_buff has no member "lenn": it has len' 'p:x ip_rcv skb.lenn'
	denied 16 "struct sk_buff has no member \"d\": it has dev, devices, data, destructor, delta" "p:x ip_rcv skb.d"
	denied 24 'struct { ... } has no member "x": it has owned' 'p:x ip_rcv skb.sk_lock.x'
	denied 20 'skb.len has no members: it is unsigned int' 'p:x ip_rcv skb.len.x'
	denied 15 'pt has no members: it is void *' 'p:x ip_rcv pt.x'
	denied 23 'skb.opaque has no members: it is void *' 'p:x ip_rcv skb.opaque.x'
	denied 25 'skb.stamp is neither array nor pointer: it is u64' 'p:x ip_rcv dev skb.stamp[1]'
	denied 21 'BTF has no members for struct nowhere' 'p:x ip_rcv skb.lost.x'
	denied 20 "BTF has no size for an element: it is struct nowhere" "p:x ip_rcv skb.lost[1]"
	denied 22 'skb.ports has 4 elements, from 0' 'p:x ip_rcv skb.ports[4]'
	denied 12 "skb.pkt_type is a bit-field: $bits" 'p:x ip_rcv skb.pkt_type'
	denied 12 "skb.pkt_type is a bit-field: $bits" 'p:x ip_rcv skb.pkt_type:u8'
	denied 12 "skb.cloned is a bit-field: 1 bit from bit 3 of its first byte, which is +128(\$arg1):u8" \
		'p:x ip_rcv skb.cloned'
	denied 12 "skb.ports is unsigned short[4]: name an element, [N], or add :TYPE" "p:x ip_rcv skb.ports"
	denied 12 'skb.sk_lock is struct { ... }: name a member' 'p:x ip_rcv skb.sk_lock'
	denied 12 "skb.devices[0][0] is struct net_device: name a member" "p:x ip_rcv skb.devices[0][0]"
	denied 12 "skb.real is double: a probe has numbers of 8 to 64 bits, and text" "p:x ip_rcv skb.real"
	denied 12 "skb.wide is __int128: a probe has numbers of 8 to 64 bits, and text" "p:x ip_rcv skb.wide"
	denied 14 "argument 2 cannot be fetched: it is a struct or another large type, passed by value" \
		'p:x by_value pair.a'
	denied 14 "argument 3 cannot be fetched: one before it is a struct or another large type, passed by value" \
		'p:x by_value after.len'
	denied 10 "argument 7 cannot be fetched: it is passed on the stack, not in a register" "p:x many g"
	denied 12 'a value takes at most 6 loads' 'p:x ip_rcv skb.next.next.next.next.next.next.len'
	denied 14 "arguments are known at the first instruction only, without +OFFSET" "p:x ip_rcv+4 skb.len"
	denied 12 'r has no arguments, only $retval: use p for arguments' 'r:x ip_rcv skb.len'
	denied 12 'only r has $retval' 'p:x ip_rcv $retval.x'
	denied 18 'only r has $retval' 't:x sched_switch $retval.x'
	denied 20 '$retval has no members: it is int' 'r:x ip_rcv $retval.x'
	denied 21 '$retval has no members: it is void' 'r:x nothing $retval.x'
	denied 16 'expected the name of a member' 'p:x ip_rcv skb.'
	denied 16 'expected the name of a member' 'p:x ip_rcv skb..len'
	denied 16 'expected the name of a member' 'p:x ip_rcv skb.4'
	denied 16 'expected a number between [ and ]' 'p:x ip_rcv skb[x]'
	denied 17 'expected ]' 'p:x ip_rcv skb[1x]'
	denied 20 "there is no such type: take u8 to u64, s8 to s64, x8 to x64, symbol, string, string8 or bytes" \
		'p:x ip_rcv skb.len:u7'
	denied 19 'expected a blank, or :TYPE' 'p:x ip_rcv skb.len/2'
	denied 5 "several functions have no common names for their arguments: say \$arg1 and so on" \
		'f:x ip_* skb.len'
	# What the module refuses.
	denied 1 "a probe begins with p, r, t, w, f or -:NAME" 'x nonsense "#" skb.len'
	denied 1 "a probe begins with p, r, t, w, f or -:NAME" '-'
	denied 20 "there is no such argument" 'p:x ip_rcv skb.len $arg7'
	denied 20 "two values have this name" 'p:x ip_rcv skb.len skb_len=$arg2'
	denied 32 "N is 1 to 4294967295" 'p:x ip_rcv skb.len stop=3 rate=0'
	denied 22 "expected eq, ne, lt, le, gt, ge or has" 'p:x ip_rcv if skb.len'
	denied 56 "the value does not fit: an entry has four of 32 bits and two of 64" \
		'p:x ip_rcv skb.dev.name:string8 skb->dev->alias:string skb.cb'
	denied 5 "2 functions have the name common: 0xffffffff8100a000 0xffffffff8100b000; name one by its address" \
		'p:x common $arg1'
	denied 5 "2 functions have the name shared: 0xffffffffc0004000[widget] 0xffffffffc0005000[gadget]; name one by its address" \
		'r:x shared $retval'
	denied 5 'there is no function nowhere' 'p:x nowhere skb'
	denied 5 'there is no tracepoint ip_rcv' 't:x ip_rcv skb'
	denied 5 'absent has no function poll: load the module first' 'p:x absent:poll skb'
	denied 5 'no function begins at 0xffffffff81001004, so there are no arguments' \
		'p:x 0xffffffff81001004 skb'
	denied 5 "BTF has no arguments for no_types: use \$arg1, \$arg2, ..." "p:x no_types skb"
	denied 5 'BTF has 2 functions shapes: use $arg1, $arg2, ...' 'p:x shapes skb'
	denied 5 "$JTRACE_ROOT/sys/kernel/btf/gadget: No such file or directory: names need BTF: use \$arg1, \$arg2, ..." \
		'p:x gadget_poll skb'
	mv "$JTRACE_ROOT/sys/kernel/btf/vmlinux" "$tmp/vmlinux"
	denied 5 "$JTRACE_ROOT/sys/kernel/btf/vmlinux: No such file or directory: names need BTF: use \$arg1, \$arg2, ..." \
		'p:x ip_rcv skb'
	head -c 1000 "$tmp/vmlinux" > "$JTRACE_ROOT/sys/kernel/btf/vmlinux"
	denied 5 "$JTRACE_ROOT/sys/kernel/btf/vmlinux: Invalid argument: names need BTF: use \$arg1, \$arg2, ..." \
		'p:x ip_rcv skb'
	mv "$tmp/vmlinux" "$JTRACE_ROOT/sys/kernel/btf/vmlinux"
	test_probe_kallsyms
}

# The kernel may hide addresses, or the file is not there.
test_probe_kallsyms() {
	local symbols=$JTRACE_ROOT/proc/kallsyms

	sed -i 's/^[^ ]*/0000000000000000/' "$symbols"
	run 0 probe --print 'p:x common $arg1'
	notes "hidden addresses: a warning" '^jtrace: warning: 2 functions have the name common, and .* hides their addresses'
	run 0 probe --print 'p:x nothing $arg1'
	if [ ! -s "$tmp/err" ]; then
		ok "hidden addresses: none for one function"
	else
		not_ok "hidden addresses: none for one function" "$tmp/err"
	fi
	rm "$symbols"
	run 0 probe --print p:x ip_rcv skb.len
	notes "no /proc/kallsyms: a warning" "^jtrace: warning: .*/kallsyms: No such file or directory: cannot check that ip_rcv is one function"
	says "no /proc/kallsyms: no names at an address" 1 \
		".*: at character 5: .*/kallsyms: No such file or directory" \
		probe --print p:x 0xffffffff81001000 skb.len
}

# watches PLACE MODULE'S: the module gets this place
watches() {
	printf 'w:x %s $value if $value ne 0\n' "$2" > "$tmp/want"
	shows "watch $1" "$tmp/want" probe --print "w:x $1 \$value if \$value ne 0"
}

# What a watchpoint watches: variables by /proc/kallsyms, members by BTF, else the module's file.
test_probe_watch() {
	local ko=$tmp/gadget.ko sections

	probe_root new
	printf '%s\n' "ffffffff82000000 D counter" "ffffffff82000004 d flag" "ffffffff82000006 b pad" \
		"ffffffff82000010 B wide" "ffffffff82000040 d local.0" "ffffffff82000048 d twice" \
		"ffffffff82000050 d twice" "ffffffff82000058 D last" $'ffffffffc0001800 d device\t[widget]' \
		$'ffffffffc0001840 d behind\t[widget]' >> "$JTRACE_ROOT/proc/kallsyms"
	watches counter counter:4
	watches flag flag:2
	watches wide wide:8
	watches wide+4 wide+0x4:4
	watches wide+6:2 wide+0x6:2
	watches wide+0x2c wide+0x2c:4
	watches local.0:1 local.0:1
	watches widget:device widget:device:8
	watches device widget:device:8
	watches 0xffffffff82000004:4 0xffffffff82000004:4
	watches 0xffffffff82000004 0xffffffff82000004:4
	watches "(struct widget)device.id" widget:device+0x10:4
	watches "(struct widget)widget:device.pairs[2].y" widget:device+0x2c:2
	watches "(struct widget)device.total" widget:device+0x30:8
	watches "(struct widget)device.skb" widget:device+0x8:8
	watches "(struct widget)device.pairs[1]" widget:device+0x20:8
	watches "(struct widget)device:1" widget:device:1
	watches "(u64)wide" wide:8
	watches "(struct net_device)0xffff888000001000.mtu" 0xffff888000001038:4
	denied 5 "2 variables have the name twice: 0xffffffff82000048 0xffffffff82000050; name one by its address" \
		'w:x twice'
	denied 5 "nowhere: there is no such variable; of a module, write MODULE:NAME" 'w:x nowhere'
	denied 5 "widget has no variable nowhere, or is not loaded" 'w:x widget:nowhere'
	denied 4 "expected the name of a variable" 'w:x'
	denied 12 "expected )" 'w:x (struct'
	denied 6 "expected a type between ( and )" 'w:x ()wide'
	denied 6 "BTF has no type struct nowhere" 'w:x (struct nowhere)wide.x'
	denied 27 'struct widget has no member "ids": it has id' 'w:x (struct widget)device.ids'
	denied 20 "device.skb.len is behind a pointer: name its address" 'w:x (struct widget)device.skb.len'
	denied 20 "device.pairs has 24 bytes: name a member, or add :1, :2, :4 or :8" 'w:x (struct widget)device.pairs'
	denied 20 "device.flag is a bit-field: 1 bit from bit 3 of byte 56: name its bytes by +OFFSET:LENGTH" \
		'w:x (struct widget)device.flag'
	denied 10 "a watchpoint has 1, 2, 4 or 8 bytes" 'w:x wide:3 $value'
	denied 9 "expected a blank" 'w:x wide,'
	denied 11 "a member needs a type: (struct NAME)VARIABLE.MEMBER" 'w:x device.id'
	denied 12 "there is no return value here" 'w:x wide:8 $retval.x'
	denied 12 "expected a value: [NAME=]FETCH[:TYPE]" 'w:x wide:8 skb.len'
	denied 12 "there are no arguments here" 'w:x wide:8 $arg1'
	# The kernel may hide addresses.
	cp "$JTRACE_ROOT/proc/kallsyms" "$tmp/kallsyms"
	sed -i 's/^[^ ]*/0000000000000000/' "$JTRACE_ROOT/proc/kallsyms"
	watches wide:4 wide:4
	denied 5 "$JTRACE_ROOT/proc/kallsyms hides where wide is (root sees it, if kernel.kptr_restrict is not 2): add :1, :2, :4 or :8" \
		'w:x wide'
	cp "$tmp/kallsyms" "$JTRACE_ROOT/proc/kallsyms"
	# A kernel that lists functions only.
	printf '%s\n' '#include <stdint.h>' 'uint32_t gadget_count = 7;' \
		'static uint16_t spare __attribute__((used));' > "$tmp/gadget.c"
	gcc -O2 -fno-common -c -o "$ko" "$tmp/gadget.c" || not_ok "an object builds"
	sections=$JTRACE_ROOT/sys/module/gadget/sections
	mkdir -p "$sections"
	echo 0xffffffffc0009000 > "$sections/.data"
	echo 0xffffffffc000a000 > "$sections/.bss"
	printf 'w:x 0xffffffffc0009000:4 $value\n' > "$tmp/want"
	shows "watch by the file of a module" "$tmp/want" probe --print --module "$ko" \
		'w:x gadget:gadget_count $value'
	printf 'w:x 0xffffffffc000a000:2 $value\n' > "$tmp/want"
	mkdir -p "$JTRACE_ROOT/lib/modules/$(uname -r)/extra"
	cp "$ko" "$JTRACE_ROOT/lib/modules/$(uname -r)/extra/"
	shows "watch by the installed file" "$tmp/want" probe --print 'w:x gadget:spare $value'
	denied 5 "gadget has no variable nowhere, or is not loaded" 'w:x gadget:nowhere'
	rm -r "${JTRACE_ROOT:?}/sys/module/gadget" "${JTRACE_ROOT:?}/lib"
	echo aarch64 > "$JTRACE_ROOT/proc/sys/kernel/arch"
	denied 1 "watchpoints need an x86-64 processor" 'w:x wide:8'
	echo x86_64 > "$JTRACE_ROOT/proc/sys/kernel/arch"
}

# line_of TEXT: print the number of the line of widget.c that has it
line_of() {
	grep -nF "$1" "$tmp/widget.c" | cut -d : -f 1
}

# An object with debug information is as good as a module.
test_probe_lines() {
	local ko=$tmp/widget.ko folder call twice

	folder=$JTRACE_ROOT/lib/modules/$(uname -r)
	rm -rf "${JTRACE_ROOT:?}/lib"
	cat > "$tmp/widget.c" <<-'C'
	/* The section has the offsets of marked lines in their functions. */
	#define MARK(f)	asm volatile("1: nop; .pushsection marks,\"a\"; .quad 1b - " #f "; .popsection")

	static inline __attribute__((always_inline)) int both(int n)
	{
		asm volatile("nop"); /* in two */
		return n;
	}

	__attribute__((noinline)) int widget_poll(int *w)
	{
		int n = both(*w);

		MARK(widget_poll);

		return n;
	}

	__attribute__((noinline)) int widget_call(int *w)
	{
		return both(widget_poll(w)) + 1;
	}
	C
	(cd "$tmp" && gcc -O2 -g -c -o widget.ko widget.c && gcc -O2 -c -o bare.ko widget.c &&
		objcopy -O binary --only-section=marks widget.ko marks) || {
		not_ok "an object builds"
		return
	}
	call=$(line_of 'MARK(widget') twice=$(line_of 'in two')
	printf 'p:x widget:widget_poll+0x%x %%ax if %%ax eq 1\n' \
		"$(od -An -tu8 -N 8 "$tmp/marks")" > "$tmp/want"
	shows "a line of a module" "$tmp/want" probe --print --module "$ko" \
		"p:x widget:widget.c:$call %ax if %ax eq 1"
	says "a line without code" 1 \
		".*: at character 5: widget.c has no code for line $((call + 1)); the next line with code is $((call + 2))" \
		probe --print --module "$ko" p:x "widget:widget.c:$((call + 1))"
	says "a line beyond the end" 1 \
		".*: at character 5: .*/widget.ko has no code of widget.c from line 999 on" \
		probe --print --module "$ko" p:x widget:widget.c:999
	says "a line in two functions" 1 \
		".*: line $twice of widget.c is in 2 functions: widget_(poll|call)\+0x[0-9a-f]+ widget_(poll|call)\+0x[0-9a-f]+; name one of these" \
		probe --print --module "$ko" p:x "widget:widget.c:$twice"
	says "no debug information" 1 ".*: .*/bare.ko has no debug information: name one that has it with --module" \
		probe --print --module "$tmp/bare.ko" p:x widget:widget.c:5
	says "no such file" 1 ".*: .*/absent.ko: No such file or directory" \
		probe --print --module "$tmp/absent.ko" p:x widget:widget.c:5
	denied 5 "only p takes a line" 'r:x widget:widget.c:5'
	denied 5 "$folder has no widget.ko: name it with --module" 'p:x widget:widget.c:5'
	mkdir -p "$folder/extra"
	: > "$folder/extra/widget.ko.xz"
	denied 5 "$folder/extra/widget.ko.xz is compressed: unpack it, and name it with --module" \
		'p:x widget:widget.c:5'
	rm "$folder/extra/widget.ko.xz"
	cp "$ko" "$folder/extra/"
	shows "a line of an installed module" "$tmp/want" probe --print \
		"p:x widget:widget.c:$call %ax if %ax eq 1"
	# The module was built again, and not loaded again.
	mkdir -p "$JTRACE_ROOT/sys/module/widget/notes"
	ld -r --build-id="0x$(printf %040d 1)" -o "$folder/extra/widget.ko" "$ko" &&
		ld -r --build-id="0x$(printf %040d 2)" -o "$tmp/loaded.ko" "$ko" &&
		objcopy -O binary --only-section=.note.gnu.build-id --set-section-flags \
			.note.gnu.build-id=alloc "$tmp/loaded.ko" \
			"$JTRACE_ROOT/sys/module/widget/notes/.note.gnu.build-id"
	denied 5 "$folder/extra/widget.ko is not the build of widget that is loaded: name that one with --module" \
		"p:x widget:widget.c:$call %ax"
	shows "a line of the loaded build" "$tmp/want" probe --print --module "$tmp/loaded.ko" \
		"p:x widget:widget.c:$call %ax if %ax eq 1"
	rm -r "$JTRACE_ROOT/sys/module/widget"
}

# 10000 texts of pieces that are valid somewhere, in one process.
test_probe_random() {
	probe_root new
	status=0
	"$tmp/$build/probes" "$seed" 10000 > "$tmp/out" 2> "$tmp/err" || status=$?
	if [ "$status" -eq 0 ]; then
		ok "random definitions: $(cat "$tmp/out")"
	else
		not_ok "random definitions: exit status $status" "$tmp/out" "$tmp/err"
	fi
}

# What needs no names, and what is written to the file.
test_probe() {
	local file text why

	probe_root new
	file=$JTRACE_ROOT/sys/kernel/debug/jtrace/probes
	text='p:x ip_rcv $arg1 +8(%di):u32 if $comm:string eq "a b"'
	run 0 probe "$text"
	written probes "$text" "probe: the module's own text is not changed"
	: > "$file"
	# shellcheck disable=SC2086 # words
	run 0 probe p:x ip_rcv '$arg1'   if %di eq 3
	written probes 'p:x ip_rcv $arg1 if %di eq 3' "probe: words are one definition"
	printf '# a comment\n  p:y ip_rcv  # none\n\n-:x' > "$tmp/lines"
	: > "$file"
	run 0 probe --delete x --load "$tmp/lines" -:z
	written probes $'-:x\np:y ip_rcv\n-:x\n-:z' "probe: in the order of the command line"
	printf '%s\n' -:x 'p:x ip_rcv' > "$tmp/want"
	shows "probe --print" "$tmp/want" probe --print --delete x p:x ip_rcv
	written probes $'-:x\np:y ip_rcv\n-:x\n-:z' "probe --print writes nothing to the module"
	shows "probe lists them" "$file" probe
	shows "probe --list" "$file" probe --list
	says "probe: an option behind" 1 "--list: options come before the definition" \
		probe p:x ip_rcv --list
	says "probe: two lines" 1 "a definition is one line" probe $'p:x ip_rcv\n-:x'
	says "probe --delete: no name" 1 "--delete a b: not the name of a probe" probe --delete "a b"
	says "probe --load: no such file" 1 "$tmp/nowhere: No such file or directory" \
		probe --load "$tmp/nowhere"
	rm "$file"
	says "probe: no module" 1 "module jtrace_probe is not loaded: run (sudo )?modprobe jtrace_probe" probe
	case $("$jtrace" --version) in
	*", with libbpf, "*)
		test_probe_names
		test_probe_refused
		test_probe_watch
		;;
	*", without libbpf, "*)
		why="names need libbpf, and this jtrace was built without it"
		why+=': use $arg1, $arg2, ..., or install libbpf-dev and build jtrace again'
		denied 12 "$why" 'p:x ip_rcv skb.len'
		says "probe --args without libbpf" 1 "--args ip_rcv: ${why//$/[$]}" probe --args ip_rcv
		;;
	*)	not_ok "--version tells whether libbpf is in" ;;
	esac
	case $("$jtrace" --version) in
	*", with libdw, "*) test_probe_lines ;;
	*)	why="lines need libdw, and this jtrace was built without it"
		why+=": install libdw-dev and build jtrace again"
		denied 5 "$why" 'p:x widget:widget.c:10 %ax' ;;
	esac
	test_probe_random
	unset JTRACE_ROOT
}
