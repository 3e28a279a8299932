#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# anywhere - trace points in all functions of jtrace and all that they call (kprobes), and
# in all functions of the kernel (an ftrace callback that may nest):
# no call hangs or recurses, all events are counted, all entries shown are true
#
# $MODULES/jtrace.calls: names of the functions that jtrace.ko calls. Needs a machine
# where code can be patched while other CPUs run: not QEMU with several (see enabled.sh).

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

P=/sys/module/jtrace_anywhere/parameters
need_patching
seconds=${SECONDS_ANYWHERE:-3}

probe() {
	echo "$1" >$P/kprobe
}

# own: functions of jtrace.ko; calls: functions that it calls, and the clocks below them.
# The trampoline of a static call is no function: asked to probe it, 6.12 decodes the code that
# follows, up to the end of the page, and dies of reading beyond.
own() {
	sed -n 's/^[0-9a-f]* [tT] \([A-Za-z0-9_.]*\)[[:space:]]\[jtrace\]$/\1/p' /proc/kallsyms |
		grep -v '^__SCT__'
}
calls() {
	if [ -f "$MODULES/jtrace.calls" ]; then
		# Every probe handler returns through __x86_return_thunk.
		grep -v '^__x86_\|^__tsan_\|^__ubsan_\|^__kcsan_\|^kcsan_' "$MODULES/jtrace.calls"
	else
		echo ktime_get_mono_fast_ns ktime_get_boot_fast_ns __crc32c_le crc32c
		echo strrchr strnlen memcpy
	fi
	echo read_hpet acpi_pm_read kvm_clock_get_cycles jiffies_read
}

# probed N: have probes had so many events?
probed() {
	read -r kprobes ftraces deepest <$P/result
	[ $((kprobes + ftraces)) -ge "$1" ]
}

# loaded_up WHAT CONTEXTS: record from these contexts while the trace is read
loaded_up() {
	echo 1 >$P/armed
	load jtrace_hammer contexts="$2" seconds=0 burst=4 pause_us=500 irq_us=2000
	bad=0 dumps=0 end=$(($(up) + seconds))
	while [ $dumps -eq 0 ] || [ "$(up)" -lt $end ] || ! probed 1000; do
		verify >"$TMP/out" 2>&1 || { bad=$((bad + 1)); cp "$TMP/out" "$TMP/bad"; }
		dumps=$((dumps + 1))
		load jtrace_client && unload jtrace_client
		clients=$((clients + 2))
	done
	hammer_stop
	echo 0 >$P/armed
	[ $bad -eq 0 ] || sed 's/^/#   /' "$TMP/bad"
	at_least "$1: dumps" $dumps 1
	expect "$1: all of $dumps dumps are right" $bad 0
	read -r kprobes ftraces deepest <$P/result
	diag "$1: $kprobes events of kprobes, $ftraces of ftrace, $deepest deep;" \
		"hammer $(param jtrace_hammer passed); $(tr '\n' ' ' <"$JT/stats")"
	check "$1: right at the end" verify
	sums $((kprobes + ftraces + $(param jtrace_hammer passed) + clients)) "$1"
	unload jtrace_hammer
}

# begin CLOCK
begin() {
	start clock="$1" target_buffer_size=16K
	clients=0
	load jtrace_anywhere
}

# kprobes CLOCK, ftrace CLOCK
kprobes() {
	begin "$1" || { not_ok "load jtrace_anywhere"; return; }
	for symbol in jtrace_record record_any record_large record_small record_slowly \
			number_site claim_chunk; do
		refuse "$1: $symbol cannot be probed" 'Invalid argument' probe $symbol
	done
	for symbol in $(own) $(calls); do
		probe "$symbol" 2>/dev/null || echo "$symbol" >>"$TMP/refused"
	done
	diag "$1: cannot be probed: $(sort -u "$TMP/refused" | tr '\n' ' ')"
	at_least "$1: functions probed" "$(cat $P/kprobe)" 150
	# Not in NMI: a probe hit there, in the third level of probes, is fatal to kprobes.
	loaded_up "$1, kprobes" 7
	at_least "$1: events of kprobes" "$kprobes" 1000
	unload jtrace_anywhere
}

ftrace() {
	begin "$1" || { not_ok "load jtrace_anywhere"; return; }
	if ! echo 1 2>"$TMP/err" >$P/ftrace; then
		check "$1: ftrace is not in this kernel" grep 'not supported' "$TMP/err" &&
			skip "$1: ftrace: not in this kernel"
		return
	fi
	case $(uname -m) in
	x86_64)	loaded_up "$1, ftrace" 15 ;;
	*)	loaded_up "$1, ftrace" 7 ;;
	esac
	at_least "$1: events of the ftrace callback" "$ftraces" 1000
	at_least "$1: the callback was nested in itself" "$deepest" 2
	at_least "$1: but not without end" $((40 - deepest)) 0
	unload jtrace_anywhere
}

# Every called function is a breakpoint now, so slow does not mean stuck.
echo 60 >/proc/sys/kernel/watchdog_thresh 2>/dev/null
echo 300 >/sys/module/rcupdate/parameters/rcu_cpu_stall_timeout

# Each record calls the clock.  It can be traced if it is not the TSC.
kprobes fast
ftrace fast

finish
