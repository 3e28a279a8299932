// SPDX-License-Identifier: GPL-2.0
/*
 * Makes a CPU silent: it runs with interrupts off and answers no IPI, for a minute at most.
 */

#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/processor.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

#define MOST_NS		(60ULL * NSEC_PER_SEC)

static struct task_struct *task;
static bool silent;

static int silent_thread(void *unused)
{
	u64 end = ktime_get_mono_fast_ns() + MOST_NS;

	local_irq_disable();
	WRITE_ONCE(silent, true);
	while (READ_ONCE(silent) && ktime_get_mono_fast_ns() < end)
		cpu_relax();
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

static const struct kernel_param_ops cpu_ops = {
	.set = cpu_set,
};

module_param_cb(cpu, &cpu_ops, NULL, 0200);
MODULE_PARM_DESC(cpu, "CPU to make silent; -1: let it go on");

static void __exit jtrace_silent_exit(void)
{
	go_on();
}

static int __init jtrace_silent_init(void)
{
	return 0;
}

module_init(jtrace_silent_init);
module_exit(jtrace_silent_exit);

MODULE_DESCRIPTION("Test: a CPU that answers no IPI");
MODULE_INFO(test, "Y");
MODULE_LICENSE("GPL");
