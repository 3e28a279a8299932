#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# files - the files in debugfs: names, permissions, wrong input
#
# short: yes

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

DENIED='Permission denied$'

# mode FILE
mode() {
	command stat -c %a "$JT/$1"
}

# writes ERROR TEXT FILE: does writing fail with that error?
writes() {
	if printf '%b' "$2" 2>/dev/null >"$TMP/in" && ! dd if="$TMP/in" of="$JT/$3" \
			bs=4096 2>"$TMP/err" >/dev/null; then
		grep -q "$1" "$TMP/err" || { cat "$TMP/err"; return 1; }
		return 0
	fi
	echo "written"
	return 1
}

# reads ERROR FILE
reads() {
	! dd if="$JT/$2" of=/dev/null bs=100 count=1 2>"$TMP/err" && grep -q "$1" "$TMP/err"
}

# as_nobody COMMAND...
as_nobody() {
	su -s /bin/sh nobody -c "$1" </dev/null
}

start
expect "files" "$(cd "$JT" && echo *)" \
	"clear config enabled event free_recovered last_boot_info marker recovered recovered_log recovered_raw state stats trace trace_raw"
for file in trace:400 trace_raw:400 recovered:400 recovered_raw:400 recovered_log:400 \
		last_boot_info:400 state:400 config:444 stats:444 enabled:600 clear:200 \
		event:200 marker:200; do
	expect "mode of ${file%:*}" "$(mode "${file%:*}")" "${file#*:}"
done

expect "state of a volatile buffer" "$(xargs <"$JT/state")" \
	"size=$(config 'Allocated Buffer Size') persistent=n"

load jtrace_client id=5
before=$(shown)
for text in 2 x -1 10 maybe nothing tomorrow ' 1' '\n' '\0001' '\0377' '99999999999999999999'; do
	for file in enabled clear; do
		check "'$text' to $file: EINVAL" writes 'Invalid argument' "$text" $file
	done
done
expect "recording is still on" "$(cat "$JT/enabled")" 1
expect "nothing was cleared" "$(shown)" "$before"
for text in 0 n no off N 1 y yes on Y; do
	check "'$text' to enabled: is taken" sh -c "echo $text >$JT/enabled"
done
expect "recording is on again" "$(cat "$JT/enabled")" 1
for text in 0 n off; do
	check "'$text' to clear: is taken" sh -c "echo $text >$JT/clear"
done
expect "and clears nothing: two more events of a stop and a start" "$(shown)" $((before + 2))

for file in trace trace_raw config stats; do
	check "write to $file: refused" writes 'Invalid argument' 1 $file
done
for file in clear free_recovered; do
	check "read of $file: refused" reads 'Invalid argument' $file
done

if as_nobody true 2>/dev/null; then
	refuse "nobody cannot read the configuration in a closed debugfs" "$DENIED" \
		as_nobody "cat $JT/config"
	root_mode=$(command stat -c %a /sys/kernel/debug)
	chmod 755 /sys/kernel/debug
	for file in config stats; do
		check "nobody can read $file in an open debugfs" as_nobody "cat $JT/$file"
	done
	for file in trace trace_raw enabled clear; do
		refuse "nobody cannot read $file" "$DENIED" as_nobody "cat $JT/$file"
	done
	for file in trace trace_raw config stats enabled clear; do
		refuse "nobody cannot write $file" "$DENIED" as_nobody "echo 1 >$JT/$file"
	done
	chmod "$root_mode" /sys/kernel/debug
else
	skip "no user nobody to become"
fi

# An open file keeps the module loaded.
exec 4<"$JT/trace"
refuse "jtrace cannot be unloaded while a client is loaded" "$IN_USE" unload jtrace
unload jtrace_client
unload jtrace 2>/dev/null
if loaded jtrace; then
	ok "an open file keeps jtrace loaded"
	exec 4<&-
else
	expect "an open file whose module went reads as nothing" "$(cat <&4 2>/dev/null)" ""
	exec 4<&-
fi

finish
