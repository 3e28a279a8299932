// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: recording
 *
 * All trace points call jtrace_record(): it adds CPU, context and time, and stores the entry by
 * lib/image/ring.h.  Each instruction of it counts (tests/bench; docs/performance.md gives the
 * reason for each).  So the compiler makes one copy of try_record() for each fast &enum variant,
 * with everything that is fixed at load time as a constant.  jtrace_record() is a jump to the right
 * copy, patched in at load time: a static call, which costs one direct jump, or an indirect one
 * on architectures without static calls.  Everything else goes through record_slowly(), which
 * tests at each step.
 *
 * Rules for a variant:
 *
 * - It is a leaf but for tail calls: so it needs no frame, and its arguments stay in the
 *   registers they came in.  If an obstacle is found (the chunk is full, the site has no number,
 *   a nested record was faster), record_slowly() starts the record again.
 * - No locked instruction, no division, no memory that another CPU writes.
 * - Fields are stored as soon as they are known, to free their registers.
 */

#include <linux/irqflags.h>
#include <linux/jtrace.h>
#include <linux/jtrace_site.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/static_call.h>

#include "jtrace_internal.h"
#include "jtrace_slow.h"
#include "jtrace_stop.h"

/* A compiled copy of try_record(). */
enum variant {
	LARGE,		/* volatile, the clock is a counter */
	SMALL,
	LARGE_BACK,	/* checked and written back, the clock is a counter */
	SMALL_BACK,
	ANY,		/* tests jtrace.ring and jtrace_clock at each step */
};

/* A site fires for the first time, maybe on several CPUs at once: get its number. */
static noinline notrace u32 number_site(struct jtrace_ring_cpu *rc, struct jtrace_site *site)
{
	u32 number;

	if (!jtrace_slow_enter(rc))
		return 0;
	number = jtrace_site_intern(&jtrace.sites, site->tag, site->file, site->func,
				    site->line, site->kind, site->args);
	jtrace_slow_leave(rc);
	/* Never replace the number of a stored site. */
	if (jtrace_site_stored(&jtrace.sites, number))
		WRITE_ONCE(site->number, number);
	else
		cmpxchg(&site->number, 0, number);
	return number;
}
NOKPROBE_SYMBOL(number_site);

/*
 * Is it certain that this record has not interrupted another one of this CPU, between reserving
 * and publishing?  Preemption is disabled.
 *
 * in_task() alone does not tell.  An interrupt no longer counts as one when it ends and starts
 * softirqs or wakes their thread (irq_exit()), and some exceptions never count.  But an
 * interrupted record has preemption disabled, as this one has: the count is higher then.  If
 * preemption is not counted, or a lock has disabled it too, ask whether interrupts are off: they
 * are in an interrupt that no longer counts as one, until it returns.
 *
 * A task that dies in a record never commits it, so that record does not matter.
 */
static __always_inline bool is_outermost(void)
{
	if (PREEMPT_DISABLE_OFFSET && preempt_count() == PREEMPT_DISABLE_OFFSET)
		return true;
	return in_task() && !irqs_disabled();
}

/* An event of this site is lost.  Preemption is disabled. */
static __always_inline void count_lost(struct jtrace_site *site)
{
	if (site->counted)
		this_cpu_inc(*container_of(site, struct jtrace_counted_site, site)->lost);
}

/* The open chunk is full: claim another.  Return false if the event is dropped. */
static noinline notrace bool claim_chunk(struct jtrace_ring_cpu *rc, u64 cursor)
{
	struct jtrace_moment now;
	bool again, thawed;

	if (!jtrace_slow_enter(rc))
		return false;
	thawed = jtrace_freeze_or_thaw();
	if (jtrace_early_on)
		now = jtrace_early_began;
	else
		jtrace_clock_moment(&now);
	again = jtrace_ring_claim(&jtrace.ring, rc, cursor, &now, is_outermost());
	jtrace_slow_leave(rc);
	if (unlikely(thawed))
		jtrace_record_thaw();
	return again;
}
NOKPROBE_SYMBOL(claim_chunk);

/* CPU and JTRACE_CTX_* as an entry stores them. */
static __always_inline u32 cpu_and_context(void)
{
	u32 count = preempt_count();

	BUILD_BUG_ON(SOFTIRQ_BITS != 8 || HARDIRQ_BITS != 4 || NMI_BITS > 4);
	BUILD_BUG_ON(NMI_SHIFT != HARDIRQ_SHIFT + HARDIRQ_BITS);
	/* From 7.3 on the softirq count is not beside the hardirq and NMI counts. */
	if (HARDIRQ_SHIFT != SOFTIRQ_SHIFT + SOFTIRQ_BITS)
		count = count >> HARDIRQ_SHIFT << (SOFTIRQ_SHIFT + SOFTIRQ_BITS) |
			(count & SOFTIRQ_MASK);
	return count >> SOFTIRQ_SHIFT << 16 |
	       raw_cpu_read(jtrace_cpus.cpu);
}

/**
 * struct record - a record that tests each step
 * @site: as for jtrace_record()
 * @stack: number of its stack, 0 for none
 */
struct record {
	struct jtrace_site *site;
	u32 stack;
};

/* Their argument is the struct record in the variant ANY, and NULL in the others. */

static __always_inline u64 read_cursor(void *unused)
{
	return this_cpu_read(jtrace_cpus.cursor);
}

static __always_inline u64 read_ticks(void *unused)
{
	return jtrace_ticks() + jtrace_clock.offset;
}

static __always_inline u64 read_clock(void *unused)
{
	if (jtrace_clock.ticks)
		return read_ticks(unused);
	return jtrace_clock_fast(raw_cpu_ptr(&jtrace_cpus));
}

static __always_inline void count_lost_at(void *record)
{
	count_lost(((struct record *)record)->site);
}

static __always_inline bool take_slot(void *unused, u64 cursor, u64 next)
{
	return this_cpu_cmpxchg(jtrace_cpus.cursor, cursor, next) == cursor;
}

static __always_inline u32 read_cpu(void *unused)
{
	return raw_cpu_read(jtrace_cpus.cpu);
}

static __always_inline u64 read_origin(void *unused)
{
	return cpu_and_context();
}

static __always_inline u64 read_origin_and_stack(void *record)
{
	return cpu_and_context() | (u64)((struct record *)record)->stack << 32;
}

static __always_inline u32 read_tid(void *unused)
{
	return current->pid;
}

/* jtrace_ring_try() in this variant; @any: for ANY only.  Preemption is disabled. */
static __always_inline enum jtrace_tried try_record(struct jtrace_site *site, u64 ab, u64 cd,
						    u64 e, u64 f, const enum variant v,
						    struct record *any)
{
	const struct jtrace_ring *ring = &jtrace.ring;
	const struct jtrace_ring_writer writer = {
		.cursor = read_cursor,
		.clock = v == ANY ? read_clock : read_ticks,
		.lost = v == ANY ? count_lost_at : NULL,
		.take = take_slot,
		.cpu = read_cpu,
		.origin = v == ANY ? read_origin_and_stack : read_origin,
		.tid = read_tid,
	};
	const bool large = v == LARGE || v == LARGE_BACK ||
			   (v == ANY && ring->l.kind == JTRACE_KIND_LARGE);
	const bool checked = v == LARGE_BACK || v == SMALL_BACK ||
			     (v == ANY && ring->checked);
	const bool back = v == LARGE_BACK || v == SMALL_BACK ||
			  (v == ANY && ring->write_back);

	return jtrace_ring_try(ring, writer, any, &site->number, ab, cd, e, f, large, checked,
			       back);
}

/* Return false if an obstacle remains: the event is dropped and counted. */
static __always_inline bool remove_obstacles(struct jtrace_site *site)
{
	struct jtrace_ring_cpu *rc = raw_cpu_ptr(&jtrace_cpus);
	u64 cursor = READ_ONCE(rc->cursor);

	if (!READ_ONCE(site->number) && !number_site(rc, site))
		return false;
	return !jtrace_ring_full(&jtrace.ring, cursor) || claim_chunk(rc, cursor);
}

/* Fewer interrupts than these come between reading the cursor and reserving. */
#define MOST_TRIES	16

/*
 * Remove the obstacles and try again.  A probe that records, on the clock or on a function that a
 * claim calls, moves the cursor at each try, so the tries are limited.  Return false if the event
 * is dropped; it is counted.  Preemption is disabled.
 */
static __always_inline bool try_hard(struct jtrace_site *site, u64 ab, u64 cd, u64 e, u64 f,
				     u32 stack)
{
	struct record any = { .site = site, .stack = stack };
	enum jtrace_tried outcome = JTRACE_OBSTACLE;
	int tries = MOST_TRIES;

	while (outcome == JTRACE_OBSTACLE && tries && remove_obstacles(site)) {
		outcome = try_record(site, ab, cd, e, f, ANY, &any);
		tries--;
	}
	if (outcome == JTRACE_OBSTACLE) {
		if (!tries)
			atomic64_inc(&raw_cpu_ptr(&jtrace_cpus)->lost[JTRACE_DROPPED_NESTED]);
		count_lost(site);
	}
	return outcome == JTRACE_RECORDED;
}

/* As try_hard(), but preemption is disabled on entry only. */
static noinline notrace void record_slowly(struct jtrace_site *site, u64 ab, u64 cd, u64 e,
					   u64 f)
{
	try_hard(site, ab, cd, e, f, 0);
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(record_slowly);

#ifdef CONFIG_PREEMPTION
/* A task waits for this CPU: enabling preemption once more calls the scheduler. */
static noinline notrace void reschedule(void)
{
	preempt_disable_notrace();
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(reschedule);
#endif

/*
 * preempt_enable_notrace() with the call moved out of line: its call in the middle makes the
 * compiler set up a frame in each record.
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
	if (likely(try_record(site, ab, cd, e, f, v, NULL) != JTRACE_OBSTACLE))
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

/**
 * jtrace_record_told() - record one event, and tell whether it was recorded
 * @site: as for jtrace_record()
 * @ab: same
 * @cd: same
 * @e: same
 * @f: same
 * @stack: of jtrace_stack_take(), or 0
 *
 * Context: Any.
 * Return: false if the event was lost; it is counted.
 */
notrace bool jtrace_record_told(struct jtrace_site *site, u64 ab, u64 cd, u64 e, u64 f, u32 stack)
{
	bool done = false;
	u64 token;

	preempt_disable_notrace();
	if (likely(jtrace_budget_take(&token))) {
		done = try_hard(site, ab, cd, e, f, stack);
		jtrace_budget_give(token, done);
	} else {
		atomic64_inc(&raw_cpu_ptr(&jtrace_cpus)->lost[JTRACE_SKIPPED]);
		count_lost(site);
	}
	preempt_enable_notrace();
	return done;
}
EXPORT_SYMBOL_GPL(jtrace_record_told);
NOKPROBE_SYMBOL(jtrace_record_told);

/* While recording may stop after a number of events. */
static notrace void record_counted(struct jtrace_site *site, u64 ab, u64 cd, u64 e, u64 f)
{
	jtrace_record_told(site, ab, cd, e, f, 0);
}
NOKPROBE_SYMBOL(record_counted);

/**
 * jtrace_record_uncounted() - record the event that says why recording stopped
 * @site: of the event
 *
 * Context: Any.
 */
notrace void jtrace_record_uncounted(struct jtrace_site *site)
{
	record_any(site, 0, 0, 0, 0);
}
NOKPROBE_SYMBOL(jtrace_record_uncounted);

/*
 * The gate was opened.  Record how many events were skipped: a CPU that idles since claims no chunk
 * whose header would count them.
 */
notrace void jtrace_record_thaw(void)
{
	s64 skipped = jtrace_gate_skipped();

	if (skipped <= 0 || !static_branch_unlikely(&jtrace_key))
		return;
	atomic64_inc(&jtrace.thaws);
	JTRACE(JTRACE_TAG_THAWED "0, 0, 0, 0, skipped)", 0, 0, 0, 0, skipped);
}
NOKPROBE_SYMBOL(jtrace_record_thaw);

#ifdef MODULE
#define record_early	record_any
#else
/* Used until jtrace_record_init().  Recording of early boot ends before: then it only counts. */
static notrace void record_early(struct jtrace_site *site, u64 ab, u64 cd, u64 e, u64 f)
{
	preempt_disable_notrace();
	if (READ_ONCE(jtrace_early_on)) {
		record_slowly(site, ab, cd, e, f);
		return;
	}
	atomic64_inc(&raw_cpu_ptr(&jtrace_cpus)->lost[JTRACE_SKIPPED]);
	count_lost(site);
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(record_early);
#endif

DEFINE_STATIC_CALL(jtrace_variant, record_early);

#ifndef MODULE
/* Until jtrace_record_init(), only jtrace_record() may record. */
notrace bool jtrace_record_is_early(void)
{
	return static_call_query(jtrace_variant) == record_early;
}
NOKPROBE_SYMBOL(jtrace_record_is_early);
#endif

/**
 * jtrace_record() - record one event
 * @site: of the call
 * @ab: arguments 1 and 2, in its low and high half
 * @cd: arguments 3 and 4
 * @e: argument 5
 * @f: argument 6
 *
 * Called by JTRACE().  Other callers pass a site made at run time: a structure that is 0 but for
 * its strings, its line, @site->kind and @site->args.  jtrace copies the strings into the image
 * when the site first fires, and keeps no pointer to the site or its strings.  So the caller may
 * free them once no call with the site is in progress.  If handlers fire concurrently, remove them
 * and call synchronize_rcu() first: preemption is disabled during a call.  Sites with the same
 * content share a number.  What a site loses is counted if it is in a &struct jtrace_counted_site.
 *
 * This records even if recording is off: test static_branch_unlikely(&jtrace_key) first, as
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
 * jtrace_record_init() - choose the variant; ring and clock are set up
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

/**
 * jtrace_record_count() - count each event, or no longer
 * @on: count
 *
 * Events that have disabled preemption before are over on return.
 *
 * Context: Process; one caller at a time.
 */
void jtrace_record_count(bool on)
{
	if (on)
		static_call_update(jtrace_variant, record_counted);
	else
		jtrace_record_init();
	synchronize_rcu();
}
