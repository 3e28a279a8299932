// SPDX-License-Identifier: GPL-2.0
/*
 * Which entries of a live trace are new since the last look, and how many were lost meanwhile.
 *
 * Each look takes a snapshot.  A chunk and the number of its claim name the memory that a CPU
 * filled once, so claim and slot name an entry for good.  An account keeps the last claim of each
 * chunk and the slots that it has seen.  So it finds each entry once, also one that shows up late:
 * a record that was interrupted, or a chunk that a snapshot left out because a CPU claimed it.
 *
 * The counters of the snapshot tell how many were recorded; those that no look has seen were lost.
 * The counters are exact while no CPU records.  Otherwise a few chunks may count too much: a claim
 * counts the entries of a chunk as overwritten before it writes the header, and a snapshot takes a
 * chunk that is claimed meanwhile for a full one.  So as many entries as may count too much are
 * held back until several looks have found nothing new, when no claim is under way any more.  Then
 * seen + gaps = recorded.
 *
 * The same holds for the looks at the start, from which losses are counted.  If CPUs record during
 * all of these, their count stays unsure, and as many entries are held back for good.
 */

#include <stdlib.h>

#include "account.h"

/*
 * Chunks of a CPU that may be counted wrongly: two that it is claiming, one of them in an
 * interrupt, and two that were open when the trace was cleared.  Also a part of the ring: chunks
 * that are claimed between the counters of the snapshot and its copy, or while that begins.
 */
#define CHUNKS_UNSURE	4
#define PART_UNSURE	16

static_assert((JTRACE_PAGE - sizeof(struct jtrace_chunk_header)) /
	      sizeof(struct jtrace_small_entry) <= ACCOUNT_SLOTS);

/**
 * account_open() - start an account
 * @a: result; the next look is the first one; close it even after an error
 * @l: geometry of the image
 * @counted: the headers of snapshots count what was recorded; if not, gaps are upper bounds
 *
 * Return: false, after a message, if there is no memory.
 */
bool account_open(struct account *a, const struct jtrace_layout *l, bool counted)
{
	memset(a, 0, sizeof(*a));
	a->starts = counted ? ACCOUNT_STARTS : 0;
	a->chunk = calloc(l->nr_chunks, sizeof(*a->chunk));
	a->cpu = counted ? NULL : calloc(ACCOUNT_CPUS, sizeof(*a->cpu));
	return (a->chunk && (counted || a->cpu)) ||
	       fail("no memory for an account of %u chunks", l->nr_chunks);
}

/**
 * account_close() - free an account
 * @a: the account
 */
void account_close(struct account *a)
{
	free(a->chunk);
	free(a->cpu);
	a->chunk = NULL;
	a->cpu = NULL;
}

static u32 count_seen(const struct account_chunk *s)
{
	u32 i, nr = 0;

	for (i = 0; i < ARRAY_SIZE(s->seen); i++)
		nr += __builtin_popcountll(s->seen[i]);
	return nr;
}

/* How many entries can a chunk have lost, now that a look has seen @claim there? */
static u64 count_most(const struct account *a, const struct jtrace_layout *l,
		      const struct account_chunk *s, u64 claim)
{
	u64 from, laps;

	if (!a->since || claim <= max(a->since, s->claim))
		return 0;
	/* It was claimed while each look came, or never before: the claims since the first look. */
	from = max(JTRACE_FIRST_CLAIM, a->since - min_t(u64, a->since, l->nr_chunks));
	if (!s->claim)
		return min_t(u64, (claim - from - 1) / l->nr_chunks, U32_MAX) * l->entries;
	laps = min_t(u64, (claim - s->claim) / l->nr_chunks, U32_MAX);
	return (laps ? laps - 1 : 0) * l->entries +
	       (s->left < ACCOUNT_LEFT ? l->entries - count_seen(s) : 0);
}

static void note_claim(struct account_cpu *cpu, u64 claim)
{
	if (claim > cpu->newest) {
		cpu->before = cpu->newest;
		cpu->newest = claim;
	} else if (claim < cpu->newest) {
		cpu->before = max(cpu->before, claim);
	}
}

/* Note which chunks their CPUs have left: a CPU keeps two. */
static void note_left(struct account *a, const struct jtrace_layout *l)
{
	struct account_chunk *s;

	for (s = a->chunk; s < a->chunk + l->nr_chunks; s++)
		if (s->claim < a->cpu[s->cpu].before && s->left < ACCOUNT_LEFT)
			s->left++;
}

/*
 * Erase the entries seen before from the snapshot, and what the claim does not have; note the
 * others.  Return their number.
 */
static u32 look_at_chunk(const struct jtrace_layout *l, void *img, const struct jtrace_chunk *c,
			 struct account_chunk *s)
{
	u8 *at = (u8 *)jtrace_slot_seq(l, jtrace_slot_at(l, img, c->index, 0));
	const u32 seq = c->claim;
	u32 slot, nr = 0;

	if (c->claim != s->claim)
		*s = (struct account_chunk){ .claim = c->claim, .cpu = c->cpu };
	for (slot = 0; slot < l->entries; slot++, at += l->entry_size) {
		u64 *seen = &s->seen[slot / 64], bit = 1ULL << slot % 64;

		if (*seen & bit || le32_to_cpu(*(const __le32 *)at) != seq) {
			*(__le32 *)at = 0;
		} else {
			*seen |= bit;
			nr++;
		}
	}
	return nr;
}

/* How many entries may count too much while CPUs record?  @newest: claim at the last look */
static u64 unsure(const struct jtrace_layout *l, const struct jtrace_image_header *h, u64 newest)
{
	u64 chunks = (u64)le32_to_cpu(h->nr_cpus) * CHUNKS_UNSURE + l->nr_chunks / PART_UNSURE;

	/* After a clearing: chunks that are claimed while the hidden ones are counted. */
	if (newest < le64_to_cpu(h->floor) + l->nr_chunks)
		chunks = l->nr_chunks;
	return min_t(u64, chunks, l->nr_chunks) * l->entries;
}

/**
 * account_look() - find what is new in a snapshot
 * @a: the account
 * @l: geometry of the image
 * @img: the snapshot, checked against its length; entries of earlier looks are erased from it
 * @h: its header
 * @gap: result: entries that were lost since the last look, or earlier and not told yet; if the
 *	headers do not count, not more than these
 *
 * All that the first look finds is new.  What was lost is counted from the first look after
 * %ACCOUNT_QUIET looks that found nothing new, or from the %ACCOUNT_STARTS-th.
 *
 * Return: number of new entries.
 */
u64 account_look(struct account *a, const struct jtrace_layout *l, void *img,
		 const struct jtrace_image_header *h, u64 *gap)
{
	u64 recorded = le64_to_cpu(h->counts.recorded) - le64_to_cpu(h->counts.unfinished);
	u64 newest = JTRACE_FIRST_CLAIM, found = 0, most = 0, held;
	struct jtrace_chunk c;
	bool news;
	u32 i;

	for (i = 0; i < l->nr_chunks; i++) {
		if (!jtrace_chunk_read(l, img, le64_to_cpu(h->image_id), i, &c)) {
			/* Readers would find entries without it, and show them at each look. */
			memset((void *)jtrace_chunk_at(l, img, i), 0, 1U << l->chunk_shift);
			continue;
		}
		if (a->cpu) {
			most += count_most(a, l, &a->chunk[i], c.claim);
			note_claim(&a->cpu[c.cpu], c.claim);
		}
		found += look_at_chunk(l, img, &c, &a->chunk[i]);
		newest = max(newest, c.claim);
	}
	a->seen += found;
	news = found || recorded != a->recorded;
	a->quiet = news ? 0 : a->quiet + 1;
	held = a->quiet < ACCOUNT_QUIET ? unsure(l, h, a->newest) : 0;
	a->recorded = recorded;
	a->newest = newest;
	*gap = 0;
	if (a->cpu) {
		note_left(a, l);
		a->since = a->since ?: newest;
		a->lost += most;
		*gap = most;
	} else if (a->starts) {
		a->base = recorded - a->seen;
		a->held = held;
		a->starts = held ? a->starts - 1 : 0;
	} else if (recorded > a->base + a->seen + a->lost + max(held, a->held)) {
		*gap = recorded - a->base - a->seen - a->lost - max(held, a->held);
		a->lost += *gap;
	}
	return found;
}

/**
 * account_is_settled() - do the entries seen and those in gaps add up to what was recorded?
 * @a: the account
 *
 * Return: true if several looks found nothing new.  After its start, an account counts gaps.
 */
bool account_is_settled(const struct account *a)
{
	return a->quiet >= ACCOUNT_QUIET;
}
