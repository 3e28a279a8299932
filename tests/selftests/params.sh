#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# params - a bad parameter is refused in one line, and nothing is left behind

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

# free_key: is SysRq y free?  Then the kernel prints its help, without jtrace.
free_key() {
	log_mark
	echo y >/proc/sysrq-trigger
	log_since | grep 'sysrq: HELP' | grep -qv jtrace
}

nothing_left() {
	! loaded jtrace && [ ! -e "$JT" ]
}

# bad LIMIT PARAM=VALUE [PARAM...]: jtrace refuses to load, with one line that names the three
bad() {
	bad_limit=$1
	shift
	refuse_load "$@" || return
	check "$*: names parameter and value" grep -qF "jtrace: $1: " "$TMP/lines"
	check "$*: names the limit, $bad_limit" grep -qE "$bad_limit" "$TMP/lines"
	check "$*: leaves nothing" nothing_left
}

[ -w /proc/sysrq-trigger ] || skip_all "no /proc/sysrq-trigger"
check "SysRq y is free at first" free_key
# At the first load, the kernel logs that the module taints it.
start
unload_all

for word in maybe '' ON 1; do
	bad 'off, on or persistent' enabled=$word
done

# persistent LIMIT PARAM=VALUE [PARAM...]
persistent() {
	bad "$@" enabled=persistent
}
at=mem_address=0x10000000

if ls -d /proc/device-tree/reserved-memory/jtrace@* >/dev/null 2>&1; then
	skip "enabled=persistent: this machine has a node for it"
else
	bad 'needs mem_address and mem_size, mem_name.*: run jtrace setup' enabled=persistent
fi
persistent 'needs mem_size' $at
persistent 'must be a multiple of 4096' mem_address=0x10000080 mem_size=1M
persistent 'must be a multiple of 4096' mem_size=5000 $at
persistent 'must be a number of bytes, not 0' mem_size=0 $at
persistent 'must be a number' mem_size=99999999999G $at
persistent 'must be less than 2\^64' mem_size=18446744073709547520 $at
ram=$(printf '0x%x' "0x$(sed -n 's/-.* : System RAM$//p' /proc/iomem | tail -n 1)")
persistent "$ram-0x[0-9a-f]* is memory that the kernel uses" mem_address="$ram" mem_size=1M
case $(uname -m) in
x86_64)	persistent 'is no memory that the kernel knows' mem_address=0xf000000000 mem_size=1M ;;
esac
persistent 'must be wb, wc or uc' mem_type=fast
persistent 'must be a multiple of 128' target_buffer_size=4000
persistent 'cannot be combined' mem_name=x $at
persistent 'must not be empty' mem_name=
persistent 'must be y or n' keep_on_reboot=maybe
bad 'only with enabled=persistent' $at
bad 'only with enabled=persistent' keep_on_reboot=y
bad 'only with enabled=persistent' log_size=64K
for word in '' maybe 'warn,' ,oops warn,,oops WARN hung_tasks; do
	bad 'must be warn, oops or hung_task, or several' stop_on=$word
done
for size in '' 1 4095 -1 lots 268435457; do
	persistent 'must be 0, or a number of bytes from 4096 up to 268435456' log_size=$size
done
for size in '' 1 127 -1 lots 268435457; do
	bad 'must be 0, or a number of bytes from 128 up to 268435456' tasks=$size
	bad 'must be 0, or a number of bytes from 128 up to 268435456' stacks=$size
done
for area in tasks stacks; do
	bad "$area=1048576: must be at most [0-9]* in a buffer of 1048576 bytes for [0-9]* CPUs" \
		$area=1048576 target_buffer_size=1M
done

# The last ones: 2^64 + 1, 2^64 + 32768, 2^64 + 32 KiB, 2^64 + 1 GiB.
for size in 0 '' -1 lots 12x 268435457 2G \
	    18446744073709551617 18446744073709584384 18014398509482016K 17179869185G; do
	bad 'up to 268435456' target_buffer_size=$size
done
bad 'at least [0-9]+' target_buffer_size=1
bad 'at least [0-9]+' target_buffer_size=1 use_large_entries=n
bad 'from -1 to 2147483647' last_entry_storage=-2
bad 'from -1 to 2147483647' last_entry_storage=all
bad 'from -1 to 2147483647' last_entry_storage=2147483648
bad 'y or n' use_large_entries=2
bad 'y or n' use_large_entries=
bad 'y or n' use_mono_timestamps=maybe
for word in yesterday nope onward offside yes! 10 tru ye; do
	bad 'y or n, yes or no, on or off, 1 or 0, true or false' use_large_entries=$word
done
for size in 0 '' -1 many 16777217 17M 18446744073709551617; do
	bad 'from 1 up to 16777216' sites=$size
done
bad 'must be at most [0-9]+ in a buffer of 65536 bytes for [0-9]+ CPUs' \
	sites=65536 target_buffer_size=64K
bad 'auto, ticks.* or fast' clock=tsc
bad 'auto, ticks.* or fast' clock=
bad 'from -1 to 2147483647' panic_lines=-2
bad 'from -1 to 2147483647' panic_lines=1e3
bad 'y or n' dump_on_oops=perhaps
bad 'off, on or persistent' enabled=maybe clock=tsc panic_lines=-2

# The kernel ignores an unknown name, and logs one line.
log_mark
check "mem_sise=1M: loads" load jtrace mem_sise=1M
expect "mem_sise=1M: one line" "$(log_since | grep -c "jtrace: .*mem_sise")" 1
log_since >"$TMP/log"
check "mem_sise=1M: it says what is unknown" \
	grep -q "jtrace: unknown parameter 'mem_sise' ignored" "$TMP/log"
check "mem_sise=1M: unloads" unload jtrace

long=$(printf '%0900d' 1 | tr 0 x)
bad 'auto, ticks.* or fast' "clock=$long"

check "SysRq y is free after all that" free_key

# Good values load, and jtrace takes the key.
for good in enabled=off enabled=on target_buffer_size=64K target_buffer_size=0x8000 \
	    last_entry_storage=0 last_entry_storage=-1 last_entry_storage=1000000 \
	    sites=1 sites=64K sites=1M sites=16M \
	    use_large_entries=n use_large_entries=1 use_mono_timestamps=on clock=auto \
	    clock=fast clock=ticks panic_lines=0 panic_lines=2147483647 dump_on_oops=y; do
	check "$good: loads" load jtrace "$good"
	name=${good%%=*}
	expect "$good: is what sysfs shows" "$(param jtrace "$name")" "${good#*=}"
	check "$good: unloads" unload jtrace
done
# large WORD: print the effect of use_large_entries=WORD
large() {
	start use_large_entries="$1"
	config 'Large entries'
	unload_all
}
for word in y Y yes Yes on ON 1 true True; do
	expect "use_large_entries=$word" "$(large $word)" yes
done
for word in n N no No off OFF 0 false False; do
	expect "use_large_entries=$word" "$(large $word)" no
done
# says_next LINE PARAM...: loading jtrace ends with this line, and has no other that begins so
says_next() {
	next=$1
	shift
	log_mark
	start "$@"
	log_since | sed 's/^\[[^]]*\] //' | grep '^jtrace: ' >"$TMP/lines"
	expect "${*:-no parameter}: what to do next" "$(tail -n 1 "$TMP/lines")" "jtrace: $next"
	expect "${*:-no parameter}: one such line" "$(grep -c 'jtrace/' "$TMP/lines")" 1
	unload_all
}
read_it="to read the trace: jtrace, or cat $JT/trace; to make it survive a reset: jtrace setup"
says_next "$read_it"
says_next "$read_it" enabled=on
says_next "recording is off; to start it: jtrace start, or echo 1 > $JT/enabled" enabled=off
start
log_mark
echo y >/proc/sysrq-trigger
log_since >"$TMP/log"
check "SysRq y is taken by jtrace" grep 'JTRACE: no entries$' "$TMP/log"
unload_all
check "SysRq y is free after unloading" free_key
check "nothing is left after unloading" nothing_left

finish
