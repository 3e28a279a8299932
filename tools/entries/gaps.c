// SPDX-License-Identifier: GPL-2.0
/*
 * Find the time from which on a trace is complete.
 *
 * The header of each chunk names the claim of the chunk that its CPU used before, and counts the
 * events that the CPU lost since.  So the chunks of a CPU form a chain, from its newest one back to
 * the first that is overwritten or damaged, or to the beginning.  A claim that a nested record or a
 * close made void leaves a header without entries, which the chain passes over.
 *
 * What a CPU lost after its newest claim is not in the image.  It can only be a CPU whose newest
 * chunk is full.  If claims were refused while an oops or a dump was printed, an event tells when
 * that was over, see pairs_take().
 *
 * An event that is lost in the claim itself, between stamp and header, counts as one before the
 * stamp.
 */

#include <stdlib.h>

#include "entries.h"

/* By CPU, then the newest first. */
static int chunk_order(const void *a, const void *b)
{
	const struct jtrace_chunk *x = a, *y = b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu) ?:
	       (y->claim > x->claim) - (y->claim < x->claim);
}

/* List the chunks that a reader of the trace sees; return their number. */
static u32 list_chunks(const struct jtrace_trace *t, struct jtrace_chunk *list)
{
	const u64 floor = le64_to_cpu(t->header.floor);
	u32 nr = 0, i;

	for (i = 0; i < t->l.nr_chunks; i++)
		if (jtrace_recover_chunk(t, i, &list[nr]) && list[nr].claim >= floor)
			nr++;
	qsort(list, nr, sizeof(*list), chunk_order);
	return nr;
}

/* The raw time from which on the CPU of @c, its newest chunk, is complete; 0 for the beginning. */
static u64 follow_chain(const struct jtrace_trace *t, const struct jtrace_chunk *c,
			const struct jtrace_chunk *end)
{
	const struct jtrace_chunk *before;

	for (;; c = before) {
		/* Entries before its newest one may be lost with the header. */
		if (c->rescued)
			return t->runs[c->index].time;
		if (c->lost)
			return c->stamp.ticks;
		if (!c->previous)
			return 0;
		for (before = c + 1; before < end && before->cpu == c->cpu; before++)
			if ((u32)before->claim == c->previous)
				break;
		if (before == end || before->cpu != c->cpu)
			return c->stamp.ticks;
	}
}

/* The raw time of the last entry of a chunk that is full, else ~0. */
static u64 full_since(const struct jtrace_trace *t, const struct jtrace_chunk *c)
{
	struct jtrace_decoded last;

	return jtrace_entry_read(&t->l, t->img, t->image_id, c, t->l.entries - 1, &last) ?
	       last.time : ~0ULL;
}

/**
 * gaps_find() - find from when on a trace is complete
 * @g: result
 * @t: an image that was scanned
 *
 * Return: false, after a message, if there is no memory.
 */
bool gaps_find(struct gaps *g, const struct jtrace_trace *t)
{
	struct jtrace_chunk *list = malloc(((size_t)t->l.nr_chunks + 1) * sizeof(*list)), *c;
	u32 nr;

	if (!list)
		return fail("no memory for a list of %u chunks", t->l.nr_chunks);
	nr = list_chunks(t, list);
	memset(g->cpu_from, 0xff, sizeof(g->cpu_from));
	g->all_from = 0;
	g->full = ~0ULL;
	for (c = list; c < list + nr; c++) {
		if (c != list && c[-1].cpu == c->cpu)
			continue;
		g->cpu_from[c->cpu] = follow_chain(t, c, list + nr);
		g->all_from = max(g->all_from, g->cpu_from[c->cpu]);
		g->full = min(g->full, full_since(t, c));
	}
	free(list);
	return true;
}
