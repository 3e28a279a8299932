// SPDX-License-Identifier: GPL-2.0
/*
 * The gate refuses claims: while it is closed, no chunk is overwritten.
 *
 * A freeze closes the gate because of an oops, a panic or a dump.  Each claim of a record first
 * checks whether a freeze begins or ends.  All functions may run in any context.
 */

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/printk.h>

#include "jtrace_internal.h"

/* Refuse claims until jtrace_gate_open() is called as often. */
notrace void jtrace_gate_close(void)
{
	jtrace_ring_gate_close(&jtrace.ring);
}

notrace void jtrace_gate_open(void)
{
	jtrace_ring_gate_open(&jtrace.ring);
}

/* How often the gate is closed; jtrace_install() forgets it. */
s64 __init jtrace_gate_closers(void)
{
	return atomic64_read(&jtrace.ring.gate);
}

/* Close the gate @closers times more, after jtrace_install(). */
void __init jtrace_gate_restore(s64 closers)
{
	atomic64_add(closers, &jtrace.ring.gate);
}

/* A dump that prints no line for so long is stuck: 9600 baud carry 57,600 bytes meanwhile. */
#define STUCK_TIME		(60 * HZ)

/*
 * When the freeze ends; 0 if there is none.  It lasts while an oops, a panic or a dump is printed,
 * and for %JTRACE_FREEZE_TIME after an oops, which may still panic.  Otherwise other CPUs would
 * overwrite the events that led to the oops.
 */
static unsigned long frozen_until;

/* When the freeze of a dump ends; each line extends it.  0 if no dump is under way. */
static unsigned long dump_until;

/*
 * Return how many events were skipped since the last call, 0 while the gate is closed.  All that is
 * called here is inlined, so that no claim is traced.  An event that is just being skipped may
 * count at the next call.
 */
notrace s64 jtrace_gate_skipped(void)
{
	static atomic64_t told;
	s64 was = atomic64_read(&told), skipped = 0;
	u32 cpu;

	if (jtrace_ring_gated(&jtrace.ring))
		return 0;
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		if (!cpu_possible(cpu))
			continue;
		skipped += atomic64_read(&per_cpu_ptr(&jtrace_cpus, cpu)->lost[JTRACE_SKIPPED]);
	}
	/* Another one may have told of more, or tell now. */
	return skipped > was && atomic64_cmpxchg(&told, was, skipped) == was ? skipped - was : 0;
}

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

/* Close the gate for a dump; the caller owns the dump, as in the next two. */
void jtrace_freeze_for_dump(void)
{
	WRITE_ONCE(dump_until, freeze(STUCK_TIME));
}

/* The dump has printed a line.  If an oops has frozen the trace since, its own time counts. */
void jtrace_freeze_extend(void)
{
	unsigned long was = dump_until;

	WRITE_ONCE(dump_until, (jiffies + STUCK_TIME) | 1);
	cmpxchg(&frozen_until, was, dump_until);
}

/* Returns true if the gate was opened: then call jtrace_record_thaw(). */
bool jtrace_thaw_after_dump(void)
{
	bool thawed = thaw(dump_until);

	WRITE_ONCE(dump_until, 0);
	return thawed;
}

/* The task of the dump died; jtrace_freeze_for_oops() has taken over its freeze. */
void jtrace_dump_died(void)
{
	WRITE_ONCE(dump_until, 0);
	atomic64_inc(&jtrace.dumps_died);
}

/*
 * The level of oops_in_progress between oopses.  On arm64 each fault that the machine survives
 * raises it by one, because the task dies between the two bust_spinlocks(0).  The high half
 * counts oopses.
 */
static u64 oops_at_rest;

int jtrace_level_at_rest(void)
{
	return lower_32_bits(READ_ONCE(oops_at_rest));
}

/* Inlined: tests/kmod/jtrace_stale.c stops jtrace_freeze_or_thaw() at the read. */
static __always_inline bool oops_goes_on(void)
{
	/*
	 * Pairs with the release in jtrace_freeze_for_oops().  If this reads the number of an
	 * oops, then the next line reads the level of that oops or a later one.
	 */
	u64 rest = smp_load_acquire(&oops_at_rest);
	int level = READ_ONCE(oops_in_progress), known = lower_32_bits(rest);

	if (likely(level == known))
		return false;
	if (level > known)
		return true;
	/* Fails if an oops came since: its level is newer, even if the value is the same. */
	cmpxchg(&oops_at_rest, rest, rest - known + level);
	return false;
}

/* Is an oops or a panic being printed? */
bool jtrace_oops_in_progress(void)
{
	return oops_goes_on();
}

void jtrace_freeze_init(void)
{
	oops_at_rest = READ_ONCE(oops_in_progress);
}

/* An oops begins; the kernel lets one CPU at a time call this. */
void jtrace_freeze_for_oops(void)
{
	u64 oopses = upper_32_bits(oops_at_rest) + 1;

	/* This oops will lower the level by one. */
	smp_store_release(&oops_at_rest, oopses << 32 | max(oops_in_progress - 1, 0));
	freeze(JTRACE_FREEZE_TIME);
}

/*
 * Close the gate in an oops, and open it when the freeze is over.  Each claim calls this, because
 * the kernel calls its notifiers only after it has printed the oops.  Returns true if it was
 * opened: then call jtrace_record_thaw() after the claim.
 */
notrace bool jtrace_freeze_or_thaw(void)
{
	unsigned long until = READ_ONCE(frozen_until);

	if (unlikely(oops_goes_on())) {
		freeze(JTRACE_FREEZE_TIME);
		return false;
	}
	if (likely(!until) || !time_after(jiffies, until) || !thaw(until))
		return false;
	if (until == READ_ONCE(dump_until))
		atomic64_inc(&jtrace.dumps_died);
	return true;
}
