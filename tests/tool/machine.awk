# SPDX-License-Identifier: GPL-2.0
#
# machine.awk - print the events of a made-up machine for mkimage
#
# Usage: awk -f tests/tool/machine.awk MACHINE > EVENTS
#
# Lines of MACHINE; numbers of tasks are decimal, 0 is the idle task:
#	switch CPU PREV NEXT STATE [PRIO]	a task begins to run
#	waking CPU TID PID TARGET [CONTEXT]; wake CPU TID PID TARGET
#					TID begins to wake PID; PID is ready on a CPU
#	new CPU TID PID			TID makes PID
#	born CPU TID PID		TID wakes the new PID
#	exit CPU TID			TID begins to exit
#	migrate CPU TID PID TARGET	PID goes to another CPU
#	irq, irqend CPU TID IRQ		an interrupt, and its end
#	soft, softdone CPU TID VEC	a softirq
#	timer CPU TID TIMER FUNCTION; timerdone CPU TID TIMER
#					a timer's function
#	runs CPU TID TIMER FUNCTION N [blink]	it runs so many times, with pauses between
#	work, workdone CPU TID WORK FUNCTION
#	lock CPU TID LOCK OWNER [FLAGS]; unlock CPU TID LOCK	a wait for a lock, and its end
#	issue, complete CPU TID SECTOR	a request to a disk
#	enter, leave CPU TID ID		a system call
#	full CPU			so many events that its chunk is full
#	offline, resume, stop, start, thawed CPU; switched CPU ON OFF	events of jtrace
#	lost CPU; pause CPU; nap CPU	see mkimage: an event is lost; a second passes, or 0.1
#	as TAG				an event with any tag, on CPU 0
#	stack CPU ADDRESS...		the stack of the next event, see mkstack.h
#	healthy				CPUs 0 and 1 work
#	seconds CPU N			so many seconds in which only that CPU works
# Each event takes 1 us.

# Entries of a chunk of mkimage.
BEGIN { CHUNK = 7 }

function hex(n) { return sprintf("%x", n) }

function event(cpu, context, tid, values, tag,   name) {
	name = tag
	sub(/ .*/, "", name)
	used[cpu]++
	printf "%d 3:0:%s:%s %s event %s %s\n", cpu, context, hex(tid), values, name, tag
}

function own(cpu, values, file, tag) {
	used[cpu]++
	printf "%d 0:0:0:0 %s 0 0 0 0 %s f %s\n", cpu, values, file, tag
}

# Two tasks in turn, with one of each kind of event that begins and ends.
function goes_on(cpu, times,   tid) {
	tid = 10 + cpu
	while (times-- > 0) {
		take("wake " cpu " 0 " tid " " cpu)
		take("switch " cpu " 0 " tid " 0")
		take("enter " cpu " " tid " 0")
		take("irq " cpu " " tid " 9")
		take("soft " cpu " " tid " 3")
		take("softdone " cpu " " tid " 3")
		take("irqend " cpu " " tid " 9")
		take("work " cpu " " tid " a1 ffffffff81000000")
		take("workdone " cpu " " tid " a1 ffffffff81000000")
		take("lock " cpu " " tid " a50" cpu " 0")
		take("unlock " cpu " " tid " a50" cpu)
		take("issue " cpu " " tid " 4" cpu)
		take("complete " cpu " " tid " 4" cpu)
		take("leave " cpu " " tid " 0")
		take("switch " cpu " " tid " 0 1")
	}
}

function take(line,   w, n) {
	n = split(line, w, " ")
	if (w[1] == "switch")
		event(w[2], 0, w[3], hex(w[3]) " " hex(w[4]) " " w[5] " " (n > 5 ? w[6] : 78) \
		      " 6b736174 0", "sched_switch (prev_pid:s32, next_pid:s32, prev_state:x32, next_prio:s32, " \
		      "next_comm:string)")
	else if (w[1] == "wake")
		event(w[2], 0, w[3], hex(w[4]) " 78 " w[5] " 0 6b736174 0",
		      "sched_wakeup (pid:s32, prio:s32, target_cpu:u32, comm:string)")
	else if (w[1] == "born")
		event(w[2], 0, w[3], hex(w[4]) " 78 0 0 6b736174 0",
		      "sched_wakeup_new (pid:s32, prio:s32, target_cpu:u32, comm:string)")
	else if (w[1] == "new")
		event(w[2], 0, w[3], hex(w[4]) " 0 0 0 6b736174 0", "task_newtask (pid:s32, comm:string)")
	else if (w[1] == "exit")
		event(w[2], 0, w[3], hex(w[3]) " 78 0 0 6b736174 0",
		      "sched_process_exit (pid:s32, prio:s32, comm:string)")
	else if (w[1] == "waking")
		event(w[2], n > 5 ? w[6] : 0, w[3], hex(w[4]) " 78 " w[5] " 0 6b736174 0",
		      "sched_waking (pid:s32, prio:s32, target_cpu:u32, comm:string)")
	else if (w[1] == "migrate")
		event(w[2], 0, w[3], hex(w[4]) " 78 0 " w[5] " 6b736174 0",
		      "sched_migrate_task (pid:s32, prio:s32, orig_cpu:u32, dest_cpu:s32, " \
		      "comm:string)")
	else if (w[1] == "irq")
		event(w[2], 100, w[3], w[4] " 0 0 0 306469 0",
		      "irq_handler_entry (irq:s32, name:string)")
	else if (w[1] == "irqend")
		event(w[2], 100, w[3], w[4] " 1 0 0 0 0", "irq_handler_exit (irq:s32, ret:s32)")
	else if (w[1] == "soft")
		event(w[2], 1, w[3], w[4] " 0 0 0 0 0", "softirq_entry (vec:u32)")
	else if (w[1] == "softdone")
		event(w[2], 1, w[3], w[4] " 0 0 0 0 0", "softirq_exit (vec:u32)")
	else if (w[1] == "timer")
		event(w[2], 1, w[3], "0 0 0 0 " w[4] " " w[5],
		      "timer_expire_entry (timer:x64, function:symbol)")
	else if (w[1] == "timerdone")
		event(w[2], 1, w[3], "0 0 0 0 " w[4] " 0", "timer_expire_exit (timer:x64)")
	else if (w[1] == "runs")
		while (w[6]-- > 0) {
			take("timer " w[2] " " w[3] " " w[4] " " w[5])
			take("timerdone " w[2] " " w[3] " " w[4])
			if (n > 6)
				print w[2] " blink"
		}
	else if (w[1] == "work")
		event(w[2], 0, w[3], "0 0 0 0 " w[4] " " w[5],
		      "workqueue_execute_start (work:x64, function:symbol)")
	else if (w[1] == "workdone")
		event(w[2], 0, w[3], "0 0 0 0 " w[4] " " w[5],
		      "workqueue_execute_end (work:x64, function:symbol)")
	else if (w[1] == "lock")
		event(w[2], 0, w[3], (n > 5 ? w[6] : 20) " " hex(w[5]) " 0 0 " w[4] " 0",
		      "contention_begin (flags:x32, owner:s32, lock_addr:x64)")
	else if (w[1] == "unlock")
		event(w[2], 0, w[3], "0 0 0 0 " w[4] " 0",
		      "contention_end (ret:s32, lock_addr:x64)")
	else if (w[1] == "issue")
		event(w[2], 0, w[3], "8 0 " w[4] " 0 616476 0",
		      "block_rq_issue (nr_sector:u32, cmd_flags:x32, dev:string, sector:u64)")
	else if (w[1] == "complete")
		event(w[2], 0, w[3], "8 0 " w[4] " 0 616476 0",
		      "block_rq_complete (nr_sector:u32, status:u8, dev:string, sector:u64)")
	else if (w[1] == "enter")
		event(w[2], 0, w[3], w[4] " 0 0 0 0 0",
		      "sys_enter (id:s32, compat:u8, arg0:x64, arg1:x64, arg2:x64)")
	else if (w[1] == "leave")
		event(w[2], 0, w[3], w[4] " 0 0 0 0 0",
		      "sys_exit (id:s32, compat:u8, ret:s64)")
	else if (w[1] == "offline")
		own(w[2], "0 0", "jtrace_hotplug.c", "jtrace: cpu offline")
	else if (w[1] == "resume")
		own(w[2], "0 0", "jtrace_suspend.c", "jtrace: resume")
	else if (w[1] == "switched")
		own(w[2], w[3] " " w[4], "attach.c", "jtrace: events switched (on, off)")
	else if (w[1] == "thawed")
		own(w[2], "0 0", "jtrace_record.c", "jtrace: thawed (0, 0, 0, 0, skipped)")
	else if (w[1] == "full")
		while (used[w[2]] % CHUNK)
			own(w[2], "0 0", "made.c", "made")
	else if (w[1] == "stop" || w[1] == "start")
		own(w[2], "0 0", "jtrace_control.c",
		    "jtrace: " w[1] " (0, 0, 0, 0, recorded, lost)")
	else if (w[1] == "as")
		event(0, 0, 0, "1 0 0 0 0 0", substr(line, 4))
	else if (w[1] == "lost" || w[1] == "pause" || w[1] == "nap")
		print w[2] " " w[1]
	else if (w[1] == "stack")
		print w[2] " stack" substr(line, length("stack " w[2]) + 1)
	else if (w[1] == "healthy") {
		goes_on(0, 10)
		goes_on(1, 10)
	} else if (w[1] == "seconds") {
		for (n = 10 * w[3]; n > 0; n--) {
			print w[2] " nap"
			goes_on(w[2], 1)
		}
	} else {
		print "machine.awk: what is \"" line "\"?" > "/dev/stderr"
		exit 1
	}
}

{ take($0) }
