#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# hotplug - a CPU that goes offline or comes back records an event
#
# short: yes

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

[ -n "$(removable_cpus)" ] || skip_all "no CPU can go offline"

STATES=/sys/devices/system/cpu/hotplug/states

# tells: print CPU and tag of what jtrace recorded of CPUs, in turn
tells() {
	trace | sed -n 's/^.*\[cpu \([0-9]*\)[] ].*(jtrace: cpu \([a-z]*\))$/\1 \2/p' | xargs
}

cpu=$(removable_cpus | tail -n 1)
for large in y n; do
	start use_large_entries=$large
	expect "large=$large: none at load" "$(tells)" ""
	cpu_online "$cpu" 0
	cpu_online "$cpu" 1
	cpu_online "$cpu" 0
	expect "large=$large: in turn" "$(tells)" "$cpu offline $cpu online $cpu offline"
	cpu_online "$cpu" 1
	check "large=$large: the trace is right" verify -e 4
	unload jtrace
	expect "large=$large: nothing is left" "$(grep -c jtrace "$STATES")" 0
	check "large=$large: CPUs go and come without jtrace" sh -c \
		"cd /sys/devices/system/cpu/cpu$cpu && echo 0 >online && echo 1 >online"
done

finish
