/* SPDX-License-Identifier: GPL-2.0 */
/* The slow path of a record calls code that may be traced: each context enters it only once. */
#ifndef _JTRACE_SLOW_H
#define _JTRACE_SLOW_H

#include <linux/bits.h>
#include <linux/preempt.h>

#include "lib/image/ring.h"

/* Bits of &jtrace_ring_cpu.slow, one for each context. */
#define JTRACE_SLOW_TASK	BIT(0)
#define JTRACE_SLOW_SOFTIRQ	BIT(1)
#define JTRACE_SLOW_HARDIRQ	BIT(2)
#define JTRACE_SLOW_NMI		BIT(3)

/* The bit of the running context. */
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
 * jtrace_slow_enter() - enter the slow path
 * @rc: of this CPU, preemption disabled
 *
 * A context that is already in the slow path comes from a trace point in a function or handler
 * that jtrace calls, and would recurse forever.
 *
 * Only this CPU changes @rc->slow.
 *
 * Return: false if the event is dropped; it is counted.
 */
static __always_inline bool jtrace_slow_enter(struct jtrace_ring_cpu *rc)
{
	/* Interrupts restore the bits. */
	u32 bit = jtrace_context_bit(), slow = data_race(rc->slow);

	if (slow & bit) {
		atomic64_inc(&rc->lost[JTRACE_DROPPED_NESTED]);
		return false;
	}
	/* As above: an interrupt leaves the bits as it finds them. */
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
 * jtrace_slow_abandon() - leave the slow path for a running task that dies
 * @rc: of this CPU, interrupts disabled
 *
 * Tasks are not preempted in the slow path, so the bit belongs to the running task.  If an
 * interrupt dies, the kernel panics.  Its bit stays set, because the same fault could kill the
 * panic, too.
 *
 * Return: true if the task was in the slow path, so that its record never completes.
 */
static inline bool jtrace_slow_abandon(struct jtrace_ring_cpu *rc)
{
	if (jtrace_context_bit() != JTRACE_SLOW_TASK || !(rc->slow & JTRACE_SLOW_TASK))
		return false;
	jtrace_slow_leave(rc);
	return true;
}

#endif /* _JTRACE_SLOW_H */
