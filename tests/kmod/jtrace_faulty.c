// SPDX-License-Identifier: GPL-2.0
/*
 * Breaks rules of the kernel, to show that its checkers report it: a data race, locks taken in
 * two orders, sleep in atomic context, a shift that is too large, leaked memory.
 */

#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "kmod.h"

PARAM_TEXT(how, "", "race, lock, sleep, shift, preempt or leak");

static unsigned long raced;

/* The accesses that race, one in each thread. */
static noinline void race_write(void)
{
	raced++;
}

static noinline unsigned long race_read(void)
{
	return raced;
}

static int race_thread(void *arg)
{
	unsigned long sum = 0;

	while (!kthread_should_stop()) {
		race_write();
		sum += race_read();
		cond_resched();
	}
	return sum == 1;
}

static int race(void)
{
	struct task_struct *task[2];
	int i;

	for (i = 0; i < 2; i++) {
		task[i] = kthread_run(race_thread, NULL, "faulty/%d", i);
		if (IS_ERR(task[i]))
			break;
	}
	if (i == 2)
		msleep(3000);
	while (i--)
		kthread_stop(task[i]);
	return 0;
}

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);

static int two_orders(void)
{
	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);

	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
	return 0;
}

static int atomic_sleep(void)
{
	preempt_disable();
	mutex_lock(&first);
	mutex_unlock(&first);
	preempt_enable();
	return 0;
}

static unsigned int far = 40;

static int shift(void)
{
	pr_info("%d\n", 1 << READ_ONCE(far));
	return 0;
}

static int preempt(void)
{
	pr_info("on cpu %d\n", smp_processor_id());
	return 0;
}

/*
 * A free object points to the next one.  Clear what is allocated: otherwise each of them would be
 * found by the one before, and the first by memory that is in use.
 */
static int leak(void)
{
	int i;

	for (i = 0; i < 10; i++)
		if (!kzalloc(1234, GFP_KERNEL))
			return -ENOMEM;
	return 0;
}

static int __init jtrace_faulty_init(void)
{
	static const struct {
		const char *name;
		int (*call)(void);
	} faults[] = {
		{ "race", race }, { "lock", two_orders }, { "sleep", atomic_sleep },
		{ "shift", shift }, { "preempt", preempt }, { "leak", leak },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(faults); i++)
		if (!strcmp(how, faults[i].name))
			return faults[i].call();
	pr_err("how=%s: unknown\n", how);
	return -EINVAL;
}

module_init(jtrace_faulty_init);
module_exit(undo_nothing);

TEST_MODULE("faults that the kernel's checkers must report");
