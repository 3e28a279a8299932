#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# names - "jtrace probe" on a running kernel: names by its BTF, functions by its /proc/kallsyms
#
# Needs a machine where code can be patched: not QEMU with several CPUs (see enabled.sh).
#
# shellcheck disable=SC2016 # $arg1 and $retval are for jtrace

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

TOOL=${TOOL:-/jtrace/bin/jtrace}
have jtrace_probe || skip_all "no jtrace_probe.ko"
have jtrace_source || skip_all "no jtrace_source.ko"
need_patching
start target_buffer_size=8M stacks=128K
load jtrace_probe
load jtrace_source

# probe ARG...: print what it says
probe() {
	"$TOOL" probe "$@" 2>&1
}

# line NAME: print its definition and the number of recorded hits
line() {
	probe_line "$1" | sed 's/ # hits=[0-9]* recorded=\([0-9]*\) .*/ \1/'
}

# recorded NAME: print the number only
recorded() {
	line "$1" | sed 's/.* //'
}

is_recorded() {
	[ "$(recorded "$1")" -ge 1 ]
}

# ---- The text of the module ----

text='p:call jtrace_source_call $arg1:u32 if $arg1:u32 ge 3'
expect "the module's own text" "$(probe "$text")" ""
expect "is defined" "$(line call)" \
	"p:call jtrace_source:jtrace_source_call arg1=\$arg1:u32 if \$arg1:u32 ge 3 0"
expect "a refusal is the module's" "$(probe p:y jtrace_source_call '$arg1:u7')" \
	"jtrace: p:y jtrace_source_call \$arg1:u7: at character 30: there is no such type: take u8 to u64, s8 to s64, x8 to x64, symbol, string, string8 or bytes"
expect "a probe is deleted" "$(probe --delete call)$(line call)" ""
expect "there is none" "$(probe --delete call)" "jtrace: -:call: at character 3: there is no probe of this name: the file probes lists all"

# ---- The files of the service ----

# boot: define the probes of $root/etc/jtrace/probes.d, as the service does
boot() {
	JTRACE_ROOT=$root "$TOOL" probe --boot 2>&1 | sed "s|$root||"
}
root=$TMP/root
folder=$root/etc/jtrace/probes.d
mkdir -p "$folder" "$root/var/lib"
ln -s /proc /sys "$root"
echo 'q wrong' >"$folder/a.probe"
echo 'p jtrace_source_call $arg1:u32 every=1 if $arg1:u32 >= 3' >"$folder/b.probe"
good="p:p_jtrace_source_call_0 jtrace_source:jtrace_source_call arg1=\$arg1:u32 if \$arg1:u32 ge 3"
expect "a file with an error" "$(boot)" \
	"jtrace: /etc/jtrace/probes.d/a.probe:1: q wrong: at character 1: a probe begins with p, r, t, w, f or -:NAME"
expect "keeps no other from being loaded" "$(line p_jtrace_source_call_0)" "$good 0"
fire 5
echo 't:new jtrace_source' >"$folder/a.probe"
expect "when it is mended, the files are loaded again" "$(boot)" ""
expect "what was missing is there" "$(line new)" "t:new jtrace_source:jtrace_source 0"
expect "what was there stays" "$(line p_jtrace_source_call_0)" "$good 2"
echo 'r:new jtrace_source_call' >"$folder/a.probe"
expect "another probe of the name is refused" "$(boot)" \
	"jtrace: /etc/jtrace/probes.d/a.probe:1: r:new jtrace_source_call: at character 1: there is a probe of this name: remove it first, with -:NAME"
expect "by hand the same one is, too" "$(probe t:new jtrace_source)" \
	"jtrace: t:new jtrace_source: at character 1: this probe is defined already"
: >"$PROBES"

# ---- One hit with all its registers ----

case $(uname -m) in
x86_64)	first=di ;;
*)	first=x0 ;;
esac
export XDG_RUNTIME_DIR="$TMP"
expect "all registers" "$(probe p:all jtrace_source_call '$arg1:u32 $regs if $arg1:u32 ge 3')" ""
fire 5
"$TOOL" --frame 1 >"$TMP/frame"
expect "the first hit" "$(head -n 1 "$TMP/frame" | sed 's/: .*, kprobe:/: kprobe:/')" \
	"Hit 1 of all: kprobe:jtrace_source_call+0x0[jtrace_source]"
expect "its value, and its first argument in a register" \
	"$(sed -n "s/^  \\(arg1\\|$first\\)  *//p" "$TMP/frame" | tr '\n' ' ')" "3 0x0000000000000003 "
expect "the next one" "$("$TOOL" --frame next | sed -n 's/^  arg1  *//p')" 4
expect "no other" "$("$TOOL" --frame next 2>&1)" \
	"jtrace: --frame next: that was the last one; --frame N shows hit N again"
probe --delete all

check "this jtrace has libbpf" sh -c '"$0" --version | grep ", with libbpf, "' "$TOOL" || finish

# ---- Arguments and members ----

expect "arguments" "$(probe --args ip_rcv)" "skb: struct sk_buff *
dev: struct net_device *
pt: struct packet_type *
orig_dev: struct net_device *
\$retval: int"
ifconfig lo 127.0.0.1 up
expect "an argument and members" "$(probe p:rx ip_rcv 'skb.len dev if skb.dev.name eq lo')" ""
expect "another device" "$(probe p:none ip_rcv 'skb.len if skb.dev.name eq lo9')" ""
ping -c 3 127.0.0.1 >"$TMP/ping"
expect "each packet, twice" "$(entries_of rx | grep -c '^00000054 00000000 .*(rx (skb_len:u32, dev:x64))$')" 6
expect "no others" "$(recorded rx) $(recorded none)" "6 0"
expect "its values" "$(entries_of rx | cut -d ' ' -f 5 | sort -u | wc -l)" 1

expect "a tracepoint" "$(probe t:sw sched_switch 'prev.pid next.pid next.comm if next.comm eq a.name')" ""
# Linux 7.2 has another one.
opens=do_filp_open
grep -q " $opens$" /proc/kallsyms || opens=do_file_open
expect "a return" "$(probe r:opened $opens \
	'$retval.f_path.dentry.d_name.name:string if $retval.f_path.dentry.d_name.len eq 13')" ""
echo 1 >"$TMP/a.long.name.x"
cat "$TMP/a.long.name.x" >/dev/null
expect "the name of a file that was opened" \
	"$(entries_of opened | cut -d ' ' -f 5-6 | tail -n 1)" "6e2e676e6f6c2e61 000000782e656d61"
# A task of this name, which sleeps until a switch to it was recorded.
(printf a.name >/proc/self/comm && wait_for is_recorded sw)
at_least "the tracepoint was hit" "$(recorded sw)" 1
expect "its text" "$(entries_of sw | cut -d ' ' -f 5-6 | sort -u)" "0000656d616e2e61 0000000000000000"
: >"$PROBES"

# ---- Ready-made probes ----

for file in /jtrace/probes/*.probe; do
	case ${file##*/}:$(uname -m) in
	overwritten.probe:aarch64) continue ;;
	esac
	expect "${file##*/} is defined" "$(probe --load "$file")" ""
done
dd if=/dev/zero of=/dev/vda bs=4k count=4 conv=fsync 2>"$TMP/dd"
dd if=/dev/vda of=/dev/null bs=4k count=64 2>"$TMP/dd"
echo 1 >/proc/sys/vm/drop_caches
cp "$PROBES" "$TMP/probes"
trace | entries >"$TMP/entries"
: >"$PROBES"
for name in mutex_lock mutex_locked mutex_unlock down_write down_write_done up_write page_added \
	page_dirtied page_removed disk_issued disk_completed; do
	at_least "$name has entries" "$(grep -c "(${name}[ )]" "$TMP/entries")" 1
done
for name in no_pages no_kmalloc no_object; do
	check "$name was hit, and records failures only" \
		grep -q "^t:$name .* # hits=[1-9][0-9]* recorded=0 " "$TMP/probes"
done
expect "each request has the name of the disk" "$(sed -n 's/.* \([0-9a-f]\{16\}\) \([0-9a-f]\{16\}\) : .*(disk_issued .*/\1 \2/p' \
	"$TMP/entries" | sort -u)" "0000000000616476 0000000000000000"

# ---- Refused ----

expect "an argument that there is not" "$(probe p:x ip_rcv skp.len)" \
	"jtrace: p:x ip_rcv skp.len: at character 12: ip_rcv has no argument \"skp\": it has skb, dev, pt, orig_dev"
expect "a bit-field" "$(probe p:x ip_rcv skb.pkt_type | sed 's/.*: at/at/; s/:.*which/: which/; s/+[0-9]*/+N/')" \
	'at character 12: which is +N($arg1):u8'
expect "values that do not fit: the module says so" \
	"$(probe p:x ip_rcv skb.dev.name skb.dev.name skb.dev.name | sed 's/.* at character [0-9]*//')" \
	": the value does not fit: an entry has four of 32 bits and two of 64"
expect "a module without types" "$(probe p:x jtrace_source_call number)" \
	"jtrace: p:x jtrace_source_call number: at character 5: /sys/kernel/btf/jtrace_source: No such file or directory: names need BTF: use \$arg1, \$arg2, ..."

# A name that several functions of the kernel have, and one of them that kprobes take.
for name in $(awk '$2 == "t" && NF == 3 && $3 ~ /^[a-z][a-z_]*_show$/ { print $3 }' /proc/kallsyms |
	sort | uniq -d | head -n 30); do
	addresses=$(awk -v name="$name" '$3 == name && NF == 3 { printf " 0x" $1 }' /proc/kallsyms)
	one=${addresses##* }
	[ -n "$(probe "p:x $one")" ] || break
done
probe -:x
says="p:x $name: at character 5: $(echo "$addresses" | wc -w) functions have the name $name:"
# At most eight addresses.
expect "$name: not unique" "$(probe "p:x $name" | sed 's/; .*//; s/ \.\.\.$//')" \
	"jtrace: $says $(echo "$addresses" | cut -d ' ' -f 2-9)"
expect "one by its address" "$(probe "p:x $one \$arg1")$(line x)" "p:x $one arg1=\$arg1:x64 0"
expect "nothing else was defined" "$(grep -c '^[prt]' "$PROBES")" 1

finish
