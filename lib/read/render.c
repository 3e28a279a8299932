// SPDX-License-Identifier: GPL-2.0
/*
 * The text of a trace, line by line, byte for byte in the format of JTRACE.
 *
 * A reader opens the text and takes one line after the other.  It can take the last line
 * again, as a file that is read in pieces requires.  A dump is measured from its end.
 */

#include "../base/pen.h"
#include "render.h"

#define NS_PER_SEC	1000000000U
#define NS_PER_MSEC	1000000U
#define NS_PER_USEC	1000U

static bool not_shown(const struct jtrace_trace *t)
{
	return t->verdict != JTRACE_EMPTY && t->tell & JTRACE_TELL_NOT_CLEAN &&
	       t->header.state == JTRACE_STATE_CLEAN;
}

/* Entries to show, or to count where a filter wants none of them. */
static u64 entries(const struct jtrace_trace *t)
{
	return t->filter ? t->found : t->shown;
}

/* Does one line stand for all entries? */
static bool one_line(const struct jtrace_trace *t)
{
	return t->verdict == JTRACE_EMPTY || !entries(t) || not_shown(t);
}

static bool left_out(const struct jtrace_trace *t)
{
	return t->filter || t->found > t->shown;
}

/* ---- The parts of a line ---------------------------------------------- */

/* "[%4lld.%09lld]" */
static void put_time(struct pen *p, u64 ns)
{
	u32 rest;
	u64 sec = div_u64_rem(ns, NS_PER_SEC, &rest);

	pen_char(p, '[');
	pen_dec(p, sec, 4, ' ');
	pen_char(p, '.');
	pen_dec(p, rest, 9, '0');
	pen_char(p, ']');
}

/* File, function and line of large entries; the tag in parentheses.  False if it has no text. */
static bool put_site(const struct jtrace_trace *t, struct pen *p, u32 number)
{
	const bool large = t->l.kind == JTRACE_KIND_LARGE;
	struct jtrace_site_text text;

	if (!jtrace_site_read(&t->l, t->img, t->image_id, number, &text)) {
		pen_format(p, large ? "?:?:0 (<site %u>)" : "(<site %u>)", number);
		return false;
	}
	if (large) {
		jtrace_put_escaped(t, p, text.file, sizeof(text.file));
		pen_char(p, ':');
		jtrace_put_escaped(t, p, text.func, sizeof(text.func));
		pen_format(p, ":%d ", (s32)text.line);
	}
	pen_char(p, '(');
	jtrace_put_escaped(t, p, text.tag, sizeof(text.tag));
	pen_char(p, ')');
	return true;
}

/* put_site(), with a cache. */
static void put_site_memo(struct jtrace_text *text, struct pen *p, u32 number)
{
	u32 slot = jtrace_site_slot(number, JTRACE_MEMO_SITES);
	struct jtrace_site_memo *memo = &text->site[slot];
	const char *from = p->at;
	size_t len;

	static_assert(!(JTRACE_MEMO_SITES & (JTRACE_MEMO_SITES - 1)));
	if (memo->len && memo->number == number) {
		pen_bytes(p, memo->text, memo->len);
		return;
	}
	/* A site that is not complete yet may have a text later. */
	if (!put_site(text->t, p, number))
		return;
	len = p->at - from;
	/* Do not cache a text that may have been cut. */
	if (len > JTRACE_MEMO_TEXT || p->at == p->end)
		return;
	memo->number = number;
	memo->len = len;
	memcpy(memo->text, from, len);
}

/* The arguments of an entry, as numbers. */
static void put_args(const struct jtrace_trace *t, struct pen *p, const struct jtrace_decoded *ev)
{
	u32 i;

	pen_hex(p, ev->arg[0], 8);
	if (t->l.kind == JTRACE_KIND_SMALL)
		return;
	for (i = 1; i < 4; i++) {
		pen_char(p, ' ');
		pen_hex(p, ev->arg[i], 8);
	}
	for (i = 0; i < 2; i++) {
		pen_char(p, ' ');
		pen_hex(p, ev->wide[i], 16);
	}
}

/* @before: the time of the line above. */
static void put_entry(struct jtrace_text *text, struct pen *p, const struct jtrace_decoded *ev,
		      u64 ns, u64 before)
{
	const struct jtrace_trace *t = text->t;
	const struct jtrace_named *named = t->decode ? t->decode(t, ev) : NULL;
	const bool small = t->l.kind == JTRACE_KIND_SMALL;
	u64 usec;
	u32 rest;

	usec = div_u64_rem(ns - before, NS_PER_USEC, &rest);
	put_time(p, ns);
	pen_text(p, "[cpu ");
	pen_dec(p, ev->cpu, 0, ' ');
	if (!small) {
		pen_text(p, " tid ");
		pen_dec(p, ev->tid, 8, ' ');
		if (t->put_task)
			t->put_task(t, p, ev);
	}
	pen_text(p, "] : ");
	if (named)
		pen_text(p, named->values);
	else
		put_args(t, p, ev);
	pen_text(p, " : (");
	pen_dec(p, usec, small ? 5 : 8, ' ');
	pen_char(p, '.');
	pen_dec(p, rest, 3, '0');
	pen_text(p, " uSec) : ");
	if (named)
		pen_text(p, named->site);
	else
		put_site_memo(text, p, ev->site);
}

/* The time to show for a raw time; the last one is cached. */
static u64 shown_ns(struct jtrace_text *text, u64 time)
{
	if (time != text->time)
		text->ns = jtrace_recover_ns(text->t, time);
	text->time = time;
	return text->ns;
}

static bool put_entry_nr(struct jtrace_text *text, struct pen *p, u64 i)
{
	u64 before;

	if (!text->at || i + 1 < text->at) {
		jtrace_walk_open(&text->walk, text->t, text->heap, false);
		text->at = 0;
	}
	while (text->at <= i) {
		text->above = text->walk.key.time;
		text->at++;
		text->ev = NULL;
		text->ev = jtrace_walk_next(&text->walk);
	}
	if (!text->ev)
		return false;
	before = i ? text->above : text->first ?: text->ev->time;
	before = shown_ns(text, min(before, text->ev->time));
	put_entry(text, p, text->ev, shown_ns(text, text->ev->time), before);
	return true;
}

/* The section on CPUs: a blank line, a title, and a line for each CPU. */
static bool put_last(struct jtrace_text *text, struct pen *p, u64 nr)
{
	const struct jtrace_key *key;
	struct jtrace_decoded ev;
	u64 ns;

	if (nr < 2) {
		pen_text(p, nr ? "JTRACE: Last recorded per-CPU events." : "");
		return true;
	}
	key = &text->t->last.key[nr - 2];
	if (!jtrace_recover_get(text->t, key, &ev))
		return false;
	ns = jtrace_recover_ns(text->t, ev.time);
	put_entry(text, p, &ev, ns, ns);
	return true;
}

static void put_end(const struct jtrace_trace *t, struct pen *p, u64 nr)
{
	if (!nr)
		return;
	pen_text(p, "JTRACE: Last log timestamp ");
	put_time(p, jtrace_recover_ns(t, t->newest.time));
}

/* Say why entries show a number instead of a name, and name a sufficient size. */
static void put_nameless(const struct jtrace_trace *t, struct pen *p)
{
	const struct jtrace_area *sites = jtrace_header_area(&t->header, JTRACE_AREA_SITES);

	pen_format(p, "%llu of %llu entries have no name: the site table of %u bytes was full",
		   t->nameless, t->found, sites ? le32_to_cpu(sites->size) : 0);
	pen_format(p, "; load jtrace with sites=%llu", t->sites_suffice);
}

/* Say that times are wrong, and by how much. */
static void put_astray(const struct jtrace_trace *t, struct pen *p)
{
	u32 ms;
	u64 sec = div_u64_rem(div_u64(t->astray, NS_PER_MSEC), 1000, &ms);

	pen_format(p, "The clock jumped, by up to %llu.%03u s", sec, ms);
	pen_text(p, ": times and the order of entries may be wrong");
}

/* The first line of the trace itself, then the warnings. */
static void put_title(const struct jtrace_trace *t, struct pen *p, u64 nr)
{
	pen_text(p, "JTRACE: ");
	if (nr && left_out(t) && !--nr) {
		pen_format(p, t->filter ? "%llu of %llu entries shown" :
			   "%llu older entries left out",
			   t->filter ? t->shown : t->found - t->shown, t->found);
	} else if (nr && t->astray && !--nr) {
		put_astray(t, p);
	} else if (nr && t->nameless && !--nr) {
		put_nameless(t, p);
	} else if (nr) {
		pen_format(p, "%llu of %llu entries are of tasks whose name is not known",
			   t->unnamed, t->shown);
	} else if (not_shown(t)) {
		pen_text(p, "Log appears clean, not dumping it");
	} else if (one_line(t)) {
		pen_text(p, "no entries");
	} else {
		pen_format(p, "Recovered %llu/%llu entries", entries(t),
			   jtrace_layout_entries(&t->l));
	}
}

/* ---- Line by line ----------------------------------------------------- */

/**
 * jtrace_text_open() - start to read the text of a trace
 * @text: result: before its first line
 * @t: an image that was scanned, or that is unreadable; must not change meanwhile
 * @heap: jtrace_walk_room() bytes, @t->heap for one reader at a time
 */
void jtrace_text_open(struct jtrace_text *text, const struct jtrace_trace *t,
		      struct jtrace_key *heap)
{
	u64 lines[JTRACE_TEXT_PARTS] = { 0 }, end = 0;
	u32 i;

	memset(text, 0, sizeof(*text));
	text->t = t;
	text->heap = heap;
	text->ns = jtrace_recover_ns(t, text->time);
	lines[JTRACE_TEXT_TELL] = jtrace_tell_lines(t);
	lines[JTRACE_TEXT_TITLE] = t->verdict != JTRACE_UNREADABLE;
	if (!one_line(t)) {
		lines[JTRACE_TEXT_TITLE] += left_out(t) + !!t->astray + !!t->nameless +
					   !!t->unnamed;
		lines[JTRACE_TEXT_ENTRIES] = t->shown;
		lines[JTRACE_TEXT_LAST] = t->last.nr && !t->filter ? 2 + t->last.nr : 0;
		lines[JTRACE_TEXT_END] = 2;
	}
	for (i = 0; i < JTRACE_TEXT_PARTS; i++)
		text->end[i] = end += lines[i];
}

/* The @nr-th line of a part; false if a live image lost this entry. */
static bool put_line(struct jtrace_text *text, u32 part, struct pen *p, u64 nr)
{
	if (part == JTRACE_TEXT_ENTRIES)
		return put_entry_nr(text, p, nr);
	if (part == JTRACE_TEXT_LAST)
		return put_last(text, p, nr);
	if (part == JTRACE_TEXT_TELL && text->t->verdict != JTRACE_UNREADABLE)
		pen_text(p, "JTRACE: ");
	if (part == JTRACE_TEXT_TELL)
		jtrace_tell_line(text->t, p, nr);
	else if (part == JTRACE_TEXT_TITLE)
		put_title(text->t, p, nr);
	else
		put_end(text->t, p, nr);
	return true;
}

/**
 * jtrace_text_next() - write the line at @text->pos and advance
 * @text: an open text
 * @buf: for the line, with a NUL and no newline; %JTRACE_LINE_MAX bytes suffice
 * @size: of @buf, at least 1; longer lines are cut
 *
 * Skips entries that a live image has lost since it was scanned.
 *
 * The time since the line above is 0 in the first line and in the lines on CPUs, which are
 * not in time order.
 *
 * Context: Any; needs about 1.5 KiB of stack.  Advances @text->pos before it reads the
 * entry, so that a caller who survives a fault goes on with the next line.
 * Return: length of the line, which may be 0, or -1 at the end.
 */
int jtrace_text_next(struct jtrace_text *text, char *buf, size_t size)
{
	struct pen p = { .at = buf, .end = buf + size - 1 };
	bool found = false;
	u32 part = 0;
	u64 pos;

	while (!found && text->pos < jtrace_text_lines(text)) {
		pos = text->pos++;
		while (pos >= text->end[part])
			part++;
		found = put_line(text, part, &p, pos - (part ? text->end[part - 1] : 0));
	}
	*p.at = 0;
	return found ? p.at - buf : -1;
}

/* Write all lines but those of entries to measure them. */
static u64 other_bytes(struct jtrace_text *text, char *buf, size_t size)
{
	u64 bytes = 0;

	while (text->pos < jtrace_text_lines(text)) {
		if (text->pos == text->end[JTRACE_TEXT_TITLE])
			text->pos = text->end[JTRACE_TEXT_ENTRIES];
		bytes += jtrace_text_next(text, buf, size) + JTRACE_LOG_LINE_EXTRA;
	}
	return bytes;
}

/**
 * jtrace_text_limit() - leave out the oldest entries
 * @text: result: before its first line
 * @t: an image that was scanned; no other reader; entries may have been left out before
 * @most: largest number of entries to show
 * @bytes: largest size of the text in the kernel log, 0 for no limit
 * @buf: for a line
 * @size: of @buf
 *
 * Measures from the end, so the work depends only on the lines shown.  At least one entry
 * remains, so that the text keeps its form, unless the filter wants none.
 */
void jtrace_text_limit(struct jtrace_text *text, struct jtrace_trace *t, u64 most, u64 bytes,
		       char *buf, size_t size)
{
	const struct jtrace_decoded *older;
	struct jtrace_decoded ev;
	u64 ns, used = 0;
	struct pen p;

	t->from = (struct jtrace_key){ 0 };
	t->shown = min_t(u64, t->found, 1);
	jtrace_text_open(text, t, t->heap);
	if (one_line(t) || (most >= t->found && !bytes && !t->filter)) {
		t->shown = t->found;
		jtrace_text_open(text, t, t->heap);
		return;
	}
	if (bytes)
		used = other_bytes(text, buf, size);
	jtrace_walk_open(&text->walk, t, t->heap, true);
	older = jtrace_walk_next(&text->walk);
	for (t->shown = 0; ; t->shown++) {
		/* The newest entry left out; 0 for none. */
		t->from = text->walk.key;
		if (!older || t->shown >= max_t(u64, most, 1))
			break;
		ev = *older;
		older = jtrace_walk_next(&text->walk);
		if (!bytes)
			continue;
		p = (struct pen){ .at = buf, .end = buf + size - 1 };
		ns = jtrace_recover_ns(t, ev.time);
		put_entry(text, &p, &ev, ns, older ? jtrace_recover_ns(t, older->time) : ns);
		used += p.at - buf + JTRACE_LOG_LINE_EXTRA;
		if (t->shown && used > bytes)
			break;
	}
	jtrace_text_open(text, t, t->heap);
}

/* Tabs as a terminal shows them; other control characters are escaped. */
static void put_log_text(const struct jtrace_trace *t, struct pen *p, const char *text, u32 len)
{
	u32 at = 0, column = 0;

	while (at < len) {
		if (text[at] != '\t') {
			at += jtrace_put_char(t, p, text + at, len - at);
			column++;
			continue;
		}
		do
			pen_char(p, ' ');
		while (++column % 8);
		at++;
	}
}

/**
 * jtrace_log_text() - write a line of the kernel log, as the console shows it
 * @t: the trace
 * @line: the line
 * @buf: for the text, with a NUL
 * @size: of @buf; %JTRACE_LOG_TEXT suffices for any line
 *
 * Return: length of the text.
 */
int jtrace_log_text(const struct jtrace_trace *t, const struct jtrace_log_line *line,
		    char *buf, size_t size)
{
	struct pen p = { buf, buf + size - 1 };
	u32 usec;

	if (line->time != JTRACE_LOG_NO_TIME) {
		u64 sec = div_u64_rem(div_u64(line->time, 1000), 1000000, &usec);

		pen_format(&p, "[%5llu.%06u] ", sec, usec);
	}
	put_log_text(t, &p, line->text, line->len);
	*p.at = 0;
	return p.at - buf;
}
