// SPDX-License-Identifier: GPL-2.0
/*
 * The site table: the same content has the same number; each number reads back its content; a
 * full table, damage and invalid numbers do no harm.
 */

#include "table.h"

static u32 intern(struct table *t, const char *tag, const char *file, const char *func, u32 line)
{
	u64 stored = atomic64_read(&t->s.stored), unstored = atomic64_read(&t->s.unstored);
	u32 n = jtrace_site_intern(&t->s, tag, file, func, line, JTRACE_SITE_CALL, 0);

	KUNIT_EXPECT_NE(t->test, n, 0);
	if (n > t->s.end) {
		KUNIT_EXPECT_EQ(t->test, atomic64_read(&t->s.unstored), unstored + 1);
		KUNIT_EXPECT_EQ(t->test, atomic64_read(&t->s.stored), stored);
		return n;
	}
	KUNIT_EXPECT_EQ(t->test, atomic64_read(&t->s.unstored), unstored);
	KUNIT_EXPECT_GE(t->test, n, t->l.sites_off / 8);
	KUNIT_EXPECT_LT(t->test, n, t->l.sites_end / 8);
	return n;
}

static bool reads(struct table *t, u32 n)
{
	memset(&t->text, 0xaa, sizeof(t->text));
	return jtrace_site_read(&t->l, t->img, FAKE_ID, n, &t->text);
}

static void expect(struct table *t, u32 n, const char *tag, const char *file, const char *func,
		   u32 line)
{
	KUNIT_ASSERT_TRUE_MSG(t->test, reads(t, n), "site %u", n);
	KUNIT_EXPECT_STREQ(t->test, t->text.tag, tag);
	KUNIT_EXPECT_STREQ(t->test, t->text.file, file);
	KUNIT_EXPECT_STREQ(t->test, t->text.func, func);
	KUNIT_EXPECT_EQ(t->test, t->text.line, line);
}

static void same_content_same_number(struct kunit *test)
{
	struct table *t = table_new(test, 4096);
	char tag[4] = "tag";
	u32 n = intern(t, "tag", "f.c", "fn", 1);

	KUNIT_EXPECT_EQ(test, intern(t, "tag", "f.c", "fn", 1), n);
	/* Sites are compared by content, without the path of the file. */
	KUNIT_EXPECT_EQ(test, intern(t, tag, "drivers/x/f.c", "fn", 1), n);
	KUNIT_EXPECT_EQ(test, atomic64_read(&t->s.stored), 1);
	expect(t, n, "tag", "f.c", "fn", 1);
}

static void other_content_other_number(struct kunit *test)
{
	struct table *t = table_new(test, 4096);
	u32 n[8], i, k;

	n[0] = intern(t, "tag", "f.c", "fn", 1);
	n[1] = intern(t, "taG", "f.c", "fn", 1);
	n[2] = intern(t, "tag", "g.c", "fn", 1);
	n[3] = intern(t, "tag", "f.c", "fm", 1);
	n[4] = intern(t, "tag", "f.c", "fn", 2);
	/* The same bytes, divided differently into strings. */
	n[5] = intern(t, "tagf", ".c", "fn", 1);
	n[6] = intern(t, "ta", "gf.c", "fn", 1);
	n[7] = intern(t, "tag", "f.cf", "n", 1);
	for (i = 0; i < 8; i++)
		for (k = 0; k < i; k++)
			KUNIT_EXPECT_NE(test, n[i], n[k]);
	expect(t, n[0], "tag", "f.c", "fn", 1);
	expect(t, n[3], "tag", "f.c", "fm", 1);
	expect(t, n[4], "tag", "f.c", "fn", 2);
	expect(t, n[5], "tagf", ".c", "fn", 1);
	expect(t, n[7], "tag", "f.cf", "n", 1);
	KUNIT_EXPECT_EQ(test, atomic64_read(&t->s.stored), 8);
}

/* So many that hashes collide in the index: sites that differ only in their line. */
static void lines_that_collide(struct kunit *test)
{
	struct table *t = table_new(test, 4096);
	u32 n[90], i, k;
	u64 rnd = 1;

	for (i = 0; i < ARRAY_SIZE(n); i++) {
		n[i] = intern(t, "t", "f", "g", random_next(&rnd));
		for (k = 0; k < i; k++)
			KUNIT_ASSERT_NE(test, n[i], n[k]);
	}
	for (i = 0, rnd = 1; i < ARRAY_SIZE(n); i++)
		expect(t, n[i], "t", "f", "g", random_next(&rnd));
	KUNIT_EXPECT_EQ(test, atomic64_read(&t->s.stored), ARRAY_SIZE(n));
}

static void basename_is_kept(struct kunit *test)
{
	struct table *t = table_new(test, 4096);

	expect(t, intern(t, "a", "/x/y/z.c", "f", 1), "a", "z.c", "f", 1);
	expect(t, intern(t, "b", "z.c", "f", 1), "b", "z.c", "f", 1);
	expect(t, intern(t, "c", "../z.c", "f", 1), "c", "z.c", "f", 1);
	expect(t, intern(t, "d", "x/", "f", 1), "d", "", "f", 1);
	expect(t, intern(t, "", "", "", 0), "", "", "", 0);
	expect(t, intern(t, "", "", "", U32_MAX), "", "", "", U32_MAX);
}

static void long_strings_are_cut(struct kunit *test)
{
	struct table *t = table_new(test, 8192);
	char s[300], tag[JTRACE_TAG_MAX + 1], rest[JTRACE_FILE_MAX + 1];
	u32 n, len;

	for (len = 1; len < sizeof(s); len += len < 60 || len > 132 ? 40 : 1) {
		u32 cut = min_t(u32, len, JTRACE_TAG_MAX);
		u32 cut2 = min_t(u32, len, JTRACE_FILE_MAX);

		t = table_new(test, 4096);
		memset(s, 'x', len);
		s[len] = 0;
		memset(tag, 0, sizeof(tag));
		memset(tag, 'x', cut);
		memset(rest, 0, sizeof(rest));
		memset(rest, 'x', cut2);
		n = intern(t, s, s, s, len);
		expect(t, n, tag, rest, rest, len);
		KUNIT_EXPECT_EQ(test, intern(t, s, s, s, len), n);
		KUNIT_EXPECT_EQ(test, intern(t, tag, rest, rest, len), n);
	}
}

/* Like a client with many sites that is loaded again and again. */
static void interning_again_adds_nothing(struct kunit *test)
{
	struct table *t = table_new(test, 16384);
	u32 n[100], i, load;
	char tag[16];
	u64 next = 0;

	for (load = 0; load < 50; load++) {
		for (i = 0; i < ARRAY_SIZE(n); i++) {
			u32 got;

			snprintf(tag, sizeof(tag), "tag %u", i);
			got = intern(t, tag, "f.c", "fn", i / 10);
			if (!load)
				n[i] = got;
			KUNIT_ASSERT_EQ(test, got, n[i]);
		}
		if (!load)
			next = t->s.next;
	}
	KUNIT_EXPECT_EQ(test, atomic64_read(&t->s.stored), 100);
	KUNIT_EXPECT_EQ(test, t->s.next, next);
	for (i = 0; i < ARRAY_SIZE(n); i++) {
		snprintf(tag, sizeof(tag), "tag %u", i);
		expect(t, n[i], tag, "f.c", "fn", i / 10);
	}
}

static u32 bytes_of(const struct table *t)
{
	return 32 + strlen(t->text.tag) + strlen(t->text.file) + strlen(t->text.func);
}

static void no_record_crosses_a_page(struct kunit *test)
{
	struct table *t = table_new(test, 30000 / 8 * 8);
	char tag[JTRACE_TAG_MAX + 1];
	u32 i, n, end = 0, stored = 0;
	u64 rnd = 5;

	for (i = 0; i < 400; i++) {
		u32 len = 1 + random_below(&rnd, JTRACE_TAG_MAX);

		memset(tag, 'a' + i % 26, len);
		tag[len] = 0;
		n = intern(t, tag, "file.c", "function", i);
		if (!reads(t, n))
			continue;
		stored++;
		KUNIT_ASSERT_EQ(test, n * 8 / 4096, (n * 8 + bytes_of(t) - 1) / 4096);
		KUNIT_ASSERT_LE(test, n * 8 + bytes_of(t), t->l.sites_end);
		/* After the one before, with at most the end of a page between. */
		KUNIT_ASSERT_GE(test, n * 8, end);
		KUNIT_ASSERT_LE(test, n * 8, ALIGN(end, 8) + (end ? 232 : 512));
		end = n * 8 + bytes_of(t);
	}
	KUNIT_EXPECT_GT(test, stored, 150);
	KUNIT_EXPECT_LT(test, stored, 400);
}

static void full_table(struct kunit *test)
{
	u32 bytes;

	for (bytes = 0; bytes < 300; bytes += 8) {
		struct table *t = table_new(test, bytes);
		char tag[2] = "a";
		u32 i, n, last = t->s.end, stored = 0, begun = t->l.sites_off;

		for (i = 0; i < 20; i++, tag[0]++) {
			n = intern(t, tag, "f", "g", 1);
			if (n <= t->s.end) {
				KUNIT_ASSERT_EQ(test, stored, i);
				KUNIT_ASSERT_EQ(test, n * 8, begun + 40 * i);
				expect(t, n, tag, "f", "g", 1);
				stored++;
				continue;
			}
			KUNIT_ASSERT_GT(test, n, last);
			KUNIT_ASSERT_FALSE(test, reads(t, n));
			last = n;
		}
		KUNIT_EXPECT_EQ(test, stored, bytes / 40);
		KUNIT_EXPECT_EQ(test, atomic64_read(&t->s.stored), stored);
		KUNIT_EXPECT_EQ(test, atomic64_read(&t->s.unstored), 20 - stored);
		KUNIT_EXPECT_EQ(test, t->img[t->l.sites_end], 0);
		/* Stored sites are still found. */
		if (stored)
			KUNIT_EXPECT_EQ(test, intern(t, "a", "f", "g", 1), begun / 8);
	}
}

/* Sites without room: consecutive numbers, one each, and each site counts once. */
static void unstored_again_adds_nothing(struct kunit *test)
{
	struct table *t = table_new(test, 1000);
	u32 n[100], i, load, stored = 0;
	s64 unstored = 0, missing = 0;
	char tag[16];

	for (load = 0; load < 50; load++) {
		for (i = 0; i < ARRAY_SIZE(n); i++) {
			u32 got;

			snprintf(tag, sizeof(tag), "tag %u", i);
			got = jtrace_site_intern(&t->s, tag, "f.c", "fn", i / 10,
						 JTRACE_SITE_CALL, 0);
			if (!load) {
				n[i] = got;
				stored += got < t->s.end;
				KUNIT_ASSERT_TRUE(test, got < t->s.end ||
						  got == t->s.end + 1 + i - stored);
			}
			KUNIT_ASSERT_EQ(test, got, n[i]);
		}
		if (!load) {
			unstored = atomic64_read(&t->s.unstored);
			missing = atomic64_read(&t->s.missing);
		}
	}
	KUNIT_EXPECT_EQ(test, stored, 1000 / 48);
	KUNIT_EXPECT_EQ(test, atomic64_read(&t->s.stored), stored);
	KUNIT_EXPECT_EQ(test, unstored, 100 - stored);
	KUNIT_EXPECT_EQ(test, atomic64_read(&t->s.unstored), unstored);
	KUNIT_EXPECT_EQ(test, missing, 48 * unstored);
	KUNIT_EXPECT_EQ(test, atomic64_read(&t->s.missing), missing);
}

/* Sites without room in the spare are not remembered, but numbers are unique. */
static void full_spare(struct kunit *test)
{
	struct table *t = table_with_spare(test, 200, 48 * 10);
	u32 n[30], again, i, k;
	char tag[16];

	for (i = 0; i < ARRAY_SIZE(n); i++) {
		snprintf(tag, sizeof(tag), "tag %02u", i);
		n[i] = intern(t, tag, "f.c", "fn", 1);
		for (k = 0; k < i; k++)
			KUNIT_ASSERT_NE(test, n[i], n[k]);
	}
	KUNIT_EXPECT_EQ(test, atomic64_read(&t->s.stored), 4);
	KUNIT_EXPECT_EQ(test, atomic64_read(&t->s.unstored), 26);
	for (i = 0; i < ARRAY_SIZE(n); i++) {
		snprintf(tag, sizeof(tag), "tag %02u", i);
		again = jtrace_site_intern(&t->s, tag, "f.c", "fn", 1, JTRACE_SITE_CALL, 0);
		KUNIT_EXPECT_EQ(test, again == n[i], i < 14);
		KUNIT_EXPECT_TRUE(test, i < 14 || again > t->s.end + 26);
	}
	KUNIT_EXPECT_EQ(test, atomic64_read(&t->s.unstored), 26 + 16);
	KUNIT_EXPECT_EQ(test, atomic64_read(&t->s.missing), 48 * (26 + 16));
}

/* A long record does not fit, a later short one does. */
static void full_for_long_only(struct kunit *test)
{
	struct table *t = table_new(test, 120);
	char tag[101];

	memset(tag, 'x', 100);
	tag[100] = 0;
	KUNIT_EXPECT_GT(test, intern(t, tag, "f", "g", 1), t->s.end);
	expect(t, intern(t, "short", "f", "g", 1), "short", "f", "g", 1);
	KUNIT_EXPECT_EQ(test, atomic64_read(&t->s.unstored), 1);
}

/* Also with the shortest records, the index has a free slot. */
static void index_holds_shortest(struct kunit *test)
{
	struct table *t = table_new(test, 4096);
	u32 i, slots = 0;

	for (i = 0; i < 200; i++)
		intern(t, "", "", "", i);
	KUNIT_EXPECT_EQ(test, atomic64_read(&t->s.stored) + atomic64_read(&t->s.unstored), 200);
	KUNIT_EXPECT_GE(test, atomic64_read(&t->s.stored), 126);
	for (i = 0; i <= t->s.mask; i++)
		slots += !t->s.index[i];
	KUNIT_EXPECT_GT(test, slots, 0);
	for (i = 0; i < 100; i++)
		expect(t, intern(t, "", "", "", i), "", "", "", i);
}

static void bit_flip_hides_one(struct kunit *test)
{
	struct table *t = table_new(test, 4096);
	u32 before = intern(t, "before", "f.c", "fn", 1);
	u32 n = intern(t, "the tag", "the_file.c", "the_function", 2);
	u32 after = intern(t, "after", "f.c", "fn", 3);
	u32 bit;

	for (bit = 0; bit < (32 + 7 + 10 + 12) * 8; bit++) {
		t->img[n * 8 + bit / 8] ^= 1 << bit % 8;
		KUNIT_ASSERT_FALSE_MSG(test, reads(t, n), "bit %u", bit);
		KUNIT_ASSERT_TRUE(test, reads(t, before));
		KUNIT_ASSERT_TRUE(test, reads(t, after));
		t->img[n * 8 + bit / 8] ^= 1 << bit % 8;
	}
	expect(t, n, "the tag", "the_file.c", "the_function", 2);
	expect(t, before, "before", "f.c", "fn", 1);
	expect(t, after, "after", "f.c", "fn", 3);
}

/* Only its own number reads a record. */
static void hostile_numbers(struct kunit *test)
{
	struct table *t = table_new(test, 4096);
	u32 i, n, found = 0;

	for (i = 0; i < 10; i++)
		intern(t, "tag", "f.c", "fn", i);
	for (n = 0; n < t->l.size / 8 + 100; n++)
		found += reads(t, n);
	KUNIT_EXPECT_EQ(test, found, 10);
	for (n = U32_MAX - 100; n; n++)
		KUNIT_EXPECT_FALSE(test, reads(t, n));
	for (n = 1U << 29; n < (1U << 29) + t->l.size / 8; n++)
		KUNIT_EXPECT_FALSE(test, reads(t, n));
	KUNIT_EXPECT_FALSE(test, jtrace_site_read(&t->l, t->img, FAKE_ID + 1, t->l.sites_off / 8,
						  &t->text));
	/* A record in a wrong place. */
	memcpy(t->img + t->l.sites_off + 2048, t->img + t->l.sites_off, 64);
	KUNIT_EXPECT_FALSE(test, reads(t, (t->l.sites_off + 2048) / 8));
}

/* Lengths that lead out of the table, with a right CRC. */
static void hostile_lengths(struct kunit *test)
{
	struct table *t = table_new(test, 400);
	u32 n = intern(t, "tag", "f.c", "fn", 1), which, len, sum;
	struct jtrace_site_record *r = (void *)(t->img + n * 8);

	for (which = 0; which < 3; which++) {
		for (len = 0; len < 256; len++) {
			u8 *field = &r->tag_len + which, was = *field;
			u32 limit = which ? JTRACE_FILE_MAX : JTRACE_TAG_MAX;

			*field = len;
			sum = r->tag_len + r->file_len + r->func_len;
			r->crc = cpu_to_le32(jtrace_crc32c(~0U, &r->image_id, 24 + sum));
			KUNIT_ASSERT_EQ(test, reads(t, n), len <= limit);
			*field = was;
		}
	}
	/* The table ends within the strings. */
	r->crc = cpu_to_le32(jtrace_crc32c(~0U, &r->image_id, 24 + 8));
	KUNIT_EXPECT_TRUE(test, reads(t, n));
	for (len = 0; len < 40; len++) {
		t->l.sites_end = t->l.sites_off + len;
		KUNIT_EXPECT_FALSE(test, reads(t, n));
	}
	t->l.sites_end = t->l.sites_off + 40;
	KUNIT_EXPECT_TRUE(test, reads(t, n));
}

/* Another table adopts sites: those that fit keep their numbers, and no number is reused. */
static void adopted_by_another(struct kunit *test)
{
	static const u32 sizes[] = { 4096, 1000, 1000, 48, 4096 };
	u32 n[40], from, to, i;

	for (from = 0; from < ARRAY_SIZE(sizes); from++) {
		for (to = 0; to < ARRAY_SIZE(sizes); to++) {
			struct table *a = table_with_spare(test, sizes[from], 0);
			struct table *b = table_new(test, sizes[to]);
			u32 fit = 0;

			b->s.image_id = FAKE_ID + 1;
			for (i = 0; i < 30; i++) {
				n[i] = intern(a, "tag", "file.c", "function", i);
				fit += n[i] < a->s.end && (n[i] + 7) * 8 <= b->l.sites_end;
			}
			jtrace_sites_adopt(&b->s, &a->s);
			KUNIT_EXPECT_EQ(test, atomic64_read(&b->s.stored), fit);
			KUNIT_EXPECT_EQ(test, atomic64_read(&b->s.unstored), 30 - fit);
			/* A larger table helps only sites that had room before. */
			KUNIT_EXPECT_EQ(test, b->s.early, atomic64_read(&a->s.unstored));
			KUNIT_EXPECT_EQ(test, atomic64_read(&b->s.missing),
					(30 - fit - b->s.early) * 7 * 8);

			for (i = 0; i < 30; i++) {
				bool there = jtrace_site_read(&b->l, b->img, FAKE_ID + 1, n[i],
							      &b->text);

				KUNIT_EXPECT_TRUE(test, !there || b->text.line == i);
				KUNIT_EXPECT_FALSE(test, reads(b, n[i]));
				KUNIT_EXPECT_EQ(test, there, n[i] < a->s.end &&
						(n[i] + 7) * 8 <= b->l.sites_end);
				/* A site that had room is found again, even if not stored. */
				if (n[i] >= a->s.end)
					continue;
				KUNIT_EXPECT_EQ(test, n[i],
						jtrace_site_intern(&b->s, "tag", "file.c", "function",
								   i, JTRACE_SITE_CALL, 0));
			}
			KUNIT_EXPECT_EQ(test, atomic64_read(&b->s.unstored), 30 - fit);
			for (; i < ARRAY_SIZE(n); i++) {
				u32 k;

				n[i] = intern(b, "new", "file.c", "function", i);
				for (k = 0; k < i; k++)
					KUNIT_EXPECT_NE(test, n[k], n[i]);
			}
		}
	}
}

/* A table of the recommended size suffices, for strings of any length and with modules. */
static void suffices(struct kunit *test)
{
	struct jtrace_module m = { .has_id = true };
	u32 round, i, pass, bytes;
	char tag[JTRACE_TAG_MAX + 1];
	struct table *t;
	u64 rnd;

	for (round = 0; round < 60; round++) {
		bytes = round * 40;
		for (pass = 0; pass < 2; pass++) {
			t = table_new(test, bytes);
			for (i = 0, rnd = round; i < 10 + 20 * round; i++) {
				u32 len = round % 3 ? random_below(&rnd, JTRACE_TAG_MAX) : 127;

				memset(tag, 'a' + i % 26, len);
				tag[len] = 0;
				intern(t, tag, "file.c", "function", i);
				snprintf(m.name, sizeof(m.name), "%.60s%u", tag, i);
				jtrace_module_note(&t->s, &m, true);
			}
			if (!pass)
				bytes = jtrace_sites_suffice(jtrace_sites_used(&t->s),
							     atomic64_read(&t->s.missing));
		}
		KUNIT_ASSERT_EQ(test, atomic64_read(&t->s.unstored), 0);
		KUNIT_ASSERT_EQ(test, atomic64_read(&t->s.missing), 0);
		KUNIT_ASSERT_EQ(test, atomic64_read(&t->s.stored), 10 + 20 * round);
	}
	KUNIT_EXPECT_EQ(test, jtrace_sites_suffice(1ULL << 32, 1ULL << 40), JTRACE_LARGEST_SITES);
}

/* A reader counts exactly the records that the writer counts. */
static void stored_are_counted(struct kunit *test)
{
	struct table *t = table_new(test, 12000);
	u32 i, nr;
	u64 bytes;

	for (i = 0; i < 60; i++)
		intern(t, "tag", "file.c", "function", i);
	bytes = jtrace_sites_stored(&t->l, t->img, FAKE_ID, &nr);
	KUNIT_EXPECT_EQ(test, nr, 60);
	KUNIT_EXPECT_EQ(test, bytes, 60 * 56);
	KUNIT_EXPECT_EQ(test, jtrace_sites_used(&t->s), 60 * 56);
	t->img[t->l.sites_off + 56 * 7 + 33] ^= 1;
	KUNIT_EXPECT_EQ(test, jtrace_sites_stored(&t->l, t->img, FAKE_ID, &nr), 59 * 56);
	KUNIT_EXPECT_EQ(test, nr, 59);
	KUNIT_EXPECT_EQ(test, jtrace_sites_stored(&t->l, t->img, FAKE_ID + 1, &nr), 0);
	KUNIT_EXPECT_EQ(test, nr, 0);
}

static struct kunit_case site_cases[] = {
	KUNIT_CASE(same_content_same_number),
	KUNIT_CASE(other_content_other_number),
	KUNIT_CASE(lines_that_collide),
	KUNIT_CASE(basename_is_kept),
	KUNIT_CASE(long_strings_are_cut),
	KUNIT_CASE(interning_again_adds_nothing),
	KUNIT_CASE(no_record_crosses_a_page),
	KUNIT_CASE(full_table),
	KUNIT_CASE(unstored_again_adds_nothing),
	KUNIT_CASE(full_spare),
	KUNIT_CASE(full_for_long_only),
	KUNIT_CASE(index_holds_shortest),
	KUNIT_CASE(bit_flip_hides_one),
	KUNIT_CASE(hostile_numbers),
	KUNIT_CASE(hostile_lengths),
	KUNIT_CASE(adopted_by_another),
	KUNIT_CASE(suffices),
	KUNIT_CASE(stored_are_counted),
	{}
};

static struct kunit_suite jtrace_site_suite = {
	.name = "jtrace_site_test",
	.test_cases = site_cases,
};

kunit_test_suite(jtrace_site_suite);
