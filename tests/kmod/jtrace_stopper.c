// SPDX-License-Identifier: GPL-2.0
/* Records, stops the recording, and records again, in a task or in an interrupt. */
#include <linux/irq_work.h>
#include <linux/jtrace.h>

#include "kmod.h"

PARAM(uint, before, 1, "events before the stop");
PARAM(uint, after, 1, "events after it");
PARAM(bool, irq, false, "in an interrupt");
PARAM_TEXT(why, "by a test", "reason of the stop");

static void record_and_stop(struct irq_work *unused)
{
	uint i;

	for (i = 0; i < before; i++)
		JTRACE("stopper: before (i)", i);
	jtrace_stop(why);
	jtrace_stop("once more");
	for (i = 0; i < after; i++)
		JTRACE("stopper: after (i)", i);
}

static int __init jtrace_stopper_init(void)
{
	static struct irq_work work;

	if (!irq) {
		record_and_stop(NULL);
		return 0;
	}
	work = IRQ_WORK_INIT_HARD(record_and_stop);
	irq_work_queue(&work);
	irq_work_sync(&work);
	return 0;
}

module_init(jtrace_stopper_init);
module_exit(undo_nothing);

TEST_MODULE("stops the recording");
