#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# hits - clauses of probes are exact while all CPUs hit them at once, in interrupts
#
# QEMU may miss that one CPU patches code that another one runs, so only one CPU is online while
# probes are defined and removed.
#
# short: yes

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

have jtrace_probe || skip_all "no jtrace_probe.ko"

# others 0|1: all CPUs but the first one
others() {
	for o_cpu in /sys/devices/system/cpu/cpu[1-9]*/online; do
		[ ! -f "$o_cpu" ] || echo "$1" >"$o_cpu"
	done
}

# hit CALLS LINE...: define probes, call so often on each CPU
hit() {
	h_calls=$1
	shift
	others 0
	: >"$PROBES"
	clear_trace
	for h_line; do
		echo "$h_line" >>"$PROBES" || tail -n 1 "$PROBES"
	done
	others 1
	echo "$h_calls" >/sys/module/jtrace_source/parameters/fire_each
	cat "$PROBES" >"$TMP/probes"
	others 0
}

# counts NAME: hits recorded filtered passed limited lost faults missed
counts() {
	sed -n "/^[prt]:$1 /{s/.* # //; s/ mode=.*//; s/[a-z]*=//gp}" "$TMP/probes"
}

# recorded NAME: how many of its entries are in the trace
recorded() {
	trace | entries | grep -c "($1[ )]"
}

others 0
start target_buffer_size=16M
load jtrace_probe
load jtrace_source
n=1000
all=$((n * CPUS))

hit $n "p:all jtrace_source_call n=\$arg1:u32" "t:event jtrace_source n=\$arg1:u32"
expect "each hit of $CPUS CPUs is counted" "$(counts all)" "$all $all 0 0 0 0 0 0"
expect "and recorded" "$(recorded all) $(recorded event)" "$all $all"

hit $n "t:some jtrace_source n=\$arg1:u32 skip=501 every=7"
want=$(((all - 501) / 7))
expect "skip= and every= over all CPUs" "$(counts some)" "$all $want 0 $((all - want)) 0 0 0 0"
expect "and recorded" "$(recorded some)" "$want"

others 0
: >"$PROBES"
load jtrace_events
load jtrace_sink
clear_trace
echo "jtrace_source skip=501" >>"$JT/events"
others 1
echo $n >/sys/module/jtrace_source/parameters/fire_each
expect "skip= of an event over all CPUs" \
	"$(sed -n 's/^jtrace_source .* hits=\([0-9]*\) recorded=\([0-9]*\) .*/\1 \2/p' "$JT/events")" \
	"$all $((all - 501))"
expect "and recorded" "$(recorded jtrace_source)" $((all - 501))
others 0

# Clauses of an event come and go while it is hit on all CPUs, in tasks: firing is busy for as long.
# With two more probes on the tracepoint, the kernel does not patch its code for that.
echo '!all' >>"$JT/events"
for i in 1 2; do
	echo "t:keep$i jtrace_source if \$arg1:u32 eq 4000000000" >>"$PROBES"
done
clear_trace
others 1
for _ in $(seq "$CPUS"); do
	while [ ! -f "$TMP/enough" ]; do
		echo 100 >/sys/module/jtrace_source/parameters/fire
	done &
done
failed=0
for i in $(seq 15); do
	for line in "in=a on=b skip=$i every=3" "off=a rate=500 if number gt 3" "on=a stop=9" \
		"" "off=b every=2 if text eq even"; do
		echo "jtrace_source $line" >>"$JT/events" || failed=$((failed + 1))
	done
	echo '!jtrace_source' >>"$JT/events" || failed=$((failed + 1))
	echo 1 >"$JT/enabled"
done
touch "$TMP/enough"
wait
expect "each change was taken" "$failed" 0
lacks "no switch is left" '^# switch' "$JT/events"
at_least "hits were recorded meanwhile" "$(recorded jtrace_source)" 100
check "and all are right" verify
echo "jtrace_source skip=7 every=2" >>"$JT/events"
echo 100 >/sys/module/jtrace_source/parameters/fire
expect "counters are those of the last clauses" \
	"$(sed -n 's/^jtrace_source .* hits=\([0-9]*\) recorded=\([0-9]*\) .*/\1 \2/p' "$JT/events")" \
	"100 46"
others 0
unload jtrace_sink
unload jtrace_events

# Hits for some seconds; of any 11 that are recorded, the last one is a second after the first.
hit $n "t:limited jtrace_source n=\$arg1:u32 rate=10"
others 1
until [ "$(recorded limited)" -ge 40 ]; do
	echo $n >/sys/module/jtrace_source/parameters/fire_each
done
others 0
cat "$PROBES" >"$TMP/probes"
# shellcheck disable=SC2046 # words
set -- $(counts limited)
expect "rate=: all are accounted for" "$(($2 + $5))" "$1"
expect "rate=: recorded" "$(recorded limited)" "$2"
expect "rate=: never more in a second, to a hundredth" "$(trace | entries |
	awk -F '[][]' '/\(limited / {
		t[n++] = $2
		if (n > 10 && t[n - 1] - t[n - 11] < 0.99)
			print t[n - 11], t[n - 1]
	}')" ""

# The hit of stopper is recorded before it stops: other CPUs may record until that is done, which
# takes long if the host does not run its CPU.  Its own CPU cannot.
#
# after_stopper: entries after that of stopper; of these, those of its CPU, and those from the first
# one of its CPU on
after_stopper() {
	trace | entries | sed -n '/(stopper)/,$p' | awk '{
		match($0, /\]\[cpu [0-9]+/)
		cpu = substr($0, RSTART, RLENGTH)
	}
	NR == 1 {
		its = cpu
		next
	}
	/\(all |\(stopper/ {
		after++
		if (cpu == its)
			own++
		if (own)
			since++
	}
	END { print after + 0, own + 0, since + 0 }'
}

for stop in 0 1 100 $((n / 2)); do
	hit $n "t:all jtrace_source n=\$arg1:u32" "p:stopper jtrace_source_call if \$arg1:u32 eq 77 rate=1 stop=$stop"
	expect "stop=$stop: the last entry" "$(trace | entries | grep -c '(jtrace: stopped: stopper)')" 1
	# shellcheck disable=SC2046 # words
	set -- $(counts all) $(counts stopper)
	expect "stop=$stop: recorded is what is in the trace" "$2 ${10}" \
		"$(recorded all) $(recorded stopper)"
	expect "stop=$stop: the rest is lost" "$6 ${14}" "$(($1 - $2)) $(($9 - ${10} - ${11} - ${13}))"
	# shellcheck disable=SC2046 # words
	set -- $(after_stopper)
	diag "stop=$stop: $1 after the hit, $2 on its CPU, $3 since the first of these"
	at_least "stop=$stop: so many after the hit" "$1" "$stop"
	at_least "stop=$stop: no more on its CPU" "$stop" "$2"
	# Events of other CPUs may have begun before the hit, and come later in the trace.
	at_least "stop=$stop: nor since then on all CPUs, but for those that had begun" \
		$((stop + 2 * CPUS)) "$3"
	echo 1 >"$JT/enabled"
done

: >"$PROBES"
others 1
finish
