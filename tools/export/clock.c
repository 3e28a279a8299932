// SPDX-License-Identifier: GPL-2.0
/* The clock of an export: times as shown, and what to add to get the wall clock. */

#include <err.h>

#include "export.h"

/* Readers compute with signed numbers of 64 bits. */
#define READERS_MOST	((u64)INT64_MAX)

/**
 * export_clock_open() - relate the clock of a trace to the wall clock
 * @c: result
 * @t: the trace
 *
 * The header has both times of one moment.  Readers do not take negative offsets: then the wall
 * clock was not set.
 */
void export_clock_open(struct export_clock *c, const struct jtrace_trace *t)
{
	const struct jtrace_image_header *h = &t->header;
	u64 shown = le64_to_cpu(t->l.form & JTRACE_FORM_MONO ? h->stamp.mono : h->stamp.boot);
	u64 real = le64_to_cpu(h->real);

	*c = (struct export_clock){ .written = shown };
	c->known = !t->damage.nr[JTRACE_FAULT_HEADERS] && real > shown &&
		   real - shown < READERS_MOST / 2;
	if (c->known)
		c->offset = real - shown;
	c->latest = READERS_MOST - c->offset;
}

/**
 * export_clock_time() - the time of an event as readers can take it
 * @c: the clock
 * @ns: the time shown
 *
 * Return: @ns, at most @c->latest.
 */
u64 export_clock_time(struct export_clock *c, u64 ns)
{
	if (ns <= c->latest)
		return ns;
	c->later++;
	return c->latest;
}

/**
 * export_clock_warn() - say what the times of an export do not tell
 * @c: the clock
 * @d: the trace
 */
void export_clock_warn(const struct export_clock *c, const struct dump *d)
{
	if (!c->known)
		warnx("%s: the image does not tell the wall clock: times count from the boot",
		      d->name);
	if (c->later)
		warnx("%s: times of %llu events are too late for readers: they got the latest one, %llu ns",
		      d->name, c->later, c->latest);
}
