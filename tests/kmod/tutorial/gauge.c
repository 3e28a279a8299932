// SPDX-License-Identifier: GPL-2.0
/*
 * The driver of a gauge that does not exist.  It has a bug: if the gauge answers between the test
 * of @done and the change of the task's state, then its wake-up is lost.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sysfs.h>
#include <linux/timer.h>

static struct task_struct *reader;
static unsigned int level, reads;
static bool done;

/* The gauge has measured: an interrupt of a real one. */
static void gauge_measured(struct timer_list *unused)
{
	level = (level + 7) % 100;
	WRITE_ONCE(done, true);
	wake_up_process(reader);
}

static DEFINE_TIMER(gauge, gauge_measured);

/* Each 20th time this takes longer than the gauge. */
static void update_statistics(void)
{
	if (++reads % 20 == 0)
		mdelay(15);
}

static int level_get(char *text, const struct kernel_param *kp)
{
	reader = current;
	WRITE_ONCE(done, false);
	mod_timer(&gauge, jiffies + 1);
	while (!READ_ONCE(done)) {
		update_statistics();
		set_current_state(TASK_UNINTERRUPTIBLE);
		schedule();
	}
	return sysfs_emit(text, "%u\n", level);
}

static const struct kernel_param_ops level_ops = { .get = level_get };
module_param_cb(level, &level_ops, NULL, 0444);
MODULE_PARM_DESC(level, "measured anew for each reader");

static int __init gauge_init(void)
{
	return 0;
}

static void __exit gauge_exit(void)
{
}

module_init(gauge_init);
module_exit(gauge_exit);

MODULE_DESCRIPTION("Tutorial: a driver that loses a wake-up");
MODULE_LICENSE("GPL");
