// SPDX-License-Identifier: GPL-2.0
/*
 * The driver of a valve that does not exist.  It has a bug: it acknowledges all interrupts that are
 * pending, also one that came after it had looked.
 */
#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sysfs.h>
#include <linux/timer.h>

/* Bits of &valve.status. */
#define SAMPLE	1	/* a sample of the position can be read */
#define DONE	2	/* the measurement is over */

static struct valve {
	u32 status;
	u32 position;
	u32 samples;
	unsigned long sample_at, done_at;
	bool measures;
	struct completion done;
} valve;

/* What the device does by itself. */
static void device_runs(struct valve *v)
{
	if (v->sample_at && time_after_eq(jiffies, v->sample_at)) {
		v->status |= SAMPLE;
		v->sample_at = 0;
	}
	if (v->measures && time_after_eq(jiffies, v->done_at)) {
		v->status |= DONE;
		v->measures = false;
	}
}

/* With its name and arguments, as the compiler keeps those of larger functions. */
static noinline __noclone void valve_ack(struct valve *v, u32 handled)
{
	barrier_data(v);
	v->status = 0;
}

/* Each 50th sample takes longer than the rest of the measurement. */
static void read_sample(struct valve *v)
{
	unsigned long ready = jiffies + (++v->samples % 50 ? 0 : 6);

	while (time_before(jiffies, ready))
		cpu_relax();
	v->position = (v->position + 7) % 100;
	device_runs(v);
}

static void valve_interrupt(struct valve *v)
{
	u32 status = v->status;

	if (status & SAMPLE)
		read_sample(v);
	if (status & DONE)
		complete(&v->done);
	valve_ack(v, status);
}

/* Stands for the interrupt line of the device. */
static void line_changes(struct timer_list *line)
{
	device_runs(&valve);
	if (valve.status)
		valve_interrupt(&valve);
	if (valve.measures)
		mod_timer(line, valve.done_at);
}

static DEFINE_TIMER(line, line_changes);

static int position_get(char *text, const struct kernel_param *kp)
{
	int err;

	reinit_completion(&valve.done);
	valve.sample_at = jiffies + 1;
	valve.done_at = jiffies + 4;
	valve.measures = true;
	mod_timer(&line, valve.sample_at);
	err = wait_for_completion_interruptible(&valve.done);
	return err ?: sysfs_emit(text, "%u\n", valve.position);
}

static const struct kernel_param_ops position_ops = { .get = position_get };
module_param_cb(position, &position_ops, NULL, 0444);
MODULE_PARM_DESC(position, "measured anew for each reader");

static int __init valve_init(void)
{
	init_completion(&valve.done);
	return 0;
}

/* Nobody reads any more; the line changes for ten more jiffies at most. */
static void __exit valve_exit(void)
{
	schedule_timeout_uninterruptible(HZ);
}

module_init(valve_init);
module_exit(valve_exit);

MODULE_DESCRIPTION("Tutorial: a driver that loses an interrupt");
MODULE_LICENSE("GPL");
