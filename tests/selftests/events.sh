#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# log: Call Trace:
# short: yes
#
# events - each event of the kernel, against the kernel's own tracer
#
# The guest has a virtio disk, /dev/vda.  Linux reports the process that it kills out of memory
# with a call trace.

# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"

have jtrace_events || skip_all "no jtrace_events.ko"
have jtrace_provoke || skip_all "no jtrace_provoke.ko"

TOOL=${TOOL:-/jtrace/bin/jtrace}
[ -x "$TOOL" ] || skip_all "no program $TOOL"
EVENTS=$JT/events
TRACEFS=/sys/kernel/tracing
[ -d $TRACEFS/events ] || mount -t tracefs none $TRACEFS
ifconfig lo 127.0.0.1 up

# second 0|1: the second CPU.  QEMU may miss that one CPU patches code that another one runs, so
# it is off while events are switched.
second() { echo "$1" >/sys/devices/system/cpu/cpu1/online; }

second 0
start target_buffer_size=8M
load jtrace_events
echo 8192 >$TRACEFS/buffer_size_kb

# ---- What provokes an event ----

none() { :; }
run() { for _ in 1 2 3; do /bin/busybox true; done; }
nap() { sleep 0.1; }
oom() {
	sleep 100 &
	echo 1000 >/proc/$!/oom_score_adj
	echo f >/proc/sysrq-trigger
	wait $!
}
net() { ping -c 3 127.0.0.1 >/dev/null; }
disk() { dd if=/dev/zero of=/dev/vda bs=4k count=3 conv=fsync 2>/dev/null; }
migrate() {
	second 1
	for i in 1 2 1 2 1; do taskset -p $i $$ >/dev/null; done
	second 0
}
suspend() { provoke nosuspend; ! sh -c 'echo mem >/sys/power/state' 2>/dev/null; }
provoke() {
	! loaded jtrace_provoke || unload jtrace_provoke
	load jtrace_provoke what="$1"
}

# system NAME: the folder of an event in tracefs
system() {
	for s_dir in "$TRACEFS"/events/*/"$1"; do
		[ ! -d "$s_dir" ] || echo "$s_dir"
	done
}

# recorded NAME: its counter
counter() {
	sed -n "s/^!*$1[ #].* $2=\([0-9]*\).*/\1/p" "$EVENTS"
}

# compare EVENT TRACEPOINT FILTER LEAST FIELDS COMMAND...: record with both tracers
compare() {
	c_event=$1 c_tp=$2 c_filter=$3 c_least=$4 c_fields=$5
	shift 5
	c_dir=$(system "$c_tp")
	if [ -z "$c_dir" ]; then
		expect "$c_event: this kernel has none: MISSING" \
			"$(sed -n "s/^!$c_event # [a-z_]* \([A-Za-z]*\).*/\1/p" "$EVENTS")" MISSING
		return
	fi
	# Pointers as they are; then texts are empty in 6.1.
	case " $c_fields " in
	*" ptr "*|*" timer "*|*" hrtimer "*|*" work "*|*" lock_addr "*)
		echo nohash-ptr >$TRACEFS/trace_options ;;
	*)	echo hash-ptr >$TRACEFS/trace_options ;;
	esac
	clear_trace
	echo 0 >$TRACEFS/trace
	c_before=$(counter "$c_event" recorded)
	echo "$c_filter" >"$c_dir/filter"
	echo 1 >"$c_dir/enable"
	echo "$c_event" >>"$EVENTS"
	"$@" >/dev/null
	echo "!$c_event" >>"$EVENTS"
	echo 0 >"$c_dir/enable"
	echo 0 >"$c_dir/filter"
	cat $TRACEFS/trace >"$TMP/theirs"
	trace >"$TMP/ours"
	c_says=$(awk -v event="$c_event" -v tracefs="$c_tp" -v fields="$c_fields" \
		-f "$HERE/events.awk" "$TMP/ours" "$TMP/theirs" 2>&1)
	case $c_says in
	[0-9]*)	ok "$c_event: as in tracefs: $c_fields" ;;
	*)	not_ok "$c_event: as in tracefs: $c_fields"
		echo "$c_says" | head -n 5 | sed 's/^/#   /'
		grep "$c_event (" "$TMP/ours" | head -n 3 | sed 's/^/#   /'
		grep " $c_tp: " "$TMP/theirs" | head -n 3 | sed 's/^/#   /'
		return ;;
	esac
	at_least "$c_event: happened" "$c_says" "$c_least"
	expect "$c_event: counted" $(($(counter "$c_event" recorded) - c_before)) "$c_says"
}

# each LEAST FIELDS COMMAND EVENT...
each() {
	e_least=$1 e_fields=$2 e_command=$3
	shift 3
	for e_event; do
		# shellcheck disable=SC2086 # a list of words
		compare "$e_event" "$e_event" 0 "$e_least" "$e_fields" $e_command
	done
}

# of_proc FILE NAME: print the number behind a name
of_proc() {
	awk -v name="$2" '$1 == name { print $2 }' "/proc/$1"
}

# samples FIELD: print the values of a field of all samples
samples() {
	"$TOOL" -d | sed -n "s/.* : usage .*\b$1=\([-0-9]*\).*/\1/p"
}

# near TEXT VALUE WANTED: pass if they differ by at most an eighth of the memory
near() {
	n_most=$(($(of_proc meminfo MemTotal:) / 8))
	at_least "$1: not too small" "$2" $(($3 - n_most))
	at_least "$1: not too large" $(($3 + n_most)) "$2"
}

# counted EVENT COUNTER LEAST: is its counter as large?
counted() {
	[ "$(counter "$1" "$2")" -ge "$3" ]
}

# sample EVENT: once a second, what /proc says, while three tasks are busy
sample() {
	clear_trace
	s_busy=
	for i in 1 2 3; do
		while :; do :; done &
		s_busy="$s_busy $!"
	done
	s_from=$(of_proc stat intr)
	echo "$1" >>"$EVENTS"
	check "$1: three samples" wait_for counted "$1" recorded 3
	echo "!$1" >>"$EVENTS"
	s_to=$(of_proc stat intr)
	s_free=$(of_proc meminfo MemFree:)
	s_available=$(of_proc meminfo MemAvailable:)
	# shellcheck disable=SC2086 # a list of words
	kill $s_busy
	expect "$1: once a second" "$(samples free_kb | wc -l) $(trace | awk -F '[][]' -v event="($1 (" '
		index($0, event) {
			if (nr++ && ($2 - last < 0.9 || $2 - last > 5))
				far++
			last = $2
		}
		END { print far + 0 }')" "$(counter "$1" recorded) 0"
	near "$1: free memory" "$(samples free_kb | tail -n 1)" "$s_free"
	near "$1: available memory" "$(samples available_kb | tail -n 1)" "$s_available"
	at_least "$1: dirty memory" "$(of_proc meminfo MemTotal:)" "$(samples dirty_kb | tail -n 1)"
	at_least "$1: runnable tasks" "$(samples runnable | sort -n | head -n 1)" 3
	at_least "$1: but not many" 20 "$(samples runnable | sort -n | tail -n 1)"
	s_sum=$(samples interrupts | awk '{ sum += $1 } END { print sum }')
	at_least "$1: interrupts: some" "$s_sum" $(((s_to - s_from) / 2))
	at_least "$1: interrupts: not more than there were" $((s_to - s_from)) "$s_sum"
	sleep 1.5
	expect "$1: no sample while it is off" "$(samples free_kb | wc -l)" "$(counter "$1" recorded)"
	log_mark
	echo "$1 if runnable gt 1000" >>"$EVENTS"
	check "$1: it is on again" wait_for counted "$1" filtered 1
	echo "$1 if runnable gt -1" >>"$EVENTS"
	unload jtrace_events
	expect "$1: the module can go while it is on" "$(log_since | grep -c 'WARNING\|Oops')" 0
	load jtrace_events
}

each 3 "prev_pid next_pid prev_state next_prio next_comm" run sched_switch
each 1 "comm pid prio target_cpu" nap sched_waking sched_wakeup
each 3 "comm pid prio target_cpu" run sched_wakeup_new
each 1 "comm pid prio orig_cpu dest_cpu" migrate sched_migrate_task
each 3 "pid comm clone_flags oom_score_adj" run task_newtask
each 3 "pid old_pid" run sched_process_exec
each 3 "comm pid prio" run sched_process_exit
each 1 "irq name" disk irq_handler_entry
each 1 "irq" disk irq_handler_exit
each 1 "vec" nap softirq_raise softirq_entry softirq_exit
each 5 "timer baseclk" "provoke timer" timer_expire_entry
each 5 "timer" "provoke timer" timer_expire_exit
each 1 "hrtimer now" "provoke hrtimer" hrtimer_expire_entry
each 1 "hrtimer" "provoke hrtimer" hrtimer_expire_exit
each 5 "work" "provoke work" workqueue_execute_start workqueue_execute_end
each 10 "id arg0 arg1 arg2" run sys_enter
each 10 "id ret" run sys_exit
each 5 "lock_addr" "provoke lock" contention_begin contention_end
each 5 "ptr bytes_req bytes_alloc node" "provoke kmalloc" kmalloc
each 5 "ptr" "provoke kmalloc" kfree
each 5 "ptr" "provoke cache" kmem_cache_alloc kmem_cache_free
each 5 "pfn order migratetype" "provoke page" mm_page_alloc
each 5 "pfn order" "provoke page" mm_page_free
each 1 "pid" oom mark_victim
compare kmalloc_fail kmalloc "ptr == 0" 5 "bytes_req node" provoke kmalloc_fail
compare kmem_cache_alloc_fail kmem_cache_alloc "ptr == 0" 5 "node" provoke cache_fail
compare mm_page_alloc_fail mm_page_alloc "pfn == -1" 1 "order migratetype" provoke page_fail
each 1 "sector nr_sector" disk block_rq_issue block_rq_complete
each 6 "dev len" net netif_receive_skb
each 6 "dev len protocol" net net_dev_start_xmit
each 1 "protocol" net kfree_skb
each 1 "address error_code" run page_fault_kernel
each 2 "action val start" suspend suspend_resume
each 1 "state cpu_id" nap cpu_idle
sample usage

# Each event of the list was compared.
listed=$(sed -n 's/^!*\([a-z_]*\)[ #].*/\1/p' "$EVENTS" | sort | tr '\n' ' ')
for name in $listed; do
	grep -qE "^(each|compare|sample) (.*[ \"])?$name( |\$)" "$0" || missed="$missed $name"
done
expect "each event was tested" "$missed" ""
second 1

finish
