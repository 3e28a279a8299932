// SPDX-License-Identifier: GPL-2.0
/* Layouts of any size for any machine stay within bounds and keep their promises. */
#include "helpers.h"

#define HEADER	sizeof(struct jtrace_image_header)

static void check_layout(struct kunit *test, const struct jtrace_layout *l, u64 size, u32 kind)
{
	u32 entry = kind == JTRACE_KIND_LARGE ? 64 : 24;
	u64 chunk = 1ULL << l->chunk_shift;

	KUNIT_ASSERT_EQ(test, l->size, size / 128 * 128);
	KUNIT_ASSERT_EQ(test, l->sites_off, HEADER);
	KUNIT_ASSERT_EQ(test, l->sites_off % 8, 0);
	KUNIT_ASSERT_LE(test, l->sites_off, l->sites_end);
	KUNIT_ASSERT_LE(test, l->sites_end, l->chunks_off);
	KUNIT_ASSERT_LE(test, l->chunks_off + l->nr_chunks * chunk + HEADER, l->size);
	/* Aligned to a power of two: no entry crosses a page. */
	KUNIT_ASSERT_TRUE(test, chunk >= 128 && chunk <= 4096);
	KUNIT_ASSERT_EQ(test, l->chunks_off % chunk, 0);
	KUNIT_ASSERT_EQ(test, l->kind, kind);
	KUNIT_ASSERT_EQ(test, l->entry_size, entry);
	KUNIT_ASSERT_EQ(test, l->entries, (chunk - 64) / entry);
	KUNIT_ASSERT_EQ(test, l->first_off + l->entries * entry, chunk);
	KUNIT_ASSERT_GE(test, l->first_off, 64);
	KUNIT_ASSERT_EQ(test, l->first_off % 8, 0);
	KUNIT_ASSERT_GE(test, l->entries, 1);
}

/* Does a layout have the chunks and entries that its fit promises? */
static bool fit_kept(const struct jtrace_layout *l, u32 cpus, enum jtrace_fit fit)
{
	static const u32 per[] = { 3, 2, 2, 1 }, more[] = { 4, 2, 2, 2 };

	return l->nr_chunks >= per[fit] * cpus + more[fit] &&
	       (fit > JTRACE_FIT_TIGHT || l->entries >= 4);
}

static void plan_all_sizes(struct kunit *test)
{
	static const u32 cpus[] = { 1, 2, 3, 4, 7, 8, 16, 61, 64, 256, 1024 };
	struct jtrace_layout l;
	enum jtrace_fit fit;
	u64 size;
	u32 i, kind;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		for (kind = JTRACE_KIND_SMALL; kind <= JTRACE_KIND_LARGE; kind++) {
			for (size = 0; size < 100000; size += size < 9000 ? 64 : 1111) {
				fit = jtrace_layout_plan(&l, size, 0, cpus[i], kind);
				if (fit == JTRACE_FIT_NONE)
					continue;
				check_layout(test, &l, size, kind);
				KUNIT_ASSERT_TRUE(test, fit_kept(&l, cpus[i], fit));
			}
		}
	}
}

static void plan_extremes(struct kunit *test)
{
	struct jtrace_layout l;
	u64 size;

	for (size = 0; size < 2 * HEADER; size++)
		KUNIT_EXPECT_EQ(test, jtrace_layout_plan(&l, size, 0, 1, JTRACE_KIND_SMALL),
				JTRACE_FIT_NONE);
	KUNIT_EXPECT_EQ(test, jtrace_layout_plan(&l, U32_MAX, 0, 4, JTRACE_KIND_LARGE),
			JTRACE_FIT_FULL);
	check_layout(test, &l, U32_MAX, JTRACE_KIND_LARGE);
	KUNIT_EXPECT_EQ(test, l.chunk_shift, 12);
	KUNIT_EXPECT_EQ(test, jtrace_layout_plan(&l, 1ULL << 32, 0, 4, JTRACE_KIND_LARGE),
			JTRACE_FIT_NONE);
	KUNIT_EXPECT_EQ(test, jtrace_layout_plan(&l, ~0ULL, 0, 4, JTRACE_KIND_LARGE),
			JTRACE_FIT_NONE);
	KUNIT_EXPECT_EQ(test, jtrace_layout_plan(&l, 1 << 20, 0, U32_MAX, JTRACE_KIND_LARGE),
			JTRACE_FIT_NONE);
	KUNIT_EXPECT_EQ(test, jtrace_layout_plan(&l, 1 << 20, 0, 4, 0), JTRACE_FIT_NONE);
	KUNIT_EXPECT_EQ(test, jtrace_layout_plan(&l, 1 << 20, 0, 4, 3), JTRACE_FIT_NONE);
	KUNIT_EXPECT_FALSE(test, jtrace_layout_chunk(&l, 6, JTRACE_KIND_SMALL));
	KUNIT_EXPECT_FALSE(test, jtrace_layout_chunk(&l, 13, JTRACE_KIND_SMALL));
}

/* More bytes never give a worse fit, nor fewer chunks of the same size. */
static void plan_is_monotonic(struct kunit *test)
{
	static const u32 cpus[] = { 1, 4, 13, 64 };
	u32 chunks[JTRACE_MAX_CHUNK_SHIFT + 1];
	struct jtrace_layout l;
	enum jtrace_fit fit, best;
	u64 size;
	u32 i, kind;

	for (i = 0; i < 2 * ARRAY_SIZE(cpus); i++) {
		kind = JTRACE_KIND_SMALL + i % 2;
		best = JTRACE_FIT_NONE;
		memset(chunks, 0, sizeof(chunks));
		for (size = 0; size < 300000; size += JTRACE_SIZE_ALIGN) {
			fit = jtrace_layout_plan(&l, size, 0, cpus[i / 2], kind);
			KUNIT_ASSERT_LE(test, fit, best);
			best = fit;
			if (fit == JTRACE_FIT_NONE)
				continue;
			KUNIT_ASSERT_GE(test, l.nr_chunks, chunks[l.chunk_shift]);
			chunks[l.chunk_shift] = l.nr_chunks;
		}
	}
}

static void smallest_is_smallest(struct kunit *test)
{
	enum jtrace_fit got;
	struct jtrace_layout l;
	enum jtrace_fit fit;
	u32 cpus, kind;
	u64 size;

	for (cpus = 1; cpus <= 1024; cpus++) {
		for (kind = JTRACE_KIND_SMALL; kind <= JTRACE_KIND_LARGE; kind++) {
			for (fit = JTRACE_FIT_FULL; fit < JTRACE_FIT_NONE; fit++) {
				size = jtrace_layout_smallest(0, cpus, kind, fit);
				KUNIT_ASSERT_GT(test, size, 0);
				KUNIT_ASSERT_EQ(test, size % JTRACE_SIZE_ALIGN, 0);
				got = jtrace_layout_plan(&l, size, 0, cpus, kind);
				KUNIT_ASSERT_LE(test, got, fit);
				size -= JTRACE_SIZE_ALIGN;
				got = jtrace_layout_plan(&l, size, 0, cpus, kind);
				KUNIT_ASSERT_GT(test, got, fit);
			}
		}
	}
	KUNIT_EXPECT_EQ(test, jtrace_layout_smallest(0, U32_MAX, JTRACE_KIND_LARGE,
						     JTRACE_FIT_POOR), 0);
	KUNIT_EXPECT_EQ(test, jtrace_layout_smallest(0, 1, 7, JTRACE_FIT_POOR), 0);
}

/* A site table of any requested size has that size, or is refused. */
static void sites_of_any_size(struct kunit *test)
{
	static const u32 cpus[] = { 1, 4, 64 };
	struct jtrace_layout l, other;
	enum jtrace_fit fit;
	u64 size, sites, most;
	u32 i, kind, nr;

	for (i = 0; i < 2 * ARRAY_SIZE(cpus); i++) {
		kind = JTRACE_KIND_SMALL + i % 2;
		for (size = 1024; size < 1 << 20; size += size / 3) {
			most = jtrace_layout_most_sites(size, cpus[i / 2], kind);
			for (sites = 1, nr = 0; sites <= size + 128; sites += 1 + sites / 5) {
				fit = jtrace_layout_plan(&l, size, sites, cpus[i / 2], kind);
				KUNIT_ASSERT_EQ(test, fit < JTRACE_FIT_NONE, sites <= most);
				if (fit == JTRACE_FIT_NONE)
					continue;
				nr++;
				check_layout(test, &l, size, kind);
				KUNIT_ASSERT_TRUE(test, fit_kept(&l, cpus[i / 2], fit));
				KUNIT_ASSERT_GE(test, l.sites_end - l.sites_off, sites);
				KUNIT_ASSERT_LT(test, l.sites_end - l.sites_off,
						sites + (1U << l.chunk_shift));
			}
			KUNIT_ASSERT_EQ(test, !most, !nr);
		}
	}
	/* Room for the table, in addition to the rest. */
	for (sites = 1; sites <= JTRACE_LARGEST_SITES; sites *= 2) {
		size = jtrace_layout_smallest(sites, 4, JTRACE_KIND_LARGE, JTRACE_FIT_FULL);
		KUNIT_EXPECT_EQ(test, jtrace_layout_plan(&l, size, sites, 4, JTRACE_KIND_LARGE),
				JTRACE_FIT_FULL);
		jtrace_layout_plan(&l, 32768, 0, 4, JTRACE_KIND_LARGE);
		KUNIT_EXPECT_EQ(test, jtrace_layout_plan(&other, 32768 + sites, sites, 4,
							 JTRACE_KIND_LARGE), JTRACE_FIT_FULL);
		KUNIT_EXPECT_GE(test, jtrace_layout_entries(&other), jtrace_layout_entries(&l));
	}
	KUNIT_EXPECT_EQ(test, jtrace_layout_plan(&l, 1 << 20, ~0ULL, 4, JTRACE_KIND_LARGE),
			JTRACE_FIT_NONE);
	KUNIT_EXPECT_EQ(test, jtrace_layout_most_sites(~0ULL, 4, JTRACE_KIND_LARGE), 0);
}

/* The example of the documentation: 4096 bytes, 4 CPUs. */
static void documented_example_loads(struct kunit *test)
{
	struct jtrace_layout l;
	u32 kind;

	for (kind = JTRACE_KIND_SMALL; kind <= JTRACE_KIND_LARGE; kind++) {
		KUNIT_EXPECT_LT(test, jtrace_layout_plan(&l, 4096, 0, 4, kind), JTRACE_FIT_NONE);
		check_layout(test, &l, 4096, kind);
		KUNIT_EXPECT_GE(test, jtrace_layout_entries(&l), 10);
	}
}

/* The capacity of a buffer of the default size on a machine with many CPUs. */
static void default_size_for_many_cpus(struct kunit *test)
{
	struct jtrace_layout l;

	KUNIT_EXPECT_EQ(test, jtrace_layout_plan(&l, 16 * 12288, 0, 16, JTRACE_KIND_LARGE),
			JTRACE_FIT_FULL);
	KUNIT_EXPECT_GE(test, jtrace_layout_entries(&l), 16 * 150);
	KUNIT_EXPECT_GE(test, l.entries, 30);
}

static struct kunit_case layout_cases[] = {
	KUNIT_CASE(plan_all_sizes),
	KUNIT_CASE(plan_extremes),
	KUNIT_CASE(plan_is_monotonic),
	KUNIT_CASE(smallest_is_smallest),
	KUNIT_CASE(sites_of_any_size),
	KUNIT_CASE(documented_example_loads),
	KUNIT_CASE(default_size_for_many_cpus),
	{}
};

static struct kunit_suite jtrace_layout_suite = {
	.name = "jtrace_layout_test",
	.test_cases = layout_cases,
};

kunit_test_suite(jtrace_layout_suite);
