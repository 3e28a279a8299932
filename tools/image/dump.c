// SPDX-License-Identifier: GPL-2.0
/* An image in memory, and its trace. */

#include <stdlib.h>

#include "image.h"

/**
 * dump_open() - recover the trace of an image
 * @d: the image
 *
 * Return: false, after a message, if there is no memory; true for an unreadable image, too.
 */
bool dump_open(struct dump *d)
{
	u64 room;

	jtrace_recover_open(&d->t, d->img, d->len);
	if (!dump_readable(d))
		return true;
	jtrace_log_count(&d->t);
	room = jtrace_recover_room(&d->t);
	if (room == (size_t)room)
		d->room = malloc(room + 1);
	if (!d->room)
		return fail("%s: no memory for %llu bytes needed for sorting", d->name, room);
	jtrace_recover_scan(&d->t, d->room);
	return true;
}

/**
 * dump_readable() - did recovery find an image?
 * @d: after dump_open()
 */
bool dump_readable(const struct dump *d)
{
	return d->t.verdict != JTRACE_EMPTY && d->t.verdict != JTRACE_UNREADABLE;
}

/**
 * dump_free() - free the image and its trace
 * @d: the image
 */
void dump_free(struct dump *d)
{
	free(d->img);
	free(d->room);
}

/**
 * state_name() - name a state, for programs
 * @state: from the header, 0 if the header is lost
 */
const char *state_name(u8 state)
{
	static const char * const names[] = {
		[JTRACE_STATE_RUNNING] = "running",
		[JTRACE_STATE_CLEAN] = "clean",
		[JTRACE_STATE_PANICKED] = "panicked",
		[JTRACE_STATE_UNLOADED] = "unloaded",
		[JTRACE_STATE_KEPT] = "kept",
	};

	return state < ARRAY_SIZE(names) && names[state] ? names[state] : "unknown";
}

/**
 * context_name() - name the context of an entry
 * @context: JTRACE_CTX_*
 */
const char *context_name(u32 context)
{
	if (context & JTRACE_CTX_NMI)
		return "nmi";
	if (context & JTRACE_CTX_HARDIRQ)
		return "hardirq";
	return context & JTRACE_CTX_SOFTIRQ ? "softirq" : "task";
}
