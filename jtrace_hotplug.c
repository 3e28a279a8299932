// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs that go offline and come back.
 *
 * A CPU without new events may hang, or be offline.  An event on each side tells which; the CPU
 * itself records it.  Suspend takes the other CPUs offline, too.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpuhotplug.h>
#include <linux/jtrace.h>
#include <linux/printk.h>

#include "jtrace_internal.h"

static int state;

static int comes_online(unsigned int cpu)
{
	JTRACE("jtrace: cpu online");
	return 0;
}

static int goes_offline(unsigned int cpu)
{
	JTRACE("jtrace: cpu offline");
	return 0;
}

void jtrace_hotplug_init(void)
{
	state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "jtrace:online", comes_online,
					  goes_offline);
	if (state < 0)
		pr_warn("no event when a CPU goes offline: cpuhp_setup_state: error %d\n", state);
}

void jtrace_hotplug_exit(void)
{
	if (state > 0)
		cpuhp_remove_state_nocalls(state);
}
