// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: recording
 *
 * jtrace_record() is where all trace points lead: who, when and where, handed to
 * lib/ring.h.  What it does is counted in instructions (tests/bench, and
 * docs/performance.md for why each is there), so it comes in variants:
 * try_record() is compiled once for each &enum variant that shall be fast, with all
 * that does not change while jtrace is loaded as a constant, and jtrace_record()
 * is a jump to the one that fits, patched in when jtrace is loaded (a static call,
 * which costs one direct jump where the architecture has them and an indirect
 * one elsewhere).  All else goes through record_slowly(), which asks at each step.
 *
 * Rules for a variant:
 *
 * - It is a leaf but for calls in tail position: so it needs no frame, and its
 *   arguments stay in the registers they came in.  What is in the way (the chunk
 *   is full, the site has no number, a nested record was faster) is left to
 *   record_slowly(), which begins the record again.
 * - No locked instruction, no division, nothing that another CPU writes.
 * - Fields are stored as soon as they are known, to free their registers.
 */

#include <linux/irqflags.h>
#include <linux/jtrace.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/static_call.h>

#include "include/jtrace/internal.h"
#include "include/jtrace/slow.h"

DEFINE_PER_CPU(struct jtrace_ring_cpu, jtrace_cpus);

/* How records are made. */
enum variant {
	LARGE,		/* volatile, the clock is a counter */
	SMALL,
	LARGE_BACK,	/* checked and written back, the clock is a counter */
	SMALL_BACK,
	ANY,		/* all else, and the above: see jtrace.ring and jtrace_clock */
};

/* A site fires for the first time, here or on several CPUs: get its number. */
static noinline notrace u32 number_site(struct jtrace_ring_cpu *rc, struct jtrace_site *site)
{
	u32 number;

	if (!jtrace_slow_enter(rc))
		return 0;
	number = jtrace_site_intern(&jtrace.sites, site->tag, site->file, site->func,
				    site->line, site->kind, site->args);
	jtrace_slow_leave(rc);
	/* A number without record never takes the place of one with it. */
	if (jtrace_site_stored(&jtrace.sites, number))
		WRITE_ONCE(site->number, number);
	else
		cmpxchg(&site->number, 0, number);
	return number;
}
NOKPROBE_SYMBOL(number_site);

/*
 * Can this record not have interrupted another one of this CPU, between reserving
 * and publishing?  Preemption is disabled.
 *
 * in_task() does not tell: an interrupt that ends counts no more as one when it
 * starts softirqs or wakes their thread (irq_exit()), nor does each exception in
 * the kernel.  But who is interrupted in a record has preemption disabled, as we
 * have: then we are not the only ones.  Where that is not counted, or somebody else
 * has disabled it (a lock is held), interrupts tell: until it returns, what does
 * not count as an interrupt any more has them off.
 *
 * A task that dies in a record never commits it: that is no record any more.
 */
static __always_inline bool is_outermost(void)
{
	if (PREEMPT_DISABLE_OFFSET && preempt_count() == PREEMPT_DISABLE_OFFSET)
		return true;
	return in_task() && !irqs_disabled();
}

/* The open chunk is full: get another; false if the event is lost. */
static noinline notrace bool claim_chunk(struct jtrace_ring_cpu *rc, u64 cursor)
{
	struct jtrace_moment now;
	bool again;

	if (!jtrace_slow_enter(rc))
		return false;
	jtrace_freeze_or_thaw();
	if (jtrace_early_on)
		now = jtrace_early_began;
	else
		jtrace_clock_moment(&now);
	again = jtrace_ring_claim(&jtrace.ring, rc, cursor, &now, is_outermost());
	jtrace_slow_leave(rc);
	return again;
}
NOKPROBE_SYMBOL(claim_chunk);

/* CPU and JTRACE_CTX_*, as they lie in an entry. */
static __always_inline u32 cpu_and_context(void)
{
	/* Softirq, hardirq and NMI counts are 16 bits that lie side by side. */
	BUILD_BUG_ON(SOFTIRQ_BITS + HARDIRQ_BITS + NMI_BITS != 16);
	BUILD_BUG_ON(HARDIRQ_SHIFT != SOFTIRQ_SHIFT + 8 || NMI_SHIFT != HARDIRQ_SHIFT + 4);
	return (u32)preempt_count() >> SOFTIRQ_SHIFT << 16 |
	       raw_cpu_read(jtrace_cpus.cpu);
}

/*
 * The steps of a record, as lib/ring.c tells them, for the case that nothing is
 * in the way: the site has a number and the open chunk a free slot, and nobody
 * is nested between reading the cursor and reserving.  False if something is.
 *
 * Preemption is disabled.
 */
static __always_inline bool try_record(struct jtrace_site *site, u64 ab, u64 cd, u64 e, u64 f,
				       const enum variant v)
{
	const struct jtrace_ring *ring = &jtrace.ring;
	const bool large = v == LARGE || v == LARGE_BACK ||
			   (v == ANY && ring->l.kind == JTRACE_KIND_LARGE);
	const bool checked = v == LARGE_BACK || v == SMALL_BACK ||
			     (v == ANY && ring->checked);
	const bool back = v == LARGE_BACK || v == SMALL_BACK ||
			  (v == ANY && ring->write_back);
	u64 cursor = this_cpu_read(jtrace_cpus.cursor), now;

	/* A number once there stays: it is fetched when there is a register for it. */
	if (unlikely(jtrace_ring_full(ring, cursor) || !data_race(site->number)))
		return false;
	if (v != ANY || jtrace_clock.ticks) {
		now = jtrace_ticks() + jtrace_clock.offset;
	} else {
		now = jtrace_clock_fast(raw_cpu_ptr(&jtrace_cpus));
		if (now == JTRACE_NO_TIME)
			return true;	/* dropped, and counted */
	}
	/* As jtrace_ring_take() does. */
	if (unlikely(this_cpu_cmpxchg(jtrace_cpus.cursor, cursor,
				      jtrace_ring_next(cursor, large)) != cursor))
		return false;

	if (large) {
		struct jtrace_draft d = jtrace_draft_begin(ring, cursor, checked);

		jtrace_draft_who(&d, cpu_and_context());
		jtrace_draft_args(&d, ab, cd, e, f);
		jtrace_draft_event(&d, now, READ_ONCE(site->number), current->pid);
		jtrace_draft_publish(&d, back);
	} else {
		jtrace_ring_fill_small_as(ring, cursor, now, READ_ONCE(site->number),
					  raw_cpu_read(jtrace_cpus.cpu), ab, checked, back);
	}
	return true;
}

/* Get out of the way what can be; false if the event is lost, and counted. */
static __always_inline bool remove_obstacles(struct jtrace_site *site)
{
	struct jtrace_ring_cpu *rc = raw_cpu_ptr(&jtrace_cpus);
	u64 cursor = READ_ONCE(rc->cursor);

	if (!READ_ONCE(site->number) && !number_site(rc, site))
		return false;
	return !jtrace_ring_full(&jtrace.ring, cursor) || claim_chunk(rc, cursor);
}

/* More interrupts than these do not come between a cursor and its slot. */
#define MOST_TRIES	16

/*
 * The steps again, with what was in the way removed.  A probe that records, on
 * the clock or on what a claim calls, moves the cursor at each try: the tries
 * are counted.  Enters with preemption disabled, and enables it.
 */
static noinline notrace void record_slowly(struct jtrace_site *site, u64 ab, u64 cd, u64 e,
					   u64 f)
{
	int tries = 0;

	while (remove_obstacles(site) && !try_record(site, ab, cd, e, f, ANY)) {
		if (++tries < MOST_TRIES)
			continue;
		atomic64_inc(&raw_cpu_ptr(&jtrace_cpus)->lost[JTRACE_DROPPED_NESTED]);
		break;
	}
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(record_slowly);

#ifdef CONFIG_PREEMPTION
/* Somebody waits for this CPU: enabling preemption once more calls the scheduler. */
static noinline notrace void reschedule(void)
{
	preempt_disable_notrace();
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(reschedule);
#endif

/*
 * preempt_enable_notrace(), but for the call in its middle: for that the
 * compiler would set up a frame in each record.
 */
static __always_inline void enable_preemption(void)
{
#ifdef CONFIG_PREEMPTION
	barrier();
	if (unlikely(__preempt_count_dec_and_test()))
		reschedule();
#else
	preempt_enable_notrace();
#endif
}

static __always_inline void record(struct jtrace_site *site, u64 ab, u64 cd, u64 e, u64 f,
				   const enum variant v)
{
	preempt_disable_notrace();
	if (likely(try_record(site, ab, cd, e, f, v)))
		enable_preemption();
	else
		record_slowly(site, ab, cd, e, f);
}

#define DEFINE_RECORD(name, v)							\
static notrace void name(struct jtrace_site *site, u64 ab, u64 cd, u64 e, u64 f) \
{										\
	record(site, ab, cd, e, f, v);						\
}										\
NOKPROBE_SYMBOL(name)

DEFINE_RECORD(record_large, LARGE);
DEFINE_RECORD(record_small, SMALL);
DEFINE_RECORD(record_large_back, LARGE_BACK);
DEFINE_RECORD(record_small_back, SMALL_BACK);

static notrace void record_any(struct jtrace_site *site, u64 ab, u64 cd, u64 e, u64 f)
{
	preempt_disable_notrace();
	record_slowly(site, ab, cd, e, f);
}
NOKPROBE_SYMBOL(record_any);

#ifdef MODULE
#define record_early	record_any
#else
/* Until jtrace_record_init(); as recording ends before that, it only counts then. */
static notrace void record_early(struct jtrace_site *site, u64 ab, u64 cd, u64 e, u64 f)
{
	preempt_disable_notrace();
	if (READ_ONCE(jtrace_early_on)) {
		record_slowly(site, ab, cd, e, f);
		return;
	}
	atomic64_inc(&raw_cpu_ptr(&jtrace_cpus)->lost[JTRACE_SKIPPED]);
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(record_early);
#endif

DEFINE_STATIC_CALL(jtrace_variant, record_early);

/**
 * jtrace_record() - record one event
 * @site: of the call
 * @ab: arguments 1 and 2, in its low and high half
 * @cd: arguments 3 and 4
 * @e: argument 5
 * @f: argument 6
 *
 * Called by JTRACE(), or with a site that is made at run time: a structure that is 0 but for
 * its strings, its line, @site->kind and @site->args.  The strings are copied into the image
 * when the site first fires, and jtrace keeps no pointer to the site or to them.  So the caller
 * may free all of it once no call with it is in progress; where handlers fire concurrently, once
 * they are removed and have returned (preemption is disabled in a call, for synchronize_rcu()).
 * A site with the same content as one before gets its number.
 *
 * This records whether recording is on or off: ask static_branch_unlikely(&jtrace_key) first, as
 * JTRACE() does.
 *
 * Context: Any.
 */
notrace void jtrace_record(struct jtrace_site *site, u64 ab, u64 cd, u64 e, u64 f)
{
	static_call(jtrace_variant)(site, ab, cd, e, f);
}
EXPORT_SYMBOL_GPL(jtrace_record);
NOKPROBE_SYMBOL(jtrace_record);

/**
 * jtrace_record_init() - choose how records are made
 *
 * After the ring and the clock are set up.
 *
 * Context: Process.
 */
void jtrace_record_init(void)
{
	const struct jtrace_ring *ring = &jtrace.ring;
	bool large = ring->l.kind == JTRACE_KIND_LARGE;

	if (!jtrace_clock.ticks || ring->checked != ring->write_back)
		static_call_update(jtrace_variant, record_any);
	else if (ring->checked)
		static_call_update(jtrace_variant, large ? record_large_back : record_small_back);
	else
		static_call_update(jtrace_variant, large ? record_large : record_small);
}
