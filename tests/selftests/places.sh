#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# places - probes on all functions that a hit calls, and on all of jtrace's own: each is refused,
# or armed and harmless
#
# log: took more than 25 % of a CPU
#
# $MODULES/jtrace.calls, jtrace_probe.calls: names of the functions that these modules call.  Needs
# a machine where code can be patched while other CPUs run: not QEMU with several (see enabled.sh).

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

have jtrace_probe || skip_all "no jtrace_probe.ko"
need_patching

# own: functions of the modules.  Of the names that several functions have, the kernel takes one:
# MODULE:NAME is of that module.
own() {
	for module in jtrace jtrace_events jtrace_probe; do
		sed -n "s/^[0-9a-f]* [tT] \([A-Za-z0-9_.]*\)[[:space:]]\[$module\]\$/$module:\1/p" \
			/proc/kallsyms
	done | sort -u
}

# calls: functions that the modules call, and the clocks below them
calls() {
	cat "$MODULES/jtrace.calls" "$MODULES/jtrace_probe.calls" 2>/dev/null | grep -v '^jtrace_'
	echo ktime_get_mono_fast_ns ktime_get_boot_fast_ns copy_from_kernel_nofault
	echo read_hpet acpi_pm_read kvm_clock_get_cycles jiffies_read
	# What a load that faults runs.
	echo exc_page_fault fixup_exception search_exception_tables do_mem_abort
}

# Every called function may be a breakpoint now, so slow does not mean stuck.
echo 60 >/proc/sys/kernel/watchdog_thresh 2>/dev/null
echo 300 >/sys/module/rcupdate/parameters/rcu_cpu_stall_timeout

# The clock is a function, which each record calls.
start clock=fast target_buffer_size=16K
! have jtrace_events || load jtrace_events
load jtrace_probe

# ---- jtrace's own ----

own >"$TMP/own"
at_least "functions of jtrace" "$(wc -l <"$TMP/own")" 300
while read -r place; do
	case $(define "p $place") in
	*": jtrace does not probe itself"|*": kprobes refuse this address: "*|\
	*": this is a static call, not a function: "*) ;;
	*)	echo "p $place" ;;
	esac
done <"$TMP/own" >"$TMP/taken"
check "each is refused" diff /dev/null "$TMP/taken"
expect "and leaves nothing behind" "$(grep -v '^# refused' "$PROBES")" ""

# ---- What a hit calls ----

# A tracepoint and two functions: their hits call what is probed.
define "t:hits kfree load=@0xffff800000000000 text=@0xffff800000000000:string if \$arg2 eq 0"
define "p:enters kfree at=\$arg1"
define "r:returns kfree \$retval if \$retval:u32 eq 0 rate=100"
n=0
for place in $(calls | tr ' ' '\n' | sort -u); do
	for type in p r; do
		n=$((n + 1))
		says=$(define "$type:$type$n $place load=@0xffff800000000000 every=7")
		case $says in
		'')	;;
		*": there is no such function"|*": kprobes refuse this address: "*|\
		*": kprobes cannot take this instruction"|*": this is a static call, not a function: "*|\
		*" runs through this thunk")
			echo "$place" >>"$TMP/refused" ;;
		*)	diag "$says"
			echo "$place" >>"$TMP/wrong" ;;
		esac
	done
done
: >>"$TMP/wrong"
diag "refused: $(sort -u "$TMP/refused" | tr '\n' ' ')"
check "each is armed, or refused with a reason" diff /dev/null "$TMP/wrong"
at_least "armed" "$(grep -c ' mode=[jfb]' "$PROBES")" 100
# Not in NMIs: see shaken.sh.
hammer count=300 contexts=7 burst=4 pause_us=500 irq_us=2000 frees=y
load jtrace_client && unload jtrace_client
check "all entries are true" verify
cat "$PROBES" >"$TMP/probes"
for name in hits enters returns; do
	at_least "$name: hits and misses" "$(sed -n "/^[prt]:$name /{s/.* hits=\([0-9]*\) .* missed=\([0-9]*\) .*/\1 \2/p}" \
		"$TMP/probes" | awk '{ print $1 + $2 }')" 300
done
at_least "functions that were hit" "$(grep -c ' # hits=[1-9]' "$TMP/probes")" 20
at_least "of them, hit within a hit" "$(grep -c ' missed=[1-9]' "$TMP/probes")" 3
: >"$PROBES"
expect "all are gone" "$(grep -v '^# refused' "$PROBES")" ""
check "and it records as ever" load jtrace_client

finish
