// SPDX-License-Identifier: GPL-2.0
/* Events of the scheduler. */

#include <linux/mm_types.h>
#include <linux/sched.h>
#include <trace/events/sched.h>

#include "events.h"

/* The state of the previous task, as the kernel's event of the same name shows it. */
static __always_inline u32 switched_state(bool preempt, struct task_struct *prev,
					  unsigned int prev_state)
{
	unsigned int index;

	if (preempt)
		return TASK_REPORT_MAX;
	/* The parent of a dead task may change it at the same time. */
	index = __task_state_index(prev_state, READ_ONCE(prev->exit_state));
	return index ? 1 << (index - 1) : 0;
}

JTRACE_EVENT(sched_switch,
	TP_PROTO(bool preempt, struct task_struct *prev, struct task_struct *next,
		 unsigned int prev_state),
	(s32, prev_pid, prev->pid),
	(s32, next_pid, next->pid),
	(x32, prev_state, switched_state(preempt, prev, prev_state)),
	(s32, next_prio, next->prio),
	(string, next_comm, next->comm));

/* Also of a task that never gets so far as sched_wakeup, because its CPU hangs. */
JTRACE_EVENT(sched_waking,
	TP_PROTO(struct task_struct *p),
	(s32, pid, p->pid),
	(s32, prio, p->prio),
	(u32, target_cpu, task_cpu(p)),
	(string, comm, p->comm));

JTRACE_EVENT(sched_wakeup,
	TP_PROTO(struct task_struct *p),
	(s32, pid, p->pid),
	(s32, prio, p->prio),
	(u32, target_cpu, task_cpu(p)),
	(string, comm, p->comm));

JTRACE_EVENT(sched_wakeup_new,
	TP_PROTO(struct task_struct *p),
	(s32, pid, p->pid),
	(s32, prio, p->prio),
	(u32, target_cpu, task_cpu(p)),
	(string, comm, p->comm));

JTRACE_EVENT(sched_migrate_task,
	TP_PROTO(struct task_struct *p, int dest_cpu),
	(s32, pid, p->pid),
	(s32, prio, p->prio),
	(u32, orig_cpu, task_cpu(p)),
	(s32, dest_cpu, dest_cpu),
	(string, comm, p->comm));

static struct jtrace_event *sched_events[] = {
	&jtrace_event_sched_switch,
	&jtrace_event_sched_waking,
	&jtrace_event_sched_wakeup,
	&jtrace_event_sched_wakeup_new,
	&jtrace_event_sched_migrate_task,
};

struct jtrace_event_group jtrace_group_sched = JTRACE_EVENT_GROUP("sched", sched_events);
