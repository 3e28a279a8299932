#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# poke - write random text to files and parameters while events are recorded
#
# SECONDS_POKE: how long the files are tried (6). SEED: repeats the choices.

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

POKE=${POKE:-$(dirname "$VERIFY")/poke}
SECONDS_POKE=${SECONDS_POKE:-6}
SEED=${SEED:-$(date +%s)}
[ -x "$POKE" ] || skip_all "no program $POKE: run make in tests/selftests"
diag "seed $SEED"

start last_entry_storage=-1
load jtrace_client
# As in enabled.sh: QEMU must not patch code that another CPU runs.
cpus=0xffffffffffffffff
if grep -q QEMU /proc/cpuinfo; then
	cpus=1
	taskset -p 1 $$ >/dev/null
fi
load jtrace_hammer seconds=0 cpus=$cpus pause_us=500
if check "files: accepted, refused and read as they should be" \
		"$POKE" "$JT" /sys/module/jtrace/parameters "$SECONDS_POKE" "$SEED"; then
	operations=$(cat "$TMP/check")
	diag "$operations operations"
	at_least "files: many of them" "$operations" 200
fi
recording 1
expect "turned on after all that" "$(cat "$JT/enabled")" 1
check "and the trace is right" verify -H 1
unload jtrace_hammer
clear_trace
expect "cleared after all that" "$(trace)" "JTRACE: no entries"
before=$(stat recorded)
unload jtrace_client
expect "and an event is recorded" "$(($(stat recorded) - before)) $(shown)" "1 1"
expect "recorded = shown + overwritten + cleared" \
	$(($(shown) + $(stat overwritten) + $(stat cleared))) "$(stat recorded)"
expect "no chunk is stuck" "$(stat chunks_stuck)" 0
unload_all

# Random values of parameters: jtrace loads or refuses, with a line of its own or of the
# kernel's parser, and leaves nothing behind.
i=0 refused=0 bad=0
for name in enabled target_buffer_size last_entry_storage use_large_entries clock panic_lines \
	    dump_on_oops mem_address mem_size mem_name mem_type keep_on_reboot log_size \
	    sites stacks stop_on tasks use_mono_timestamps; do
	for _ in 1 2; do
		i=$((i + 1))
		value=$("$POKE" text $((SEED + i)) | tr -d '\0\n')
		if load jtrace "$name=$value" >/dev/null 2>&1; then
			cat "$JT/trace" "$JT/config" "$JT/stats" >/dev/null || bad=$((bad + 1))
			unload jtrace || bad=$((bad + 1))
		else
			refused=$((refused + 1))
		fi
		if loaded jtrace || [ -e "$JT" ]; then
			diag "left behind by $name, text $((SEED + i))"
			bad=$((bad + 1))
		fi
	done
done
expect "$i parameters of any text, $refused refused: nothing is left" $bad 0
check "and it loads as ever" load jtrace

finish
