/* SPDX-License-Identifier: GPL-2.0 */
/* Stacks, for mkimage.c. */
#ifndef _MKSTACK_H
#define _MKSTACK_H

#include <stdlib.h>
#include <string.h>

#include "../../lib/image/stack.h"

static struct jtrace_stacks stacks;

static void stacks_begin(const struct jtrace_layout *l, void *img, u64 id, u64 text)
{
	void *room = calloc(1, jtrace_stacks_room(l) + 1);

	jtrace_stacks_init(&stacks, l, img, id, text, room, false);
	stacks.index = room;
}

static void stacks_end(void)
{
	free(stacks.index);
}

/*
 * Store the stack of a line "CPU stack ADDRESS...", which is that of the next event; return its
 * number.  "!" behind an address: it is no return address; "..." or "?" at the end: the stack is cut
 * or broken.
 */
static u32 store_stack(u64 text, char *line)
{
	union jtrace_stack_buffer rec;
	char *word, *end;
	u64 address;

	jtrace_stack_begin(&rec);
	strtok(line, " ");
	strtok(NULL, " ");
	while ((word = strtok(NULL, " "))) {
		if (!strcmp(word, "...")) {
			rec.r.flags |= JTRACE_STACK_CUT;
		} else if (!strcmp(word, "?")) {
			rec.r.flags |= JTRACE_STACK_BROKEN;
		} else if (rec.r.nr < JTRACE_STACK_MAX) {
			address = strtoull(word, &end, 16);
			jtrace_stack_add(&rec, text, address, *end == '!');
		}
	}
	return jtrace_stack_intern(&stacks, &rec);
}

#endif /* _MKSTACK_H */
