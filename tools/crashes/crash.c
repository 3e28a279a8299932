// SPDX-License-Identifier: GPL-2.0
/* What a crash is: how a boot ended, when, and what others it is like. */

#include <time.h>

#include "../entries/entries.h"
#include "crashes.h"

/**
 * crash_time() - write a time
 * @real: wall clock, ns; 0 if unknown
 * @to: result; "-" if unknown
 */
void crash_time(u64 real, char to[CRASH_TIME])
{
	time_t s = real / 1000000000;
	struct tm tm;

	if (!real || !gmtime_r(&s, &tm) || !strftime(to, CRASH_TIME, "%Y-%m-%dT%H:%M:%SZ", &tm))
		scnprintf(to, CRASH_TIME, "-");
}

/**
 * crash_read() - describe a crash
 * @c: result
 * @d: its image, with decode_open(), and all of its entries
 *
 * Return: false, after a message, on an error.
 */
bool crash_read(struct crash *c, const struct dump *d)
{
	const struct jtrace_image_header *h = &d->t.header;
	u32 i;

	*c = (struct crash){ .end = crash_end(d), .boot = "00000000000000000000000000000000" };
	if (d->t.verdict == JTRACE_UNREADABLE || d->t.verdict == JTRACE_EMPTY)
		return true;
	c->image = d->t.image_id;
	for (i = 0; i < sizeof(h->boot_id); i++)
		sprintf(c->boot + 2 * i, "%02x", h->boot_id[i]);
	if (!d->t.damage.nr[JTRACE_FAULT_HEADERS]) {
		c->real = jtrace_tell_real(&d->t);
		jtrace_escape(NULL, c->release, sizeof(c->release), (const char *)h->release,
			      sizeof(h->release));
	}
	return c->end == END_CLEAN || signature_read(d, c->signature);
}
