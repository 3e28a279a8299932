// SPDX-License-Identifier: GPL-2.0
/* Converting raw times by stamps: exact, in order, at any distance. */
#include "helpers.h"
#include "../../lib/read/render.h"

/* a * b / c, rounded down; exact: a * b has 128 bits, and the result fits. */
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
	/* Too large for digits of 16 bits. */
	for (gap = 46; gap < 62; gap++) {
		check_between(test, 1, (1ULL << gap) - 1, 1, ~0ULL >> 1);
		check_between(test, 1, 1ULL << gap, 1, ~0ULL >> 1);
	}
	/* So many ticks that they are halved first. */
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

/* Random stamps, and random times in order: shown times are in order. */
static void time_is_monotone(struct kunit *test)
{
	u64 rnd = 42, ticks, ns, time, last, got;
	u32 i, k, run;

	for (run = 0; run < 200; run++) {
		struct jtrace_trace *t = clock_new(test, RATE_0_2NS << random_below(&rnd, 9), 10);
		u32 spread = 5 + random_below(&rnd, 40);

		for (i = 0, ticks = 1, ns = 1ULL << 40; i < 10; i++) {
			ticks += random_next(&rnd) >> (64 - spread);
			ns += random_next(&rnd) >> (64 - spread);
			stamp(t, ticks, ns);
		}
		for (k = 0, time = 0, last = 0; k < 200; k++) {
			got = jtrace_recover_ns(t, time);
			KUNIT_ASSERT_GE(test, got, last);
			last = got;
			time += random_next(&rnd) >> (68 - spread);
		}
	}
}

/* So far from any stamp that the product overflows, times are still in order. */
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
	f->h.incompat = cpu_to_le32(JTRACE_INCOMPAT_MONO);
	KUNIT_EXPECT_EQ(test, ns_of(f, 2010), 5600);
	KUNIT_EXPECT_EQ(test, ns_of(f, 1000), 5000);
	KUNIT_EXPECT_EQ(test, ns_of(f, 990), 4980);
	KUNIT_EXPECT_EQ(test, ns_of(f, 3001), 15502);
	KUNIT_EXPECT_EQ(test, f->t.stamps.nr, 3);
}

/* A stamp that would make time go back is left out. */
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
	/* Two stamps at one time. */
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

/* ---- A counter that does not run evenly ------------------------------- */

#define SEC	1000000000ULL
#define MSEC	1000000ULL

/* A tick is a nanosecond. */
static struct fake *counter_new(struct kunit *test)
{
	struct jtrace_layout l;
	struct fake *f;

	fake_layout(&l, 9, JTRACE_KIND_LARGE | JTRACE_FORM_TICKS, 10);
	f = fake_new(test, &l, 2, true, 300);
	f->now = 100 * SEC;
	return f;
}

static void count_events(struct fake *f, u32 nr, u64 step)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		f->now += step;
		fake_record_at(f, i & 1, f->now + f->ahead);
	}
}

static u64 astray(struct fake *f)
{
	KUNIT_ASSERT_EQ(f->test, fake_recover(f, f->img), JTRACE_WHOLE);
	return f->t.astray;
}

/* @off: how far the stamps contradict each other, as in the text. */
static void expect_astray(struct fake *f, u64 off)
{
	char line[160], want[160];
	u64 got = astray(f);

	KUNIT_EXPECT_GE(f->test, got, off);
	KUNIT_EXPECT_LT(f->test, got, off + SEC);
	snprintf(want, sizeof(want),
		 "JTRACE: The clock jumped, by up to %llu.%03llu s: times and the order of entries may be wrong",
		 (unsigned long long)(got / SEC), (unsigned long long)(got / MSEC % 1000));
	fake_line(&f->t, 1, line, sizeof(line));
	KUNIT_EXPECT_STREQ(f->test, (const char *)line, (const char *)want);
}

static void counter_runs_evenly(struct kunit *test)
{
	struct fake *f = counter_new(test);
	u32 i;

	for (i = 0; i < 12; i++) {
		count_events(f, 20, 1ULL << (i * 4 % 38));
		KUNIT_EXPECT_EQ(test, astray(f), 0);
		f->ahead += 800 * MSEC;	/* it is read between two other things */
	}
}

/* The rate that was measured at boot is slightly wrong. */
static void counter_runs_slower(struct kunit *test)
{
	struct fake *f = counter_new(test);
	u32 i;

	for (i = 0; i < 100; i++) {
		count_events(f, 1, SEC);
		f->ahead -= SEC / 20;
	}
	KUNIT_EXPECT_EQ(test, astray(f), 0);
}

/* In a suspend the counter continues, stops, or is late. */
static void counter_sleeps(struct kunit *test)
{
	struct fake *f = counter_new(test);
	u32 i;

	for (i = 0; i < 3; i++) {
		count_events(f, 60, MSEC);
		f->slept += 3600 * SEC;
		f->ahead += 1800 * SEC * i;
	}
	KUNIT_EXPECT_EQ(test, astray(f), 0);
}

/* The kernel measures a suspend by a clock that counts seconds. */
static void counter_sleeps_shortly(struct kunit *test)
{
	struct fake *f = counter_new(test);

	count_events(f, 60, MSEC);
	f->slept += 2 * SEC;
	f->ahead += 3 * SEC + 200 * MSEC;
	count_events(f, 60, MSEC);
	KUNIT_EXPECT_EQ(test, astray(f), 0);
}

static void counter_jumps(struct kunit *test)
{
	static const u64 jumps[] = { 2 * SEC, 0 - 2 * SEC, 5000 * SEC, 0 - 90 * SEC };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(jumps); i++) {
		struct fake *f = counter_new(test);
		u64 off = min(jumps[i], 0 - jumps[i]);

		count_events(f, 20, MSEC);
		f->ahead += jumps[i];
		count_events(f, 30, MSEC);
		expect_astray(f, off - MSEC);
		/* Overwritten: shown times are right. */
		count_events(f, 150, MSEC);
		KUNIT_EXPECT_EQ(test, astray(f), 0);
	}
}

/* No stamp follows the jump: the events of one CPU contradict each other. */
static void counter_jumps_back_in_a_chunk(struct kunit *test)
{
	struct fake *f = counter_new(test);

	count_events(f, 4, MSEC);
	KUNIT_EXPECT_EQ(test, astray(f), 0);
	f->ahead -= 7 * SEC;
	count_events(f, 2, MSEC);
	expect_astray(f, 7 * SEC - 2 * MSEC);
}

/* The header of a snapshot, or of a panic, is the last stamp. */
static void counter_jumps_at_the_end(struct kunit *test)
{
	struct fake *f = counter_new(test);

	count_events(f, 4, MSEC);
	f->now += MSEC;
	f->h.stamp.mono = cpu_to_le64(f->now);
	f->h.stamp.boot = cpu_to_le64(f->now);
	f->h.stamp.ticks = cpu_to_le64(f->now + 7 * SEC);
	jtrace_header_write(f->img, &f->h);
	expect_astray(f, 7 * SEC - MSEC);
}

static void counters_of_cpus_differ(struct kunit *test)
{
	struct fake *f = counter_new(test);
	u32 i;

	for (i = 0; i < 40; i++) {
		f->now += MSEC;
		f->ahead = i & 1 ? 3 * SEC : 0;
		fake_record_at(f, i & 1, f->now + f->ahead);
	}
	expect_astray(f, 3 * SEC - MSEC);
}

/* The kernel's clock loses ticks in early boot, the counter does not. */
static void counter_of_early_boot(struct kunit *test)
{
	struct fake *f = counter_new(test);

	f->now = MSEC;
	count_events(f, 20, MSEC);
	f->ahead += SEC / 2;
	f->now += SEC;
	count_events(f, 20, MSEC);
	KUNIT_EXPECT_EQ(test, astray(f), 0);
}

/* Any values in a damaged header. */
static void clocks_far_apart(struct kunit *test)
{
	struct fake *f = counter_new(test);

	count_events(f, 20, MSEC);
	f->h.stamp.mono = cpu_to_le64(f->now + (1ULL << 63) - 1);
	f->h.stamp.boot = cpu_to_le64(f->now + 1);
	f->h.stamp.ticks = cpu_to_le64(f->now + 2);
	jtrace_header_write(f->img, &f->h);
	KUNIT_EXPECT_EQ(test, astray(f), 0);
	f->h.stamp.mono = cpu_to_le64(f->now - (1ULL << 63) + SEC);
	jtrace_header_write(f->img, &f->h);
	KUNIT_EXPECT_EQ(test, astray(f), 0);
}

/* Raw times are ns of the clock. */
static void no_counter(struct kunit *test)
{
	struct fake *f = counter_new(test);

	f->h.clock = JTRACE_CLOCK_NS;
	jtrace_header_write(f->img, &f->h);
	count_events(f, 20, MSEC);
	f->ahead += 50 * SEC;
	count_events(f, 20, MSEC);
	KUNIT_EXPECT_EQ(test, astray(f), 0);
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
	KUNIT_CASE(counter_runs_evenly),
	KUNIT_CASE(counter_runs_slower),
	KUNIT_CASE(counter_sleeps),
	KUNIT_CASE(counter_sleeps_shortly),
	KUNIT_CASE(counter_jumps),
	KUNIT_CASE(counter_jumps_back_in_a_chunk),
	KUNIT_CASE(counter_jumps_at_the_end),
	KUNIT_CASE(counters_of_cpus_differ),
	KUNIT_CASE(counter_of_early_boot),
	KUNIT_CASE(clocks_far_apart),
	KUNIT_CASE(no_counter),
	{}
};

static struct kunit_suite jtrace_time_suite = {
	.name = "jtrace_time_test",
	.test_cases = time_cases,
};

kunit_test_suite(jtrace_time_suite);
