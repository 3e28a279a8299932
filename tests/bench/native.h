/* SPDX-License-Identifier: GPL-2.0 */
/* What native.c (rounds, rows) and native_variants.c (what is timed) share. */
#ifndef _BENCH_NATIVE_H
#define _BENCH_NATIVE_H

#include "../../lib/env.h"

/* What is timed: each variant is a loop over one of these. */
enum variant {
	V_RDTSC,
	V_STORE,
	V_STORE_WORK,
	V_RECORD,
	V_CHECKED,
	V_WB,
	V_SMALL,
	V_WB_SMALL,
	V_STORE_DEEP,
	V_DEEP,
	V_DEFAULT,
	V_WB_DEFAULT,
	V_LTTNG,
	V_RECORD_LOCK,
	V_WB_LOCK,
	V_WB_SFENCE,
	V_GAP100,
	V_GAP100_LOCK,
	V_WB_GAP100,
	V_WB_GAP100_LOCK,
	V_WB_GAP300,
	V_WB_GAP300_LOCK,
	V_NONE_LOCK,
	V_PLAIN,
	V_PLAIN_LOCK,
	V_CLFLUSHOPT,
	V_CLFLUSHOPT_LOCK,
	V_PREV,
	V_PREV_LOCK,
	V_CHUNK,
	V_CHUNK_LOCK,
	V_MOVNTI,
	V_MOVNTI_LOCK,
	V_MOVDIR64B,
	V_MOVDIR64B_LOCK,
	NR_ALONE,

	/* On two CPUs at once. */
	V_RECORD2 = NR_ALONE,
	V_RDTSC2,
	V_APART2,
	V_DEEP2,
	V_WB2,
	NR_VARIANTS,
};

/**
 * struct variant_code - how a variant is run
 * @run: does it so many times, on the CPU that variants_thread() was called on
 * @missing: why it cannot be run here, NULL if it can
 */
struct variant_code {
	void (*run)(u32 times);
	const char *missing;
};

extern struct variant_code variants[NR_VARIANTS];

bool variants_init(u32 size);
void variants_thread(u32 cpu);
void variants_gap(u32 which, u32 steps);
void variants_chain(u32 steps);
bool variants_verify(void);

/* In a library that may be there or not. */
bool lttng_ready(void);
void lttng_run(u32 times);

/* Ticks before and after what is timed, and nothing of it outside. */
u64 ticks_begin(void);
u64 ticks_end(void);
void relax(void);

#endif /* _BENCH_NATIVE_H */
