// SPDX-License-Identifier: GPL-2.0
/*
 * The text of a trace, line by line, byte for byte in the format of JTRACE.
 *
 * Each line can be had by its number, so that one renderer serves a console, a
 * file that is read in pieces, and a tool.
 */

#include "render.h"

#define NS_PER_SEC	1000000000U
#define NS_PER_USEC	1000U

/* Where the parts of the text begin; each of them may be empty. */
struct parts {
	u64 entries;
	u64 last;
	u64 end;
	u64 lines;
};

static struct parts parts_of(const struct jtrace_trace *t)
{
	struct parts p;

	if (!t->entries.nr)
		return (struct parts){ .entries = 1, .last = 1, .end = 1, .lines = 1 };
	p.entries = t->found > t->entries.nr ? 2 : 1;
	p.last = p.entries + t->entries.nr;
	p.end = p.last + (t->last.nr ? 2 + t->last.nr : 0);
	p.lines = p.end + 2;
	return p;
}

/* Copy a string so that it cannot do anything to a terminal or a line. */
static void escape(char *to, size_t size, const char *from)
{
	static const char hex[] = "0123456789abcdef";
	size_t n = 0;

	for (; *from && n + 5 <= size; from++) {
		u8 c = *from;

		if (c >= 0x20 && c < 0x7f) {
			to[n++] = c;
			continue;
		}
		to[n++] = '\\';
		to[n++] = 'x';
		to[n++] = hex[c >> 4];
		to[n++] = hex[c & 15];
	}
	to[n] = 0;
}

static size_t put_time(char *buf, size_t size, u64 ns)
{
	u32 rest;
	u64 sec = div_u64_rem(ns, NS_PER_SEC, &rest);

	return scnprintf(buf, size, "[%4lld.%09lld]", (long long)sec, (long long)rest);
}

/* File, function and line, for large entries; and the tag, in parentheses. */
static size_t put_site(const struct jtrace_trace *t, u32 number, char *buf, size_t size)
{
	char part[4 * JTRACE_TAG_MAX + 1];
	struct jtrace_site_text text;
	size_t n = 0;

	if (!jtrace_site_read(&t->l, t->img, t->image_id, number, &text)) {
		if (t->l.kind == JTRACE_KIND_LARGE)
			n = scnprintf(buf, size, "?:?:0 ");
		return n + scnprintf(buf + n, size - n, "(<site %u>)", number);
	}
	if (t->l.kind == JTRACE_KIND_LARGE) {
		escape(part, sizeof(part), text.file);
		n = scnprintf(buf, size, "%s:", part);
		escape(part, sizeof(part), text.func);
		n += scnprintf(buf + n, size - n, "%s:%d ", part, (int)text.line);
	}
	escape(part, sizeof(part), text.tag);
	return n + scnprintf(buf + n, size - n, "(%s)", part);
}

/* @before: the time of the line above. */
static int put_entry(const struct jtrace_trace *t, const struct jtrace_key *key, u64 before,
		     char *buf, size_t size)
{
	u64 ns = jtrace_recover_ns(t, key->time);
	struct jtrace_event ev;
	u64 usec;
	size_t n;
	u32 rest;

	if (!jtrace_recover_get(t, key, &ev))
		return -1;
	usec = div_u64_rem(ns - before, NS_PER_USEC, &rest);
	n = put_time(buf, size, ns);
	if (t->l.kind == JTRACE_KIND_SMALL)
		n += scnprintf(buf + n, size - n, "[cpu %u] : %08x : (%5lld.%03lld uSec) : ",
			       ev.cpu, ev.arg[0], (long long)usec, (long long)rest);
	else
		n += scnprintf(buf + n, size - n,
			       "[cpu %u tid %8u] : %08x %08x %08x %08x %016llx %016llx : (%8lld.%03lld uSec) : ",
			       ev.cpu, ev.tid, ev.arg[0], ev.arg[1], ev.arg[2], ev.arg[3],
			       (unsigned long long)ev.wide[0], (unsigned long long)ev.wide[1],
			       (long long)usec, (long long)rest);
	return n + put_site(t, ev.site, buf + n, size - n);
}

static int put_entry_nr(const struct jtrace_trace *t, u32 i, char *buf, size_t size)
{
	const struct jtrace_key *key = &t->entries.key[i];

	return put_entry(t, key, jtrace_recover_ns(t, i ? key[-1].time : key->time), buf, size);
}

/* The section on CPUs: a blank line, a title, a line each. */
static int put_last(const struct jtrace_trace *t, u64 nr, char *buf, size_t size)
{
	const struct jtrace_key *key;

	if (nr == 0)
		return scnprintf(buf, size, "%s", "");
	if (nr == 1)
		return scnprintf(buf, size, "JTRACE: Last recorded per-CPU events.");
	key = &t->last.key[nr - 2];
	return put_entry(t, key, jtrace_recover_ns(t, key->time), buf, size);
}

static int put_end(const struct jtrace_trace *t, u64 nr, char *buf, size_t size)
{
	size_t n;

	if (nr == 0)
		return scnprintf(buf, size, "%s", "");
	n = scnprintf(buf, size, "JTRACE: Last log timestamp ");
	return n + put_time(buf + n, size - n,
			    jtrace_recover_ns(t, t->entries.key[t->entries.nr - 1].time));
}

/**
 * jtrace_render_lines() - how many lines a trace has
 * @t: an image that was scanned
 */
u64 jtrace_render_lines(const struct jtrace_trace *t)
{
	return parts_of(t).lines;
}

/**
 * jtrace_render_line() - write one line
 * @t: an image that was scanned
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
int jtrace_render_line(const struct jtrace_trace *t, u64 nr, char *buf, size_t size)
{
	struct parts p = parts_of(t);

	if (nr >= p.lines)
		return -1;
	if (nr >= p.end)
		return put_end(t, nr - p.end, buf, size);
	if (nr >= p.last)
		return put_last(t, nr - p.last, buf, size);
	if (nr >= p.entries)
		return put_entry_nr(t, nr - p.entries, buf, size);
	if (nr == 1)
		return scnprintf(buf, size, "JTRACE: %llu older entries left out",
				 (unsigned long long)(t->found - t->entries.nr));
	if (!t->entries.nr)
		return scnprintf(buf, size, "JTRACE: no entries");
	return scnprintf(buf, size, "JTRACE: Recovered %u/%llu entries", t->entries.nr,
			 (unsigned long long)jtrace_layout_entries(&t->l));
}
