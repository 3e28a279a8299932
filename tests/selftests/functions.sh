#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# functions - probes of functions: which functions, their callers and arguments, clauses, modules
# that go and come, other users of ftrace, all functions of the kernel, what is refused
#
# Needs a machine where code can be patched: not QEMU with several CPUs (see enabled.sh).
# calls.sh has several CPUs.
#
# shellcheck disable=SC2016 # $arg1 is for jtrace

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

TOOL=${TOOL:-/jtrace/bin/jtrace}
CALL=/sys/module/jtrace_chain/parameters/call
TRACING=/sys/kernel/tracing
have jtrace_probe || skip_all "no jtrace_probe.ko"
have jtrace_chain || skip_all "no jtrace_chain.ko"
need_patching
start target_buffer_size=2M stacks=128K last_entry_storage=-1
load jtrace_probe

# calls NAME: print FUNCTION<CALLER of each entry of a probe, in turn
calls() {
	"$TOOL" -d | awk -v name="$1" '
		function symbol(field) {
			if (!match($0, field "=0x[0-9a-f]* <[^>+]*"))
				return "?"
			text = substr($0, RSTART, RLENGTH)
			sub(/.*</, "", text)
			sub(/^jtrace_chain_/, "", text)
			return text
		}
		/^$/ { exit }
		/^\[/ && index($0, " : " name " function=") { print symbol("function") "<" symbol("caller") }'
}

# mode NAME: print how hits come
mode() {
	probe_line "$1" | sed 's/.* mode=//'
}

# hits NAME: print its counts of hits and of recorded ones
hits() {
	probe_line "$1" | sed 's/.* hits=\([0-9]*\) recorded=\([0-9]*\) .*/\1 \2/'
}

# ---- Which functions --------------------------------------------------

expect "those of a module that is to come" "$(define "f:links jtrace_chain:jtrace_chain_*")" ""
expect "it waits" "$(mode links)" waiting
load jtrace_chain
# A function of the init has no name, because the init is freed.
expect "it is armed before the init of its module" "$(calls links | xargs)" "?<do_one_initcall write<?"
expect "and says how hits come" "$(mode links)" ftrace
expect "a definition is read as it was written" "$(probe_line links | sed 's/ #.*//')" \
	"f:links jtrace_chain:jtrace_chain_*"
clear_trace
echo task >$CALL
expect "each function, and its caller" "$(calls links | sort | xargs)" \
	"done<call_set last<low low<mid mid<top top<call_set"
clear_trace
contexts="softirq hardirq" want="5 hardirq 5 softirq"
[ "$(uname -m)" != x86_64 ] || contexts="softirq hardirq nmi" want="5 hardirq 4 nmi 5 softirq"
for context in $contexts; do
	echo "$context" >$CALL
done
expect "in interrupts" "$("$TOOL" --json -d | tr '{' '\n' | sed -n '/"links/s/.*"context":"\([^"]*\)".*/\1/p' |
	sort | uniq -c | xargs)" "$want"
expect "one site" "$(trace | entries | grep '(links (' | sed 's/.* : //' | sort -u)" \
	"function:jtrace_chain_*[jtrace_chain]:0 (links (function:symbol, caller:symbol))"

# ---- Values and clauses -----------------------------------------------

: >"$PROBES"
clear_trace
define 'f:low jtrace_chain_l* n=$arg1:u32 stack'
echo softirq >$CALL
"$TOOL" -d >"$TMP/text"
expect "an argument" "$(sed -n 's/.* : low .* n=\([0-9]*\).*/\1/p' "$TMP/text" | xargs)" "2 2"
expect "a stack" "$(grep -A 20 ' : low ' "$TMP/text" | awk '/^ / { sub(/\+0x.*/, "", $1); print $1 }' | head -n 3 | xargs)" \
	"jtrace_chain_mid jtrace_chain_top chain_softirq"
: >"$PROBES"
clear_trace
define 'f:some jtrace_chain:jtrace_chain_[tml]* if $arg1 ge 2 every=2'
for context in task softirq hardirq; do
	echo $context >$CALL
done
expect "conditions and clauses" "$(probe_line some | sed 's/.*# //' | cut -d ' ' -f 1-4)" \
	"hits=12 recorded=4 filtered=4 passed=4"
: >"$PROBES"

# ---- Modules that go --------------------------------------------------

define 'f:kept jtrace_chain:jtrace_chain_mid'
define 'f:any jtrace_chain_mi?'
unload jtrace_chain
expect "it goes with its module" "$(mode kept)" waiting
expect "one that names no module has its functions there" "$(mode any)" ftrace
load jtrace_chain
echo task >$CALL
expect "and both are armed again" "$(hits kept) $(hits any)" "1 1 1 1"
define 'f:whole jtrace_chain:*'
for _ in 1 2 3; do
	unload jtrace_chain
	expect "nothing of it is left" "$(mode whole)" waiting
	load jtrace_chain
	echo task >$CALL
done
expect "each time" "$(hits kept) $(hits any)" "4 4 4 4"
expect "nothing of another module" "$("$TOOL" -d | grep ' : whole ' | grep -c 'function=[^>]*<[^>]*\[jtrace_[^c]')" 0
log_mark
define 'f:none jtrace_alloc:no_such*'
load jtrace_alloc
log_since >"$TMP/log"
check "a module that comes without such a function is told" grep -q \
	'probe none is not armed in module jtrace_alloc: no function that can be traced' \
	"$TMP/log"
unload jtrace_alloc
: >"$PROBES"

# ---- Others in the same place -----------------------------------------

define 'f:mid jtrace_chain:jtrace_chain_mid n=$arg1:u32'
define 'f:lean jtrace_chain:jtrace_chain_mid'
define 'p:entry jtrace_chain_mid n=$arg1:u32'
define 'r:exit jtrace_chain_mid $retval:u32'
echo task >$CALL
expect "probes of an instruction and of a return" "$(hits mid) $(hits lean) $(hits entry) $(hits exit)" \
	"1 1 1 1 1 1 1 1"
mount -t tracefs tracefs $TRACING 2>/dev/null
if [ -e $TRACING/set_ftrace_filter ] && grep -qw function $TRACING/available_tracers; then
	echo jtrace_chain_mid >$TRACING/set_ftrace_filter
	echo function >$TRACING/current_tracer
	echo task >$CALL
	expect "the kernel's function tracer" "$(hits mid) $(hits lean)" "2 2 2 2"
	grep -v '^#' $TRACING/trace >"$TMP/lines"
	expect "has its own entry" "$(grep -c 'jtrace_chain_mid <-' "$TMP/lines")" 1 ||
		sed 's/^/#   /' "$TMP/lines"
	echo nop >$TRACING/current_tracer
	: >$TRACING/set_ftrace_filter
	echo task >$CALL
	expect "and goes" "$(hits mid) $(hits lean)" "3 3 3 3"
else
	skip "the kernel's function tracer: not in this kernel"
fi
if have jtrace_patch; then
	before=$(hits mid)
	load jtrace_patch
	wait_for grep -qx 0 /sys/kernel/livepatch/jtrace_patch/transition
	log_mark
	echo task >$CALL
	log_since >"$TMP/log"
	check "a live patch" grep 'patched, n = 1' "$TMP/log"
	expect "is not in the way" "$(hits mid)" "$((${before% *} + 1)) $((${before% *} + 1))"
	echo 0 >/sys/kernel/livepatch/jtrace_patch/enabled
	wait_for test ! -e /sys/kernel/livepatch/jtrace_patch
	unload jtrace_patch
else
	skip "a live patch: not in this kernel"
fi
before=$(hits mid)
echo 0 >/proc/sys/kernel/ftrace_enabled 2>/dev/null
if grep -qx 0 /proc/sys/kernel/ftrace_enabled; then
	# On other processors, it does not look.
	[ "$(uname -m)" != x86_64 ] || expect "it says that the kernel has turned off ftrace" "$(mode mid)" off
	echo 1 >/proc/sys/kernel/ftrace_enabled
fi
echo task >$CALL
expect "and it is on again" "$(mode mid) $(hits mid)" \
	"ftrace $((${before% *} + 1)) $((${before% *} + 1))"
: >"$PROBES"

# ---- All functions ----------------------------------------------------

# While they are armed nothing records: emulated, they take more than a quarter of the CPU.
start target_buffer_size=4M last_entry_storage=-1
load jtrace_probe
recording 0
expect "all functions" "$(define 'f:all *')" ""
load jtrace_chain
recording 1
echo irqs_off >/sys/module/jtrace_chain/parameters/touch
recording 0
probe_line all | sed 's/^/# /'
at_least "are hit" "$(hits all | cut -d ' ' -f 1)" 100
expect "what is lost is counted" "$(probe_line all | sed 's/.* lost=\([0-9]*\) .*/\1/')" "$(lost)"
check "the trace is right" verify -c -1
check "with those of a module that comes" sh -c "'$TOOL' -d | grep -q 'function=0x[0-9a-f]* <jtrace_chain_write'"
recording 1
: >"$PROBES"
expect "nothing is traced any more" "$(cat $TRACING/enabled_functions 2>/dev/null | wc -l)" 0

# ---- Refused ----------------------------------------------------------

# refused TEXT DEFINITION REASON
refused() {
	case $(define "$2") in
	*"$3"*) ok "refused: $1" ;;
	*)	not_ok "refused: $1"
		diag "  got '$(define "$2")', expected '$3'" ;;
	esac
}

refused "no such function" "f:x no_such_function*" "no function that can be traced has such a name"
refused "not in this module" "f:x jtrace_chain:no_such*" "in this module"
refused "a module that is none" "f:x kernel:vfs_*" "part of the kernel"
refused "of jtrace" "f:x jtrace_record" "no function that can be traced"
refused "what a hit calls" "f:x read_hpet" "a hit itself calls this function"
expect "a refused one leaves nothing" "$(grep -c '^f:' "$PROBES")" 0

finish
