#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# stale - a CPU that read oops_in_progress before an oops does not freeze the trace after it
#
# needs: oops
# log: oops
#
# Oopses on purpose: for a machine that can be thrown away, booted without
# oops=panic, with 2 CPUs. Run by name, or with WITH=oops.

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

[ "$(cat /proc/sys/kernel/panic_on_oops)" -eq 0 ] || skip_all "panic_on_oops is set"
have jtrace_stale || skip_all "no jtrace_stale.ko: watchpoints of x86"
[ "$CPUS" -ge 2 ] || skip_all "one CPU"

STALE=/sys/module/jtrace_stale/parameters

# thaws: are new chunks claimed after a while?
thaws() {
	load jtrace_hammer seconds=0 contexts=1 || return
	wait_for grown recorded $(($(stat recorded) + 5000))
	thaws_status=$?
	hammer_stop
	unload jtrace_hammer
	return $thaws_status
}

# The reader has a level at rest of 1, and reads 0, so it will lower its level.  The oops leaves
# a higher level than that of the reader, or the same.
for level in 2 1; do
	start dump_on_oops=n target_buffer_size=65536
	load jtrace_stale
	check "level $level: an oops leaves a level of 1" sh -c "echo 1 >$STALE/oops"
	check "level $level: thaws" thaws
	log_mark
	check "level $level: an oops, while a CPU has read 0" sh -c "echo $level >$STALE/stale"
	log_since >"$TMP/log"
	check "level $level: that CPU was held meanwhile" \
		grep -q 'the reader was held, there was an oops' "$TMP/log"
	check "level $level: thaws after it" thaws
	unload jtrace_stale
	check "level $level: thaws at level 0" thaws
	check "level $level: the trace is right" verify
done

finish
