// SPDX-License-Identifier: GPL-2.0
/*
 * How many tasks are runnable: the kernel does not export nr_running().  A static call is a direct
 * one on x86, as a CPU with IBT wants it (kallsyms.c).
 */

#include <linux/sched/stat.h>
#include <linux/static_call.h>

#include "wrapper.h"

static unsigned int not_known(void)
{
	return ~0U;
}

DEFINE_STATIC_CALL(jtrace_nr_running, not_known);

/**
 * jtrace_running_find() - let jtrace_running() know
 *
 * Context: Process; may sleep.
 */
void jtrace_running_find(void)
{
	unsigned long at = jtrace_kallsyms_find("nr_running");

	/* Not by its name: a module cannot be linked to it. */
	if (at)
		static_call_update(jtrace_nr_running, (typeof(nr_running) *)at);
}

/**
 * jtrace_running() - how many tasks are running, or wait for a CPU
 *
 * Context: Any.
 * Return: their number, -1 if it is not known.
 */
int jtrace_running(void)
{
	return static_call(jtrace_nr_running)();
}
