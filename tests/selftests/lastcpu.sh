#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# lastcpu - the last event of each CPU is kept, however old it is

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

[ "$CPUS" -ge 2 ] || skip_all "needs 2 CPUs"

# on CPU COMMAND...
on() {
	on_mask=$(printf '%x' $((1 << $1)))
	shift
	taskset "$on_mask" "$@"
}

# section: print the section on CPUs
section() {
	trace | sed -n '/^JTRACE: Last recorded per-CPU events\.$/,/^$/p' | grep '^\['
}

for large in y n; do
	small=n
	[ $large = y ] || small=y
	for size in 4096 32768; do
		what="large=$large size=$size"
		start last_entry_storage=-1 use_large_entries=$large target_buffer_size=$size
		on 1 insmod "$(ko jtrace_client)" id=0x11
		on 1 rmmod jtrace_client
		hammer cpus=1 count=$((25 * $(config Entries))) small=$small
		at_least "$what: the other CPU has lapped the ring" \
			$(($(stat overwritten) / $(config Entries))) 20
		expect "$what: two CPUs in the section" "$(section | wc -l)" 2
		check "$what: the last event of the CPU that stopped" sh -c "$(
			printf "sed -n '/per-CPU/,\$p' %s | grep -q '^.*\\[cpu 1[] ].* : 00000011.*(client: bye (id))\$'" "$JT/trace")"
		check "$what: both are right" verify -A -c -1 -a -H 1
	done
done

# Not only the last event, but all of the open chunk and the one before it.
for large in y n; do
	start use_large_entries=$large target_buffer_size=16384
	each=$(config Chunks | sed 's/.* \([0-9]*\) entries each/\1/')
	small=n
	[ $large = y ] || small=y
	hammer cpus=2 count=$((each + 1)) burst=1 contexts=1 small=$small
	hammer cpus=1 count=$((25 * $(config Entries))) small=$small
	at_least "large=$large: the ring was lapped" $(($(stat overwritten) / $(config Entries))) 20
	expect "large=$large: the last chunk and one event of a CPU that stopped" \
		"$(trace | grep -c '^\[[^]]*\]\[cpu 1[] ]')" $((each + 1))
done

start last_entry_storage=0
on 0 insmod "$(ko jtrace_client)"
expect "0: no section" "$(section | wc -l)" 0
check "0: the trace is right" verify -e 1

start last_entry_storage=1
on 1 insmod "$(ko jtrace_client)"
on 0 rmmod jtrace_client
expect "1: CPU 0 only" "$(section | sed 's/.*\[cpu \([0-9]*\).*/\1/')" 0
check "1: the trace is right" verify -c 1 -a -e 2

start last_entry_storage=1
on 1 insmod "$(ko jtrace_client)"
expect "1: no section if CPU 0 has no event" "$(section | wc -l)" 0
check "1: config warns of fewer than there are CPUs" sh -c \
	"grep -q '^Warning  *: Per-CPU last entry cnt is 1, but there are $CPUS CPUs\$' $JT/config"

start last_entry_storage=1000
on 1 insmod "$(ko jtrace_client)"
expect "1000: those there are" "$(section | wc -l)" 1
check "1000: the trace is right" verify -c -1 -a -e 1

# Clearing hides them, too.
start last_entry_storage=-1
on 1 insmod "$(ko jtrace_client)"
clear_trace
expect "cleared: nothing is left" "$(trace)" "JTRACE: no entries"
on 0 rmmod jtrace_client
expect "cleared: what came later" "$(section | sed 's/.*\[cpu \([0-9]*\).*/\1/')" 0

finish
