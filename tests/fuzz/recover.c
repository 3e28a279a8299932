// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes in place of the memory that an earlier boot left: judged, copied and shown as by the
 * module, from open to the last line.
 *
 * The work is linear, and the size bounds the text.  The text does not depend on the address of
 * the bytes, on the bytes behind them, on the old content of recovery's memory, or on the order
 * in which lines are read.
 */

#include "fuzz.h"

/*
 * Bounds for an image of a given size: lines (a small entry has 24 bytes, and may be the last
 * one of its CPU, too), and accesses to its words.  Each entry of a chunk without header costs a
 * scan of the chunk.
 */
#define LINES_MOST(len)		(258 + (len) / 12)
#define STEPS_MOST(len)		(4096 + 200 * (u64)(len))

/**
 * struct view - an image as one reader sees it
 * @mem: allocated memory
 * @img: the image in @mem
 * @room: memory for recovery
 * @t: the trace
 */
struct view {
	void *mem;
	u8 *img;
	void *room;
	struct jtrace_trace t;
};

static char text[(LINES_MOST(MOST_INPUT) + 1) * 256];
static size_t text_len;
static struct text_facts facts;

static void *filled(size_t size, u8 fill)
{
	void *mem;

	must(!posix_memalign(&mem, 64, size ?: 1), "no memory");
	return memset(mem, fill, size);
}

/* @at: offset in memory; @behind: put other bytes after the end. */
static void view_open(struct view *v, const u8 *data, size_t len, u32 at, u32 behind)
{
	v->mem = filled(at + len + behind, at ? 0xa5 : 0);
	v->img = (u8 *)v->mem + at;
	v->room = NULL;
	memcpy(v->img, data, len);
	jtrace_recover_open(&v->t, v->img, len);
}

static void view_scan(struct view *v, u8 fill)
{
	u64 room;

	if (v->t.verdict == JTRACE_EMPTY || v->t.verdict == JTRACE_UNREADABLE)
		return;
	jtrace_log_count(&v->t);
	must(v->t.log.nr <= v->t.len / sizeof(struct jtrace_log_record), "%u records", v->t.log.nr);
	room = jtrace_recover_room(&v->t);
	must(room <= (4 * (v->t.len >> JTRACE_MIN_CHUNK_SHIFT) + 2 + (1 << 16) + v->t.log.nr) *
	     sizeof(struct jtrace_key), "%llu bytes", (unsigned long long)room);
	v->room = filled(room, fill);
	jtrace_recover_scan(&v->t, v->room);
}

static void view_close(struct view *v)
{
	free(v->room);
	free(v->mem);
}

/* Bytes to copy from the region, like image_size() in jtrace_persist.c. */
static u64 worth(const u8 *data, size_t len)
{
	struct view v;
	u64 size;

	view_open(&v, data, len, 0, 0);
	size = v.t.verdict == JTRACE_EMPTY ? 0 :
	       v.t.verdict == JTRACE_UNREADABLE ? v.t.len : v.t.l.size;
	must(size <= len, "%llu", (unsigned long long)size);
	view_close(&v);
	return size;
}

/* Read all lines, in order, into @text. */
static void show(const struct jtrace_trace *t)
{
	static struct jtrace_text reader;
	u64 nr, lines;
	int len;

	jtrace_text_open(&reader, t, t->heap);
	lines = jtrace_text_lines(&reader);
	must(lines && lines <= LINES_MOST(t->len), "%llu lines of %llu bytes",
	     (unsigned long long)lines, (unsigned long long)t->len);
	facts.lines = 0;
	text_len = 0;
	for (nr = 0; nr < lines && sizeof(text) - text_len > JTRACE_LINE_MAX + 1; nr++) {
		len = jtrace_text_next(&reader, text + text_len, JTRACE_LINE_MAX);
		must(len >= 0 && len < JTRACE_LINE_MAX, "line %llu: %d", (unsigned long long)nr, len);
		text_len += len;
		text[text_len++] = '\n';
	}
	text[text_len] = 0;
	/* Each line may have strings of several hundred bytes in addition. */
	if (nr < lines)
		return;
	must(jtrace_text_next(&reader, text + text_len, 1) < 0, "one more");
	text[text_len] = 0;
	facts = text_check(text, text_len);
	must(facts.lines == lines, "%llu", (unsigned long long)lines);
}

/* Read the lines from last to first, as a seek does, and compare with @text. */
static void same_backwards(const struct jtrace_trace *t)
{
	static struct jtrace_text reader;
	char line[JTRACE_LINE_MAX];
	u64 nr = facts.lines;
	size_t end = text_len;
	int len;

	jtrace_text_open(&reader, t, t->heap);
	while (nr--) {
		reader.pos = nr;
		len = jtrace_text_next(&reader, line, sizeof(line));
		must(len >= 0 && end > len && !memcmp(text + end - 1 - len, line, len) &&
		     text[end - 1] == '\n', "line %llu: %s", (unsigned long long)nr, line);
		end -= len + 1;
	}
	must(!end, "%zu bytes before the first line", end);
}

/* Collect the keys of all entries in @key; @back: from the newest on. */
static u64 keys(const struct jtrace_trace *t, bool back, struct jtrace_key *key)
{
	static struct jtrace_walk walk;
	u64 nr = 0;

	jtrace_walk_open(&walk, t, t->heap, back);
	while (jtrace_walk_next(&walk))
		key[nr++] = walk.key;
	return nr;
}

/* Walks in both directions agree; a limited walk shows the newest entries. */
static void newest_shown(struct jtrace_trace *t)
{
	static struct jtrace_text reader;
	struct jtrace_key *all = calloc(3 * t->found + 1, sizeof(*all)), *back = all + t->found;
	u64 nr = keys(t, false, all), i, shown;

	must(nr == t->found && keys(t, true, back) == nr, "%llu", nr);
	for (i = 0; i < nr; i++)
		must(!memcmp(&all[i], &back[nr - 1 - i], sizeof(*all)), "%llu backwards",
		     i);
	jtrace_text_limit(&reader, t, nr / 2, 0, NULL, 0);
	shown = keys(t, false, back);
	must(shown == t->shown && shown == (nr > 1 ? nr / 2 : nr) &&
	     !memcmp(back, all + nr - shown, shown * sizeof(*all)), "%llu of %llu",
	     (unsigned long long)shown, nr);
	free(all);
	show(t);
}

/* Read all lines of the kernel log; return a sum over their text. */
static u32 show_log(const struct jtrace_trace *t)
{
	static struct jtrace_log_reader reader;
	static char buf[JTRACE_LOG_TEXT];
	struct jtrace_log_line line;
	u32 sum = 0, lines = 0;
	u64 before = 0;
	int len, i;

	if (t->verdict == JTRACE_EMPTY || t->verdict == JTRACE_UNREADABLE)
		return 0;
	jtrace_log_open(&reader, t);
	while (jtrace_log_next(&reader, &line)) {
		must(line.len <= JTRACE_LOG_LINE_MAX, "%u bytes", line.len);
		must(++lines <= t->log.nr, "%u lines of %u records", lines, t->log.nr);
		must(line.seq >= before, "line %llu", (unsigned long long)line.seq);
		before = line.seq;
		len = jtrace_log_text(t, &line, buf, sizeof(buf));
		must(len >= 0 && len < sizeof(buf) - 1 && !buf[len], "length %d", len);
		for (i = 0; i < len; i++)
			must((u8)buf[i] >= ' ' && buf[i] != 0x7f, "byte %#x", (u8)buf[i]);
		sum = jtrace_crc32c(sum, &line.missing, sizeof(line.missing));
		sum = jtrace_crc32c(sum, buf, len + 1);
		len = jtrace_log_text(t, &line, buf, 1 + line.len / 2);
		must(len >= 0 && len <= line.len / 2 && !buf[len], "cut to %d", len);
	}
	return sum;
}

/* The region at another address, with other bytes after it: the same text. */
static void elsewhere(const struct jtrace_trace *t, const u8 *data, size_t len)
{
	struct view v;

	view_open(&v, data, len, 8, 200);
	view_scan(&v, 0xff);
	must(v.t.verdict == t->verdict, "%u, %u", v.t.verdict, t->verdict);
	v.t.tell = t->tell;
	if (facts.lines)
		same_backwards(&v.t);
	must(show_log(&v.t) == show_log(t), "another log");
	view_close(&v);
}

/* A file need not end on a granule. */
static void as_file(const u8 *data, size_t len)
{
	struct view v;

	view_open(&v, data, len, 0, 0);
	view_scan(&v, 0);
	v.t.tell = JTRACE_TELL_BOOT | JTRACE_TELL_THIS_BOOT;
	show(&v.t);
	show_log(&v.t);
	view_close(&v);
}

/* The work for an image of @chunks chunks; @lose selects which parts are lost. */
static u64 work(u32 kind, u32 chunks, u32 lose)
{
	u64 begin;
	struct view v;
	u32 len, at;
	u8 *img = made_large(kind, chunks, &len);

	for (at = 0; lose && at < len; at += 1U << JTRACE_MIN_CHUNK_SHIFT)
		if (lose == 2 ? !memcmp(img + at, "JTCK", 4) && at & 128 : !at)
			memset(img + at, 0, 64);
	memset(img + len - 64, 0, lose ? 64 : 0);
	begin = fuzz_steps;
	view_open(&v, img, len, 0, 0);
	view_scan(&v, 0);
	begin = fuzz_steps - begin;
	must(v.t.found, "nothing in %u chunks", chunks);
	view_close(&v);
	free(img);
	return begin;
}

/* Inputs are too small to measure: large images, four times the size, four times the work. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	u32 kind, lose;
	u64 once, more;

	(void)argc;
	(void)argv;
	for (kind = JTRACE_KIND_SMALL; kind <= JTRACE_KIND_LARGE; kind++)
		for (lose = 0; lose < 3; lose++) {
			once = work(kind, 500, lose);
			more = work(kind, 2000, lose);
			must(more < 5 * once, "%llu steps, of four times the size %llu: kind %u, lost %u",
			     (unsigned long long)once, (unsigned long long)more, kind, lose);
		}
	return 0;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	size_t len = min_t(size_t, size, MOST_INPUT), region = ALIGN_DOWN(len, JTRACE_GRANULE);
	u32 chance = jtrace_crc32c(0, data, len);
	u64 begin = fuzz_steps;
	struct view v;

	/* Exactly that many bytes, so that a sanitizer sees a read beyond. */
	view_open(&v, data, worth(data, region), 0, 0);
	view_scan(&v, 0);
	/* Hex dumps are slow, and all alike. */
	if (v.t.verdict == JTRACE_UNREADABLE && chance >> 28) {
		view_close(&v);
		return 0;
	}
	must(fuzz_steps - begin <= STEPS_MOST(len), "%llu steps for %zu bytes",
	     (unsigned long long)(fuzz_steps - begin), len);
	v.t.tell = JTRACE_TELL_BOOT | JTRACE_TELL_NOT_CLEAN | JTRACE_TELL_OVER;
	show(&v.t);
	show_log(&v.t);

	/* One of three more ways for each input: all would take too long. */
	switch (chance % 3) {
	case 0:
		elsewhere(&v.t, data, region);
		break;
	case 1:
		as_file(data, len);
		break;
	default:
		v.t.tell = 0;
		if (v.t.verdict != JTRACE_EMPTY && v.t.verdict != JTRACE_UNREADABLE)
			newest_shown(&v.t);
	}
	view_close(&v);
	return 0;
}
