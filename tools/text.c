// SPDX-License-Identifier: GPL-2.0
/* A trace as text: what lib/render says, line by line. */

#include "tool.h"

/**
 * show_text() - print a trace
 * @d: the trace
 */
void show_text(const struct dump *d)
{
	static char line[JTRACE_LINE_MAX];
	static struct jtrace_text text;

	jtrace_text_open(&text, &d->t, d->t.heap);
	while (written() && jtrace_text_next(&text, line, sizeof(line)) >= 0)
		puts(line);
}
