// SPDX-License-Identifier: GPL-2.0
/*
 * What the check value of an entry detects: a change of each bit, of place, of image and of
 * claim, with and without the header of its chunk.  That of a chunk's header.
 */

#include "machines.h"

static void flip(u8 *at, u32 bit)
{
	at[bit / 8] ^= 1 << bit % 8;
}

static void flip_bits_of(struct fake *f, u32 n)
{
	const u32 seq = (f->l.entry_size - 4) * 8;
	u32 bit, all = visible(f);
	u8 *at = entry_at(f, n);

	for (bit = 0; bit < f->l.entry_size * 8; bit++) {
		flip(at, bit);
		KUNIT_ASSERT_EQ_MSG(f->test, shown(f), all - 1, "bit %u", bit);
		KUNIT_ASSERT_FALSE_MSG(f->test, f->seen[n], "bit %u", bit);
		if (bit < seq)
			expect_fault(f, JTRACE_FAULT_ENTRY, entry_offset(f, n));
		flip(at, bit);
	}
	KUNIT_ASSERT_EQ(f->test, shown(f), all);
}

static void any_bit_of_an_entry(struct kunit *test)
{
	u32 i, which;

	for (i = 0; i < SHAPES; i++) {
		struct fake *f = shape(test, i);

		fake_check(f);
		for (which = 0; which < (i < 8 ? 3 : 1); which++)
			flip_bits_of(f, some_event(f, which));
	}
}

/*
 * The header of its chunk is lost, too, so the CPU comes from the entries.  The damaged entry is
 * not shown, and the others are.
 */
static void any_bit_without_header(struct kunit *test)
{
	u32 i, which, bit, all;
	u8 *header, was[64];

	for (i = 0; i < SHAPES; i++) {
		struct fake *f = shape(test, i);

		all = visible(f);
		for (which = 0; which < 3; which++) {
			u32 n = some_event(f, which);
			u8 *at = entry_at(f, n);

			header = (u8 *)jtrace_chunk_at(&f->l, f->img, f->event[n].index);
			memcpy(was, header, sizeof(was));
			memset(header, 0, sizeof(was));
			KUNIT_ASSERT_EQ(test, shown(f), all);
			for (bit = 0; bit < f->l.entry_size * 8; bit += 1 + i / 8) {
				flip(at, bit);
				shown(f);
				KUNIT_EXPECT_GE_MSG(test, f->t.found, all - 1,
						    "shape %u bit %u", i, bit);
				KUNIT_EXPECT_FALSE_MSG(test, f->seen[n], "shape %u bit %u", i,
						       bit);
				flip(at, bit);
			}
			memcpy(header, was, sizeof(was));
		}
	}
}

/* Copy an event to the slot of another one, with or without the sequence. */
static void move_entry(struct fake *f, u32 from, u32 to, bool keep_seq)
{
	u32 all = visible(f) - 1;
	u8 was[64], *at = entry_at(f, to);

	if (from == to)
		return;
	memcpy(was, at, f->l.entry_size);
	memcpy(at, entry_at(f, from), f->l.entry_size - (keep_seq ? 4 : 0));
	KUNIT_ASSERT_EQ(f->test, shown(f), all);
	KUNIT_ASSERT_FALSE(f->test, f->seen[to]);
	KUNIT_ASSERT_TRUE(f->test, f->seen[from]);
	if (keep_seq || f->event[from].claim == f->event[to].claim)
		expect_fault(f, JTRACE_FAULT_ENTRY, entry_offset(f, to));
	memcpy(at, was, f->l.entry_size);
}

static void entry_in_another_place(struct kunit *test)
{
	u32 i, from, k;

	for (i = 2; i < 8; i++) {
		struct fake *f = shape(test, i);

		for (k = 0; k < 3; k++) {
			u32 to = some_event(f, k);

			for (from = 0; from < f->nr; from++) {
				if (!fake_visible(f, from))
					continue;
				move_entry(f, from, to, false);
				move_entry(f, from, to, true);
			}
		}
	}
}

/* A whole entry in its place, but of another image, CPU or claim. */
static void entry_of_another_image(struct kunit *test)
{
	u32 i, n;

	for (i = 0; i < SHAPES; i++) {
		struct fake *f = shape(test, i);
		u32 all = visible(f);

		for (n = f->nr - 3; n < f->nr; n++) {
			const struct fake_event *e = &f->event[n];
			u32 place = jtrace_entry_place(&f->l, e->index, e->slot);
			u8 was[64];
			u64 seq;

			memcpy(was, entry_at(f, n), f->l.entry_size);
			f->ring.key = jtrace_check_key(FAKE_ID ^ (1ULL << n % 64));
			fake_fill(f, n, e->claim << 32 | place);
			f->ring.key = jtrace_check_key(FAKE_ID);
			KUNIT_EXPECT_EQ(test, shown(f), all - 1);
			KUNIT_EXPECT_FALSE(test, f->seen[n]);
			expect_fault(f, JTRACE_FAULT_ENTRY, entry_offset(f, n));

			/* Another CPU than in the chunk's header. */
			f->event[n].cpu ^= 1;
			fake_fill(f, n, e->claim << 32 | place);
			f->event[n].cpu ^= 1;
			KUNIT_EXPECT_EQ(test, shown(f), all - 1);
			expect_fault(f, JTRACE_FAULT_ENTRY, entry_offset(f, n));

			/* Of the previous lap: ignored. */
			seq = e->claim - CHUNKS;
			fake_fill(f, n, seq << 32 | place);
			KUNIT_EXPECT_EQ(test, shown(f), all - 1);
			KUNIT_EXPECT_EQ(test, f->t.verdict, JTRACE_WHOLE);

			/* Only its sequence is new, as if the other stores were lost. */
			memcpy(entry_at(f, n) + f->l.entry_size - 4, was + f->l.entry_size - 4, 4);
			KUNIT_EXPECT_EQ(test, shown(f), all - 1);
			expect_fault(f, JTRACE_FAULT_ENTRY, entry_offset(f, n));
			memcpy(entry_at(f, n), was, f->l.entry_size);
			KUNIT_EXPECT_EQ(test, shown(f), all);
		}
	}
}

/* Does a slot pass for an entry, under the claim in its sequence? */
static bool accepted(const struct fake *f, u32 index, u32 slot, u32 cpu)
{
	const void *at = jtrace_slot_at(&f->l, f->img, index, slot);
	struct jtrace_chunk c = { .index = index, .cpu = cpu, .rescued = true };
	struct jtrace_decoded ev;

	c.claim = le32_to_cpu(*jtrace_slot_seq(&f->l, at));
	return jtrace_entry_read(&f->l, f->img, FAKE_ID, &c, slot, &ev);
}

/* Flip a second bit beside @a. */
static void flip_another(struct fake *f, u32 n, u32 a)
{
	const struct fake_event *e = &f->event[n];
	u8 *at = entry_at(f, n);
	u32 b;

	for (b = 0; b < a; b++) {
		flip(at, b);
		KUNIT_EXPECT_FALSE_MSG(f->test, accepted(f, e->index, e->slot, e->cpu),
				       "bits %u and %u", a, b);
		flip(at, b);
	}
}

/* Or move it to another place. */
static void move_flipped(struct fake *f, u32 n, u32 bit)
{
	const u8 *at = entry_at(f, n);
	u32 index, slot;

	for (index = 0; index < CHUNKS; index++) {
		for (slot = 0; slot < f->l.entries; slot++) {
			u8 *to = (u8 *)jtrace_slot_at(&f->l, f->img, index, slot);

			if (to == at)
				continue;
			memcpy(to, at, f->l.entry_size);
			KUNIT_EXPECT_FALSE_MSG(f->test, accepted(f, index, slot, f->event[n].cpu),
					       "bit %u, chunk %u, slot %u", bit, index, slot);
		}
	}
}

/* Flip any two bits of an entry, or one bit and its place; trust its sequence. */
static void two_at_once(struct kunit *test)
{
	u32 kind, bit;

	for (kind = JTRACE_KIND_SMALL; kind <= JTRACE_KIND_LARGE; kind++) {
		struct fake *f = machine(test, kind, 8, 60);
		u32 n = f->nr - 1;

		KUNIT_ASSERT_TRUE(test, accepted(f, f->event[n].index, f->event[n].slot,
						 f->event[n].cpu));
		for (bit = 0; bit < f->l.entry_size * 8; bit++) {
			flip(entry_at(f, n), bit);
			flip_another(f, n, bit);
			move_flipped(f, n, bit);
			flip(entry_at(f, n), bit);
		}
	}
}

/* Flip one bit of a chunk's header. */
static void chunk_bit_flips_are_refused(struct kunit *test)
{
	struct jtrace_layout l;
	struct jtrace_chunk c;
	struct fake *f;
	u32 bit, index;
	u8 *at;

	fake_layout(&l, 8, JTRACE_KIND_LARGE, 4);
	f = fake_new(test, &l, 1, false, 1);
	fake_record(f, 0);
	index = f->cpu[0].open;
	at = (u8 *)jtrace_chunk_at(&l, f->img, index);
	for (bit = 0; bit < 64 * 8; bit++) {
		at[bit / 8] ^= 1 << bit % 8;
		KUNIT_EXPECT_FALSE_MSG(test, jtrace_chunk_read(&l, f->img, FAKE_ID, index, &c),
				       "bit %u", bit);
		at[bit / 8] ^= 1 << bit % 8;
	}
	KUNIT_EXPECT_TRUE(test, jtrace_chunk_read(&l, f->img, FAKE_ID, index, &c));
	/* Of another image, or in another place. */
	KUNIT_EXPECT_FALSE(test, jtrace_chunk_read(&l, f->img, FAKE_ID + 1, index, &c));
	memcpy((void *)jtrace_chunk_at(&l, f->img, (index + 1) % 4), at, 256);
	KUNIT_EXPECT_FALSE(test, jtrace_chunk_read(&l, f->img, FAKE_ID, (index + 1) % 4, &c));
}

static struct kunit_case check_cases[] = {
	KUNIT_CASE(chunk_bit_flips_are_refused),
	KUNIT_CASE(any_bit_of_an_entry),
	KUNIT_CASE(any_bit_without_header),
	KUNIT_CASE(entry_in_another_place),
	KUNIT_CASE(entry_of_another_image),
	KUNIT_CASE(two_at_once),
	{}
};

static struct kunit_suite jtrace_check_suite = {
	.name = "jtrace_check_test",
	.test_cases = check_cases,
};

kunit_test_suite(jtrace_check_suite);
