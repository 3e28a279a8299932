// SPDX-License-Identifier: GPL-2.0
/* An image in memory, and the trace that lib/recover finds in it. */

#include <stdlib.h>

#include "tool.h"

/**
 * dump_open() - recover the trace of an image
 * @d: the image; its trace cannot be shown unless dump_readable()
 *
 * Return: false, after a message, if there is no memory.
 */
bool dump_open(struct dump *d)
{
	u64 room;

	jtrace_recover_open(&d->t, d->img, d->len);
	if (!dump_readable(d))
		return true;
	room = jtrace_recover_room(&d->t);
	if (room == (size_t)room)
		d->room = malloc(room + 1);
	if (!d->room)
		return fail("%s: no memory for %llu bytes needed for sorting", d->name, room);
	jtrace_recover_scan(&d->t, d->room);
	return true;
}

/**
 * dump_readable() - does the trace have entries to look at?
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
 * state_name() - one word for how an image ended, for programs
 * @state: of its header, or 0 if that is lost
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
