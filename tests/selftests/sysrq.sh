#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# sysrq - SysRq y prints the live trace into the kernel log, and recording goes on
#
# short: yes

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

[ -w /proc/sysrq-trigger ] || skip_all "no /proc/sysrq-trigger"

# Compare all digits: with the tick clock, times depend on the moment of reading.
start last_entry_storage=-1 clock=fast
load jtrace_client id=0x77
log_mark
echo y >/proc/sysrq-trigger
log_since >"$TMP/log"
check "the log has the trace" "$VERIFY" -k -e 1 -c -1 -a -f 'client: hello' <"$TMP/log"
trace >"$TMP/trace"
sed 's/^\[ *[0-9]*\.[0-9]\{6\}\] //' "$TMP/log" | sed -n '/^JTRACE: Rec/,$p' >"$TMP/text"
check "it is the same text" cmp "$TMP/trace" "$TMP/text"
unload jtrace_client
expect "recording goes on" "$(shown)" 2
expect "nothing was skipped" "$(lost)" 0

clear_trace
log_mark
echo y >/proc/sysrq-trigger
log_since >"$TMP/log"
check "an empty trace says so" grep 'JTRACE: no entries$' "$TMP/log"

# The console's level is restored.
level=$(cat /proc/sys/kernel/printk)
hammer count=300
echo y >/proc/sysrq-trigger
expect "the console's log level is as before" "$(cat /proc/sys/kernel/printk)" "$level"

# panic_lines applies here, too.
start panic_lines=10
hammer count=300 contexts=1
log_mark
echo y >/proc/sysrq-trigger
log_since >"$TMP/log"
check "panic_lines=10" "$VERIFY" -k -e 10 -o -H 10 <"$TMP/log"

# Dump while events are recorded.
start last_entry_storage=-1 panic_lines=50
hammering 1000
bad=0
for _ in 1 2 3 4 5; do
	log_mark
	echo y >/proc/sysrq-trigger
	log_since >"$TMP/log"
	"$VERIFY" -k -e 50 -o -H 1 -c -1 <"$TMP/log" >"$TMP/out" 2>&1 ||
		{ bad=$((bad + 1)); cp "$TMP/out" "$TMP/bad"; }
done
[ $bad -eq 0 ] || sed 's/^/#   /' "$TMP/bad"
expect "dumps under load are right" $bad 0
check "recording goes on under load" wait_for grown recorded $(($(stat recorded) + 1))
check "the trace is right then" verify -H 1

# sysrq-trigger ignores the mask of keys.  Scenario sysrq-key of tests/qemu/crash presses the
# key with Debian's mask.
log_mark
echo h >/proc/sysrq-trigger
log_since >"$TMP/log"
check "the help lists it" grep 'sysrq: HELP.*jtrace(y)' "$TMP/log"

finish
