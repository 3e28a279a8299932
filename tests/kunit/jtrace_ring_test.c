// SPDX-License-Identifier: GPL-2.0
/*
 * The ring on one thread, compared with the model of helpers.h: claims, kept and lost events, and
 * counters that account for every event at any time.
 */

#include "helpers.h"

static struct fake *ring_new(struct kunit *test, u8 shift, u8 form, u32 chunks, u32 cpus,
			     bool keep, u32 most)
{
	struct jtrace_layout l;

	fake_layout(&l, shift, form, chunks);
	return fake_new(test, &l, cpus, keep, most);
}

static void fill_in_order(struct kunit *test)
{
	struct fake *f = ring_new(test, 9, JTRACE_KIND_LARGE, 4, 1, true, 100);
	u32 i;

	fake_check(f);
	for (i = 0; i < 2 * f->l.entries; i++) {
		KUNIT_ASSERT_EQ(test, fake_record(f, 0), i);
		KUNIT_ASSERT_EQ(test, f->event[i].slot, i % f->l.entries);
		fake_check(f);
	}
	KUNIT_EXPECT_EQ(test, f->overwritten, 0);
}

/* All forms and all chunk sizes, over many laps of few chunks. */
static void wraps_around(struct kunit *test)
{
	u32 shift, form, i;

	for (shift = JTRACE_MIN_CHUNK_SHIFT; shift <= JTRACE_MAX_CHUNK_SHIFT; shift++) {
		for (form = 0; form < FAKE_FORMS; form++) {
			struct fake *f = ring_new(test, shift, fake_form(form), 4, 1, true, 2000);
			u32 laps = shift > 10 ? 2 : 7;

			for (i = 0; i < laps * 4 * f->l.entries + 1; i++)
				KUNIT_ASSERT_NE(test, fake_record(f, 0), FAKE_NONE);
			fake_check(f);
			KUNIT_EXPECT_EQ(test, f->t.shown, 3 * f->l.entries + 1);
		}
	}
}

/* The low half of the claim number, which entries carry, overflows early. */
static void claim_numbers_overflow(struct kunit *test)
{
	struct fake *f = ring_new(test, 7, JTRACE_KIND_LARGE | JTRACE_FORM_CHECKED,
				  3, 1, false, 200);
	u32 i;

	KUNIT_EXPECT_EQ(test, atomic64_read(&f->ring.claims) >> 32, 0);
	for (i = 0; i < 130; i++) {
		KUNIT_ASSERT_NE(test, fake_record(f, 0), FAKE_NONE);
		fake_check(f);
	}
	/* Number 2^32 is left out: 130 events, one in each chunk, took 131 numbers. */
	KUNIT_EXPECT_EQ(test, atomic64_read(&f->ring.claims), JTRACE_FIRST_CLAIM + 131);
	KUNIT_EXPECT_EQ(test, atomic64_read(&f->ring.claims) >> 32, 1);
}

/* Numbers from two laps ago: each of these chunks has a newer claim, or the same. */
static void lapped_numbers_are_left_out(struct kunit *test)
{
	struct fake *f = ring_new(test, 8, JTRACE_KIND_LARGE | JTRACE_FORM_CHECKED,
				  JTRACE_CLAIM_TRIES, 2, true, 200);
	u32 i, n, nr_chunks = f->l.nr_chunks;
	u64 claims;

	for (i = 0; i < 3 * nr_chunks * f->l.entries; i++)
		fake_record(f, 1);
	claims = atomic64_read(&f->ring.claims);
	atomic64_set(&f->ring.claims, claims - 2 * nr_chunks);
	n = fake_record(f, 0);
	KUNIT_ASSERT_NE(test, n, FAKE_NONE);
	KUNIT_EXPECT_EQ(test, f->event[n].claim, claims + 1);
	for (i = 0; i < 2 * f->l.entries; i++) {
		fake_check(f);
		KUNIT_EXPECT_TRUE(test, fake_visible(f, n));
		fake_record(f, 0);
	}
}

/* A slot that was never written does not look committed under any claim. */
static void zero_is_no_sequence(struct kunit *test)
{
	struct fake *f = ring_new(test, 8, JTRACE_KIND_LARGE, 5, 1, false, 10);

	atomic64_set(&f->ring.claims, 0xffffffffULL);
	fake_record(f, 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&f->ring.claims), 0x100000001ULL);
	fake_check(f);
	KUNIT_EXPECT_EQ(test, f->t.shown, 1);
}

/* Another CPU laps the ring; the last events of a quiet CPU stay. */
static void keeps_last_chunks(struct kunit *test)
{
	bool keep;
	u32 i;

	for (keep = false; ; keep = true) {
		struct fake *f = ring_new(test, 9, JTRACE_KIND_LARGE, 8, 3, keep, 1000);
		u32 mine = 2 * f->l.entries + 3;

		for (i = 0; i < mine; i++)
			fake_record(f, 0);
		for (i = 0; i < 20 * 8 * f->l.entries / 4; i++) {
			KUNIT_ASSERT_NE(test, fake_record(f, 1), FAKE_NONE);
			KUNIT_ASSERT_TRUE(test, fake_visible(f, mine - 1));
		}
		fake_check(f);
		KUNIT_EXPECT_FALSE(test, fake_visible(f, 0));
		/* 3 in the open chunk, and those of the previous one if it is kept. */
		for (i = f->l.entries; i < mine; i++)
			KUNIT_EXPECT_EQ(test, fake_visible(f, i),
					keep || i >= 2 * f->l.entries);
		if (keep)
			break;
	}
}

static void gate_refuses_claims(struct kunit *test)
{
	struct fake *f = ring_new(test, 8, JTRACE_KIND_LARGE, 6, 2, true, 100);
	u32 i;

	fake_record(f, 0);
	fake_gate(f, true);
	/* The open chunk still fills, then events are skipped. */
	for (i = 1; i < f->l.entries; i++)
		KUNIT_EXPECT_NE(test, fake_record(f, 0), FAKE_NONE);
	KUNIT_EXPECT_EQ(test, fake_record(f, 0), FAKE_NONE);
	KUNIT_EXPECT_EQ(test, fake_record(f, 1), FAKE_NONE);
	fake_gate(f, true);
	fake_gate(f, false);
	KUNIT_EXPECT_EQ(test, fake_record(f, 0), FAKE_NONE);
	KUNIT_EXPECT_EQ(test, atomic64_read(&f->rc[0].lost[JTRACE_SKIPPED]), 2);
	KUNIT_EXPECT_EQ(test, atomic64_read(&f->rc[1].lost[JTRACE_SKIPPED]), 1);
	KUNIT_EXPECT_EQ(test, atomic64_read(&f->rc[0].lost[JTRACE_DROPPED_BUSY]), 0);
	fake_check(f);
	fake_gate(f, false);
	KUNIT_EXPECT_NE(test, fake_record(f, 0), FAKE_NONE);
	KUNIT_EXPECT_NE(test, fake_record(f, 1), FAKE_NONE);
	fake_check(f);
}

/* fake_claimed() compares each header with the model. */
static void headers_tell_losses(struct kunit *test)
{
	static const u32 losses[] = { 3, 0, 1, U16_MAX - 1, U16_MAX, U16_MAX + 1, 2, 0 };
	struct fake *f = ring_new(test, 8, JTRACE_KIND_LARGE, 6, 2, true, 100);
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(losses); i++) {
		for (n = 0; n < f->l.entries; n++)
			KUNIT_ASSERT_NE(test, fake_record(f, 0), FAKE_NONE);
		fake_gate(f, true);
		for (n = 0; n < losses[i]; n++)
			KUNIT_ASSERT_EQ(test, fake_record(f, 0), FAKE_NONE);
		fake_gate(f, false);
	}
	fake_check(f);
}

static void drops_when_all_is_owned(struct kunit *test)
{
	struct fake *f = ring_new(test, 7, JTRACE_KIND_LARGE, 2, 3, false, 100);
	u32 i;

	KUNIT_EXPECT_NE(test, fake_record(f, 0), FAKE_NONE);
	KUNIT_EXPECT_NE(test, fake_record(f, 1), FAKE_NONE);
	for (i = 0; i < 9; i++)
		KUNIT_EXPECT_EQ(test, fake_record(f, i % 3), FAKE_NONE);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, atomic64_read(&f->rc[i].lost[JTRACE_DROPPED_BUSY]), 3);
	fake_check(f);
	KUNIT_EXPECT_EQ(test, f->t.shown, 2);
}

/* No CPU gets a chunk with a slot that is reserved and not committed. */
static void uncommitted_chunk_is_busy(struct kunit *test)
{
	struct fake *f = ring_new(test, 8, JTRACE_KIND_SMALL, 4, 2, false, 1000);
	u32 i, n;

	fake_record(f, 0);
	n = fake_reserve(f, 0);
	/* Such a slot in the chunk of CPU 0, which fills up and is released. */
	for (i = 0; i < 2 * f->l.entries; i++)
		fake_record(f, 0);
	KUNIT_EXPECT_EQ(test, jtrace_ring_stuck(&f->ring), 1);
	for (i = 0; i < 10 * f->l.entries; i++)
		fake_record(f, 1);
	fake_check(f);
	KUNIT_EXPECT_FALSE(test, fake_gone(f, n));
	KUNIT_EXPECT_TRUE(test, fake_visible(f, n - 1));

	fake_commit(f, n);
	fake_check(f);
	KUNIT_EXPECT_TRUE(test, f->seen[n]);
	KUNIT_EXPECT_EQ(test, jtrace_ring_stuck(&f->ring), 0);
	for (i = 0; i < 4 * f->l.entries; i++)
		fake_record(f, 1);
	fake_check(f);
	KUNIT_EXPECT_TRUE(test, fake_gone(f, n));
}

/* What a CPU keeps that records nothing more is older, and does not count. */
static void history_is_that_of_a_lap(struct kunit *test)
{
	struct fake *f = ring_new(test, 8, JTRACE_KIND_LARGE, 20, 2, true, 1000);
	u32 i, n;

	KUNIT_EXPECT_EQ(test, jtrace_ring_history(&f->ring), 0);
	fake_record(f, 1);
	for (i = 0; i < 60; i++) {
		/* Not full yet, and too soon to say; then, a chunk a second. */
		if (i == 8)
			KUNIT_EXPECT_EQ(test, jtrace_ring_history(&f->ring), 0);
		if (i == 12)
			KUNIT_EXPECT_EQ(test, jtrace_ring_history(&f->ring) / 1000000000ULL,
					f->l.nr_chunks);
		f->now += 1000000000ULL;
		for (n = 0; n < f->l.entries; n++)
			fake_record(f, 0);
	}
	KUNIT_EXPECT_EQ(test, jtrace_ring_history(&f->ring) / 1000000000ULL, f->l.nr_chunks);
}

/*
 * A claim takes a chunk that was left without a pending record without a look at its slots, which
 * may all read as zero; it does not take other chunks that way.
 */
static void settled_is_not_looked_at(struct kunit *test)
{
	struct fake *f = ring_new(test, 8, JTRACE_KIND_SMALL, 4, 1, false, 1000);
	u32 i, n;

	for (i = 0; i < f->l.entries + 1; i++)
		fake_record(f, 0);
	KUNIT_EXPECT_EQ(test, f->ring.ctl[f->event[0].index].settled,
			(u32)f->event[0].claim);
	memset((void *)jtrace_slot_at(&f->l, f->img, f->event[0].index, 0), 0,
	       f->l.entry_size);
	KUNIT_EXPECT_EQ(test, jtrace_ring_stuck(&f->ring), 0);

	/* The same by an interrupt, which may have interrupted a record. */
	n = fake_reserve(f, 0);
	for (i = 0; i < f->l.entries; i++)
		fake_record(f, 0);
	KUNIT_EXPECT_FALSE(test, f->ring.ctl[f->event[n].index].settled);
	KUNIT_EXPECT_EQ(test, jtrace_ring_stuck(&f->ring), 1);
	fake_commit(f, n);
	KUNIT_EXPECT_EQ(test, jtrace_ring_stuck(&f->ring), 0);
	memset((void *)jtrace_slot_at(&f->l, f->img, f->event[n].index, 0), 0,
	       f->l.entry_size);
	KUNIT_EXPECT_EQ(test, jtrace_ring_stuck(&f->ring), 1);
}

/* The last slot of a chunk counts, too. */
static void last_slot_makes_busy(struct kunit *test)
{
	struct fake *f = ring_new(test, 8, JTRACE_KIND_LARGE, 3, 1, false, 100);
	u32 i, n;

	for (i = 1; i < f->l.entries; i++)
		fake_record(f, 0);
	n = fake_reserve(f, 0);
	KUNIT_EXPECT_EQ(test, f->event[n].slot, f->l.entries - 1);
	for (i = 0; i < 6 * f->l.entries; i++)
		KUNIT_ASSERT_NE(test, fake_record(f, 0), FAKE_NONE);
	fake_check(f);
	KUNIT_EXPECT_FALSE(test, fake_gone(f, n));
}

/* Nested records between the steps of a record. */
static void nested_records(struct kunit *test)
{
	struct fake *f = ring_new(test, 8, JTRACE_KIND_LARGE, 8, 2, true, 200);
	struct jtrace_moment now = { .ticks = 1, .mono = 1, .boot = 1 };
	u64 cursor, claims;
	u32 i, n;

	/* Between cursor and reservation: the reservation fails, and takes nothing. */
	fake_record(f, 0);
	cursor = f->rc[0].cursor;
	fake_record(f, 0);
	KUNIT_EXPECT_FALSE(test, jtrace_ring_reserve(&f->ring, &f->rc[0], cursor));
	fake_check(f);

	/* Between reservation and commit: the inner record is visible, the outer one is not. */
	n = fake_reserve(f, 0);
	fake_record(f, 0);
	fake_check(f);
	KUNIT_EXPECT_TRUE(test, f->seen[n + 1]);
	KUNIT_EXPECT_FALSE(test, f->seen[n]);
	fake_commit(f, n);
	fake_check(f);

	/* Between a full cursor and the claim: the claim is no longer needed. */
	while (!jtrace_ring_full(&f->ring, f->rc[0].cursor))
		fake_record(f, 0);
	cursor = f->rc[0].cursor;
	fake_record(f, 0);
	for (i = 0; i < 20; i++) {
		claims = atomic64_read(&f->ring.claims);
		KUNIT_EXPECT_TRUE(test, jtrace_ring_claim(&f->ring, &f->rc[0], cursor, &now, true));
		KUNIT_EXPECT_EQ(test, atomic64_read(&f->ring.claims), claims);
		fake_check(f);
		fake_record(f, 1);
	}
}

/* The very first claim is nested: cursor 0 is stale, too. */
static void nested_first_claim(struct kunit *test)
{
	struct fake *f = ring_new(test, 8, JTRACE_KIND_SMALL, 3, 1, false, 20);
	struct jtrace_moment now = { .ticks = 1, .mono = 1, .boot = 1 };

	fake_record(f, 0);
	KUNIT_EXPECT_TRUE(test, jtrace_ring_claim(&f->ring, &f->rc[0], 0, &now, true));
	fake_record(f, 0);
	fake_check(f);
	KUNIT_EXPECT_EQ(test, f->t.shown, 2);
}

static void clear_hides_all(struct kunit *test)
{
	struct fake *f = ring_new(test, 9, JTRACE_KIND_LARGE, 8, 2, true, 400);
	u32 i, n;

	fake_clear(f);
	fake_check(f);
	for (i = 0; i < 2 * f->l.entries + 2; i++)
		fake_record(f, 0);
	fake_record(f, 1);
	fake_clear(f);
	fake_check(f);
	KUNIT_EXPECT_EQ(test, f->t.shown, 0);

	/* A new record goes to a new chunk. */
	n = fake_record(f, 0);
	KUNIT_EXPECT_EQ(test, f->event[n].slot, 0);
	fake_check(f);
	KUNIT_EXPECT_EQ(test, f->t.shown, 1);
	fake_clear(f);
	fake_check(f);
	KUNIT_EXPECT_EQ(test, f->t.shown, 0);

	for (i = 0; i < 100; i++) {
		fake_record(f, i & 1);
		fake_check(f);
	}
}

/* Clear with a full open chunk, with a slot that is committed later, with a new lap. */
static void clear_at_the_edges(struct kunit *test)
{
	struct fake *f = ring_new(test, 8, JTRACE_KIND_LARGE, 6, 2, true, 100);
	u32 i, n;

	for (i = 0; i < f->l.entries; i++)
		fake_record(f, 0);
	n = fake_reserve(f, 1);
	fake_clear(f);
	fake_check(f);
	fake_commit(f, n);
	fake_check(f);
	KUNIT_EXPECT_EQ(test, f->t.shown, 0);
	for (i = 0; i < 40; i++) {
		fake_record(f, 0);
		fake_check(f);
	}
	KUNIT_EXPECT_EQ(test, f->cleared, f->l.entries + 1);
}

static void close_ends_a_chunk(struct kunit *test)
{
	struct fake *f = ring_new(test, 9, JTRACE_KIND_SMALL, 8, 2, true, 600);
	u32 i, n, open;

	jtrace_ring_close(&f->ring, &f->rc[0]);
	KUNIT_EXPECT_TRUE(test, jtrace_ring_full(&f->ring, f->rc[0].cursor));
	for (i = 0; i < 60; i++) {
		n = fake_record(f, 0);
		KUNIT_ASSERT_EQ(test, f->event[n].slot, 0);
		if (i & 1)
			fake_record(f, 0);
		open = f->cpu[0].open;
		jtrace_ring_close(&f->ring, &f->rc[0]);
		KUNIT_EXPECT_TRUE(test, jtrace_ring_full(&f->ring, f->rc[0].cursor));
		fake_check(f);
		jtrace_ring_close(&f->ring, &f->rc[0]);
		fake_check(f);
		KUNIT_EXPECT_EQ(test, f->cpu[0].open, open);
		if (i % 16 == 9) {
			fake_clear(f);
			fake_check(f);
		}
	}
}

/* A chunk that is closed with a pending slot is busy until the commit. */
static void close_with_pending(struct kunit *test)
{
	struct fake *f = ring_new(test, 8, JTRACE_KIND_LARGE, 4, 1, false, 100);
	u32 i, n = fake_reserve(f, 0);

	jtrace_ring_close(&f->ring, &f->rc[0]);
	for (i = 0; i < 20; i++)
		fake_record(f, 0);
	fake_check(f);
	KUNIT_EXPECT_EQ(test, jtrace_ring_stuck(&f->ring), 1);
	fake_commit(f, n);
	for (i = 0; i < 20; i++)
		fake_record(f, 0);
	fake_check(f);
	KUNIT_EXPECT_TRUE(test, fake_gone(f, n));
}

#define PENDING 3

static void random_pending(struct fake *f, u32 *pending, u32 cpu)
{
	u32 *p = &pending[random_below(&f->rnd, PENDING)];

	if (*p != FAKE_NONE) {
		fake_commit(f, *p);
		*p = FAKE_NONE;
	} else {
		*p = fake_reserve(f, cpu);
	}
}

static void random_stale(struct fake *f, u32 cpu)
{
	struct jtrace_moment now = { .ticks = 7, .mono = 7, .boot = 7 };
	u64 cursor = f->rc[cpu].cursor;

	if (fake_record(f, cpu) == FAKE_NONE)
		return;
	if (!jtrace_ring_full(&f->ring, cursor)) {
		KUNIT_ASSERT_FALSE(f->test, jtrace_ring_reserve(&f->ring, &f->rc[cpu], cursor));
		return;
	}
	/* Either given back, or no free chunk: a usual drop. */
	if (!jtrace_ring_claim(&f->ring, &f->rc[cpu], cursor, &now,
			       !f->cpu[cpu].pending))
		f->cpu[cpu].losses[f->gates ? JTRACE_SKIPPED : JTRACE_DROPPED_BUSY]++;
}

static void random_step(struct fake *f, u32 *pending)
{
	u32 what = random_below(&f->rnd, 100), cpu = random_below(&f->rnd, f->cpus);

	if (what < 60)
		fake_record(f, cpu);
	else if (what < 75)
		random_stale(f, cpu);
	else if (what < 90)
		random_pending(f, pending, cpu);
	else if (what < 94)
		fake_gate(f, !f->gates || (f->gates < 3 && what == 90));
	else if (what < 97)
		jtrace_ring_close(&f->ring, &f->rc[cpu]);
	else if (what < 98 && !f->gates)
		fake_clear(f);
	f->now += random_below(&f->rnd, 2);
}

static void random_run(struct kunit *test, u32 steps, u64 seed)
{
	u64 rnd = seed;
	u8 form = fake_form(random_below(&rnd, FAKE_FORMS));
	u32 shift = JTRACE_MIN_CHUNK_SHIFT + random_below(&rnd, 3);
	u32 cpus = 1 + random_below(&rnd, 4);
	bool keep = random_below(&rnd, 2);
	u32 chunks = (keep ? 2 : 1) * cpus + random_below(&rnd, 6);
	struct fake *f = ring_new(test, shift, form, chunks, cpus, keep, 2 * steps);
	u32 pending[PENDING] = { FAKE_NONE, FAKE_NONE, FAKE_NONE };
	u32 i;

	f->rnd = rnd;
	for (i = 0; i < steps; i++) {
		random_step(f, pending);
		fake_account(f);
		if (i % 16 == 0)
			fake_check(f);
	}
	fake_check(f);
}

static void random_operations(struct kunit *test)
{
	u64 seed = 20240611;
	u32 i;

	for (i = 0; i < 100; i++) {
		/* Print it first: a failed assertion does not return. */
		kunit_info(test, "seed %llu", (unsigned long long)seed + i);
		random_run(test, 500, seed + i);
	}
}

/* A nested record got a chunk just before the gate closed: outer records use its slots, too. */
static void gate_and_stale_cursor(struct kunit *test)
{
	struct jtrace_moment now = { .ticks = 1 };
	struct jtrace_layout l;
	struct fake *f;
	u64 stale;

	fake_layout(&l, 8, JTRACE_KIND_LARGE, 6);
	f = fake_new(test, &l, 1, true, 20);
	while (!f->nr || !jtrace_ring_full(&f->ring, f->rc[0].cursor))
		fake_record(f, 0);
	stale = f->rc[0].cursor;
	fake_record(f, 0);
	jtrace_ring_gate_close(&f->ring);
	KUNIT_EXPECT_TRUE(test, jtrace_ring_claim(&f->ring, &f->rc[0], stale, &now, true));
	KUNIT_EXPECT_EQ(test, atomic64_read(&f->rc[0].lost[JTRACE_SKIPPED]), 0);
	jtrace_ring_gate_open(&f->ring);
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(gate_and_stale_cursor),
	KUNIT_CASE(fill_in_order),
	KUNIT_CASE(wraps_around),
	KUNIT_CASE(claim_numbers_overflow),
	KUNIT_CASE(lapped_numbers_are_left_out),
	KUNIT_CASE(zero_is_no_sequence),
	KUNIT_CASE(keeps_last_chunks),
	KUNIT_CASE(gate_refuses_claims),
	KUNIT_CASE(headers_tell_losses),
	KUNIT_CASE(drops_when_all_is_owned),
	KUNIT_CASE(uncommitted_chunk_is_busy),
	KUNIT_CASE(settled_is_not_looked_at),
	KUNIT_CASE(history_is_that_of_a_lap),
	KUNIT_CASE(last_slot_makes_busy),
	KUNIT_CASE(nested_records),
	KUNIT_CASE(nested_first_claim),
	KUNIT_CASE(clear_hides_all),
	KUNIT_CASE(clear_at_the_edges),
	KUNIT_CASE(close_ends_a_chunk),
	KUNIT_CASE(close_with_pending),
	KUNIT_CASE(random_operations),
	{}
};

static struct kunit_suite jtrace_ring_suite = {
	.name = "jtrace_ring_test",
	.test_cases = ring_cases,
};

kunit_test_suite(jtrace_ring_suite);
