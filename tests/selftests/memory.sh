#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# memory - with little memory, or when each allocation fails once, jtrace reports that and
# goes on: it records and counts events, and leaves nothing behind
#
# log: oops
# sanitized: yes
# FAILING: the program, for kernels with fault injection.

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

FAILING=${FAILING:-$HERE/failing}
NO_MEMORY='[Oo]ut of memory|Cannot allocate memory'
log_mark

available() {
	sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo
}

# The kernel logs a call trace for a failed allocation, which is no fault.
log_check() {
	expect "nothing worse in the log" "$(log_since | grep -E \
		'WARNING:|BUG:|Oops|general protection|INFO: task|UBSAN|KASAN:')" ""
}

# ---- little memory ----

# fill KB: use memory until so much is left
fill() {
	mkdir -p "$TMP/fill" && mount -t tmpfs -o size=100% tmpfs "$TMP/fill" || return 1
	while [ "$(available)" -gt "$1" ]; do
		dd if=/dev/zero bs=1M count=4 2>/dev/null >>"$TMP/fill/a" || return 1
	done
}

least=24000
if [ "$(available)" -gt 1000000 ]; then
	skip "little memory: this machine has much"
else
	start target_buffer_size=16K
	check "memory filled up" fill $least
	diag "$(available) kB are left"
	hammering 100 burst=8 pause_us=200
	bad=0 dumps=0 refused=0 end=$(($(up) + ${SECONDS_MEMORY:-4}))
	while [ $dumps -eq 0 ] || [ "$(up)" -lt $end ]; do
		if cat "$JT/trace" >"$TMP/trace" 2>/dev/null; then
			"$VERIFY" -A "$TMP/trace" >"$TMP/out" 2>&1 ||
				{ bad=$((bad + 1)); cp "$TMP/out" "$TMP/bad"; }
			dumps=$((dumps + 1))
		else
			refused=$((refused + 1))
		fi
		rm -f "$TMP/trace"
		clear_trace
	done
	hammer_stop
	[ $bad -eq 0 ] || sed 's/^/#   /' "$TMP/bad"
	expect "little memory: all of $dumps dumps are right ($refused refused)" $bad 0
	at_least "little memory: dumps" $dumps 1
	sums "$(param jtrace_hammer events)" "little memory"
	unload_all
	refuse "little memory: more than there is is refused" "$NO_MEMORY" \
		load jtrace target_buffer_size=128M
	check "little memory: what there is room for is not" load jtrace target_buffer_size=64K
	unload_all
	umount "$TMP/fill"
fi

# ---- each allocation fails once ----

if [ ! -x "$FAILING" ] || [ ! -d /sys/kernel/debug/failslab ] ||
   [ ! -d /sys/kernel/debug/fail_page_alloc ]; then
	skip "each allocation fails once: not in this kernel"
	log_check
	finish
fi
for what in failslab fail_page_alloc; do
	echo N >/sys/kernel/debug/$what/ignore-gfp-wait
	echo 0 >/sys/kernel/debug/$what/verbose
done
echo 0 >/sys/kernel/debug/fail_page_alloc/min-order

# fails TEXT LEAST ARGUMENT...: run $FAILING, and require at least LEAST failures
fails() {
	fails_text=$1 fails_least=$2
	shift 2
	if "$FAILING" "$@" >"$TMP/failing" 2>&1; then
		ok "$fails_text: $(cat "$TMP/failing")"
		at_least "$fails_text: allocations that failed" \
			"$(sed 's/.* \([0-9]*\) failed$/\1/' "$TMP/failing")" "$fails_least"
	else
		not_ok "$fails_text: $(cat "$TMP/failing")"
	fi
}

# Many hundred loads and unloads otherwise wait most of their time for grace periods.
echo 1 >/sys/kernel/rcu_expedited
unload_all
# Attaching to its tracepoint needs memory, too.
load jtrace_optional
fails "load" 10 load "$(ko jtrace)" "last_entry_storage=-1"
expect "nothing of it is left" "$(ls -d "$JT" 2>/dev/null)" ""
start target_buffer_size=16K
hammer count=100
for file in trace trace_raw config stats; do
	fails "read $file" 1 read "$JT/$file"
done
check "the trace is right after that" verify -A
sums "$(param jtrace_hammer events)" "after that"
load jtrace_events
fails "turn on events with clauses" 3 write "$JT/events" "sched in=a on=b off=c stop=1"
echo '!all' >>"$JT/events"
lacks "nothing of them is left" '^# switch|^[a-z]' "$JT/events"
unload jtrace_events
fails "load a client that does not need jtrace" 10 load "$(ko jtrace_optional)" ""
echo 0 >/sys/kernel/rcu_expedited
log_check

finish
