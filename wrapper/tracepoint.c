// SPDX-License-Identifier: GPL-2.0
/* Tracepoints of the kernel by their names: not all of them are exported, but all can be listed. */

#include <linux/string.h>
#include <linux/tracepoint.h>

#include "wrapper.h"

#ifdef CONFIG_TRACEPOINTS

struct search {
	const char *name;
	struct tracepoint *found;
};

static void look_at(struct tracepoint *tp, void *data)
{
	struct search *s = data;

	if (!strcmp(tp->name, s->name))
		s->found = tp;
}

/**
 * jtrace_tracepoint_find() - find a tracepoint of the kernel itself, not of a module
 * @name: of the tracepoint
 *
 * Context: Process.
 * Return: the tracepoint, or NULL.
 */
struct tracepoint *jtrace_tracepoint_find(const char *name)
{
	struct search s = { .name = name };

	for_each_kernel_tracepoint(look_at, &s);
	return s.found;
}

#endif
