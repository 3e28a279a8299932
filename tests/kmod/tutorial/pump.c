// SPDX-License-Identifier: GPL-2.0
/*
 * The driver of a pump that does not exist.  It has a bug: the thread takes the mutexes in one
 * order, and a reader of the parameter in the other one.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>

static DEFINE_MUTEX(pump_state);
static DEFINE_MUTEX(pump_speed);
static struct task_struct *thread;
static unsigned int target = 10, speed;

/* The device answers slowly. */
static void ask_device(void)
{
	usleep_range(500, 1000);
}

static int pump_control(void *unused)
{
	while (!kthread_should_stop()) {
		mutex_lock(&pump_state);
		ask_device();
		mutex_lock(&pump_speed);
		if (speed < target)
			speed++;
		mutex_unlock(&pump_speed);
		mutex_unlock(&pump_state);
		usleep_range(10000, 12000);
	}
	return 0;
}

static int speed_get(char *text, const struct kernel_param *kp)
{
	int len;

	mutex_lock(&pump_speed);
	ask_device();
	mutex_lock(&pump_state);
	len = sysfs_emit(text, "%u of %u\n", speed, target);
	mutex_unlock(&pump_state);
	mutex_unlock(&pump_speed);
	return len;
}

static const struct kernel_param_ops speed_ops = { .get = speed_get };
module_param_cb(speed, &speed_ops, NULL, 0444);
MODULE_PARM_DESC(speed, "of the pump, and its target");

static int __init pump_init(void)
{
	thread = kthread_run(pump_control, NULL, "pump");
	return PTR_ERR_OR_ZERO(thread);
}

static void __exit pump_exit(void)
{
	kthread_stop(thread);
}

module_init(pump_init);
module_exit(pump_exit);

MODULE_DESCRIPTION("Tutorial: a driver that takes two mutexes in two orders");
MODULE_LICENSE("GPL");
