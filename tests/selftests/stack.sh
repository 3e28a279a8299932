#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# stack - stacks of events: a known chain of calls in each context, by a trace point, probes at each
# instruction of a function, return probes, tracepoints and events; each frame as /proc/kallsyms
# has it; how many there are
#
# Needs a machine where code can be patched: not QEMU with several CPUs (see enabled.sh).
#
# shellcheck disable=SC2016 # $arg1 is for jtrace

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

TOOL=${TOOL:-/jtrace/bin/jtrace}
CALL=/sys/module/jtrace_chain/parameters/call
have jtrace_probe || skip_all "no jtrace_probe.ko"
have jtrace_events || skip_all "no jtrace_events.ko"
have jtrace_chain || skip_all "no jtrace_chain.ko"
need_patching
start target_buffer_size=1M stacks=128K
load jtrace_probe
load jtrace_events
load jtrace_chain

# define LINE: add a probe; print why it is refused
define() {
	echo "$1" 2>/dev/null >>"$PROBES" || tail -n 1 "$PROBES"
}

# stacks: print the name of each entry and its frames, without offsets
stacks() {
	"$TOOL" -d | awk '
		/^\[/ {
			if (all)
				print all
			sub(/^[^]]*\][^]]*\] : /, "")
			# Entries without values have the name at the end.
			name = /\([a-z_0-9]*\)$/ ? substr($NF, 2, length($NF) - 2) : $1
			sub(/,$/, "", name)
			all = name
			next
		}
		/^ / { sub(/\+0x.*/, "", $1); all = all " " $1; next }
		/^$/ { exit }
		END { if (all) print all }'
}

# stack NAME: print the frames of its newest entry in $TMP/stacks
stack() {
	sed -n "s/^$1 //p" "$TMP/stacks" | tail -n 1
}

# begins TEXT GOT WANT: does the list begin with these words?
begins() {
	case $2 in
	"$3"*)	ok "$1" ;;
	*)	not_ok "$1"
		diag "  got '$2', expected '$3 ...'" ;;
	esac
}

chain="jtrace_chain_low jtrace_chain_mid jtrace_chain_top"
above="jtrace_chain_mid jtrace_chain_top"

# ---- Each context ----

contexts="task softirq hardirq nmi"
[ "$(uname -m)" = x86_64 ] || contexts="task softirq hardirq"
define "p:low jtrace_chain_low stack n=\$arg1:u32" >/dev/null
: >"$PROBES"
for context in $contexts; do
	clear_trace
	define "p:low jtrace_chain_low n=\$arg1:u32 stack"
	define "r:mid jtrace_chain_mid stack"
	define "r:low_end jtrace_chain_low stack"
	define "t:tp jtrace_chain n=\$arg1:u32 stack"
	define "t:twice jtrace_chain stack=5"
	echo "$context" >$CALL
	"$TOOL" --json -d >"$TMP/json.$context"
	stacks >"$TMP/stacks"
	begins "$context: a trace point" "$(stack chain)" "$chain "
	begins "$context: a trace point at the end of a function" "$(stack last)" \
		"jtrace_chain_last $chain "
	begins "$context: a probe of a function" "$(stack low)" "$above "
	expect "$context: a tracepoint, as the trace point beside it" "$(stack tp)" "$(stack chain)"
	begins "$context: another probe of it" "$(stack twice)" "$chain "
	begins "$context: a return" "$(stack mid)" "jtrace_chain_top "
	[ "$context $(uname -m)" != "task x86_64" ] || expect "down to user space" \
		"$(stack chain | grep -o 'vfs_write.*')" \
		"vfs_write ksys_write do_syscall_64 entry_SYSCALL_64_after_hwframe"
	begins "$context: a return, under another probe of a return" "$(stack low_end)" "$above "
	: >"$PROBES"
done
stacks >"$TMP/stacks"

# ---- Each frame as the kernel has it ----

# Frames and symbols in the order of their addresses.  A frame is looked for one byte before, as by
# the kernel; of several names of an address, the kernel takes the first one.
cat "$TMP"/json.* | tr '{' '\n' |
	sed -n 's/^"address":"0x\([0-9a-f]*\)","symbol":"\([^"]*\)".*/\1 \2/p' | sort -u >"$TMP/frames"
at_least "frames to look at" "$(wc -l <"$TMP/frames")" 20
while read -r address symbol; do
	printf '%016x 1 %s %s\n' $((0x$address - 1)) "$address" "$symbol"
done <"$TMP/frames" >"$TMP/mixed"
awk '{ printf("%s 0 %s %s\n", $1, $3, $4) }' /proc/kallsyms >>"$TMP/mixed"
sort -s -k 1,2 "$TMP/mixed" | awk '
	$2 == 1 { frame[nr++] = $0; next }
	$1 != start {
		for (i = 0; i < nr; i++) {
			split(frame[i], f, " ")
			printf("%s %s %s %s %s%s\n", f[3], start, $1, name, f[4],
			       f[5] ? "_" f[5] : "")
		}
		nr = 0
		start = $1
		name = $3 ($4 ? "_" $4 : "")
	}' >"$TMP/known"
expect "all were found" "$(wc -l <"$TMP/known")" "$(wc -l <"$TMP/frames")"
while read -r address start next name symbol; do
	want=${name%%_\[*}$(printf '+0x%x/0x%x' $((0x$address - 0x$start)) $((0x$next - 0x$start)))
	case $name in
	*_\[*)	want=${want}_[${name##*_\[} ;;
	esac
	[ "$symbol" = "$want" ] || echo "$address: $symbol, not $want"
done <"$TMP/known" >"$TMP/wrong"
expect "each is as /proc/kallsyms has it" "$(head -n 3 "$TMP/wrong")" ""

# ---- At each instruction of a function ----

clear_trace
offset=0 tried=0
while [ $offset -lt 64 ]; do
	[ -n "$(define "p:in_$offset jtrace_chain_low+$offset stack")" ] || tried=$((tried + 1))
	offset=$((offset + 1))
done
echo task >$CALL
stacks >"$TMP/stacks"
at_least "probes at instructions" $tried 8
at_least "most are hit" "$(grep -c '^in_' "$TMP/stacks")" 8
expect "each has the right stack" "$(grep '^in_' "$TMP/stacks" | grep -v "^in_[0-9]* $above ")" ""
: >"$PROBES"

# As a jump.
at=5
[ -z "$(define "p:jump jtrace_chain_low+5 stack")" ] || at=9
[ $at -eq 5 ] || define "p:jump jtrace_chain_low+9 stack"
if [ "$(uname -m)" = x86_64 ]; then
	check "a probe becomes a jump" wait_for sh -c "grep -q '^p:jump .*mode=jump' $PROBES"
	echo task >$CALL
	stacks >"$TMP/stacks"
	begins "and has the right stack" "$(stack jump)" "$above "
fi
: >"$PROBES"

# ---- Events of the kernel ----

clear_trace
echo "kmalloc if bytes_req eq 4242 stack" >"$JT/events"
echo task >$CALL
: >"$JT/events"
stacks >"$TMP/stacks"
expect "an event of the kernel: its function, then the chain" \
	"$(stack kmalloc | grep -o "jtrace_chain.*" | cut -d ' ' -f 1-3)" "$chain"
stack kmalloc | tr ' ' '\n' >"$TMP/frames_of_event"
lacks "nothing of jtrace is in it" "jtrace_event|record_|__traceiter|__jtrace" "$TMP/frames_of_event"

# ---- How many ----

expect "a definition is read as it was written" "$(define "p:a jtrace_chain_low stack=3")$(
	grep -o '^p:a .* #' "$PROBES")" "p:a jtrace_chain:jtrace_chain_low stack=3 #"
clear_trace
before=$(stat stacks)
for n in 1 2 3 4 5; do
	echo task >$CALL
done
: >"$PROBES"
stacks >"$TMP/stacks"
expect "three frames, and that there are more" "$(stack a | cut -d ' ' -f 1,2,4-)" "$above ..."
at_least "the same stack is stored once" $((before + 3)) "$(stat stacks)"
for n in 0 33 x; do
	case $(define "p:b jtrace_chain_low stack=$n") in
	*"N is 1 to 32"*|*number*) ok "stack=$n is refused" ;;
	*)	not_ok "stack=$n is refused" ;;
	esac
done

# The default buffer of up to two CPUs.
start stacks=64K
expect "stacks= enlarges the default buffer" "$(config "Allocated Buffer Size")" 98304
start stacks=64K use_large_entries=n
check "small entries have none, and the log says so" \
	sh -c "dmesg | grep 'jtrace: stacks=65536 is ignored: small entries have none'"

# Full.
start target_buffer_size=1M stacks=128
load jtrace_probe
load jtrace_chain
for context in $contexts; do
	echo "$context" >$CALL
done
at_least "the area is full: events without stacks are counted" "$(stat stacks_unstored)" 1
expect "and recorded" "$("$TOOL" -d | grep -c '\] : chain n=')" "$(echo "$contexts" | wc -w)"
check "config tells" grep '^Warning .*stacks=' "$JT/config"
start target_buffer_size=1M stacks=0
load jtrace_probe
load jtrace_chain
define "p:low jtrace_chain_low stack" >"$TMP/refused"
check "without an area, a stack is refused" grep "stacks=64K" "$TMP/refused"
echo task >$CALL
expect "and JTRACE_STACK() records without" "$("$TOOL" -d | grep -c '\] : chain n=')" 1

finish
