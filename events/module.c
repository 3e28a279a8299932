// SPDX-License-Identifier: GPL-2.0
/* Load and unload jtrace_events.ko. */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/printk.h>

#include "../jtrace_version.h"
#include "events.h"

static struct jtrace_event_group *groups[] = {
	&jtrace_group_sched,
	&jtrace_group_task,
	&jtrace_group_irq,
	&jtrace_group_softirq,
	&jtrace_group_timer,
	&jtrace_group_workqueue,
	&jtrace_group_syscall,
	&jtrace_group_lock,
	&jtrace_group_mem,
	&jtrace_group_alloc_fail,
	&jtrace_group_block,
	&jtrace_group_net,
	&jtrace_group_fault,
	&jtrace_group_power,
	&jtrace_group_usage,
};

static char *events;
module_param(events, charp, 0400);
MODULE_PARM_DESC(events, "events to turn on: lines of the file events, with \";\" between them");

static void remove_groups(u32 nr)
{
	while (nr--)
		jtrace_events_remove(groups[nr]);
}

static int __init add_groups(void)
{
	u32 nr;
	int err;

	for (nr = 0; nr < ARRAY_SIZE(groups); nr++) {
		err = jtrace_events_add(groups[nr]);
		if (err) {
			remove_groups(nr);
			return err;
		}
	}
	return 0;
}

static int __init jtrace_events_init(void)
{
	int err;

	if (!jtrace_large_entries()) {
		/* Built in, nobody may have asked for events. */
		if (!IS_BUILTIN(CONFIG_JTRACE_EVENTS) || events)
			pr_err("jtrace has small entries, which hold one value: load it with use_large_entries=y\n");
		return -EINVAL;
	}
	err = add_groups();
	if (err)
		return err;
	err = events ? jtrace_lines_parameter(&jtrace_events_lines, events) : 0;
	/* Built in, it cannot be loaded again with a better line: the file remains. */
	if (err && !IS_BUILTIN(CONFIG_JTRACE_EVENTS)) {
		remove_groups(ARRAY_SIZE(groups));
		return err;
	}
	jtrace_lines_add(&jtrace_events_lines);
	return 0;
}

static void __exit jtrace_events_exit(void)
{
	jtrace_lines_remove(&jtrace_events_lines);
	remove_groups(ARRAY_SIZE(groups));
}

/* Built in: as early as jtrace, which is linked before. */
fs_initcall(jtrace_events_init);
module_exit(jtrace_events_exit);

MODULE_DESCRIPTION("Kernel events for jtrace");
MODULE_AUTHOR("The jtrace developers");
MODULE_VERSION(JTRACE_VERSION);
MODULE_LICENSE("GPL");
