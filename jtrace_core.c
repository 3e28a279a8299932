// SPDX-License-Identifier: GPL-2.0
/*
 * jtrace: parameters to recorder, and the one function that records.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/crash_dump.h>
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/jtrace.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "include/jtrace/internal.h"

DEFINE_STATIC_KEY_FALSE(jtrace_key);
EXPORT_SYMBOL_GPL(jtrace_key);

struct jtrace jtrace = {
	.lock = __MUTEX_INITIALIZER(jtrace.lock),
};
DEFINE_PER_CPU(struct jtrace_ring_cpu, jtrace_cpus);

/* ---- Recording -------------------------------------------------------- */

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

/* ---- Control ---------------------------------------------------------- */

/**
 * jtrace_enabled() - are events recorded?
 */
bool jtrace_enabled(void)
{
	return static_key_enabled(&jtrace_key);
}

/**
 * jtrace_enable() - let events be recorded, or not
 * @on: which
 *
 * Context: Process.
 */
void jtrace_enable(bool on)
{
	mutex_lock(&jtrace.lock);
	if (on)
		static_branch_enable(&jtrace_key);
	else
		static_branch_disable(&jtrace_key);
	mutex_unlock(&jtrace.lock);
}

/**
 * jtrace_clear() - show no more what was recorded so far
 *
 * Closes the gate for as long as it takes all CPUs to leave the code in which
 * they have preemption disabled (RCU) or interrupts (an IPI to each, for idle
 * code that RCU does not watch): then no claim and no record is under way, and
 * what is counted here stays so.
 *
 * Context: Process.
 */
void jtrace_clear(void)
{
	u64 floor, recorded = 0, overwritten = 0;
	int cpu;

	mutex_lock(&jtrace.lock);
	jtrace_ring_gate_close(&jtrace.ring);
	synchronize_rcu();
	kick_all_cpus_sync();

	floor = jtrace_ring_clear(&jtrace.ring);
	for_each_possible_cpu(cpu) {
		const struct jtrace_ring_cpu *rc = per_cpu_ptr(&jtrace_cpus, cpu);

		recorded += jtrace_ring_clear_open(&jtrace.ring, rc);
		overwritten += atomic64_read(&rc->overwritten);
	}
	jtrace.cleared = recorded - overwritten;
	jtrace.header.floor = cpu_to_le64(floor);
	jtrace_header_write(jtrace.region.at, &jtrace.header);

	jtrace_ring_gate_open(&jtrace.ring);
	mutex_unlock(&jtrace.lock);
}

/**
 * jtrace_stats_read() - add up the counters of all CPUs
 * @s: result; exact while nothing is recorded
 *
 * Context: Process.
 */
void jtrace_stats_read(struct jtrace_stats *s)
{
	int cpu, i;

	memset(s, 0, sizeof(*s));
	mutex_lock(&jtrace.lock);
	s->cleared = jtrace.cleared;
	for_each_possible_cpu(cpu) {
		const struct jtrace_ring_cpu *rc = per_cpu_ptr(&jtrace_cpus, cpu);

		s->recorded += jtrace_ring_recorded(&jtrace.ring, rc);
		s->overwritten += atomic64_read(&rc->overwritten);
		for (i = 0; i < JTRACE_NR_LOSSES; i++)
			s->lost[i] += atomic64_read(&rc->lost[i]);
	}
	mutex_unlock(&jtrace.lock);
}

/* ---- Loading and unloading -------------------------------------------- */

static u64 default_size(u32 cpus)
{
	const struct jtrace_config *c = &jtrace.config;

	return max_t(u64, jtrace_default_size(c),
		     jtrace_layout_smallest(cpus, c->kind, JTRACE_ROOM_FULL));
}

/* One line: which parameter is too small, and what it must be. */
static int too_small(u64 size, u32 cpus)
{
	const struct jtrace_config *c = &jtrace.config;
	bool region = jtrace.region.at && size == jtrace.region.size;

	pr_err("%s=%llu: must be at least %llu for %u CPUs and %s entries\n",
	       !region ? "target_buffer_size" : c->mem_name ? "reserve_mem" : "mem_size", size,
	       jtrace_layout_smallest(cpus, c->kind, JTRACE_ROOM_POOR), cpus,
	       c->kind == JTRACE_KIND_LARGE ? "large" : "small");
	return -EINVAL;
}

/* Lay the image out in the size that was asked for, or needed, or that there is. */
static int plan(struct jtrace_layout *l)
{
	const struct jtrace_config *c = &jtrace.config;
	u32 cpus = num_possible_cpus();
	u64 size = c->size ?: default_size(cpus);

	if (jtrace.region.at)
		size = min(size, jtrace.region.size);
	jtrace.room = jtrace_layout_plan(l, size, cpus, c->kind);
	if (jtrace.room == JTRACE_ROOM_NONE)
		return too_small(size, cpus);
	l->cpus = min_t(u32, nr_cpu_ids, U16_MAX);
	if (jtrace_clock.ticks)
		l->form |= JTRACE_FORM_TICKS;
	if (c->mono)
		l->form |= JTRACE_FORM_MONO;
	if (c->mode == JTRACE_PERSISTENT)
		l->form |= JTRACE_FORM_CHECKED;
	return 0;
}

/* The header, but for the image that it will describe. */
static void header_begin(const struct jtrace_layout *l)
{
	const struct jtrace_config *c = &jtrace.config;
	struct jtrace_image_header *h = &jtrace.header;
	u64 id;

	do {
		id = get_random_u64();
	} while (!id);
	jtrace_header_init(h, l, id);
	if (c->mode == JTRACE_PERSISTENT)
		h->flags |= cpu_to_le32(JTRACE_F_PERSISTENT);
	if (jtrace.region.type == JTRACE_MEM_WB)
		h->flags |= cpu_to_le32(JTRACE_F_CACHED);
	h->nr_cpus = cpu_to_le32(nr_cpu_ids);
	h->last_cpus = cpu_to_le32(c->last < 0 ? nr_cpu_ids : c->last);
	h->rate = cpu_to_le64(jtrace_clock.rate);
	jtrace_boot_identify(h);
}

static int no_memory(u64 size)
{
	pr_err("target_buffer_size=%llu: no memory, %llu bytes are available\n", size,
	       (u64)si_mem_available() << PAGE_SHIFT);
	return -ENOMEM;
}

/* All memory that is needed, the image's included; nothing is written to that. */
static int buffers_get(const struct jtrace_layout *l)
{
	const gfp_t quiet = GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN;

	jtrace.ring.places = kvcalloc(l->nr_chunks, sizeof(*jtrace.ring.places), quiet);
	jtrace.sites.index = kvcalloc(jtrace_sites_slots(l), sizeof(*jtrace.sites.index), quiet);
	if (!jtrace.ring.places || !jtrace.sites.index)
		return no_memory(l->size);
	if (jtrace.config.mode == JTRACE_PERSISTENT)
		return jtrace_recovered_save(&jtrace.region, jtrace.header.boot_id);
	return jtrace_region_alloc(&jtrace.region, l->size) ? no_memory(l->size) : 0;
}

static void buffers_put(void)
{
	jtrace_recovered_drop();
	jtrace_panic_free();
	kvfree(jtrace.sites.index);
	kvfree(jtrace.ring.places);
	jtrace_region_put(&jtrace.region);
}

/* Begin a new image.  Up to here what lay in the region lies there still. */
static void arm(const struct jtrace_layout *l)
{
	u64 id = le64_to_cpu(jtrace.header.image_id);
	bool write_back = jtrace.region.type == JTRACE_MEM_WB;

	if (jtrace_region_persistent(&jtrace.region))
		jtrace_region_clear(&jtrace.region);
	jtrace_ring_init(&jtrace.ring, l, jtrace.region.at, id, jtrace.ring.places,
			 (jtrace.room < JTRACE_ROOM_POOR ? JTRACE_RING_KEEP_PREVIOUS : 0) |
			 (write_back ? JTRACE_RING_WRITE_BACK : 0));
	jtrace_sites_init(&jtrace.sites, l, jtrace.region.at, id, jtrace.sites.index, write_back);
	jtrace_clock_stamp(&jtrace.header);
	jtrace_header_write(jtrace.region.at, &jtrace.header);
}

static void say_hello(const struct jtrace_layout *l)
{
	const char *text;
	u32 i;

	pr_info("%llu bytes, %llu %s entries, clock %s\n", l->size, jtrace_layout_entries(l),
		l->kind == JTRACE_KIND_LARGE ? "large" : "small",
		jtrace_clock.ticks ? "ticks" : "fast");
	if (!jtrace_region_persistent(&jtrace.region))
		return;
	pr_info("persistent at %pa, found there: %s\n", &jtrace.region.phys,
		jtrace_recovered_verdict());
	for (i = 0; (text = jtrace_machine_warning(i)); i++)
		if (*text)
			pr_warn("%s\n", text);
}

/* Not where what an earlier boot left would be lost instead of shown. */
static int find_region(void)
{
	if (is_kdump_kernel()) {
		pr_err("enabled=persistent: this is a crash kernel: the trace is left to the next boot\n");
		return -EBUSY;
	}
	if (!debugfs_initialized()) {
		pr_err("enabled=persistent: debugfs is off: nothing could be read, and it would be lost\n");
		return -ENODEV;
	}
	return jtrace_region_find(&jtrace.region, &jtrace.config);
}

static int get_ready(struct jtrace_layout *l)
{
	struct jtrace_config *c = &jtrace.config;
	int err;

	err = jtrace_params_parse(c) ?:
	      jtrace_clock_init(c) ?:
	      (c->mode == JTRACE_PERSISTENT ? find_region() : 0) ?:
	      plan(l);
	if (err)
		return err;
	header_begin(l);
	return jtrace_panic_prepare(l) ?: buffers_get(l);
}

static int __init jtrace_init(void)
{
	struct jtrace_layout l;
	int err = get_ready(&l);

	if (err) {
		buffers_put();
		return err;
	}
	arm(&l);
	if (jtrace_region_persistent(&jtrace.region))
		jtrace_modules_init();
	jtrace_panic_init();
	jtrace_seal_init();
	jtrace_clock_hook();
	jtrace_debugfs_init();
	if (jtrace.config.mode != JTRACE_OFF)
		jtrace_enable(true);
	say_hello(&l);
	return 0;
}

/* No client is loaded any more, but a trace point of ours may be under way. */
static void __exit jtrace_exit(void)
{
	jtrace_enable(false);
	jtrace_debugfs_exit();
	jtrace_clock_unhook();
	jtrace_panic_exit();
	if (jtrace_region_persistent(&jtrace.region))
		jtrace_modules_exit();
	synchronize_rcu();
	jtrace_seal_exit();
	buffers_put();
}

module_init(jtrace_init);
module_exit(jtrace_exit);

MODULE_DESCRIPTION("Flight recorder for kernel code: the last events before a crash");
MODULE_AUTHOR("The jtrace developers");
MODULE_LICENSE("GPL");
