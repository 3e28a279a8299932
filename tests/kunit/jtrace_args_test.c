// SPDX-License-Identifier: GPL-2.0
/*
 * The kind of a site, and the types of its arguments.
 */

#include "helpers.h"

static struct jtrace_site_text text;

static struct fake *sites_new(struct kunit *test)
{
	struct jtrace_layout l;

	fake_layout(&l, 8, JTRACE_KIND_LARGE, 3);
	return fake_new(test, &l, 1, false, 1);
}

/* Sites with the same text. */
static u32 intern(struct fake *f, u8 kind, u32 args)
{
	u32 n = jtrace_site_intern(&f->sites, "tag", "f.c", "fn", 1, kind, args);

	KUNIT_ASSERT_TRUE(f->test, jtrace_site_stored(&f->sites, n));
	return n;
}

static struct jtrace_site_text *read_site(struct fake *f, u32 n)
{
	memset(&text, 0xaa, sizeof(text));
	KUNIT_ASSERT_TRUE(f->test, jtrace_site_read(&f->l, f->img, FAKE_ID, n, &text));
	KUNIT_EXPECT_STREQ(f->test, (const char *)text.tag, "tag");
	KUNIT_EXPECT_STREQ(f->test, (const char *)text.file, "f.c");
	KUNIT_EXPECT_STREQ(f->test, (const char *)text.func, "fn");
	KUNIT_EXPECT_EQ(f->test, text.line, 1);
	return &text;
}

#define TOLD	JTRACE_ARGS_TOLD

/* A site's kind and types are read back, and sites that differ in them are two sites. */
static void kind_and_types(struct kunit *test)
{
	static const struct {
		u8 kind;
		u32 args;
	} of[] = {
		{ JTRACE_SITE_CALL, 0 }, { JTRACE_SITE_CALL, TOLD },
		{ JTRACE_SITE_CALL, TOLD | 0x1 }, { JTRACE_SITE_CALL, TOLD | 0x7 },
		{ JTRACE_SITE_CALL, TOLD | 0x997777 }, { JTRACE_SITE_CALL, TOLD | 0x996521 },
		{ JTRACE_SITE_CALL, TOLD | 0x843376 }, { JTRACE_SITE_PROBE, 0 },
		{ JTRACE_SITE_PROBE, TOLD }, { JTRACE_SITE_EVENT, TOLD },
		{ JTRACE_SITE_EVENT, TOLD | 0x900000 }, { JTRACE_SITE_EVENT, TOLD | 0x980409 },
	};
	struct fake *f = sites_new(test);
	u32 n[ARRAY_SIZE(of)], i, k;

	for (i = 0; i < ARRAY_SIZE(of); i++) {
		n[i] = intern(f, of[i].kind, of[i].args);
		for (k = 0; k < i; k++)
			KUNIT_EXPECT_NE(test, n[i], n[k]);
	}
	for (i = 0; i < ARRAY_SIZE(of); i++) {
		struct jtrace_site_text *got = read_site(f, n[i]);

		KUNIT_EXPECT_EQ(test, n[i], intern(f, of[i].kind, of[i].args));
		KUNIT_EXPECT_EQ(test, got->kind, of[i].kind);
		KUNIT_EXPECT_EQ(test, got->args, of[i].args);
	}
	KUNIT_EXPECT_EQ(test, atomic64_read(&f->sites.stored), FAKE_SITES + ARRAY_SIZE(of));
	KUNIT_EXPECT_EQ(test, jtrace_arg_type(TOLD | 0x996521, 0), JTRACE_ARG_U8);
	KUNIT_EXPECT_EQ(test, jtrace_arg_type(TOLD | 0x996521, 3), JTRACE_ARG_S16);
	KUNIT_EXPECT_EQ(test, jtrace_arg_type(TOLD | 0x996521, 5), JTRACE_ARG_POINTER);
}

/* A site that passes over hits is another one, with the same types. */
static void partial(struct kunit *test)
{
	struct fake *f = sites_new(test);
	u32 args[] = { TOLD | 0x7, 0 }, i, whole, n;

	for (i = 0; i < ARRAY_SIZE(args); i++) {
		whole = intern(f, JTRACE_SITE_EVENT, args[i]);
		n = intern(f, JTRACE_SITE_EVENT, args[i] | JTRACE_ARGS_PARTIAL);
		KUNIT_EXPECT_NE(test, n, whole);
		KUNIT_EXPECT_TRUE(test, read_site(f, n)->partial);
		KUNIT_EXPECT_EQ(test, text.args, args[i]);
		KUNIT_EXPECT_FALSE(test, read_site(f, whole)->partial);
		KUNIT_EXPECT_EQ(test, text.args, args[i]);
	}
}

/* Are the types possible?  Written after the uapi header, one argument at a time. */
static bool types_can_be(u32 args)
{
	static const u8 width[16] = { 0, 1, 2, 4, 8, 1, 2, 4, 8, 8, 16, 16, 16, 16, 16, 16 };
	u32 n, fields;

	if ((args >> 24 & 0xbf) != 0x80)
		return false;
	for (n = 0; n < 6; n += fields) {
		u8 now = width[args >> 4 * n & 15], next = width[args >> 4 * (n + 1) & 15];

		fields = 1;
		if (now > 8)
			return false;
		if (now == 8 && n < 4) {
			if (n % 2 || next)
				return false;
			fields = 2;
		}
	}
	return true;
}

/* Impossible types with a right CRC: the site is shown, its types are not. */
static void hostile_types(struct kunit *test)
{
	struct fake *f = sites_new(test);
	u32 n = intern(f, JTRACE_SITE_CALL, TOLD), args, i, known = 0;
	struct jtrace_site_record *r = (void *)(f->img + n * 8);
	u64 rnd = 11;

	for (i = 0; i < 200000; i++) {
		/* Two arguments with all values, then one more bit, then random values. */
		if (i < 0x300)
			args = TOLD | (i & 0xff) << 8 * (i >> 8);
		else if (i < 0x400)
			args = (i & 0x80 ? TOLD : 0) | 1U << i % 32 | 0x77;
		else
			args = random_next(&rnd) & (i & 1 ? U32_MAX : TOLD | 0x999999);
		r->args = cpu_to_le32(args);
		r->crc = cpu_to_le32(jtrace_crc32c(~0U, &r->image_id, 24 + 8));
		KUNIT_ASSERT_EQ_MSG(test, read_site(f, n)->args,
				    types_can_be(args) ? args & ~JTRACE_ARGS_PARTIAL : 0,
				    "0x%x", args);
		known += types_can_be(args);
	}
	KUNIT_EXPECT_GT(test, known, 1000);
}

static struct kunit_case args_cases[] = {
	KUNIT_CASE(kind_and_types),
	KUNIT_CASE(partial),
	KUNIT_CASE(hostile_types),
	{}
};

static struct kunit_suite jtrace_args_suite = {
	.name = "jtrace_args_test",
	.test_cases = args_cases,
};

kunit_test_suite(jtrace_args_suite);
