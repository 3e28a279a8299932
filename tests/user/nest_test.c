// SPDX-License-Identifier: GPL-2.0
/*
 * Interrupt a record or a reader before each shared access.
 *
 * This file compiles ring.c, chunk.c and site.c with a hook before each shared access.  At each
 * hook, and at each hook within the interruption, it makes complete records, on the same CPU
 * (as an interrupt would) or on another one, or reads the image.
 */
#include "nest_clear.h"
#include "nest_sites.h"

/* Interrupt each access of a record, and each access of the interruption. */
static void all_places(struct kunit *test, u32 form, u32 chunks, u8 shift, bool keep, u32 prefill,
		       u32 slots)
{
	u32 a, b, runs = 0;

	nest_new(test, form);
	for (a = 0; a < NR_ACTIONS; a++) {
		for (b = 0; b < NR_ACTIONS; b++) {
			bool more = true;

			nest->action[0] = a;
			nest->action[1] = b;
			for (nest->at[0] = 0; more; nest->at[0]++) {
				/* The last one is after the end: no second action. */
				bool inner = true;

				for (nest->at[1] = runs % NEST_STRIDE; inner;
				     nest->at[1] += NEST_STRIDE) {
					reset(chunks, shift, keep);
					more = run(prefill, slots);
					inner = nest->count[1] > nest->at[1] && a != READ;
					runs++;
				}
			}
		}
	}
	/* Were there accesses, and did each one have its turn? */
	KUNIT_EXPECT_GT(test, runs, 20000 / NEST_STRIDE);
	kunit_info(test, "%u runs", runs);
	nest = NULL;
}

static void first_claim(struct kunit *test)
{
	all_places(test, JTRACE_KIND_LARGE, 6, 8, true, 0, 0);
}

static void claim_wraps(struct kunit *test)
{
	all_places(test, JTRACE_KIND_LARGE, 8, 7, true, 21, 0);
}

static void claim_of_larger_chunks(struct kunit *test)
{
	all_places(test, JTRACE_KIND_LARGE, 7, 8, true, 42, 1);
}

static void slot_of_open_chunk(struct kunit *test)
{
	all_places(test, JTRACE_KIND_LARGE, 7, 8, true, 42, 0);
}

static void last_slot(struct kunit *test)
{
	all_places(test, JTRACE_KIND_LARGE, 7, 8, true, 42, 2);
}

static void tight(struct kunit *test)
{
	all_places(test, JTRACE_KIND_LARGE | JTRACE_FORM_CHECKED, 4, 7, true, 16, 0);
}

static void without_previous(struct kunit *test)
{
	all_places(test, JTRACE_KIND_LARGE | JTRACE_FORM_CHECKED, 4, 7, false, 14, 0);
}

/* Read like recover.c; @nest->level is the reader's. */
static void read_in_place(void)
{
	struct jtrace_chunk c;
	struct jtrace_decoded ev;
	u32 i, slot;

	for (i = 0; i < nest->l.nr_chunks; i++) {
		if (!jtrace_chunk_read(&nest->l, nest->img, IMAGE_ID, i, &c))
			continue;
		for (slot = 0; slot < nest->l.entries; slot++)
			if (jtrace_entry_read(&nest->l, nest->img, IMAGE_ID, &c, slot, &ev))
				check_event(&ev);
	}
}

static void read_by_copy(void)
{
	u32 i, copied = 0;
	struct jtrace_chunk c;

	memset(nest->copy, 0, 32768);
	for (i = 0; i < nest->l.nr_chunks; i++) {
		void *to = (void *)jtrace_chunk_at(&nest->l, nest->copy, i);
		int got = 0;

		if (jtrace_chunk_read(&nest->l, nest->img, IMAGE_ID, i, &c))
			got = jtrace_chunk_copy(&nest->l, nest->img, &c, nest->l.entries, to);
		copied += max(got, 0);
	}
	nest->level = LEVELS;
	jtrace_header_write(nest->copy, &nest->h);
	KUNIT_ASSERT_EQ(nest->test, look_at(nest->copy), copied);
}

/* A record interrupts a reader anywhere, once, and another record interrupts that one. */
static void reader_run(struct kunit *test, u32 kind, void (*reader)(void))
{
	u32 a, stride, runs = 0;
	bool more;

	nest_new(test, kind);
	for (a = ONE_HERE; a < READ; a++) {
		/* Interrupt the inner record at another access each time. */
		for (stride = 0; stride < 3; stride++) {
			nest->action[0] = a;
			nest->action[1] = stride == 1 ? MANY_THERE : MANY_HERE;
			for (nest->at[0] = 0, more = true; more; nest->at[0]++, runs++) {
				reset(6, kind == JTRACE_KIND_SMALL ? 7 : 8, true);
				prepare(50, runs % 3);
				nest->at[1] = stride ? runs % 40 : U32_MAX;
				memset(nest->count, 0, sizeof(nest->count));
				nest->level = 0;
				reader();
				nest->level = LEVELS;
				more = nest->count[0] > nest->at[0];
				check_end();
			}
		}
	}
	/* Without interrupts within an entry there are 1500 runs. */
	KUNIT_EXPECT_GT(test, runs, 2000);
	kunit_info(test, "%u runs", runs);
	nest = NULL;
}

static void reader_in_place(struct kunit *test)
{
	reader_run(test, JTRACE_KIND_LARGE, read_in_place);
	reader_run(test, JTRACE_KIND_SMALL, read_in_place);
}

static void reader_by_copy(struct kunit *test)
{
	reader_run(test, JTRACE_KIND_LARGE, read_by_copy);
	reader_run(test, JTRACE_KIND_SMALL, read_by_copy);
}

static void small_entries(struct kunit *test)
{
	all_places(test, JTRACE_KIND_SMALL, 8, 7, true, 30, 1);
}

/*
 * Interrupt a claim at any access.  Meanwhile another CPU gets the chunk that the claim leaves,
 * and leaves it with a pending record.  The state that the claim then stores must not pass for
 * the other CPU's: the chunk stays busy.
 */

static struct {
	u32 left;		/* the chunk */
	u32 n;			/* the pending record, or MOST */
	u64 cursor;		/* of the pending record */
} pending;

static u32 chunk_of(u32 cpu)
{
	u32 index;

	cursor_slots(&nest->ring, nest->rc[cpu].cursor, &index);
	return index;
}

/* All on level 1, which interrupts CPU 0. */
static void leave_pending(void)
{
	struct jtrace_ring_cpu *rc = &nest->rc[1];
	u32 i;

	nest->on_cpu[1] = 0;
	for (i = 0; i < 2 * nest->l.entries + 1; i++)
		record(0);
	nest->on_cpu[1] = 1;
	for (i = 0; i < 64 && chunk_of(1) != pending.left; i++)
		record(1);
	/* Leave room for one more. */
	if (chunk_of(1) != pending.left || jtrace_ring_full(&nest->ring, rc->cursor))
		return;

	pending.n = nest->nr++;
	pending.cursor = rc->cursor;
	note(pending.n, 1, rc->cursor, nest->now++);
	KUNIT_ASSERT_TRUE(nest->test, jtrace_ring_reserve(&nest->ring, rc, rc->cursor));
	nest->level = 2;
	for (i = 0; i < 2 * nest->l.entries + 1; i++)
		record(1);
	nest->level = 1;
}

static void check_pending(void)
{
	const u32 n = pending.n;
	u32 i;

	KUNIT_ASSERT_EQ(nest->test, jtrace_ring_stuck(&nest->ring), 1);
	for (i = 0; i < 40; i++) {
		record(0);
		KUNIT_ASSERT_NE(nest->test, chunk_of(0), pending.left);
	}
	jtrace_ring_fill_large(&nest->ring, pending.cursor, nest->time[n], site_of(n), n * 3, 1,
			       n * 5ULL, n * 7ULL, n * 11ULL, n * 13ULL);
}

static void left_chunk_of_another(struct kunit *test)
{
	u32 at, runs = 0;

	nest_new(test, JTRACE_KIND_LARGE);
	nest->instead = leave_pending;
	for (at = 0; ; at++) {
		reset(8, 8, false);
		prepare(2, 0);
		while (!jtrace_ring_full(&nest->ring, nest->rc[0].cursor))
			record(0);
		pending.left = chunk_of(0);
		pending.n = MOST;
		memset(nest->count, 0, sizeof(nest->count));
		nest->at[0] = at;
		nest->at[1] = U32_MAX;
		nest->level = 0;
		nest->on_cpu[0] = 0;
		record(0);
		nest->level = 0;
		nest->at[0] = U32_MAX;
		if (pending.n != MOST) {
			check_pending();
			runs++;
		}
		check_end();
		if (nest->count[0] <= at)
			break;
	}
	KUNIT_EXPECT_GT(test, runs, 10);
	kunit_info(test, "%u runs", runs);
	nest = NULL;
}

/*
 * Interrupt a claim at any access while the other CPU laps the ring.  The other CPU owns, fills
 * and gives up the chunk that the claim's number selects, under a newer number.
 */

static struct {
	u32 more;		/* records beyond the laps */
	bool nested;		/* CPU 0 claims before, and gives up its chunk */
	u32 laps;		/* laps left */
	u64 claims;		/* claim counter at the last look */
} stall;

static void lap(void)
{
	u32 i;

	nest->on_cpu[1] = 0;
	for (i = 0; stall.nested && i < 2 * nest->l.entries + 1; i++)
		record(0);
	nest->on_cpu[1] = 1;
	for (i = 0; i < (nest->l.nr_chunks + 3) * nest->l.entries + stall.more; i++)
		record(1);
	look();
	stall.claims = nest->ring.claims.counter;
}

/* CPU 0 records an event that needs a chunk, its first or its next. */
static void record_lapped(bool first, u32 at)
{
	if (!first)
		prepare(4, 0);
	while (!jtrace_ring_full(&nest->ring, nest->rc[0].cursor))
		record(0);
	memset(nest->count, 0, sizeof(nest->count));
	nest->at[0] = at;
	nest->at[1] = U32_MAX;
	stall.claims = nest->ring.claims.counter;
	nest->on_cpu[0] = 0;
	nest->level = 0;
	record(0);
	nest->level = LEVELS;
	check_end();
}

/* Fill each slot of the chunk, and chunks that follow. */
static void check_after_lap(void)
{
	u32 i;

	for (i = 0; i < 2 * nest->l.entries; i++) {
		record(0);
		check_end();
	}
	for (i = 0; i < 10; i++) {
		record(0);
		record(1);
	}
	check_end();
	KUNIT_ASSERT_EQ(nest->test, nest->lost, 0);
}

/* At each access of the claim; @shift 0: the ring of a buffer of 4 KiB. */
static u32 lapped_run(u32 chunks, u8 shift, bool keep, bool first)
{
	u32 at = 0;

	do {
		if (shift) {
			reset(chunks, shift, keep);
		} else {
			KUNIT_ASSERT_LT(nest->test,
					jtrace_layout_plan(&nest->l, 4096, 0, CPUS,
							   nest->form & JTRACE_FORM_KIND),
					JTRACE_FIT_POOR);
			reset_ring(keep);
		}
		record_lapped(first, at);
		check_after_lap();
	} while (nest->count[0] > at++);
	return at;
}

static u32 lapped_form(struct kunit *test, u32 form)
{
	u32 runs = 0;

	nest_new(test, form);
	nest->instead = lap;
	for (stall.more = 0; stall.more < 8; stall.more++) {
		bool first = stall.more & 1;

		stall.nested = stall.more & 2;
		runs += lapped_run(0, 0, true, first);
		runs += lapped_run(0, 0, false, first);
		runs += lapped_run(4, 9, false, first);
		runs += lapped_run(6, 8, true, first);
		runs += lapped_run(5, 7, false, first);
	}
	nest = NULL;
	return runs;
}

static void claim_is_lapped(struct kunit *test)
{
	u32 runs;

	runs = lapped_form(test, JTRACE_KIND_LARGE | JTRACE_FORM_CHECKED);
	runs += lapped_form(test, JTRACE_KIND_SMALL | JTRACE_FORM_CHECKED);
	runs += lapped_form(test, JTRACE_KIND_LARGE);
	KUNIT_EXPECT_GT(test, runs, 1000);
	kunit_info(test, "%u runs", runs);
}

/* A chunk that is being closed is given up and lapped: no other CPU gets it meanwhile. */
static void close_is_lapped(struct kunit *test)
{
	u32 i, at = 0;

	nest_new(test, JTRACE_KIND_LARGE | JTRACE_FORM_CHECKED);
	nest->instead = lap;
	stall.more = 0;
	stall.nested = true;
	do {
		reset(8, 9, true);
		prepare(5, 0);
		memset(nest->count, 0, sizeof(nest->count));
		nest->at[0] = at;
		nest->at[1] = U32_MAX;
		nest->on_cpu[0] = 0;
		nest->level = 0;
		jtrace_ring_close(&nest->ring, &nest->rc[0]);
		nest->level = LEVELS;
		check_end();
		for (i = 0; i < 2 * nest->l.nr_chunks * nest->l.entries; i++) {
			record(i & 1);
			check_end();
		}
	} while (nest->count[0] > at++);
	KUNIT_EXPECT_GT(test, at, 2);
	nest = NULL;
}

/* Has the claim just taken a number? */
static bool number_taken(void)
{
	bool taken = nest->ring.claims.counter != stall.claims;

	stall.claims = nest->ring.claims.counter;
	return taken && stall.laps && stall.laps--;
}

/*
 * The other CPU laps each number that a claim takes but the last one: no event is lost, although
 * there are more laps than tries.
 */
static void claim_is_lapped_again(struct kunit *test)
{
	u32 laps;

	nest_new(test, JTRACE_KIND_LARGE | JTRACE_FORM_CHECKED);
	nest->instead = lap;
	nest->when = number_taken;
	stall.more = 0;
	stall.nested = false;
	for (laps = 1; laps <= JTRACE_CLAIM_TRIES + 4; laps++) {
		reset(9, 7, false);
		stall.laps = laps;
		record_lapped(laps & 1, 0);
		KUNIT_ASSERT_EQ(test, stall.laps, 0);
		check_after_lap();
	}
	nest = NULL;
}

static struct kunit_case nest_cases[] = {
	KUNIT_CASE(first_claim),
	KUNIT_CASE(claim_wraps),
	KUNIT_CASE(claim_of_larger_chunks),
	KUNIT_CASE(slot_of_open_chunk),
	KUNIT_CASE(last_slot),
	KUNIT_CASE(tight),
	KUNIT_CASE(without_previous),
	KUNIT_CASE(small_entries),
	KUNIT_CASE(reader_in_place),
	KUNIT_CASE(reader_by_copy),
	KUNIT_CASE(left_chunk_of_another),
	KUNIT_CASE(claim_is_lapped),
	KUNIT_CASE(claim_is_lapped_again),
	KUNIT_CASE(close_is_lapped),
	KUNIT_CASE(close_in_a_claim),
	KUNIT_CASE(sites_meet),
	KUNIT_CASE(sites_meet_at_the_end),
	KUNIT_CASE(sites_meet_in_the_spare),
	KUNIT_CASE(sites_meet_in_the_spare),
	{}
};

static struct kunit_suite nest_suite = {
	.name = "nest_test",
	.test_cases = nest_cases,
};

kunit_test_suite(nest_suite);
