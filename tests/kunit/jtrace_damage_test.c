// SPDX-License-Identifier: GPL-2.0
/*
 * Images with chosen damage to headers and chunks: events that are found without headers, and the
 * losses that are reported.
 */

#include "machines.h"
#include "../../lib/read/render.h"

#define OTHER_ID	0x99aabbccddeeff00ULL

/* ---- Headers of chunks ------------------------------------------------ */

/* Damage the header of chunk @index; all its entries are shown. */
static void expect_rescued(struct fake *f, u32 index, u32 all, bool any)
{
	KUNIT_ASSERT_EQ(f->test, shown(f), all);
	KUNIT_ASSERT_EQ(f->test, f->t.last.nr, CPUS);
	if (any)
		expect_fault(f, JTRACE_FAULT_RESCUED, chunk_at(f, index) - f->img);
}

static void chunk_without_header(struct kunit *test)
{
	u32 i, k, n, bit;

	for (i = 0; i < SHAPES; i++) {
		struct fake *f = shape(test, i);
		u32 all = visible(f);

		for (k = 0; k < CHUNKS; k++) {
			u64 *at = (u64 *)chunk_at(f, k), was[8];

			memcpy(was, at, sizeof(was));
			memset(at, 0, sizeof(was));
			expect_rescued(f, k, all, true);
			memset(at, 0xff, sizeof(was));
			expect_rescued(f, k, all, true);
			for (n = 0; n < 8; n++)
				at[n] = random_next(&f->rnd);
			expect_rescued(f, k, all, true);
			memcpy(at, was, sizeof(was));
		}
		/* Each bit. */
		for (bit = 0; bit < 512 && i < 6; bit++) {
			u8 *at = chunk_at(f, 3);

			at[bit / 8] ^= 1 << bit % 8;
			expect_rescued(f, 3, all, true);
			at[bit / 8] ^= 1 << bit % 8;
		}
		/* All of them. */
		for (k = 0; k < CHUNKS; k++)
			memset(chunk_at(f, k), 0, sizeof(struct jtrace_chunk_header));
		KUNIT_EXPECT_EQ(test, shown(f), all);
		KUNIT_EXPECT_EQ(test, f->t.damage.nr[JTRACE_FAULT_RESCUED], CHUNKS);
		KUNIT_EXPECT_EQ(test, f->t.damage.first[JTRACE_FAULT_RESCUED], f->l.chunks_off);
	}
}

/* The order by claim holds also for claims that are older than all remaining headers. */
static void order_without_headers(struct kunit *test)
{
	u32 i, k;

	for (i = 0; i < 8; i++) {
		u8 kind = JTRACE_KIND_SMALL + i % 2, shift = JTRACE_MIN_CHUNK_SHIFT + i / 2;
		struct fake *f = machine(test, kind, shift, 0);

		for (k = 0; k < 190; k++)
			fake_record_at(f, k / 7 % CPUS, 77);
		for (k = 0; k < CHUNKS; k++) {
			memset(chunk_at(f, (k + i) % CHUNKS), 0, 64);
			KUNIT_EXPECT_EQ(test, shown(f), visible(f));
		}
	}
}

/*
 * At each claim the new header does not reach memory.  From the first entry of the new claim on,
 * the new entries are shown, and no older ones of that chunk.
 */
static void header_of_the_claim_before(struct kunit *test)
{
	u32 i, n, seen = 0;

	for (i = 0; i < SHAPES; i++) {
		struct fake *f = shape(test, i);

		for (n = 0; n < 3 * f->l.entries && n < 180; n++) {
			u8 *img = kunit_kzalloc(test, f->l.size, GFP_KERNEL), now[64], *at;
			u32 k;

			KUNIT_ASSERT_NOT_NULL(test, img);
			memcpy(img, f->img, f->l.size);
			k = fake_record(f, n % CPUS);
			KUNIT_ASSERT_NE(test, k, FAKE_NONE);
			at = chunk_at(f, f->event[k].index);
			if (f->event[k].slot)
				continue;
			memcpy(now, at, sizeof(now));
			memcpy(at, img + (at - f->img), sizeof(now));
			expect_rescued(f, f->event[k].index, visible(f), true);
			KUNIT_EXPECT_TRUE(test, f->seen[k]);
			memcpy(at, now, sizeof(now));
			seen++;
		}
	}
	KUNIT_EXPECT_GT(test, seen, SHAPES);
}

/*
 * The chunk of an idle CPU becomes older than half the range of sequences.  Its header still
 * gives its claim, also for slots that are used later.
 */
static void very_old_claims(struct kunit *test)
{
	u32 i, n;

	for (i = 4; i < 8; i++) {
		struct fake *f = shape(test, i);

		fake_record(f, 0);
		fake_check(f);
		atomic64_set(&f->ring.claims, atomic64_read(&f->ring.claims) + (1ULL << 31));
		for (n = 0; n < 4 * CHUNKS * f->l.entries && n < 180; n++)
			fake_record(f, 1 + n % 2);
		fake_check(f);
	}
}

/* A chunk that was never claimed is no damage, unless the ring passed it twice. */
static void blank_chunks(struct kunit *test)
{
	struct fake *f = machine(test, JTRACE_KIND_LARGE, 8, 0);
	u32 i, k;

	for (i = 0; i < 4 * CHUNKS * f->l.entries; i++) {
		u64 claims;

		if (i < 190)
			fake_record(f, 0);
		claims = atomic64_read(&f->ring.claims) - JTRACE_FIRST_CLAIM;
		fake_check(f);
		KUNIT_EXPECT_EQ(test, f->t.verdict, JTRACE_WHOLE);
		for (k = 0; k < CHUNKS && i % 3 == 0; k++) {
			u8 was[256];

			memcpy(was, chunk_at(f, k), 256);
			memset(chunk_at(f, k), 0, 256);
			shown(f);
			/* Its claim is unknown: it may have been the last one. */
			if (claims <= CHUNKS)
				KUNIT_EXPECT_EQ(test, f->t.verdict, JTRACE_WHOLE);
			else if (claims > 2 * CHUNKS + 1)
				expect_fault(f, JTRACE_FAULT_BLANK, chunk_at(f, k) - f->img);
			memcpy(chunk_at(f, k), was, 256);
		}
	}
}

/* A chunk without header and entries that is not blank. */
static void chunk_of_noise(struct kunit *test)
{
	struct fake *f = shape(test, 5);
	u32 i, k = 2, held = 0;

	for (i = 0; i < f->nr; i++)
		held += fake_visible(f, i) && f->event[i].index == k;
	memset(chunk_at(f, k), 0xa5, 1U << f->l.chunk_shift);
	KUNIT_EXPECT_GT(test, held, 0);
	KUNIT_EXPECT_EQ(test, shown(f), visible(f) - held);
	expect_fault(f, JTRACE_FAULT_CHUNK, chunk_at(f, k) - f->img);
}

/* ---- Headers of the image --------------------------------------------- */

static void lose_headers(struct fake *f)
{
	memset(f->img, 0, HEADER);
	memset(f->img + f->l.size - HEADER, 0, HEADER);
}

/* The shown clock runs at @rate times the ticks, and boot is 1000 ahead of mono. */
static void restamp(struct fake *f, u8 form, u32 rate)
{
	u32 k;

	for (k = 0; k < CHUNKS; k++) {
		struct jtrace_chunk_header *h = (void *)chunk_at(f, k);
		u64 ticks = le64_to_cpu(h->stamp.ticks);

		h->form = f->l.form | form;
		h->stamp.mono = cpu_to_le64(ticks * rate);
		h->stamp.boot = cpu_to_le64(ticks * rate + 1000);
		h->check = cpu_to_le32(jtrace_chunk_check(h));
	}
}

static void expect_times(struct fake *f, u32 rate, u32 offset)
{
	static struct jtrace_walk walk;
	const struct jtrace_decoded *ev;

	jtrace_walk_each(&walk, &f->t, ev)
		KUNIT_ASSERT_EQ(f->test, jtrace_recover_ns(&f->t, ev->time),
				ev->time * rate + offset);
}

static void both_headers_lost(struct kunit *test)
{
	u32 i, k, rate;

	for (i = 0; i < SHAPES; i++) {
		struct fake *f = shape(test, i);
		struct jtrace_site_text text;

		lose_headers(f);
		KUNIT_EXPECT_EQ(test, shown(f), visible(f));
		expect_fault(f, JTRACE_FAULT_HEADERS, 0);
		KUNIT_EXPECT_EQ(test, f->t.image_id, FAKE_ID);
		KUNIT_EXPECT_EQ(test, f->t.cpus, CPUS);
		expect_times(f, 1, 0);
		for (k = 0; k < FAKE_SITES; k++) {
			KUNIT_ASSERT_TRUE(test, jtrace_site_read(&f->t.l, f->t.img, f->t.image_id,
								 f->site[k], &text));
			KUNIT_EXPECT_STREQ(test, (const char *)text.tag, fake_tag[k]);
		}
		for (rate = 1; rate < 1000; rate = rate * 5 + 2) {
			restamp(f, JTRACE_FORM_TICKS, rate);
			KUNIT_EXPECT_EQ(test, shown(f), visible(f));
			expect_times(f, rate, 1000);
			restamp(f, JTRACE_FORM_TICKS | JTRACE_FORM_MONO, rate);
			KUNIT_EXPECT_EQ(test, shown(f), visible(f));
			expect_times(f, rate, 0);
		}
	}
}

/* A reader that knows the header needs none in the image. */
static void header_known(struct kunit *test)
{
	struct jtrace_image_header h;
	struct jtrace_trace t;
	u32 i, k;

	for (i = 0; i < SHAPES; i++) {
		struct fake *f = shape(test, i);

		KUNIT_ASSERT_EQ(test, shown(f), visible(f));
		h = f->t.header;
		t = f->t;
		lose_headers(f);
		memset(f->seen, 0, f->nr * sizeof(*f->seen));
		jtrace_recover_known(&f->t, f->img, &h, &f->l);
		KUNIT_EXPECT_EQ(test, jtrace_recover_room(&f->t), jtrace_recover_room(&t));
		jtrace_recover_scan(&f->t, f->room);
		fake_check_order(f);
		KUNIT_EXPECT_EQ(test, f->t.found, visible(f));
		KUNIT_EXPECT_EQ(test, f->t.cpus, t.cpus);
		KUNIT_EXPECT_EQ(test, f->t.verdict, JTRACE_WHOLE);
		for (k = 0; k < JTRACE_NR_FAULTS; k++)
			KUNIT_EXPECT_EQ_MSG(test, f->t.damage.nr[k], 0, "fault %u", k);
	}
}

/* A chunk that was claimed without a clock says nothing about the rate. */
static void headless_without_a_stamp(struct kunit *test)
{
	struct fake *f = shape(test, 5);
	struct jtrace_chunk_header *h = (void *)chunk_at(f, 0);

	restamp(f, JTRACE_FORM_TICKS, 7);
	memset(&h->stamp, 0, sizeof(h->stamp));
	h->check = cpu_to_le32(jtrace_chunk_check(h));
	lose_headers(f);
	KUNIT_EXPECT_EQ(test, shown(f), visible(f));
	expect_times(f, 7, 1000);
}

/* Put @theirs chunks of another image beside ours, each in its place. */
static void mix_images(struct kunit *test, u32 theirs, bool headers)
{
	struct fake *f = machine(test, JTRACE_KIND_LARGE, 8, 40);
	u32 i, k, want[2] = { 0, 0 };

	for (i = 0; i < f->nr; i++)
		if (fake_visible(f, i))
			want[f->event[i].index < theirs]++;
	f->ring.image_id = OTHER_ID;
	f->ring.key = jtrace_check_key(OTHER_ID);
	for (k = 0; k < theirs; k++) {
		struct jtrace_chunk_header *h = (void *)chunk_at(f, k);

		h->image_id = cpu_to_le64(OTHER_ID);
		h->check = cpu_to_le32(jtrace_chunk_check(h));
		memset(h + 1, 0, (1U << f->l.chunk_shift) - sizeof(*h));
		for (i = 0; i < f->nr; i++)
			if (fake_visible(f, i) && f->event[i].index == k)
				fake_commit(f, i);
	}
	if (!headers)
		lose_headers(f);
	KUNIT_EXPECT_EQ(test, shown(f), want[!headers && theirs > CHUNKS / 2]);
	KUNIT_EXPECT_EQ(test, f->t.image_id,
			!headers && theirs > CHUNKS / 2 ? OTHER_ID : FAKE_ID);
	KUNIT_EXPECT_EQ(test, f->t.damage.nr[JTRACE_FAULT_CHUNK], headers ? theirs : 0);
}

static void two_images_mixed(struct kunit *test)
{
	u32 theirs;

	for (theirs = 0; theirs <= CHUNKS; theirs++) {
		mix_images(test, theirs, true);
		if (theirs != CHUNKS / 2)
			mix_images(test, theirs, false);
	}
}

/* The region is larger than the image, and the rest is noise. */
static void copy_in_a_larger_region(struct kunit *test)
{
	struct fake *f = shape(test, 5);
	u32 more, i, room = 20000;
	u8 *region = kunit_kzalloc(test, f->l.size + room, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, region);
	memcpy(region, f->img, f->l.size);
	memset(region, 0x5a, HEADER);
	for (i = 0; i < room; i++)
		region[f->l.size + i] = random_next(&f->rnd);
	for (more = 0; more <= room; more += 8) {
		KUNIT_ASSERT_EQ(test, jtrace_recover_open(&f->t, region, f->l.size + more),
				JTRACE_WHOLE);
		KUNIT_ASSERT_EQ(test, f->t.l.size, f->l.size);
		jtrace_recover_scan(&f->t, f->room);
		expect_fault(f, JTRACE_FAULT_HEADER, 0);
		memset(f->seen, 0, f->nr * sizeof(*f->seen));
		fake_check_order(f);
		KUNIT_ASSERT_EQ(test, f->t.found, visible(f));
	}
}

/* Count the events in chunks that end at @len or before. */
static u32 visible_in(const struct fake *f, u32 len)
{
	u32 i, n = 0;

	for (i = 0; i < f->nr; i++)
		n += fake_visible(f, i) && f->l.chunks_off +
		     ((f->event[i].index + 1) << f->l.chunk_shift) <= len;
	return n;
}

static void cut_at(struct fake *f, u32 len, bool header)
{
	u8 *cut = kunit_kzalloc(f->test, len, GFP_KERNEL);
	u32 want = visible_in(f, len);

	KUNIT_ASSERT_NOT_NULL(f->test, cut);
	memcpy(cut, f->img, len);
	if (!header)
		memset(cut, 0, min_t(u32, len, HEADER));
	jtrace_recover_open(&f->t, cut, len);
	if (f->t.verdict == JTRACE_EMPTY || f->t.verdict == JTRACE_UNREADABLE) {
		KUNIT_ASSERT_TRUE(f->test, !header || len < HEADER);
		KUNIT_ASSERT_EQ(f->test, want, 0);
		return;
	}
	jtrace_recover_scan(&f->t, f->room);
	KUNIT_ASSERT_EQ(f->test, f->t.verdict, JTRACE_DAMAGED);
	KUNIT_ASSERT_EQ(f->test, f->t.damage.nr[header ? JTRACE_FAULT_CUT : JTRACE_FAULT_HEADERS],
			1);
	KUNIT_ASSERT_EQ(f->test, f->t.damage.first[JTRACE_FAULT_CUT], header ? len : 0);
	memset(f->seen, 0, f->nr * sizeof(*f->seen));
	fake_check_order(f);
	KUNIT_ASSERT_GE(f->test, f->t.found, want);
}

static void cut_at_every_length(struct kunit *test)
{
	u32 i, len;

	for (i = 2; i < 6; i++) {
		struct fake *f = shape(test, i);

		for (len = 0; len < f->l.size; len++) {
			cut_at(f, len, true);
			if (len % 8 == 0)
				cut_at(f, len, false);
		}
	}
}

/* Memory that holds no image: a cold boot. */
static void no_image(struct kunit *test)
{
	static const u8 fill[] = { 0, 0xff, 0x55, 0xaa };
	char line[64];
	u8 *img = kunit_kzalloc(test, 65536, GFP_KERNEL);
	struct jtrace_trace *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	u32 i, k;
	u64 rnd = 77;

	KUNIT_ASSERT_NOT_NULL(test, img);
	KUNIT_ASSERT_NOT_NULL(test, t);
	for (i = 0; i < 40; i++) {
		if (i < ARRAY_SIZE(fill))
			memset(img, fill[i], 65536);
		for (k = 0; k < 65536 && i >= ARRAY_SIZE(fill); k++)
			img[k] = random_next(&rnd);
		KUNIT_ASSERT_EQ(test, jtrace_recover_open(t, img, 65536 - 8 * i), JTRACE_EMPTY);
		t->tell = JTRACE_TELL_BOOT;
		KUNIT_EXPECT_EQ(test, fake_lines(t), 1);
		fake_line(t, 0, line, sizeof(line));
		KUNIT_EXPECT_STREQ(test, (const char *)line, "JTRACE: no entries");
	}
}

/* A header with another size is no backup header, wherever the bytes end. */
static void headers_that_contradict(struct kunit *test)
{
	struct fake *f = machine(test, JTRACE_KIND_LARGE, 8, 40);
	u8 *other = kunit_kzalloc(test, f->l.size, GFP_KERNEL);
	struct jtrace_image_header h = f->h;

	KUNIT_ASSERT_NOT_NULL(test, other);
	h.image_size = cpu_to_le64(f->l.size - JTRACE_SIZE_ALIGN);
	h.area[1].size = cpu_to_le32((CHUNKS - 1) << f->l.chunk_shift);
	jtrace_header_write(other, &h);
	memcpy(f->img + f->l.size - HEADER, other, HEADER);
	KUNIT_EXPECT_EQ(test, shown(f), visible(f));
	expect_fault(f, JTRACE_FAULT_COPY, f->l.size - HEADER);
}

/* Both headers are lost, and the chunks have a feature that these readers do not know. */
static void unknown_form(struct kunit *test)
{
	struct fake *f = machine(test, JTRACE_KIND_LARGE, 8, 40);
	u32 k, bit;

	memset(f->img, 0, HEADER);
	memset(f->img + f->l.size - HEADER, 0, HEADER);
	KUNIT_EXPECT_EQ(test, shown(f), visible(f));
	for (bit = 0x20; bit < 0x100; bit <<= 1) {
		for (k = 0; k < CHUNKS; k++) {
			struct jtrace_chunk_header *h = (void *)chunk_at(f, k);

			h->form = f->l.form | bit;
			h->check = cpu_to_le32(jtrace_chunk_check(h));
		}
		KUNIT_EXPECT_EQ(test, jtrace_recover_open(&f->t, f->img, f->l.size),
				JTRACE_UNREADABLE);
	}
}

/*
 * The only chunk header has a claim that is never made, and entries of a claim have no header:
 * each listed entry can be read.
 */
static void claim_of_nobody(struct kunit *test)
{
	struct fake *f = machine(test, JTRACE_KIND_LARGE, 8, 1);
	const struct fake_event *e = &f->event[0];
	struct jtrace_chunk_header *h = (void *)chunk_at(f, e->index);
	static struct jtrace_walk walk;
	const struct jtrace_decoded *ev;

	h->claim = 0;
	h->check = cpu_to_le32(jtrace_chunk_check(h));
	fake_fill(f, 0, 5ULL << 32 | jtrace_entry_place(&f->l, e->index, e->slot));
	fake_recover(f, f->img);
	KUNIT_ASSERT_EQ(test, f->t.found, 1);
	jtrace_walk_open(&walk, &f->t, f->t.heap, false);
	ev = jtrace_walk_next(&walk);
	KUNIT_ASSERT_NOT_NULL(test, ev);
	KUNIT_EXPECT_TRUE(test, fake_matches(f, ev));
}

/* The id in place of an entry's site: the product of the check value is 0. */
static void id_in_an_entry(struct kunit *test)
{
	u32 i;

	for (i = 0; i < SHAPES; i++) {
		struct fake *f = shape(test, i);
		u32 n = some_event(f, 0), cpu = f->event[n].cpu, before = visible(f);
		struct jtrace_large_entry *e = (void *)entry_at(f, n);
		struct jtrace_small_entry *s = (void *)entry_at(f, n);

		memset(e, 0, f->l.entry_size - sizeof(e->seq));
		e->site = cpu_to_le32((u32)FAKE_ID);
		if (f->l.kind == JTRACE_KIND_SMALL) {
			s->arg = cpu_to_le32(FAKE_ID >> 32);
			s->check = cpu_to_le32(jtrace_check_cpu(cpu));
		} else {
			e->tid = cpu_to_le32(FAKE_ID >> 32);
			e->cpu = cpu_to_le16(cpu);
		}
		KUNIT_EXPECT_EQ(test, shown(f), before - 1);
		memset(chunk_at(f, f->event[n].index), 0, 64);
		KUNIT_EXPECT_LT(test, shown(f), before);
	}
}

static struct kunit_case damage_cases[] = {
	KUNIT_CASE(chunk_without_header),
	KUNIT_CASE(order_without_headers),
	KUNIT_CASE(header_of_the_claim_before),
	KUNIT_CASE(very_old_claims),
	KUNIT_CASE(blank_chunks),
	KUNIT_CASE(chunk_of_noise),
	KUNIT_CASE(both_headers_lost),
	KUNIT_CASE(header_known),
	KUNIT_CASE(headless_without_a_stamp),
	KUNIT_CASE(two_images_mixed),
	KUNIT_CASE(copy_in_a_larger_region),
	KUNIT_CASE(cut_at_every_length),
	KUNIT_CASE(no_image),
	KUNIT_CASE(headers_that_contradict),
	KUNIT_CASE(unknown_form),
	KUNIT_CASE(claim_of_nobody),
	KUNIT_CASE(id_in_an_entry),
	{}
};

static struct kunit_suite jtrace_damage_suite = {
	.name = "jtrace_damage_test",
	.test_cases = damage_cases,
};

kunit_test_suite(jtrace_damage_suite);
