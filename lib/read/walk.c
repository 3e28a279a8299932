// SPDX-License-Identifier: GPL-2.0
/*
 * Walk through the entries of a trace in time order, oldest or newest first.
 *
 * A CPU records its events in order, so the entries of a chunk are sorted.  The walk merges
 * the chunks: a heap holds the next entry of each.  A scan marks chunks that are not sorted,
 * because a clock went back or the image is damaged.  There the walk selects the next entry
 * among all; a chunk has at most 4 KiB.
 *
 * The walk validates each entry when it reads it, and leaves out an entry that a live image has
 * lost since the scan.  It reads the next entry of a chunk ahead, and shows that one even if a
 * writer takes the chunk meanwhile.  Keys always ascend, also while CPUs write.
 *
 * A record that began before the gate was closed may end after the scan.  Its entry would take the
 * place of the newest one, because a text has as many lines as the scan counted.  So the walk
 * leaves out entries later than the newest that the scan found in their chunk.  It cannot tell a
 * late entry that is older than that one: of a record that an interrupt's record interrupted, or
 * after a clock went back.
 */

#include "walk.h"

static u32 tie_index(const struct jtrace_trace *t, u64 tie)
{
	return ((u64)(u32)tie * JTRACE_GRANULE - t->l.chunks_off) >> t->l.chunk_shift;
}

static u32 tie_slot(const struct jtrace_trace *t, u64 tie)
{
	u64 at = (u64)(u32)tie * JTRACE_GRANULE - t->l.chunks_off;

	return ((at & ((1U << t->l.chunk_shift) - 1)) - t->l.first_off) / t->l.entry_size;
}

/* Read the header of an entry's chunk; false if the chunk was claimed again. */
static bool tie_chunk(const struct jtrace_trace *t, u64 tie, struct jtrace_chunk *c)
{
	return jtrace_recover_chunk(t, tie_index(t, tie), c) &&
	       jtrace_recover_tie(t, c, 0) >> 32 == tie >> 32;
}

/**
 * jtrace_recover_get() - read an entry that a scan found
 * @t: an image that was scanned
 * @key: of the entry
 * @ev: result
 *
 * Return: false if it was overwritten, which happens only in a live image.
 */
bool jtrace_recover_get(const struct jtrace_trace *t, const struct jtrace_key *key,
			struct jtrace_decoded *ev)
{
	struct jtrace_chunk c;

	return tie_chunk(t, key->tie, &c) &&
	       jtrace_entry_read(&t->l, t->img, t->image_id, &c, tie_slot(t, key->tie), ev) &&
	       ev->time == key->time;
}

static struct jtrace_key flipped(const struct jtrace_walk *w, u64 time, u64 tie)
{
	return (struct jtrace_key){ .time = time ^ w->flip, .tie = tie ^ w->flip };
}

/* The run of an entry's chunk, positioned after the entry; NULL if the chunk is gone. */
static struct jtrace_run *run_of(struct jtrace_walk *w, u64 tie)
{
	u32 index = tie_index(w->t, tie), slot = tie_slot(w->t, tie);
	struct jtrace_run *r = &w->run[index % JTRACE_WALK_RUNS];

	if (r->known && r->c.index == index)
		return r;
	r->known = false;
	r->known = tie_chunk(w->t, tie, &r->c);
	r->next = w->flip ? w->t->l.entries - slot : slot + 1;
	r->key = (struct jtrace_key){ 0 };
	return r->known ? r : NULL;
}

/* Read the first entry after @from; false if there is none. */
static bool run_step(struct jtrace_walk *w, struct jtrace_run *r, struct jtrace_key from)
{
	const struct jtrace_trace *t = w->t;
	const bool sorted = jtrace_recover_sorted(t, r->c.index);
	struct jtrace_decoded ev;
	struct jtrace_key key;
	bool found = false;
	u32 slot;

	if (!sorted)
		r->next = 0;
	while (r->next < t->l.entries && !(found && sorted)) {
		/* Advance before reading: after a fault the walk goes on with the next slot. */
		slot = w->flip ? t->l.entries - ++r->next : r->next++;
		if (!jtrace_entry_read(&t->l, t->img, t->image_id, &r->c, slot, &ev))
			continue;
		key = (struct jtrace_key){ ev.time, jtrace_recover_tie(t, &r->c, slot) };
		if (jtrace_key_less(&t->runs[r->c.index], &key))
			continue;
		key = flipped(w, key.time, key.tie);
		if (!jtrace_key_less(&from, &key) || (found && !jtrace_key_less(&key, &r->key)))
			continue;
		r->key = key;
		r->ev = ev;
		found = true;
	}
	return found;
}

/* Read the entry with this key of the heap; false if it is gone. */
static bool run_read(struct jtrace_walk *w, struct jtrace_run *r, struct jtrace_key key)
{
	if (r->key.time == key.time && r->key.tie == key.tie)
		return true;
	r->key = key;
	return jtrace_entry_read(&w->t->l, w->t->img, w->t->image_id, &r->c,
				 tie_slot(w->t, key.tie ^ w->flip), &r->ev) &&
	       (r->ev.time ^ w->flip) == key.time;
}

static bool wanted(const struct jtrace_trace *t, const struct jtrace_decoded *ev)
{
	return !t->filter || t->filter->wants(t->filter, t, ev);
}

/**
 * jtrace_walk_room() - size of the memory needed to walk through a trace
 * @t: an image that was scanned, or that is unreadable
 *
 * Return: bytes.
 */
u64 jtrace_walk_room(const struct jtrace_trace *t)
{
	return (t->runs ? (u64)t->l.nr_chunks : 0) * sizeof(struct jtrace_key);
}

/**
 * jtrace_walk_open() - start a walk
 * @w: result
 * @t: an image that was scanned
 * @heap: jtrace_walk_room() bytes, @t->heap for one walk at a time
 * @back: walk from the newest entry to the oldest; otherwise start after @t->from
 */
void jtrace_walk_open(struct jtrace_walk *w, const struct jtrace_trace *t,
		      struct jtrace_key *heap, bool back)
{
	struct jtrace_run *r;
	u32 i;

	memset(w, 0, sizeof(*w));
	w->t = t;
	w->heap.key = heap;
	w->flip = back ? ~0ULL : 0;
	for (i = 0; i < t->l.nr_chunks; i++) {
		const struct jtrace_key *newest = &t->runs[i];

		if (!newest->tie || !jtrace_key_less(&t->from, newest))
			continue;
		if (back) {
			heap[w->heap.nr++] = flipped(w, newest->time, newest->tie);
			continue;
		}
		r = run_of(w, newest->tie);
		if (!r)
			continue;
		r->next = 0;
		if (run_step(w, r, t->from))
			heap[w->heap.nr++] = r->key;
	}
	jtrace_keys_heapify(&w->heap);
}

/**
 * jtrace_walk_next() - go to the next entry that the filter wants
 * @w: a walk
 *
 * Context: Any.  Stores its position before it reads, so that a caller that survives a fault
 * goes on with the next entry.
 * Return: the entry, valid until the next call; NULL at the end.
 */
const struct jtrace_decoded *jtrace_walk_next(struct jtrace_walk *w)
{
	struct jtrace_key *front = w->heap.key;
	struct jtrace_run *r;

	while (w->heap.nr) {
		r = run_of(w, front->tie ^ w->flip);
		if (w->taken) {
			if (r && run_step(w, r, *front))
				*front = r->key;
			else
				*front = front[--w->heap.nr];
			jtrace_keys_sink(&w->heap);
			w->taken = false;
			continue;
		}
		w->taken = true;
		w->key = flipped(w, front->time, front->tie);
		if (r && run_read(w, r, *front) && wanted(w->t, &r->ev))
			return &r->ev;
	}
	w->key = (struct jtrace_key){ 0 };
	return NULL;
}
