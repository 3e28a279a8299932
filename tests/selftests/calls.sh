#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# calls - a million calls of a function by all CPUs at once: each is recorded by a probe of
# functions, with its argument
#
# QEMU may miss that one CPU patches code that another one runs, so only one CPU is online while
# probes are defined and removed.
#
# CALLS: in all (1000000).
#
# shellcheck disable=SC2016 # $arg1 is for jtrace

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

have jtrace_probe || skip_all "no jtrace_probe.ko"
have jtrace_source || skip_all "no jtrace_source.ko"

# others 0|1: all CPUs but the first one
others() {
	for o_cpu in /sys/devices/system/cpu/cpu[1-9]*/online; do
		[ ! -f "$o_cpu" ] || echo "$1" >"$o_cpu"
	done
}

trap 'others 1; rm -rf "$TMP"' EXIT

# count NAME: print what a probe has counted
count() {
	probe_line "$1" | sed 's/.*# \(hits=.*\) mode=.*/\1/'
}

# fire TIMES CALLS: all CPUs call so often, in interrupts; with pauses, or the hits would take more
# than a quarter of a CPU
fire() {
	others 1
	for _ in $(seq "$1"); do
		echo "$2" >/sys/module/jtrace_source/parameters/fire_each
		sleep 1
	done
	others 0
}

none="filtered=0 passed=0 limited=0 lost=0 faults=0 missed=0"
others 0
# Not for all of them.
start target_buffer_size=16M
load jtrace_probe
load jtrace_source
each=$((${CALLS:-1000000} / CPUS / 20))
all=$((20 * each * CPUS))
define 'f:lean jtrace_source:jtrace_source_call'
fire 20 $each
expect "each call of $CPUS CPUs" "$(count lean)" "hits=$all recorded=$all $none"
expect "is in the trace, or was overwritten" \
	"$(($(shown) + $(stat overwritten) + $(stat unfinished)))" "$(stat recorded)"
: >"$PROBES"

clear_trace
define 'f:full jtrace_source:jtrace_source_call n=$arg1:u32'
fire 1 $each
all=$((each * CPUS))
expect "with an argument" "$(count full)" "hits=$all recorded=$all $none"
trace | sed -n 's/^\[[^]]*\]\[[^]]*\] : \([0-9a-f]*\) .* (full (.*/\1/p' | sort | uniq -c >"$TMP/values"
expect "each value, by each CPU" "$(wc -l <"$TMP/values") $(awk '{ print $1 }' "$TMP/values" | sort -u)" \
	"$each $CPUS"
others 1

finish
