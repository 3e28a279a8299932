#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# presets - ready-made probes for memory: who overwrites it, failed allocations, and reports of
# errors, each with the stack of the function that did it
#
# Needs a machine where code can be patched: not QEMU with several CPUs (see enabled.sh).
#
# shellcheck disable=SC2016 # $value is for jtrace

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

TOOL=${TOOL:-/jtrace/bin/jtrace}
FOLDER=${FOLDER:-/jtrace/probes}
have jtrace_probe || skip_all "no jtrace_probe.ko"
have jtrace_alloc || skip_all "no jtrace_alloc.ko"
have jtrace_chain || skip_all "no jtrace_chain.ko"
need_patching
"$TOOL" --version | grep -q ", with libbpf, " || skip_all "this jtrace has no libbpf"

# probe ARG...: print what it says
probe() {
	"$TOOL" probe "$@" 2>&1
}

# entries_with_stack NAME: print the values of each entry of this probe, and its stack without
# offsets, in a line
entries_with_stack() {
	"$TOOL" -d | awk -v name="$1" '
		/^\[/ {
			if (all)
				print all
			sub(/^[^]]*\][^]]*\] : /, "")
			sub(/ : \(.*/, "")
			all = $1 == name ? $0 " :" : ""
			next
		}
		/^ / { if (all) { sub(/\+0x.*/, "", $1); all = all " " $1 }; next }
		/^$/ { exit }
		END { if (all) print all }'
}

# records TEXT NAME PATTERN: does an entry of this probe match?
records() {
	entries_with_stack "$2" >"$TMP/entries"
	check "$1" grep -E "^$2 $3" "$TMP/entries" || sed 's/^/#   /' "$TMP/entries"
}

# ---- Without room for stacks ----

start
load jtrace_probe
for name in alloc-fail-stack error-report; do
	case $(probe --load "$FOLDER/$name.probe") in
	*"the buffer has no room for stacks: load jtrace with stacks=64K"*)
		ok "$name is refused without room for stacks, with advice" ;;
	*)	not_ok "$name is refused without room for stacks, with advice" ;;
	esac
done

start target_buffer_size=1M stacks=128K
load jtrace_probe

# ---- Memory that is overwritten ----

if [ "$(uname -m)" = x86_64 ]; then
	by_dostring='at=0x[0-9a-f]* <proc_dostring\+.*> : proc_dostring .* ksys_write '
	by_chain='at=.* <jtrace_chain_low\+.* \[jtrace_chain\]> : jtrace_chain_low '
	expect "overwritten.probe is defined" "$(probe --load "$FOLDER/overwritten.probe")" ""
	check "and armed" grep -q '^w:overwritten modprobe_path:8 .* mode=watchpoint$' "$PROBES"
	was=$(cat /proc/sys/kernel/modprobe)
	echo /tmp/evil >/proc/sys/kernel/modprobe
	echo "$was" >/proc/sys/kernel/modprobe
	# "/tmp/evi", byte by byte.
	records "a write by a system call: old and new value, and the stack" overwritten \
		"new=0x6976652f706d742f old=0x6f76652f706d742f $by_dostring"
	: >"$PROBES"
	load jtrace_chain
	sed 's/ modprobe_path:8 / jtrace_chain:jtrace_chain_watched+8:8 /' \
		"$FOLDER/overwritten.probe" >"$TMP/mine.probe"
	expect "a copy with another variable" "$(probe --load "$TMP/mine.probe")" ""
	clear_trace
	echo softirq >/sys/module/jtrace_chain/parameters/call
	records "names the module that writes to it, and its callers" overwritten \
		"new=0x2 old=0x1 $by_chain"
	: >"$PROBES"
	# Allocated memory has no name: a probe of the function that gets it tells the address.
	expect "a probe tells an address" "$(probe 'p:at jtrace_alloc:jtrace_alloc_hold $arg1')" ""
	load jtrace_alloc
	address=$("$TOOL" -d | sed -n 's/.* : at arg1=\(0x[0-9a-f]*\) .*/\1/p')
	expect "it is watched" "$(probe "w:held $address:8 new=\$value at=%ip:symbol stack")" ""
	echo 42 >/sys/module/jtrace_alloc/parameters/held
	records "a write to memory that was allocated" held \
		'new=0x2a at=.* <.* \[jtrace_alloc\]> : jtrace_alloc_write '
	: >"$PROBES"
else
	case $(probe --load "$FOLDER/overwritten.probe") in
	*"x86-64"*) ok "overwritten.probe is refused on this processor" ;;
	*)	not_ok "overwritten.probe is refused on this processor" ;;
	esac
	load jtrace_alloc
fi

# ---- Allocations that fail ----

clear_trace
expect "alloc-fail-stack.probe is defined" "$(probe --load "$FOLDER/alloc-fail-stack.probe")" ""
expect "alloc-fail.probe is, too" "$(probe --load "$FOLDER/alloc-fail.probe")" ""
for what in pages kmalloc object; do
	echo $what >/sys/module/jtrace_alloc/parameters/fail
done
records "pages: the order, and who asked" no_pages_stack \
	'order=9 .*: .* jtrace_alloc_pages fail_set '
records "kmalloc: its caller, the size, and the stack" no_kmalloc_stack \
	'caller=.* <jtrace_alloc_kmalloc\+.*> bytes=2097152 .* jtrace_alloc_kmalloc fail_set '
records "an object: its cache, and the stack" no_object_stack \
	'caller=.* cache="jtrace_alloc" .* jtrace_alloc_object fail_set '
for name in no_pages no_kmalloc no_object; do
	at_least "$name has the same failures" "$(entries_with_stack $name | wc -l)" 1
done
: >"$PROBES"

# ---- Reports of errors ----

clear_trace
expect "error-report.probe is defined" "$(probe --load "$FOLDER/error-report.probe")" ""
check "and armed" grep -q '^t:error_report error_report_end .* mode=tracepoint$' "$PROBES"
echo 0xffff888000001234 >/sys/module/jtrace_alloc/parameters/report
records "the detector, the address, and the stack of the function at fault" error_report \
	'detector=0 address=0xffff888000001234 : jtrace_alloc_report report_set '
: >"$PROBES"

finish
