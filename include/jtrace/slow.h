/* SPDX-License-Identifier: GPL-2.0 */
/* The slow path of a record: what may call code that can be traced, which is entered once. */
#ifndef _JTRACE_SLOW_H
#define _JTRACE_SLOW_H

#include <linux/bits.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/threads.h>

#include "../../lib/ring.h"

/* In &jtrace_ring_cpu.slow: a bit for each context, and above them the task's number. */
#define JTRACE_SLOW_TASK	BIT(0)
#define JTRACE_SLOW_SOFTIRQ	BIT(1)
#define JTRACE_SLOW_HARDIRQ	BIT(2)
#define JTRACE_SLOW_NMI		BIT(3)
#define JTRACE_SLOW_CONTEXTS	GENMASK(3, 0)
#define JTRACE_SLOW_TID_SHIFT	8

static_assert(PID_MAX_LIMIT <= 1U << (32 - JTRACE_SLOW_TID_SHIFT));

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

/* What &jtrace_ring_cpu.slow is while the task that runs, and @contexts, are in there. */
static __always_inline u32 jtrace_slow_word(u32 contexts)
{
	return (u32)current->pid << JTRACE_SLOW_TID_SHIFT | contexts;
}

/**
 * jtrace_slow_enter() - begin what may call code that can be traced
 * @rc: of this CPU, preemption disabled
 *
 * A context that is in the slow path already comes from a trace point in a
 * function or handler that jtrace calls: it would go round for ever.  But a task
 * finds there only itself, as it is not preempted there: another one died there,
 * in an oops, and left its bit.  (Who gets the number of a dead one is taken for it.)
 *
 * @rc->slow is changed by this CPU alone, and who interrupts leaves it as he found
 * it, between the load and the store, too: a data race that is meant.  (But for the
 * number of the task: an interrupt that counts as one, as it ends, writes that of
 * the task it interrupted.)
 *
 * Return: false if the event is to be dropped; it is counted.
 */
static __always_inline bool jtrace_slow_enter(struct jtrace_ring_cpu *rc)
{
	/* Whoever interrupts puts it back. */
	u32 bit = jtrace_context_bit(), slow = data_race(rc->slow);
	u32 word = jtrace_slow_word(bit | (slow & JTRACE_SLOW_CONTEXTS));

	if (slow & bit && (bit != JTRACE_SLOW_TASK || slow == word)) {
		atomic64_inc(&rc->lost[JTRACE_DROPPED_NESTED]);
		return false;
	}
	/*
	 * An interrupt may come within.  Its context leaves the number alone, lest the bit
	 * of a dead task become that of the task it interrupted.
	 */
	data_race(rc->slow = bit == JTRACE_SLOW_TASK ? word : slow | bit);
	barrier();
	return true;
}

static __always_inline void jtrace_slow_leave(struct jtrace_ring_cpu *rc)
{
	barrier();
	/* As in jtrace_slow_enter(). */
	data_race(rc->slow &= ~jtrace_context_bit());
}

#endif /* _JTRACE_SLOW_H */
