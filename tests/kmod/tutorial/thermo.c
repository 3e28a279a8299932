// SPDX-License-Identifier: GPL-2.0
/*
 * The driver of sensors that do not exist, on the boiler of boiler.c.  It has a bug: a sensor that
 * is plugged in later gets the next place, whether there is one or not.
 */
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/timer.h>

#include "boiler.h"

static void thermo_poll(struct timer_list *unused);
static DEFINE_TIMER(poll, thermo_poll);
static unsigned int sensors = SENSORS, polls;
static bool leaves;

static noinline void thermo_store(unsigned int sensor, u32 measured)
{
	WRITE_ONCE(boiler.measured[sensor], measured);
}

/* The bus tells how many sensors there are: somebody plugs in another one. */
static void thermo_scan(void)
{
	if (polls == 30)
		sensors++;
}

static void thermo_poll(struct timer_list *unused)
{
	unsigned int i;

	polls++;
	thermo_scan();
	for (i = 0; i < sensors; i++)
		thermo_store(i, 5900 + polls + 7 * i);
	if (!READ_ONCE(leaves))
		mod_timer(&poll, jiffies + HZ / 10);
}

static int __init thermo_init(void)
{
	mod_timer(&poll, jiffies + HZ / 10);
	return 0;
}

/* The next poll is the last one.  The boiler stays, because this module uses its symbol. */
static void __exit thermo_exit(void)
{
	WRITE_ONCE(leaves, true);
	schedule_timeout_uninterruptible(HZ);
}

module_init(thermo_init);
module_exit(thermo_exit);

MODULE_DESCRIPTION("Tutorial: a driver that writes past the end of an array");
MODULE_LICENSE("GPL");
