// SPDX-License-Identifier: GPL-2.0
/*
 * The one function that records: who, when and where, handed to lib/ring.c.
 */

#include <linux/jtrace.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "include/jtrace/internal.h"

DEFINE_PER_CPU(struct jtrace_ring_cpu, jtrace_cpus);

/* A site fires for the first time, here or on several CPUs: get its number. */
static noinline notrace u32 intern(struct jtrace_ring_cpu *rc, struct jtrace_site *site)
{
	u32 number;

	if (!jtrace_slow_enter(rc))
		return 0;
	number = jtrace_site_intern(&jtrace.sites, site->tag, site->file, site->func,
				    site->line);
	jtrace_slow_leave(rc);
	/* A number without record never takes the place of one with it. */
	if (jtrace_site_stored(&jtrace.sites, number))
		WRITE_ONCE(site->number, number);
	else
		cmpxchg(&site->number, 0, number);
	return number;
}
NOKPROBE_SYMBOL(intern);

/* The open chunk is full: get another; false if the event is lost. */
static noinline notrace bool refill(struct jtrace_ring_cpu *rc, u64 cursor)
{
	struct jtrace_moment now;
	bool again;

	if (!jtrace_slow_enter(rc))
		return false;
	jtrace_freeze_or_thaw();
	jtrace_clock_moment(&now);
	again = jtrace_ring_claim(&jtrace.ring, rc, cursor, raw_smp_processor_id(), &now);
	jtrace_slow_leave(rc);
	return again;
}
NOKPROBE_SYMBOL(refill);

/* CPU and JTRACE_CTX_*, as they lie in an entry. */
static __always_inline u32 who(void)
{
	/* Softirq, hardirq and NMI counts are 16 bits that lie side by side. */
	BUILD_BUG_ON(SOFTIRQ_BITS + HARDIRQ_BITS + NMI_BITS != 16);
	BUILD_BUG_ON(HARDIRQ_SHIFT != SOFTIRQ_SHIFT + 8 || NMI_SHIFT != HARDIRQ_SHIFT + 4);
	return (preempt_count() >> SOFTIRQ_SHIFT) << 16 | raw_smp_processor_id();
}

/*
 * The steps of a record, as lib/ring.c tells them, for the case that nothing is
 * in the way: the site has a number and the open chunk a free slot, and nobody
 * is nested between reading the cursor and reserving.  False if something is.
 *
 * Preemption is disabled.  With @fast this is straight code that calls nothing,
 * so that all stays in registers.
 */
static __always_inline bool try_record(struct jtrace_site *site, u64 ab, u64 cd, u64 e, u64 f,
				       const bool fast)
{
	struct jtrace_ring_cpu *rc = raw_cpu_ptr(&jtrace_cpus);
	u64 cursor = READ_ONCE(rc->cursor), now;
	u32 number = READ_ONCE(site->number);

	if (unlikely(jtrace_ring_full(&jtrace.ring, cursor) || !number))
		return false;
	if (likely(jtrace_clock.ticks)) {
		now = jtrace_ticks() + jtrace_clock.offset;
	} else {
		if (fast)
			return false;
		now = jtrace_clock_fast(rc);
		if (!now)
			return true;	/* dropped, and counted */
	}
	if (unlikely(!jtrace_ring_reserve(&jtrace.ring, rc, cursor)))
		return false;

	if (likely(jtrace.ring.l.kind == JTRACE_KIND_LARGE))
		jtrace_ring_fill_large(&jtrace.ring, cursor, now, number, current->pid, who(),
				       ab, cd, e, f);
	else
		jtrace_ring_fill_small(&jtrace.ring, cursor, now, number,
				       raw_smp_processor_id(), ab);
	return true;
}

/* Get out of the way what can be; false if the event is lost, and counted. */
static __always_inline bool prepare(struct jtrace_site *site)
{
	struct jtrace_ring_cpu *rc = raw_cpu_ptr(&jtrace_cpus);
	u64 cursor = READ_ONCE(rc->cursor);

	if (!READ_ONCE(site->number) && !intern(rc, site))
		return false;
	return !jtrace_ring_full(&jtrace.ring, cursor) || refill(rc, cursor);
}

/* More interrupts than these do not come between a cursor and its slot. */
#define MOST_TRIES	16

/*
 * The steps again, with what was in the way removed.  A probe that records, on
 * the clock or on what a claim calls, moves the cursor at each try: the tries
 * are counted.
 */
static noinline notrace void record_slowly(struct jtrace_site *site, u64 ab, u64 cd, u64 e,
					   u64 f)
{
	int tries = 0;

	preempt_disable_notrace();
	while (prepare(site) && !try_record(site, ab, cd, e, f, false)) {
		if (++tries < MOST_TRIES)
			continue;
		atomic64_inc(&raw_cpu_ptr(&jtrace_cpus)->lost[JTRACE_DROPPED_NESTED]);
		break;
	}
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(record_slowly);

/**
 * jtrace_record() - record one event
 * @site: of the call
 * @ab: arguments 1 and 2, in its low and high half
 * @cd: arguments 3 and 4
 * @e: argument 5
 * @f: argument 6
 *
 * For JTRACE(), which see.
 *
 * Context: Any.
 */
notrace void jtrace_record(struct jtrace_site *site, u64 ab, u64 cd, u64 e, u64 f)
{
	bool done;

	preempt_disable_notrace();
	done = try_record(site, ab, cd, e, f, true);
	preempt_enable_notrace();
	if (unlikely(!done))
		record_slowly(site, ab, cd, e, f);
}
EXPORT_SYMBOL_GPL(jtrace_record);
NOKPROBE_SYMBOL(jtrace_record);
