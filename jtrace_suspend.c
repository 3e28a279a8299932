// SPDX-License-Identifier: GPL-2.0
/*
 * Suspend and resume.
 *
 * Across a suspend the clocks drift apart, and the counter may restart.  An event on each side, in
 * a chunk of its own, gives a stamp on each side.  One CPU is online then and interrupts are off,
 * so the cursors of the other CPUs do not move.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/jtrace.h>

#include "jtrace_internal.h"

static void close_open_chunks(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		jtrace_ring_close(&jtrace.ring, per_cpu_ptr(&jtrace_cpus, cpu));
}

static int before_suspend(JTRACE_SYSCORE_ARGS)
{
	close_open_chunks();
	JTRACE("jtrace: suspend");
	jtrace_clock_suspend();
	return 0;
}

/*
 * Hibernation powers the machine off and does not save reserved memory.  If the memory was kept
 * anyway, its header says that the machine was shut down: write ours again.
 */
static void check_region(void)
{
	const struct jtrace_image_header *h = jtrace.setup.region.at;

	if (!jtrace_region_persistent(&jtrace.setup.region))
		return;
	if (READ_ONCE(h->magic) != jtrace.setup.header.magic ||
	    READ_ONCE(h->image_id) != jtrace.setup.header.image_id)
		pr_warn("the persistent buffer was lost while the machine was off: reload jtrace\n");
	else if (READ_ONCE(h->state) != jtrace.setup.header.state)
		jtrace_header_write(jtrace.setup.region.at, &jtrace.setup.header);
}

static void after_resume(JTRACE_SYSCORE_ARGS)
{
	check_region();
	jtrace_clock_resume();
	close_open_chunks();
	JTRACE("jtrace: resume");
}

static struct jtrace_syscore suspend_syscore = {
	.ops.suspend = before_suspend,
	.ops.resume = after_resume,
};

void jtrace_suspend_init(void)
{
	jtrace_syscore_register(&suspend_syscore);
}

void jtrace_suspend_exit(void)
{
	jtrace_syscore_unregister(&suspend_syscore);
}
