// SPDX-License-Identifier: GPL-2.0
/* A trace as text, as lib/render writes it. */

#include "tool.h"

/**
 * print_text() - write a trace
 * @t: the trace
 * @to: stream
 *
 * Return: false on a write error.
 */
bool print_text(const struct jtrace_trace *t, FILE *to)
{
	static char line[JTRACE_LINE_MAX];
	static struct jtrace_text text;

	jtrace_text_open(&text, t, t->heap);
	while (!ferror(to) && jtrace_text_next(&text, line, sizeof(line)) >= 0)
		fprintf(to, "%s\n", line);
	return !ferror(to);
}

/**
 * show_text() - print a trace
 * @d: the trace
 */
void show_text(const struct dump *d)
{
	print_text(&d->t, stdout);
}
