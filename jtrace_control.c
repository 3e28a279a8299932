// SPDX-License-Identifier: GPL-2.0
/*
 * Control of the recorder: install an image, enable, clear, count; the gate and the freeze.
 *
 * Callers are above: debugfs, panic, early boot.  jtrace_record() calls
 * jtrace_freeze_or_thaw() before a claim.
 */

#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/jtrace.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "include/jtrace/internal.h"

DEFINE_STATIC_KEY_FALSE(jtrace_key);
EXPORT_SYMBOL_GPL(jtrace_key);

struct jtrace jtrace = {
	.lock = __MUTEX_INITIALIZER(jtrace.lock),
};

/**
 * jtrace_setup_describe() - layout and header say what will be recorded
 * @s: config, clock and region are set, the layout is planned
 * @id: of the image, not 0
 *
 * Which boot it is remains to be told.
 */
void jtrace_setup_describe(struct jtrace_setup *s, u64 id)
{
	const struct jtrace_config *c = &s->config;
	struct jtrace_image_header *h = &s->header;

	s->l.cpus = min_t(u32, nr_cpu_ids, U16_MAX);
	if (s->clock.ticks)
		s->l.form |= JTRACE_FORM_TICKS;
	if (c->mono)
		s->l.form |= JTRACE_FORM_MONO;
	if (c->mode == JTRACE_PERSISTENT)
		s->l.form |= JTRACE_FORM_CHECKED;

	jtrace_header_init(h, &s->l, id);
	if (c->mode == JTRACE_PERSISTENT)
		h->flags |= cpu_to_le32(JTRACE_F_PERSISTENT);
	if (s->region.type == JTRACE_MEM_WB)
		h->flags |= cpu_to_le32(JTRACE_F_CACHED);
	h->nr_cpus = cpu_to_le32(nr_cpu_ids);
	h->last_cpus = cpu_to_le32(c->last < 0 ? nr_cpu_ids : c->last);
	h->rate = cpu_to_le64(s->clock.rate);
}

/**
 * jtrace_install() - begin a new image, which is recorded into from now on
 * @s: all it needs; the region is clear
 *
 * Context: Nothing is recorded meanwhile.
 */
void jtrace_install(const struct jtrace_setup *s)
{
	u64 id = le64_to_cpu(s->header.image_id);
	bool write_back = s->region.type == JTRACE_MEM_WB;
	int cpu;

	jtrace.setup = *s;
	jtrace_clock = s->clock;
	jtrace_ring_init(&jtrace.ring, &s->l, s->region.at, id, s->places,
			 (s->room < JTRACE_ROOM_POOR ? JTRACE_RING_KEEP_PREVIOUS : 0) |
			 (write_back ? JTRACE_RING_WRITE_BACK : 0));
	jtrace_sites_init(&jtrace.sites, &s->l, s->region.at, id, s->site_room, s->site_spare,
			  write_back);
	for_each_possible_cpu(cpu)
		per_cpu(jtrace_cpus, cpu).cpu = cpu;
	jtrace_clock_stamp(&jtrace.setup.header);
	jtrace_header_write(jtrace.setup.region.at, &jtrace.setup.header);
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
	if (on && !static_key_enabled(&jtrace_key)) {
		static_branch_enable(&jtrace_key);
		if (JTRACE_HAS_CLIENTS)
			jtrace_clients_attach();
	} else if (!on && static_key_enabled(&jtrace_key)) {
		if (JTRACE_HAS_CLIENTS)
			jtrace_clients_detach();
		static_branch_disable(&jtrace_key);
	}
	mutex_unlock(&jtrace.lock);
}

/* Clearing, in rounds: the last one in which a CPU closed its open chunk. */
static u32 clear_round;
static DEFINE_PER_CPU(u32, clear_done);

/* A request outlives the caller's patience. */
static DEFINE_PER_CPU(call_single_data_t, clear_csd);

static void close_chunk(void *arg)
{
	u32 round = smp_load_acquire(&clear_round);	/* floor:G */
	long cpu = (long)arg;

	jtrace_ring_close(&jtrace.ring, per_cpu_ptr(&jtrace_cpus, cpu));
	/* Pairs with close_chunks(): the floor rises when the chunk is closed. */
	smp_store_release(per_cpu_ptr(&clear_done, cpu), round);
}

/* Ask each CPU that has not done it in this round; false if there was one. */
static bool close_chunks(void)
{
	bool done = true;
	long cpu;

	for_each_possible_cpu(cpu) {
		call_single_data_t *csd = per_cpu_ptr(&clear_csd, cpu);

		/* Pairs with close_chunk(). */
		if (smp_load_acquire(per_cpu_ptr(&clear_done, cpu)) == clear_round)
			continue;
		/* Not in its definition: a module's per-CPU variables are not relocated. */
		csd->func = close_chunk;
		csd->info = (void *)cpu;
		if (cpu_online(cpu))
			smp_call_function_single_async(cpu, csd);
		else
			close_chunk(csd->info);
		done = false;
	}
	return done;
}

/**
 * jtrace_clear() - hide all events recorded so far
 *
 * Closes the open chunk of each CPU by an IPI.  The gate stays open, so no event is
 * skipped.
 *
 * Context: Process.
 * Return: 0, or -EBUSY if a CPU does not answer for a second; then all events are shown.
 */
int jtrace_clear(void)
{
	unsigned long end;
	int err = 0;
	u64 floor;

	mutex_lock(&jtrace.lock);
	cpus_read_lock();
	end = jiffies + HZ;
	floor = jtrace_ring_floor_next(&jtrace.ring);
	smp_store_release(&clear_round, clear_round + 1);	/* floor:G */
	/* A CPU that does not answer for so long has its interrupts off, and hangs. */
	while (!close_chunks()) {
		if (time_after(jiffies, end)) {
			err = -EBUSY;
			break;
		}
		schedule_timeout_uninterruptible(1);
	}
	cpus_read_unlock();
	if (!err) {
		jtrace_ring_floor_set(&jtrace.ring, floor);
		jtrace.setup.header.floor = cpu_to_le64(floor);
		jtrace_header_write(jtrace.setup.region.at, &jtrace.setup.header);
	}
	mutex_unlock(&jtrace.lock);
	return err;
}

/**
 * jtrace_stats_read() - add up the counters of all CPUs
 * @s: result; exact while nothing is recorded
 *
 * Context: Any; &jtrace.lock is held, unless nobody clears.
 */
void jtrace_stats_read(struct jtrace_stats *s)
{
	int cpu, i;

	memset(s, 0, sizeof(*s));
	s->unfinished = READ_ONCE(jtrace.unfinished);
	s->recorded = jtrace.gone + s->unfinished;
	s->overwritten = jtrace.gone;
	s->cleared = jtrace_ring_hidden(&jtrace.ring);
	s->lost_in_snapshot = jtrace.lost_in_snapshot;
	for_each_possible_cpu(cpu) {
		const struct jtrace_ring_cpu *rc = per_cpu_ptr(&jtrace_cpus, cpu);

		s->recorded += jtrace_ring_recorded(&jtrace.ring, rc);
		s->overwritten += atomic64_read(&rc->overwritten);
		s->cleared += atomic64_read(&rc->cleared);
		for (i = 0; i < JTRACE_NR_LOSSES; i++)
			s->lost[i] += atomic64_read(&rc->lost[i]);
	}
}

/* ---- The gate --------------------------------------------------------- */

/**
 * jtrace_gate_close() - let no chunk be claimed
 *
 * Context: Any.
 */
notrace void jtrace_gate_close(void)
{
	jtrace_ring_gate_close(&jtrace.ring);
}

/**
 * jtrace_gate_open() - undo one jtrace_gate_close()
 *
 * Context: Any.
 */
notrace void jtrace_gate_open(void)
{
	jtrace_ring_gate_open(&jtrace.ring);
}

/**
 * jtrace_gate_closers() - how often the gate is closed
 *
 * Context: Any.
 */
s64 __init jtrace_gate_closers(void)
{
	return atomic64_read(&jtrace.ring.gate);
}

/**
 * jtrace_gate_restore() - close the gate of a new image for those who closed the old one
 * @closers: result of jtrace_gate_closers() before jtrace_install()
 *
 * Context: Any.
 */
void __init jtrace_gate_restore(s64 closers)
{
	atomic64_add(closers, &jtrace.ring.gate);
}

/* ---- The freeze ------------------------------------------------------- */

/* A dump that prints no line for so long is stuck: 9600 baud print 57,600 bytes. */
#define STUCK_TIME		(60 * HZ)

/*
 * The freeze: while an oops, a panic or a dump is printed, and until an oops has
 * panicked or has had the time to, the gate is closed.  Printing takes a while,
 * in which other CPUs would overwrite what led to it.
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
 *
 * Context: Any; the caller owns the dump.
 */
void jtrace_freeze_for_dump(void)
{
	WRITE_ONCE(dump_until, freeze(STUCK_TIME));
}

/**
 * jtrace_freeze_extend() - the dump has printed a line
 *
 * An oops that froze the trace meanwhile decides when it thaws.
 *
 * Context: Any; the caller owns the dump.
 */
void jtrace_freeze_extend(void)
{
	unsigned long was = dump_until;

	WRITE_ONCE(dump_until, (jiffies + STUCK_TIME) | 1);
	cmpxchg(&frozen_until, was, dump_until);
}

/**
 * jtrace_thaw_after_dump() - undo jtrace_freeze_for_dump()
 *
 * Context: Any; the caller owns the dump.
 */
void jtrace_thaw_after_dump(void)
{
	thaw(dump_until);
	WRITE_ONCE(dump_until, 0);
}

/**
 * jtrace_dump_died() - count a dump whose task died of an oops
 *
 * Context: Any; after jtrace_freeze_for_oops().
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
 *
 * Context: Any.
 * Return: that level.
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
 *
 * Context: Any.
 */
bool jtrace_oops_in_progress(void)
{
	return oops_goes_on();
}

/**
 * jtrace_freeze_init() - learn the level of oops_in_progress between oopses
 *
 * Context: Process.
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
 * Called before a claim: notifiers come when all has been printed.
 *
 * Context: Any.
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
