#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# inner - a probe that records, on a function that jtrace itself calls, neither hangs nor
# recurses: events that are not recorded are dropped, and counted
#
# short: yes

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

# round CLOCK SYMBOL
round() {
	start clock="$1" target_buffer_size=4096
	if ! load jtrace_inner symbol="$2" 2>"$TMP/err"; then
		# The error of register_kprobe() for a function that may not be probed.
		check "$1, $2: may not be probed" grep -E "$INVALID" "$TMP/err" &&
			skip "$1, $2: cannot be probed here"
		return
	fi
	at_least "$1, $2: probe hit" "$(param jtrace_inner events)" 201
	diag "$1, $2: $(tr '\n' ' ' <"$JT/stats")"
	sums "$(param jtrace_inner events)" "$1, $2"
	unload jtrace_inner
}

# Its name before Linux 6.15, and since then.
crc=__crc32c_le
grep -q " $crc\$" /proc/kallsyms || crc=crc32c

for clock in fast ticks; do
	round $clock ktime_get_mono_fast_ns
	round $clock $crc
done

finish
