/* SPDX-License-Identifier: GPL-2.0 */
/* The parts of the stress program. */
#ifndef _JTRACE_STRESS_H
#define _JTRACE_STRESS_H

#include "../../lib/read/walk.h"
#include "../kunit/random.h"

#define MAX_THREADS	4

/* Slots before the low half of the slot counter overflows, at the start. */
#define NEAR_OVERFLOW	20

/**
 * struct config - one run
 * @threads: number of recording threads
 * @kind: of entries
 * @chunks: number of chunks
 * @shift: log2 of the chunk size
 * @keep: JTRACE_RING_KEEP_PREVIOUS
 * @clear: a thread clears all the time
 * @model: compare with the model, which has locked instructions, and so another timing
 * @overflow: the CPUs' own counters begin near overflow
 */
struct config {
	u32 threads;
	u32 kind;
	u32 chunks;
	u32 shift;
	bool keep;
	bool clear;
	bool model;
	bool overflow;
};

u32 stress_configs(struct config **all, u64 seed, u32 random);
void stress_save(const char *dir, u32 nr, const void *img, u64 size);
bool stress_sites(u32 nr, double seconds);

void model_new(const struct jtrace_layout *l);
const char *model_begin(u64 cursor, const struct jtrace_decoded *ev);
bool model_end(u64 cursor);
const char *model_compare(const struct jtrace_trace *t, bool all);

#endif /* _JTRACE_STRESS_H */
