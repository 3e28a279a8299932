/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For nest_test.c: a ring of two CPUs in which each shared access can be interrupted.  lib/ has
 * hooks, hooks record, and checks follow.
 */
#ifndef _JTRACE_NEST_H
#define _JTRACE_NEST_H

#include <kunit/test.h>

/* Other names than the objects of lib/, which the other suites use. */
#define jtrace_chunk_check	nest_chunk_check
#define jtrace_chunk_parse	nest_chunk_parse
#define jtrace_chunk_read	nest_chunk_read
#define jtrace_chunk_find	nest_chunk_find
#define jtrace_entry_read	nest_entry_read
#define jtrace_chunk_copy	nest_chunk_copy
#define jtrace_ring_init	nest_ring_init
#define jtrace_ring_claim	nest_ring_claim
#define jtrace_ring_close	nest_ring_close
#define jtrace_ring_recorded	nest_ring_recorded
#define jtrace_ring_hidden	nest_ring_hidden
#define jtrace_ring_stuck	nest_ring_stuck
#define jtrace_ring_history	nest_ring_history
#define jtrace_sites_room	nest_sites_room
#define jtrace_sites_init	nest_sites_init
#define jtrace_sites_adopt	nest_sites_adopt
#define jtrace_sites_stored	nest_sites_stored
#define jtrace_sites_suffice	nest_sites_suffice
#define jtrace_site_granules	nest_site_granules
#define jtrace_site_intern	nest_site_intern
#define jtrace_site_begin	nest_site_begin
#define jtrace_site_sign	nest_site_sign
#define jtrace_site_write	nest_site_write
#define jtrace_site_copy	nest_site_copy
#define jtrace_site_get		nest_site_get
#define jtrace_site_parse	nest_site_parse
#define jtrace_site_read	nest_site_read

#include "../../lib/image/image.h"

/* Before chunk.h, which has the reader of an entry. */
#include "hook.h"

/* Call a hook before each word that is read. */
static inline void nest_copy_words(void *to, const void *from, size_t bytes)
{
	const u64 *in = from;
	u64 *out = to;
	size_t i;

	for (i = 0; i < bytes / sizeof(u64); i++)
		__atomic_store_n(&out[i], READ_ONCE(in[i]), __ATOMIC_RELAXED);
}

#define jtrace_copy_words	nest_copy_words

#include "../../lib/read/walk.h"
#include "../../lib/image/chunk.c"
#include "../../lib/image/ring.c"
#include "../../lib/image/site.c"

/* Try each access, or for sanitizers every n-th one, from a random one on. */
#ifndef NEST_STRIDE
#define NEST_STRIDE	7
#endif

#define CPUS		2
#define MOST		512
#define CHUNKS		16
#define IMAGE_ID	99
#define LEVELS		3

/* Actions at a hook. */
enum action { ONE_HERE, MANY_HERE, ONE_THERE, MANY_THERE, CLOSE_HERE, READ, NR_ACTIONS };

static struct nest {
	struct kunit *test;
	struct jtrace_layout l;
	struct jtrace_ring ring;
	struct jtrace_ring_cpu *rc;
	struct jtrace_chunk_ctl *ctl;
	struct jtrace_image_header h;
	struct jtrace_trace t;
	u8 *img;
	u8 *copy;
	void *room;
	struct jtrace_walk walk;
	u32 form;		/* JTRACE_FORM_* */
	u64 now;
	u64 time[MOST];
	u64 cursor[MOST];	/* of the reserved slot, 0 for none */
	u8 cpu[MOST];
	bool seen[MOST];
	u32 nr;			/* number of events */
	u32 lost;
	u32 recorded[CPUS];
	u32 newest[CHUNKS];	/* low half of the claim of its last reserved slot */
	u64 header[CHUNKS];	/* last claim in its header */
	/* The @at[level]-th hook of a level runs @action[level] on that level. */
	u32 level;
	u32 count[LEVELS];
	u32 at[LEVELS];
	enum action action[LEVELS];
	void (*instead)(void);	/* of the action */
	bool (*when)(void);	/* instead of an access on level 0 */
	u32 on_cpu[LEVELS];
} *nest;

/* Does this record interrupt no record of @cpu? */
static bool alone(u32 cpu)
{
	u32 level;

	for (level = 0; level < nest->level && nest->level < LEVELS; level++)
		if (nest->on_cpu[level] == cpu)
			return false;
	return true;
}

/* The site of event @n; 0 is none. */
static u32 site_of(u32 n)
{
	return 1 + n;
}

static u32 chunk_at(u64 cursor)
{
	return ((u64)(u32)cursor * JTRACE_GRANULE - nest->l.chunks_off) >> nest->l.chunk_shift;
}

/* Note that event @n has the slot at @cursor. */
static void note(u32 n, u32 cpu, u64 cursor, u64 time)
{
	nest->time[n] = time;
	nest->cpu[n] = cpu;
	nest->cursor[n] = cursor;
	nest->newest[chunk_at(cursor)] = cursor >> 32;
	nest->recorded[cpu]++;
}

/* Has no other claim recorded into its chunk since? */
static bool newest(u32 n)
{
	return nest->cursor[n] && nest->newest[chunk_at(nest->cursor[n])] == nest->cursor[n] >> 32;
}

/**
 * struct attempt - a record that is made
 * @cpu: that records
 * @n: number of the event
 * @time: of the last try
 */
struct attempt {
	u32 cpu;
	u32 n;
	u64 time;
};

static __always_inline u64 read_cursor(void *data)
{
	struct attempt *a = data;

	return READ_ONCE(nest->rc[a->cpu].cursor);
}

static __always_inline u64 read_clock(void *data)
{
	struct attempt *a = data;

	a->time = nest->now++;
	return a->time;
}

static __always_inline bool take_slot(void *data, u64 cursor, u64 next)
{
	struct attempt *a = data;

	if (!jtrace_ring_move(&nest->rc[a->cpu], cursor, next))
		return false;
	note(a->n, a->cpu, cursor, a->time);
	return true;
}

static __always_inline u32 read_cpu(void *data)
{
	struct attempt *a = data;

	return a->cpu;
}

static __always_inline u64 read_origin(void *data)
{
	return read_cpu(data);
}

static __always_inline u32 read_tid(void *data)
{
	struct attempt *a = data;

	return a->n * 3;
}

static enum jtrace_tried try(struct attempt *a)
{
	const struct jtrace_ring_writer writer = {
		.cursor = read_cursor, .clock = read_clock, .take = take_slot,
		.cpu = read_cpu, .origin = read_origin, .tid = read_tid,
	};
	const u32 n = a->n, site = site_of(n);

	return jtrace_ring_try(&nest->ring, writer, a, &site, n * 5ULL, n * 7ULL, n * 11ULL,
			       n * 13ULL, nest->l.kind == JTRACE_KIND_LARGE, nest->ring.checked,
			       nest->ring.write_back);
}

static void record(u32 cpu)
{
	struct jtrace_ring_cpu *rc = &nest->rc[cpu];
	struct attempt a = { .cpu = cpu, .n = nest->nr++ };

	while (try(&a) != JTRACE_RECORDED) {
		struct jtrace_moment now = { nest->now, nest->now, nest->now };
		u64 cursor = READ_ONCE(rc->cursor);

		if (jtrace_ring_full(&nest->ring, cursor) &&
		    !jtrace_ring_claim(&nest->ring, rc, cursor, &now, alone(cpu))) {
			nest->lost++;
			return;
		}
	}
}

static void check_event(const struct jtrace_decoded *ev)
{
	u32 n = ev->site - site_of(0);

	KUNIT_ASSERT_LT(nest->test, n, nest->nr);
	KUNIT_ASSERT_TRUE(nest->test, ev->time == nest->time[n] && ev->cpu == nest->cpu[n] &&
			  ev->arg[0] == n * 5);
	if (nest->l.kind == JTRACE_KIND_LARGE)
		KUNIT_ASSERT_TRUE(nest->test, ev->tid == n * 3 && ev->arg[2] == n * 7 &&
				  ev->wide[0] == n * 11ULL && ev->wide[1] == n * 13ULL);
}

/* Check for torn and foreign entries, and order; return the number of entries. */
static u32 look_at(const void *img)
{
	const struct jtrace_decoded *ev;
	u64 before = 0;
	u32 n = 0;

	memset(nest->seen, 0, sizeof(nest->seen));
	jtrace_recover_open(&nest->t, img, nest->l.size);
	jtrace_recover_scan(&nest->t, nest->room);
	jtrace_walk_each(&nest->walk, &nest->t, ev) {
		check_event(ev);
		nest->seen[ev->site - site_of(0)] = true;
		KUNIT_ASSERT_TRUE(nest->test, !n++ || before < ev->time);
		before = ev->time;
	}
	KUNIT_ASSERT_EQ(nest->test, nest->t.found, n);
	return nest->t.found;
}

/* The claim in a chunk's header only grows. */
static void check_headers(void)
{
	struct jtrace_chunk c;
	u32 i;

	for (i = 0; i < nest->l.nr_chunks; i++) {
		if (!jtrace_chunk_read(&nest->l, nest->img, IMAGE_ID, i, &c))
			continue;
		KUNIT_ASSERT_GE(nest->test, c.claim, nest->header[i]);
		nest->header[i] = c.claim;
	}
}

static u32 look(void)
{
	u32 n, found;

	check_headers();
	found = look_at(nest->img);
	/* Overwritten events are not there. */
	for (n = 0; n < nest->nr; n++)
		KUNIT_ASSERT_TRUE(nest->test, !nest->seen[n] || newest(n));
	return found;
}

static void act(u32 level, enum action action)
{
	u32 i, here = nest->on_cpu[level], there = !here;
	u32 cpu = action == ONE_THERE || action == MANY_THERE ? there : here;

	nest->on_cpu[level + 1] = cpu;
	switch (action) {
	case ONE_HERE:
	case ONE_THERE:
		record(cpu);
		break;
	case MANY_HERE:
	case MANY_THERE:
		for (i = 0; i < 2 * nest->l.entries + 1; i++)
			record(cpu);
		break;
	case CLOSE_HERE:
		jtrace_ring_close(&nest->ring, &nest->rc[here]);
		record(here);
		break;
	default:
		look();
	}
}

static void hook(void)
{
	u32 level;

	if (!nest || nest->level + 1 >= LEVELS)
		return;
	level = nest->level;
	if (nest->when && !level ? !nest->when() : nest->count[level]++ != nest->at[level])
		return;
	nest->level++;
	if (nest->instead)
		nest->instead();
	else
		act(level, nest->action[level]);
	nest->level--;
}

/* With the layout @nest->l. */
static void reset_ring(bool keep)
{
	memset(nest->ctl, 0, sizeof(*nest->ctl) * CHUNKS);
	memset(nest->rc, 0, sizeof(*nest->rc) * CPUS);
	nest->rc[1].cpu = 1;
	memset(nest->img, 0, 32768);
	memset(nest->recorded, 0, sizeof(nest->recorded));
	memset(nest->newest, 0, sizeof(nest->newest));
	memset(nest->header, 0, sizeof(nest->header));
	memset(nest->time, 0, sizeof(nest->time));
	memset(nest->cursor, 0, sizeof(nest->cursor));
	nest->nr = 0;
	nest->lost = 0;
	nest->now = 1;
	nest->level = LEVELS;
	nest->l.form = nest->form;
	jtrace_ring_init(&nest->ring, &nest->l, nest->img, IMAGE_ID, nest->ctl,
			 keep ? JTRACE_RING_KEEP_PREVIOUS : 0);
	jtrace_header_init(&nest->h, &nest->l, IMAGE_ID);
	nest->h.nr_cpus = cpu_to_le32(CPUS);
	jtrace_header_write(nest->img, &nest->h);
}

static void reset(u32 chunks, u8 shift, bool keep)
{
	memset(&nest->l, 0, sizeof(nest->l));
	jtrace_layout_chunk(&nest->l, shift, nest->form & JTRACE_FORM_KIND);
	nest->l.sites_off = 512;
	nest->l.sites_end = 512;
	nest->l.chunks_off = 1024;
	nest->l.nr_chunks = chunks;
	nest->l.size = 1024 + (chunks << shift) + 512;
	reset_ring(keep);
}

/* CPUs own no more chunks than they may. */
static void check_owned(void)
{
	u32 i, owned = 0, most = nest->ring.keep_previous ? 2 * CPUS : CPUS;

	for (i = 0; i < nest->l.nr_chunks; i++)
		owned += nest->ctl[i].state & OWNED;
	KUNIT_ASSERT_LE(nest->test, owned, most);
	KUNIT_ASSERT_EQ(nest->test, jtrace_ring_stuck(&nest->ring), 0);
}

/* The last events of a CPU: those in its open and its previous chunk. */
static void check_newest(u32 cpu)
{
	u32 i, slots, index, shown = 0, want, seen_last = 0;
	const struct jtrace_decoded *ev;
	u64 newest = 0;

	if (!nest->recorded[cpu] || !(u32)nest->rc[cpu].cursor)
		return;
	slots = cursor_slots(&nest->ring, nest->rc[cpu].cursor, &index);
	slots = min(slots, nest->ctl[index].used);
	KUNIT_ASSERT_TRUE(nest->test, nest->ctl[index].state & OWNED);
	jtrace_walk_each(&nest->walk, &nest->t, ev) {
		if (ev->cpu != cpu)
			continue;
		shown++;
		seen_last = ev->site - site_of(0);
	}
	for (i = 0, want = 0; i < nest->nr; i++) {
		if (nest->cpu[i] != cpu || nest->time[i] <= newest)
			continue;
		want = i;
		newest = nest->time[i];
	}
	KUNIT_ASSERT_EQ(nest->test, seen_last, want);
	KUNIT_ASSERT_GE(nest->test, shown, slots);
}

/* A chunk's entries and its header have the same claim. */
static void check_claims(void)
{
	struct jtrace_chunk c, found;
	u32 i;

	for (i = 0; i < nest->l.nr_chunks; i++) {
		if (!jtrace_chunk_read(&nest->l, nest->img, IMAGE_ID, i, &c))
			continue;
		KUNIT_ASSERT_TRUE(nest->test, jtrace_chunk_find(&nest->l, nest->img, IMAGE_ID, i,
								nest->t.last_claim, CPUS, &found));
		KUNIT_ASSERT_EQ(nest->test, found.claim, c.claim);
		KUNIT_ASSERT_FALSE(nest->test, found.rescued);
	}
}

/* The header with the largest claim of a CPU below @below; false if there is none. */
static bool header_below(u32 cpu, u64 below, struct jtrace_chunk *found)
{
	struct jtrace_chunk c;
	u32 i;

	found->claim = 0;
	for (i = 0; i < nest->l.nr_chunks; i++)
		if (jtrace_chunk_read(&nest->l, nest->img, IMAGE_ID, i, &c) && c.cpu == cpu &&
		    c.claim < below && c.claim > found->claim)
			*found = c;
	return found->claim;
}

static bool has_entries(const struct jtrace_chunk *c)
{
	struct jtrace_decoded ev;
	u32 slot;

	for (slot = 0; slot < nest->l.entries; slot++)
		if (jtrace_entry_read(&nest->l, nest->img, IMAGE_ID, c, slot, &ev))
			return true;
	return false;
}

/*
 * Follow the chain of a CPU's claims: it passes over chunks without entries only, and, if it
 * reaches the first claim, its headers tell all losses up to the newest.  Return what they tell,
 * and what was lost since; ~0 if earlier chunks are overwritten.
 */
static u64 follow_chain(u32 cpu)
{
	struct jtrace_chunk c, before;
	u64 lost;

	if (!header_below(cpu, ~0ULL, &c))
		return lost_events(&nest->rc[cpu]);
	lost = c.lost + lost_events(&nest->rc[cpu]) - nest->ctl[c.index].lost;
	while (c.previous) {
		before = c;
		do {
			if (!header_below(cpu, before.claim, &before))
				return ~0ULL;
			KUNIT_ASSERT_TRUE(nest->test, (u32)before.claim == c.previous ||
					  !has_entries(&before) ||
					  before.claim < c.claim - (u32)(c.claim - c.previous));
		} while ((u32)before.claim != c.previous);
		c = before;
		lost += c.lost;
	}
	while (header_below(cpu, c.claim, &c))
		KUNIT_ASSERT_FALSE(nest->test, has_entries(&c));
	return lost;
}

static void check_chains(void)
{
	u64 lost = 0, of_cpu;
	bool all = true;
	u32 cpu;

	for (cpu = 0; cpu < CPUS; cpu++) {
		of_cpu = follow_chain(cpu);
		all &= of_cpu != ~0ULL;
		lost += of_cpu;
	}
	if (all)
		KUNIT_ASSERT_EQ(nest->test, lost, nest->lost);
}

/* Each event in a chunk that a CPU keeps is shown. */
static void check_kept(void)
{
	u64 state;
	u32 n;

	for (n = 0; n < nest->nr; n++) {
		if (!nest->cursor[n])
			continue;
		state = nest->ctl[chunk_at(nest->cursor[n])].state;
		if (state & OWNED && (u32)(state >> 1) == nest->cursor[n] >> 32)
			KUNIT_ASSERT_TRUE(nest->test, nest->seen[n]);
	}
}

static void check_end(void)
{
	u64 overwritten = 0, recorded = 0;
	u32 cpu, shown;

	nest->level = LEVELS;
	shown = look();
	for (cpu = 0; cpu < CPUS; cpu++) {
		overwritten += atomic64_read(&nest->rc[cpu].overwritten);
		recorded += jtrace_ring_recorded(&nest->ring, &nest->rc[cpu]);
		KUNIT_ASSERT_EQ(nest->test, jtrace_ring_recorded(&nest->ring, &nest->rc[cpu]),
				nest->recorded[cpu]);
	}
	KUNIT_ASSERT_EQ(nest->test, recorded, shown + overwritten);
	KUNIT_ASSERT_EQ(nest->test, recorded + nest->lost, nest->nr);
	check_owned();
	check_claims();
	check_chains();
	check_kept();
	for (cpu = 0; cpu < CPUS; cpu++)
		check_newest(cpu);
}

static void prepare(u32 prefill, u32 slots)
{
	u32 i;

	for (i = 0; i < prefill; i++)
		record(i & 1);
	/* The outer record begins at a given distance from a full chunk. */
	for (i = 0; i < slots; i++)
		record(0);
}

/* Make an outer record with the planned actions; false if it ends before the first one. */
static bool run(u32 prefill, u32 slots)
{
	u32 i;

	prepare(prefill, slots);
	memset(nest->count, 0, sizeof(nest->count));
	nest->level = 0;
	record(0);
	nest->level = LEVELS;
	check_end();
	for (i = 0; i < 10; i++) {
		record(0);
		record(1);
	}
	check_end();
	return nest->count[0] > nest->at[0];
}

static void nest_new(struct kunit *test, u32 form)
{
	nest = kunit_kzalloc(test, sizeof(*nest), GFP_KERNEL);
	nest->test = test;
	nest->rc = kunit_kcalloc(test, CPUS, sizeof(*nest->rc), GFP_KERNEL);
	nest->ctl = kunit_kcalloc(test, CHUNKS, sizeof(*nest->ctl), GFP_KERNEL);
	nest->img = kunit_kzalloc(test, 32768, GFP_KERNEL);
	nest->copy = kunit_kzalloc(test, 32768, GFP_KERNEL);
	nest->form = form;
	nest->room = kunit_kzalloc(test, 16384, GFP_KERNEL);
}

#endif /* _JTRACE_NEST_H */
