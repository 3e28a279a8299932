// SPDX-License-Identifier: GPL-2.0
/*
 * Random histories of small machines, whose images are then damaged at random.
 *
 * After any damage, nothing is shown that was not recorded: each shown entry equals the model's
 * entry in that place, none twice, in order, and entries of one chunk have one claim.
 *
 * Of the entries that the undamaged image shows, at least 95 % of those with undamaged bytes are
 * shown for each image.  Not counted are
 *
 * - entries of a chunk whose end is missing with the image's end;
 * - all entries if both headers and all chunk headers are lost.
 *
 * An overwritten entry may be shown if remains of its claim are left in the chunk, and a cleared
 * one if the floor is damaged.
 *
 * tests/damage.h damages any image and signs it again.  This damage is of hardware only: lines
 * that an earlier image of the same machine had, or that are lost.  It is counted by line.
 */

#include "helpers.h"
#include "../../lib/read/render.h"

#define HEADER	sizeof(struct jtrace_image_header)
#define LINE	64
#define OLD	3

/* Number of images that each case damages. */
#ifdef __KERNEL__
#define IMAGES	8
#elif !defined(IMAGES)
#define IMAGES	100
#endif

/* A machine, copies of its memory at some moments, and the damaged memory. */
struct wreck {
	struct fake *f;
	u8 *old[OLD];
	u8 *img;
	u8 *scratch;
	u32 len;
	u64 rnd;
	u64 *shown_claim;
	u32 expected;
	u32 got;
	u32 exempt;
};

/* ---- A history -------------------------------------------------------- */

static struct fake *any_machine(struct kunit *test, u64 *rnd)
{
	u8 form = (JTRACE_KIND_SMALL + random_below(rnd, 2)) | JTRACE_FORM_CHECKED;
	u8 shift = JTRACE_MIN_CHUNK_SHIFT + random_below(rnd, 6);
	u32 cpus = 1 + random_below(rnd, 4);
	u32 chunks = 2 * cpus + 2 + random_below(rnd, 1 + (16384 >> shift));
	struct jtrace_layout l;

	fake_layout(&l, shift, form, chunks);
	return fake_new(test, &l, cpus, random_below(rnd, 4) != 0,
			3 * jtrace_layout_entries(&l) + 8);
}

static void *copy_of(struct kunit *test, const void *from, u32 size)
{
	void *to = kunit_kzalloc(test, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, to);
	memcpy(to, from, size);
	return to;
}

/* Some contexts die within a record. */
static void half_records(struct wreck *w)
{
	u32 i, n, dead = random_below(&w->rnd, 3);

	for (i = 0; i < dead; i++) {
		n = fake_reserve(w->f, random_below(&w->rnd, w->f->cpus));
		if (n != FAKE_NONE)
			fake_fill(w->f, n, jtrace_entry_place(&w->f->l, w->f->event[n].index,
							      w->f->event[n].slot));
	}
}

static struct wreck *history(struct kunit *test, u64 seed)
{
	struct wreck *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	u32 events, i, cpu = 0, next = 0;
	struct fake *f;

	KUNIT_ASSERT_NOT_NULL(test, w);
	w->rnd = random_hash(seed);
	f = any_machine(test, &w->rnd);
	w->f = f;
	w->shown_claim = kunit_kcalloc(test, f->l.nr_chunks, sizeof(u64), GFP_KERNEL);
	w->scratch = copy_of(test, f->img, f->l.size);
	KUNIT_ASSERT_NOT_NULL(test, w->shown_claim);
	events = f->most / 12 + random_below(&w->rnd, f->most * 3 / 4);
	for (i = 0; i < events; i++) {
		if (random_below(&w->rnd, 6) == 0)
			cpu = random_below(&w->rnd, f->cpus);
		if (i == events * next / OLD)
			w->old[next++] = copy_of(test, f->img, f->l.size);
		if (i == events / 2 && random_below(&w->rnd, 4) == 0)
			fake_clear(w->f);
		fake_record_at(f, cpu, f->now);
		f->now += random_below(&w->rnd, 3);
	}
	half_records(w);
	fake_check(f);
	KUNIT_ASSERT_EQ(test, f->t.verdict, JTRACE_WHOLE);
	w->img = copy_of(test, f->img, f->l.size);
	w->len = f->l.size;
	return w;
}

/* ---- Damage ----------------------------------------------------------- */

static u32 any_line(struct wreck *w)
{
	return LINE * random_below(&w->rnd, w->len / LINE);
}

static void flip_bits(struct wreck *w)
{
	u32 n = 1 + random_below(&w->rnd, 32);

	while (n--)
		w->img[random_below(&w->rnd, w->len)] ^= 1 << random_below(&w->rnd, 8);
}

static void zero_lines(struct wreck *w)
{
	u32 n = 1 + random_below(&w->rnd, 16);

	while (n--)
		memset(w->img + any_line(w), 0, LINE);
}

static void zero_page(struct wreck *w)
{
	u32 page = JTRACE_PAGE * random_below(&w->rnd, w->len / JTRACE_PAGE + 1);

	memset(w->img + page, 0, min_t(u32, JTRACE_PAGE, w->len - page));
}

static void lose_headers(struct wreck *w)
{
	w->img[random_below(&w->rnd, HEADER)] ^= 1 << random_below(&w->rnd, 8);
	if (w->len == w->f->l.size)
		w->img[w->len - HEADER + random_below(&w->rnd, HEADER)] ^= 1;
}

/* Copy the remains to memory of their size, so that KASAN sees a read beyond it. */
static void cut_tail(struct wreck *w)
{
	w->len = HEADER + random_below(&w->rnd, w->len - HEADER);
	w->img = copy_of(w->f->test, w->img, w->len);
}

static void swap_chunks(struct wreck *w)
{
	u32 size = 1U << w->f->l.chunk_shift, n = 1 + random_below(&w->rnd, 3), i;

	while (n--) {
		u32 a = w->f->l.chunks_off + size * random_below(&w->rnd, w->f->l.nr_chunks);
		u32 b = w->f->l.chunks_off + size * random_below(&w->rnd, w->f->l.nr_chunks);

		if (a + size > w->len || b + size > w->len)
			continue;
		for (i = 0; i < size; i++)
			swap(w->img[a + i], w->img[b + i]);
	}
}

/* Lines that did not reach memory since an earlier moment, often lines of headers. */
static void stale_lines(struct wreck *w)
{
	u32 n = 1 + random_below(&w->rnd, 24), at;

	while (n--) {
		const u8 *old = w->old[random_below(&w->rnd, OLD)];

		at = random_below(&w->rnd, 2) ? any_line(w) : w->f->l.chunks_off +
		     (random_below(&w->rnd, w->f->l.nr_chunks) << w->f->l.chunk_shift);
		if (old && at + LINE <= w->len)
			memcpy(w->img + at, old + at, LINE);
	}
}

static void garbage(struct wreck *w)
{
	u32 n = 1 + random_below(&w->rnd, 3);

	while (n--) {
		u32 at = random_below(&w->rnd, w->len), bytes = random_below(&w->rnd, 400);

		for (; bytes && at < w->len; bytes--)
			w->img[at++] = random_next(&w->rnd);
	}
}

static void (* const damages[])(struct wreck *w) = {
	flip_bits, zero_lines, zero_page, lose_headers, cut_tail, swap_chunks, stale_lines,
	garbage,
};

/* ---- Judgment --------------------------------------------------------- */

static u32 offset_of(const struct fake *f, u32 n)
{
	return jtrace_entry_place(&f->l, f->event[n].index, f->event[n].slot) * JTRACE_GRANULE;
}

static bool same_bytes(const struct wreck *w, u32 at, u32 bytes)
{
	return at + bytes <= w->len && !memcmp(w->img + at, w->f->img + at, bytes);
}

static bool header_hit(const struct wreck *w, u32 index)
{
	return !same_bytes(w, w->f->l.chunks_off + (index << w->f->l.chunk_shift), LINE);
}

/* Are the bytes at its place the ones that the writer stored? */
static bool intact(struct wreck *w, u32 n)
{
	const struct fake_event *e = &w->f->event[n];
	u32 at = offset_of(w->f, n);
	u8 *was = w->f->ring.img;

	w->f->ring.img = w->scratch;
	fake_fill(w->f, n, e->claim << 32 | jtrace_entry_place(&w->f->l, e->index, e->slot));
	w->f->ring.img = was;
	return !memcmp(w->scratch + at, w->img + at, w->f->l.entry_size);
}

/* May an entry be shown that the undamaged image does not show? */
static bool excusable(const struct wreck *w, u32 n)
{
	const struct fake_event *e = &w->f->event[n];

	if (e->cleared)
		return w->f->t.damage.nr[JTRACE_FAULT_HEADERS] || header_hit(w, e->index) ||
		       w->f->t.header.floor != w->f->h.floor;
	return header_hit(w, e->index);
}

static void judge_one(struct wreck *w, const struct jtrace_key *key,
		      const struct jtrace_decoded *ev, u32 *last_of_cpu)
{
	struct kunit *test = w->f->test;
	const struct fake_event *e;
	u32 n = ev->arg[0];

	KUNIT_ASSERT_TRUE_MSG(test, fake_matches(w->f, ev), "not recorded: %u", n);
	e = &w->f->event[n];
	KUNIT_ASSERT_TRUE_MSG(test, e->committed, "half: %u", n);
	KUNIT_ASSERT_EQ((test), (u32)key->tie * JTRACE_GRANULE, offset_of(w->f, n));
	KUNIT_ASSERT_TRUE_MSG(test, intact(w, n), "other bytes: %u", n);
	KUNIT_ASSERT_FALSE_MSG(test, w->f->seen[n], "twice: %u", n);
	KUNIT_ASSERT_TRUE_MSG(test, fake_visible(w->f, n) || excusable(w, n),
			      "overwritten or cleared: %u", n);
	w->f->seen[n] = true;
	if (!w->shown_claim[e->index])
		w->shown_claim[e->index] = e->claim;
	KUNIT_ASSERT_EQ_MSG(test, w->shown_claim[e->index], e->claim, "two claims: %u", n);
	KUNIT_ASSERT_LE(test, last_of_cpu[e->cpu], n);
	last_of_cpu[e->cpu] = n + 1;
}

/* Is the end of a chunk missing? */
static bool cut(const struct wreck *w, u32 index)
{
	return w->f->l.chunks_off + ((index + 1ULL) << w->f->l.chunk_shift) > w->len;
}

/* Is there any header, of the image or of a chunk? */
static bool any_header(const struct wreck *w)
{
	u32 i;

	if (same_bytes(w, 0, HEADER) || same_bytes(w, w->f->l.size - HEADER, HEADER))
		return true;
	for (i = 0; i < w->f->l.nr_chunks; i++)
		if (w->f->claim[i] && !header_hit(w, i) && !cut(w, i))
			return true;
	return false;
}

/* Is it an entry that does not count, see above? */
static bool exempt(const struct wreck *w, u32 n)
{
	u32 index = w->f->event[n].index;

	return cut(w, index) || !any_header(w);
}

static void count(struct wreck *w)
{
	struct fake *f = w->f;
	u32 n;

	for (n = 0; n < f->nr; n++) {
		if (!fake_visible(f, n) || !same_bytes(w, offset_of(f, n), f->l.entry_size))
			continue;
		if (exempt(w, n)) {
			w->exempt++;
			continue;
		}
		w->expected++;
		w->got += f->seen[n];
	}
}

/* Each line can be read. */
static void render(struct wreck *w)
{
	char *line = kunit_kzalloc(w->f->test, JTRACE_LINE_MAX, GFP_KERNEL);
	struct jtrace_text *text = kunit_kzalloc(w->f->test, sizeof(*text), GFP_KERNEL);
	u64 i;

	KUNIT_ASSERT_NOT_NULL(w->f->test, line);
	KUNIT_ASSERT_NOT_NULL(w->f->test, text);
	w->f->t.tell = JTRACE_TELL_BOOT;
	jtrace_text_open(text, &w->f->t, w->f->t.heap);
	for (i = 0; i < jtrace_text_lines(text); i++)
		KUNIT_ASSERT_GE(w->f->test, jtrace_text_next(text, line, JTRACE_LINE_MAX), 0);
	KUNIT_ASSERT_EQ(w->f->test, jtrace_text_next(text, line, JTRACE_LINE_MAX), -1);
}

static void judge(struct wreck *w)
{
	static struct jtrace_walk walk;
	const struct jtrace_decoded *ev;
	u32 last_of_cpu[4] = { 0 }, n = 0;
	struct fake *f = w->f;
	u64 ns, last = 0;

	memset(f->seen, 0, f->nr * sizeof(*f->seen));
	jtrace_recover_open(&f->t, w->img, w->len);
	if (f->t.verdict != JTRACE_EMPTY && f->t.verdict != JTRACE_UNREADABLE) {
		jtrace_recover_scan(&f->t, f->room);
		jtrace_walk_each(&walk, &f->t, ev) {
			judge_one(w, &walk.key, ev, last_of_cpu);
			/* Times do not go back. */
			ns = jtrace_recover_ns(&f->t, ev->time);
			KUNIT_ASSERT_GE(f->test, ns, last);
			last = ns;
			n++;
		}
		KUNIT_ASSERT_EQ(f->test, f->t.found, n);
	}
	render(w);
	count(w);
}

struct sum {
	u64 expected;
	u64 got;
	u64 exempt;
	u32 worst;
};

static void one_image(struct kunit *test, u64 seed, u32 kinds, struct sum *sum)
{
	struct wreck *w;
	u32 i;

	/* Print it first: a failed assertion does not return. */
	kunit_info(test, "seed %llu", (unsigned long long)seed);
	w = history(test, seed);
	for (i = 0; i < ARRAY_SIZE(damages); i++)
		if (kinds & 1 << i)
			damages[i](w);
	judge(w);
	KUNIT_EXPECT_GE_MSG(test, w->got * 100, w->expected * 95, "%u of %u, damage %x", w->got,
			    w->expected, kinds);
	sum->expected += w->expected;
	sum->got += w->got;
	sum->exempt += w->exempt;
	if (w->expected)
		sum->worst = min(sum->worst, w->got * 100 / w->expected);
}

static void tell_sum(struct kunit *test, const struct sum *sum)
{
	/* Most images are large, and most of their entries count. */
	KUNIT_EXPECT_GT(test, sum->expected, 20 * IMAGES);
	KUNIT_EXPECT_GT(test, sum->expected, 4 * sum->exempt);
	kunit_info(test, "%llu of %llu shown, %u in 100 of the worst image, %llu not counted",
		   (unsigned long long)sum->got, (unsigned long long)sum->expected, sum->worst,
		   (unsigned long long)sum->exempt);
}

static void images(struct kunit *test, u32 kind)
{
	struct sum sum = { .worst = 100 };
	u32 i;

	for (i = 0; i < IMAGES; i++)
		one_image(test, 1000 * kind + i, 1 << kind, &sum);
	tell_sum(test, &sum);
}

static void flipped_bits(struct kunit *test)
{
	images(test, 0);
}

static void zeroed_lines(struct kunit *test)
{
	images(test, 1);
}

static void zeroed_page(struct kunit *test)
{
	images(test, 2);
}

static void lost_headers(struct kunit *test)
{
	images(test, 3);
}

static void lost_tail(struct kunit *test)
{
	images(test, 4);
}

static void swapped_chunks(struct kunit *test)
{
	images(test, 5);
}

static void lines_of_earlier(struct kunit *test)
{
	images(test, 6);
}

static void random_bytes(struct kunit *test)
{
	images(test, 7);
}

/* Two to four random kinds of damage at once. */
static void combined(struct kunit *test, u64 seed)
{
	struct sum sum = { .worst = 100 };
	u32 i, k, kinds;

	for (i = 0; i < IMAGES; i++) {
		u64 rnd = seed + i;

		kinds = 0;
		for (k = 2 + random_below(&rnd, 3); k; k--)
			kinds |= 1 << random_below(&rnd, ARRAY_SIZE(damages));
		one_image(test, seed + i, kinds, &sum);
	}
	tell_sum(test, &sum);
}

static void combined_a(struct kunit *test)
{
	combined(test, 10000);
}

static void combined_b(struct kunit *test)
{
	combined(test, 11000);
}

static void combined_c(struct kunit *test)
{
	combined(test, 12000);
}

static struct kunit_case wreck_cases[] = {
	KUNIT_CASE(flipped_bits),
	KUNIT_CASE(zeroed_lines),
	KUNIT_CASE(zeroed_page),
	KUNIT_CASE(lost_headers),
	KUNIT_CASE(lost_tail),
	KUNIT_CASE(swapped_chunks),
	KUNIT_CASE(lines_of_earlier),
	KUNIT_CASE(random_bytes),
	KUNIT_CASE(combined_a),
	KUNIT_CASE(combined_b),
	KUNIT_CASE(combined_c),
	{}
};

static struct kunit_suite jtrace_wreck_suite = {
	.name = "jtrace_wreck_test",
	.test_cases = wreck_cases,
};

kunit_test_suite(jtrace_wreck_suite);
