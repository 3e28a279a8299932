// SPDX-License-Identifier: GPL-2.0
/*
 * Hangs: one of the ways in which drivers do.  It does not record: "jtrace why" is to find out from
 * the kernel's events.  It cannot be unloaded.
 */

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/semaphore.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "kmod.h"

PARAM_TEXT(how, "", "a name in the table of this file");
PARAM(uint, cpu, 0, "of the thread, timer or work item that hangs");

static DECLARE_WAIT_QUEUE_HEAD(device);
static DECLARE_COMPLETION(done);
static DEFINE_MUTEX(stuck_a);
static DEFINE_MUTEX(stuck_b);
static DEFINE_MUTEX(stuck_c);
static DECLARE_RWSEM(stuck_rwsem);
static struct semaphore stuck_sem = __SEMAPHORE_INITIALIZER(stuck_sem, 0);
static DEFINE_SPINLOCK(stuck_spin_a);
static DEFINE_SPINLOCK(stuck_spin_b);

/* The device never answers. */
static void wait_for_device(void)
{
	wait_event_interruptible(device, false);
}

static void poll_device(void)
{
	for (;;)
		cpu_relax();
}

static int start(int (*call)(void *), void *arg, unsigned int on, const char *name)
{
	return PTR_ERR_OR_ZERO(kthread_run_on_cpu(call, arg, on, name));
}

/* ---- Work items, timers, tasklets ------------------------------------- */

/* At first, the device answers. */
static int answers = 3;

static void work_waits(struct work_struct *unused)
{
	if (answers-- <= 0)
		wait_for_device();
}

static void work_polls(struct work_struct *unused)
{
	poll_device();
}

static DECLARE_WORK(waiting_work, work_waits);
static DECLARE_WORK(polling_work, work_polls);

static int stuck_work(void)
{
	while (answers > 0) {
		schedule_work_on(cpu, &waiting_work);
		flush_work(&waiting_work);
	}
	schedule_work_on(cpu, &waiting_work);
	return 0;
}

static int stuck_work_poll(void)
{
	schedule_work_on(cpu, &polling_work);
	return 0;
}

static int flusher(void *unused)
{
	flush_work(&waiting_work);
	return 0;
}

static int stuck_flush(void)
{
	return stuck_work() ?: start(flusher, NULL, cpu, "stuck_flush");
}

static void timer_polls(struct timer_list *unused)
{
	poll_device();
}

static DEFINE_TIMER(timer, timer_polls);

static int stuck_timer(void)
{
	timer.expires = jiffies + HZ / 10;
	add_timer_on(&timer, cpu);
	return 0;
}

static enum hrtimer_restart hrtimer_polls(struct hrtimer *unused)
{
	poll_device();
	return HRTIMER_NORESTART;
}

/* It forgets to move its expiry, and so runs again at once. */
static enum hrtimer_restart hrtimer_stays(struct hrtimer *unused)
{
	return HRTIMER_RESTART;
}

static struct hrtimer hrtimer;

static int arm_hrtimer(void *function)
{
#ifdef JTRACE_HAS_HRTIMER_SETUP
	hrtimer_setup(&hrtimer, function, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED);
#else
	hrtimer_init(&hrtimer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED);
	hrtimer.function = function;
#endif
	hrtimer_start(&hrtimer, ms_to_ktime(100), HRTIMER_MODE_REL_PINNED);
	wait_for_device();
	return 0;
}

static int stuck_hrtimer(void)
{
	return start(arm_hrtimer, hrtimer_polls, cpu, "stuck_hrtimer");
}

static int stuck_storm(void)
{
	return start(arm_hrtimer, hrtimer_stays, cpu, "stuck_storm");
}

static void tasklet_polls(struct tasklet_struct *unused)
{
	poll_device();
}

static DECLARE_TASKLET(tasklet, tasklet_polls);

static int schedules_tasklet(void *unused)
{
	tasklet_schedule(&tasklet);
	wait_for_device();
	return 0;
}

static int stuck_tasklet(void)
{
	return start(schedules_tasklet, NULL, cpu, "stuck_tasklet");
}

/* ---- Locks ------------------------------------------------------------ */

static int holds_mutex(void *unused)
{
	mutex_lock(&stuck_a);
	wait_for_device();
	mutex_unlock(&stuck_a);
	return 0;
}

/* It returns without mutex_unlock(). */
static int leaves_mutex(void *unused)
{
	mutex_lock(&stuck_a);
	return 0;
}

static int waits_mutex(void *unused)
{
	msleep(500);
	mutex_lock(&stuck_a);
	mutex_unlock(&stuck_a);
	return 0;
}

static int stuck_mutex(void)
{
	return start(holds_mutex, NULL, cpu, "stuck_holder") ?:
	       start(waits_mutex, NULL, cpu, "stuck_waiter");
}

static int stuck_mutex_left(void)
{
	return start(leaves_mutex, NULL, cpu, "stuck_leaver") ?:
	       start(waits_mutex, NULL, cpu, "stuck_waiter");
}

static int reads_rwsem(void *unused)
{
	down_read(&stuck_rwsem);
	wait_for_device();
	up_read(&stuck_rwsem);
	return 0;
}

static int holds_rwsem(void *unused)
{
	down_write(&stuck_rwsem);
	wait_for_device();
	up_write(&stuck_rwsem);
	return 0;
}

static int writes_rwsem(void *unused)
{
	msleep(500);
	down_write(&stuck_rwsem);
	up_write(&stuck_rwsem);
	return 0;
}

static int stuck_rwsem_read(void)
{
	return start(reads_rwsem, NULL, cpu, "stuck_reader") ?:
	       start(writes_rwsem, NULL, cpu, "stuck_writer");
}

static int stuck_rwsem_write(void)
{
	return start(holds_rwsem, NULL, cpu, "stuck_holder") ?:
	       start(writes_rwsem, NULL, cpu, "stuck_writer");
}

struct pair {
	struct mutex *first, *second;
};

static int takes_two(void *arg)
{
	struct pair *p = arg;

	mutex_lock(p->first);
	msleep(300);
	mutex_lock(p->second);
	mutex_unlock(p->second);
	mutex_unlock(p->first);
	return 0;
}

static int stuck_circle(void)
{
	static struct pair pairs[] = {
		{ &stuck_a, &stuck_b }, { &stuck_b, &stuck_c }, { &stuck_c, &stuck_a },
	};

	return start(takes_two, &pairs[0], cpu, "stuck_ab") ?:
	       start(takes_two, &pairs[1], cpu, "stuck_bc") ?:
	       start(takes_two, &pairs[2], cpu, "stuck_ca");
}

/* It takes a mutex that it has. */
static int takes_twice(void *unused)
{
	mutex_lock(&stuck_a);
	mutex_lock_nested(&stuck_a, SINGLE_DEPTH_NESTING);
	return 0;
}

static int stuck_twice(void)
{
	return start(takes_twice, NULL, cpu, "stuck_twice");
}

static int takes_spin_ab(void *unused)
{
	spin_lock(&stuck_spin_a);
	mdelay(300);
	spin_lock(&stuck_spin_b);
	spin_unlock(&stuck_spin_b);
	spin_unlock(&stuck_spin_a);
	return 0;
}

static int takes_spin_ba(void *unused)
{
	spin_lock(&stuck_spin_b);
	mdelay(300);
	spin_lock(&stuck_spin_a);
	spin_unlock(&stuck_spin_a);
	spin_unlock(&stuck_spin_b);
	return 0;
}

static int stuck_spin(void)
{
	return start(takes_spin_ab, NULL, 0, "stuck_ab") ?:
	       start(takes_spin_ba, NULL, 1, "stuck_ba");
}

/* ---- Sleeping --------------------------------------------------------- */

static int waits_done(void *unused)
{
	wait_for_completion(&done);
	return 0;
}

static int stuck_completion(void)
{
	return start(waits_done, NULL, cpu, "stuck_waiter");
}

/* In a system call: insmod's. */
static int stuck_init(void)
{
	wait_for_completion(&done);
	return 0;
}

static int stuck_semaphore(void)
{
	down(&stuck_sem);
	return 0;
}

static int stuck_event(void)
{
	wait_event(device, false);
	return 0;
}

static int does_not_stop(void *unused)
{
	for (;;)
		msleep(100);
	return 0;
}

static int stuck_stop(void)
{
	struct task_struct *task = kthread_run_on_cpu(does_not_stop, NULL, cpu, "stuck_thread");

	/* It has begun. */
	msleep(200);
	return PTR_ERR_OR_ZERO(task) ?: kthread_stop(task);
}

static int reads_rcu(void *unused)
{
	rcu_read_lock();
	poll_device();
	rcu_read_unlock();
	return 0;
}

static int stuck_rcu(void)
{
	int err = start(reads_rcu, NULL, cpu, "stuck_reader");

	msleep(200);
	synchronize_rcu();
	return err;
}

/* ---- Polling ---------------------------------------------------------- */

static int polls(void *unused)
{
	poll_device();
	return 0;
}

static int polls_atomic(void *unused)
{
	preempt_disable();
	poll_device();
	preempt_enable();
	return 0;
}

static int polls_bh(void *unused)
{
	local_bh_disable();
	poll_device();
	local_bh_enable();
	return 0;
}

static int polls_irq(void *unused)
{
	local_irq_disable();
	poll_device();
	local_irq_enable();
	return 0;
}

static int polls_fifo(void *unused)
{
	sched_set_fifo(current);
	poll_device();
	return 0;
}

static int stuck_poll(void)
{
	return start(polls, NULL, cpu, "stuck_poll");
}

static int stuck_preempt(void)
{
	return start(polls_atomic, NULL, cpu, "stuck_poll");
}

static int stuck_bh(void)
{
	return start(polls_bh, NULL, cpu, "stuck_poll");
}

static int stuck_irq(void)
{
	return start(polls_irq, NULL, cpu, "stuck_poll");
}

static int stuck_fifo(void)
{
	return start(polls_fifo, NULL, cpu, "stuck_fifo");
}

/* In a system call. */
static int stuck_syscall(void)
{
	poll_device();
	return 0;
}

static void nothing(void *unused)
{
}

static int stuck_ipi(void)
{
	int err = start(polls_irq, NULL, cpu, "stuck_poll");

	msleep(200);
	return err ?: smp_call_function_single(cpu, nothing, NULL, true);
}

static const struct {
	const char *name;
	int (*call)(void);
} ways[] = {
	{ "work", stuck_work },
	{ "work-poll", stuck_work_poll },
	{ "flush", stuck_flush },
	{ "timer", stuck_timer },
	{ "hrtimer", stuck_hrtimer },
	{ "storm", stuck_storm },
	{ "tasklet", stuck_tasklet },
	{ "mutex", stuck_mutex },
	{ "mutex-left", stuck_mutex_left },
	{ "rwsem-read", stuck_rwsem_read },
	{ "rwsem-write", stuck_rwsem_write },
	{ "circle", stuck_circle },
	{ "twice", stuck_twice },
	{ "spin", stuck_spin },
	{ "completion", stuck_completion },
	{ "init", stuck_init },
	{ "semaphore", stuck_semaphore },
	{ "event", stuck_event },
	{ "stop", stuck_stop },
	{ "rcu", stuck_rcu },
	{ "poll", stuck_poll },
	{ "preempt", stuck_preempt },
	{ "bh", stuck_bh },
	{ "irq", stuck_irq },
	{ "fifo", stuck_fifo },
	{ "syscall", stuck_syscall },
	{ "ipi", stuck_ipi },
};

static int __init jtrace_stuck_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(ways); i++)
		if (!strcmp(how, ways[i].name))
			return ways[i].call();
	pr_err("how=%s: unknown\n", how);
	return -EINVAL;
}

/* Without an exit function: it stays. */
module_init(jtrace_stuck_init);

TEST_MODULE("hang as drivers do");
