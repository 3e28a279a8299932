#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# readers - each opener has its own snapshot, read in pieces or at any offset

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

start clock=fast last_entry_storage=-1
hammer count=500
recording 0

trace >"$TMP/whole"
check "the trace is right" verify -H 1
size=$(wc -c <"$TMP/whole")
at_least "it has some length" "$size" 20000
trace >"$TMP/again"
check "it is the same when opened again" cmp "$TMP/whole" "$TMP/again"

head -c 3000 "$TMP/whole" >"$TMP/part"
dd if="$JT/trace" bs=1 count=3000 2>/dev/null >"$TMP/got"
check "read byte by byte" cmp "$TMP/got" "$TMP/part"
dd if="$JT/trace" bs=100 2>/dev/null >"$TMP/got"
check "read in pieces of 100 bytes" cmp "$TMP/got" "$TMP/whole"
dd if="$JT/trace" bs=1000000 2>/dev/null >"$TMP/got"
check "read in large pieces" cmp "$TMP/got" "$TMP/whole"
for skip in 1 4095 4096 4097 10000 $((size - 1)) $size $((size + 1000)); do
	tail -c +$((skip + 1)) "$TMP/whole" >"$TMP/part"
	dd if="$JT/trace" bs="$skip" skip=1 2>/dev/null >"$TMP/got"
	check "read from byte $skip" cmp "$TMP/got" "$TMP/part"
done
{
	dd bs=100 count=5 2>/dev/null
	cat
} <"$JT/trace" >"$TMP/got"
check "two programs, one after the other, on one open file" cmp "$TMP/got" "$TMP/whole"

exec 4<"$JT/trace"
exec 5<"$JT/trace"
: >"$TMP/four"
: >"$TMP/five"
for _ in $(seq 400); do
	dd bs=77 count=1 <&4 2>/dev/null >>"$TMP/four"
	dd bs=131 count=1 <&5 2>/dev/null >>"$TMP/five"
done
cat <&4 >>"$TMP/four"
cat <&5 >>"$TMP/five"
exec 4<&- 5<&-
check "two readers taking turns: the first" cmp "$TMP/four" "$TMP/whole"
check "two readers taking turns: the second" cmp "$TMP/five" "$TMP/whole"

# A snapshot does not change.
exec 4<"$JT/trace"
dd bs=500 count=1 <&4 2>/dev/null >"$TMP/four"
recording 1
hammer count=2000
exec 5<"$JT/trace"
clear_trace
cat <&4 >>"$TMP/four"
exec 4<&-
cat <&5 >"$TMP/five"
exec 5<&-
check "a snapshot does not change while events are recorded and cleared" cmp "$TMP/four" "$TMP/whole"
refuse "one that was taken later differs" differ cmp "$TMP/five" "$TMP/whole"
check "and is right" "$VERIFY" -H 1 <"$TMP/five"

# Read while events are recorded.
load jtrace_client
hammering 100
bad=0
for _ in $(seq 6); do
	trace >"$TMP/four" &
	trace >"$TMP/five" &
	wait
	"$VERIFY" -H 1 -c -1 <"$TMP/four" >"$TMP/out" 2>&1 || { bad=$((bad + 1)); cp "$TMP/out" "$TMP/bad"; }
	"$VERIFY" -H 1 -c -1 <"$TMP/five" >"$TMP/out" 2>&1 || { bad=$((bad + 1)); cp "$TMP/out" "$TMP/bad"; }
done
[ $bad -eq 0 ] || sed 's/^/#   /' "$TMP/bad"
expect "two readers at once, while events are recorded" $bad 0
hammer_stop

# The image.
cat "$JT/trace_raw" >"$TMP/raw"
expect "trace_raw begins with its magic" "$(head -c 8 "$TMP/raw")" JTRIMAGE
expect "trace_raw has the size of the buffer" "$(wc -c <"$TMP/raw")" "$(config 'Allocated Buffer Size')"
case $(uname -m) in
x86_64)	machine=62 ;;
aarch64) machine=183 ;;
esac
expect "the header names the machine" \
	"$(od -A n -t u2 -j 44 -N 2 "$TMP/raw" | tr -d ' ')" "${machine-?}"
head -c 512 "$TMP/raw" >"$TMP/first"
tail -c 512 "$TMP/raw" >"$TMP/copy"
check "trace_raw ends with a copy of its header" cmp "$TMP/first" "$TMP/copy"
dd if="$JT/trace_raw" bs=1000 skip=2 count=1 2>/dev/null | wc -c >"$TMP/count"
expect "trace_raw can be read from the middle" "$(cat "$TMP/count")" 1000
check "the kernel release is in it" grep -q "$(uname -r)" "$TMP/raw"

finish
