// SPDX-License-Identifier: GPL-2.0
/*
 * The gate refuses claims, so that nothing is overwritten while it is closed.
 *
 * A freeze closes it because of an oops, a panic or a dump.  jtrace_record() checks before a
 * claim whether a freeze begins or ends.  Functions here may run in any context.
 */

#include <linux/atomic.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/printk.h>

#include "include/jtrace/internal.h"

struct jtrace jtrace = {
	.lock = __MUTEX_INITIALIZER(jtrace.lock),
};

/**
 * jtrace_gate_close() - let no chunk be claimed
 */
notrace void jtrace_gate_close(void)
{
	jtrace_ring_gate_close(&jtrace.ring);
}

/**
 * jtrace_gate_open() - undo one jtrace_gate_close()
 */
notrace void jtrace_gate_open(void)
{
	jtrace_ring_gate_open(&jtrace.ring);
}

/**
 * jtrace_gate_closers() - how often the gate is closed
 */
s64 __init jtrace_gate_closers(void)
{
	return atomic64_read(&jtrace.ring.gate);
}

/**
 * jtrace_gate_restore() - close the gate of a new image for those who closed the old one
 * @closers: result of jtrace_gate_closers() before jtrace_install()
 */
void __init jtrace_gate_restore(s64 closers)
{
	atomic64_add(closers, &jtrace.ring.gate);
}

/* A dump that prints no line for so long is stuck: 9600 baud print 57,600 bytes. */
#define STUCK_TIME		(60 * HZ)

/*
 * The gate is closed while an oops, a panic or a dump is printed, and until an oops has
 * panicked or has had the time to.  Other CPUs would overwrite what led to it meanwhile.
 */
static unsigned long frozen_until;

/* When the freeze of a dump ends, which each line puts off; 0 if no dump is under way. */
static unsigned long dump_until;

static notrace unsigned long freeze(unsigned long time)
{
	unsigned long until = (jiffies + time) | 1;

	if (!xchg(&frozen_until, until))
		jtrace_gate_close();
	return until;
}

static notrace bool thaw(unsigned long until)
{
	if (cmpxchg(&frozen_until, until, 0) != until)
		return false;
	jtrace_gate_open();
	return true;
}

/**
 * jtrace_freeze_for_dump() - close the gate while a dump prints
 */
void jtrace_freeze_for_dump(void)
{
	WRITE_ONCE(dump_until, freeze(STUCK_TIME));
}

/**
 * jtrace_freeze_extend() - the dump has printed a line
 *
 * An oops that froze the trace meanwhile decides when it thaws.
 */
void jtrace_freeze_extend(void)
{
	unsigned long was = dump_until;

	WRITE_ONCE(dump_until, (jiffies + STUCK_TIME) | 1);
	cmpxchg(&frozen_until, was, dump_until);
}

/**
 * jtrace_thaw_after_dump() - undo jtrace_freeze_for_dump()
 */
void jtrace_thaw_after_dump(void)
{
	thaw(dump_until);
	WRITE_ONCE(dump_until, 0);
}

/**
 * jtrace_dump_died() - count a dump whose task died; jtrace_freeze_for_oops() has been called
 */
void jtrace_dump_died(void)
{
	WRITE_ONCE(dump_until, 0);
	atomic64_inc(&jtrace.dumps_died);
}

/*
 * What oops_in_progress is while there is none: on arm64 it stays one higher
 * after each fault that was survived, as the task dies between the two
 * bust_spinlocks(0) that are due.  The high half counts oopses.
 */
static u64 oops_at_rest;

/**
 * jtrace_level_at_rest() - what oops_in_progress is between oopses
 */
int jtrace_level_at_rest(void)
{
	return lower_32_bits(READ_ONCE(oops_at_rest));
}

/* Inlined: tests/kmod/jtrace_stale.c stops jtrace_freeze_or_thaw() at the read. */
static __always_inline bool oops_goes_on(void)
{
	/*
	 * Pairs with the release in jtrace_freeze_for_oops(): the level is not older than the
	 * last oops.
	 */
	u64 rest = smp_load_acquire(&oops_at_rest);
	int level = READ_ONCE(oops_in_progress), known = lower_32_bits(rest);

	if (likely(level == known))
		return false;
	if (level > known)
		return true;
	/* Not if an oops came since: it knows better, even if it has left the same level. */
	cmpxchg(&oops_at_rest, rest, rest - known + level);
	return false;
}

/**
 * jtrace_oops_in_progress() - is an oops or a panic being printed?
 */
bool jtrace_oops_in_progress(void)
{
	return oops_goes_on();
}

/**
 * jtrace_freeze_init() - learn the level of oops_in_progress between oopses
 */
void jtrace_freeze_init(void)
{
	oops_at_rest = READ_ONCE(oops_in_progress);
}

/**
 * jtrace_freeze_for_oops() - close the gate in an oops that begins
 *
 * Context: Notifier of oopses; the kernel lets one CPU at a time call it.
 */
void jtrace_freeze_for_oops(void)
{
	u64 oopses = upper_32_bits(oops_at_rest) + 1;

	/* This oops will undo one. */
	smp_store_release(&oops_at_rest, oopses << 32 | max(oops_in_progress - 1, 0));
	freeze(JTRACE_FREEZE_TIME);
}

/**
 * jtrace_freeze_or_thaw() - close the gate in an oops, open it when it is over
 *
 * Called before a claim, because notifiers are called after all has been printed.
 */
notrace void jtrace_freeze_or_thaw(void)
{
	unsigned long until = READ_ONCE(frozen_until);

	if (unlikely(oops_goes_on())) {
		freeze(JTRACE_FREEZE_TIME);
		return;
	}
	if (unlikely(until) && time_after(jiffies, until) && thaw(until) &&
	    until == READ_ONCE(dump_until))
		atomic64_inc(&jtrace.dumps_died);
}
