#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# klog - reserved memory keeps the kernel log; tests/qemu/persist tests how it outlives a crash
#
# short: yes

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

reserved || skip_all "no memory reserved at $RESERVED: boot with memmap=1M\$$RESERVED"
# The upper half: persistent.sh wants to find its memory fresh.
AT="enabled=persistent mem_address=$(printf '0x%x' $((RESERVED + 0x80000))) mem_size=512K"

# squeeze: tabs and spaces are one space: a terminal expands tabs, and so does jtrace
squeeze() {
	tr -s '\t ' ' '
}

# recovers TEXT PATTERN: check that the recovered log has such a line
recovers() {
	cat "$JT/recovered_log" >"$TMP/recovered_log"
	check "$1" grep -aqE -e "$2" "$TMP/recovered_log"
}

consoles() {
	grep -c '^jtrace' /proc/consoles
}

# Clear what other tests have left.
# shellcheck disable=SC2086 # words
start $AT log_size=0
# shellcheck disable=SC2086 # words
start $AT
expect "a 16th of the region" "$(config 'Kernel log')" 32768
expect "nothing is recovered from an image without a log" "$(cat "$JT/recovered_log")" ""
expect "a console" "$(consoles)" 1

# ---- what is printed comes back ----

long=$(printf '%0900d' 7)
log_mark
echo "klog: hello" >/dev/kmsg
echo "<3>klog: an error" >/dev/kmsg
echo "klog: long $long" >/dev/kmsg
printf 'klog: tab\there\n' >/dev/kmsg
printf 'klog: \033[31mred \001\n' >/dev/kmsg
printf 'klog: \377\303\244\n' >/dev/kmsg
for i in $(seq 100); do
	echo "klog: line $i" >/dev/kmsg
done
log_since | squeeze | grep -av 'red\|klog: .\?.\?.\?.\?$' >"$TMP/said"
unload jtrace
expect "no console" "$(consoles)" 0
echo "klog: nobody listens" >/dev/kmsg
# shellcheck disable=SC2086 # words
start $AT
cat "$JT/recovered_log" >"$TMP/recovered_log"
squeeze <"$TMP/recovered_log" | diff "$TMP/said" - | grep '^<' >"$TMP/lost"
check "lines were printed" [ "$(wc -l <"$TMP/said")" -ge 104 ]
expect "all that was printed is recovered" "$(head -n 3 "$TMP/lost")" ""
recovers "a long line, whole" "klog: long $long\$"
recovers "a tab" 'klog: tab +here$'
recovers "control characters are escaped" 'klog: (\\x1b|.*x1b)\[31mred '
lacks "no control character" "$(printf '[\001-\011\013-\037]')" "$TMP/recovered_log"
lacks "nothing after unloading" 'nobody listens' "$TMP/recovered_log"
check "in the order of the log" sh -c \
	"sed -n 's/.*klog: line //p' $TMP/recovered_log | sort -nc"
dd if="$JT/recovered_log" bs=1 count=5000 2>/dev/null >"$TMP/pieces"
check "in small pieces" sh -c "head -c 5000 $TMP/recovered_log | cmp - $TMP/pieces"

# ---- the newest lines stay ----

for i in $(seq 3000); do
	echo "klog: many $i"
done | while IFS= read -r line; do
	echo "$line" >/dev/kmsg
done
# shellcheck disable=SC2086 # words
start $AT
recovers "the newest line" 'klog: many 3000$'
sed -n 's/.*klog: many //p' "$JT/recovered_log" >"$TMP/many"
at_least "as many as fit" "$(wc -l <"$TMP/many")" 120
expect "without a gap" \
	"$(($(tail -n 1 "$TMP/many") - $(head -n 1 "$TMP/many") + 1))" "$(wc -l <"$TMP/many")"

# ---- a log that grows while it is copied ----

# echoed: let one line be printed; print how many messages were read meanwhile
echoed() {
	load jtrace_echo most=2000 || return
	echo "<3>klog: echo" >/dev/kmsg
	param jtrace_echo calls
	unload jtrace_echo
}

if have jtrace_echo; then
	alone echoed >"$TMP/echoed"
	at_least "messages were read" "$(cat "$TMP/echoed")" 1
	check "a printed line copies what is there, not what comes" [ "$(cat "$TMP/echoed")" -le 500 ]
fi

# ---- sizes ----

# shellcheck disable=SC2086 # words
start $AT log_size=0
expect "log_size=0: none" "$(config 'Kernel log')" 0
expect "log_size=0: no console" "$(consoles)" 0
echo "klog: unseen" >/dev/kmsg
# shellcheck disable=SC2086 # words
start $AT log_size=16K
expect "log_size=0: nothing is recovered" "$(cat "$JT/recovered_log")" ""
expect "log_size=16K: for reports only" "$(config 'Kernel log') $(consoles)" "16384 0"
# shellcheck disable=SC2086 # words
start $AT log_size=256K
expect "log_size=256K" "$(config 'Kernel log') $(consoles)" "262144 1"
echo "klog: in a large log" >/dev/kmsg
# shellcheck disable=SC2086 # words
start $AT target_buffer_size=128K
expect "below 256 KiB: none" "$(config 'Kernel log') $(consoles)" "0 0"
recovers "another layout reads it" 'klog: in a large log$'
unload jtrace
log_mark
# shellcheck disable=SC2086 # words
refuse "too large" "$INVALID" load jtrace $AT log_size=1M
check "says the limit" sh -c "dmesg | grep -qE 'jtrace: log_size=1048576: must be at most [0-9]+ in a buffer of 524288 bytes for [0-9]+ CPUs'"

# ---- volatile memory has none ----

start
expect "volatile: an empty file" "$(cat "$JT/recovered_log")" ""
expect "volatile: no console" "$(consoles)" 0

finish
