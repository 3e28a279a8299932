// SPDX-License-Identifier: GPL-2.0
/* How a boot ended. */

#include "crashes.h"

/**
 * crash_end() - find how a boot ended
 * @d: its image
 *
 * A boot that goes on has not ended: this is for images of earlier boots.
 */
enum crash_end crash_end(const struct dump *d)
{
	if (d->t.verdict == JTRACE_UNREADABLE || d->t.verdict == JTRACE_EMPTY ||
	    d->t.damage.nr[JTRACE_FAULT_HEADERS])
		return END_UNKNOWN;
	switch (d->t.header.state) {
	case JTRACE_STATE_CLEAN:
	case JTRACE_STATE_KEPT:
		return END_CLEAN;
	case JTRACE_STATE_PANICKED:
		return END_PANICKED;
	case JTRACE_STATE_UNLOADED:
		return END_UNKNOWN;
	default:
		return END_RESET;
	}
}

/**
 * struct end - how an end is told to programs
 * @name: a word
 * @status: exit status of jtrace --cause
 */
struct end {
	const char *name;
	int status;
};

static const struct end ends[] = {
	[END_CLEAN] = { "clean", 0 },
	[END_PANICKED] = { "panicked", 3 },
	[END_RESET] = { "hung_or_reset", 4 },
	[END_UNKNOWN] = { "unknown", 5 },
};
static_assert(ARRAY_SIZE(ends) == ENDS);

/**
 * crash_end_name() - name an end
 * @end: how a boot ended
 */
const char *crash_end_name(enum crash_end end)
{
	return ends[end].name;
}

/**
 * crash_end_parse() - find the end with a name
 * @name: as of crash_end_name()
 *
 * Return: %END_UNKNOWN for all other names.
 */
enum crash_end crash_end_parse(const char *name)
{
	u32 i;

	for (i = 0; i < ENDS; i++)
		if (!strcmp(name, ends[i].name))
			return i;
	return END_UNKNOWN;
}

/**
 * crash_end_status() - find the exit status of jtrace --cause
 * @end: how a boot ended
 */
int crash_end_status(enum crash_end end)
{
	return ends[end].status;
}
