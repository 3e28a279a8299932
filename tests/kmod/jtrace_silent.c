// SPDX-License-Identifier: GPL-2.0
/*
 * Makes a CPU silent: it runs with interrupts off and answers no IPI, for a minute at most.
 */

#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/sched.h>

#include "kmod.h"

static struct task_struct *task;
static bool silent;

static int silent_thread(void *unused)
{
	local_irq_disable();
	WRITE_ONCE(silent, true);
	wait_until(&silent, false);
	local_irq_enable();
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static void go_on(void)
{
	WRITE_ONCE(silent, false);
	if (task)
		kthread_stop(task);
	task = NULL;
}

/* Returns when the CPU is silent, or goes on. */
static int cpu_set(const char *value, const struct kernel_param *kp)
{
	int cpu, err = kstrtoint(value, 0, &cpu);

	if (err)
		return err;
	go_on();
	if (cpu < 0)
		return 0;
	task = kthread_run_on_cpu(silent_thread, NULL, cpu, "jtrace_silent");
	if (IS_ERR(task)) {
		err = PTR_ERR(task);
		task = NULL;
		return err;
	}
	while (!READ_ONCE(silent))
		schedule_timeout_uninterruptible(1);
	return 0;
}

PARAM_SET(cpu, "CPU to make silent; -1: let it go on");

static void __exit jtrace_silent_exit(void)
{
	go_on();
}

module_exit(jtrace_silent_exit);

TEST_MODULE("a CPU that answers no IPI");
