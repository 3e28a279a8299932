#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# modules - what "jtrace -d" says of the addresses of another boot: each address of a module that
# /proc/kallsyms names has the same name by the module's file alone
#
# Modules of the kernel are in KMODULES, as NN-NAME.ko.

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

TOOL=${TOOL:-/jtrace/bin/jtrace}
KMODULES=${KMODULES:-/jtrace/modules}
have jtrace_values || skip_all "no jtrace_values.ko"
"$TOOL" --version | grep -q 'with libelf' || skip_all "jtrace is built without libelf"
start target_buffer_size=8M
load jtrace_values
# Loaded later than jtrace, too.
for name in jtrace_types jtrace_echo; do
	load $name
done

# All symbols of modules but those of per-CPU variables, which are offsets, and those without a
# size, which name no object.
sed -n 's/^\(ffff[0-9a-f]* [a-zA-Z] [^ \t]*\)\t\[\([^]]*\)\]$/\1 \2/p' /proc/kallsyms |
	grep -vE ' [aA] | \.L|__kstrtab|__ksymtab|__crc_' >"$TMP/symbols"
awk '{ print "0x" $1 }' "$TMP/symbols" | sort -u >"$TMP/addresses"
xargs -n 100 <"$TMP/addresses" | while read -r some; do
	echo "$some" >/sys/module/jtrace_values/parameters/record || echo "$some"
done >"$TMP/bad"
expect "each address is recorded" "$(cat "$TMP/bad")" ""
cat "$JT/trace_raw" >"$TMP/raw"
expect "none is lost" "$(stat skipped) $(stat overwritten)" "0 0"

# The files, by their names; no symbols of this boot.
mkdir -p "$TMP/files" "$TMP/root"
for file in "$KMODULES"/[0-9]*.ko; do
	[ ! -f "$file" ] || cp "$file" "$TMP/files/${file#*/[0-9][0-9]-}"
done
cp "${MODULES:?}"/*.ko "$TMP/files"
JTRACE_ROOT=$TMP/root "$TOOL" -d --modules "$TMP/files" "$TMP/raw" |
	sed -n 's/.* : value at=0x\([0-9a-f]*\)\( <\([^>]*\)>\)\{0,1\} : (.*/\1 \3/p' >"$TMP/names"
expect "each address is shown" "$(sort -u "$TMP/names" | wc -l)" "$(wc -l <"$TMP/addresses")"

# judge NAMES SYMBOLS: print wrong names; then numbers of modules, of addresses with a name, and of
# those without
judge() {
	awk '
		FNR == NR {
			have[$1, $3 " " $4]
			module[$4]
			next
		}
		NF == 1 {
			missing++
			next
		}
		{
			name = $2
			sub(/\+0x0$/, "", name)
			where = $3
			gsub(/[][]/, "", where)
			if (($1, name " " where) in have)
				named++
			else
				print $0
		}
		END {
			for (name in module)
				modules++
			print modules + 0, named + 0, missing + 0
		}' "$2" "$1" >"$TMP/judged"
}
judge "$TMP/names" "$TMP/symbols"
expect "no name is wrong" "$(sed '$d' "$TMP/judged" | head -n 20)" ""
# shellcheck disable=SC2046 # words
set -- $(tail -n 1 "$TMP/judged")
diag "$1 modules, $2 addresses with a name, $3 without"
awk 'FNR == NR { symbol[$1] = $2 " " $3 " " $4; next }
	NF == 1 { print "# without a name:", symbol[$1] }' "$TMP/symbols" "$TMP/names" | head -n 8
# Of four that are drawn, one may be built in.
at_least "modules" "$1" 7
at_least "addresses with a name" "$2" 500
at_least "nearly all have one" $(($2 / 50)) "$3"
grep -q ' [dDbB] ' "$TMP/symbols" &&
	at_least "variables are among them" "$(grep -vc '+0x' "$TMP/names")" 100

# ---- When it was loaded ----

# shown FILE: print the names of the recorded values, "-" for none
shown() {
	JTRACE_ROOT=$TMP/root "$TOOL" -d --modules "$TMP/files" "$1" |
		sed -n 's/.* : value at=0x[0-9a-f]*\( <\([^>]*\)>\)\{0,1\} : (.*/\2-/p' |
		sed 's/\(.\)-$/\1/' | paste -sd '|'
}

# echo_times: print when jtrace_echo was loaded and unloaded, a line for each time
echo_times() {
	"$TOOL" --json "$TMP/raw" |
		sed -n 's/.*"name":"jtrace_echo".*"from_ns":\([0-9]*\)\(,"until_ns":\([0-9]*\)\)*}$/\1 \3/p'
}

address=$(sed -n 's/^\(ffff[0-9a-f]*\) t calls_get\t\[jtrace_echo\]$/0x\1/p' /proc/kallsyms)
record=/sys/module/jtrace_values/parameters/record
echo 1 >"$JT/clear"
echo "$address" >$record
check "unload" unload jtrace_echo
echo "$address" >$record
cat "$JT/trace_raw" >"$TMP/raw"
expect "a module has names until it is unloaded" "$(shown "$TMP/raw")" \
	"calls_get+0x0 [jtrace_echo]|-"
echo_times >"$TMP/times"
expect "its times" "$(awk 'NF != 2 || $1 >= $2 { print "bad:", $0 } END { print NR }' "$TMP/times")" 1
# It is not loaded after all.
load jtrace_echo most=x 2>/dev/null && not_ok "a bad parameter"
load jtrace_echo
cat "$JT/trace_raw" >"$TMP/raw"
echo_times >"$TMP/times"
# insmod may try twice.
expect "one whose load failed has gone" \
	"$(awk '{ print NF }' "$TMP/times" | paste -sd ' ' | sed 's/^2 2 2 1$/2 2 1/')" "2 2 1"

# ---- No room ----

unload_all
# Modules of the kernel take a part of the room that depends on which are drawn.
for _ in 1 2 3 4 5 6 7 8; do
	while read -r name _; do
		rmmod "$name" 2>/dev/null
	done </proc/modules
done
# The protocol of sctp stays, with what it needs.
at_least "few modules are left" 5 "$(wc -l </proc/modules)"
start target_buffer_size=256K sites=4K
# Room for these two, and for the site of values, is left.
load jtrace_echo
unload jtrace_echo
load jtrace_values
echo "$address" >$record
for name in probe source example optional made events types; do
	[ "$(stat modules_unstored)" -ne 0 ] || load jtrace_$name
done
at_least "modules without room are counted" "$(stat modules_unstored)" 1
unstored=$(stat modules_unstored)
for _ in $(seq 30); do
	load jtrace_echo
	unload jtrace_echo
done
load jtrace_echo
echo 1 >"$JT/clear"
sed -n 's/^\(ffff[0-9a-f]*\) t calls_get\t\[jtrace_echo\]$/0x\1/p' /proc/kallsyms >$record
cat "$JT/trace_raw" >"$TMP/raw"
expect "one that is loaded again and again has names" "$(shown "$TMP/raw")" \
	"calls_get+0x0 [jtrace_echo]"
expect "it needs no more room" "$(stat modules_unstored)" "$unstored"

finish
