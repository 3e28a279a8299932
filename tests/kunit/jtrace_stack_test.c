// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks: each distinct one has one record, and a number tells what was stored, or nothing; in a
 * full area, and with damaged records, too.
 */

#include "../../lib/image/snapshot.h"
#include "../../lib/image/stack.h"
#include "helpers.h"

#define TEXT	0xffffffff81000000ULL

struct area {
	struct kunit *test;
	struct jtrace_layout l;
	struct jtrace_image_header h;
	struct jtrace_stacks s;
	u8 *img;
};

static struct area *area_new(struct kunit *test, u32 bytes)
{
	struct area *a = kunit_kzalloc(test, sizeof(*a), GFP_KERNEL);
	void *room;

	KUNIT_ASSERT_NOT_NULL(test, a);
	a->test = test;
	fake_layout(&a->l, 8, JTRACE_KIND_LARGE, 3);
	jtrace_layout_add_stacks(&a->l, bytes);
	jtrace_header_init(&a->h, &a->l, FAKE_ID);
	a->h.text = cpu_to_le64(TEXT);
	a->img = kunit_kzalloc(test, a->l.size, GFP_KERNEL);
	room = kunit_kzalloc(test, jtrace_stacks_room(&a->l), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, a->img);
	KUNIT_ASSERT_NOT_NULL(test, room);
	jtrace_stacks_init(&a->s, &a->l, a->img, FAKE_ID, TEXT, room, false);
	return a;
}

/* Store the stack of @nr frames that @seed stands for. */
static u32 store(struct area *a, u64 seed, u32 nr, u8 flags)
{
	union jtrace_stack_buffer rec;
	u32 i;

	/* What an interrupted function left there. */
	memset(&rec, 0xa5, sizeof(rec));
	jtrace_stack_begin(&rec);
	for (i = 0; i < nr; i++)
		jtrace_stack_add(&rec, TEXT, TEXT + 16 * (seed * 7919 + i), (seed + i) % 3 == 0);
	rec.r.flags |= flags;
	return jtrace_stack_intern(&a->s, &rec);
}

/* Is it that stack? */
static bool is_stack(struct area *a, u32 number, u64 seed, u32 nr, u8 flags)
{
	struct jtrace_stack s;
	u32 i;

	if (!jtrace_stack_read(&a->l, a->img, FAKE_ID, number, &s) || s.nr != nr ||
	    s.cut != !!(flags & JTRACE_STACK_CUT) || s.broken != !!(flags & JTRACE_STACK_BROKEN))
		return false;
	for (i = 0; i < nr; i++)
		if (jtrace_frame_address(&a->h, s.frame[i]) != TEXT + 16 * (seed * 7919 + i) ||
		    (s.exact >> i & 1) != ((seed + i) % 3 == 0))
			return false;
	return true;
}

static void one_record_each(struct kunit *test)
{
	struct area *a = area_new(test, 65536);
	u32 number[100], i, nr;

	for (i = 0; i < ARRAY_SIZE(number); i++)
		number[i] = store(a, i, i % (JTRACE_STACK_MAX + 1), i % 4);
	for (i = 0; i < ARRAY_SIZE(number); i++) {
		nr = i % (JTRACE_STACK_MAX + 1);
		KUNIT_EXPECT_NE(test, number[i], 0);
		KUNIT_EXPECT_EQ(test, store(a, i, nr, i % 4), number[i]);
		KUNIT_EXPECT_TRUE(test, is_stack(a, number[i], i, nr, i % 4));
	}
	/* Those without frames differ by their flags only. */
	KUNIT_EXPECT_EQ(test, atomic64_read(&a->s.stored), ARRAY_SIZE(number));
	KUNIT_EXPECT_EQ(test, atomic64_read(&a->s.unstored), 0);
}

/* A stack is another one if it goes on, or is shorter, or if a frame is no return address. */
static void what_differs(struct kunit *test)
{
	struct area *a = area_new(test, 4096);
	const u32 first = store(a, 1, 8, 0);

	KUNIT_EXPECT_NE(test, store(a, 1, 8, JTRACE_STACK_CUT), first);
	KUNIT_EXPECT_NE(test, store(a, 1, 8, JTRACE_STACK_BROKEN), first);
	KUNIT_EXPECT_NE(test, store(a, 1, 7, 0), first);
	KUNIT_EXPECT_NE(test, store(a, 1, 9, 0), first);
	KUNIT_EXPECT_NE(test, store(a, 2, 8, 0), first);
	KUNIT_EXPECT_EQ(test, store(a, 1, 8, 0), first);
	KUNIT_EXPECT_EQ(test, atomic64_read(&a->s.stored), 6);
}

static void far_address(struct kunit *test)
{
	static const s64 far[] = { 1LL << 31, -(1LL << 31) - 1, 1LL << 40, -(1LL << 31) };
	struct area *a = area_new(test, 4096);
	union jtrace_stack_buffer rec;
	struct jtrace_stack s;
	u32 i, number;

	jtrace_stack_begin(&rec);
	for (i = 0; i < ARRAY_SIZE(far); i++)
		jtrace_stack_add(&rec, TEXT, TEXT + far[i], false);
	jtrace_stack_add(&rec, TEXT, TEXT - 0x1000, false);
	number = jtrace_stack_intern(&a->s, &rec);
	KUNIT_ASSERT_TRUE(test, jtrace_stack_read(&a->l, a->img, FAKE_ID, number, &s));
	for (i = 0; i < ARRAY_SIZE(far); i++)
		KUNIT_EXPECT_EQ(test, jtrace_frame_address(&a->h, s.frame[i]), 0);
	KUNIT_EXPECT_EQ(test, jtrace_frame_address(&a->h, s.frame[i]), TEXT - 0x1000);
	/* Without the address of the text none is known. */
	a->h.text = 0;
	KUNIT_EXPECT_EQ(test, jtrace_frame_address(&a->h, s.frame[i]), 0);
}

/* A frame that was taken back leaves no trace. */
static void drop(struct kunit *test)
{
	struct area *a = area_new(test, 4096);
	union jtrace_stack_buffer rec;
	u32 i;

	jtrace_stack_begin(&rec);
	for (i = 0; i < 6; i++)
		jtrace_stack_add(&rec, TEXT, TEXT + 16 * (3 * 7919 + i), (3 + i) % 3 == 0);
	jtrace_stack_add(&rec, TEXT, TEXT, true);
	jtrace_stack_drop(&rec);
	KUNIT_EXPECT_EQ(test, jtrace_stack_intern(&a->s, &rec), store(a, 3, 6, 0));
	jtrace_stack_begin(&rec);
	jtrace_stack_drop(&rec);
	KUNIT_EXPECT_EQ(test, jtrace_stack_intern(&a->s, &rec), store(a, 9, 0, 0));
}

/* What finds no room is counted; what is there is found, and no record is touched. */
static void full(struct kunit *test)
{
	struct area *a = area_new(test, 8192);
	u32 number[200], i, stored = 0;

	for (i = 0; i < ARRAY_SIZE(number); i++) {
		number[i] = store(a, i, 16, 0);
		stored += !!number[i];
	}
	/* 96 bytes each; none crosses a page. */
	KUNIT_EXPECT_GE(test, stored, 8192 / 96 - 3);
	KUNIT_EXPECT_LE(test, stored, 8192 / 96);
	KUNIT_EXPECT_EQ(test, atomic64_read(&a->s.stored), stored);
	KUNIT_EXPECT_EQ(test, atomic64_read(&a->s.unstored), ARRAY_SIZE(number) - stored);
	for (i = 0; i < ARRAY_SIZE(number); i++) {
		KUNIT_EXPECT_EQ(test, store(a, i, 16, 0), number[i]);
		if (!number[i])
			continue;
		KUNIT_EXPECT_TRUE(test, is_stack(a, number[i], i, 16, 0));
		KUNIT_EXPECT_EQ(test, number[i] * JTRACE_GRANULE / JTRACE_PAGE,
				(number[i] * JTRACE_GRANULE + 95) / JTRACE_PAGE);
	}
}

static void no_area(struct kunit *test)
{
	struct area *a = area_new(test, 4096);

	jtrace_stacks_init(&a->s, &a->l, a->img, FAKE_ID, 0, NULL, false);
	KUNIT_EXPECT_EQ(test, store(a, 1, 4, 0), 0);
	a->l.stacks_size = 0;
	KUNIT_EXPECT_EQ(test, jtrace_stacks_room(&a->l), 0);
	jtrace_stacks_init(&a->s, &a->l, a->img, FAKE_ID, TEXT, NULL, false);
	KUNIT_EXPECT_EQ(test, store(a, 1, 4, 0), 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&a->s.unstored), 1);
}

/* Each bit of a record; its bytes at another place, and in another image. */
static void damaged(struct kunit *test)
{
	struct area *a = area_new(test, 4096);
	const u32 number = store(a, 5, 5, 0), other = store(a, 6, 5, 0);
	u8 *at = a->img + number * JTRACE_GRANULE;
	struct jtrace_stack s;
	u32 bit, place;
	u64 id;

	for (bit = 0; bit < (sizeof(struct jtrace_stack_record) + 5 * 4) * 8; bit++) {
		at[bit / 8] ^= 1 << bit % 8;
		KUNIT_EXPECT_FALSE(test, jtrace_stack_read(&a->l, a->img, FAKE_ID, number, &s));
		at[bit / 8] ^= 1 << bit % 8;
	}
	KUNIT_EXPECT_TRUE(test, is_stack(a, number, 5, 5, 0));
	KUNIT_EXPECT_FALSE(test, jtrace_stack_read(&a->l, a->img, FAKE_ID + 1, number, &s));
	KUNIT_EXPECT_EQ(test, jtrace_stack_parse(at, 56, &id, &place), 56);
	KUNIT_EXPECT_EQ(test, id, FAKE_ID);
	KUNIT_EXPECT_EQ(test, place, number);
	KUNIT_EXPECT_EQ(test, jtrace_stack_parse(at, 48, &id, &place), 0);
	memcpy(at, a->img + other * JTRACE_GRANULE, 56);
	KUNIT_EXPECT_FALSE(test, jtrace_stack_read(&a->l, a->img, FAKE_ID, number, &s));
	/* The writer finds no such record any more, and stores the stack anew. */
	KUNIT_EXPECT_NE(test, store(a, 5, 5, 0), number);
}

/* Any number: no access beyond the area (the sanitizers of the user space build look). */
static void any_number(struct kunit *test)
{
	struct area *a = area_new(test, 4096);
	const u32 number = store(a, 5, 5, 0);
	struct jtrace_stack s;
	u64 i;

	for (i = 0; i <= 2 * a->l.size / JTRACE_GRANULE; i++)
		KUNIT_EXPECT_EQ(test, jtrace_stack_read(&a->l, a->img, FAKE_ID, i, &s),
				i == number);
	KUNIT_EXPECT_FALSE(test, jtrace_stack_read(&a->l, a->img, FAKE_ID, ~0U, &s));
}

static void in_the_layout(struct kunit *test)
{
	struct area *a = area_new(test, 4096);
	const u32 number = store(a, 5, 5, 0);
	struct jtrace_cut cut = { .claims = 0 };
	struct jtrace_image_header h;
	struct jtrace_stack s;
	struct jtrace_layout l;
	u8 *copy;

	jtrace_header_write(a->img, &a->h);
	KUNIT_EXPECT_EQ(test, jtrace_header_read(a->img, a->l.size, a->l.size, &h, &l),
			JTRACE_HEADER_OK);
	KUNIT_EXPECT_EQ(test, l.stacks_off, a->l.stacks_off);
	KUNIT_EXPECT_EQ(test, l.stacks_size, 4096);
	/* Cut in the area: what is there is read. */
	KUNIT_EXPECT_EQ(test, jtrace_header_read(a->img, a->l.size, l.stacks_off + 64, &h, &l),
			JTRACE_HEADER_CUT);
	KUNIT_EXPECT_EQ(test, l.stacks_size, 64);
	KUNIT_EXPECT_TRUE(test, jtrace_stack_read(&l, a->img, FAKE_ID, number, &s));
	/* A snapshot has them. */
	copy = kunit_kzalloc(test, a->l.size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, copy);
	jtrace_snapshot(&a->l, a->img, &a->h, &cut, copy);
	KUNIT_EXPECT_TRUE(test, jtrace_stack_read(&a->l, copy, FAKE_ID, number, &s));
	/* It overlaps another area. */
	h.area[4].off = cpu_to_le32(a->l.sites_off);
	jtrace_header_write(a->img, &h);
	KUNIT_EXPECT_EQ(test, jtrace_header_read(a->img, a->l.size, a->l.size, &h, &l),
			JTRACE_HEADER_OK);
	KUNIT_EXPECT_EQ(test, l.stacks_size, 0);
}

static struct kunit_case stack_cases[] = {
	KUNIT_CASE(one_record_each),
	KUNIT_CASE(what_differs),
	KUNIT_CASE(far_address),
	KUNIT_CASE(drop),
	KUNIT_CASE(full),
	KUNIT_CASE(no_area),
	KUNIT_CASE(damaged),
	KUNIT_CASE(any_number),
	KUNIT_CASE(in_the_layout),
	{}
};

static struct kunit_suite jtrace_stack_suite = {
	.name = "jtrace_stack_test",
	.test_cases = stack_cases,
};

kunit_test_suite(jtrace_stack_suite);
