/* SPDX-License-Identifier: GPL-2.0 */
/* What tasks do: run, sleep, or wait for a CPU. */
#ifndef _JTRACE_RUNS_H
#define _JTRACE_RUNS_H

#include "pairs.h"

/* "R+" and the NUL */
#define RUN_STATE	4

/**
 * struct run - what a task did for a while
 * @tid: the task
 * @at: number of the entry that began it, as the caller counts them
 * @state: as sched_switch names it; "R": it waits for a CPU; empty: it runs
 */
struct run {
	u32 tid;
	u64 at;
	char state[RUN_STATE];
};

/**
 * struct run_step - the runs that end with an entry
 * @nr: number of them
 * @run: the runs
 */
struct run_step {
	u32 nr;
	struct run run[2];
};

struct runs;

struct runs *runs_open(const struct jtrace_trace *t, const struct pairs *p);
bool runs_take(struct runs *r, const struct pair_step *pair, const struct jtrace_decoded *ev,
	       u64 at, struct run_step *step);
bool runs_each(struct runs *r, bool (*call)(const struct run *run, void *data), void *data);
void runs_close(struct runs *r);

#endif /* _JTRACE_RUNS_H */
