// SPDX-License-Identifier: GPL-2.0
/* Control of the recorder: install an image, enable, clear, count. */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/jiffies.h>
#include <linux/jtrace_site.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "jtrace_internal.h"

/**
 * jtrace_setup_describe() - fill in layout and header from config, clock and region
 * @s: the layout is planned
 * @id: of the image, not 0
 *
 * jtrace_boot_identify() fills in the rest of the header.
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
		h->compat |= cpu_to_le32(JTRACE_COMPAT_PERSISTENT);
	if (s->region.type == JTRACE_MEM_WB)
		h->compat |= cpu_to_le32(JTRACE_COMPAT_CACHED);
	h->nr_cpus = cpu_to_le32(nr_cpu_ids);
	h->last_cpus = cpu_to_le32(c->last < 0 ? nr_cpu_ids : c->last);
	h->rate = cpu_to_le64(s->clock.rate);
}

/**
 * jtrace_install() - begin a new image, and record into it from now on
 * @s: complete; the region is clear
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
	jtrace_ring_init(&jtrace.ring, &s->l, s->region.at, id, s->ctl,
			 (s->fit < JTRACE_FIT_POOR ? JTRACE_RING_KEEP_PREVIOUS : 0) |
			 (write_back ? JTRACE_RING_WRITE_BACK : 0));
	jtrace_sites_init(&jtrace.sites, &s->l, s->region.at, id, s->site_room, s->site_spare,
			  write_back);
	jtrace_tasks_init(&jtrace.tasks, &s->l, s->region.at, id, s->task_room, write_back);
	jtrace_stacks_init(&jtrace.stacks, &s->l, s->region.at, id, le64_to_cpu(s->header.text),
			   s->stack_room, write_back);
	for_each_possible_cpu(cpu)
		per_cpu(jtrace_cpus, cpu).cpu = cpu;
	jtrace_clock_stamp(&jtrace.setup.header);
	jtrace_header_write(jtrace.setup.region.at, &jtrace.setup.header);
}

/**
 * jtrace_large_entries() - does an entry hold all arguments?
 *
 * Context: Any.
 * Return: false if an entry holds the first one only.
 */
bool jtrace_large_entries(void)
{
	return jtrace.ring.l.kind == JTRACE_KIND_LARGE;
}
EXPORT_SYMBOL_GPL(jtrace_large_entries);

/**
 * jtrace_has_memory() - is it in the memory of the image?
 * @address: in the kernel
 * @length: bytes
 *
 * Context: Process.
 */
bool jtrace_has_memory(unsigned long address, u32 length)
{
	const struct jtrace_region *r = &jtrace.setup.region;
	unsigned long at = (unsigned long)r->at;

	return address < at + r->size && address + length > at;
}
EXPORT_SYMBOL_GPL(jtrace_has_memory);

/**
 * jtrace_enable() - turn recording on or off, and undo jtrace_stop()
 * @on: on
 *
 * Context: Process.
 */
void jtrace_enable(bool on)
{
	jtrace_stop_undo();
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

static void record_counters(bool on)
{
	struct jtrace_stats s;
	u64 lost = 0;
	u32 i;

	mutex_lock(&jtrace.lock);
	jtrace_stats_read(&s);
	mutex_unlock(&jtrace.lock);
	for (i = 0; i < JTRACE_NR_LOSSES; i++)
		lost += s.lost[i];
	if (on)
		JTRACE(JTRACE_TAG_START "0, 0, 0, 0, recorded, lost)", 0, 0, 0, 0, s.recorded, lost);
	else
		JTRACE(JTRACE_TAG_STOP "0, 0, 0, 0, recorded, lost)", 0, 0, 0, 0, s.recorded, lost);
}

/**
 * jtrace_switch() - turn recording on or off for the user, and record that with the counters
 * @on: on; also undoes jtrace_stop()
 *
 * Context: Process.
 */
void jtrace_switch(bool on)
{
	bool was = static_key_enabled(&jtrace_key) && !jtrace_stop_reason();

	if (was && !on)
		record_counters(false);
	jtrace_enable(on);
	if (on && !was)
		record_counters(true);
}

/* The round of clearing, and the last round in which a CPU closed its open chunk. */
static u32 clear_round;
static DEFINE_PER_CPU(u32, clear_done);

/* Static, because a request may still be pending after jtrace_clear() has given up. */
static DEFINE_PER_CPU(call_single_data_t, clear_csd);

static void close_chunk(void *arg)
{
	u32 round = smp_load_acquire(&clear_round);	/* floor:G */
	long cpu = (long)arg;

	jtrace_ring_close(&jtrace.ring, per_cpu_ptr(&jtrace_cpus, cpu));
	/* Pairs with close_chunks(): if that reads @round, then it sees the chunk closed. */
	smp_store_release(per_cpu_ptr(&clear_done, cpu), round);
}

/* Ask each CPU that has not closed its chunk in this round; return true if none was asked. */
static bool close_chunks(void)
{
	bool done = true;
	long cpu;

	for_each_possible_cpu(cpu) {
		call_single_data_t *csd = per_cpu_ptr(&clear_csd, cpu);

		/* Pairs with close_chunk(). */
		if (smp_load_acquire(per_cpu_ptr(&clear_done, cpu)) == clear_round)
			continue;
		/* Set at run time: pointers in a module's per-CPU variables are not relocated. */
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
 * Closes the open chunk of each CPU by an IPI.  The gate stays open, so no event is skipped.
 *
 * Context: Process.
 * Return: 0, or -EBUSY if a CPU does not answer for a second; all events stay visible then.
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
	/* A CPU that does not answer for a second hangs with its interrupts off. */
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
 * Context: Any; the caller holds &jtrace.lock, unless nothing is cleared meanwhile.
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
