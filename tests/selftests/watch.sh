#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# watch - watchpoints: each write of each context and CPU is recorded, with the writer's context,
# stack and values, while CPUs and modules go and come; what is refused
#
# WRITES: how often each CPU writes (20000).
#
# shellcheck disable=SC2016 # $value is for jtrace

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

TOOL=${TOOL:-/jtrace/bin/jtrace}
CHAIN=/sys/module/jtrace_chain/parameters
have jtrace_probe || skip_all "no jtrace_probe.ko"
have jtrace_chain || skip_all "no jtrace_chain.ko"
start target_buffer_size=1M stacks=128K
load jtrace_probe

# define LINE: add a probe; print why it is refused
define() {
	echo "$1" 2>/dev/null >>"$PROBES" || tail -n 1 "$PROBES"
}

# count NAME: print the counts of a probe
count() {
	sed -n "s/^w:$1 .*# \(hits=.*\)/\1/p" "$PROBES"
}

# hits NAME: print how often it was hit
hits() {
	count "$1" | sed 's/^hits=\([0-9]*\) .*/\1/'
}

# values: print the values of each entry, in turn
values() {
	"$TOOL" -d | sed -n 's/^\[.*\] : [a-z]* \(new=.*[^ ]\) : (.*$/\1/p'
}

if [ "$(uname -m)" != x86_64 ]; then
	case $(define "w:n jiffies") in
	*"x86-64"*) ok "refused on this processor" ;;
	*)	not_ok "refused on this processor" ;;
	esac
	finish
	exit
fi

# ---- Which writes, and what of them ----

values='new=$value:u64 old=$old:u64 ip=%ip:symbol stack'
define "w:number jtrace_chain:jtrace_chain_watched+8:8 $values"
expect "it waits for its module" "$(grep -c ' mode=waiting$' "$PROBES")" 1
load jtrace_chain
expect "it is armed before the init of its module" "$(hits number)" 1
expect "and says how hits come" "$(grep -c ' mode=watchpoint$' "$PROBES")" 1
expect "a definition is read as it was written" "$(sed -n 's/ #.*//p' "$PROBES")" \
	"w:number jtrace_chain:jtrace_chain_watched+0x8:8 $values"
values >"$TMP/values"
expect "value and old value" "$(cut -d ' ' -f 1,2 <"$TMP/values")" "new=1 old=42"
check "the writer" grep 'ip=0x[0-9a-f]* <jtrace_chain_write+0x[0-9a-f]* \[jtrace_chain\]>$' "$TMP/values"
clear_trace
for touch in same beside byte irqs_off; do
	echo $touch >$CHAIN/touch
done
expect "the same value counts, its neighbours do not" "$(values | sed 's/ ip.*//')" \
	"$(printf 'new=1 old=1\nnew=7 old=1\nnew=8 old=7')"
define 'w:byte jtrace_chain_watched+0x15:1 new=$value:x8 old=$old:x8'
echo byte >$CHAIN/touch
echo beside >$CHAIN/touch
expect "a single byte" "$("$TOOL" -d | sed -n 's/^.* : byte \(.*[^ ]\) : (.*/\1/p')" "new=0x55 old=0x55"
define "-:byte"

# ---- The writer ----

clear_trace
for context in task softirq hardirq nmi; do
	echo $context >$CHAIN/call
done
"$TOOL" -d >"$TMP/text"
"$TOOL" --json -d >"$TMP/json"
for context in task softirq hardirq; do
	expect "$context: the function that writes, and its callers" "$(
		awk -v n="$context" 'BEGIN { want = n == "task" ? 1 : n == "softirq" ? 2 : 3 }
			/^\[/ { on = index($0, "number new=" want " ") }
			/^ / && on { sub(/\+0x.*/, "", $1); print $1 }' "$TMP/text" | head -n 3 | xargs)" \
		"jtrace_chain_low jtrace_chain_mid jtrace_chain_top"
done
expect "the context is the writer's; a write in an NMI is not seen" "$(
	tr '{' '\n' <"$TMP/json" | grep '"name":"number"\|"tag":"number' |
		sed 's/.*"context":"\([^"]*\)".*/\1/' | xargs)" "task softirq hardirq"
# Not two at the same address: QEMU lets only one of them hit.
: >"$PROBES"
define 'w:odd jtrace_chain_watched+8 if $value ge 3 and $old lt 100 every=2'
for context in task softirq hardirq; do
	echo $context >$CHAIN/call
done
expect "conditions and clauses" "$(count odd | cut -d ' ' -f 1-4)" "hits=3 recorded=0 filtered=2 passed=1"
define "-:odd"

# ---- Exact, by all CPUs ----

writes=${WRITES:-20000}
few=$((writes / 20))
start target_buffer_size=8M stacks=128K
load jtrace_probe
load jtrace_chain
define 'w:n jtrace_chain:jtrace_chain_watched+8:8 v=$value:u32'
online=$(nproc)
echo "$writes" >$CHAIN/writes
expect "$online CPUs write" "$(count n | cut -d ' ' -f 1-6)" \
	"hits=$((online * writes)) recorded=$((online * writes)) filtered=0 passed=0 limited=0 lost=0"
cpu=$(removable_cpus | tail -n 1)
if [ -n "$cpu" ]; then
	want=$((online * writes))
	cpu_online "$cpu" 0
	echo $few >$CHAIN/writes
	want=$((want + (online - 1) * few))
	expect "without CPU $cpu" "$(hits n)" $want
	cpu_online "$cpu" 1
	echo $few >$CHAIN/writes
	want=$((want + online * few))
	expect "it comes back, and watches" "$(hits n)" $want
	cpu_online "$cpu" 0
	define "-:n"
	define 'w:n jtrace_chain:jtrace_chain_watched+8:8'
	cpu_online "$cpu" 1
	echo $few >$CHAIN/writes
	want=$((online * few))
	expect "it was away when a watchpoint was armed" "$(hits n)" $want
	# The writers end when the CPU has gone and come twice.
	(
		while [ ! -e "$TMP/come" ]; do
			echo "$writes" >$CHAIN/writes
			echo start >>"$TMP/starts"
		done
	) &
	writer=$!
	begun=$(hits n)
	wait_for sh -c "[ \"\$(sed -n 's/^w:n .*# hits=\([0-9]*\) .*/\1/p' $PROBES)\" != $begun ]"
	begun=$(hits n)
	for _ in 1 2; do
		cpu_online "$cpu" 0
		cpu_online "$cpu" 1
	done
	going=$(hits n)
	: >"$TMP/come"
	wait $writer
	at_least "it goes and comes meanwhile" $((going - begun)) 1
	# Each start sees all CPUs, or all but one.
	got=$(($(hits n) - want))
	expect "no write is missed" $((got % writes)) 0
	at_least "by all CPUs that were there" $((got / writes)) \
		$(($(wc -l <"$TMP/starts") * (online - 1)))
fi

# ---- While all contexts record ----

start target_buffer_size=8M stacks=128K last_entry_storage=-1
load jtrace_probe
load jtrace_chain
define 'w:n jtrace_chain:jtrace_chain_watched+8:8 v=$value:u32 stack=4'
hammering 100 bound=n frees=n contexts=15 burst=8 pause_us=200
echo $((2 * few)) >$CHAIN/writes
hammer_stop
expect "each write is a hit" "$(hits n)" $((2 * few * $(nproc)))
check "the trace is right" verify -c -1
sums $(($(param jtrace_hammer passed) + 2 * few * $(nproc))) "with a watchpoint"

# ---- Too many ----

define "-:n"
# KCSAN delays hits so much that each counts as stopped by something else.
if [ ! -e /sys/kernel/debug/kcsan ]; then
	define 'w:storm jtrace_chain:jtrace_chain_watched+8:8 $value $regs stack'
	(while [ ! -e "$TMP/enough" ]; do echo $((2 * writes)) >$CHAIN/writes; done) &
	writer=$!
	check "writes without end disarm it" wait_for grep -q '^w:storm .* mode=disarmed$' "$PROBES"
	: >"$TMP/enough"
	wait $writer
	check "and the log says so" sh -c "dmesg | grep 'probe storm took more than 25 % of a CPU: disarmed'"
fi
: >"$PROBES"
define 'w:n jtrace_chain:jtrace_chain_watched+8:8'

# ---- Names ----

if [ -r /sys/kernel/btf/vmlinux ]; then
	check "a member of a variable of the kernel" "$TOOL" probe \
		'w:pass (struct net)init_net.passive $value:u32'
	check "is a place with a length" grep -q '^w:pass init_net[+0-9a-fx]*:4 ' "$PROBES"
	define "-:pass"
fi
check "a variable of a module" "$TOOL" probe 'w:first jtrace_chain_watched'
check "is watched in that module" grep -q '^w:first jtrace_chain:jtrace_chain_watched:8 # .* mode=watchpoint$' "$PROBES"
define "-:first"

# ---- Modules and memory that go ----

unload jtrace_chain
expect "it goes with its module" "$(grep -c ' mode=waiting$' "$PROBES")" 1
load jtrace_chain
expect "and is armed again" "$(grep -c ' mode=watchpoint$' "$PROBES")" 1
: >"$PROBES"
expect "nothing is watched any more" "$(echo 10 >$CHAIN/writes; grep -c '^w' "$PROBES")" 0

# ---- Refused ----

address=$(sed -n 's/^\([0-9a-f]*\) . jtrace_chain_watched\t.*/\1/p' /proc/kallsyms)
echo 1 >/proc/sys/kernel/kptr_restrict
ring=$(sed -n 's/^Allocated Buffer Loc *: //p' "$JT/config")
# refused TEXT DEFINITION REASON
refused() {
	case $(define "$2") in
	*"$3"*) ok "refused: $1" ;;
	*)	not_ok "refused: $1"
		diag "  got '$(define "$2")', expected '$3'" ;;
	esac
}

expect "an address" "$(define "w:a 0x$address:4")" ""
expect "is named" "$(grep -c '^w:a ' "$PROBES")" 1
refused "an address of users" "w:x 0x400000:8" "no address of the kernel"
refused "one that is not canonical" "w:x 0x8000000000000000:8" "no address of the kernel"
refused "nothing is there" "w:x 0xffffffffff000000:8" "no memory at this address"
refused "between the multiples" "w:x jtrace_chain_watched+9:8" "a multiple of its length"
refused "a length" "w:x jtrace_chain_watched:3" "1, 2, 4 or 8 bytes"
refused "a variable of each CPU" "w:x runqueues" "each CPU has its own"
refused "one of a module" "w:x jtrace_chain:jtrace_chain_each" "each CPU has its own"
refused "beyond its module" "w:x jtrace_chain:jtrace_chain_watched+0x1000000:8" "leads out of the module"
refused "no such variable" "w:x jtrace_chain:no_such" "no such variable"
refused "a variable of jtrace" "w:x jtrace:jtrace" "memory of jtrace"
refused "the buffer" "w:x $ring" "memory of jtrace"
for n in b c d; do
	expect "four watchpoints: $n" "$(define "w:$n jtrace_chain_watched")" ""
done
refused "a fifth" "w:e jtrace_chain_watched" "four watchpoints"
expect "a refused one leaves nothing" "$(grep -c '^w:' "$PROBES")" 4
define "-:d"
expect "one is free again" "$(define "w:e jtrace_chain_watched")" ""
: >"$PROBES"
unload jtrace_probe
expect "no state is left" "$(grep -c jtrace/watch /sys/devices/system/cpu/hotplug/states)" 0

finish
