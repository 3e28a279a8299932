/* SPDX-License-Identifier: GPL-2.0 */
/* The slow path of a record: what may call code that can be traced, which is entered once. */
#ifndef _JTRACE_SLOW_H
#define _JTRACE_SLOW_H

#include <linux/bits.h>
#include <linux/preempt.h>

#include "../../lib/ring.h"

/* In &jtrace_ring_cpu.slow: a bit for each context. */
#define JTRACE_SLOW_TASK	BIT(0)
#define JTRACE_SLOW_SOFTIRQ	BIT(1)
#define JTRACE_SLOW_HARDIRQ	BIT(2)
#define JTRACE_SLOW_NMI		BIT(3)

/* The context that runs. */
static __always_inline u32 jtrace_context_bit(void)
{
	u32 count = preempt_count();

	if (count & NMI_MASK)
		return JTRACE_SLOW_NMI;
	if (count & HARDIRQ_MASK)
		return JTRACE_SLOW_HARDIRQ;
	return count & SOFTIRQ_OFFSET ? JTRACE_SLOW_SOFTIRQ : JTRACE_SLOW_TASK;
}

/**
 * jtrace_slow_enter() - begin what may call code that can be traced
 * @rc: of this CPU, preemption disabled
 *
 * A context that is in the slow path already comes from a trace point in a
 * function or handler that jtrace calls: it would go round for ever.
 *
 * Only this CPU changes @rc->slow.
 *
 * Return: false if the event is to be dropped; it is counted.
 */
static __always_inline bool jtrace_slow_enter(struct jtrace_ring_cpu *rc)
{
	/* Interrupts restore it. */
	u32 bit = jtrace_context_bit(), slow = data_race(rc->slow);

	if (slow & bit) {
		atomic64_inc(&rc->lost[JTRACE_DROPPED_NESTED]);
		return false;
	}
	/* As above: what they find between is what was there before. */
	data_race(rc->slow = slow | bit);
	barrier();
	return true;
}

static __always_inline void jtrace_slow_leave(struct jtrace_ring_cpu *rc)
{
	barrier();
	/* As in jtrace_slow_enter(). */
	data_race(rc->slow &= ~jtrace_context_bit());
}

/**
 * jtrace_slow_abandon() - the running task dies: leave the slow path if it is there
 * @rc: of this CPU, interrupts disabled
 *
 * Tasks are not preempted in the slow path, so the bit is the running task's.  An
 * interrupt that dies takes the machine with it: its bit stays, because what it died of
 * may kill the panic, too.
 *
 * Return: true if it was there: nobody completes the record.
 */
static inline bool jtrace_slow_abandon(struct jtrace_ring_cpu *rc)
{
	if (jtrace_context_bit() != JTRACE_SLOW_TASK || !(rc->slow & JTRACE_SLOW_TASK))
		return false;
	jtrace_slow_leave(rc);
	return true;
}

#endif /* _JTRACE_SLOW_H */
