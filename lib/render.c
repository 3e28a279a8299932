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
	p.entries += t->found > t->entries.nr;
	p.last = p.entries + t->entries.nr;
	p.end = p.last + (t->last.nr ? 2 + t->last.nr : 0);
	p.lines = p.end + 2;
	return p;
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
		jtrace_escape(part, sizeof(part), text.file, sizeof(text.file));
		n = scnprintf(buf, size, "%s:", part);
		jtrace_escape(part, sizeof(part), text.func, sizeof(text.func));
		n += scnprintf(buf + n, size - n, "%s:%d ", part, (int)text.line);
	}
	jtrace_escape(part, sizeof(part), text.tag, sizeof(text.tag));
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

/* The first line of the trace proper, and the second if entries are left out. */
static int put_title(const struct jtrace_trace *t, u64 nr, char *buf, size_t size)
{
	if (nr)
		return scnprintf(buf, size, "JTRACE: %llu older entries left out",
				 (unsigned long long)(t->found - t->entries.nr));
	if (not_shown(t))
		return scnprintf(buf, size, "JTRACE: Log appears clean, not dumping it");
	if (one_line(t))
		return scnprintf(buf, size, "JTRACE: no entries");
	return scnprintf(buf, size, "JTRACE: Recovered %u/%llu entries", t->entries.nr,
			 (unsigned long long)jtrace_layout_entries(&t->l));
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

	if (nr >= jtrace_render_lines(t))
		return -1;
	if (t->verdict == JTRACE_UNREADABLE)
		return jtrace_tell_corrupt_line(t, nr, buf, size);
	if (nr < p.title)
		return jtrace_tell_line(t, nr, buf, size);
	if (nr < p.entries)
		return put_title(t, nr - p.title, buf, size);
	if (nr < p.last)
		return put_entry_nr(t, nr - p.entries, buf, size);
	if (nr < p.end)
		return put_last(t, nr - p.last, buf, size);
	return put_end(t, nr - p.end, buf, size);
}
