// SPDX-License-Identifier: GPL-2.0
/*
 * Names of tasks in the image, so that readers name the task of an entry, also after a reset.
 *
 * The kernel tells of each new task, each new name and each end at tracepoints, and a walk at load
 * finds the tasks that are there.  A record knows nothing of it.  lib/image/task.c has the area.
 *
 * The tracepoint of a new name is called before the name changes, so it has the name as an
 * argument.  Until 6.13, nothing of the task comes between (the lock of the task is held).  Since
 * then, the task may be preempted there: its entries have the new name a moment too early.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/math64.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "jtrace_internal.h"
#include "wrapper/wrapper.h"

/* Of jtrace.tasks.  Not preempted, so a reader that copies a set never waits for long. */
static DEFINE_RAW_SPINLOCK(tasks_lock);

/*
 * No entry is older than the claim of the oldest chunk, but for some in the chunks that CPUs have
 * not left for long.
 */
static u64 oldest_entry(void)
{
	const struct jtrace_layout *l = &jtrace.ring.l;
	const struct jtrace_chunk_header *c;
	u32 index;

	div_u64_rem(atomic64_read(&jtrace.ring.claims) + 1, l->nr_chunks, &index);
	c = jtrace_chunk_at(l, jtrace.ring.img, index);
	return le64_to_cpu(READ_ONCE(c->stamp.ticks));
}

static void add_locked(u32 tid, const char *comm)
{
	jtrace_task_add(&jtrace.tasks, tid, jtrace_clock_now(), comm, oldest_entry);
}

static void add(u32 tid, const char *comm)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&tasks_lock, flags);
	add_locked(tid, comm);
	raw_spin_unlock_irqrestore(&tasks_lock, flags);
}

/* From now on nothing is known of a tid, and its names may go. */
static void end_unnamed(u32 tid)
{
	add_locked(tid, "");
	jtrace_task_end(&jtrace.tasks, tid);
}

/*
 * A task that was there before.  Tracepoints know better: they may have told of a new name, or of a
 * new task with this tid, since it was found.
 */
static void add_found(u32 tid, const char *comm)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&tasks_lock, flags);
	if (!jtrace_task_known(&jtrace.tasks, tid))
		add_locked(tid, comm);
	raw_spin_unlock_irqrestore(&tasks_lock, flags);
}

/* ---- Tracepoints ------------------------------------------------------ */

/* These have the prototypes of the tracepoints, which CFI compares. */
#ifdef JTRACE_HAS_CLONE_FLAGS_U64
static void task_is_new(void *unused, struct task_struct *task, u64 clone_flags)
#else
static void task_is_new(void *unused, struct task_struct *task, unsigned long clone_flags)
#endif
{
	add(task->pid, task->comm);
}

static void task_is_renamed(void *unused, struct task_struct *task, const char *comm)
{
	add(task->pid, comm);
}

#ifdef JTRACE_HAS_EXIT_GROUP_DEAD
static void task_ends(void *unused, struct task_struct *task, bool group_dead)
#else
static void task_ends(void *unused, struct task_struct *task)
#endif
{
	struct task_struct *heir;
	unsigned long flags;

	raw_spin_lock_irqsave(&tasks_lock, flags);
	/*
	 * Another thread may run a program: the two exchange their tids while this one still ends,
	 * and the other one keeps its own name until the tracepoint of the new one.
	 */
	if (thread_group_leader(task) && !thread_group_empty(task)) {
		heir = READ_ONCE(task->signal->jtrace_group_exec_task);
		add_locked(task->pid, "");
		if (heir)
			end_unnamed(heir->pid);
	}
	jtrace_task_end(&jtrace.tasks, task->pid);
	raw_spin_unlock_irqrestore(&tasks_lock, flags);
}

static struct {
	const char *name;
	void *probe;
	struct tracepoint *tp;
} points[] = {
	{ "task_newtask", task_is_new },
	{ "task_rename", task_is_renamed },
	{ "sched_process_exit", task_ends },
};

static void detach(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(points); i++)
		if (IS_ENABLED(CONFIG_TRACEPOINTS) && points[i].tp)
			tracepoint_probe_unregister(points[i].tp, points[i].probe, NULL);
	tracepoint_synchronize_unregister();
}

/* All of them, or none: names would be wrong. */
static bool attach(void)
{
	int err = IS_ENABLED(CONFIG_TRACEPOINTS) ? 0 : -EOPNOTSUPP;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(points); i++) {
		points[i].tp = jtrace_tracepoint_find(points[i].name);
		if (!err)
			err = !points[i].tp ? -ENOENT :
			      tracepoint_probe_register(points[i].tp, points[i].probe, NULL);
		if (err)
			points[i].tp = NULL;
	}
	if (!err)
		return true;
	pr_warn("no probe on the tracepoints of tasks: error %d: entries will have no names of tasks\n",
		err);
	detach();
	return false;
}

/* ---- Begin and end ---------------------------------------------------- */

/**
 * jtrace_tasks_start() - note the names of all tasks, and each new one from now on
 *
 * Context: Process; before recording is turned on, but for early boot.
 */
void jtrace_tasks_start(void)
{
	const u32 sets = jtrace.tasks.sets;
	struct task_struct *process, *task;

	/* Nothing is noted until all are attached. */
	jtrace.tasks.sets = 0;
	if (!sets || !attach())
		return;
	WRITE_ONCE(jtrace.tasks.sets, sets);
	rcu_read_lock();
	for_each_process_thread(process, task)
		add_found(task->pid, task->comm);
	rcu_read_unlock();
}

/**
 * jtrace_tasks_stop() - undo jtrace_tasks_start()
 *
 * Context: Process.
 */
void jtrace_tasks_stop(void)
{
	if (jtrace.tasks.sets)
		detach();
}
