/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the module share. */
#ifndef _JTRACE_INTERNAL_H
#define _JTRACE_INTERNAL_H

#include <linux/mutex.h>
#include <linux/percpu.h>

#include "../../lib/recover.h"
#include "../../lib/ring.h"
#include "../../lib/site.h"
#include "compat.h"

#define JTRACE_DEFAULT_SIZE	32768
#define JTRACE_LARGEST_SIZE	(1024ULL * 1024 * 1024)

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

/* Records that may be nested in each other's slow path on one CPU. */
#define JTRACE_MOST_DEPTH	6

/**
 * jtrace_slow_enter() - begin what may call code that can be traced
 * @rc: of this CPU, preemption disabled
 *
 * Four contexts can be nested (task, softirq, hardirq, NMI); more are a
 * recursion, of a trace point in a function or handler that jtrace calls.
 *
 * Return: false if the event is to be dropped; it is counted.
 */
static __always_inline bool jtrace_slow_enter(struct jtrace_ring_cpu *rc)
{
	if (rc->depth >= JTRACE_MOST_DEPTH) {
		atomic64_inc(&rc->lost[JTRACE_DROPPED_NESTED]);
		return false;
	}
	rc->depth++;
	barrier();
	return true;
}

static __always_inline void jtrace_slow_leave(struct jtrace_ring_cpu *rc)
{
	barrier();
	rc->depth--;
}

/* jtrace_persist.c */
void *jtrace_region_get(u64 size);
void jtrace_region_put(void *img);

/* jtrace_panic.c */
int jtrace_panic_init(void);
void jtrace_panic_exit(void);
u32 jtrace_panic_most(void);
void jtrace_thaw(void);

/* jtrace_debugfs.c */
void jtrace_debugfs_init(void);
void jtrace_debugfs_exit(void);

#endif /* _JTRACE_INTERNAL_H */
