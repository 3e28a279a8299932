/* SPDX-License-Identifier: GPL-2.0 */
/* Clauses while hits come.  For modules on top of jtrace. */
#ifndef _JTRACE_CLAUSES_RUN_H
#define _JTRACE_CLAUSES_RUN_H

#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/list.h>

#include "jtrace_stop.h"
#include "lib/lang/clauses.h"

struct seq_file;

/**
 * struct jtrace_switch - a switch that probes and events share by its name
 * @list: of all switches
 * @name: the name
 * @users: clauses that name it
 * @open: in= records
 */
struct jtrace_switch {
	struct list_head list;
	char name[JTRACE_SWITCH_NAME + 1];
	u32 users;
	bool open;
};

/**
 * struct jtrace_clauses_run - clauses while hits come
 * @in: switch that must be open, or NULL
 * @on: switch that a recorded hit opens, or NULL
 * @off: switch that it closes, or NULL
 * @turn: hits that met the conditions, for skip= and every=
 * @window: start of the running second in jiffies << 32 | hits recorded in it, for rate=
 */
struct jtrace_clauses_run {
	struct jtrace_switch *in;
	struct jtrace_switch *on;
	struct jtrace_switch *off;
	atomic64_t turn;
	u64 window;
};

int jtrace_clauses_begin(struct jtrace_clauses_run *run, const struct jtrace_clauses *c);
void jtrace_clauses_end(struct jtrace_clauses_run *run, const struct jtrace_clauses *c);
void jtrace_switches_show(struct seq_file *m);

/* What a hit calls, in any context, from code that nothing may probe: so these are inlined. */

/* Is the switch of in= open, or is there none? */
static __always_inline bool jtrace_clauses_open(const struct jtrace_clauses_run *run)
{
	return likely(!run->in) || READ_ONCE(run->in->open);
}

/* Do skip= and every= let a hit pass?  Exact over all CPUs. */
static __always_inline bool jtrace_clauses_is_turn(struct jtrace_clauses_run *run, u64 skip,
						   u32 every)
{
	u64 turn;

	if (!skip && every == 1)
		return true;
	turn = atomic64_inc_return(&run->turn);
	return turn > skip && !((turn - skip) % every);
}

/* Is it one of the hits that skip= passes over?  Exact; without a locked instruction afterwards. */
static __always_inline bool jtrace_clauses_is_skipped(struct jtrace_clauses_run *run, u64 skip)
{
	return (u64)atomic64_read(&run->turn) < skip &&
	       (u64)atomic64_inc_return(&run->turn) <= skip;
}

/* Does rate= let a hit pass?  Exact over all CPUs: each takes its place in the window. */
static __always_inline bool jtrace_clauses_is_within_rate(struct jtrace_clauses_run *run, u32 rate)
{
	u64 was = READ_ONCE(run->window), new;
	u32 now, start, nr;

	if (!rate)
		return true;
	do {
		now = jiffies;
		start = was >> 32;
		nr = was;
		if (!was || now - start >= HZ) {
			start = now;
			nr = 0;
		}
		if (nr == rate)
			return false;
		/* 0 stands for no window. */
		new = (u64)start << 32 | (nr + 1);
	} while (!try_cmpxchg64(&run->window, &was, new));
	return true;
}

/* A hit was recorded: do what follows it.  @why: the name of the probe or the event, for stop= */
static __always_inline void jtrace_clauses_act(const struct jtrace_clauses_run *run,
					       const struct jtrace_clauses *c, const char *why)
{
	if (run->on)
		WRITE_ONCE(run->on->open, true);
	if (run->off)
		WRITE_ONCE(run->off->open, false);
	if (c->stops)
		jtrace_stop_after(c->stop, why);
}

#endif /* _JTRACE_CLAUSES_RUN_H */
