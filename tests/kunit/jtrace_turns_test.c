// SPDX-License-Identifier: GPL-2.0
/*
 * Kernels that take turns in one region: each recovers what is there, clears it, begins
 * an image of its own size, kind and number of CPUs, records, and dies.
 *
 * Nothing but the clearing removes the images of earlier kernels, and power may fail while
 * a kernel clears or writes a header.  The next kernel shows
 *
 * - if the newest image has a header: all of that image, and nothing else;
 * - otherwise the remains of one earlier image, and reports it as damaged.
 */

#include "helpers.h"

#define REGION	32768
#define HEADER	sizeof(struct jtrace_image_header)

/* Number of kernels in each history. */
#ifdef __KERNEL__
#define TURNS	40
#elif !defined(TURNS)
#define TURNS	150
#endif

struct turns {
	struct kunit *test;
	u64 rnd;
	u8 *region;
	u8 *before;
	u8 *after;
	struct fake *image[TURNS];	/* each kernel's image */
	u32 nr;
	bool cut_off;			/* power failed while the last image was cleared */
	bool first;			/* is the first header of the last image whole? */
	bool copy;			/* is the backup header? */
	/* Number of times. */
	u32 all;
	u32 left;
	u32 nothing;
};

/* ---- Writing ---------------------------------------------------------- */

/*
 * Power fails while @bytes at @at are written: some lines reach memory, one of them partly if the
 * memory is not cached.
 */
static void tear(struct turns *w, u64 at, u32 bytes)
{
	u32 i;

	for (i = 0; i < bytes; i += JTRACE_LINE) {
		u32 words = random_below(&w->rnd, 3) ? 8 : random_below(&w->rnd, 8);

		memcpy(w->region + at + i, w->after + at + i, words * sizeof(u64));
	}
}

/* Is the header at @at the old one of this image, or the new one? */
static bool whole(const struct turns *w, u64 at, bool old)
{
	return (old && !memcmp(w->region + at, w->before + at, HEADER)) ||
	       !memcmp(w->region + at, w->after + at, HEADER);
}

/* A header was written over an @old one: it is there, or power failed meanwhile. */
static void header_written(struct turns *w, struct fake *f, bool old)
{
	u64 last = f->l.size - HEADER;
	u32 fails = random_below(&w->rnd, 6);

	memcpy(w->after, w->region, REGION);
	if (fails < 2) {
		memcpy(w->region, w->before, REGION);
		if (!fails)
			memcpy(w->region, w->after, HEADER);
		tear(w, fails ? 0 : last, HEADER);
	}
	w->first = whole(w, 0, old);
	w->copy = whole(w, last, old && w->copy);
}

/* Clear like jtrace_image_clear(); false if power fails meanwhile: the first line is gone. */
static bool clear(struct turns *w, u32 size)
{
	bool in_order = random_below(&w->rnd, 2);
	u32 to = random_below(&w->rnd, size), i;

	w->cut_off = !random_below(&w->rnd, 4);
	if (!w->cut_off) {
		jtrace_image_clear(w->region, size, false);
		return true;
	}
	for (i = 0; i <= to; i += JTRACE_LINE)
		if (!i || in_order || random_below(&w->rnd, 2))
			memset(w->region + i, 0, JTRACE_LINE);
	return false;
}

/* Any image that fits. */
static u32 any_layout(struct turns *w, u32 size, struct jtrace_layout *l)
{
	u32 cpus;

	do {
		u8 form = (JTRACE_KIND_SMALL + random_below(&w->rnd, 2)) | JTRACE_FORM_CHECKED;
		u8 shift = JTRACE_MIN_CHUNK_SHIFT + random_below(&w->rnd, 6);

		cpus = 1 + random_below(&w->rnd, 4);
		fake_layout(l, shift, form | (random_below(&w->rnd, 2) ? JTRACE_FORM_MONO : 0),
			    2 * cpus + 2 + random_below(&w->rnd, REGION >> shift));
	} while (l->size > size);
	return cpus;
}

static void begin(struct turns *w, u32 size)
{
	struct jtrace_layout l;
	u32 cpus = any_layout(w, size, &l);
	struct fake *f;

	memcpy(w->before, w->region, REGION);
	f = fake_new_at(w->test, w->region, random_next(&w->rnd), &l, cpus,
			random_below(&w->rnd, 4) != 0, 400);
	f->now = (u64)(w->nr + 1) << 32;	/* identifies the entry's kernel */
	header_written(w, f, false);
	w->image[w->nr++] = f;
}

static void record(struct turns *w)
{
	struct fake *f = w->image[w->nr - 1];
	u32 events = random_below(&w->rnd, f->most - 10), i, cpu = 0;

	for (i = 0; i < events; i++) {
		if (!random_below(&w->rnd, 6))
			cpu = random_below(&w->rnd, f->cpus);
		if (!random_below(&w->rnd, 300)) {
			fake_clear(f);
			w->copy = true;
		}
		fake_record_at(f, cpu, f->now);
		f->now += random_below(&w->rnd, 3);
	}
	if (random_below(&w->rnd, 2))
		fake_reserve(f, cpu);
}

/* The kernel writes how it ended, or cannot. */
static void end(struct turns *w)
{
	static const u8 how[] = {
		JTRACE_STATE_PANICKED, JTRACE_STATE_CLEAN, JTRACE_STATE_UNLOADED,
	};
	struct fake *f = w->image[w->nr - 1];

	if (!random_below(&w->rnd, 3))
		return;
	memcpy(w->before, w->region, REGION);
	f->h.state = how[random_below(&w->rnd, ARRAY_SIZE(how))];
	jtrace_header_write(w->region, &f->h);
	header_written(w, f, true);
}

/* ---- Reading ---------------------------------------------------------- */

static void judge_all(struct turns *w, struct fake *f, u32 size)
{
	u32 i, n = 0;

	KUNIT_ASSERT_TRUE(w->test, f == w->image[w->nr - 1]);
	fake_check_order(f);
	for (i = 0; i < f->nr; i++)
		n += fake_visible(f, i) && f->l.chunks_off +
		     ((f->event[i].index + 1ULL) << f->l.chunk_shift) <= size;
	KUNIT_ASSERT_EQ(w->test, f->t.found, n);
	w->all++;
}

static void judge_left(struct turns *w, struct fake *f)
{
	static struct jtrace_walk walk;
	const struct jtrace_decoded *ev;

	KUNIT_ASSERT_EQ(w->test, f->t.verdict, JTRACE_DAMAGED);
	jtrace_walk_each(&walk, &f->t, ev) {
		KUNIT_ASSERT_TRUE_MSG(w->test, fake_matches(f, ev), "false: %u", ev->arg[0]);
		KUNIT_ASSERT_FALSE_MSG(w->test, f->seen[ev->arg[0]], "twice: %u", ev->arg[0]);
		f->seen[ev->arg[0]] = true;
	}
	w->left += f->t.found > 0;
}

/* Does a kernel that maps @size bytes find a header of the newest image? */
static bool header_found(const struct turns *w, u32 size)
{
	return w->nr && !w->cut_off &&
	       (w->first || (w->copy && w->image[w->nr - 1]->l.size <= size));
}

static void recover(struct turns *w, u32 size)
{
	struct jtrace_trace t;
	void *room;
	u32 i;

	jtrace_recover_open(&t, w->region, size);
	if (t.verdict == JTRACE_EMPTY || t.verdict == JTRACE_UNREADABLE) {
		KUNIT_ASSERT_FALSE(w->test, header_found(w, size));
		w->nothing++;
		return;
	}
	for (i = 0; i < w->nr && w->image[i]->id != t.image_id; i++)
		;
	KUNIT_ASSERT_LT(w->test, i, w->nr);
	memset(w->image[i]->seen, 0, w->image[i]->most * sizeof(bool));
	w->image[i]->t = t;
	room = kunit_kzalloc(w->test, jtrace_recover_room(&t), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(w->test, room);
	jtrace_recover_scan(&w->image[i]->t, room);
	if (header_found(w, size))
		judge_all(w, w->image[i], size);
	else
		judge_left(w, w->image[i]);
}

/* ---- Histories -------------------------------------------------------- */

/* @sizes: the mapped size changes. */
static void history(struct kunit *test, u64 seed, bool sizes)
{
	struct turns *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	u32 i, size = REGION;

	kunit_info(test, "seed %llu", (unsigned long long)seed);
	KUNIT_ASSERT_NOT_NULL(test, w);
	w->test = test;
	w->rnd = random_hash(seed);
	w->region = kunit_kzalloc(test, REGION, GFP_KERNEL);
	w->before = kunit_kzalloc(test, REGION, GFP_KERNEL);
	w->after = kunit_kzalloc(test, REGION, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, w->region);
	KUNIT_ASSERT_NOT_NULL(test, w->before);
	KUNIT_ASSERT_NOT_NULL(test, w->after);
	for (i = 0; i < TURNS; i++) {
		if (sizes)
			size = JTRACE_PAGE * (1 + random_below(&w->rnd, REGION / JTRACE_PAGE));
		recover(w, size);
		if (!clear(w, size))
			continue;
		begin(w, size);
		if (!w->first)
			continue;
		record(w);
		end(w);
	}
	kunit_info(test, "%u images, %u times all, %u times the rest, %u times nothing", w->nr,
		   w->all, w->left, w->nothing);
	KUNIT_EXPECT_GT(test, w->all, TURNS / 3);
	KUNIT_EXPECT_GT(test, w->left, 0);
}

static void one_region(struct kunit *test)
{
	u32 i;

	for (i = 0; i < 4; i++)
		history(test, 20000 + i, false);
}

static void region_of_other_sizes(struct kunit *test)
{
	u32 i;

	for (i = 0; i < 4; i++)
		history(test, 21000 + i, true);
}

static struct kunit_case turns_cases[] = {
	KUNIT_CASE(one_region),
	KUNIT_CASE(region_of_other_sizes),
	{}
};

static struct kunit_suite jtrace_turns_suite = {
	.name = "jtrace_turns_test",
	.test_cases = turns_cases,
};

kunit_test_suite(jtrace_turns_suite);
