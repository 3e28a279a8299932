// SPDX-License-Identifier: GPL-2.0
/*
 * The slow and obvious model of a ring: a table with the last record of each slot, and the writer
 * that owns it.  A writer notes its record here while it owns the slot.  So a locked exchange
 * detects two writers of one slot at once, and not only when they happen to tear an entry.
 */

#include <stdlib.h>

#include "stress.h"

struct slot {
	u64 writing;		/* cursor of the record in progress, 0 for none */
	u64 cursor;
	u64 time;
	u64 hash;
	u32 cpu;
	u32 site;
};

static struct slot *slots;
static struct jtrace_layout layout;

/**
 * model_new() - begin a model of an empty ring
 * @l: its geometry
 */
void model_new(const struct jtrace_layout *l)
{
	layout = *l;
	free(slots);
	slots = calloc(l->nr_chunks * l->entries, sizeof(*slots));
}

static struct slot *slot_of(u64 cursor)
{
	u64 at = (u64)(u32)cursor * JTRACE_GRANULE - layout.chunks_off;
	u32 index = at >> layout.chunk_shift;

	at -= ((u64)index << layout.chunk_shift) + layout.first_off;
	return &slots[index * layout.entries + at / layout.entry_size];
}

/* Hash of an event without time, site and CPU. */
static u64 event_hash(const struct jtrace_decoded *ev)
{
	if (layout.kind == JTRACE_KIND_SMALL)
		return ev->arg[0];
	return random_hash(ev->wide[0] ^ random_hash(ev->wide[1])) ^ ev->arg[0] ^ ev->tid;
}

/**
 * model_begin() - note a reserved slot
 * @cursor: of the slot
 * @ev: the event to be recorded there
 *
 * Return: NULL, or a description of the fault.
 */
const char *model_begin(u64 cursor, const struct jtrace_decoded *ev)
{
	struct slot *s = slot_of(cursor);
	u64 old = __atomic_exchange_n(&s->writing, cursor, __ATOMIC_ACQ_REL);
	bool older = s->cursor && (s32)((cursor >> 32) - (s->cursor >> 32)) <= 0;

	s->cursor = cursor;
	s->time = ev->time;
	s->cpu = ev->cpu;
	s->site = ev->site;
	s->hash = event_hash(ev);
	if (old)
		return "two writers";
	return older ? "claim not newer than the one before" : NULL;
}

/**
 * model_end() - note that a slot is about to be published
 * @cursor: of the slot
 *
 * Return: false if another writer writes to that slot.
 */
bool model_end(u64 cursor)
{
	return __atomic_exchange_n(&slot_of(cursor)->writing, 0, __ATOMIC_ACQ_REL) == cursor;
}

static int by_time(const void *a, const void *b)
{
	const struct slot *x = *(struct slot **)a, *y = *(struct slot **)b;

	return x->time < y->time ? -1 : x->time > y->time;
}

/* Slots with a record of the last claim of their chunk, in order of time. */
static u32 expected(const void *img, u64 image_id, struct slot **want)
{
	struct jtrace_chunk c;
	u32 i, k, nr = 0;

	for (i = 0; i < layout.nr_chunks; i++) {
		if (!jtrace_chunk_read(&layout, img, image_id, i, &c))
			continue;
		for (k = 0; k < layout.entries; k++) {
			struct slot *s = &slots[i * layout.entries + k];

			if (s->cursor && s->cursor >> 32 == (u32)c.claim)
				want[nr++] = s;
		}
	}
	qsort(want, nr, sizeof(*want), by_time);
	return nr;
}

/**
 * model_compare() - compare an image with the model
 * @t: image that was scanned; recording has stopped
 * @all: nothing was cleared, so the image shows all records that were not overwritten
 *
 * Return: a description of the fault, or NULL.
 */
const char *model_compare(const struct jtrace_trace *t, bool all)
{
	struct slot **want = calloc(layout.nr_chunks * layout.entries, sizeof(*want));
	u32 i = 0, k = 0, nr = expected(t->img, t->image_id, want);
	const char *wrong = NULL;
	static struct jtrace_walk walk;
	const struct jtrace_decoded *ev;

	if (all ? t->found != nr : t->found > nr)
		wrong = "model: number of entries";
	jtrace_walk_each(&walk, t, ev) {
		const struct slot *at = slot_of(walk.key.tie);

		if (wrong)
			break;
		i++;

		/* The model has cleared records, too. */
		while (!all && k < nr && want[k]->time < ev->time)
			k++;
		if (k >= nr || want[k++]->time != ev->time)
			wrong = "model: times";
		else if (at->time != ev->time || at->cpu != ev->cpu || at->site != ev->site ||
			 at->hash != event_hash(ev))
			wrong = "model: another entry";
	}
	if (!wrong && i != t->found)
		wrong = "model: number of lines";
	free(want);
	return wrong;
}
