/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The slow and obvious model that the suites compare with: a machine of some CPUs, with a ring, an
 * image and a list of all records ever made.  The model judges each claim, refusal and count at
 * once.
 */
#ifndef _JTRACE_KUNIT_HELPERS_H
#define _JTRACE_KUNIT_HELPERS_H

#include <kunit/test.h>

#include "../../lib/read/recover.h"
#include "../../lib/read/render.h"
#include "../../lib/image/ring.h"
#include "../../lib/image/site.h"
#include "../../lib/image/snapshot.h"
#include "random.h"

#define FAKE_ID		0x1122334455667788ULL
#define FAKE_SITES	4
#define FAKE_NONE	U32_MAX

/* An event that got a slot; its number is its index in the list. */
struct fake_event {
	u64 time;
	u64 claim;
	u32 cpu;
	u32 index;
	u32 slot;
	bool committed;
	bool cleared;
};

/* The model's state of a CPU. */
struct fake_cpu {
	u32 open;
	u32 previous;
	u32 pending;		/* reserved, not committed */
	u64 recorded;
	u64 losses[JTRACE_NR_LOSSES];
	u64 claimed;		/* number of the last claim */
	u64 told;		/* losses up to then */
};

struct fake {
	struct kunit *test;
	struct jtrace_layout l;
	struct jtrace_image_header h;
	struct jtrace_ring ring;
	struct jtrace_ring_cpu *rc;
	struct jtrace_sites sites;
	struct jtrace_trace t;
	u8 *img;
	u64 id;
	void *room;
	u32 site[FAKE_SITES];
	/* The model. */
	struct fake_cpu *cpu;
	u64 *claim;		/* newest claim of each chunk */
	struct fake_event *event;
	bool *seen;
	u32 nr;
	u32 most;
	u32 cpus;
	u32 gates;
	u64 now;
	u64 ahead;		/* of the counter, ns */
	u64 slept;		/* of the boot-time clock */
	u64 overwritten;
	u64 cleared;
	u64 rnd;
};

/* Both kinds of entries, without and with a check value: JTRACE_FORM_*. */
#define FAKE_FORMS	4

static inline u8 fake_form(u32 i)
{
	return (JTRACE_KIND_SMALL + i % 2) | (i & 2 ? JTRACE_FORM_CHECKED : 0);
}

/* Set a layout of given chunks, which jtrace_layout_plan() might not choose. */
static inline void fake_layout(struct jtrace_layout *l, u8 shift, u8 form, u32 chunks)
{
	const u32 header = sizeof(struct jtrace_image_header);

	memset(l, 0, sizeof(*l));
	jtrace_layout_chunk(l, shift, form & JTRACE_FORM_KIND);
	l->form = form;
	l->sites_off = header;
	l->chunks_off = ALIGN(header + 1024, 1U << shift);
	l->sites_end = l->chunks_off;
	l->nr_chunks = chunks;
	l->size = ALIGN(l->chunks_off + ((u64)chunks << shift) + header, JTRACE_SIZE_ALIGN);
}

static const char * const fake_tag[FAKE_SITES] = { "one", "two", "three", "four" };

static inline void fake_sites(struct fake *f)
{
	u32 i;
	void *room = kunit_kzalloc(f->test, jtrace_sites_room(&f->l, JTRACE_SITES_SPARE),
				   GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(f->test, room);
	jtrace_sites_init(&f->sites, &f->l, f->img, f->id, room, JTRACE_SITES_SPARE,
			  false);
	for (i = 0; i < FAKE_SITES; i++)
		f->site[i] = jtrace_site_intern(&f->sites, fake_tag[i], "a/b/file.c", "func",
						i + 10, JTRACE_SITE_CALL, 0);
}

static inline void fake_header(struct fake *f)
{
	jtrace_header_init(&f->h, &f->l, f->id);
	f->h.nr_cpus = cpu_to_le32(f->cpus);
	f->h.last_cpus = cpu_to_le32(f->cpus);
	f->h.rate = cpu_to_le64(1ULL << 32);
	jtrace_header_write(f->img, &f->h);
}

/* @img: zeroed memory of the image; @id: its id; @most: events that the model has room for. */
static inline struct fake *fake_new_at(struct kunit *test, void *img, u64 id,
				       const struct jtrace_layout *l, u32 cpus,
				       bool keep_previous, u32 most)
{
	struct fake *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	struct jtrace_chunk_ctl *ctl = kunit_kcalloc(test, l->nr_chunks, sizeof(*ctl),
						     GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, f);
	KUNIT_ASSERT_NOT_NULL(test, ctl);
	f->test = test;
	f->l = *l;
	f->cpus = cpus;
	f->most = most;
	f->now = 1000;
	f->img = img;
	f->id = id;
	f->rc = kunit_kcalloc(test, cpus, sizeof(*f->rc), GFP_KERNEL);
	f->cpu = kunit_kcalloc(test, cpus, sizeof(*f->cpu), GFP_KERNEL);
	f->claim = kunit_kcalloc(test, l->nr_chunks, sizeof(*f->claim), GFP_KERNEL);
	f->event = kunit_kcalloc(test, most, sizeof(*f->event), GFP_KERNEL);
	f->seen = kunit_kcalloc(test, most, sizeof(*f->seen), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, f->img);
	KUNIT_ASSERT_NOT_NULL(test, f->rc);
	KUNIT_ASSERT_NOT_NULL(test, f->cpu);
	KUNIT_ASSERT_NOT_NULL(test, f->claim);
	KUNIT_ASSERT_NOT_NULL(test, f->event);
	KUNIT_ASSERT_NOT_NULL(test, f->seen);
	for (i = 0; i < cpus; i++) {
		f->rc[i].cpu = i;
		f->cpu[i] = (struct fake_cpu){ .open = FAKE_NONE, .previous = FAKE_NONE };
	}
	f->l.cpus = l->cpus ?: cpus;
	jtrace_ring_init(&f->ring, &f->l, f->img, id, ctl,
			 keep_previous ? JTRACE_RING_KEEP_PREVIOUS : 0);
	fake_header(f);
	fake_sites(f);
	/* Without headers, chunks may be anywhere. */
	f->room = kunit_kzalloc(test, ((l->size >> l->chunk_shift) * 4 + 2 + cpus) *
				sizeof(struct jtrace_key), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, f->room);
	return f;
}

static inline struct fake *fake_new(struct kunit *test, const struct jtrace_layout *l, u32 cpus,
				    bool keep_previous, u32 most)
{
	return fake_new_at(test, kunit_kzalloc(test, l->size, GFP_KERNEL), FAKE_ID, l, cpus,
			   keep_previous, most);
}

/* The words of event @n, which follow from its number. */
static inline u64 fake_word(u32 n, u32 which)
{
	return random_hash((u64)n << 8 | which);
}

static inline u32 fake_site(const struct fake *f, u32 n)
{
	return f->site[n % FAKE_SITES];
}

static inline void fake_fill(struct fake *f, u32 n, u64 cursor)
{
	const struct fake_event *e = &f->event[n];

	if (f->l.kind == JTRACE_KIND_SMALL)
		jtrace_ring_fill_small(&f->ring, cursor, e->time, fake_site(f, n), e->cpu, n);
	else
		jtrace_ring_fill_large(&f->ring, cursor, e->time, fake_site(f, n), fake_word(n, 0),
				       e->cpu | (u32)(u16)fake_word(n, 1) << 16 |
				       (u64)fake_word(n, 6) << 32,
				       n | fake_word(n, 2) << 32, fake_word(n, 3),
				       fake_word(n, 4), fake_word(n, 5));
}

/* Does @ev equal the recorded event with its number? */
static inline bool fake_matches(const struct fake *f, const struct jtrace_decoded *ev)
{
	u32 n = ev->arg[0];

	if (n >= f->nr || ev->time != f->event[n].time || ev->cpu != f->event[n].cpu ||
	    ev->site != fake_site(f, n))
		return false;
	if (f->l.kind == JTRACE_KIND_SMALL)
		return !ev->tid && !ev->context && !ev->stack && !ev->arg[1] && !ev->arg[2] &&
		       !ev->arg[3] && !ev->wide[0] && !ev->wide[1];
	return ev->tid == (u32)fake_word(n, 0) && ev->context == (u16)fake_word(n, 1) &&
	       ev->stack == (u32)fake_word(n, 6) &&
	       ev->arg[1] == (u32)fake_word(n, 2) && ev->arg[2] == (u32)fake_word(n, 3) &&
	       ev->arg[3] == (u32)(fake_word(n, 3) >> 32) &&
	       ev->wide[0] == fake_word(n, 4) && ev->wide[1] == fake_word(n, 5);
}

static inline bool fake_gone(const struct fake *f, u32 n)
{
	return f->claim[f->event[n].index] != f->event[n].claim;
}

static inline bool fake_visible(const struct fake *f, u32 n)
{
	return f->event[n].committed && !f->event[n].cleared && !fake_gone(f, n);
}

/* Is chunk @index busy, because a CPU keeps it or a slot is not committed? */
static inline bool fake_kept(const struct fake *f, u32 index)
{
	u32 i;

	for (i = 0; i < f->cpus; i++)
		if (f->cpu[i].open == index ||
		    (f->ring.keep_previous && f->cpu[i].previous == index))
			return true;
	for (i = 0; i < f->nr; i++)
		if (f->event[i].index == index && !f->event[i].committed && !fake_gone(f, i))
			return true;
	return false;
}

/* Check the chunk that @cpu has just claimed: was it free, is its header right? */
static inline void fake_claimed(struct fake *f, u32 cpu, u64 before, u64 stamp)
{
	u64 claim = atomic64_read(&f->ring.claims);
	u32 index = claim % f->l.nr_chunks;
	struct fake_cpu *c = &f->cpu[cpu];
	struct jtrace_chunk chunk;
	u64 lost = 0;
	u32 i;

	for (before++; before < claim; before++)
		KUNIT_ASSERT_TRUE(f->test, !(u32)before ||
				  f->claim[before % f->l.nr_chunks] >= before ||
				  fake_kept(f, before % f->l.nr_chunks));
	KUNIT_ASSERT_EQ(f->test, before, claim);
	KUNIT_ASSERT_NE(f->test, (u32)claim, 0);
	KUNIT_ASSERT_FALSE(f->test, fake_kept(f, index));
	KUNIT_ASSERT_GT(f->test, claim, f->claim[index]);
	for (i = 0; i < f->nr; i++)
		f->overwritten += f->event[i].index == index && !fake_gone(f, i) &&
				  !f->event[i].cleared;
	f->claim[index] = claim;
	c->previous = c->open;
	c->open = index;

	KUNIT_ASSERT_EQ(f->test, f->rc[cpu].cursor,
			(u64)(u32)claim << 32 | jtrace_entry_place(&f->l, index, 0));
	KUNIT_ASSERT_TRUE(f->test, jtrace_chunk_read(&f->l, f->img, f->id, index, &chunk));
	KUNIT_ASSERT_EQ(f->test, chunk.claim, claim);
	KUNIT_ASSERT_EQ(f->test, chunk.cpu, cpu);
	KUNIT_ASSERT_EQ(f->test, chunk.stamp.ticks, stamp);
	KUNIT_ASSERT_EQ(f->test, chunk.previous, (u32)c->claimed);
	for (i = 0; i < JTRACE_NR_LOSSES; i++)
		lost += c->losses[i];
	KUNIT_ASSERT_EQ(f->test, chunk.lost, min_t(u64, lost - c->told, U16_MAX));
	c->claimed = claim;
	c->told = lost;
}

/* Were all chunks busy that a claim must try? */
static inline bool fake_hopeless(const struct fake *f, u64 before)
{
	u64 claim = before, last = atomic64_read(&f->ring.claims);

	while (claim++ < last)
		if ((u32)claim && !fake_kept(f, claim % f->l.nr_chunks))
			return false;
	return last - before >= min_t(u64, f->l.nr_chunks, JTRACE_CLAIM_TRIES);
}

/* Check that @cpu had to lose an event, and counted it by the right reason. */
static inline void fake_lost(struct fake *f, u32 cpu, u64 before)
{
	struct fake_cpu *c = &f->cpu[cpu];
	u32 i;

	if (f->gates) {
		c->losses[JTRACE_SKIPPED]++;
		KUNIT_ASSERT_EQ(f->test, atomic64_read(&f->ring.claims), before);
	} else {
		c->losses[JTRACE_DROPPED_BUSY]++;
		KUNIT_ASSERT_TRUE(f->test, fake_hopeless(f, before));
	}
	for (i = 0; i < JTRACE_NR_LOSSES; i++)
		KUNIT_ASSERT_EQ(f->test, atomic64_read(&f->rc[cpu].lost[i]), c->losses[i]);
}

/* Get a cursor with a free slot, like a writer; 0 if the event is lost. */
static inline u64 fake_cursor(struct fake *f, u32 cpu)
{
	struct jtrace_ring_cpu *rc = &f->rc[cpu];
	struct jtrace_moment now = {
		.ticks = f->now + f->ahead, .mono = f->now + 1, .boot = f->now + 2 + f->slept,
	};
	u64 cursor = rc->cursor;
	u64 before = atomic64_read(&f->ring.claims);

	if (!jtrace_ring_full(&f->ring, cursor))
		return cursor;
	if (!jtrace_ring_claim(&f->ring, rc, cursor, &now, !f->cpu[cpu].pending)) {
		fake_lost(f, cpu, before);
		return 0;
	}
	KUNIT_ASSERT_EQ(f->test, f->gates, 0);
	fake_claimed(f, cpu, before, now.ticks);
	return rc->cursor;
}

/* Reserve a slot at @time; FAKE_NONE if there is none. */
static inline u32 fake_reserve_at(struct fake *f, u32 cpu, u64 time)
{
	struct fake_event *e = &f->event[f->nr];
	u64 at, cursor;

	KUNIT_ASSERT_LT(f->test, f->nr, f->most);
	cursor = fake_cursor(f, cpu);
	if (!cursor)
		return FAKE_NONE;
	KUNIT_ASSERT_TRUE(f->test, jtrace_ring_reserve(&f->ring, &f->rc[cpu], cursor));
	at = (u64)(u32)cursor * JTRACE_GRANULE - f->l.chunks_off;
	e->time = time;
	e->cpu = cpu;
	e->index = at >> f->l.chunk_shift;
	e->slot = (at - ((u64)e->index << f->l.chunk_shift) - f->l.first_off) / f->l.entry_size;
	e->claim = f->claim[e->index];
	KUNIT_ASSERT_EQ(f->test, e->index, f->cpu[cpu].open);
	KUNIT_ASSERT_LT(f->test, e->slot, f->l.entries);
	KUNIT_ASSERT_EQ(f->test, cursor >> 32, (u32)e->claim);
	f->cpu[cpu].recorded++;
	f->cpu[cpu].pending++;
	return f->nr++;
}

static inline u32 fake_reserve(struct fake *f, u32 cpu)
{
	return fake_reserve_at(f, cpu, f->now);
}

static inline void fake_commit(struct fake *f, u32 n)
{
	const struct fake_event *e = &f->event[n];

	fake_fill(f, n, e->claim << 32 | jtrace_entry_place(&f->l, e->index, e->slot));
	f->event[n].committed = true;
	f->cpu[e->cpu].pending--;
}

/* Make a complete event; return its number or FAKE_NONE. */
static inline u32 fake_record_at(struct fake *f, u32 cpu, u64 time)
{
	u32 n = fake_reserve_at(f, cpu, time);

	if (n != FAKE_NONE)
		fake_commit(f, n);
	return n;
}

static inline u32 fake_record(struct fake *f, u32 cpu)
{
	return fake_record_at(f, cpu, f->now++);
}

static inline void fake_gate(struct fake *f, bool closed)
{
	if (closed) {
		jtrace_ring_gate_close(&f->ring);
		f->gates++;
	} else {
		jtrace_ring_gate_open(&f->ring);
		f->gates--;
	}
	KUNIT_ASSERT_EQ(f->test, jtrace_ring_gated(&f->ring), f->gates > 0);
}

/* Count the events in chunks that the floor hides, with those that were overwritten. */
static inline u64 fake_hidden(const struct fake *f)
{
	u64 sum = jtrace_ring_hidden(&f->ring);
	u32 i;

	for (i = 0; i < f->cpus; i++)
		sum += atomic64_read(&f->rc[i].cleared);
	return sum;
}

/* Clear like the module: open chunks, floor, header. */
static inline void fake_clear(struct fake *f)
{
	u32 i;
	u64 floor = jtrace_ring_floor_next(&f->ring);

	for (i = 0; i < f->cpus; i++)
		jtrace_ring_close(&f->ring, &f->rc[i]);
	jtrace_ring_floor_set(&f->ring, floor);
	f->h.floor = cpu_to_le64(floor);
	jtrace_header_write(f->img, &f->h);
	for (i = 0; i < f->nr; i++) {
		if (!f->event[i].cleared && !fake_gone(f, i)) {
			f->event[i].cleared = true;
			f->cleared++;
		}
	}
	KUNIT_ASSERT_EQ(f->test, fake_hidden(f), f->cleared);
}

/* Check the counters exactly. */
static inline void fake_account(struct fake *f)
{
	u64 shown = 0, recorded = 0, overwritten = 0, pending = 0;
	u32 i;

	for (i = 0; i < f->nr; i++) {
		shown += fake_visible(f, i);
		pending += !f->event[i].committed && !f->event[i].cleared && !fake_gone(f, i);
	}
	for (i = 0; i < f->cpus; i++) {
		KUNIT_ASSERT_EQ(f->test, jtrace_ring_recorded(&f->ring, &f->rc[i]),
				f->cpu[i].recorded);
		recorded += f->cpu[i].recorded;
		overwritten += atomic64_read(&f->rc[i].overwritten);
	}
	KUNIT_ASSERT_EQ(f->test, recorded, f->nr);
	KUNIT_ASSERT_EQ(f->test, overwritten, f->overwritten);
	KUNIT_ASSERT_EQ(f->test, fake_hidden(f), f->cleared);
	KUNIT_ASSERT_EQ(f->test, recorded, shown + pending + overwritten + f->cleared);
}

/* The model's number of chunks without owner that wait for a commit. */
static inline u32 fake_stuck(const struct fake *f)
{
	u32 i, k, stuck = 0;

	for (k = 0; k < f->l.nr_chunks; k++) {
		bool owned = false, waits = false;

		for (i = 0; i < f->cpus; i++)
			owned |= f->cpu[i].open == k ||
				 (f->ring.keep_previous && f->cpu[i].previous == k);
		for (i = 0; i < f->nr; i++)
			waits |= f->event[i].index == k && !f->event[i].committed &&
				 !fake_gone(f, i);
		stuck += waits && !owned;
	}
	return stuck;
}

/* Read all of @img into f->t. */
static inline enum jtrace_verdict fake_recover(struct fake *f, const void *img)
{
	enum jtrace_verdict v = jtrace_recover_open(&f->t, img, f->l.size);

	if (v != JTRACE_EMPTY && v != JTRACE_UNREADABLE)
		jtrace_recover_scan(&f->t, f->room);
	return v;
}

/* Return the number of lines of a trace's text. */
static inline u64 fake_lines(const struct jtrace_trace *t)
{
	static struct jtrace_text text;

	jtrace_text_open(&text, t, t->heap);
	return jtrace_text_lines(&text);
}

/* A new reader reads a line, or the next one that is not lost. */
static inline int fake_line(const struct jtrace_trace *t, u64 nr, char *buf, size_t size)
{
	static struct jtrace_text text;

	jtrace_text_open(&text, t, t->heap);
	text.pos = nr;
	return jtrace_text_next(&text, buf, size);
}

/* Check that the events of f->t are in order. */
static inline void fake_check_order(struct fake *f)
{
	const struct fake_event *last = NULL, *e;
	static struct jtrace_walk walk;
	const struct jtrace_decoded *ev;
	u32 n = 0;

	jtrace_walk_each(&walk, &f->t, ev) {
		KUNIT_ASSERT_TRUE_MSG(f->test, fake_matches(f, ev), "torn or foreign: %u",
				      ev->arg[0]);
		e = &f->event[ev->arg[0]];
		KUNIT_ASSERT_TRUE_MSG(f->test, fake_visible(f, ev->arg[0]), "event %u",
				      ev->arg[0]);
		KUNIT_ASSERT_FALSE_MSG(f->test, f->seen[ev->arg[0]], "twice: %u", ev->arg[0]);
		f->seen[ev->arg[0]] = true;
		n++;
		KUNIT_ASSERT_TRUE(f->test, !last || last->time < e->time ||
				  (last->time == e->time &&
				   (last->claim < e->claim ||
				    (last->claim == e->claim && last->slot < e->slot))));
		last = e;
	}
	KUNIT_ASSERT_EQ(f->test, f->t.shown, n);
	KUNIT_ASSERT_EQ(f->test, f->t.newest.time, last ? last->time : 0);
}

static inline void fake_check_last(struct fake *f)
{
	struct jtrace_decoded ev;
	u32 cpu, i, n, at = 0;

	for (cpu = 0; cpu < f->cpus; cpu++) {
		n = FAKE_NONE;
		for (i = 0; i < f->nr; i++)
			if (f->event[i].cpu == cpu && fake_visible(f, i))
				n = i;
		if (n == FAKE_NONE)
			continue;
		KUNIT_ASSERT_LT(f->test, at, f->t.last.nr);
		KUNIT_ASSERT_TRUE(f->test, jtrace_recover_get(&f->t, &f->t.last.key[at++], &ev));
		KUNIT_ASSERT_EQ(f->test, ev.arg[0], n);
	}
	KUNIT_ASSERT_EQ(f->test, f->t.last.nr, at);
}

/* Check that an image shows what the model expects, in order. */
static inline void fake_check_image(struct fake *f, const void *img)
{
	u32 i, shown = 0;

	memset(f->seen, 0, f->nr * sizeof(*f->seen));
	KUNIT_ASSERT_EQ(f->test, fake_recover(f, img), JTRACE_WHOLE);
	/* A chunk stays blank for laps if its claims are given back, as in some suites. */
	for (i = JTRACE_FAULT_RESCUED; i < JTRACE_NR_FAULTS; i++)
		KUNIT_ASSERT_TRUE_MSG(f->test, !f->t.damage.nr[i] || i == JTRACE_FAULT_BLANK,
				      "fault %u", i);
	fake_check_order(f);
	for (i = 0; i < f->nr; i++)
		shown += fake_visible(f, i);
	KUNIT_ASSERT_EQ(f->test, f->t.shown, shown);
	KUNIT_ASSERT_EQ(f->test, f->t.found, shown);
	fake_check_last(f);
}

static inline void fake_check(struct fake *f)
{
	fake_account(f);
	fake_check_image(f, f->img);
	KUNIT_ASSERT_EQ(f->test, jtrace_ring_stuck(&f->ring), fake_stuck(f));
}

#endif /* _JTRACE_KUNIT_HELPERS_H */
