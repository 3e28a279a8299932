// SPDX-License-Identifier: GPL-2.0
/*
 * Holds a CPU in jtrace_freeze_or_thaw() that has read oops_in_progress, while another CPU
 * has a real oops.  What the first CPU read is stale when it goes on.
 *
 * A hardware watchpoint on oops_in_progress stops the first CPU after that instruction.  It
 * waits with interrupts off.  The other CPU waits with preemption disabled, so that no task
 * there sends the first CPU an IPI and waits forever.
 *
 * The module sets the level of oops_in_progress between oopses, as faults that the machine
 * survived leave it on arm64, and restores it on unload.
 */

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/hw_breakpoint.h>
#include <linux/jtrace.h>
#include <linux/kdebug.h>
#include <linux/kthread.h>
#include <linux/notifier.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/string.h>

#include <asm/ptrace.h>

#include "kmod.h"

static int level_before;

/* @held: the reader has read the level; @died: jtrace has seen the oops. */
static struct task_struct *reader, *dier;
static bool ready, held, died, released;

/* Runs on the reader's CPU after an access to oops_in_progress. */
static void watch_call(struct perf_event *event, struct perf_sample_data *data,
		       struct pt_regs *regs)
{
	char name[64];

	if (current != reader || READ_ONCE(held))
		return;
	snprintf(name, sizeof(name), "%ps", (void *)instruction_pointer(regs));
	if (!strstarts(name, "jtrace_freeze_or_thaw"))
		return;
	WRITE_ONCE(held, true);
	WRITE_ONCE(released, wait_until(&died, true));
}

/* Claims chunks. */
static int reader_thread(void *unused)
{
	oops_in_progress = 0;
	while (!kthread_should_stop()) {
		if (!READ_ONCE(released))
			JTRACE("stale: fills a chunk");
		cond_resched();
	}
	return 0;
}

static int die_thread(void *level)
{
	preempt_disable();
	WRITE_ONCE(ready, true);
	if (wait_until(&held, true)) {
		oops_in_progress = (long)level;
		write_null();
	}
	preempt_enable();
	return 0;
}

/* Runs after jtrace's notifier, which has the highest priority. */
static int die_call(struct notifier_block *nb, unsigned long event, void *data)
{
	if (event == DIE_OOPS && current == dier)
		WRITE_ONCE(died, true);
	return NOTIFY_DONE;
}

static struct notifier_block die_nb = {
	.notifier_call = die_call,
	.priority = INT_MIN,
};

/* Create a thread that does not run yet. */
static struct task_struct *create_thread(int (*call)(void *), int arg, int cpu)
{
	struct task_struct *task = kthread_create(call, (void *)(long)arg, "jtrace_stale");

	if (!IS_ERR(task)) {
		kthread_bind(task, cpu);
		get_task_struct(task);
	}
	return task;
}

/* Wait until the thread has exited, or died. */
static void wait_for_exit(struct task_struct *task)
{
	kthread_stop(task);
	put_task_struct(task);
}

/* Make an oops on a CPU while oops_in_progress is @level. */
static int begin_oops(int level, int cpu)
{
	dier = create_thread(die_thread, level, cpu);
	if (IS_ERR(dier))
		return PTR_ERR(dier);
	wake_up_process(dier);
	while (!READ_ONCE(ready))
		schedule_timeout_uninterruptible(1);
	return 0;
}

static struct perf_event *watch(int cpu)
{
	struct perf_event_attr attr;

	hw_breakpoint_init(&attr);
	attr.bp_addr = (unsigned long)&oops_in_progress;
	attr.bp_len = HW_BREAKPOINT_LEN_4;
	attr.bp_type = HW_BREAKPOINT_RW;
	return perf_event_create_kernel_counter(&attr, cpu, NULL, watch_call, NULL);
}

static int oops_set(const char *value, const struct kernel_param *kp)
{
	int level, err = kstrtoint(value, 0, &level);

	if (err)
		return err;
	ready = false;
	held = true;
	died = false;
	err = begin_oops(level, cpumask_first(cpu_online_mask));
	if (err)
		return err;
	wait_for_exit(dier);
	return died ? 0 : -ETIMEDOUT;
}

PARAM_SET(oops, "make an oops while oops_in_progress is this");

static int stale_set(const char *value, const struct kernel_param *kp)
{
	int level, err = kstrtoint(value, 0, &level), cpu = cpumask_first(cpu_online_mask);
	int other = cpumask_next(cpu, cpu_online_mask);
	struct perf_event *event;

	if (err)
		return err;
	if (other >= nr_cpu_ids)
		return -ENODEV;
	event = watch(cpu);
	if (IS_ERR(event))
		return PTR_ERR(event);
	ready = false;
	held = false;
	died = false;
	released = false;
	reader = create_thread(reader_thread, 0, cpu);
	if (IS_ERR(reader)) {
		err = PTR_ERR(reader);
		goto no_reader;
	}
	err = begin_oops(level, other);
	if (err)
		goto no_oops;
	wake_up_process(reader);
	wait_for_exit(dier);
no_oops:
	wait_for_exit(reader);
	if (!err && !(died && released))
		err = -ETIMEDOUT;
	pr_info("the reader was %s, there was %s\n", held ? "held" : "not found",
		died ? "an oops" : "no oops");
no_reader:
	perf_event_release_kernel(event);
	return err;
}

PARAM_SET(stale, "the same, while another CPU has read level 0 and waits");

static int __init jtrace_stale_init(void)
{
	level_before = oops_in_progress;
	return register_die_notifier(&die_nb);
}

static void __exit jtrace_stale_exit(void)
{
	unregister_die_notifier(&die_nb);
	oops_in_progress = level_before;
}

module_init(jtrace_stale_init);
module_exit(jtrace_stale_exit);

TEST_MODULE("a stale level of oops_in_progress");
