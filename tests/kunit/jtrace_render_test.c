// SPDX-License-Identifier: GPL-2.0
/*
 * The text of a trace, byte for byte as people and scripts know it, with any content and any
 * buffer size.
 */

#include "helpers.h"
#include "../../lib/read/render.h"

static struct fake *page_new(struct kunit *test, u8 kind)
{
	struct jtrace_layout l;
	struct fake *f;

	fake_layout(&l, 9, kind, 8);
	f = fake_new(test, &l, 3, true, 1);
	f->h.last_cpus = 0;
	jtrace_header_write(f->img, &f->h);
	return f;
}

/* Record an event with given words, for which helpers.h has no model. */
static void put(struct fake *f, u32 cpu, u64 time, u32 site, const struct jtrace_decoded *ev)
{
	struct jtrace_moment now = { .ticks = time, .mono = time, .boot = time };
	struct jtrace_ring_cpu *rc = &f->rc[cpu];
	u64 cursor = rc->cursor;

	if (jtrace_ring_full(&f->ring, cursor)) {
		KUNIT_ASSERT_TRUE(f->test, jtrace_ring_claim(&f->ring, rc, cursor, &now, true));
		cursor = rc->cursor;
	}
	KUNIT_ASSERT_TRUE(f->test, jtrace_ring_reserve(&f->ring, rc, cursor));
	if (f->l.kind == JTRACE_KIND_SMALL)
		jtrace_ring_fill_small(&f->ring, cursor, time, site, cpu, ev->arg[0]);
	else
		jtrace_ring_fill_large(&f->ring, cursor, time, site, ev->tid,
				       (ev->cpu ? ev->cpu : cpu) | ev->context << 16,
				       ev->arg[0] | (u64)ev->arg[1] << 32,
				       ev->arg[2] | (u64)ev->arg[3] << 32,
				       ev->wide[0], ev->wide[1]);
}

static void put_small(struct fake *f, u32 cpu, u64 time, u32 site, u32 a)
{
	struct jtrace_decoded ev = { .arg[0] = a };

	put(f, cpu, time, site, &ev);
}

static struct jtrace_text *text_new(struct fake *f)
{
	struct jtrace_text *text = kunit_kzalloc(f->test, sizeof(*text), GFP_KERNEL);
	/* Together with other readers. */
	void *heap = kunit_kzalloc(f->test, jtrace_walk_room(&f->t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(f->test, text);
	KUNIT_ASSERT_NOT_NULL(f->test, heap);
	jtrace_text_open(text, &f->t, heap);
	return text;
}

/* Compare all lines, twice: the second time from the cache. */
static void expect_text(struct fake *f, const char * const *line, u32 nr)
{
	const u64 beyond[] = { nr, nr + 1, nr + 2, 1ULL << 32, ~0ULL };
	char *buf = kunit_kzalloc(f->test, JTRACE_LINE_MAX, GFP_KERNEL);
	struct jtrace_text *text = text_new(f);
	int len;
	u32 i, run;

	KUNIT_ASSERT_NOT_NULL(f->test, buf);
	KUNIT_EXPECT_EQ(f->test, jtrace_text_lines(text), nr);
	for (run = 0; run < 2; run++) {
		text->pos = 0;
		for (i = 0; i < nr; i++) {
			len = jtrace_text_next(text, buf, JTRACE_LINE_MAX);
			KUNIT_EXPECT_EQ(f->test, text->pos, i + 1);
			KUNIT_EXPECT_EQ_MSG(f->test, len, (int)strlen(line[i]), "line %u", i);
			KUNIT_EXPECT_STREQ_MSG(f->test, (const char *)buf, line[i], "line %u", i);
		}
		for (i = 0; i < ARRAY_SIZE(beyond); i++) {
			text->pos = beyond[i];
			len = jtrace_text_next(text, buf, JTRACE_LINE_MAX);
			KUNIT_EXPECT_EQ(f->test, len, -1);
			KUNIT_EXPECT_EQ(f->test, buf[0], 0);
			KUNIT_EXPECT_EQ(f->test, text->pos, beyond[i]);
		}
	}
}

static void small_lines(struct kunit *test)
{
	static const char * const text[] = {
		"JTRACE: Recovered 3/144 entries",
		"[  17.431102506][cpu 0] : 00000001 : (    0.000 uSec) : (futex_wait)",
		"[  17.431102507][cpu 2] : ffffffff : (    0.001 uSec) : (futex_wait)",
		"[  18.431103507][cpu 0] : 00abcdef : (1000001.000 uSec) : (b)",
		"",
		"JTRACE: Last log timestamp [  18.431103507]",
	};
	struct fake *f = page_new(test, JTRACE_KIND_SMALL);
	u32 a = jtrace_site_intern(&f->sites, "futex_wait", "f.c", "g", 1, JTRACE_SITE_CALL, 0);
	u32 b = jtrace_site_intern(&f->sites, "b", "f.c", "g", 2, JTRACE_SITE_CALL, 0);

	put_small(f, 0, 17431102506ULL, a, 1);
	put_small(f, 2, 17431102507ULL, a, U32_MAX);
	put_small(f, 0, 18431103507ULL, b, 0xabcdef);
	fake_recover(f, f->img);
	expect_text(f, text, ARRAY_SIZE(text));
}

static void large_lines(struct kunit *test)
{
	static const char * const text[] = {
		"JTRACE: Recovered 2/56 entries",
		"[   7.718998668][cpu 0 tid        1] : 00000000 00000000 00000000 00000000 0000000000000000 0000000000000000 : (       0.000 uSec) : jtrace_example.c:f:4294967 (x)",
		"[   7.718998976][cpu 2 tid     3702] : 00000002 00000006 00000001 00000000 ffffffff0024c720 ffffff9519077e60 : (       0.308 uSec) : jtrace_example.c:MyFunction:12 (Before (i, foo, bar, 0, ptr1, ptr2))",
		"",
		"JTRACE: Last log timestamp [   7.718998976]",
	};
	struct jtrace_decoded ev = {
		.tid = 3702, .context = 0xffff, .arg = { 2, 6, 1, 0 },
		.wide = { 0xffffffff0024c720ULL, 0xffffff9519077e60ULL },
	};
	struct jtrace_decoded zero = { .tid = 1 };
	struct fake *f = page_new(test, JTRACE_KIND_LARGE);
	u32 a = jtrace_site_intern(&f->sites, "Before (i, foo, bar, 0, ptr1, ptr2)",
				   "samples/jtrace_example.c", "MyFunction", 12,
				   JTRACE_SITE_CALL, 0);
	u32 b = jtrace_site_intern(&f->sites, "x", "/jtrace_example.c", "f", 4294967,
				   JTRACE_SITE_CALL, 0);

	put(f, 2, 7718998976ULL, a, &ev);
	put(f, 0, 7718998668ULL, b, &zero);
	fake_recover(f, f->img);
	expect_text(f, text, ARRAY_SIZE(text));
}

static void last_of_cpus(struct kunit *test)
{
	static const char * const text[] = {
		"JTRACE: Recovered 4/144 entries",
		"[   0.000000001][cpu 2] : 00000001 : (    0.000 uSec) : (one)",
		"[   0.000000002][cpu 0] : 00000002 : (    0.001 uSec) : (one)",
		"[   0.000000003][cpu 2] : 00000003 : (    0.001 uSec) : (two)",
		"[   0.000005003][cpu 0] : 00000004 : (    5.000 uSec) : (three)",
		"",
		"JTRACE: Last recorded per-CPU events.",
		"[   0.000005003][cpu 0] : 00000004 : (    0.000 uSec) : (three)",
		"[   0.000000003][cpu 2] : 00000003 : (    0.000 uSec) : (two)",
		"",
		"JTRACE: Last log timestamp [   0.000005003]",
	};
	struct fake *f = page_new(test, JTRACE_KIND_SMALL);

	f->h.last_cpus = cpu_to_le32(3);
	jtrace_header_write(f->img, &f->h);
	put_small(f, 2, 1, f->site[0], 1);
	put_small(f, 0, 2, f->site[0], 2);
	put_small(f, 2, 3, f->site[1], 3);
	put_small(f, 0, 5003, f->site[2], 4);
	fake_recover(f, f->img);
	expect_text(f, text, ARRAY_SIZE(text));
}

static void no_entries(struct kunit *test)
{
	static const char * const text[] = { "JTRACE: no entries" };
	struct fake *f = page_new(test, JTRACE_KIND_LARGE);

	fake_recover(f, f->img);
	expect_text(f, text, 1);
	f->h.last_cpus = cpu_to_le32(3);
	jtrace_header_write(f->img, &f->h);
	fake_recover(f, f->img);
	expect_text(f, text, 1);
}

static void older_left_out(struct kunit *test)
{
	static const char * const text[] = {
		"JTRACE: Recovered 2/144 entries",
		"JTRACE: 3 older entries left out",
		"[   0.000000004][cpu 1] : 00000004 : (    0.000 uSec) : (one)",
		"[   0.000000005][cpu 1] : 00000005 : (    0.001 uSec) : (one)",
		"",
		"JTRACE: Last log timestamp [   0.000000005]",
	};
	struct fake *f = page_new(test, JTRACE_KIND_SMALL);
	u32 i;

	for (i = 1; i <= 5; i++)
		put_small(f, 1, i, f->site[0], i);
	jtrace_recover_open(&f->t, f->img, f->l.size);
	jtrace_recover_scan(&f->t, f->room);
	jtrace_text_limit(text_new(f), &f->t, 2, 0, NULL, 0);
	expect_text(f, text, ARRAY_SIZE(text));
}

/* As many of the last lines as fit in a number of bytes of the log. */
static void what_fits_the_log(struct kunit *test)
{
	char *buf = kunit_kzalloc(test, JTRACE_LINE_MAX, GFP_KERNEL);
	struct fake *f = page_new(test, JTRACE_KIND_SMALL);
	struct jtrace_text *text;
	u64 budget, bytes, shown, last = 0;
	int len;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, buf);
	for (i = 1; i <= 50; i++)
		put_small(f, 1, 1000 * i, f->site[i % FAKE_SITES], i);
	fake_recover(f, f->img);
	text = text_new(f);
	for (budget = 1; budget < 6000; budget += 37) {
		jtrace_text_limit(text, &f->t, 40, budget, buf, JTRACE_LINE_MAX);
		shown = f->t.shown;
		KUNIT_ASSERT_GE(test, shown, max_t(u64, last, 1));
		last = shown;
		bytes = 0;
		while ((len = jtrace_text_next(text, buf, JTRACE_LINE_MAX)) >= 0)
			bytes += len + JTRACE_LOG_LINE_EXTRA;
		/* The title is measured with larger numbers: up to 4 digits more. */
		KUNIT_ASSERT_TRUE(test, shown == 1 || bytes <= budget + 4);
		KUNIT_ASSERT_TRUE(test, shown == 40 || bytes + 80 > budget);
	}
	KUNIT_EXPECT_EQ(test, last, 40);
}

static void unknown_sites(struct kunit *test)
{
	static const char * const small[] = {
		"JTRACE: Recovered 1/144 entries",
		"JTRACE: 1 of 1 entries have no name: the site table of 1024 bytes was full; load jtrace with sites=4096",
		"[   0.000000001][cpu 0] : 00000001 : (    0.000 uSec) : (<site 4294967295>)",
		"",
		"JTRACE: Last log timestamp [   0.000000001]",
	};
	static const char * const large[] = {
		"JTRACE: Recovered 1/56 entries",
		"[   0.000000001][cpu 0 tid        0] : 00000001 00000000 00000000 00000000 0000000000000000 0000000000000000 : (       0.000 uSec) : ?:?:0 (<site 7>)",
		"",
		"JTRACE: Last log timestamp [   0.000000001]",
	};
	struct fake *f = page_new(test, JTRACE_KIND_SMALL);

	put_small(f, 0, 1, U32_MAX, 1);
	fake_recover(f, f->img);
	expect_text(f, small, ARRAY_SIZE(small));
	f = page_new(test, JTRACE_KIND_LARGE);
	put_small(f, 0, 1, 7, 1);
	fake_recover(f, f->img);
	expect_text(f, large, ARRAY_SIZE(large));
}

/* A small table: the number of entries without a name, and a sufficient size. */
static void full_site_table(struct kunit *test)
{
	const char *line = "JTRACE: 91 of 100 entries have no name: the site table of 704 bytes was full; load jtrace with sites=12288";
	struct jtrace_layout l;
	struct fake *f;
	char tag[32], *buf;
	u32 i, n;

	buf = kunit_kzalloc(test, JTRACE_LINE_MAX, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, buf);
	fake_layout(&l, 10, JTRACE_KIND_SMALL, 8);
	l.sites_end = l.sites_off + 704;
	f = fake_new(test, &l, 1, true, 1);
	/* In addition to four records of 48 bytes, 9 of these 56 bytes fit. */
	for (i = 0; i < 100; i++) {
		struct jtrace_decoded ev = { .arg[0] = i };

		snprintf(tag, sizeof(tag), "a tag of 16: %03u", i);
		n = jtrace_site_intern(&f->sites, tag, "f.c", "fn", i, JTRACE_SITE_CALL, 0);
		put(f, 0, i, n, &ev);
	}
	fake_recover(f, f->img);
	KUNIT_EXPECT_EQ(test, f->t.nameless, atomic64_read(&f->sites.unstored));
	KUNIT_EXPECT_GT(test, fake_line(&f->t, 1, buf, JTRACE_LINE_MAX), 0);
	KUNIT_EXPECT_STREQ(test, buf, line);
	f->t.unnamed = 3;
	KUNIT_EXPECT_GT(test, fake_line(&f->t, 1, buf, JTRACE_LINE_MAX), 0);
	KUNIT_EXPECT_STREQ(test, buf, line);
	KUNIT_EXPECT_GT(test, fake_line(&f->t, 2, buf, JTRACE_LINE_MAX), 0);
	KUNIT_EXPECT_STREQ(test, buf,
			   "JTRACE: 3 of 100 entries are of tasks whose name is not known");
	/* The writer computes the same, also with entries left out. */
	KUNIT_EXPECT_EQ(test, jtrace_sites_suffice(jtrace_sites_used(&f->sites),
						   atomic64_read(&f->sites.missing)), 12288);
	jtrace_recover_open(&f->t, f->img, f->l.size);
	jtrace_recover_scan(&f->t, f->room);
	jtrace_text_limit(text_new(f), &f->t, 10, 0, NULL, 0);
	KUNIT_EXPECT_GT(test, fake_line(&f->t, 1, buf, JTRACE_LINE_MAX), 0);
	KUNIT_EXPECT_STREQ(test, buf, "JTRACE: 90 older entries left out");
	KUNIT_EXPECT_GT(test, fake_line(&f->t, 2, buf, JTRACE_LINE_MAX), 0);
	KUNIT_EXPECT_STREQ(test, buf, line);
	KUNIT_EXPECT_EQ(test, fake_lines(&f->t), 1 + 2 + 10 + 3 + 2);
	/* A table that is cut off or lost does not count as full. */
	jtrace_recover_open(&f->t, f->img, l.sites_off + 400);
	KUNIT_EXPECT_EQ(test, f->t.l.sites_end, l.sites_off + 400);
	jtrace_recover_scan(&f->t, f->room);
	KUNIT_EXPECT_EQ(test, f->t.nameless, 0);
	put(f, 0, 100, U32_MAX, &(struct jtrace_decoded){ 0 });
	memset(f->img, 0, sizeof(f->h));
	memset(f->img + f->l.size - sizeof(f->h), 0, sizeof(f->h));
	fake_recover(f, f->img);
	KUNIT_EXPECT_EQ(test, f->t.damage.nr[JTRACE_FAULT_HEADERS], 1);
	KUNIT_EXPECT_GE(test, f->t.shown, 1);
	KUNIT_EXPECT_EQ(test, f->t.nameless, 0);
}

static void strings_are_escaped(struct kunit *test)
{
	static const char * const text[] = {
		"JTRACE: Recovered 1/56 entries",
		"[   0.000000001][cpu 0 tid        0] : 00000001 00000000 00000000 00000000 0000000000000000 0000000000000000 : (       0.000 uSec) : f\\x09.c:g\\xc3\\xa9:3 (\\x1b[2J\\x0a\\x0d\\x7f\\x80\\xff ~%s)",
		"",
		"JTRACE: Last log timestamp [   0.000000001]",
	};
	struct fake *f = page_new(test, JTRACE_KIND_LARGE);
	u32 n = jtrace_site_intern(&f->sites, "\x1b[2J\n\r\x7f\x80\xff ~%s", "x/f\t.c", "g\xc3\xa9",
				   3, JTRACE_SITE_CALL, 0);

	put_small(f, 0, 1, n, 1);
	fake_recover(f, f->img);
	expect_text(f, text, ARRAY_SIZE(text));
}

/* Times of a counter are shown in ns, with differences. */
static void ticks_are_converted(struct kunit *test)
{
	static const char * const text[] = {
		"JTRACE: Recovered 2/144 entries",
		"[   0.000003000][cpu 0] : 00000001 : (    0.000 uSec) : (one)",
		"[   0.000006001][cpu 0] : 00000002 : (    3.001 uSec) : (one)",
		"",
		"JTRACE: Last log timestamp [   0.000006001]",
	};
	struct fake *f = page_new(test, JTRACE_KIND_SMALL);

	f->h.clock = JTRACE_CLOCK_TICKS;
	f->h.rate = cpu_to_le64(1ULL << 32);
	f->h.stamp.ticks = cpu_to_le64(6000);
	f->h.stamp.boot = cpu_to_le64(9002);
	jtrace_header_write(f->img, &f->h);
	put_small(f, 0, 3000, f->site[0], 1);		/* the chunk's stamp: 3000 */
	put_small(f, 0, 4500, f->site[0], 2);
	fake_recover(f, f->img);
	expect_text(f, text, ARRAY_SIZE(text));
}

static void times_of_any_size(struct kunit *test)
{
	static const char * const text[] = {
		"JTRACE: Recovered 3/144 entries",
		"[   0.000000000][cpu 0] : 00000001 : (    0.000 uSec) : (one)",
		"[9999.999999999][cpu 0] : 00000002 : (9999999999.999 uSec) : (one)",
		"[18446744073.709551615][cpu 0] : 00000003 : (18446734073709551.616 uSec) : (one)",
		"",
		"JTRACE: Last log timestamp [18446744073.709551615]",
	};
	struct fake *f = page_new(test, JTRACE_KIND_SMALL);

	put_small(f, 0, 0, f->site[0], 1);
	put_small(f, 0, 9999999999999ULL, f->site[0], 2);
	put_small(f, 0, ~0ULL, f->site[0], 3);
	fake_recover(f, f->img);
	expect_text(f, text, ARRAY_SIZE(text));
}

/* The longest strings, all escaped, and the widest numbers. */
static struct fake *widest(struct kunit *test)
{
	struct jtrace_decoded ev = { .tid = U32_MAX, .cpu = 0xffff, .context = 0xffff,
		.arg = { U32_MAX, U32_MAX, U32_MAX, U32_MAX }, .wide = { ~0ULL, ~0ULL } };
	struct fake *f = page_new(test, JTRACE_KIND_LARGE);
	char s[JTRACE_TAG_MAX + 1];
	u32 n;

	memset(s, 0xff, JTRACE_TAG_MAX);
	s[JTRACE_TAG_MAX] = 0;
	n = jtrace_site_intern(&f->sites, s, s, s, 0x80000000, JTRACE_SITE_CALL, 0);
	put(f, 0, 0, n, &ev);
	put(f, 0, ~0ULL, n, &ev);
	fake_recover(f, f->img);
	KUNIT_ASSERT_EQ(test, f->t.shown, 2);
	return f;
}

static void longest_line_fits(struct kunit *test)
{
	struct fake *f = widest(test);
	char *buf = kunit_kzalloc(test, 2 * JTRACE_LINE_MAX, GFP_KERNEL);
	u32 escaped = 0;
	int len, i;

	KUNIT_ASSERT_NOT_NULL(test, buf);
	len = fake_line(&f->t, 2, buf, 2 * JTRACE_LINE_MAX);
	for (i = 0; i < len; i++)
		escaped += !memcmp(buf + i, "\\xff", 4);
	KUNIT_EXPECT_EQ(test, escaped, JTRACE_TAG_MAX + JTRACE_FILE_MAX + JTRACE_FUNC_MAX);
	KUNIT_EXPECT_EQ(test, len, (int)strlen(buf));
	KUNIT_EXPECT_LT(test, len, (int)JTRACE_LINE_MAX);
	KUNIT_EXPECT_EQ(test, buf[len - 1], ')');
	KUNIT_EXPECT_EQ(test, memcmp(buf + len - 5, "\\xff)", 5), 0);
}

/* No buffer size overflows, each one cuts the same text, and each line ends with a NUL. */
static void any_buffer_size(struct kunit *test)
{
	struct fake *f = widest(test);
	struct jtrace_text *text = text_new(f);
	const u32 most = JTRACE_LINE_MAX + 64;
	char *whole = kunit_kzalloc(test, most, GFP_KERNEL);
	char *buf = kunit_kzalloc(test, most, GFP_KERNEL);
	u32 nr, size, i;
	int len, all;

	KUNIT_ASSERT_NOT_NULL(test, whole);
	KUNIT_ASSERT_NOT_NULL(test, buf);
	for (nr = 0; nr < jtrace_text_lines(text); nr++) {
		all = fake_line(&f->t, nr, whole, most);
		for (size = 1; size < most; size++) {
			memset(buf, 0x55, most);
			text->pos = nr;
			len = size & 1 ? jtrace_text_next(text, buf, size) :
			      fake_line(&f->t, nr, buf, size);
			KUNIT_ASSERT_EQ(test, len, min_t(int, all, size - 1));
			KUNIT_ASSERT_EQ(test, memcmp(buf, whole, len), 0);
			KUNIT_ASSERT_EQ(test, buf[len], 0);
			for (i = size; i < most; i++)
				KUNIT_ASSERT_EQ(test, buf[i], 0x55);
		}
	}
}

/* Sites of all lengths, more than the cache holds, and some without record. */
static struct fake *many_sites(struct kunit *test, u8 kind)
{
	struct jtrace_decoded ev = { .tid = 1 };
	char tag[JTRACE_TAG_MAX + 1];
	struct jtrace_layout l;
	struct fake *f;
	u32 i, n;

	KUNIT_ASSERT_EQ(test, jtrace_layout_plan(&l, 1 << 18, 0, 2, kind), JTRACE_FIT_FULL);
	l.form |= JTRACE_FORM_TICKS;
	f = fake_new(test, &l, 2, true, 1);
	for (i = 0; i < 1000; i++) {
		n = random_below(&f->rnd, 3 * JTRACE_MEMO_SITES);
		memset(tag, n % 16 ? 'a' + n % 16 : '\n', sizeof(tag));
		tag[n % sizeof(tag)] = 0;
		ev.arg[0] = n;
		n = n % 5 ? jtrace_site_intern(&f->sites, tag, "file", "func", n,
					       JTRACE_SITE_CALL, 0) : n + U32_MAX / 2;
		put(f, i % 2, i * 1000 + random_below(&f->rnd, 1000), n, &ev);
	}
	fake_recover(f, f->img);
	KUNIT_ASSERT_EQ(test, f->t.shown, 1000);
	return f;
}

/* In any order of lines and with any buffer, the text equals that of a reader without cache. */
static void what_is_remembered(struct kunit *test)
{
	char *want = kunit_kzalloc(test, JTRACE_LINE_MAX, GFP_KERNEL);
	char *got = kunit_kzalloc(test, JTRACE_LINE_MAX, GFP_KERNEL);
	u32 kind, i, nr, size;
	int len;

	KUNIT_ASSERT_NOT_NULL(test, want);
	KUNIT_ASSERT_NOT_NULL(test, got);
	for (kind = JTRACE_KIND_SMALL; kind <= JTRACE_KIND_LARGE; kind++) {
		struct fake *f = many_sites(test, kind);
		struct jtrace_text *text = text_new(f);
		const u32 lines = jtrace_text_lines(text);

		for (i = 0; i < 4 * lines; i++) {
			/* Down, up, and at random; some buffers are too short. */
			nr = i < lines ? i : i < 2 * lines ? 2 * lines - 1 - i :
			     random_below(&f->rnd, lines);
			size = i < 3 * lines ? JTRACE_LINE_MAX : 1 + random_below(&f->rnd, 300);
			len = fake_line(&f->t, nr, want, size);
			text->pos = nr;
			KUNIT_ASSERT_EQ(test, jtrace_text_next(text, got, size), len);
			KUNIT_ASSERT_EQ(test, strcmp(got, want), 0);
		}
	}
}

/* An entry that was overwritten since the scan has no line: the next one follows. */
static void lost_entry_has_no_line(struct kunit *test)
{
	struct fake *f = page_new(test, JTRACE_KIND_LARGE);
	struct jtrace_text *text;
	char buf[64], want[20];
	u32 i;

	for (i = 0; i < 56; i++)
		put_small(f, 0, 1 + i, f->site[0], i);
	fake_recover(f, f->img);
	text = text_new(f);
	text->pos = 1;
	KUNIT_EXPECT_GT(test, jtrace_text_next(text, buf, sizeof(buf)), 0);
	KUNIT_EXPECT_EQ(test, text->pos, 2);
	put_small(f, 0, 100, f->site[0], 0);
	/* The chunk of the first seven is claimed: each of the others has one line. */
	for (i = 8; i <= 56; i++) {
		KUNIT_EXPECT_GT(test, jtrace_text_next(text, buf, sizeof(buf)), 0);
		snprintf(want, sizeof(want), "[   0.%09u]", i);
		KUNIT_EXPECT_EQ(test, memcmp(buf, want, 16), 0);
	}
	KUNIT_EXPECT_EQ(test, jtrace_text_next(text, buf, sizeof(buf)), 0);
	KUNIT_EXPECT_GT(test, jtrace_text_next(text, buf, sizeof(buf)), 0);
	KUNIT_EXPECT_EQ(test, jtrace_text_next(text, buf, sizeof(buf)), -1);
}

static struct kunit_case render_cases[] = {
	KUNIT_CASE(small_lines),
	KUNIT_CASE(large_lines),
	KUNIT_CASE(last_of_cpus),
	KUNIT_CASE(no_entries),
	KUNIT_CASE(older_left_out),
	KUNIT_CASE(what_fits_the_log),
	KUNIT_CASE(unknown_sites),
	KUNIT_CASE(full_site_table),
	KUNIT_CASE(strings_are_escaped),
	KUNIT_CASE(ticks_are_converted),
	KUNIT_CASE(times_of_any_size),
	KUNIT_CASE(longest_line_fits),
	KUNIT_CASE(any_buffer_size),
	KUNIT_CASE(what_is_remembered),
	KUNIT_CASE(lost_entry_has_no_line),
	{}
};

static struct kunit_suite jtrace_render_suite = {
	.name = "jtrace_render_test",
	.test_cases = render_cases,
};

kunit_test_suite(jtrace_render_suite);
