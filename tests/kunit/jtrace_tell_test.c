// SPDX-License-Identifier: GPL-2.0
/*
 * The lines before the entries of an image, or in place of them, word by word: which kernel
 * recorded, how its boot ended, what is lost.
 */

#include "helpers.h"
#include "../../lib/read/render.h"

#define HEADER	sizeof(struct jtrace_image_header)

/* 2026-11-21 14:46:03 UTC */
#define WHEN	1795272363000000000ULL

static const u8 boot_id[16] = {
	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
	0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10,
};

static void put_text(void *to, size_t size, const char *text)
{
	memset(to, 0, size);
	memcpy(to, text, strnlen(text, size));
}

/* Record two entries at 17 s and 20 s; the header was written at 12 s. */
static struct fake *told(struct kunit *test, u8 state, u32 chunks)
{
	struct jtrace_layout l;
	struct fake *f;

	fake_layout(&l, 8, JTRACE_KIND_SMALL | JTRACE_FORM_CHECKED, chunks);
	f = fake_new(test, &l, 2, true, 200);
	f->h.last_cpus = 0;
	f->h.state = state;
	f->h.real = cpu_to_le64(WHEN);
	f->h.stamp.ticks = cpu_to_le64(12000000000ULL);
	f->h.stamp.mono = cpu_to_le64(11000000000ULL);
	f->h.stamp.boot = cpu_to_le64(12000000000ULL);
	put_text(f->h.release, sizeof(f->h.release), "6.1.0-56-amd64");
	memcpy(f->h.boot_id, boot_id, sizeof(boot_id));
	put_text(f->h.reason, sizeof(f->h.reason), "Oops: 0002 [#1] SMP");
	jtrace_header_write(f->img, &f->h);
	fake_record_at(f, 0, 17000000000ULL);
	fake_record_at(f, 1, 20000000001ULL);
	return f;
}

static void expect_line(struct fake *f, u64 nr, const char *text)
{
	char *buf = kunit_kzalloc(f->test, JTRACE_LINE_MAX, GFP_KERNEL);
	int len;

	KUNIT_ASSERT_NOT_NULL(f->test, buf);
	len = fake_line(&f->t, nr, buf, JTRACE_LINE_MAX);
	KUNIT_EXPECT_STREQ_MSG(f->test, (const char *)buf, text, "line %llu",
			       (unsigned long long)nr);
	KUNIT_EXPECT_EQ(f->test, len, (int)strlen(buf));
}

static void open_and_scan(struct fake *f, u32 tell)
{
	jtrace_recover_open(&f->t, f->img, f->l.size);
	f->t.tell = tell;
	jtrace_recover_scan(&f->t, f->room);
}

/* The second line says how the boot ended. */
static void expect_end(struct fake *f, const char *text)
{
	jtrace_header_write(f->img, &f->h);
	open_and_scan(f, JTRACE_TELL_BOOT | JTRACE_TELL_OVER);
	KUNIT_EXPECT_EQ(f->test, jtrace_tell_lines(&f->t), 2);
	expect_line(f, 0, "JTRACE: Recorded by Linux 6.1.0-56-amd64, boot 01234567-89ab-cdef-fedc-ba9876543210");
	expect_line(f, 1, text);
	expect_line(f, 2, "JTRACE: Recovered 2/64 entries");
}

static void each_end(struct kunit *test)
{
	struct fake *f = told(test, JTRACE_STATE_PANICKED, 8);

	expect_end(f, "JTRACE: It panicked at 2026-11-21 14:46:03 UTC: Oops: 0002 [#1] SMP");
	KUNIT_EXPECT_EQ(test, f->t.verdict, JTRACE_WHOLE);
	f->h.state = JTRACE_STATE_CLEAN;
	expect_end(f, "JTRACE: It was shut down cleanly at 2026-11-21 14:46:03 UTC");
	KUNIT_EXPECT_EQ(test, f->t.verdict, JTRACE_CLEAN);
	f->h.state = JTRACE_STATE_KEPT;
	expect_end(f, "JTRACE: It was shut down cleanly at 2026-11-21 14:46:03 UTC");
	KUNIT_EXPECT_EQ(test, f->t.verdict, JTRACE_WHOLE);
	f->h.state = JTRACE_STATE_UNLOADED;
	expect_end(f, "JTRACE: jtrace was unloaded at 2026-11-21 14:46:03 UTC");
	KUNIT_EXPECT_EQ(test, f->t.verdict, JTRACE_WHOLE);
	/* Eight seconds after the header was written, or nine by the other clock. */
	f->h.state = JTRACE_STATE_RUNNING;
	expect_end(f, "JTRACE: It hung or was reset; its last event was at 2026-11-21 14:46:11 UTC");
	f->h.incompat |= cpu_to_le32(JTRACE_INCOMPAT_MONO);
	expect_end(f, "JTRACE: It hung or was reset; its last event was at 2026-11-21 14:46:12 UTC");
	f->h.state = 99;
	expect_end(f, "JTRACE: It hung or was reset; its last event was at 2026-11-21 14:46:12 UTC");
	/* A machine without a wall clock. */
	f->h.real = 0;
	f->h.state = JTRACE_STATE_PANICKED;
	expect_end(f, "JTRACE: It panicked: Oops: 0002 [#1] SMP");
	f->h.state = JTRACE_STATE_UNLOADED;
	expect_end(f, "JTRACE: jtrace was unloaded");
}

/* All lines, separated by NULs. */
static char *all_lines(struct fake *f, u32 most)
{
	char *buf = kunit_kzalloc(f->test, most, GFP_KERNEL);
	u64 nr, lines;
	u32 at = 0;

	KUNIT_ASSERT_NOT_NULL(f->test, buf);
	open_and_scan(f, JTRACE_TELL_BOOT | JTRACE_TELL_OVER);
	KUNIT_EXPECT_EQ(f->test, f->t.verdict, JTRACE_WHOLE);
	lines = fake_lines(&f->t);
	KUNIT_EXPECT_GT(f->test, lines, 5);
	for (nr = 0; nr < lines; nr++)
		at += fake_line(&f->t, nr, buf + at, most - at) + 1;
	return buf;
}

/* A later writer may use reserved fields: these readers show the same. */
static void reserve_is_ignored(struct kunit *test)
{
	struct fake *f = told(test, JTRACE_STATE_PANICKED, 8);
	const u32 most = 4096, log = 256;
	char *before, *after;
	u32 i;

	/* Room for a log between sites and chunks. */
	f->h.area[0].size = cpu_to_le32(f->l.sites_end - log - f->l.sites_off);
	jtrace_header_write(f->img, &f->h);
	before = all_lines(f, most);
	f->h.area[2].kind = cpu_to_le32(JTRACE_AREA_LOG);
	f->h.area[2].off = cpu_to_le32(f->l.sites_end - log);
	f->h.area[2].size = cpu_to_le32(log);
	/* Of a kind that these readers do not know, over all. */
	f->h.area[3].kind = cpu_to_le32(0x12345);
	f->h.area[3].size = cpu_to_le32(U32_MAX);
	f->h.compat |= cpu_to_le32(0xffffff00);
	f->h.reserved = cpu_to_le16(0xffff);
	f->h.reserved2 = cpu_to_le32(~0U);
	for (i = 0; i < sizeof(f->h.spare); i++)
		f->h.spare[i] = ~i;
	memset(f->img + f->l.sites_end - log, 'l', log);
	jtrace_header_write(f->img, &f->h);
	after = all_lines(f, most);
	KUNIT_EXPECT_EQ(test, memcmp(before, after, most), 0);
	/* Only the backup header. */
	memset(f->img, 0, HEADER);
	open_and_scan(f, 0);
	expect_line(f, 0, "JTRACE: Recovered 2/64 entries");
	KUNIT_EXPECT_EQ(test, memcmp(f->t.header.spare, f->h.spare, sizeof(f->h.spare)), 0);
}

/* A counter with 3 ns a tick, and only the header's stamp. */
static void newest_entry_by_ticks(struct kunit *test)
{
	struct fake *f = told(test, JTRACE_STATE_RUNNING, 8);
	u32 i;

	for (i = 0; i < 8; i++) {
		struct jtrace_chunk_header *h = (void *)jtrace_chunk_at(&f->l, f->img, i);

		memset(&h->stamp, 0, sizeof(h->stamp));
		h->check = cpu_to_le32(jtrace_chunk_check(h));
	}
	f->h.clock = JTRACE_CLOCK_TICKS;
	f->h.rate = cpu_to_le64(3ULL << 32);
	jtrace_header_write(f->img, &f->h);
	open_and_scan(f, JTRACE_TELL_BOOT | JTRACE_TELL_OVER);
	expect_line(f, 1, "JTRACE: It hung or was reset; its last event was at 2026-11-21 14:46:27 UTC");
}

/* No events: the header's time is the last known one. */
static void no_entry_to_tell_the_time(struct kunit *test)
{
	struct fake *f = told(test, JTRACE_STATE_RUNNING, 8);

	f->h.floor = cpu_to_le64(~0ULL);
	jtrace_header_write(f->img, &f->h);
	open_and_scan(f, JTRACE_TELL_BOOT);
	expect_line(f, 1, "JTRACE: It was still running; its last event was at 2026-11-21 14:46:03 UTC");
	expect_line(f, 2, "JTRACE: no entries");
	KUNIT_EXPECT_EQ(test, fake_lines(&f->t), 3);
}

/* Text from a damaged image does not act on a terminal. */
static void bytes_are_escaped(struct kunit *test)
{
	struct fake *f = told(test, JTRACE_STATE_PANICKED, 8);
	char *want = kunit_kzalloc(test, JTRACE_LINE_MAX, GFP_KERNEL);
	u32 i, n;

	KUNIT_ASSERT_NOT_NULL(test, want);
	put_text(f->h.release, sizeof(f->h.release), "6\n\x1b[31m\xff%s");
	put_text(f->h.reason, sizeof(f->h.reason), "a\tb\r\n\x80 ~\x7f");
	memset(f->h.boot_id, 0, sizeof(f->h.boot_id));
	jtrace_header_write(f->img, &f->h);
	open_and_scan(f, JTRACE_TELL_BOOT);
	expect_line(f, 0, "JTRACE: Recorded by Linux 6\\x0a\\x1b[31m\\xff%s");
	expect_line(f, 1, "JTRACE: It panicked at 2026-11-21 14:46:03 UTC: a\\x09b\\x0d\\x0a\\x80 ~\\x7f");

	/* The longest text, without a NUL. */
	memset(f->h.release, 0xe9, sizeof(f->h.release));
	memset(f->h.reason, 1, sizeof(f->h.reason));
	jtrace_header_write(f->img, &f->h);
	open_and_scan(f, JTRACE_TELL_BOOT | JTRACE_TELL_THIS_BOOT);
	n = scnprintf(want, JTRACE_LINE_MAX, "JTRACE: Recorded by Linux ");
	for (i = 0; i < sizeof(f->h.release); i++)
		n += scnprintf(want + n, JTRACE_LINE_MAX - n, "\\xe9");
	scnprintf(want + n, JTRACE_LINE_MAX - n, ", which is this one");
	expect_line(f, 0, want);
	n = scnprintf(want, JTRACE_LINE_MAX, "JTRACE: It panicked at 2026-11-21 14:46:03 UTC: ");
	for (i = 0; i < sizeof(f->h.reason); i++)
		n += scnprintf(want + n, JTRACE_LINE_MAX - n, "\\x01");
	expect_line(f, 1, want);
}

static void escape_fits_anywhere(struct kunit *test)
{
	static const char * const cut[] = {
		"", "", "", "", "", "a", "a\\x01", "a\\x01", "a\\x01", "a\\x01", "a\\x01b",
	};
	char buf[16];
	u32 size, i;

	for (size = 1; size < sizeof(buf); size++) {
		memset(buf, 0x55, sizeof(buf));
		jtrace_escape(NULL, buf, size, "a\1b", 3);
		KUNIT_EXPECT_STREQ(test, (const char *)buf,
				   cut[min_t(u32, size, ARRAY_SIZE(cut) - 1)]);
		for (i = size; i < sizeof(buf); i++)
			KUNIT_EXPECT_EQ(test, buf[i], 0x55);
	}
	jtrace_escape(NULL, buf, sizeof(buf), "abc", 2);
	KUNIT_EXPECT_STREQ(test, (const char *)buf, "ab");
}

static u32 plain_e_acute(const char *text, size_t len)
{
	return len >= 2 && !memcmp(text, "\xc3\xa9", 2) ? 2 : 0;
}

/* A reader that accepts UTF-8 shows whole characters, and reads nothing after the end. */
static void plain_is_shown(struct kunit *test)
{
	struct jtrace_trace *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	char buf[16];
	u32 size, n;

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->plain = plain_e_acute;
	jtrace_escape(t, buf, sizeof(buf), "a\xc3\xa9\xc3\xa8z", 6);
	KUNIT_EXPECT_STREQ(test, (const char *)buf, "a\xc3\xa9\\xc3\\xa8z");
	jtrace_escape(t, buf, sizeof(buf), "a\xc3\xa9", 2);
	KUNIT_EXPECT_STREQ(test, (const char *)buf, "a\\xc3");
	for (size = 1; size < sizeof(buf); size++) {
		memset(buf, 0x55, sizeof(buf));
		jtrace_escape(t, buf, size, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 8);
		n = strlen(buf);
		KUNIT_EXPECT_EQ(test, n % 2, 0);
		KUNIT_EXPECT_LT(test, n, size);
		KUNIT_EXPECT_EQ(test, buf[size], 0x55);
	}
}

static void what_is_told(struct kunit *test)
{
	struct fake *f = told(test, JTRACE_STATE_CLEAN, 8);

	/* Only the entries. */
	open_and_scan(f, 0);
	KUNIT_EXPECT_EQ(test, jtrace_tell_lines(&f->t), 0);
	expect_line(f, 0, "JTRACE: Recovered 2/64 entries");
	expect_line(f, 1, "[  17.000000000][cpu 0] : 00000000 : (    0.000 uSec) : (one)");
	KUNIT_EXPECT_EQ(test, fake_lines(&f->t), 5);

	open_and_scan(f, JTRACE_TELL_BOOT | JTRACE_TELL_THIS_BOOT);
	expect_line(f, 0, "JTRACE: Recorded by Linux 6.1.0-56-amd64, boot 01234567-89ab-cdef-fedc-ba9876543210, which is this one");
	KUNIT_EXPECT_EQ(test, fake_lines(&f->t), 7);
	expect_line(f, 6, "JTRACE: Last log timestamp [  20.000000001]");

	/* A clean trace is reported, and shown only if it was kept. */
	open_and_scan(f, JTRACE_TELL_BOOT | JTRACE_TELL_NOT_CLEAN);
	KUNIT_EXPECT_EQ(test, fake_lines(&f->t), 3);
	expect_line(f, 2, "JTRACE: Log appears clean, not dumping it");
	open_and_scan(f, JTRACE_TELL_NOT_CLEAN);
	KUNIT_EXPECT_EQ(test, fake_lines(&f->t), 1);
	expect_line(f, 0, "JTRACE: Log appears clean, not dumping it");
	f->h.state = JTRACE_STATE_KEPT;
	jtrace_header_write(f->img, &f->h);
	open_and_scan(f, JTRACE_TELL_NOT_CLEAN);
	KUNIT_EXPECT_EQ(test, fake_lines(&f->t), 5);
	expect_line(f, 0, "JTRACE: Recovered 2/64 entries");
}

/* ---- What is lost ----------------------------------------------------- */

/* The text has the lines of the header, then one line for the damage. */
static void expect_damage(struct fake *f, u64 len, const char *text)
{
	jtrace_recover_open(&f->t, f->img, len);
	f->t.tell = JTRACE_TELL_BOOT;
	jtrace_recover_scan(&f->t, f->room);
	KUNIT_EXPECT_EQ(f->test, f->t.verdict, JTRACE_DAMAGED);
	KUNIT_EXPECT_EQ(f->test, jtrace_tell_lines(&f->t), 3);
	expect_line(f, 2, text);
}

static void lost_headers(struct kunit *test)
{
	struct fake *f = told(test, JTRACE_STATE_PANICKED, 8);
	const u64 copy = f->l.size - HEADER;

	KUNIT_EXPECT_EQ(test, f->l.size, 4096);
	f->img[copy + 100] ^= 1;
	expect_damage(f, f->l.size, "JTRACE: Damaged: backup header lost (at 0xe00)");
	expect_damage(f, 3000, "JTRACE: Damaged: end of the image missing (at 0xbb8)");
	f->img[copy + 100] ^= 1;
	f->img[100] ^= 1;
	expect_damage(f, f->l.size, "JTRACE: Damaged: header lost, used the backup header (a header with a wrong CRC at 0x0)");
	f->img[0] ^= 1;
	expect_damage(f, f->l.size, "JTRACE: Damaged: header lost, used the backup header (no header at 0x0)");
	f->img[copy] ^= 1;
	expect_damage(f, f->l.size, "JTRACE: Damaged: both headers lost: times may be inexact, cleared entries may be shown (no header at 0x0)");
	expect_line(f, 0, "JTRACE: Recorded by a kernel whose name is lost");
	expect_line(f, 1, "JTRACE: Its end state is unknown");
	expect_line(f, 3, "JTRACE: Recovered 2/128 entries");
}

/* Two laps, then damage to three chunks. */
static void lost_chunks(struct kunit *test)
{
	struct fake *f = told(test, JTRACE_STATE_PANICKED, 8);
	u8 *chunk = f->img + f->l.chunks_off;
	u32 i;

	KUNIT_EXPECT_EQ(test, f->l.chunks_off, 1536);
	for (i = 0; i < 190; i++)
		fake_record_at(f, 0, 21000000000ULL + i);
	memset(chunk, 0, 64);
	expect_damage(f, f->l.size, "JTRACE: Damaged: chunk headers lost: 1, used their entries (at 0x600)");
	memset(chunk + 2 * 256, 0, 64);
	expect_damage(f, f->l.size, "JTRACE: Damaged: chunk headers lost: 2, used their entries (the first at 0x600)");
	memset(chunk + 3 * 256, 0x11, 256);
	memset(chunk + 4 * 256, 0, 256);
	chunk[5 * 256 + 64 + 12] ^= 1;
	jtrace_recover_open(&f->t, f->img, f->l.size);
	f->t.tell = JTRACE_TELL_BOOT;
	jtrace_recover_scan(&f->t, f->room);
	KUNIT_EXPECT_EQ(test, jtrace_tell_lines(&f->t), 6);
	expect_line(f, 2, "JTRACE: Damaged: chunk headers lost: 2, used their entries (the first at 0x600)");
	expect_line(f, 3, "JTRACE: Damaged: chunks lost: 1, not part of this image (at 0x900)");
	expect_line(f, 4, "JTRACE: Damaged: chunks lost: 1, blank (at 0xa00)");
	expect_line(f, 5, "JTRACE: Damaged: entries left out: 1, their check value is wrong (at 0xb40)");
}

/* ---- Nothing to show -------------------------------------------------- */

static void another_version(struct kunit *test)
{
	struct fake *f = told(test, JTRACE_STATE_PANICKED, 8);

	f->h.version = cpu_to_le16(7);
	jtrace_header_write(f->img, &f->h);
	KUNIT_EXPECT_EQ(test, jtrace_recover_open(&f->t, f->img, f->l.size), JTRACE_UNREADABLE);
	f->t.tell = JTRACE_TELL_BOOT;
	expect_line(f, 0, "JTRACE: Dumping corrupted log");
	expect_line(f, 1, "JTRACE: 4096 bytes, of version 7, this reader knows version 2");
}

/* Also in the backup header alone: the chunks are not shown without what they need. */
static void unknown_feature(struct kunit *test)
{
	struct fake *f = told(test, JTRACE_STATE_PANICKED, 8);

	f->h.incompat |= cpu_to_le32(0x80000004);
	jtrace_header_write(f->img, &f->h);
	KUNIT_EXPECT_EQ(test, jtrace_recover_open(&f->t, f->img, f->l.size), JTRACE_UNREADABLE);
	f->t.tell = JTRACE_TELL_BOOT;
	expect_line(f, 0, "JTRACE: Dumping corrupted log");
	expect_line(f, 1, "JTRACE: 4096 bytes, with features 0x80000004 that this reader does not know");
	memset(f->img, 0, HEADER);
	KUNIT_EXPECT_EQ(test, jtrace_recover_open(&f->t, f->img, f->l.size), JTRACE_UNREADABLE);
	expect_line(f, 1, "JTRACE: 4096 bytes, with features 0x80000004 that this reader does not know");
}

static struct jtrace_trace *corrupt(struct kunit *test, u64 len)
{
	struct jtrace_trace *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	u8 *img = kunit_kzalloc(test, len, GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, t);
	KUNIT_ASSERT_NOT_NULL(test, img);
	for (i = 0; i < len; i++)
		img[i] = i * 7;
	memcpy(img, "JTRIMAGE", 8);
	KUNIT_EXPECT_EQ(test, jtrace_recover_open(t, img, len), JTRACE_UNREADABLE);
	return t;
}

/* A line for each 16 bytes, for at most 4096. */
static void hex_dump(struct kunit *test)
{
	static const struct {
		u32 len, lines;
	} cases[] = { { 512, 34 }, { 513, 35 }, { 527, 35 }, { 528, 35 }, { 529, 36 },
		      { 4095, 258 }, { 4096, 258 }, { 4097, 258 }, { 60000, 258 } };
	char want[64], line[80];
	u32 i, k, n;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct jtrace_trace *t = corrupt(test, cases[i].len);

		KUNIT_EXPECT_EQ(test, fake_lines(t), cases[i].lines);
		KUNIT_EXPECT_EQ(test, fake_line(t, cases[i].lines, line, 80), -1);
		fake_line(t, 1, line, sizeof(line));
		scnprintf(want, sizeof(want), "JTRACE: %u bytes with a header with a wrong CRC",
			  cases[i].len);
		KUNIT_EXPECT_EQ(test, memcmp(line, want, strlen(want)), 0);
		for (k = 0; k < cases[i].lines - 2; k++) {
			u32 at = 16 * k, end = min(at + 16, cases[i].len);

			n = scnprintf(want, sizeof(want), "%08x:", at);
			for (; at < end; at++)
				n += scnprintf(want + n, sizeof(want) - n, " %02x",
					       at < 8 ? "JTRIMAGE"[at] : (u8)(at * 7));
			KUNIT_ASSERT_EQ(test, fake_line(t, k + 2, line, 80), (int)n);
			KUNIT_ASSERT_EQ(test, memcmp(line, want, n + 1), 0);
		}
	}
}

static void corrupt_lines(struct kunit *test)
{
	struct jtrace_trace *t = corrupt(test, 528);
	char line[128];

	fake_line(t, 0, line, sizeof(line));
	KUNIT_EXPECT_STREQ(test, (const char *)line, "JTRACE: Dumping corrupted log");
	fake_line(t, 1, line, sizeof(line));
	KUNIT_EXPECT_STREQ(test, (const char *)line,
			   "JTRACE: 528 bytes with a header with a wrong CRC, and no readable chunk");
	fake_line(t, 34, line, sizeof(line));
	KUNIT_EXPECT_STREQ(test, (const char *)line,
			   "00000200: 00 07 0e 15 1c 23 2a 31 38 3f 46 4d 54 5b 62 69");
}

static struct kunit_case tell_cases[] = {
	KUNIT_CASE(each_end),
	KUNIT_CASE(reserve_is_ignored),
	KUNIT_CASE(newest_entry_by_ticks),
	KUNIT_CASE(no_entry_to_tell_the_time),
	KUNIT_CASE(bytes_are_escaped),
	KUNIT_CASE(escape_fits_anywhere),
	KUNIT_CASE(plain_is_shown),
	KUNIT_CASE(what_is_told),
	KUNIT_CASE(lost_headers),
	KUNIT_CASE(lost_chunks),
	KUNIT_CASE(another_version),
	KUNIT_CASE(unknown_feature),
	KUNIT_CASE(hex_dump),
	KUNIT_CASE(corrupt_lines),
	{}
};

static struct kunit_suite jtrace_tell_suite = {
	.name = "jtrace_tell_test",
	.test_cases = tell_cases,
};

kunit_test_suite(jtrace_tell_suite);
