// SPDX-License-Identifier: GPL-2.0
/*
 * The event of usage: once a second, how much the machine has to do.
 *
 * It has a tracepoint of its own, which a timer calls while a probe is on it: so it is switched,
 * filtered and counted as all other events.
 */

#include <linux/hardirq.h>
#include <linux/kernel_stat.h>
#include <linux/mm.h>
#include <linux/timer.h>
#include <linux/vmstat.h>

#include "../wrapper/wrapper.h"
#include "events.h"

/* Since 6.16 DECLARE_TRACE() adds to the name. */
#ifdef DECLARE_TRACE_EVENT
#define DECLARE_USAGE	DECLARE_TRACE_EVENT
#else
#define DECLARE_USAGE	DECLARE_TRACE
#endif

#define USAGE_PROTO							\
	TP_PROTO(u64 free_kb, u64 available_kb, u32 dirty_kb, s32 runnable, u32 interrupts)

DECLARE_USAGE(jtrace_usage, USAGE_PROTO,
	      TP_ARGS(free_kb, available_kb, dirty_kb, runnable, interrupts));

/* Interrupts up to the last call. */
static u32 seen;

/*
 * Return how many interrupts of its own x86 has counted on a CPU: of the timer, and of other CPUs.
 * Newer kernels (seen: 7.2) have an array of all of them: Kbuild checks.
 */
static u32 own_interrupts(int cpu)
{
#if defined(CONFIG_X86_LOCAL_APIC) && defined(CONFIG_SMP)
#ifdef JTRACE_HAS_IRQ_COUNTS
	const unsigned int *counts = per_cpu(irq_stat, cpu).counts;

	return counts[IRQ_COUNT_APIC_TIMER] + counts[IRQ_COUNT_RESCHEDULE] +
	       counts[IRQ_COUNT_CALL_FUNCTION];
#else
	return per_cpu(irq_stat, cpu).apic_timer_irqs + per_cpu(irq_stat, cpu).irq_resched_count +
	       per_cpu(irq_stat, cpu).irq_call_count;
#endif
#else
	return 0;
#endif
}

/* All interrupts of all CPUs.  On x86, the kernel counts those of its own apart. */
static u32 count_interrupts(void)
{
	u32 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += kstat_cpu_irqs_sum(cpu) + own_interrupts(cpu);
	return sum;
}

static u64 kilobytes(u64 pages)
{
	return pages << (PAGE_SHIFT - 10);
}

static void sample(struct timer_list *timer)
{
	u32 now = count_interrupts();

	trace_jtrace_usage(kilobytes(global_zone_page_state(NR_FREE_PAGES)),
			   kilobytes(si_mem_available()),
			   kilobytes(global_node_page_state(NR_FILE_DIRTY)),
			   jtrace_running(), now - seen);
	seen = now;
	mod_timer(timer, jiffies + HZ);
}

static DEFINE_TIMER(timer, sample);

/* The first probe comes. */
static int begin(void)
{
	jtrace_running_find();
	seen = count_interrupts();
	mod_timer(&timer, jiffies + HZ);
	return 0;
}

/* The last probe has gone. */
static void end(void)
{
	timer_delete_sync(&timer);
}

DEFINE_TRACE_FN(jtrace_usage, begin, end, USAGE_PROTO,
		TP_ARGS(free_kb, available_kb, dirty_kb, runnable, interrupts));

JTRACE_EVENT_IF(usage, jtrace_usage, USAGE_PROTO, true,
	(u64, free_kb, free_kb),
	(u64, available_kb, available_kb),
	(u32, dirty_kb, dirty_kb),
	(s32, runnable, runnable),
	(u32, interrupts, interrupts));

static struct jtrace_event *usage_events[] = {
	&jtrace_event_usage,
};

struct jtrace_event_group jtrace_group_usage = JTRACE_EVENT_GROUP("usage", usage_events);
