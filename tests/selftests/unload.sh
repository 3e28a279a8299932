#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# unload - modules are loaded and unloaded: strings stay, memory use does not grow

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

start
load jtrace_client id=0xbeef
unload jtrace_client
check "hello of an unloaded module" sh -c \
	"grep -q ' : 0000beef .*jtrace_client\.c:jtrace_client_init:[0-9]* (client: hello (id))\$' $JT/trace"
check "bye of an unloaded module" sh -c \
	"grep -q ' : 0000beef .*jtrace_client\.c:jtrace_client_exit:[0-9]* (client: bye (id))\$' $JT/trace"
lacks "jtrace is not held by it" '^jtrace_client ' /proc/modules

sites=$(stat sites)
for i in $(seq 50); do
	if ! load jtrace_client id="$i" || ! unload jtrace_client; then
		not_ok "load $i of a client"
	fi
done
expect "50 loads of a client: no more sites" "$(stat sites) $(stat sites_unstored)" "$sites 0"
expect "50 loads of a client: all events" "$(stat recorded)" 102
check "50 loads of a client: the trace is right" verify
expect "50 loads of a client: the last one" \
	"$(trace | entries | tail -n 1 | sed 's/.*\] : \([0-9a-f]*\) .*/\1/')" 00000032

# ours: print the areas of /proc/vmallocinfo that jtrace allocated.  Their addresses have no
# names after it is unloaded.
ours() {
	grep -cE '^0x[^ ]+ +[0-9]+ (0x[0-9a-f]+|.*\[jtrace\]) ' /proc/vmallocinfo
}
available() {
	sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo
}

# Load and use jtrace 50 times.  A leak would be 128 KiB or more each time.
cycle() {
	load jtrace target_buffer_size=128K last_entry_storage=-1 &&
		load jtrace_client && verify -e 1 >/dev/null && clear_trace &&
		unload jtrace_client && unload jtrace
}

unload_all
for _ in $(seq 5); do
	cycle
done
vmalloc=$(ours)
# The kernel uses and frees memory of its own meanwhile, but a leak costs as much in each round.
bad=0 round=0
until [ $round -eq 3 ]; do
	round=$((round + 1))
	memory=$(available)
	for _ in $(seq 50); do
		cycle || bad=$((bad + 1))
	done
	grown=$((memory - $(available)))
	diag "round $round, 50 loads of jtrace: available memory fell by $grown kB"
	[ $grown -gt $((50 * 64)) ] || break
done
expect "50 loads of jtrace" $bad 0
expect "50 loads of jtrace: no vmalloc area is left" "$(ours)" "$vmalloc"
at_least "50 loads of jtrace: less than half of one buffer each is lost" $((50 * 64 - grown)) 0

# Right after events on all CPUs.
bad=0
for _ in $(seq 10); do
	load jtrace && hammering 100 && unload jtrace_hammer && unload jtrace ||
		bad=$((bad + 1))
done
expect "unloaded right after the last event" $bad 0

finish
