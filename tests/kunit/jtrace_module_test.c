// SPDX-License-Identifier: GPL-2.0
/* Modules in the site table: how they are noted and read, and their share of it. */

#include "table.h"

/* Modules are read as they were noted; other records are none, and neither are damaged ones. */
static void read_as_noted(struct kunit *test)
{
	struct jtrace_module m[3] = {
		{ .name = "one", .has_id = true, .module = 0xffffffffc0001240ULL, .from = 1 },
		{ .name = "two", .module = 1, .base = { 1, 2, 3, 4 }, .size = { 5, 6, 7, ~0U } },
		{ .name = "three", .has_id = true, .from = ~0ULL },
	}, got;
	struct table *t = table_new(test, 12000);
	char longest[JTRACE_TAG_MAX + 1] = "";
	u32 i, nr = 0;

	memset(m[0].build_id, 0x5a, sizeof(m[0].build_id));
	memcpy(m[2].build_id, "\1\0\2\0", 4);
	for (i = 0; i < ARRAY_SIZE(m); i++) {
		m[i].until = ~0ULL;
		jtrace_site_intern(&t->s, "tag", "file.c", "function", i, JTRACE_SITE_CALL, 0);
		jtrace_module_note(&t->s, &m[i], i);
	}
	/* The text of a module that has no record of one. */
	jtrace_site_intern(&t->s, "four", "", "1+2", 0, JTRACE_SITE_MODULE, 0);
	jtrace_site_intern(&t->s, "five", "0123456789", "", 0, JTRACE_SITE_MODULE, 0);
	memset(longest, 'x', sizeof(longest) - 1);
	jtrace_site_intern(&t->s, longest, longest, longest, 0, JTRACE_SITE_MODULE, 0);
	for (i = 0; i < ARRAY_SIZE(m); i++) {
		nr = jtrace_module_next(&t->l, t->img, FAKE_ID, nr, &got);
		KUNIT_ASSERT_NE(test, nr, 0);
		KUNIT_EXPECT_EQ(test, memcmp(&got, &m[i], sizeof(got)), 0);
	}
	KUNIT_EXPECT_EQ(test, jtrace_module_next(&t->l, t->img, FAKE_ID, nr, &got), 0);
	KUNIT_EXPECT_EQ(test, jtrace_module_next(&t->l, t->img, FAKE_ID + 1, 0, &got), 0);
	nr = jtrace_module_next(&t->l, t->img, FAKE_ID, 0, &got);
	t->img[(nr - 1) * JTRACE_GRANULE + 60] ^= 1;
	nr = jtrace_module_next(&t->l, t->img, FAKE_ID, 0, &got);
	KUNIT_ASSERT_NE(test, nr, 0);
	KUNIT_EXPECT_STREQ(test, got.name, "two");
}

static void next_is(struct kunit *test, const struct table *t, u32 *nr, u64 from, u64 until)
{
	struct jtrace_module got;

	*nr = jtrace_module_next(&t->l, t->img, FAKE_ID, *nr, &got);
	KUNIT_ASSERT_NE(test, *nr, 0);
	KUNIT_EXPECT_EQ(test, got.from, from);
	KUNIT_EXPECT_EQ(test, got.until, until);
}

/* Each life of a module has its end, also in a full table.  A damaged end leaves no module. */
static void ends(struct kunit *test)
{
	struct jtrace_module m = { .name = "m", .module = 8, .from = 1 }, other = { .name = "other" };
	struct table *t = table_new(test, 12000);
	u8 zero[sizeof(struct jtrace_module_end)] = { 0 }, keep[sizeof(zero)], *end;
	u32 nr = 0, i, first = t->s.next;

	jtrace_module_note(&t->s, &m, true);
	end = t->img + t->s.next * JTRACE_GRANULE - sizeof(keep);
	jtrace_module_note(&t->s, &other, true);
	for (i = 0; t->s.next < t->s.end - 8; i++)
		jtrace_site_intern(&t->s, "tag", "file.c", "function", i, JTRACE_SITE_CALL, 0);
	jtrace_module_end(&t->s, 9, 5);
	next_is(test, t, &nr, 1, ~0ULL);
	jtrace_module_end(&t->s, 8, 5);
	/* The end that it has stays. */
	jtrace_module_end(&t->s, 8, 6);
	nr = 0;
	next_is(test, t, &nr, 1, 5);
	next_is(test, t, &nr, 0, ~0ULL);
	memcpy(keep, end, sizeof(keep));
	for (i = 0; i <= 12; i++) {
		if (i < 12)
			end[i] ^= 1;
		else
			memcpy(end, zero, sizeof(zero));
		nr = jtrace_module_next(&t->l, t->img, FAKE_ID, 0, &m);
		KUNIT_EXPECT_NE_MSG(test, nr, first + 1, "byte %u", i);
		memcpy(end, keep, sizeof(keep));
	}
	nr = 0;
	next_is(test, t, &nr, 1, 5);
}

/*
 * A module that is loaded again has another record.  If there is no room, it takes that of the one
 * that was unloaded first, of those of its size; never that of one that is loaded.
 */
static void loaded_again(struct kunit *test)
{
	struct jtrace_module m = { .name = "m", .module = 8 };
	struct jtrace_module other = { .name = "a longer name", .from = 9 };
	struct table *t = table_new(test, 12000);
	u32 nr = 0, places;
	u64 i;

	for (i = 1; i <= 3; i++) {
		m.from = 10 * i;
		jtrace_module_note(&t->s, &m, true);
		jtrace_module_end(&t->s, m.module, 10 * i + 1);
	}
	for (i = 1; i <= 3; i++)
		next_is(test, t, &nr, 10 * i, 10 * i + 1);
	while (t->s.next < t->s.end - 40)
		jtrace_site_intern(&t->s, "tag", "file.c", "function", t->s.next, JTRACE_SITE_CALL, 0);
	places = t->s.nr_modules;
	jtrace_module_note(&t->s, &other, true);
	KUNIT_EXPECT_EQ(test, t->s.modules_unstored, 1);
	for (i = 4; i <= 50; i++) {
		m.from = 10 * i;
		jtrace_module_note(&t->s, &m, true);
		if (i < 50)
			jtrace_module_end(&t->s, m.module, 10 * i + 1);
	}
	KUNIT_EXPECT_EQ(test, t->s.modules_unstored, 1);
	KUNIT_EXPECT_EQ(test, t->s.nr_modules, places);
	nr = 0;
	next_is(test, t, &nr, 490, 491);
	next_is(test, t, &nr, 500, ~0ULL);
	next_is(test, t, &nr, 480, 481);
	/* Two more places of this size, then none. */
	for (i = 0; i < 3; i++)
		jtrace_module_note(&t->s, &m, true);
	KUNIT_EXPECT_EQ(test, t->s.modules_unstored, 2);
}

/* A copy of a record tells when it changed last. */
static void changed(struct kunit *test)
{
	struct jtrace_module m = { .name = "m", .module = 8, .from = 3 };
	struct table *t = table_new(test, 12000);
	struct jtrace_site_text text;
	const u8 *at = t->img + t->s.next * JTRACE_GRANULE;
	u32 len = t->s.next, number;
	u64 id;

	jtrace_module_note(&t->s, &m, true);
	len = (t->s.next - len) * JTRACE_GRANULE;
	KUNIT_EXPECT_EQ(test, jtrace_site_parse(at, len, &id, &number, &text), len);
	KUNIT_EXPECT_EQ(test, jtrace_site_parse(at, len - 1, &id, &number, &text), 0);
	KUNIT_EXPECT_EQ(test, jtrace_module_changed(at, len), 3);
	jtrace_module_end(&t->s, 8, 7);
	KUNIT_EXPECT_EQ(test, jtrace_module_changed(at, len), 7);
	t->img[t->s.next * JTRACE_GRANULE - 8] ^= 1;
	KUNIT_EXPECT_EQ(test, jtrace_module_changed(at, len), 0);
}

/* How many modules does the image have? */
static u32 count_modules(const struct table *t)
{
	struct jtrace_module m;
	u32 n = 0, nr = 0;

	while ((nr = jtrace_module_next(&t->l, t->img, FAKE_ID, nr, &m)))
		n++;
	return n;
}

/* They take a quarter, and leave a quarter of that to those that are loaded later. */
static void share_of_modules(struct kunit *test)
{
	struct jtrace_module m = { .has_id = true };
	struct table *t = table_new(test, 16000);
	u32 bytes = 32 + 8 + 20 + 64 + 4 + 16, before, share;
	u32 i;

	for (i = 0; i < 100; i++) {
		snprintf(m.name, sizeof(m.name), "before%02u", i);
		jtrace_module_note(&t->s, &m, false);
	}
	before = count_modules(t);
	for (i = 0; i < 100; i++) {
		snprintf(m.name, sizeof(m.name), "later%03u", i);
		jtrace_module_note(&t->s, &m, true);
	}
	share = (t->l.sites_end - t->l.sites_off) / 4;
	KUNIT_EXPECT_LE(test, before * bytes, share * 3 / 4);
	KUNIT_EXPECT_GE(test, (before + 2) * bytes, share * 3 / 4);
	KUNIT_EXPECT_LE(test, count_modules(t) * bytes, share);
	KUNIT_EXPECT_GE(test, (count_modules(t) + 2) * bytes, share);
	KUNIT_EXPECT_EQ(test, atomic64_read(&t->s.unstored), 0);
	KUNIT_EXPECT_EQ(test, t->s.modules_unstored + count_modules(t), 200);
}

/* The build id is found among the first and the last data, wherever its note ends, and not else. */
static void build_id(struct kunit *test)
{
	static const u32 note[] = { 4, JTRACE_BUILD_ID_SIZE, 3, 0x00554e47 };
	const u32 len = sizeof(note) + JTRACE_BUILD_ID_SIZE, size = 2 << 20;
	const struct {
		u32 at, size;
		bool there;
	} all[] = {
		{ 0, size, true }, { 0, len, true }, { 0, len - 1, false }, { 4, len + 4, true },
		{ 2, 4096, false }, { (64 << 10) - len, size, true },
		{ (64 << 10) - len + 4, size, false }, { size - (1 << 20) - 4, size, false },
		{ size - (1 << 20), size, true }, { size - len, size, true },
		{ size - len - 3, size - 3, false }, { 320 << 10, 400 << 10, true },
	};
	u8 *data = kunit_kzalloc(test, size, GFP_KERNEL), id[JTRACE_BUILD_ID_SIZE];
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, data);
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		u8 *at = data + all[i].at;

		memcpy(at, note, sizeof(note));
		memset(at + sizeof(note), 0x5a, JTRACE_BUILD_ID_SIZE);
		memset(id, 0, sizeof(id));
		KUNIT_EXPECT_EQ_MSG(test, jtrace_module_find_id(data, all[i].size, id),
				    all[i].there, "case %u", i);
		KUNIT_EXPECT_EQ(test, !memcmp(id, at + sizeof(note), sizeof(id)), all[i].there);
		memset(at, 0, len);
	}
	/* Another kind of note, and one with an id of another length. */
	memcpy(data, note, sizeof(note));
	data[8] = 1;
	KUNIT_EXPECT_FALSE(test, jtrace_module_find_id(data, 4096, id));
	data[8] = 3;
	data[4] = 16;
	KUNIT_EXPECT_FALSE(test, jtrace_module_find_id(data, 4096, id));
}

static struct kunit_case module_cases[] = {
	KUNIT_CASE(build_id),
	KUNIT_CASE(changed),
	KUNIT_CASE(ends),
	KUNIT_CASE(loaded_again),
	KUNIT_CASE(read_as_noted),
	KUNIT_CASE(share_of_modules),
	{}
};

static struct kunit_suite jtrace_module_suite = {
	.name = "jtrace_module_test",
	.test_cases = module_cases,
};

kunit_test_suite(jtrace_module_suite);
