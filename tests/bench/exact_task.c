// SPDX-License-Identifier: GPL-2.0
/*
 * What names of tasks cost a fork, an exit and a rename: calls of jtrace's probes on the
 * tracepoints of tasks, in loops whose instructions are counted.  The tracepoint itself is not in
 * the count.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "exact.h"

static struct {
	const char *name;
	void *probe;
} points[] = {
	{ "task_newtask" },
	{ "task_rename" },
	{ "sched_process_exit" },
};

/* Not a real one: jtrace reads its number, its name, and whether it leads a group. */
static struct task_struct *task;

static void create(void)
{
	void (*probe)(void *data, struct task_struct *task, unsigned long flags) = points[0].probe;

	task->pid++;
	probe(NULL, task, 0);
}

static void rename(void)
{
	void (*probe)(void *data, struct task_struct *task, const char *comm) = points[1].probe;
	static const char * const names[] = { "renamed", "again" };
	static u32 nr;

	probe(NULL, task, names[nr ^= 1]);
}

static void end(void)
{
	void (*probe)(void *data, struct task_struct *task) = points[2].probe;

	probe(NULL, task);
}

EXACT_LOOP(renames, rename())
EXACT_LOOP(ends, end())
EXACT_LOOP(tasks, create(); end())

static const struct exact_bench table[] = {
	{ "rename", renames },
	{ "end", ends },
	{ "fork_end", tasks },
	{ }
};

/* The probe of jtrace is the only one. */
static void find_probe(struct tracepoint *tp, void *unused)
{
	const struct tracepoint_func *f;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(points); i++) {
		if (strcmp(tp->name, points[i].name))
			continue;
		rcu_read_lock();
		f = rcu_dereference(tp->funcs);
		if (f && f[0].func && !f[1].func)
			points[i].probe = f[0].func;
		rcu_read_unlock();
	}
}

static struct dentry *dir;

static int __init exact_task_init(void)
{
	u32 i;

	for_each_kernel_tracepoint(find_probe, NULL);
	for (i = 0; i < ARRAY_SIZE(points); i++)
		if (!points[i].probe)
			return -ENOENT;
	task = kzalloc(sizeof(*task), GFP_KERNEL);
	if (!task)
		return -ENOMEM;
	task->exit_signal = -1;
	task->pid = 100000;
	strscpy(task->comm, "forked", sizeof(task->comm));
	dir = exact_add("task", table);
	return 0;
}

static void __exit exact_task_exit(void)
{
	debugfs_remove(dir);
	kfree(task);
}

module_init(exact_task_init);
module_exit(exact_task_exit);

MODULE_DESCRIPTION("Bench: the instructions for the name of a task");
MODULE_INFO(test, "Y");
MODULE_LICENSE("GPL");
