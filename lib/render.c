// SPDX-License-Identifier: GPL-2.0
/*
 * The text of a trace, line by line, byte for byte in the format of JTRACE.
 *
 * Each line can be had by its number, so that one renderer serves a console, a
 * file that is read in pieces, and a tool.
 */

#include "render.h"
#include "tell.h"

#define NS_PER_SEC	1000000000U
#define NS_PER_MSEC	1000000U
#define NS_PER_USEC	1000U

/* Where the parts of the text begin; each of them may be empty. */
struct parts {
	u64 title;
	u64 entries;
	u64 last;
	u64 end;
	u64 lines;
};

static bool not_shown(const struct jtrace_trace *t)
{
	return t->verdict != JTRACE_EMPTY && t->tell & JTRACE_TELL_NOT_CLEAN &&
	       t->header.state == JTRACE_STATE_CLEAN;
}

/* One line stands for all entries. */
static bool one_line(const struct jtrace_trace *t)
{
	return t->verdict == JTRACE_EMPTY || !t->entries.nr || not_shown(t);
}

static bool left_out(const struct jtrace_trace *t)
{
	return t->found > t->entries.nr;
}

static struct parts parts_of(const struct jtrace_trace *t)
{
	struct parts p;

	p.title = jtrace_tell_lines(t);
	p.entries = p.title + 1;
	p.last = p.entries;
	p.end = p.entries;
	p.lines = p.entries;
	if (one_line(t))
		return p;
	p.entries += left_out(t) + !!t->astray + !!t->nameless;
	p.last = p.entries + t->entries.nr;
	p.end = p.last + (t->last.nr ? 2 + t->last.nr : 0);
	p.lines = p.end + 2;
	return p;
}

/* ---- Putting a line together ------------------------------------------ */

/*
 * vsnprintf() would take more time than all the rest of a line, in the kernel as
 * in user space.
 */

/**
 * struct pen - where text goes
 * @at: the next byte
 * @end: for the NUL; what comes here or after is left out
 */
struct pen {
	char *at;
	char *end;
};

static void put_char(struct pen *p, char c)
{
	if (p->at < p->end)
		*p->at++ = c;
}

static void put_bytes(struct pen *p, const char *from, size_t len)
{
	len = min_t(size_t, len, p->end - p->at);
	memcpy(p->at, from, len);
	p->at += len;
}

static void put_text(struct pen *p, const char *text)
{
	while (*text)
		put_char(p, *text++);
}

/* In so many digits. */
static void put_hex(struct pen *p, u64 value, u32 digits)
{
	while (digits--)
		put_char(p, "0123456789abcdef"[value >> 4 * digits & 15]);
}

/* With what pads it to @width, on the left. */
static void put_dec(struct pen *p, u64 value, u32 width, char pad)
{
	char digit[20];
	u32 nr = 0;

	do {
		u64 rest = div_u64(value, 10);

		digit[nr++] = '0' + (u32)(value - 10 * rest);
		value = rest;
	} while (value);
	while (width-- > nr)
		put_char(p, pad);
	while (nr--)
		put_char(p, digit[nr]);
}

/* ---- The parts of a line ---------------------------------------------- */

/* "[%4lld.%09lld]" */
static void put_time(struct pen *p, u64 ns)
{
	u32 rest;
	u64 sec = div_u64_rem(ns, NS_PER_SEC, &rest);

	put_char(p, '[');
	put_dec(p, sec, 4, ' ');
	put_char(p, '.');
	put_dec(p, rest, 9, '0');
	put_char(p, ']');
}

static void put_escaped(const struct jtrace_trace *t, struct pen *p, const char *text,
			size_t size)
{
	char part[4 * JTRACE_TAG_MAX + 1];

	jtrace_tell_escaped(t, part, sizeof(part), text, size);
	put_text(p, part);
}

/* File, function and line, for large entries; and the tag, in parentheses. */
static void put_site(const struct jtrace_trace *t, struct pen *p, u32 number)
{
	const bool large = t->l.kind == JTRACE_KIND_LARGE;
	struct jtrace_site_text text;
	s32 line;

	if (!jtrace_site_read(&t->l, t->img, t->image_id, number, &text)) {
		put_text(p, large ? "?:?:0 (<site " : "(<site ");
		put_dec(p, number, 0, ' ');
		put_text(p, ">)");
		return;
	}
	if (large) {
		line = text.line;
		put_escaped(t, p, text.file, sizeof(text.file));
		put_char(p, ':');
		put_escaped(t, p, text.func, sizeof(text.func));
		put_text(p, line < 0 ? ":-" : ":");
		put_dec(p, line < 0 ? -(s64)line : line, 0, ' ');
		put_char(p, ' ');
	}
	put_char(p, '(');
	put_escaped(t, p, text.tag, sizeof(text.tag));
	put_char(p, ')');
}

/* The same, remembered. */
static void put_site_memo(const struct jtrace_trace *t, struct jtrace_memo *memo, struct pen *p,
			  u32 number)
{
	u32 slot = number * 0x9e3779b1U >> 16 & (JTRACE_MEMO_SITES - 1);
	const char *from = p->at;
	size_t len;

	static_assert(!(JTRACE_MEMO_SITES & (JTRACE_MEMO_SITES - 1)));
	if (memo && memo->site[slot].len && memo->site[slot].number == number) {
		put_bytes(p, memo->site[slot].text, memo->site[slot].len);
		return;
	}
	put_site(t, p, number);
	len = p->at - from;
	/* Not what was cut, and it may have been if it ends there. */
	if (!memo || len > JTRACE_MEMO_TEXT || p->at == p->end)
		return;
	memo->site[slot].number = number;
	memo->site[slot].len = len;
	memcpy(memo->site[slot].text, from, len);
}

/* @before: the time of the line above. */
static bool put_entry(const struct jtrace_trace *t, struct jtrace_memo *memo, struct pen *p,
		      const struct jtrace_key *key, u64 ns, u64 before)
{
	struct jtrace_event ev;
	u64 usec;
	u32 rest, i;

	if (!jtrace_recover_get(t, key, &ev))
		return false;
	usec = div_u64_rem(ns - before, NS_PER_USEC, &rest);
	put_time(p, ns);
	put_text(p, "[cpu ");
	put_dec(p, ev.cpu, 0, ' ');
	if (t->l.kind == JTRACE_KIND_SMALL) {
		put_text(p, "] : ");
		put_hex(p, ev.arg[0], 8);
		put_text(p, " : (");
		put_dec(p, usec, 5, ' ');
	} else {
		put_text(p, " tid ");
		put_dec(p, ev.tid, 8, ' ');
		put_text(p, "] : ");
		for (i = 0; i < 4; i++) {
			put_hex(p, ev.arg[i], 8);
			put_char(p, ' ');
		}
		put_hex(p, ev.wide[0], 16);
		put_char(p, ' ');
		put_hex(p, ev.wide[1], 16);
		put_text(p, " : (");
		put_dec(p, usec, 8, ' ');
	}
	put_char(p, '.');
	put_dec(p, rest, 3, '0');
	put_text(p, " uSec) : ");
	put_site_memo(t, memo, p, ev.site);
	return true;
}

static bool put_entry_nr(const struct jtrace_trace *t, struct jtrace_memo *memo, struct pen *p,
			 u32 i)
{
	const struct jtrace_key *key = &t->entries.key[i];
	u64 ns = jtrace_recover_ns(t, key->time), before = ns;

	if (i && memo && memo->ns && memo->time == key[-1].time)
		before = memo->ns;
	else if (i)
		before = jtrace_recover_ns(t, key[-1].time);
	if (memo) {
		memo->time = key->time;
		memo->ns = ns;
	}
	return put_entry(t, memo, p, key, ns, before);
}

/* The section on CPUs: a blank line, a title, a line each. */
static bool put_last(const struct jtrace_trace *t, struct jtrace_memo *memo, struct pen *p, u64 nr)
{
	const struct jtrace_key *key;
	u64 ns;

	if (nr < 2) {
		put_text(p, nr ? "JTRACE: Last recorded per-CPU events." : "");
		return true;
	}
	key = &t->last.key[nr - 2];
	ns = jtrace_recover_ns(t, key->time);
	return put_entry(t, memo, p, key, ns, ns);
}

static void put_end(const struct jtrace_trace *t, struct pen *p, u64 nr)
{
	if (!nr)
		return;
	put_text(p, "JTRACE: Last log timestamp ");
	put_time(p, jtrace_recover_ns(t, t->entries.key[t->entries.nr - 1].time));
}

/* Say why entries show a number instead of a name, and name a sufficient size. */
static void put_nameless(const struct jtrace_trace *t, struct pen *p)
{
	const struct jtrace_image_header *h = &t->header;

	put_dec(p, t->nameless, 0, ' ');
	put_text(p, " of ");
	put_dec(p, t->found, 0, ' ');
	put_text(p, " entries have no name: the site table of ");
	put_dec(p, le32_to_cpu(h->sites_end) - le32_to_cpu(h->sites_off), 0, ' ');
	put_text(p, " bytes was full; load jtrace with sites=");
	put_dec(p, t->sites_suffice, 0, ' ');
}

/* Say that times are wrong, and by how much. */
static void put_astray(const struct jtrace_trace *t, struct pen *p)
{
	u32 ms;

	put_text(p, "The clock jumped, by up to ");
	put_dec(p, div_u64_rem(div_u64(t->astray, NS_PER_MSEC), 1000, &ms), 0, ' ');
	put_char(p, '.');
	put_dec(p, ms, 3, '0');
	put_text(p, " s: times and the order of entries may be wrong");
}

/* The first line of the trace proper, and those on what is not as it should be. */
static void put_title(const struct jtrace_trace *t, struct pen *p, u64 nr)
{
	put_text(p, "JTRACE: ");
	if (nr && left_out(t) && !--nr) {
		put_dec(p, t->found - t->entries.nr, 0, ' ');
		put_text(p, " older entries left out");
	} else if (nr && t->astray && !--nr) {
		put_astray(t, p);
	} else if (nr) {
		put_nameless(t, p);
	} else if (not_shown(t)) {
		put_text(p, "Log appears clean, not dumping it");
	} else if (one_line(t)) {
		put_text(p, "no entries");
	} else {
		put_text(p, "Recovered ");
		put_dec(p, t->entries.nr, 0, ' ');
		put_char(p, '/');
		put_dec(p, jtrace_layout_entries(&t->l), 0, ' ');
		put_text(p, " entries");
	}
}

/**
 * jtrace_render_lines() - how many lines a trace has
 * @t: an image that was scanned
 */
u64 jtrace_render_lines(const struct jtrace_trace *t)
{
	if (t->verdict == JTRACE_UNREADABLE)
		return jtrace_tell_corrupt_lines(t);
	return parts_of(t).lines;
}

/**
 * jtrace_render_line() - write one line
 * @t: an image that was scanned
 * @memo: of this reader, zeroed before the first line; or NULL
 * @nr: of the line, from 0
 * @buf: for the line, with a NUL and no newline; %JTRACE_LINE_MAX bytes suffice
 * @size: of @buf, at least 1; what does not fit is cut
 *
 * The time since the line above is 0 in the first line and in those on CPUs,
 * which are not in the order of time.
 *
 * Context: Any; needs about 1.5 KiB of stack.
 * Return: length of the line, which may be 0, or -1 if there is none: @nr is
 * not less than jtrace_render_lines(), or a live image lost this entry.
 */
int jtrace_render_line(const struct jtrace_trace *t, struct jtrace_memo *memo, u64 nr, char *buf,
		       size_t size)
{
	struct pen p = { .at = buf, .end = buf + size - 1 };
	struct parts parts;
	bool ok = true;

	if (t->verdict == JTRACE_UNREADABLE)
		return nr < jtrace_tell_corrupt_lines(t) ?
		       jtrace_tell_corrupt_line(t, nr, buf, size) : -1;
	parts = parts_of(t);
	if (nr < parts.title)
		return jtrace_tell_line(t, nr, buf, size);
	if (nr < parts.entries)
		put_title(t, &p, nr - parts.title);
	else if (nr < parts.last)
		ok = put_entry_nr(t, memo, &p, nr - parts.entries);
	else if (nr < parts.end)
		ok = put_last(t, memo, &p, nr - parts.last);
	else if (nr < parts.lines)
		put_end(t, &p, nr - parts.end);
	else
		ok = false;
	*p.at = 0;
	return ok ? p.at - buf : -1;
}
