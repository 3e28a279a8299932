#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# user - events from user space: the file event
#
# TOOL, WRITES: the programs.
# short: yes

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

TOOL=${TOOL:-/jtrace/bin/jtrace}
[ -x "$TOOL" ] || skip_all "no program $TOOL"
EVENT=$JT/event
TIMES=${TIMES:-3}
WRITES=${WRITES:-$HERE/writes}
[ -x "$WRITES" ] || skip_all "no program $WRITES: run make in tests/selftests"

# written TEXT: write it at once
written() {
	# shellcheck disable=SC2059 # with escapes
	printf "$1" | cat >"$EVENT"
}

# refused LINE WHY: pass if the line is refused, one line of the log says why, and no entry is made
refused() {
	refused_before=$(stat recorded)
	log_mark
	refuse "'$1' is refused" 'Invalid argument|error 22' written "$1"
	log_since | sed -n 's/^\[[^]]*\] jtrace: event: //p' >"$TMP/log"
	expect "and the log says why" "$(cat "$TMP/log")" "$2"
	expect "and nothing is recorded" "$(stat recorded)" "$refused_before"
}

# decoded: print the entries of user space as jtrace -d shows them
decoded() {
	"$TOOL" -d | sed -n 's/.*\] : \(.*\) : ( *[0-9.]* uSec) : user:event$/\1/p'
}

# values NAME FIELD: print a field of all entries of an event, in order
values() {
	decoded | sed -n "s/^$1 .*\b$2=\([^ ]*\).*/\1/p"
}

# ---- what is written is what is shown ----

start
place=$(awk '$3 == "vfs_read" { print "place:symbol" "=0x" $1; exit }' /proc/kallsyms)
check "an event" written 'ready\n'
check "with values" written 'exec nr=42 prog:u32=7\n'
check "of all widths" written 'w a:s8=-1 b:u16=65535 c:x32=0xfffffff0 d:s32=-3 e:x64=0xfedcba9876543210\n'
check "with text" written 'open name="a b\\"c" mode:x16=0x1ff\n'
check "four of 64 bits" written 'wide a=1 b=2 c=3 d=18446744073709551615\n'
check "with an address in the code" written "at $place\n"
check "blanks around" written ' \texec  nr=43\tprog:u32=8 \n'
check "several lines in one write" written 'exec nr=44 prog:u32=9\nexec nr=45 prog:u32=10\nready\n'
decoded >"$TMP/decoded"
cat >"$TMP/want" <<-EOF
	exec nr=42 prog=7
	w a=-1 b=65535 c=0xfffffff0 d=-3 e=0xfedcba9876543210
	open name="a b\"c" mode=0x1ff
	wide a=1 b=2 c=3 d=18446744073709551615
	at place=${place#*=} <vfs_read+0x0>
	exec nr=43 prog=8
	exec nr=44 prog=9
	exec nr=45 prog=10
EOF
check "jtrace -d shows them" diff -u "$TMP/want" "$TMP/decoded"
expect "and events without values" "$(trace | grep -c ' : user:event:0 (ready)$')" 2
expect "each form has one site" "$(stat sites)" 6
expect "to a program, they are of user space" \
	"$("$TOOL" --json | grep -c '"file":"user","function":"event"')" 10
echo 0 >"$JT/enabled"
check "while off, it is taken" written 'exec nr=46 prog:u32=1\n'
expect "and not recorded" "$(values exec nr | tail -n 1)" 45
echo 1 >"$JT/enabled"

# ---- jtrace mark ----

check "jtrace mark" "$TOOL" mark exec nr=47 prog:u32=2
check "with text that the shell has taken the quotes of" "$TOOL" mark open "name=it's" mode:x16=3
expect "are recorded as the others" "$(decoded | tail -n 2)" 'exec nr=47 prog=2
open name="it'"'"'s" mode=0x3'
refuse "it refuses what the file refuses" 'mark: exec nr="x" nr=1: at character 13: two values have this name' \
	"$TOOL" mark exec nr=x nr=1
expect "the forms are the same ones" "$(stat sites)" 8

# ---- what is refused ----

refused '\n' ': at character 1: a name begins with a letter or _'
refused 'exec nr\n' 'exec nr: at character 8: expected FIELD=VALUE or FIELD:TYPE=VALUE'
refused 'exec nr=4x\001\n' 'exec nr=4x\001: at character 10: this is no digit'
refused 'exec nr=46' 'exec nr=46: at character 11: expected a newline'
refused 'exec nr=46\0\n' 'exec nr=46: at character 11: a line has no NUL'
refused "exec nr=46$(printf '%0250d' 0 | tr 0 ' ')\n" \
	"exec nr=46$(printf '%0246d' 0 | tr 0 ' '): at character 257: a line has at most 255 bytes"
log_mark
refuse "of several lines" 'Invalid argument|error 22' written 'exec nr=48\nexec nr\nexec nr=49\n'
expect "those before the refused one are recorded" "$(values exec nr | tail -n 1)" 48

# ---- a program that is killed, and one that cuts its lines ----

# whole NAME: pass if each entry of it has three equal values
whole() {
	decoded | sed -n "s/^$1 a=\([0-9]*\) b=\([0-9]*\) c=\"\([0-9]*\)\"$/\1 \2 \3/p" >"$TMP/whole"
	expect "$1: each entry has all values" \
		"$(awk '$1 != $2 || $1 != $3' "$TMP/whole" | wc -l) $(decoded | grep -c "^$1 ")" \
		"0 $(wc -l <"$TMP/whole")"
}

# came N: has program N written?  The last digits of its values are N.
came() {
	[ "$(values k a | tail -n 1 | tail -c 4)" -eq "$1" ]
}

start target_buffer_size=256K
before=$(stat recorded)
line='k a=7 b:u32=7 c:string8="7"'
expect "each part of a line is refused" "$("$WRITES" prefixes "$EVENT" "$line")" "${#line} of ${#line}"
expect "and leaves nothing" "$(stat recorded)" "$before"
expect "one write takes all lines" "$("$WRITES" once "$EVENT" "$line
$line
")" $((2 * ${#line} + 2))
expect "one write ends before what is refused" "$("$WRITES" once "$EVENT" "$line
$line")" $((${#line} + 1))
expect "a write of nothing is none" "$("$WRITES" once "$EVENT" "") $(stat recorded)" "0 $((before + 3))"
i=0
while [ $i -lt "$TIMES" ]; do
	i=$((i + 1))
	(
		n=$i
		while :; do
			n=$((n + 1000))
			echo "k a=$n b:u32=$n c:string8=\"$n\""
		done
	) >"$EVENT" 2>/dev/null &
	check "program $i writes" wait_for came $i
	kill -9 $!
	wait $! 2>/dev/null
done
at_least "entries of programs that were killed" "$(values k a | wc -l)" "$TIMES"
whole k
# Blocks end within lines: what is left of the last one is no event.
seq 1000 1999 | sed 's/.*/blk a=& b:u32=& c:string8="&"/' >"$TMP/lines"
dd if="$TMP/lines" of="$EVENT" bs=100 2>/dev/null
expect "whole lines of a block" "$(values blk a | xargs)" "1000 1001"
whole blk

# ---- many writers of what is new ----

start target_buffer_size=1M sites=64K
check "four programs write the same new names at once" "$WRITES" race "$EVENT" 4 250
decoded | sed -n 's/^n\([0-9]*\) v\([0-9]*\)=\([0-9]*\)$/\1 \2 \3/p' >"$TMP/race"
expect "each entry has its own name" "$(awk '$1 != $2 || $1 != $3' "$TMP/race" | wc -l)" 0
expect "and all are there" "$(wc -l <"$TMP/race") $(sort -u "$TMP/race" | wc -l) $(decoded | wc -l)" \
	"1000 250 1000"
expect "each name has one site" "$(stat sites)" 250

# ---- limits ----

start sites=64K
log_mark
i=0
while [ $i -lt 256 ]; do
	i=$((i + 1))
	echo "form f$i=$i" >"$EVENT" || break
done
expect "256 forms" "$i $(values form 'f[0-9]*' | tail -n 1) $(stat sites)" "256 256 256"
refuse "not another one" 'No space left|error 28' written 'form f257=1\n'
refuse "nor a third" 'mark: 256 names with different fields were written' "$TOOL" mark form f258=1
expect "one line says so" \
	"$(log_since | grep -c 'jtrace: event: 256 names with different fields were written, no others are taken: reload jtrace')" 1
check "a known one is taken" written 'form f7=77\n'
expect "and recorded" "$(values form f7 | tail -n 1)" 77

start use_large_entries=n
log_mark
refuse "small entries: refused" 'not supported|error 95' written 'exec nr=1\n'
expect "and the log says what helps" "$(log_since | grep -c 'jtrace: event: .*use_large_entries=y')" 1

finish
