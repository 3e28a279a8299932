// SPDX-License-Identifier: GPL-2.0
/* The stacks of a page. */

#include <stdlib.h>

#include "../../../lib/base/pen.h"
#include "../export.h"
#include "page.h"

/**
 * struct page_stack - a stack that the page has
 * @line: its lines, each with a NUL at its end; NULL if the page does not have it yet
 * @len: their bytes
 */
struct page_stack {
	char *line;
	size_t len;
};

/*
 * All stacks of this image, by their place in its area, behind that of lost ones: however many
 * events have a stack, the page has it once.  It is written again if a module came or went that
 * changes its names.
 */
static struct {
	struct page_stack *at;		/* NULL without memory; then each event has its own */
	u64 nr;
} stacks;

/**
 * page_open_stacks() - begin an image, which has no stack yet
 * @t: the trace
 */
void page_open_stacks(const struct jtrace_trace *t)
{
	stacks.nr = t->l.stacks_size / JTRACE_GRANULE + 1ULL;
	stacks.at = calloc(stacks.nr, sizeof(*stacks.at));
}

/**
 * page_close_stacks() - free what page_open_stacks() allocated
 */
void page_close_stacks(void)
{
	u64 i;

	for (i = 0; stacks.at && i < stacks.nr; i++)
		free(stacks.at[i].line);
	free(stacks.at);
}

static struct page_stack *find_stack(const struct jtrace_trace *t, u32 number)
{
	const u64 i = number ? number - t->l.stacks_off / JTRACE_GRANULE + 1ULL : 0;

	return stacks.at && i < stacks.nr ? &stacks.at[i] : NULL;
}

/* Keep what is written, to know it when it comes again. */
static void keep_stack(struct page_stack *known, const char *line, size_t len)
{
	char *at;

	if (!known)
		return;
	at = realloc(known->line, len);
	if (!at)
		free(known->line);
	known->line = at;
	known->len = len;
	if (at)
		memcpy(at, line, len);
}

/**
 * page_put_stack() - write the stack of an event if the page does not have it yet
 * @to: for a definition, see rows.c
 * @t: the trace
 * @ev: the event, which has a stack
 *
 * Return: its number there.
 */
u32 page_put_stack(FILE *to, const struct jtrace_trace *t, const struct jtrace_decoded *ev)
{
	static char line[(JTRACE_STACK_MAX + 1) * STACK_LINE];
	struct pen p = { line, line + sizeof(line) - 1 };
	struct page_stack *known;
	struct jtrace_stack s;
	const u32 nr = stack_lines(t, ev, &s), number = s.lost ? 0 : ev->stack;
	const char *at = line;
	u32 i;

	for (i = 0; i < nr; i++) {
		stack_line(t, ev, &s, i, &p);
		p.at++;
	}
	known = find_stack(t, number);
	if (known && known->line && known->len == p.at - line &&
	    !memcmp(known->line, line, known->len))
		return number;
	keep_stack(known, line, p.at - line);
	fprintf(to, "{\"stack\":%u,\"frames\":[", number);
	for (i = 0; i < nr; i++, at += strlen(at) + 1) {
		fputs(i == s.nr ? "],\"end\":" : i ? "," : "", to);
		page_put_text(to, at);
	}
	fputs(nr == s.nr ? "]}\n" : "}\n", to);
	return number;
}
