// SPDX-License-Identifier: GPL-2.0
/* From raw times and stamps to the time that is shown: exact, in order, at any distance. */
#include "helpers.h"

/* a * b / c, rounded down; exact, as a * b has 128 bits and the result fits. */
static u64 exact(u64 a, u64 b, u64 c)
{
	u64 high = 0, low = 0, rest = 0, q = 0;
	int i;

	for (i = 63; i >= 0; i--) {
		high = high << 1 | low >> 63;
		low <<= 1;
		if (b >> i & 1) {
			low += a;
			high += low < a;
		}
	}
	for (i = 127; i >= 0; i--) {
		bool carry = rest >> 63;

		rest = rest << 1 | ((i < 64 ? low >> i : high >> (i - 64)) & 1);
		q <<= 1;
		if (carry || rest >= c) {
			rest -= c;
			q |= 1;
		}
	}
	return q;
}

#define RATE_40NS	(40ULL << 32)
#define RATE_0_2NS	858993459ULL
#define RATE_3GHZ	1431655765ULL

static struct jtrace_trace *clock_new(struct kunit *test, u64 rate, u32 stamps)
{
	struct jtrace_trace *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->l.form = JTRACE_FORM_TICKS;
	t->header.rate = cpu_to_le64(rate);
	t->stamps.key = kunit_kcalloc(test, stamps, sizeof(*t->stamps.key), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t->stamps.key);
	return t;
}

static void stamp(struct jtrace_trace *t, u64 ticks, u64 ns)
{
	t->stamps.key[t->stamps.nr++] = (struct jtrace_key){ .time = ticks, .tie = ns };
}

static void exact_is_exact(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, exact(7, 9, 10), 6);
	KUNIT_EXPECT_EQ(test, exact(~0ULL, ~0ULL, ~0ULL), ~0ULL);
	KUNIT_EXPECT_EQ(test, exact(1ULL << 63, 6, 1ULL << 62), 12);
	KUNIT_EXPECT_EQ(test, exact(1000000007, 1000000009, 1000000007), 1000000009);
}

static void time_is_ns_already(struct kunit *test)
{
	struct jtrace_trace *t = clock_new(test, RATE_40NS, 1);

	KUNIT_EXPECT_EQ(test, jtrace_recover_ns(t, 12345), 12345);	/* no stamp at all */
	stamp(t, 1000, 5);
	t->l.form = 0;
	KUNIT_EXPECT_EQ(test, jtrace_recover_ns(t, 0), 0);
	KUNIT_EXPECT_EQ(test, jtrace_recover_ns(t, 1000), 1000);
	KUNIT_EXPECT_EQ(test, jtrace_recover_ns(t, ~0ULL), ~0ULL);
}

static void time_from_one_stamp(struct kunit *test)
{
	static const u64 rates[] = { RATE_40NS, RATE_0_2NS, RATE_3GHZ, 1ULL << 32, 1, 0 };
	const u64 at = 1ULL << 60, ns = 5000000000000000ULL;
	u64 ticks;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		struct jtrace_trace *t = clock_new(test, rates[i], 1);

		stamp(t, at, ns);
		KUNIT_EXPECT_EQ(test, jtrace_recover_ns(t, at), ns);
		for (ticks = 1; ticks < 1ULL << 45; ticks = ticks * 3 + 1) {
			u64 since = exact(ticks, rates[i], 1ULL << 32);

			KUNIT_EXPECT_EQ(test, jtrace_recover_ns(t, at + ticks), ns + since);
			KUNIT_EXPECT_EQ(test, jtrace_recover_ns(t, at - ticks), ns - since);
		}
	}
}

static void time_before_the_epoch(struct kunit *test)
{
	struct jtrace_trace *t = clock_new(test, RATE_40NS, 1);

	stamp(t, 1000, 100);
	KUNIT_EXPECT_EQ(test, jtrace_recover_ns(t, 998), 20);
	KUNIT_EXPECT_EQ(test, jtrace_recover_ns(t, 997), 0);
	KUNIT_EXPECT_EQ(test, jtrace_recover_ns(t, 0), 0);
}

static void check_between(struct kunit *test, u64 ticks, u64 span, u64 ns, u64 gap)
{
	struct jtrace_trace *t = clock_new(test, RATE_3GHZ, 2);
	u32 i;

	stamp(t, ticks, ns);
	stamp(t, ticks + span, ns + gap);
	for (i = 0; i <= 64; i++) {
		/* The points are close to both stamps, then everywhere. */
		u64 since = i < 16 ? span >> (16 - i) * 2 :
			    i > 48 ? span - (span >> (i - 48) * 2) : exact(span, i, 64);

		KUNIT_ASSERT_EQ_MSG(test, jtrace_recover_ns(t, ticks + since),
				    ns + exact(since, gap, span), "%llu of %llu, gap %llu",
				    (unsigned long long)since, (unsigned long long)span,
				    (unsigned long long)gap);
	}
	KUNIT_EXPECT_EQ(test, jtrace_recover_ns(t, ticks), ns);
	KUNIT_EXPECT_EQ(test, jtrace_recover_ns(t, ticks + span), ns + gap);
}

/* Up to a day between two stamps. */
static void time_between_stamps(struct kunit *test)
{
	u64 gap;

	for (gap = 1; gap < 86400000000000ULL; gap = gap * 7 + 3) {
		check_between(test, 1000, gap, 5, gap);
		check_between(test, 1ULL << 62, gap * 3, 1ULL << 61, gap);
		check_between(test, 1ULL << 62, gap * 5, 1ULL << 61, gap);
		check_between(test, 1, gap / 40 + 1, 1, gap);
	}
	check_between(test, 0ULL - 1000000, 999999, 77, 1000000);
	/* Where digits of 16 bits would not do any more. */
	for (gap = 46; gap < 62; gap++) {
		check_between(test, 1, (1ULL << gap) - 1, 1, ~0ULL >> 1);
		check_between(test, 1, 1ULL << gap, 1, ~0ULL >> 1);
	}
	/* More ticks than fit twice into 64 bits: halved first. */
	check_between(test, 0, 1ULL << 63, 0, 1ULL << 40);
}

static void time_near_the_end_of_ticks(struct kunit *test)
{
	struct jtrace_trace *t = clock_new(test, 1ULL << 32, 2);

	stamp(t, ~0ULL - 100, 1000);
	stamp(t, ~0ULL, 1200);
	KUNIT_EXPECT_EQ(test, jtrace_recover_ns(t, ~0ULL), 1200);
	KUNIT_EXPECT_EQ(test, jtrace_recover_ns(t, ~0ULL - 50), 1100);
	KUNIT_EXPECT_EQ(test, jtrace_recover_ns(t, ~0ULL - 101), 999);
}

/* Random stamps, random times in order: shown times are in order. */
static void time_is_monotone(struct kunit *test)
{
	u64 rnd = 42, ticks, ns, time, last, got;
	u32 i, k, run;

	for (run = 0; run < 200; run++) {
		struct jtrace_trace *t = clock_new(test, RATE_0_2NS << fake_below(&rnd, 9), 10);
		u32 spread = 5 + fake_below(&rnd, 40);

		for (i = 0, ticks = 1, ns = 1ULL << 40; i < 10; i++) {
			ticks += fake_random(&rnd) >> (64 - spread);
			ns += fake_random(&rnd) >> (64 - spread);
			stamp(t, ticks, ns);
		}
		for (k = 0, time = 0, last = 0; k < 200; k++) {
			got = jtrace_recover_ns(t, time);
			KUNIT_ASSERT_GE(test, got, last);
			last = got;
			time += fake_random(&rnd) >> (68 - spread);
		}
	}
}

/* So far from any stamp that the product overflows: in order all the same. */
static void time_is_monotone_far_off(struct kunit *test)
{
	static const u64 rates[] = { RATE_40NS, RATE_3GHZ, ~0ULL, 1ULL << 63 };
	u64 time, last;
	u32 i, bit;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		struct jtrace_trace *t = clock_new(test, rates[i], 1);

		stamp(t, 1ULL << 63, 1ULL << 62);
		for (bit = 63, last = 0; bit-- > 0; ) {
			time = jtrace_recover_ns(t, (1ULL << 63) - (1ULL << bit));
			KUNIT_EXPECT_GE_MSG(test, time, last, "rate %u bit -%u", i, bit);
			last = time;
		}
		for (bit = 0; bit < 63; bit++) {
			time = jtrace_recover_ns(t, (1ULL << 63) + (1ULL << bit));
			KUNIT_EXPECT_GE_MSG(test, time, last, "rate %u bit %u", i, bit);
			last = time;
		}
		KUNIT_EXPECT_GE(test, jtrace_recover_ns(t, ~0ULL), last);
	}
}

/* An image with ticks: a stamp from each chunk and one from the header. */
static struct fake *ticking(struct kunit *test)
{
	struct jtrace_layout l;
	struct fake *f;

	fake_layout(&l, 7, JTRACE_KIND_LARGE, 6);
	f = fake_new(test, &l, 1, true, 20);
	f->h.clock = JTRACE_CLOCK_TICKS;
	f->h.rate = cpu_to_le64(2ULL << 32);
	return f;
}

static void claim_at(struct fake *f, u64 ticks, u64 mono, u64 boot)
{
	struct jtrace_moment now = { .ticks = ticks, .mono = mono, .boot = boot };

	KUNIT_ASSERT_TRUE(f->test, jtrace_ring_claim(&f->ring, &f->rc[0], f->rc[0].cursor, &now,
						     true));
	jtrace_ring_close(&f->ring, &f->rc[0]);
}

static u64 ns_of(struct fake *f, u64 ticks)
{
	jtrace_header_write(f->img, &f->h);
	fake_recover(f, f->img);
	return jtrace_recover_ns(&f->t, ticks);
}

static void stamps_of_an_image(struct kunit *test)
{
	struct fake *f = ticking(test);

	KUNIT_EXPECT_EQ(test, ns_of(f, 4711), 4711);		/* none */
	claim_at(f, 1000, 5000, 105000);
	KUNIT_EXPECT_EQ(test, ns_of(f, 1010), 105020);		/* nominal rate */
	claim_at(f, 2000, 5500, 105500);
	KUNIT_EXPECT_EQ(test, ns_of(f, 1010), 105005);
	KUNIT_EXPECT_EQ(test, ns_of(f, 2010), 105520);
	f->h.stamp.ticks = cpu_to_le64(3000);
	f->h.stamp.mono = cpu_to_le64(15500);
	f->h.stamp.boot = cpu_to_le64(115500);
	KUNIT_EXPECT_EQ(test, ns_of(f, 2010), 105600);
	f->h.flags = cpu_to_le32(JTRACE_F_MONO);
	KUNIT_EXPECT_EQ(test, ns_of(f, 2010), 5600);
	KUNIT_EXPECT_EQ(test, ns_of(f, 1000), 5000);
	KUNIT_EXPECT_EQ(test, ns_of(f, 990), 4980);
	KUNIT_EXPECT_EQ(test, ns_of(f, 3001), 15502);
	KUNIT_EXPECT_EQ(test, f->t.stamps.nr, 3);
}

/* A stamp that would let time go back is left out. */
static void stamps_going_back(struct kunit *test)
{
	struct fake *f = ticking(test);

	claim_at(f, 1000, 0, 5000);
	claim_at(f, 2000, 0, 4999);
	claim_at(f, 3000, 0, 7000);
	claim_at(f, 4000, 0, 7000);
	KUNIT_EXPECT_EQ(test, ns_of(f, 2000), 6000);
	KUNIT_EXPECT_EQ(test, f->t.stamps.nr, 3);
	KUNIT_EXPECT_EQ(test, ns_of(f, 3500), 7000);
	KUNIT_EXPECT_EQ(test, ns_of(f, 4000), 7000);
	/* Two at one time. */
	claim_at(f, 4000, 0, 7600);
	KUNIT_EXPECT_EQ(test, ns_of(f, 3999), 6999 + 1);
	KUNIT_EXPECT_EQ(test, ns_of(f, 4000), 7600);
	KUNIT_EXPECT_EQ(test, ns_of(f, 4001), 7602);
}

/* "All zero means that no stamp was taken." */
static void stamps_not_taken(struct kunit *test)
{
	struct fake *f = ticking(test);

	claim_at(f, 0, 0, 0);
	claim_at(f, 1000000, 0, 5000000);
	KUNIT_EXPECT_EQ(test, ns_of(f, 999990), 5000000 - 20);
	KUNIT_EXPECT_EQ(test, f->t.stamps.nr, 1);
}

static struct kunit_case time_cases[] = {
	KUNIT_CASE(exact_is_exact),
	KUNIT_CASE(time_is_ns_already),
	KUNIT_CASE(time_from_one_stamp),
	KUNIT_CASE(time_before_the_epoch),
	KUNIT_CASE(time_between_stamps),
	KUNIT_CASE(time_near_the_end_of_ticks),
	KUNIT_CASE(time_is_monotone),
	KUNIT_CASE(time_is_monotone_far_off),
	KUNIT_CASE(stamps_of_an_image),
	KUNIT_CASE(stamps_going_back),
	KUNIT_CASE(stamps_not_taken),
	{}
};

static struct kunit_suite jtrace_time_suite = {
	.name = "jtrace_time_test",
	.test_cases = time_cases,
};

kunit_test_suite(jtrace_time_suite);
