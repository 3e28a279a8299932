#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# lockdown - which files remain readable when the kernel is locked down
#
# needs: lockdown
# short: yes

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

LOCKDOWN=/sys/kernel/security/lockdown
DENIED='not permitted|denied'

[ -d /sys/kernel/security ] || skip_all "no securityfs"
mount -t securityfs securityfs /sys/kernel/security 2>/dev/null
[ -e $LOCKDOWN ] || skip_all "no lockdown"
have jtrace_unsigned || skip_all "no jtrace_unsigned"

reserved || skip_all "no memory reserved at $RESERVED"
region="enabled=persistent mem_address=$RESERVED mem_size=1M"
# shellcheck disable=SC2086 # a list of words
start $region
load jtrace_client id=5
unload_all
# shellcheck disable=SC2086 # a list of words
start $region
load jtrace_client id=6
! have jtrace_events || load jtrace_events
! have jtrace_probe || load jtrace_probe
check "jtrace_unsigned" load jtrace_unsigned
check "lock down" sh -c "echo integrity >$LOCKDOWN"
expect "locked down" "$(cat $LOCKDOWN)" "none [integrity] confidentiality"

for file in config last_boot_info recovered recovered_log recovered_raw state stats trace \
		trace_raw; do
	check "root reads $file" sh -c "cat $JT/$file >$TMP/$file"
done
check "the trace is there" grep -q '00000006 .*client: hello' "$TMP/trace"
check "what was recovered is there" grep -q '00000005 .*client: hello' "$TMP/recovered"
check "raw images are there" sh -c \
	"head -c 8 $TMP/trace_raw | grep -q JTRIMAGE && head -c 8 $TMP/recovered_raw | grep -q JTRIMAGE"

# Debugfs refuses to open writable files, even for reading.
refuse "enabled cannot be read" "$DENIED" cat "$JT/enabled"
refuse "nor written" "$DENIED" sh -c "echo 0 >$JT/enabled"
if have jtrace_events; then
	refuse "events cannot be read" "$DENIED" cat "$JT/events"
	refuse "nor written" "$DENIED" sh -c "echo sched >>$JT/events"
	unload jtrace_events
fi
if have jtrace_probe; then
	refuse "probes cannot be read" "$DENIED" cat "$JT/probes"
	refuse "nor written" "$DENIED" sh -c "echo 't sched_switch' >>$JT/probes"
	unload jtrace_probe
fi
refuse "clear cannot be written" "$DENIED" sh -c "echo 1 >$JT/clear"
refuse "free_recovered cannot be written" "$DENIED" sh -c "echo 1 >$JT/free_recovered"
refuse "event cannot be written" "$DENIED" sh -c "echo a >$JT/event"
refuse "marker cannot be written" "$DENIED" sh -c "echo 1 >$JT/marker"
check "what was recovered stays" cmp "$JT/recovered" "$TMP/recovered"
refuse "a file cannot be made writable" "$DENIED" chmod 600 "$JT/trace"
for file in config recovered trace; do
	refuse "$file cannot be written" "$DENIED" sh -c "echo 1 >$JT/$file"
done
expect "it records on" "$(stat recorded)" "$(trace | entries | wc -l)"
expect "nothing is cleared" "$(stat cleared)" 0
refuse "an unsigned module cannot be loaded" "$DENIED" load jtrace_hammer

# ---- loaded when the kernel is locked down: with a signature, jtrace_unsigned sees to that ----

# found TEXT PARAM...: check that jtrace uses the memory reserved for it at boot
found() {
	found_text=$1
	shift
	check "$found_text: loaded" load jtrace enabled=persistent "$@"
	expect "$found_text: persistent" "$(config Persistent)" yes
	load jtrace_client id=7
	check "$found_text: records" sh -c "grep -q '00000007 .*client: hello' $JT/trace"
	unload jtrace_client
	unload jtrace
}

echo y >/sys/module/jtrace_unsigned/parameters/allow
unload jtrace_client
unload jtrace
check "a module with a signature is loaded" load jtrace
unload jtrace
log_mark
# shellcheck disable=SC2086 # a list of words
refuse "root chooses no address" "$DENIED" load jtrace $region
log_since >"$TMP/log"
check "the kernel says which parameter" grep -q \
	"jtrace: .$RESERVED' invalid for parameter .mem_address'" "$TMP/log"
lacks "nothing is taken" ' : jtrace$' /proc/iomem
refuse "nor another size" "$DENIED" load jtrace enabled=persistent mem_address=0x0 mem_size=4K
case $(uname -r) in
6.1.*)	;;
*)	log_mark
	refuse "root chooses a reserve_mem= of no owner" "$DENIED" \
		load jtrace enabled=persistent mem_name=other
	log_since >"$TMP/log"
	check "one line says why" grep -q \
		"jtrace: mem_name=other: the kernel is locked down: the name must begin with jtrace\$" \
		"$TMP/log"
	found "reserve_mem= of jtrace" mem_name=jtrace ;;
esac
[ ! -e "/proc/device-tree/reserved-memory/jtrace@${RESERVED#0x}/compatible" ] ||
	found "by its node"

# ---- probes and events by parameter, when nobody may see the kernel's memory ----

check "lock down further" sh -c "echo confidentiality >$LOCKDOWN"
load jtrace
if have jtrace_events; then
	log_mark
	refuse "no event is turned on" "$INVALID" load jtrace_events events=sched
	log_since >"$TMP/log"
	check "one line says why: events" grep -q \
		"jtrace_events: events=sched: at character 1: the kernel is locked down\$" "$TMP/log"
	check "without a parameter it is loaded, too" load jtrace_events
	unload jtrace_events
fi
if have jtrace_probe; then
	for line in 'p:a vfs_read' 'r:a vfs_read' 't:a sched_switch' 'w:a jiffies' 'f:a vfs_*'; do
		log_mark
		refuse "no probe is defined: $line" "$INVALID" load jtrace_probe probe="\"$line\""
		log_since >"$TMP/log"
		check "one line says why: $line" grep -q \
			"jtrace_probe: probe=${line%\*}.*: at character 5: the kernel is locked down\$" "$TMP/log"
	done
	check "without a parameter it is loaded" load jtrace_probe
	refuse "its file cannot be written" "$DENIED" sh -c "echo 't sched_switch' >>$JT/probes"
	check "with the parameter off, too" sh -c "rmmod jtrace_probe && insmod $(ko jtrace_probe) off probe='\"p:a vfs_read\"'"
fi

finish
