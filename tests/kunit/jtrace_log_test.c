// SPDX-License-Identifier: GPL-2.0
/*
 * Log records: what was stored last comes back, line by line and in order; after damage, each
 * line that is shown was stored, and no undamaged record is lost.
 */

#include "helpers.h"
#include "../../lib/read/log.h"

#define MOST	400
#define LONGEST	1200

/* A message of one line: number, and a text that follows from it. */
struct logged {
	struct kunit *test;
	struct jtrace_layout l;
	struct jtrace_image_header h;
	struct jtrace_trace t;
	struct jtrace_log log;
	u8 *img;
	void *room;
	u64 room_size;
	u64 rnd;
	char text[LONGEST];
};

static u32 text_of(u64 seq, char *text)
{
	u32 i, len = random_hash(seq) % 8 ? random_hash(seq) % 100 : random_hash(seq) % LONGEST;

	for (i = 0; i < len; i++)
		text[i] = ' ' + random_hash(seq * LONGEST + i) % 95;
	return len;
}

static struct jtrace_log_line line_of(struct logged *w, u64 seq)
{
	return (struct jtrace_log_line){
		.seq = seq,
		.time = seq * 1000,
		.shift = 0 - seq,
		.prio = random_hash(seq) % 192,
		.len = text_of(seq, w->text),
		.text = w->text,
	};
}

static void store(struct logged *w, struct jtrace_log *log, u64 seq)
{
	struct jtrace_log_line line = line_of(w, seq);

	jtrace_log_store(log, &line);
}

static struct logged *logged_new(struct kunit *test, u32 size)
{
	struct logged *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, w);
	w->test = test;
	KUNIT_ASSERT_LT(test, jtrace_layout_plan(&w->l, 8192, 0, 2, JTRACE_KIND_LARGE),
			JTRACE_FIT_NONE);
	jtrace_layout_add_log(&w->l, size);
	w->img = kunit_kzalloc(test, w->l.size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, w->img);
	jtrace_header_init(&w->h, &w->l, FAKE_ID);
	jtrace_header_write(w->img, &w->h);
	jtrace_log_init(&w->log, w->img, FAKE_ID, w->l.log_off, w->l.log_size, false);
	jtrace_recover_open(&w->t, w->img, w->l.size);
	w->t.log.nr = size / sizeof(struct jtrace_log_record);
	w->room_size = jtrace_recover_room(&w->t);
	w->room = kunit_kzalloc(test, w->room_size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, w->room);
	return w;
}

static void read_log(struct logged *w, struct jtrace_log_reader *r)
{
	jtrace_recover_open(&w->t, w->img, w->l.size);
	jtrace_log_count(&w->t);
	KUNIT_ASSERT_LE(w->test, jtrace_recover_room(&w->t), w->room_size);
	jtrace_recover_scan(&w->t, w->room);
	jtrace_log_open(r, &w->t);
}

static void expect_line(struct logged *w, const struct jtrace_log_line *line, u64 seq)
{
	struct jtrace_log_line want = line_of(w, seq);

	KUNIT_EXPECT_EQ(w->test, line->seq, seq);
	KUNIT_EXPECT_EQ(w->test, line->time, want.time);
	KUNIT_EXPECT_EQ(w->test, line->shift, want.shift);
	KUNIT_EXPECT_EQ(w->test, line->prio, want.prio);
	KUNIT_EXPECT_EQ(w->test, line->part, 0);
	KUNIT_ASSERT_EQ(w->test, line->len, want.len);
	KUNIT_EXPECT_TRUE(w->test, !memcmp(line->text, want.text, want.len));
}

/* Any number of lines in areas of some sizes: the newest are there, without a gap. */
static void newest_lines_come_back(struct kunit *test)
{
	static struct jtrace_log_reader r;
	struct jtrace_log_line line;
	u32 size, seq, stored = 0, shown;

	for (size = 4096; size <= 16384; size += 6016) {
		struct logged *w = logged_new(test, size);
		u64 next = 0, bytes = 0;

		for (seq = 1; seq <= MOST; seq++) {
			store(w, &w->log, seq);
			if (seq % 37 && seq > 3)
				continue;
			read_log(w, &r);
			for (shown = 0; jtrace_log_next(&r, &line); shown++) {
				KUNIT_EXPECT_EQ(test, line.missing, 0);
				if (shown)
					KUNIT_ASSERT_EQ(test, line.seq, next);
				expect_line(w, &line, line.seq);
				next = line.seq + 1;
			}
			KUNIT_EXPECT_EQ(test, next, seq + 1);
			stored += shown;
			/* All that fit, but for the ends of pages and a line that is cut. */
			for (bytes = 0; shown < seq && bytes <= size; shown++)
				bytes += jtrace_log_need(text_of(seq - shown, w->text));
			KUNIT_EXPECT_TRUE(test, shown == seq || bytes > size / 2);
		}
	}
	KUNIT_EXPECT_GT(test, stored, 100);
}

/* Two writers have parts of the same messages, in areas of their own. */
static void equal_records_are_shown_once(struct kunit *test)
{
	static struct jtrace_log_reader r;
	struct logged *w = logged_new(test, 32768);
	struct jtrace_log_line line;
	struct jtrace_log other;
	u64 seq;

	w->log.size /= 2;
	jtrace_log_init(&other, w->img, FAKE_ID, w->l.log_off + w->log.size, w->log.size, false);
	for (seq = 1; seq <= 60; seq++) {
		if (seq <= 40)
			store(w, &other, seq);
		if (seq >= 20)
			store(w, &w->log, seq);
	}
	read_log(w, &r);
	for (seq = 1; jtrace_log_next(&r, &line); seq++) {
		KUNIT_EXPECT_EQ(test, line.missing, 0);
		expect_line(w, &line, seq);
	}
	KUNIT_EXPECT_EQ(test, seq, 61);
}

static void missing_messages_are_told(struct kunit *test)
{
	static const u64 seq[] = { 5, 6, 9, 1000 }, missing[] = { 0, 0, 2, 990 };
	static struct jtrace_log_reader r;
	struct logged *w = logged_new(test, 8192);
	struct jtrace_log_line line;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(seq); i++)
		store(w, &w->log, seq[i]);
	read_log(w, &r);
	for (i = 0; jtrace_log_next(&r, &line); i++) {
		KUNIT_ASSERT_LT(test, i, ARRAY_SIZE(seq));
		KUNIT_EXPECT_EQ(test, line.missing, missing[i]);
		expect_line(w, &line, seq[i]);
	}
	KUNIT_EXPECT_EQ(test, i, ARRAY_SIZE(seq));
}

/* A message of several lines, one of them longer than a record and one empty. */
static void lines_of_a_message_stay_lines(struct kunit *test)
{
	static const u32 lens[] = { 10, 700, 0, 255, 3 };
	static struct jtrace_log_reader r;
	struct logged *w = logged_new(test, 8192);
	struct jtrace_log_line line = { .seq = 7, .text = w->text };
	u32 i, part = 0;

	memset(w->text, 'x', sizeof(w->text));
	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		line.len = lens[i];
		line.part = part;
		part = jtrace_log_store(&w->log, &line);
	}
	KUNIT_EXPECT_EQ(test, part, 1 + 3 + 1 + 1 + 1);
	read_log(w, &r);
	for (i = 0; jtrace_log_next(&r, &line); i++) {
		KUNIT_ASSERT_LT(test, i, ARRAY_SIZE(lens));
		KUNIT_EXPECT_EQ(test, line.len, lens[i]);
		KUNIT_EXPECT_EQ(test, line.missing, 0);
		KUNIT_EXPECT_EQ(test, line.seq, 7);
	}
	KUNIT_EXPECT_EQ(test, i, ARRAY_SIZE(lens));
}

static void parses_the_kernels_prefix(struct kunit *test)
{
	static const struct {
		const char *text;
		u32 used;
		int prio;
		u64 time;
		const char *want;
	} all[] = {
		{ "<6>[    1.234567] hello\n", 24, 6, 1234567000ULL, "hello" },
		{ "<14>[12345.000001] a\n<14>[12345.000001] b\n", 21, 14, 12345000001000ULL, "a" },
		{ "<4>no time\n", 11, 4, JTRACE_LOG_NO_TIME, "no time" },
		{ "[    0.000000][    T0] caller", 29, 0, 0, "[    T0] caller" },
		{ "<3>[    1.5] short", 18, 3, JTRACE_LOG_NO_TIME, "[    1.5] short" },
		{ "<255>text", 9, 255, JTRACE_LOG_NO_TIME, "text" },
		{ "<300>[    0.000001] text", 24, 252, 1000, "text" },
		{ "<2047>text", 10, 255, JTRACE_LOG_NO_TIME, "text" },
		{ "<2048>text", 10, 0, JTRACE_LOG_NO_TIME, "<2048>text" },
		{ "<6>[99999999999.000000] late", 28, 6, JTRACE_LOG_NO_TIME,
		  "[99999999999.000000] late" },
		{ "<", 1, 0, JTRACE_LOG_NO_TIME, "<" },
		{ "<6", 2, 0, JTRACE_LOG_NO_TIME, "<6" },
		{ "<6>", 3, 6, JTRACE_LOG_NO_TIME, "" },
		{ "<6>[", 4, 6, JTRACE_LOG_NO_TIME, "[" },
		{ "<6>[    1.234567]", 17, 6, 1234567000ULL, "" },
		{ "\n", 1, 0, JTRACE_LOG_NO_TIME, "" },
		{ "plain", 5, 0, JTRACE_LOG_NO_TIME, "plain" },
	};
	struct jtrace_log_line line;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		u32 used = jtrace_log_parse(all[i].text, strlen(all[i].text), &line);

		KUNIT_EXPECT_EQ(test, used, all[i].used);
		KUNIT_EXPECT_EQ(test, line.prio, all[i].prio);
		KUNIT_EXPECT_EQ(test, line.time, all[i].time);
		KUNIT_ASSERT_EQ(test, line.len, strlen(all[i].want));
		KUNIT_EXPECT_TRUE(test, !memcmp(line.text, all[i].want, line.len));
	}
}

/* Count the records of @t in which no byte is damaged. */
static u32 count_whole(const u8 *img, const u8 *was, const struct jtrace_trace *t)
{
	u32 i, nr = 0;

	for (i = 0; i < t->log.nr; i++) {
		u64 at = (t->log.key[i].tie & U32_MAX) * JTRACE_GRANULE;
		u32 bytes = sizeof(struct jtrace_log_record) +
			    was[at + offsetof(struct jtrace_log_record, len)];

		nr += !memcmp(img + at, was + at, bytes);
	}
	return nr;
}

static void damage_costs_the_damaged_records(struct kunit *test)
{
	static struct jtrace_log_reader r;
	struct logged *w = logged_new(test, 8192);
	struct jtrace_log_line line;
	u32 round, n, whole, shown = 0;
	u8 *was;
	u64 seq;

	was = kunit_kzalloc(test, w->l.size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, was);
	for (seq = 1; seq <= 100; seq++)
		store(w, &w->log, seq);
	memcpy(was, w->img, w->l.size);
	w->rnd = 1;
	for (round = 0; round < 200; round++) {
		read_log(w, &r);
		for (n = random_below(&w->rnd, 20); n; n--)
			w->img[w->l.log_off + random_below(&w->rnd, w->l.log_size)] ^=
				1 << random_below(&w->rnd, 8);
		whole = count_whole(w->img, was, &w->t);
		read_log(w, &r);
		KUNIT_EXPECT_EQ(test, w->t.log.nr, whole);
		while (jtrace_log_next(&r, &line)) {
			expect_line(w, &line, line.seq);
			shown++;
		}
		memcpy(w->img, was, w->l.size);
	}
	KUNIT_EXPECT_GT(test, shown, 1000);
}

/* Of another image, at another place, or without its end: no record. */
static void strange_records_are_left_out(struct kunit *test)
{
	static struct jtrace_log_reader r;
	struct logged *w = logged_new(test, 8192);
	struct jtrace_log_line line;
	struct jtrace_log other;

	jtrace_log_init(&other, w->img, FAKE_ID + 1, w->l.log_off + 2048, 2048, false);
	store(w, &other, 1);
	store(w, &w->log, 2);
	memmove(w->img + w->l.log_off + 4096, w->img + w->l.log_off, 2048);
	read_log(w, &r);
	KUNIT_EXPECT_EQ(test, w->t.log.nr, 1);
	KUNIT_ASSERT_TRUE(test, jtrace_log_next(&r, &line));
	expect_line(w, &line, 2);
	KUNIT_EXPECT_FALSE(test, jtrace_log_next(&r, &line));
}

/* The header of an image whose log area lies over something else is good for the rest. */
static void overlapping_area_is_not_read(struct kunit *test)
{
	struct logged *w = logged_new(test, 4096);
	const u32 end = w->l.size;
	const u32 chunks_end = w->l.chunks_off + (w->l.nr_chunks << w->l.chunk_shift);
	const struct { u32 off, size; bool good; } all[] = {
		{ w->l.log_off, w->l.log_size, true },
		{ w->l.log_off + 8, w->l.log_size - 8, true },
		{ w->l.log_off + 4, 8, false },
		{ chunks_end - 8, 16, false },
		{ w->l.log_off, w->l.log_size + 8, false },
		{ w->l.sites_off, 8, false },
		{ 8, 8, false },
		{ end, 8, false },
		{ ~7U, 16, false },
		{ w->l.log_off, ~0U, false },
		{ 0, 0, false },
	};
	struct jtrace_layout l;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		w->h.area[2].off = cpu_to_le32(all[i].off);
		w->h.area[2].size = cpu_to_le32(all[i].size);
		jtrace_header_write(w->img, &w->h);
		KUNIT_EXPECT_EQ(test, jtrace_header_read(w->img, end, end, &w->h, &l),
				JTRACE_HEADER_OK);
		KUNIT_EXPECT_EQ(test, l.log_size, all[i].good ? all[i].size : 0);
		KUNIT_EXPECT_EQ(test, l.nr_chunks, w->l.nr_chunks);
	}
}

static void default_size(struct kunit *test)
{
	static const struct { u64 size, log; } all[] = {
		{ 0, 0 }, { 262143, 0 }, { 262144, 16384 }, { 1 << 20, 65536 },
		{ 4 << 20, 262144 }, { 256 << 20, 262144 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		KUNIT_EXPECT_EQ(test, jtrace_log_default(all[i].size), all[i].log);
}

static struct kunit_case log_cases[] = {
	KUNIT_CASE(newest_lines_come_back),
	KUNIT_CASE(equal_records_are_shown_once),
	KUNIT_CASE(missing_messages_are_told),
	KUNIT_CASE(lines_of_a_message_stay_lines),
	KUNIT_CASE(parses_the_kernels_prefix),
	KUNIT_CASE(damage_costs_the_damaged_records),
	KUNIT_CASE(strange_records_are_left_out),
	KUNIT_CASE(overlapping_area_is_not_read),
	KUNIT_CASE(default_size),
	{}
};

static struct kunit_suite jtrace_log_suite = {
	.name = "jtrace_log_test",
	.test_cases = log_cases,
};

kunit_test_suite(jtrace_log_suite);
