// SPDX-License-Identifier: GPL-2.0
/* Events of tasks: they begin, become another program, and end. */

#include <linux/binfmts.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>

#include "events.h"

#ifdef JTRACE_HAS_CLONE_FLAGS_U64
#define CLONE_FLAGS	u64
#else
#define CLONE_FLAGS	unsigned long
#endif

JTRACE_EVENT(task_newtask,
	TP_PROTO(struct task_struct *task, CLONE_FLAGS clone_flags),
	(s32, pid, task->pid),
	(s32, oom_score_adj, READ_ONCE(task->signal->oom_score_adj)),
	(string, comm, task->comm),
	(x64, clone_flags, clone_flags));

JTRACE_EVENT(sched_process_exec,
	TP_PROTO(struct task_struct *p, pid_t old_pid, struct linux_binprm *bprm),
	(s32, pid, p->pid),
	(s32, old_pid, old_pid),
	(string, comm, p->comm));

#ifdef JTRACE_HAS_EXIT_GROUP_DEAD
#define EXIT_PROTO	TP_PROTO(struct task_struct *p, bool group_dead)
#else
#define EXIT_PROTO	TP_PROTO(struct task_struct *p)
#endif

JTRACE_EVENT(sched_process_exit,
	EXIT_PROTO,
	(s32, pid, p->pid),
	(s32, prio, READ_ONCE(p->prio)),
	(string, comm, p->comm));

static struct jtrace_event *task_events[] = {
	&jtrace_event_task_newtask,
	&jtrace_event_sched_process_exec,
	&jtrace_event_sched_process_exit,
};

struct jtrace_event_group jtrace_group_task = JTRACE_EVENT_GROUP("task", task_events);
