// SPDX-License-Identifier: GPL-2.0
/*
 * The driver of a boiler that does not exist.  Its thread heats to the temperature that is set, and
 * never above the limit.  Sensors write what they measure to a place of their own.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>

#include "boiler.h"

#define LIMIT	90	/* degrees */

/* Not static: so that the compiler keeps its name and order. */
struct boiler boiler = { .set = 60 };
EXPORT_SYMBOL_GPL(boiler);

static struct task_struct *thread;
static unsigned int rounds;

/* The warm water of the day, and that of the night. */
static noinline void boiler_schedule(void)
{
	WRITE_ONCE(boiler.set, rounds / 100 % 2 ? 50 : 60);
}

static void boiler_heat(void)
{
	unsigned int set = READ_ONCE(boiler.set);

	if (set > LIMIT)
		panic("boiler: set to %u degrees, the limit is %u", set, LIMIT);
}

static int boiler_control(void *unused)
{
	while (!kthread_should_stop()) {
		if (++rounds % 100 == 0)
			boiler_schedule();
		boiler_heat();
		usleep_range(10000, 12000);
	}
	return 0;
}

static int __init boiler_init(void)
{
	thread = kthread_run(boiler_control, NULL, "boiler");
	return PTR_ERR_OR_ZERO(thread);
}

static void __exit boiler_exit(void)
{
	kthread_stop(thread);
}

module_init(boiler_init);
module_exit(boiler_exit);

MODULE_DESCRIPTION("Tutorial: a driver whose memory another one overwrites");
MODULE_LICENSE("GPL");
