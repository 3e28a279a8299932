// SPDX-License-Identifier: GPL-2.0
/*
 * From bytes to events in order, compared with the model of helpers.h: sorting, limits, damage,
 * and the conversion of time compared with exact arithmetic.
 */

#include "helpers.h"

/* Keys */

static bool less(const struct jtrace_key *a, const struct jtrace_key *b)
{
	return a->time < b->time || (a->time == b->time && a->tie < b->tie);
}

static u64 few_or_many(u64 *rnd, u32 span)
{
	return span ? random_below(rnd, span) : random_next(rnd);
}

/* Compare with insertion sort, and with a heap that is taken from the front. */
static void keys_run(struct kunit *test, struct jtrace_key *room, u32 nr, u32 span)
{
	struct jtrace_keys k = { .key = room, .nr = nr };
	struct jtrace_key *sorted = room + nr, *heap = sorted + nr;
	struct jtrace_keys h = { .key = heap, .nr = nr };
	u64 rnd = nr * 1000 + span;
	u32 i, at;

	for (i = 0; i < nr; i++) {
		room[i] = (struct jtrace_key){ few_or_many(&rnd, span), few_or_many(&rnd, span) };
		heap[i] = room[i];
		for (at = i; at && less(&room[i], &sorted[at - 1]); at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = room[i];
	}
	jtrace_keys_sort(&k, true);
	KUNIT_ASSERT_EQ(test, memcmp(room, sorted, nr * sizeof(*room)), 0);
	jtrace_keys_heapify(&h);
	for (i = 0; i < nr; i++) {
		KUNIT_ASSERT_EQ(test, memcmp(heap, &sorted[i], sizeof(*heap)), 0);
		heap[0] = heap[--h.nr];
		jtrace_keys_sink(&h);
	}
}

static void keys_in_order(struct kunit *test)
{
	struct jtrace_key *room = kunit_kcalloc(test, 600, sizeof(*room), GFP_KERNEL);
	u32 nr;

	KUNIT_ASSERT_NOT_NULL(test, room);
	for (nr = 0; nr < 60; nr++) {
		keys_run(test, room, nr, 0);
		keys_run(test, room, nr, 3);
		keys_run(test, room, nr, 1);
	}
	keys_run(test, room, 200, 0);
}

static void keys_presorted(struct kunit *test)
{
	struct jtrace_key *room = kunit_kcalloc(test, 64, sizeof(*room), GFP_KERNEL);
	u32 i, down;

	KUNIT_ASSERT_NOT_NULL(test, room);
	for (down = 0; down < 2; down++) {
		struct jtrace_keys k = { .key = room, .nr = 64 };

		for (i = 0; i < 64; i++)
			room[i] = (struct jtrace_key){ down ? ~0ULL - i : ~0ULL - 63 + i, 0 };
		jtrace_keys_sort(&k, true);
		for (i = 0; i < 64; i++)
			KUNIT_EXPECT_EQ(test, k.key[i].time, ~0ULL - 63 + i);
	}
}

/* Order and room */

static struct fake *new_machine(struct kunit *test, u8 form, u64 seed)
{
	struct jtrace_layout l;
	struct fake *f;

	fake_layout(&l, 8, form, 16);
	f = fake_new(test, &l, 4, true, 400);
	f->rnd = seed;
	return f;
}

static struct fake *busy_machine(struct kunit *test, u8 form, u64 seed, bool ties)
{
	struct fake *f = new_machine(test, form, seed);
	u32 i;

	for (i = 0; i < 300; i++) {
		fake_record_at(f, random_below(&f->rnd, 4), f->now);
		f->now += ties ? random_below(&f->rnd, 8) == 0 : 1 + random_below(&f->rnd, 50);
	}
	return f;
}

static void events_in_order(struct kunit *test)
{
	u32 i;

	for (i = 0; i < 24; i++)
		fake_check(busy_machine(test, fake_form(i % FAKE_FORMS), i, i & 4));
}

/* The same with a clock that goes back in @back of 8 records: chunks are not sorted. */
static struct fake *unsteady_machine(struct kunit *test, u8 form, u64 seed, u32 back)
{
	struct fake *f = new_machine(test, form, seed);
	u32 i;

	f->now = 100000;
	for (i = 0; i < 300; i++) {
		fake_record_at(f, random_below(&f->rnd, 4), f->now);
		if (random_below(&f->rnd, 8) < back)
			f->now -= random_below(&f->rnd, 200);
		else
			f->now += random_below(&f->rnd, 50);
	}
	return f;
}

static void clock_goes_back(struct kunit *test)
{
	u32 i;

	for (i = 0; i < 24; i++)
		fake_check(unsteady_machine(test, fake_form(i % FAKE_FORMS), i, 1 + i / 3));
}

static void equal_times(struct kunit *test)
{
	struct jtrace_layout l;
	struct fake *f;
	u32 i;

	fake_layout(&l, 8, JTRACE_KIND_LARGE, 12);
	f = fake_new(test, &l, 3, true, 100);
	for (i = 0; i < 90; i++) {
		fake_record_at(f, i % 3, 77);
		fake_check(f);
	}
}

/* Chunks of one CPU that lie in reverse order in the image. */
static void order_is_not_place(struct kunit *test)
{
	struct jtrace_layout l;
	struct fake *f;
	u32 i;

	fake_layout(&l, 7, JTRACE_KIND_LARGE, 5);
	f = fake_new(test, &l, 1, true, 30);
	for (i = 0; i < 23; i++) {
		fake_record_at(f, 0, 5 + i / 20);
		fake_check(f);
	}
}

/* Collect the keys of all entries in the order of a walk; return their number. */
static u32 walk_keys(const struct jtrace_trace *t, bool back, struct jtrace_key *key)
{
	static struct jtrace_walk walk;
	u32 n = 0;

	jtrace_walk_open(&walk, t, t->heap, back);
	while (jtrace_walk_next(&walk))
		key[n++] = walk.key;
	return n;
}

/* Walk from the newest entry to the oldest; a limited text shows the newest ones. */
static void newest_first(struct kunit *test)
{
	struct jtrace_key *all = kunit_kcalloc(test, 900, sizeof(*all), GFP_KERNEL);
	struct jtrace_text *text = kunit_kzalloc(test, sizeof(*text), GFP_KERNEL);
	u32 form, most, i, nr;

	KUNIT_ASSERT_NOT_NULL(test, all);
	KUNIT_ASSERT_NOT_NULL(test, text);
	for (form = 0; form < 2 * FAKE_FORMS; form++) {
		struct jtrace_key *part = all + 300, *back = part + 300;
		struct fake *f = form < FAKE_FORMS ?
			busy_machine(test, fake_form(form), 99, true) :
			unsteady_machine(test, fake_form(form % FAKE_FORMS), 99, 2);

		fake_check(f);
		nr = walk_keys(&f->t, false, all);
		KUNIT_ASSERT_EQ(test, nr, f->t.found);
		KUNIT_ASSERT_EQ(test, walk_keys(&f->t, true, back), nr);
		for (i = 0; i < nr; i++)
			KUNIT_ASSERT_EQ(test, memcmp(&all[i], &back[nr - 1 - i], sizeof(*all)), 0);
		for (most = 0; most < nr + 3; most += most < 5 || most > nr - 5 ? 1 : 7) {
			u32 kept = min(max_t(u32, most, 1), nr);

			jtrace_text_limit(text, &f->t, most, 0, NULL, 0);
			KUNIT_ASSERT_EQ(test, f->t.shown, kept);
			KUNIT_ASSERT_EQ(test, walk_keys(&f->t, false, part), kept);
			KUNIT_ASSERT_EQ(test, memcmp(part, all + nr - kept,
						     kept * sizeof(*all)), 0);
		}
	}
}

static void no_entries(struct kunit *test)
{
	struct jtrace_layout l;
	struct fake *f;

	fake_layout(&l, 8, JTRACE_KIND_LARGE, 4);
	f = fake_new(test, &l, 2, true, 1);
	fake_check(f);
	KUNIT_EXPECT_EQ(test, f->t.shown, 0);
	KUNIT_EXPECT_EQ(test, f->t.last.nr, 0);
	KUNIT_EXPECT_EQ(test, f->t.stamps.nr, 0);

	/* An image without a chunk. */
	f->h.area[1].size = 0;
	jtrace_header_write(f->img, &f->h);
	KUNIT_EXPECT_EQ(test, fake_recover(f, f->img), JTRACE_WHOLE);
	KUNIT_EXPECT_EQ(test, f->t.found, 0);
}

static void header_from_either_end(struct kunit *test)
{
	struct fake *f = busy_machine(test, JTRACE_KIND_LARGE, 3, false);

	memset(f->img, 0, sizeof(f->h));
	fake_check(f);
	memcpy(f->img, &f->h, sizeof(f->h));
	memset(f->img + f->l.size - sizeof(f->h), 0xff, sizeof(f->h));
	fake_check(f);
	memset(f->img, 0xff, sizeof(f->h));
	KUNIT_EXPECT_EQ(test, fake_recover(f, f->img), JTRACE_WHOLE);
	KUNIT_EXPECT_EQ(test, f->t.damage.nr[JTRACE_FAULT_HEADERS], 1);
	KUNIT_EXPECT_EQ(test, f->t.verdict, JTRACE_DAMAGED);
}

/* The newest entry of each CPU, limited by both numbers of the header. */
static void last_of_each_cpu(struct kunit *test)
{
	struct fake *f = busy_machine(test, JTRACE_KIND_LARGE, 4, true);
	struct jtrace_decoded ev;
	u32 i, k;

	for (i = 0; i < 16; i++) {
		u32 cpus = i % 4 + 1, last = i / 4;

		f->h.nr_cpus = cpu_to_le32(cpus);
		f->h.last_cpus = cpu_to_le32(last ? last : U32_MAX);
		jtrace_header_write(f->img, &f->h);
		fake_recover(f, f->img);
		KUNIT_ASSERT_EQ(test, f->t.last.nr, last ? min(cpus, last) : cpus);
		for (k = 0; k < f->t.last.nr; k++) {
			KUNIT_ASSERT_TRUE(test, jtrace_recover_get(&f->t, &f->t.last.key[k], &ev));
			KUNIT_EXPECT_EQ(test, ev.cpu, k);
		}
	}
	f->h.last_cpus = 0;
	jtrace_header_write(f->img, &f->h);
	fake_recover(f, f->img);
	KUNIT_EXPECT_EQ(test, f->t.last.nr, 0);
	f->h.nr_cpus = cpu_to_le32(U32_MAX);
	f->h.last_cpus = cpu_to_le32(U32_MAX);
	jtrace_header_write(f->img, &f->h);
	jtrace_recover_open(&f->t, f->img, f->l.size);
	KUNIT_EXPECT_EQ(test, jtrace_recover_room(&f->t), (65536 + 3 * 16 + 1) * 16 + 8);
}

/* A writer claims chunks during a walk: entries are lost, the others are in order. */
static void live_image_loses_entries(struct kunit *test)
{
	static struct jtrace_walk walk;
	const struct jtrace_decoded *ev;
	u32 back, gone, stale, n;
	u64 last;

	for (back = 0; back < 2; back++) {
		struct fake *f = busy_machine(test, JTRACE_KIND_LARGE, 8, false);

		fake_recover(f, f->img);
		last = back ? ~0ULL : 0;
		gone = f->t.found;
		stale = 0;
		jtrace_walk_open(&walk, &f->t, f->t.heap, back);
		for (n = 0; (ev = jtrace_walk_next(&walk)); n++) {
			gone--;
			KUNIT_EXPECT_TRUE(test, fake_matches(f, ev));
			KUNIT_EXPECT_TRUE(test, f->event[ev->arg[0]].committed);
			stale += !fake_visible(f, ev->arg[0]);
			KUNIT_EXPECT_TRUE(test, back ? ev->time <= last : ev->time >= last);
			last = ev->time;
			if (n % 8 == 0)
				fake_record(f, 0);
		}
		KUNIT_EXPECT_GT(test, gone, 0);
		KUNIT_EXPECT_GT(test, n, 10);
		/* The walk reads one entry of each chunk ahead. */
		KUNIT_EXPECT_LE(test, stale, f->l.nr_chunks);
	}
}

/* A record that ends after the scan, before the newest entry, takes no other's place. */
static void live_image_gains_entries(struct kunit *test)
{
	struct jtrace_key *before = kunit_kcalloc(test, 400, sizeof(*before), GFP_KERNEL);
	struct jtrace_key *after = kunit_kcalloc(test, 400, sizeof(*after), GFP_KERNEL);
	u32 form, cpu, back, nr, late[4];

	KUNIT_ASSERT_NOT_NULL(test, before);
	KUNIT_ASSERT_NOT_NULL(test, after);
	for (form = 0; form < FAKE_FORMS; form++) {
		struct fake *f = busy_machine(test, fake_form(form), 17, true);

		for (cpu = 1; cpu < 4; cpu++)
			late[cpu] = fake_reserve(f, cpu);
		f->now += 1000;
		fake_record(f, 0);
		for (back = 0; back < 2; back++) {
			fake_recover(f, f->img);
			nr = walk_keys(&f->t, back, before);
			KUNIT_ASSERT_EQ(test, nr, f->t.found);
			fake_commit(f, late[1 + back]);
			KUNIT_EXPECT_EQ(test, walk_keys(&f->t, back, after), nr);
			KUNIT_EXPECT_EQ(test, memcmp(before, after, nr * sizeof(*before)), 0);
		}
		fake_commit(f, late[3]);
		fake_check(f);
	}
}

/* Only the floor hides chunks. */
static void floor_hides_chunks(struct kunit *test)
{
	struct fake *f = busy_machine(test, JTRACE_KIND_LARGE, 9, false);

	fake_recover(f, f->img);
	KUNIT_EXPECT_GT(test, f->t.found, 0);
	f->h.floor = cpu_to_le64(~0ULL);
	jtrace_header_write(f->img, &f->h);
	fake_recover(f, f->img);
	KUNIT_EXPECT_EQ(test, f->t.found, 0);
}

/* Damage */

/* Parts of an image without entries: headers, sites, chunk headers. */
static u32 vulnerable(struct fake *f, u32 len)
{
	u32 at, header = sizeof(struct jtrace_image_header);

	switch (random_below(&f->rnd, 4)) {
	case 0:
		return random_below(&f->rnd, header - len);
	case 1:
		return f->l.size - header + random_below(&f->rnd, header - len);
	case 2:
		at = f->l.sites_end - f->l.sites_off - len;
		return f->l.sites_off + random_below(&f->rnd, at);
	default:
		at = random_below(&f->rnd, f->l.nr_chunks) << f->l.chunk_shift;
		return f->l.chunks_off + at + random_below(&f->rnd, 64 - len);
	}
}

/* Each shown event was recorded, and can be read. */
static void check_shown(struct kunit *test, struct fake *f)
{
	struct jtrace_site_text text;
	static struct jtrace_walk walk;
	const struct jtrace_decoded *ev;
	u64 ns, last = 0;
	u32 n = 0;

	jtrace_walk_each(&walk, &f->t, ev) {
		KUNIT_ASSERT_TRUE(test, fake_matches(f, ev));
		jtrace_site_read(&f->t.l, f->t.img, f->t.image_id, ev->site, &text);
		ns = jtrace_recover_ns(&f->t, ev->time);
		KUNIT_ASSERT_GE(test, ns, last);
		last = ns;
		n++;
	}
	KUNIT_ASSERT_EQ(test, f->t.found, n);
}

static void damage_shows_nothing_false(struct kunit *test)
{
	struct fake *f = busy_machine(test, JTRACE_KIND_LARGE, 2024, true);
	u8 *img = kunit_kzalloc(test, f->l.size, GFP_KERNEL);
	u32 i, k, hits, headless = 0, all;

	KUNIT_ASSERT_NOT_NULL(test, img);
	kunit_info(test, "seed %llu", (unsigned long long)f->rnd);
	fake_recover(f, f->img);
	all = f->t.found;
	for (i = 0; i < 1500; i++) {
		memcpy(img, f->img, f->l.size);
		for (hits = 1 + random_below(&f->rnd, 6); hits; hits--) {
			u32 len = 1 + random_below(&f->rnd, 16), at = vulnerable(f, len);

			for (k = 0; k < len; k++)
				img[at + k] = random_next(&f->rnd);
		}
		KUNIT_ASSERT_EQ(test, fake_recover(f, img), JTRACE_WHOLE);
		headless += f->t.damage.nr[JTRACE_FAULT_HEADERS];
		check_shown(test, f);
		KUNIT_ASSERT_LE(test, f->t.found, all);
		/* A hit costs at most a chunk. */
		KUNIT_ASSERT_GE(test, f->t.found, all - 6 * f->l.entries);
	}
	KUNIT_EXPECT_GT(test, headless, 10);
	KUNIT_EXPECT_LT(test, headless, 700);
}

/* Count the events in chunks that end at @len or before. */
static u32 shown_below(const struct fake *f, u32 len)
{
	u32 i, n = 0;

	for (i = 0; i < f->nr; i++)
		n += fake_visible(f, i) && f->l.chunks_off +
		     ((f->event[i].index + 1) << f->l.chunk_shift) <= len;
	return n;
}

static void truncated(struct kunit *test)
{
	struct fake *f = busy_machine(test, JTRACE_KIND_SMALL, 11, true);
	u32 len;

	for (len = 0; len < f->l.size; len += len < 400 ? 1 : 61) {
		u8 *cut = kunit_kzalloc(test, len, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, cut);
		memcpy(cut, f->img, len);
		KUNIT_ASSERT_EQ(test, jtrace_recover_open(&f->t, cut, len),
				len < sizeof(f->h) ? JTRACE_EMPTY : JTRACE_WHOLE);
		if (len < sizeof(f->h))
			continue;
		jtrace_recover_scan(&f->t, f->room);
		KUNIT_ASSERT_EQ(test, f->t.verdict, JTRACE_DAMAGED);
		KUNIT_ASSERT_EQ(test, f->t.damage.nr[JTRACE_FAULT_CUT], 1);
		check_shown(test, f);
		KUNIT_ASSERT_EQ(test, f->t.found, shown_below(f, len));
	}
}

/* A valid header before random bytes: slots, counts and sites may be anything. */
static void garbage_under_a_header(struct kunit *test)
{
	struct fake *f = busy_machine(test, JTRACE_KIND_LARGE, 12, true);
	static struct jtrace_walk walk;
	const struct jtrace_decoded *ev;
	u32 i, n, seen;

	for (n = 0; n < 60; n++) {
		for (i = sizeof(f->h); i < f->l.size - sizeof(f->h); i++)
			if (n & 1 || random_below(&f->rnd, 50) == 0)
				f->img[i] = random_next(&f->rnd);
		f->h.clock = 1 + n % 2;
		f->h.floor = cpu_to_le64(n % 3 ? 0 : random_next(&f->rnd));
		f->h.rate = cpu_to_le64(random_next(&f->rnd));
		jtrace_header_write(f->img, &f->h);
		KUNIT_ASSERT_EQ(test, fake_recover(f, f->img), JTRACE_WHOLE);
		seen = 0;
		jtrace_walk_each(&walk, &f->t, ev)
			seen++;
		KUNIT_ASSERT_EQ(test, f->t.found, seen);
	}
}

static struct kunit_case recover_cases[] = {
	KUNIT_CASE(keys_in_order),
	KUNIT_CASE(keys_presorted),
	KUNIT_CASE(events_in_order),
	KUNIT_CASE(clock_goes_back),
	KUNIT_CASE(equal_times),
	KUNIT_CASE(order_is_not_place),
	KUNIT_CASE(newest_first),
	KUNIT_CASE(no_entries),
	KUNIT_CASE(header_from_either_end),
	KUNIT_CASE(last_of_each_cpu),
	KUNIT_CASE(live_image_loses_entries),
	KUNIT_CASE(live_image_gains_entries),
	KUNIT_CASE(floor_hides_chunks),
	KUNIT_CASE(damage_shows_nothing_false),
	KUNIT_CASE(truncated),
	KUNIT_CASE(garbage_under_a_header),
	{}
};

static struct kunit_suite jtrace_recover_suite = {
	.name = "jtrace_recover_test",
	.test_cases = recover_cases,
};

kunit_test_suite(jtrace_recover_suite);
