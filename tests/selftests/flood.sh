#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# flood - a probe of all functions while the machine works, armed again whenever it is disarmed
#
# SECONDS_FLOOD: length (20).  Emulated, so many hits take more than a quarter of a CPU, and the
# probe disarms itself; each time, what it recorded is judged, and it is armed again.
#
# Needs a machine where code can be patched: not QEMU with several CPUs (see enabled.sh).

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

SECONDS_FLOOD=${SECONDS_FLOOD:-20}
TRACED=/sys/kernel/tracing/enabled_functions
have jtrace_probe || skip_all "no jtrace_probe.ko"
need_patching
start target_buffer_size=4M last_entry_storage=-1
load jtrace_probe
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null

# work: keep the machine busy: programs, pipes, files, timers, the network; print nothing
work() {
	ip link set lo up
	while :; do
		find /proc/1 /sys/module/jtrace -exec stat {} + 2>/dev/null | md5sum
		dd if=/dev/zero of="$TMP/file" bs=64k count=16 2>/dev/null && sync && rm -f "$TMP/file"
	done >"$TMP/worked" &
	workers=$!
	while :; do
		ping -c 1 127.0.0.1
		usleep 10000
	done >/dev/null 2>&1 &
	workers="$workers $!"
}

# field NAME: print it, of the probe's line
field() {
	probe_line all | sed "s/.*[# ]$1=\([a-z0-9]*\).*/\1/"
}

# is_over: is the probe disarmed, or armed for 5 s?
is_over() {
	[ "$(field mode)" = disarmed ] || [ "$(up)" -ge "$until" ]
}

# flood: arm it, wait, remove it; print what is wrong
flood() {
	before=$(lost)
	says=$(define 'f:all *')
	[ -z "$says" ] || { echo "armed: $says"; return; }
	until=$(($(up) + 5))
	while ! is_over; do
		usleep 100000
	done
	recording 0
	hits=$(field hits) recorded=$(field recorded) missed=$(field lost)
	[ "$(field mode)" != disarmed ] || disarmed=$((disarmed + 1))
	: >"$PROBES"
	[ "$hits" -ge 1000 ] || echo "hits: $hits"
	[ $((recorded + missed)) -eq "$hits" ] || echo "$hits hits, $recorded recorded, $missed lost"
	[ "$missed" -eq $(($(lost) - before)) ] || echo "lost: $missed, not $(($(lost) - before))"
	verify -c -1 >"$TMP/verify" 2>&1 || { echo "the trace:"; tail -n 5 "$TMP/verify"; }
	recording 1
	all_hits=$((all_hits + hits)) all_lost=$((all_lost + missed)) rounds=$((rounds + 1))
}

work
rounds=0 disarmed=0 all_hits=0 all_lost=0
end=$(($(up) + SECONDS_FLOOD))
: >"$TMP/wrong"
# At least twice, however slow the machine is.
while [ ! -s "$TMP/wrong" ] && { [ "$(up)" -lt "$end" ] || [ $rounds -lt 2 ]; }; do
	flood >"$TMP/wrong"
done
# shellcheck disable=SC2086 # a list
kill $workers
diag "$rounds times in $SECONDS_FLOOD s, disarmed $disarmed times: $all_hits hits, $all_lost lost"
! grep -q QEMU /proc/cpuinfo || at_least "it disarms itself" $disarmed 1
check "all functions, with $all_hits hits" diff "$TMP/wrong" /dev/null
expect "nothing is traced any more" "$(wc -l <$TRACED)" 0
at_least "the machine worked meanwhile" "$(wc -l <"$TMP/worked")" $rounds
check "jtrace_probe goes" unload jtrace_probe
finish
