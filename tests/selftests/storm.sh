#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# storm - events from all contexts, NMIs included, while CPUs go offline and online, clients
# are loaded and unloaded, the trace is read and cleared, and the machine goes to sleep
# as far as pm_test lets it: counters are exact, and all entries shown are true
#
# SECONDS_STORM sets its length. EVENTS_ON=1 (busy.sh) turns on all events of the kernel, too.
# PATCHING=1 turns recording off and on, too: do not set
# it where QEMU runs a thread for each CPU (see enabled.sh).

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

seconds=${SECONDS_STORM:-12}
case $(uname -m) in
x86_64)	contexts=15 ;;
*)	contexts=7
	skip "NMIs: the hammer has them on x86 only" ;;
esac
grep -q QEMU /proc/cpuinfo || PATCHING=1

# Each event once: counters begin anew when an event is turned on.
events_on() {
	load jtrace_events || return
	groups=$(sed -n 's/^!.* # \([a-z_]*\) .*/\1/p' "$JT/events" | sort -u |
		grep -vx -e timer -e alloc_fail)
	printf '%s\n' 'timer every=3' "$groups" >>"$JT/events"
	# Each line is an event, too, and the one that turns all off.
	switches=$(printf '%s\n' 'timer every=3' "$groups" all | wc -l)
}

events_off() {
	echo '!all' >>"$JT/events"
}

# hits: print how many hits of events passed their clauses
hits() {
	sed -n 's/.* hits=\([0-9]*\) recorded=[0-9]* filtered=\([0-9]*\)$/\1 \2/p' "$JT/events" |
		awk '{ n += $1 - $2 } END { print n + 0 }'
}

# sleep_to LEVEL: sleep to a level of pm_test; print the number of events of jtrace itself
sleep_to() {
	echo "$1" >/sys/power/pm_test && echo mem >/sys/power/state || return 1
	case $1 in
	core)	own=$((own + 2 * CPUS)) ;;
	# The other CPUs go offline.
	processors) own=$((own + 2 * (CPUS - 1))) ;;
	esac
	slept="$slept $1"
}

levels=
if [ -f /sys/power/pm_test ] && grep -q mem /sys/power/state; then
	levels='core processors platform devices freezer'
	echo 0 >/sys/module/suspend/parameters/pm_test_delay
else
	skip "sleep as far as pm_test lets it: not in this kernel"
fi
[ -n "$(removable_cpus)" ] || skip "CPUs come and go: none can go here"

start target_buffer_size=16K last_entry_storage=-1
events=0 frees=n switches=0
if [ -n "${EVENTS_ON-}" ]; then
	check "all events on" alone events_on
	frees=y
fi
hammering 100 bound=n frees=$frees contexts=$contexts burst=8 pause_us=200
end=$(($(up) + seconds))
bad=0 dumps=0 gone=0 own=0 pauses=0 slept='' failed=0
rounds=0
while [ $rounds -lt 2 ] || [ "$(up)" -lt $end ]; do
	rounds=$((rounds + 1))
	for cpu in $(removable_cpus); do
		if cpu_online "$cpu" 0; then
			gone=$((gone + 1))
			verify >"$TMP/out" 2>&1 || { bad=$((bad + 1)); cp "$TMP/out" "$TMP/bad"; }
			cpu_online "$cpu" 1 || failed=$((failed + 1))
		else
			failed=$((failed + 1))
		fi
		dumps=$((dumps + 1))
	done
	load jtrace_client && unload jtrace_client && own=$((own + 2))
	verify -c -1 >"$TMP/out" 2>&1 || { bad=$((bad + 1)); cp "$TMP/out" "$TMP/bad"; }
	dumps=$((dumps + 1))
	clear_trace
	if [ "${PATCHING-}" = 1 ]; then
		recording 0
		recording 1
		own=$((own + 2))
		pauses=$((pauses + 1))
	fi
	if [ -n "$levels" ]; then
		level=${levels%% *}
		sleep_to "$level" || failed=$((failed + 1))
		levels="${levels#* } $level"
	fi
done
hammer_stop
if [ -n "${EVENTS_ON-}" ]; then
	check "all events off" alone events_off
	events=$(hits)
	# A pause may begin between an event of the hammer and its kfree().
	at_least "kfree() is recorded in each context" \
		"$(sed -n 's/^!kfree # .* hits=\([0-9]*\) .*/\1/p' "$JT/events")" \
		$(($(param jtrace_hammer passed) - 64 * pauses))
fi
[ $bad -eq 0 ] || sed 's/^/#   /' "$TMP/bad"
diag "$(param jtrace_hammer events) events, $(param jtrace_hammer passed) while on;" \
	"$events kernel events, CPUs went $gone times, $pauses pauses, slept:$slept;" "$(tr '\n' ' ' <"$JT/stats")"
at_least "dumps" $dumps 1
expect "all of $dumps dumps are right" $bad 0
expect "CPUs came and went, and the machine slept, when told to" $failed 0
[ -z "$(removable_cpus)" ] || at_least "CPUs went" $gone 2
[ -z "$levels" ] || at_least "levels of sleep" "$(echo "$slept" | wc -w)" 1
at_least "events" "$(param jtrace_hammer passed)" 1000
check "right at the end" verify -c -1
sums $(($(param jtrace_hammer passed) + own + switches + events)) "at the end"
sites=$(stat sites)
load jtrace_client && unload jtrace_client
expect "a client that was there adds no site" "$(stat sites)" "$sites"

finish
