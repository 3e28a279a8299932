// SPDX-License-Identifier: GPL-2.0
/*
 * A snapshot shows what the live image shows, is a whole image itself, and leaves out incomplete
 * entries.
 */

#include "helpers.h"

/* Set the end of a copy that begins now. */
static struct jtrace_cut cut_now(struct fake *f, u64 *cursors)
{
	u32 i;

	for (i = 0; i < f->cpus; i++)
		cursors[i] = f->rc[i].cursor;
	return (struct jtrace_cut){
		.claims = atomic64_read(&f->ring.claims),
		.cursors = cursors,
		.cpus = f->cpus,
	};
}

/* Make a copy that ends at @cut. */
static u8 *shot_at(struct fake *f, const struct jtrace_cut *cut, u64 *copied)
{
	u8 *to = kunit_kzalloc(f->test, f->l.size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(f->test, to);
	memset(&f->h.counts, 0, sizeof(f->h.counts));
	*copied = jtrace_snapshot(&f->l, f->img, &f->h, cut, to);
	return to;
}

static u8 *shot(struct fake *f, u64 *copied)
{
	u64 cursors[8];
	const struct jtrace_cut cut = cut_now(f, cursors);

	return shot_at(f, &cut, copied);
}

static struct fake *machine(struct kunit *test, u8 form, u32 events)
{
	struct jtrace_layout l;
	struct fake *f;

	fake_layout(&l, 8, form, 16);
	f = fake_new(test, &l, 4, true, 500);
	f->rnd = events;
	while (events--) {
		fake_record_at(f, random_below(&f->rnd, 4), f->now);
		f->now += random_below(&f->rnd, 3);
	}
	return f;
}

static void equals_the_live_image(struct kunit *test)
{
	u32 events, form;
	u64 copied;
	u8 *to;

	for (events = 0; events < 260; events += 13) {
		for (form = 0; form < FAKE_FORMS; form++) {
			struct fake *f = machine(test, fake_form(form), events);

			fake_check(f);
			to = shot(f, &copied);
			KUNIT_EXPECT_EQ(test, copied, f->t.found);
			fake_check_image(f, to);
			/* The copy does not change with the original. */
			memset(f->img, 0xff, f->l.size);
			fake_check_image(f, to);
		}
	}
}

static void both_headers_are_valid(struct kunit *test)
{
	struct fake *f = machine(test, JTRACE_KIND_LARGE, 100);
	u64 copied;
	u8 *to;

	f->h.state = JTRACE_STATE_PANICKED;
	to = shot(f, &copied);
	KUNIT_EXPECT_EQ(test, memcmp(to, &f->h, sizeof(f->h)), 0);
	KUNIT_EXPECT_EQ(test, memcmp(to + f->l.size - sizeof(f->h), &f->h, sizeof(f->h)), 0);
	memset(to, 0, sizeof(f->h));
	fake_check_image(f, to);
	KUNIT_EXPECT_EQ(test, f->t.header.state, JTRACE_STATE_PANICKED);
}

static void sites_come_along(struct kunit *test)
{
	struct fake *f = machine(test, JTRACE_KIND_LARGE, 10);
	struct jtrace_site_text text;
	u64 copied;
	u8 *to = shot(f, &copied);
	u32 i;

	for (i = 0; i < FAKE_SITES; i++) {
		memset(&text, 0xff, sizeof(text));
		KUNIT_ASSERT_TRUE(test, jtrace_site_read(&f->l, to, FAKE_ID, f->site[i], &text));
		KUNIT_EXPECT_STREQ(test, (const char *)text.tag, fake_tag[i]);
		KUNIT_EXPECT_STREQ(test, (const char *)text.file, "file.c");
		KUNIT_EXPECT_STREQ(test, (const char *)text.func, "func");
		KUNIT_EXPECT_EQ(test, text.line, i + 10);
	}
}

static void uncommitted_is_left_out(struct kunit *test)
{
	struct fake *f = machine(test, JTRACE_KIND_LARGE, 30);
	u64 copied, before;
	u32 n, i;
	u8 *to;

	shot(f, &before);
	n = fake_reserve(f, 1);
	/* Half an entry: all words but the sequence. */
	fake_fill(f, n, jtrace_entry_place(&f->l, f->event[n].index, f->event[n].slot));
	to = shot(f, &copied);
	KUNIT_EXPECT_EQ(test, copied, before);
	fake_check_image(f, to);
	for (i = 0; i < 64; i++)
		KUNIT_EXPECT_EQ(test, ((u8 *)jtrace_slot_at(&f->l, to, f->event[n].index,
							    f->event[n].slot))[i], 0);
	/* A later commit appears in the next snapshot. */
	fake_commit(f, n);
	fake_check_image(f, shot(f, &copied));
	KUNIT_EXPECT_EQ(test, copied, before + 1);
}

/* Remains of the last owner in slots that are not used yet. */
static void stale_slots_are_left_out(struct kunit *test)
{
	struct fake *f = machine(test, JTRACE_KIND_LARGE, 200);
	u32 k, slot, whole = 0;
	u64 copied, i;
	u8 *to = shot(f, &copied);

	for (k = 0; k < f->l.nr_chunks; k++) {
		for (slot = 0; slot < f->l.entries; slot++) {
			const u64 *e = jtrace_slot_at(&f->l, to, k, slot);
			u64 any = 0;

			for (i = 0; i < 8; i++)
				any |= e[i];
			whole += any != 0;
		}
	}
	KUNIT_EXPECT_EQ(test, whole, copied);
	fake_check_image(f, to);
}

/* The chunk's claim number is new, the rest of its header is old. */
static void chunk_in_mid_claim_is_left_out(struct kunit *test)
{
	struct fake *f = machine(test, JTRACE_KIND_LARGE, 200);
	struct jtrace_chunk_header *h;
	u64 copied, before;
	u32 k, i, held;
	__le64 was;
	u8 *to;

	shot(f, &before);
	for (k = 0; k < f->l.nr_chunks; k++) {
		h = (void *)jtrace_chunk_at(&f->l, f->img, k);
		was = h->claim;
		h->claim = cpu_to_le64(le64_to_cpu(was) + f->l.nr_chunks);
		to = shot(f, &copied);
		h->claim = was;
		for (i = 0, held = 0; i < f->nr; i++)
			held += f->event[i].index == k && fake_visible(f, i);
		KUNIT_EXPECT_EQ(test, copied, before - held);
		for (i = 0; i < 256; i++)
			KUNIT_ASSERT_EQ(test, ((u8 *)jtrace_chunk_at(&f->l, to, k))[i], 0);
		KUNIT_EXPECT_EQ(test, fake_recover(f, to), JTRACE_WHOLE);
		KUNIT_EXPECT_EQ(test, f->t.found, before - held);
	}
}

/* Clear before, and between two snapshots. */
static void cleared_stays_cleared(struct kunit *test)
{
	struct fake *f = machine(test, JTRACE_KIND_SMALL, 100);
	u64 copied;
	u8 *to;

	fake_clear(f);
	to = shot(f, &copied);
	fake_check_image(f, to);
	KUNIT_EXPECT_EQ(test, f->t.found, 0);
	fake_record(f, 2);
	to = shot(f, &copied);
	fake_check_image(f, to);
	KUNIT_EXPECT_EQ(test, f->t.found, 1);
}

/* Each event counts once, and later events are not there. */
static void ends_where_it_began(struct kunit *test)
{
	u32 before, more, form;

	for (before = 0; before < 300; before += 23) {
		for (more = 0; more < 200; more += 17) {
			struct fake *f;
			struct jtrace_cut cut;
			u64 cursors[8], copied, stored = 0, lost, gone;
			u32 i, shown = 0;

			form = (before + more) % FAKE_FORMS;
			f = machine(test, fake_form(form), before);
			f->rnd = more;
			cut = cut_now(f, cursors);
			for (i = 0; i < f->nr; i++)
				stored += fake_visible(f, i);
			for (i = 0; i < more; i++)
				fake_record_at(f, random_below(&f->rnd, 4), ++f->now);
			for (i = 0; i < before; i++)
				shown += fake_visible(f, i);
			/* A chunk that is left out is no damage. */
			fake_recover(f, shot_at(f, &cut, &copied));
			KUNIT_ASSERT_EQ(test, f->t.verdict, JTRACE_WHOLE);
			KUNIT_ASSERT_EQ(test, copied, shown);
			KUNIT_ASSERT_EQ(test, f->t.found, shown);
			lost = le64_to_cpu(f->h.counts.lost_in_snapshot);
			gone = le64_to_cpu(f->h.counts.overwritten);
			KUNIT_ASSERT_EQ(test, copied + lost + gone, stored);
			KUNIT_ASSERT_EQ(test, le64_to_cpu(f->h.counts.recorded), stored);
			/* A copy begins at the oldest of 16 chunks. */
			KUNIT_ASSERT_LE(test, gone, f->l.entries);
		}
	}
}

/* A chunk was closed, and no event recorded since. */
static void closed_chunks_come_along(struct kunit *test)
{
	u32 form, i;
	u64 copied;

	for (form = 0; form < FAKE_FORMS; form++) {
		struct fake *f = machine(test, fake_form(form), 10);

		for (i = 0; i < f->cpus; i++)
			jtrace_ring_close(&f->ring, &f->rc[i]);
		shot(f, &copied);
		KUNIT_EXPECT_EQ(test, copied, 10);
	}
}

static struct kunit_case snapshot_cases[] = {
	KUNIT_CASE(equals_the_live_image),
	KUNIT_CASE(both_headers_are_valid),
	KUNIT_CASE(sites_come_along),
	KUNIT_CASE(uncommitted_is_left_out),
	KUNIT_CASE(stale_slots_are_left_out),
	KUNIT_CASE(chunk_in_mid_claim_is_left_out),
	KUNIT_CASE(cleared_stays_cleared),
	KUNIT_CASE(ends_where_it_began),
	KUNIT_CASE(closed_chunks_come_along),
	{}
};

static struct kunit_suite jtrace_snapshot_suite = {
	.name = "jtrace_snapshot_test",
	.test_cases = snapshot_cases,
};

kunit_test_suite(jtrace_snapshot_suite);
