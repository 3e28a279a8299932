#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# decode - "jtrace -d" on a running kernel: a trace point in code, a kernel event and a probe by the
# names of their values, and symbols by /proc/kallsyms
#
# Needs a machine where code can be patched: not QEMU with several CPUs (see enabled.sh).
#
# shellcheck disable=SC2016 # $arg1 is for jtrace

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

TOOL=${TOOL:-/jtrace/bin/jtrace}
have jtrace_probe || skip_all "no jtrace_probe.ko"
have jtrace_source || skip_all "no jtrace_source.ko"
have jtrace_events || skip_all "no jtrace_events.ko"
need_patching
start target_buffer_size=1M
load jtrace_probe
load jtrace_source
load jtrace_events

# decoded ARG...: print the entries with -d
decoded() {
	"$TOOL" -d "$@" | entries
}

# values NAME ARG...: print what the lines with this name show between prefix and time
values() {
	values_name=$1
	shift
	decoded "$@" | sed -n "s/^[^]]*\\][^]]*\\] : \\($values_name .*\\) : ( *[0-9.]* uSec) : .*/\\1/p"
}

# address NAME [MODULE]: print the address of a symbol
address() {
	awk -v name="$1" -v module="${2:+[$2]}" \
		'$3 == name && $4 == module { print $1; exit }' /proc/kallsyms
}

# ---- A trace point in code ----

"$TOOL" stop
recorded=$(stat recorded)
expect "a trace point in code" "$(values 'jtrace: stop')" \
	"$(printf 'jtrace: stop recorded=0x%x lost=0x0' $((recorded - 1)))"
check "its place" sh -c '"$0" -d | grep "^\[.* uSec) : jtrace_control.c:record_counters:[0-9]*$"' "$TOOL"
"$TOOL" start

# ---- An event of the kernel ----

echo sched_process_exit >"$JT/events"
pid=$(sh -c 'printf "a\"name" >/proc/self/comm; echo $$')
: >"$JT/events"
expect "an event of the kernel" "$(values sched_process_exit | grep "pid=$pid " | grep -o 'comm=.*')" \
	'comm="a\"name"'
check "its place" sh -c '"$0" -d | grep "^\[.*sched_process_exit .* uSec) : event:sched_process_exit$"' \
	"$TOOL"

# ---- A probe ----

in_kernel=$(printf 0x%x $((0x$(address ip_rcv) + 0x10)))
in_module=$(printf 0x%x $((0x$(address jtrace_source_call jtrace_source) + 1)))
echo "p:sym jtrace_source_call n=\$arg1:u32 at=\\$in_kernel:symbol mod=\\$in_module:x64" >"$JT/probes"
echo 2 >/sys/module/jtrace_source/parameters/fire
expect "a probe, with symbols of the kernel and of a module" "$(values sym)" \
"sym n=0 at=$in_kernel <ip_rcv+0x10> mod=$in_module <jtrace_source_call+0x1 [jtrace_source]>
sym n=1 at=$in_kernel <ip_rcv+0x10> mod=$in_module <jtrace_source_call+0x1 [jtrace_source]>"
expect "the same in JSON" "$("$TOOL" -d --json | grep -o '"args":{"n":1,.*}' )" \
"\"args\":{\"n\":1,\"at\":\"$in_kernel\",\"mod\":\"$in_module\"},\"symbols\":{\"at\":\"ip_rcv+0x10\",\"mod\":\"jtrace_source_call+0x1 [jtrace_source]\"}}"
cat "$JT/trace_raw" >"$TMP/saved"
expect "a saved trace of this boot has the same symbols" "$(values sym "$TMP/saved" | grep -c 'ip_rcv+0x10.*_call+0x1 ')" 2

# Data of the kernel, where it lists that.
: >"$JT/probes"
data=$(sed -n 's/^\([0-9a-f]*\) [dDbB] init_task$/0x\1/p' /proc/kallsyms)
if [ -n "$data" ]; then
	echo "p:data jtrace_source_call at=\\$data:symbol inner=\\$(printf 0x%x $((data + 9))):x64" \
		>"$JT/probes"
	echo 1 >/sys/module/jtrace_source/parameters/fire
	expect "data" "$(values data)" \
		"data at=$data <init_task> inner=$(printf 0x%x $((data + 9))) <init_task+0x9>"
	: >"$JT/probes"
fi

# ---- Without symbols ----

restrict=$(cat /proc/sys/kernel/kptr_restrict)
echo 2 >/proc/sys/kernel/kptr_restrict
expect "no symbol where the kernel hides addresses" "$(values sym | tail -n 1)" \
	"sym n=1 at=$in_kernel mod=$in_module"
echo "$restrict" >/proc/sys/kernel/kptr_restrict
unload jtrace_source
expect "no symbol of a module that is gone" "$(values sym | tail -n 1)" \
	"sym n=1 at=$in_kernel <ip_rcv+0x10> mod=$in_module"
if "$TOOL" --version | grep -q 'with libelf'; then
	expect "but by its file" "$(values sym --modules "$MODULES" | tail -n 1)" \
		"sym n=1 at=$in_kernel <ip_rcv+0x10> mod=$in_module <jtrace_source_call+0x1 [jtrace_source]>"
fi

finish
