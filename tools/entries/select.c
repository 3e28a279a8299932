// SPDX-License-Identifier: GPL-2.0
/*
 * Which entries, and which lines of the kernel log, any output shows: by CPU, time, thread, name of
 * the task, a regular expression, and how many of the last.
 */

#include <fnmatch.h>
#include <stdlib.h>

#include "../../lib/base/pen.h"
#include "entries.h"

#define NS_PER_SEC	1000000000ULL

/* ---- The options ------------------------------------------------------ */

/* Parse a number of 32 bits; returns its end, or NULL. */
static const char *parse_u32(const char *text, u32 *to)
{
	u64 n = 0;

	if (*text < '0' || *text > '9')
		return NULL;
	for (; *text >= '0' && *text <= '9'; text++) {
		n = n * 10 + *text - '0';
		if (n > U32_MAX)
			return NULL;
	}
	*to = n;
	return text;
}

/* "0,2-5", as in /sys/devices/system/cpu/online. */
static bool parse_cpus(const char *text, struct select *s)
{
	const char *p = text;

	for (s->nr_ranges = 0; ; p++) {
		struct cpu_range *r = &s->range[s->nr_ranges];

		if (s->nr_ranges == SELECT_RANGES)
			return fail("--cpu %s: more than %u ranges", text, SELECT_RANGES);
		p = parse_u32(p, &r->from);
		r->to = r->from;
		if (p && *p == '-')
			p = parse_u32(p + 1, &r->to);
		if (!p || (*p && *p != ',') || r->to < r->from)
			return fail("--cpu %s: must be a list of CPUs, such as 0,2-5", text);
		s->nr_ranges++;
		if (!*p)
			return true;
	}
}

/* Nanoseconds of a unit; 0 if there is no such unit. */
static u64 parse_unit(const char *text)
{
	static const struct {
		const char *name;
		u64 ns;
	} units[] = {
		{ "", NS_PER_SEC }, { "s", NS_PER_SEC }, { "ms", 1000000 }, { "us", 1000 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(text, units[i].name))
			return units[i].ns;
	return 0;
}

/* "17.4", or "-200ms" before the end. */
static bool parse_time(const char *option, const char *text, struct moment *to)
{
	const char *p = text + (*text == '-');
	u64 part = 0, digit = NS_PER_SEC / 10, unit;
	u32 whole;

	to->set = true;
	to->before_end = *text == '-';
	p = parse_u32(p, &whole);
	if (p && *p == '.')
		for (p++; *p >= '0' && *p <= '9'; p++, digit /= 10)
			part += (*p - '0') * digit;
	unit = p ? parse_unit(p) : 0;
	if (!unit)
		return fail("%s %s: must be seconds as in the trace, or -5s, -200ms before its end",
			    option, text);
	to->ns = whole * unit + part / (NS_PER_SEC / unit);
	return true;
}

/**
 * select_free() - free what select_parse() allocated
 * @s: the options
 */
void select_free(struct select *s)
{
	if (s->has_regex)
		regfree(&s->regex);
	s->has_regex = false;
}

static bool parse_regex(const char *text, struct select *s)
{
	char why[128];
	int err;

	select_free(s);
	err = regcomp(&s->regex, text, REG_EXTENDED | REG_NOSUB);
	s->has_regex = !err;
	if (!err)
		return true;
	regerror(err, &s->regex, why, sizeof(why));
	return fail("--grep %s: %s", text, why);
}

/**
 * select_parse() - parse an option
 * @s: result
 * @opt: one of %SELECT_OPTIONS
 * @text: its argument
 *
 * Return: false, after a message, if it is not valid.
 */
bool select_parse(struct select *s, int opt, const char *text)
{
	const char *end;
	u32 nr = 0;

	switch (opt) {
	case 'C':
		s->option = "--cpu";
		return parse_cpus(text, s);
	case 'S':
		s->option = "--since";
		return parse_time("--since", text, &s->since);
	case 'U':
		s->option = "--until";
		return parse_time("--until", text, &s->until);
	case 'g':
		s->option = "--grep";
		return parse_regex(text, s);
	case 'T':
		s->option = "--tid";
		s->has_tid = true;
		end = parse_u32(text, &s->tid);
		return (end && !*end) || fail("--tid %s: must be the number of a thread", text);
	case 't':
		s->option = "--task";
		s->task = text;
		return true;
	default:
		s->option = "--last";
		end = parse_u32(text, &nr);
		s->last = nr;
		return (end && !*end && nr) || fail("--last %s: must be a number from 1 on", text);
	}
}

/* ---- The filter ------------------------------------------------------- */

static bool wants_cpu(const struct select *s, u32 cpu)
{
	u32 i;

	for (i = 0; i < s->nr_ranges; i++)
		if (cpu >= s->range[i].from && cpu <= s->range[i].to)
			return true;
	return !s->nr_ranges;
}

static bool wants_time(const struct select *s, u64 ns)
{
	return ns >= s->from_ns && ns <= s->to_ns;
}

static bool matches_bytes(const struct select *s, const char *text, size_t len)
{
	regmatch_t all = { .rm_so = 0, .rm_eo = len };

	return !regexec(&s->regex, text, 1, &all, REG_STARTEND);
}

/*
 * Also as it is shown: in a UTF-8 locale, no "." of a regular expression matches a byte that is not
 * UTF-8.
 */
static bool matches(const struct select *s, const struct jtrace_trace *t, const char *text,
		    size_t len)
{
	static char shown[JTRACE_LOG_TEXT];
	struct pen p = { shown, shown + sizeof(shown) };

	if (matches_bytes(s, text, len))
		return true;
	jtrace_put_escaped(t, &p, text, len);
	return matches_bytes(s, shown, p.at - shown);
}

static bool site_matches(const struct select *s, const struct jtrace_trace *t, u32 number)
{
	struct jtrace_site_text text;

	return jtrace_site_read(&t->l, t->img, t->image_id, number, &text) &&
	       (matches(s, t, text.tag, strlen(text.tag)) ||
		matches(s, t, text.func, strlen(text.func)) ||
		matches(s, t, text.file, strlen(text.file)));
}

/* site_matches(), with a cache. */
static bool wants_site(struct select *s, const struct jtrace_trace *t, u32 number)
{
	struct site_match *m = &s->site[jtrace_site_slot(number, SELECT_SITES)];

	static_assert(!(SELECT_SITES & (SELECT_SITES - 1)));
	if (!m->known || m->number != number)
		*m = (struct site_match){ number, true, site_matches(s, t, number) };
	return m->matches;
}

/* A task whose name is not known is none of them. */
static bool wants_task(const struct select *s, const struct jtrace_trace *t,
		       const struct jtrace_decoded *ev)
{
	char name[TASK_NAME];

	return task_name(t, ev, name) && !fnmatch(s->task, name, 0);
}

static bool wants(struct jtrace_filter *f, const struct jtrace_trace *t,
		  const struct jtrace_decoded *ev)
{
	struct select *s = container_of(f, struct select, filter);

	if (!wants_cpu(s, ev->cpu) || (s->has_tid && ev->tid != s->tid))
		return false;
	if (s->task && !wants_task(s, t, ev))
		return false;
	if (s->has_regex && !wants_site(s, t, ev->site))
		return false;
	return (!s->since.set && !s->until.set) || wants_time(s, jtrace_recover_ns(t, ev->time));
}

/*
 * A line without a time goes with the one before.  The log alone shows the time of printk(), and so
 * is compared by it.
 */
static bool wants_line(struct jtrace_filter *f, const struct jtrace_trace *t,
		       const struct jtrace_log_line *line)
{
	struct select *s = container_of(f, struct select, filter);
	struct jtrace_key key;

	if (line->time != JTRACE_LOG_NO_TIME)
		s->line_in_time = wants_time(s, s->merged ? jtrace_log_ns(t, line) : line->time);
	key = (struct jtrace_key){ line->seq, line->part };
	if (!s->line_in_time || jtrace_key_less(&key, &s->from_line))
		return false;
	return !s->has_regex || s->merged || matches(s, t, line->text, line->len);
}

/**
 * select_shows() - does the selection show an entry of a walk without selection?
 * @t: the trace, with its selection
 * @w: the walk
 * @ev: the entry
 *
 * Return: true if it does.
 */
bool select_shows(const struct jtrace_trace *t, const struct jtrace_walk *w,
		  const struct jtrace_decoded *ev)
{
	return jtrace_key_less(&t->from, &w->key) &&
	       (!t->filter || t->filter->wants(t->filter, t, ev));
}

/* ---- A trace ---------------------------------------------------------- */

/* Without sorting. */
static u64 count_entries(const struct jtrace_trace *t)
{
	struct jtrace_decoded ev;
	struct jtrace_chunk c;
	u32 i, slot;
	u64 nr = 0;

	for (i = 0; i < t->l.nr_chunks; i++) {
		if (!t->runs[i].tie || !jtrace_recover_chunk(t, i, &c))
			continue;
		for (slot = 0; slot < t->l.entries; slot++)
			if (jtrace_entry_read(&t->l, t->img, t->image_id, &c, slot, &ev) &&
			    t->filter->wants(t->filter, t, &ev))
				nr++;
	}
	return nr;
}

/* Time of the last line of the kernel log that has one. */
static u64 last_line_time(const struct jtrace_trace *t)
{
	static struct jtrace_log_reader reader;
	struct jtrace_log_line line;
	u64 last = 0;

	jtrace_log_open(&reader, t);
	while (jtrace_log_next(&reader, &line))
		if (line.time != JTRACE_LOG_NO_TIME)
			last = line.time;
	return last;
}

/* Before the first line; those without a time at the beginning have time 0. */
static void begin_lines(struct select *s)
{
	s->line_in_time = wants_time(s, 0);
}

static u64 moment_ns(const struct moment *m, u64 end)
{
	if (!m->before_end)
		return m->ns;
	return end > m->ns ? end - m->ns : 0;
}

/* Find the first of the last lines of the kernel log. */
static void find_last_lines(struct select *s, const struct jtrace_trace *t)
{
	static struct jtrace_log_reader reader;
	struct jtrace_key from = { 0 };
	struct jtrace_log_line line;
	u64 nr = 0;

	begin_lines(s);
	jtrace_log_open(&reader, t);
	while (jtrace_log_next(&reader, &line))
		nr++;
	begin_lines(s);
	jtrace_log_open(&reader, t);
	while (nr-- >= s->last && jtrace_log_next(&reader, &line))
		from = (struct jtrace_key){ line.seq, line.part };
	s->from_line = from;
}

/* With entries, the kernel log begins at the first one that is shown; without any, it is empty. */
static void begin_at_first(struct select *s, const struct jtrace_trace *t)
{
	static struct jtrace_walk walk;
	const struct jtrace_decoded *ev;

	jtrace_walk_open(&walk, t, t->heap, false);
	ev = jtrace_walk_next(&walk);
	s->from_ns = ev ? jtrace_recover_ns(t, ev->time) : ~0ULL;
}

/**
 * select_apply() - narrow what readers of a trace see
 * @s: the options, kept as long as the trace
 * @t: the trace, after the scan
 * @content: what the caller shows
 * @name: of the source, for messages
 *
 * Does nothing if nothing is selected.  May be called again, for another snapshot of the trace.
 *
 * Return: false, after a message, if an option has no meaning for this trace.
 */
bool select_apply(struct select *s, struct jtrace_trace *t, enum content content, const char *name)
{
	static struct jtrace_text text;
	u64 end;

	if (!s->option && !s->last)
		return true;
	if ((s->has_tid || s->task) && t->l.kind == JTRACE_KIND_SMALL)
		return fail("%s: %s: small entries have no thread: load jtrace with use_large_entries=y",
			    name, s->task ? "--task" : "--tid");
	if (s->task && !t->l.tasks_size && !seen_tasks(t))
		return fail("%s: --task: the trace has no names of tasks, for which tasks= gives room",
			    name);
	end = content == LOG ? last_line_time(t) : jtrace_recover_ns(t, t->newest.time);
	memset(s->site, 0, sizeof(s->site));
	s->filter.wants = wants;
	s->filter.wants_line = wants_line;
	s->from_line = (struct jtrace_key){ 0 };
	s->merged = content == MERGED;
	s->from_ns = s->since.set ? moment_ns(&s->since, end) : 0;
	s->to_ns = s->until.set ? moment_ns(&s->until, end) : ~0ULL;
	t->filter = &s->filter;
	if (content == LOG) {
		t->shown = 0;
		if (s->last)
			find_last_lines(s, t);
	} else if (s->last) {
		jtrace_text_limit(&text, t, s->last, 0, NULL, 0);
		if (s->merged)
			begin_at_first(s, t);
	} else {
		t->shown = count_entries(t);
	}
	begin_lines(s);
	return true;
}
