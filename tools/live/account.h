/* SPDX-License-Identifier: GPL-2.0 */
/* What jtrace -f has shown of a live trace. */
#ifndef _JTRACE_ACCOUNT_H
#define _JTRACE_ACCOUNT_H

#include "live.h"

/* A chunk has no more slots. */
#define ACCOUNT_SLOTS	192

/* After so many looks without anything new, no claim is under way.  Leave time between them. */
#define ACCOUNT_QUIET	4

/* Looks before losses are counted, at most. */
#define ACCOUNT_STARTS	(2 * ACCOUNT_QUIET)

/* After so many looks at a chunk that its CPU has left, its free slots stay free. */
#define ACCOUNT_LEFT	2

/**
 * struct account_chunk - what is known of a chunk
 * @claim: the last one of its claims that a look has seen
 * @seen: a bit for each slot: its entry was seen
 * @cpu: that made the claim
 * @left: looks since its CPU has left it, at most %ACCOUNT_LEFT
 */
struct account_chunk {
	u64 claim;
	u64 seen[ACCOUNT_SLOTS / 64];
	u16 cpu;
	u8 left;
};

/**
 * struct account_cpu - what is known of a CPU
 * @newest: its newest claim
 * @before: the one before
 */
struct account_cpu {
	u64 newest;
	u64 before;
};

/* Numbers of CPUs are smaller. */
#define ACCOUNT_CPUS	65536

/**
 * struct account - what was seen of a live trace, and what was lost
 * @chunk: of each chunk
 * @cpu: of each CPU; NULL: headers count what was recorded
 * @since: the newest claim at the first look, 0 before
 * @starts: looks until losses are counted, at most
 * @base: events recorded before the first look, and not seen
 * @held: so many entries are never told as lost, because @base may be too small
 * @recorded: events recorded at the last look
 * @newest: the newest claim at the last look
 * @quiet: looks in a row that found nothing new
 * @seen: entries found
 * @lost: entries told as lost
 */
struct account {
	struct account_chunk *chunk;
	struct account_cpu *cpu;
	u64 since;
	u32 starts;
	u64 base;
	u64 held;
	u64 recorded;
	u64 newest;
	u32 quiet;
	u64 seen;
	u64 lost;
};

bool account_open(struct account *a, const struct jtrace_layout *l, bool counted);
void account_close(struct account *a);
u64 account_look(struct account *a, const struct jtrace_layout *l, void *img,
		 const struct jtrace_image_header *h, u64 *gap);
bool account_is_settled(const struct account *a);

#endif /* _JTRACE_ACCOUNT_H */
