// SPDX-License-Identifier: GPL-2.0
/*
 * A hang: one CPU waits forever with interrupts off, while another goes on recording.
 * Nothing is printed; only a watchdog ends it.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/jtrace.h>
#include <linux/kthread.h>
#include <linux/module.h>

static unsigned long ready;

/* The rest of the machine: some hundred thousand events a second. */
static int record_on(void *unused)
{
	unsigned int i, round = 0;

	while (!kthread_should_stop()) {
		for (i = 0; i < 100; i++)
			JTRACE("busy (round, i)", round, i);
		round++;
		usleep_range(500, 1000);
	}
	return 0;
}

static int __init jtrace_hang_init(void)
{
	struct task_struct *task = kthread_create(record_on, NULL, "jtrace_busy");

	if (IS_ERR(task))
		return PTR_ERR(task);
	kthread_bind(task, 0);
	wake_up_process(task);

	local_irq_disable();
	JTRACE("waiting for the device (0, 0, 0, 0, ready)", 0, 0, 0, 0, &ready);
	while (!READ_ONCE(ready))
		cpu_relax();
	local_irq_enable();
	return 0;
}

module_init(jtrace_hang_init);

MODULE_DESCRIPTION("A hang that jtrace shows; load it on a CPU other than 0");
MODULE_LICENSE("GPL");
