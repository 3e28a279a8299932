/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the module share. */
#ifndef _JTRACE_INTERNAL_H
#define _JTRACE_INTERNAL_H

#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/vmalloc.h>

#include "../../lib/recover.h"
#include "../../lib/ring.h"
#include "../../lib/site.h"
#include "compat.h"

#define JTRACE_DEFAULT_SIZE	32768
/* A dump sorts its entries at one go: some seconds for so many. */
#define JTRACE_LARGEST_SIZE	(256ULL * 1024 * 1024)

enum jtrace_mode {
	JTRACE_OFF,
	JTRACE_ON,
};

enum jtrace_clock_choice {
	JTRACE_USE_AUTO,
	JTRACE_USE_TICKS,
	JTRACE_USE_FAST,
};

/**
 * struct jtrace_config - module parameters, parsed
 * @mode: record from the start?
 * @size: target_buffer_size in bytes, 0 if not given
 * @last: last_entry_storage, -1 for all CPUs
 * @kind: use_large_entries
 * @mono: use_mono_timestamps
 * @clock: clock
 * @panic_lines: most entries of a dump, 0 for all, -1 for what the log buffer holds
 * @dump_on_oops: dump on an oops that does not panic, too
 */
struct jtrace_config {
	enum jtrace_mode mode;
	u64 size;
	int last;
	enum jtrace_kind kind;
	bool mono;
	enum jtrace_clock_choice clock;
	int panic_lines;
	bool dump_on_oops;
};

/**
 * struct jtrace - the one recorder
 * @ring: writer's side of the image; read on the hot path
 * @sites: site table
 * @config: parameters
 * @room: how the buffer suits the machine
 * @img: the image
 * @header: the header as it was last written to the image; under @lock, but for
 *	a panic
 * @lock: enabling, clearing
 * @cleared: events that were hidden by clearing; under @lock
 */
struct jtrace {
	struct jtrace_ring ring;
	struct jtrace_sites sites;
	struct jtrace_config config;
	enum jtrace_room room;
	void *img;
	struct jtrace_image_header header;
	struct mutex lock;
	u64 cleared;
};

extern struct jtrace jtrace;
DECLARE_PER_CPU(struct jtrace_ring_cpu, jtrace_cpus);

/* jtrace_params.c */
int jtrace_params_parse(struct jtrace_config *c);

/* jtrace_core.c */
bool jtrace_enabled(void);
void jtrace_enable(bool on);
void jtrace_clear(void);

/**
 * struct jtrace_stats - counters, of all CPUs together
 * @recorded: events
 * @overwritten: of these, made way for later ones
 * @cleared: of these, hidden by clearing
 * @lost: events not recorded, by cause
 */
struct jtrace_stats {
	u64 recorded;
	u64 overwritten;
	u64 cleared;
	u64 lost[JTRACE_NR_LOSSES];
};

void jtrace_stats_read(struct jtrace_stats *s);

/* jtrace_clock.c */

/**
 * struct jtrace_clock_state - the clock that entries are stamped with
 * @ticks: a counter; else the fast ktime clocks
 * @mono: CLOCK_MONOTONIC, else CLOCK_BOOTTIME, is what is shown
 * @offset: added to the counter, so that it goes on where a suspend reset it
 * @rate: length of a tick, in units of 2^-32 ns
 * @khz: rate of the counter, for people
 */
struct jtrace_clock_state {
	bool ticks;
	bool mono;
	u64 offset;
	u64 rate;
	u32 khz;
};

extern struct jtrace_clock_state jtrace_clock;

int jtrace_clock_init(const struct jtrace_config *c);
void jtrace_clock_hook(void);
void jtrace_clock_unhook(void);
u64 jtrace_clock_fast(struct jtrace_ring_cpu *rc);
void jtrace_clock_moment(struct jtrace_moment *m);
void jtrace_clock_stamp(struct jtrace_image_header *h);

/* A bit for the context that runs: task, softirq, hardirq or NMI. */
static __always_inline u32 jtrace_context_bit(void)
{
	u32 count = preempt_count();

	if (count & NMI_MASK)
		return 1 << 3;
	if (count & HARDIRQ_MASK)
		return 1 << 2;
	return count & SOFTIRQ_OFFSET ? 1 << 1 : 1 << 0;
}

/**
 * jtrace_slow_enter() - begin what may call code that can be traced
 * @rc: of this CPU, preemption disabled
 *
 * A context that is in the slow path already comes from a trace point in a
 * function or handler that jtrace calls: it would go round for ever.
 *
 * Return: false if the event is to be dropped; it is counted.
 */
static __always_inline bool jtrace_slow_enter(struct jtrace_ring_cpu *rc)
{
	u32 bit = jtrace_context_bit();

	if (rc->slow & bit) {
		atomic64_inc(&rc->lost[JTRACE_DROPPED_NESTED]);
		return false;
	}
	rc->slow |= bit;
	barrier();
	return true;
}

static __always_inline void jtrace_slow_leave(struct jtrace_ring_cpu *rc)
{
	barrier();
	rc->slow &= ~jtrace_context_bit();
}

/* Zeroed memory that nobody else is pushed out for. */
static inline void *jtrace_alloc(u64 size)
{
	return __vmalloc(size, GFP_KERNEL | __GFP_ZERO | __GFP_NORETRY | __GFP_NOWARN);
}

/* jtrace_persist.c */
void *jtrace_region_get(u64 size);
void jtrace_region_put(void *img);

/* jtrace_panic.c */
int jtrace_panic_init(void);
void jtrace_panic_exit(void);
u32 jtrace_panic_most(void);
void jtrace_freeze_or_thaw(void);

/* jtrace_debugfs.c */
void jtrace_debugfs_init(void);
void jtrace_debugfs_exit(void);

#endif /* _JTRACE_INTERNAL_H */
