#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# format - the text of trace and config, byte for byte
#
# short: yes

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

TIME='\[ *[0-9]+\.[0-9]{9}\]'
TID='[ 0-9]{8}'
PTR='ffff[0-9a-f]{12}'

# line TEXT N REGEXP: line N of the file
line() {
	sed -n "$2p" "$TMP/trace" >"$TMP/line"
	check "$1" grep -qE "^$3\$" "$TMP/line" || sed 's/^/#   /' "$TMP/line"
}

have jtrace_example || skip_all "no jtrace_example.ko"

start
trace >"$TMP/trace"
printf 'JTRACE: no entries\n' >"$TMP/want"
check "an empty trace is one line" cmp "$TMP/trace" "$TMP/want"

load jtrace_example
trace >"$TMP/trace"
capacity=$(config Entries)
line "header" 1 "JTRACE: Recovered 7/$capacity entries"
line "first line: no time since the one above" 2 \
	"$TIME\[cpu [0-9]+ tid $TID\] : 00000000 00000006 00000001 00000000 $PTR $PTR : \(       0\.000 uSec\) : jtrace_example\.c:MyFunction:[0-9]+ \(Before \(i, foo, bar, 0, ptr1, ptr2\)\)"
line "second line" 3 \
	"$TIME\[cpu [0-9]+ tid $TID\] : 00000000 00000006 00000007 00000000 $PTR $PTR : \([ 0-9]{8}\.[0-9]{3} uSec\) : jtrace_example\.c:MyFunction:[0-9]+ \(After \(i, foo, bar, 0, ptr1, ptr2\)\)"
line "sixth line" 7 \
	"$TIME\[cpu [0-9]+ tid $TID\] : 00000002 00000006 00000013 00000000 $PTR $PTR : \([ 0-9]{8}\.[0-9]{3} uSec\) : jtrace_example\.c:MyFunction:[0-9]+ \(After \(i, foo, bar, 0, ptr1, ptr2\)\)"
line "an event without arguments" 8 \
	"$TIME\[cpu [0-9]+ tid $TID\] : 00000000 00000000 00000000 00000000 0000000000000000 0000000000000000 : \([ 0-9]{8}\.[0-9]{3} uSec\) : jtrace_example\.c:MyFunction:[0-9]+ \(Finished\)"
line "blank line" 9 ''
line "last line" 10 "JTRACE: Last log timestamp $TIME"
expect "nothing behind it" "$(wc -l <"$TMP/trace")" 10
check "widths, sums and order" verify -e 7

cat >"$TMP/want" <<-CONFIG
	JTRACE configuration
	--------------------
	Requested Buffer Size  : 32768
	Allocated Buffer Size  : 32768
	Allocated Buffer Loc   : 0x
	Per-CPU last entry cnt : 0
	Large entries          : yes
	Persistent             : no
CONFIG
head -n 8 "$JT/config" | sed 's/\(Loc   : 0x\).*/\1/' >"$TMP/got"
check "first lines of config" cmp "$TMP/want" "$TMP/got"
check "the location is 0x and what %pK prints" sh -c \
	"grep -qE '^Allocated Buffer Loc   : 0x(\(____ptrval____\)|[0-9a-f]{16})\$' $JT/config"
kptr=/proc/sys/kernel/kptr_restrict
was=$(cat $kptr)
echo 1 >$kptr
check "kptr_restrict=1: root sees the address" \
	grep -qE '^Allocated Buffer Loc   : 0xffff[0-9a-f]{12}$' "$JT/config"
echo 2 >$kptr
check "kptr_restrict=2: zeros" grep -qE '^Allocated Buffer Loc   : 0x0{16}$' "$JT/config"
echo "$was" >$kptr
expect "further lines are 'Name : value'" \
	"$(sed 1,2d "$JT/config" | grep -cE '^[A-Z][A-Za-z -]{21} : .')" \
	$(($(wc -l <"$JT/config") - 2))

start use_large_entries=n target_buffer_size=10000 last_entry_storage=1
load jtrace_client id=0x1234abcd
trace >"$TMP/trace"
line "small: entry" 2 \
	"$TIME\[cpu [0-9]+\] : 1234abcd : \(    0\.000 uSec\) : \(client: hello \(id\)\)"
check "small: widths, sums and order" verify -e 1
expect "small: config" "$(config 'Large entries')" no
expect "size asked for" "$(config 'Requested Buffer Size')" 10000
expect "size rounded down to 128" "$(config 'Allocated Buffer Size')" 9984
expect "CPUs whose last event is kept" "$(config 'Per-CPU last entry cnt')" 1

start last_entry_storage=-1
taskset 1 insmod "$(ko jtrace_client)" id=1
trace >"$TMP/trace"
line "blank line before the section on CPUs" 3 ''
line "title of the section on CPUs" 4 'JTRACE: Last recorded per-CPU events\.'
line "entry in the section on CPUs" 5 \
	"$TIME\[cpu 0 tid $TID\] : 00000001 00000000 00000000 00000000 0000000000000000 0000000000000000 : \(       0\.000 uSec\) : jtrace_client\.c:jtrace_client_init:[0-9]+ \(client: hello \(id\)\)"
line "blank line behind the section on CPUs" 6 ''
line "last line behind the section on CPUs" 7 "JTRACE: Last log timestamp $TIME"

finish
