#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# reach - no definition harms the kernel: the last argument of each tracepoint, which hardly one
# has, and functions that the kernel does not trace, one at a time
#
# log: took more than 25 % of a CPU
#
# SEED draws REACH functions (100; 0: all).  Needs a machine where code can be patched: not QEMU
# with several CPUs (see enabled.sh).

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

have jtrace_probe || skip_all "no jtrace_probe.ko"
need_patching
TRACEFS=/sys/kernel/tracing
mount -t tracefs tracefs $TRACEFS 2>/dev/null
[ -e $TRACEFS/available_filter_functions ] || skip_all "no list of the functions that can be traced"
SEED=${SEED:-$(date +%s)}
REACH=${REACH:-100}
diag "SEED=$SEED REACH=$REACH"

# work: hit what was armed: tasks, files, memory, timers, interrupts, a fault
work() {
	ls -l / >/dev/null
	cat /proc/self/maps /proc/interrupts >/dev/null
	sleep 0.05
	! sh -c 'kill -SEGV $$' 2>/dev/null
}

# hit NAME: was this probe hit?
hit() {
	probe_line "$1" | grep -q ' # hits=[1-9]'
}

# Armed functions are breakpoints, so slow does not mean stuck.
echo 60 >/proc/sys/kernel/watchdog_thresh 2>/dev/null
echo 300 >/sys/module/rcupdate/parameters/rcu_cpu_stall_timeout
# Each removal waits for two grace periods.
echo 1 >/sys/kernel/rcu_expedited
start target_buffer_size=1M
load jtrace_probe

# ---- tracepoints ----

# Events of system calls share two tracepoints.
sed -n 's/^[^:]*:\(.*\)/\1/p' $TRACEFS/available_events |
	sed 's/^\(sys_enter\|sys_exit\)_.*/\1/' | sort -u >"$TMP/names"
at_least "tracepoints" "$(wc -l <"$TMP/names")" 300
# Some at a time: with all of them, each load that faults is a hit of many others.
awk -v to="$TMP/batch" '{ print > (to "." int((NR - 1) / 25)) }' "$TMP/names"
for batch in "$TMP"/batch.*; do
	: >"$PROBES"
	while read -r name; do
		echo "tracepoint $name" >/dev/kmsg
		says=$(define "t $name a=\$arg12 b=+0(\$arg11):string8 if \$arg10 ne 0x123456789abcdef")
		case $says in
		""|*": there is no such tracepoint; "*) ;;
		*)	echo "$says" >>"$TMP/wrong" ;;
		esac
	done <"$batch"
	work
	cat "$PROBES" >>"$TMP/probes"
done
: >>"$TMP/wrong"
: >"$PROBES"
check "each is armed, or is no tracepoint" diff /dev/null "$TMP/wrong"
at_least "armed" "$(grep -c ' mode=tracepoint' "$TMP/probes")" 250
at_least "hit" "$(grep -c ' # hits=[1-9]' "$TMP/probes")" 50

# Addresses that a CPU with five levels of page tables could have, if it ran with five.
hole="a=@0xff10000000000000 b=@0xff80000000001000 if @0xffff7ffffffffff9 eq 0xffffffffffffffff"
expect "addresses between those of users and the kernel" "$(define "p:hole kfree $hole")" ""
wait_for hit hole
at_least "cannot be read" "$(probe_line hole | sed 's/.* faults=\([0-9]*\) .*/\1/')" 3
: >"$PROBES"

# A stack that ends right behind the arguments that are there.
case $(uname -m) in
x86_64)	expect "at the end of a stack" "$(define "t:end local_timer_entry a=\$arg12 b=\$arg6")" ""
	check "is hit" wait_for hit end ;;
esac
: >"$PROBES"

# ---- functions ----

awk -v seed="$SEED" -v most="$REACH" '
	FILENAME != "/proc/kallsyms" {
		traced[$1]
		next
	}
	# Of the kernel, not of a module.  A definition has room for names of 60 bytes: those of
	# Rust are longer.  Before each function of 6.12 is padding with a name.
	tolower($2) == "t" && NF == 3 && $3 ~ /^[A-Za-z0-9_.]+$/ && length($3) <= 60 &&
	$3 !~ /^__pfx_/ && !($3 in traced) && !($3 in seen) {
		seen[$3]
		name[++nr] = $3
	}
	END {
		srand(seed)
		for (i = 1; i <= nr && (!most || i <= most); i++) {
			j = i + int(rand() * (nr - i + 1))
			drawn = name[j]
			name[j] = name[i]
			print drawn
		}
	}' $TRACEFS/available_filter_functions /proc/kallsyms >"$TMP/drawn"
# The thunks, which the handler of a probe itself runs through.
grep -oE '\<(srso|retbleed|zen|entry|its|call_depth)_[a-z_]*(return_thunk|untrain_ret|safe_ret)\>' \
	/proc/kallsyms | sort -u >"$TMP/thunks"
armed=0 refused=0
while read -r name; do
	echo "$name" >/dev/kmsg
	says=$(define "p:f $name a=\$arg1")
	case $says in
	"")	armed=$((armed + 1))
		work
		define -:f ;;
	*": kprobes refuse this address: "*|*": kprobes cannot take this instruction"|\
	*": there is no such function"|*": no instruction begins here"|*": this is a static call, "*|\
	*" runs through this thunk")
		refused=$((refused + 1)) ;;
	*)	echo "$says" ;;
	esac
done >"$TMP/wrong" <<EOF
$(cat "$TMP/drawn" "$TMP/thunks")
EOF
diag "armed $armed, refused $refused"
check "each is armed, or refused with a reason" diff /dev/null "$TMP/wrong"
at_least "armed or refused" $((armed + refused)) "$(wc -l <"$TMP/drawn")"
while read -r name; do
	case $(define "p:f $name") in
	*" runs through this thunk"|*": kprobes refuse this address: "*|*": there is no such function") ;;
	*)	echo "$name" ;;
	esac
done <"$TMP/thunks" >"$TMP/wrong"
check "no thunk is armed" diff /dev/null "$TMP/wrong"
check "it records as ever" load jtrace_client

finish
