// SPDX-License-Identifier: GPL-2.0
/*
 * The events of a page: a string of bytes in base64, which takes half the room of JSON.
 *
 * Numbers are LEB128.  The string is a list of records, which begin with a number:
 *	0: an event of a new shape, which comes first: SITE, CONTEXT, 1 if there is a stack, how
 *	   many values, and a code for each of them.  Shapes are counted from 0 on
 *	1: a definition, LENGTH bytes of JSON
 *	2 and more: an event of a shape, plus 2
 * An event has DELTA, the time since the event above, ns (that of the first one since 0); 0 and a
 * new pair CPU, TID + 1 (0 without one), or the number of such a pair, plus 1, as they are counted
 * from 0 on; the STACK if there is one; and the values.
 *
 * The code of a value is its kind, plus 8 times the number of its bytes, plus 128 times its place
 * if the tag gives it no name: "a" is 1.  The kinds are a number that is written in decimal (0), a
 * negative one (1), and one in hex (2), the lowest byte first; and any other text (3): 0, its
 * length and its bytes, or the number of such a text, plus 1, as they are counted from 0 on.  In a
 * text, "\xNN" is byte 1 and that byte, because binary strings are full of it.
 *
 * Definitions are
 *	sites: {site, tag, label, args, counters, file, function, line}; counters, [NAME, BYTES]
 *	      for each of its first values: only of events that have some, and BYTES is 0 of a
 *	      number.  A site without a record has no tag
 *	names of tasks, {tid, task}, for the events that follow; null: not known.  The idle tasks,
 *	      of tid 0, have no names there
 *	stacks, {stack, frames, end}, for the events that follow: the lines of the text, and, if the
 *	      stack does not end with the last frame, the line that says so.  0 is the number of a
 *	      lost one
 *
 * Values belong to the names in args; behind them are those that have a place, and are not 0.
 * Without names, they are the arguments up to the last one that was given or is not 0.
 *
 * Tables of a fixed size know the last shapes, texts and sites; others are written again.
 */

#include <stdlib.h>

#include "../../../lib/base/pen.h"
#include "../export.h"
#include "pack.h"
#include "page.h"

/* Number of cached sites, and of names of tasks; powers of two. */
#define SITES		1024
#define TASKS		1024

/* First numbers of records, see above. */
enum record {
	RECORD_SHAPE,
	RECORD_DEFINITION,
	RECORD_EVENT,
};

/* Sites of this image that the page has, at a hash of their number; more are written again. */
static struct {
	bool known;
	u32 number;
} site[SITES];

/* The last names of tasks that the page has, at the tid; more are written again. */
static struct {
	u32 tid;
	bool known;
	char name[TASK_NAME];
} task[TASKS];

/* What export_counters() finds. */
static void put_counters(FILE *to, const struct jtrace_trace *t, u32 number)
{
	const struct export_counter *counter;
	u32 nr, i;

	counter = export_counters(t, number, &nr);
	for (i = 0; i < nr; i++)
		fprintf(to, "%s[\"%s\",%u]", i ? "," : ",\"counters\":[", counter[i].name,
			counter[i].bytes);
	fputs(nr ? "]" : "", to);
}

static void put_site(FILE *to, const struct jtrace_trace *t, u32 number,
		     const struct field_value *value, u32 nr)
{
	const struct jtrace_site_text *text;
	u32 len, i;

	fprintf(to, "{\"site\":%u", number);
	text = decode_site(t, number, &len);
	if (text) {
		page_put_string(to, t, "tag", text->tag, sizeof(text->tag));
		page_put_string(to, t, "label", text->tag, nr ? len : sizeof(text->tag));
		page_put_string(to, t, "file", text->file, sizeof(text->file));
		page_put_string(to, t, "function", text->func, sizeof(text->func));
		fprintf(to, ",\"line\":%d", (s32)text->line);
	}
	if (nr) {
		fputs(",\"args\":[", to);
		for (i = 0; i < nr && !value[i].unnamed; i++) {
			fputs(i ? "," : "", to);
			page_put_text(to, value[i].name);
		}
		putc(']', to);
		put_counters(to, t, number);
	}
	fputs("}\n", to);
}

static void put_values(struct pack *p, const struct jtrace_trace *t,
		       const struct jtrace_decoded *ev, const struct field_value *value, u32 nr)
{
	static char text[DECODED_VALUE_MAX];
	struct pen pen;
	u32 i;

	for (i = 0; i < nr; i++) {
		pen = (struct pen){ text, text + sizeof(text) - 1 };
		decode_put(t, ev, &pen, &value[i]);
		pack_value(p, value[i].unnamed ? *value[i].name - 'a' + 1 : 0, text,
			   pen.at - text);
	}
}

static void put_numbers(struct pack *p, const struct jtrace_trace *t,
			const struct jtrace_decoded *ev)
{
	const u64 arg[] = {
		ev->arg[0], ev->arg[1], ev->arg[2], ev->arg[3], ev->wide[0], ev->wide[1],
	};
	const u32 most = t->l.kind == JTRACE_KIND_LARGE ? ARRAY_SIZE(arg) : 1;
	const u32 given = min(most, decode_given(t, ev->site));
	u32 nr = most, i;

	while (nr > given && !arg[nr - 1])
		nr--;
	for (i = 0; i < nr; i++)
		pack_hex(p, arg[i]);
}

/* Write the name of a task if the page does not have it yet. */
static void put_task(FILE *to, const struct jtrace_trace *t, const struct jtrace_decoded *ev)
{
	const u32 slot = ev->tid % TASKS;
	char name[TASK_NAME] = "";
	bool known = ev->tid && task_name(t, ev, name);

	if (!ev->tid || t->l.kind == JTRACE_KIND_SMALL ||
	    (task[slot].known && task[slot].tid == ev->tid && !strcmp(task[slot].name, name)))
		return;
	/* Without a name at first, as all are. */
	if (known || task[slot].known) {
		fprintf(to, "{\"tid\":%u", ev->tid);
		if (known)
			page_put_string(to, t, "task", name, sizeof(name));
		else
			fputs(",\"task\":null", to);
		fputs("}\n", to);
	}
	task[slot].known = true;
	task[slot].tid = ev->tid;
	memcpy(task[slot].name, name, sizeof(name));
}

/* Write what an event needs, as far as the page does not have it yet; return its stack there. */
static u32 put_needed(FILE *to, const struct jtrace_trace *t, const struct jtrace_decoded *ev,
		      const struct field_value *value, u32 nr)
{
	const u32 slot = jtrace_site_slot(ev->site, SITES);

	if (!site[slot].known || site[slot].number != ev->site) {
		put_site(to, t, ev->site, value, nr);
		site[slot].known = true;
		site[slot].number = ev->site;
	}
	put_task(to, t, ev);
	return ev->stack ? page_put_stack(to, t, ev) : 0;
}

static void put_event(struct pack *p, const struct jtrace_trace *t,
		      const struct jtrace_decoded *ev, u64 since)
{
	static struct field_value value[JTRACE_FIELDS];
	const u32 nr = decode_values(t, ev, value);
	const bool large = t->l.kind == JTRACE_KIND_LARGE;
	const u32 stack = put_needed(pack_definitions(p), t, ev, value, nr);

	pack_define(p);
	pack_event(p, ev->site, large ? ev->context : 0, ev->stack, stack);
	if (nr)
		put_values(p, t, ev, value, nr);
	else
		put_numbers(p, t, ev);
	pack_end(p, since, ev->cpu, large ? ev->tid + 1ULL : 0);
}

/**
 * page_put_rows() - write the events of an image
 * @to: the page
 * @t: the trace, with its selection
 *
 * Return: false, after a message, if there is no memory.
 */
bool page_put_rows(FILE *to, const struct jtrace_trace *t)
{
	static struct jtrace_walk walk;
	const struct jtrace_decoded *ev;
	struct pack *p = pack_open(to);
	u64 last = 0, ns;

	if (!p)
		return fail("no memory for the events of the page");
	memset(site, 0, sizeof(site));
	memset(task, 0, sizeof(task));
	page_open_stacks(t);
	fputs(",\n\"rows\":\"", to);
	jtrace_walk_each(&walk, t, ev) {
		if (!page_goes_on(to))
			break;
		/* The order is that of the raw times, and a later one is never shown as earlier. */
		ns = jtrace_recover_ns(t, ev->time);
		ns = max(last, ns);
		put_event(p, t, ev, ns - last);
		last = ns;
	}
	page_close_stacks();
	if (!pack_close(p))
		return fail("no memory for the events of the page");
	putc('"', to);
	return true;
}
