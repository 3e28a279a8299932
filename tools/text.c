// SPDX-License-Identifier: GPL-2.0
/* A trace as text: what lib/render says, line by line. */

#include "tool.h"

/**
 * show_text() - print a trace
 * @d: the trace
 */
void show_text(const struct dump *d)
{
	struct jtrace_memo memo = { 0 };
	static char line[JTRACE_LINE_MAX];
	u64 nr, lines = jtrace_render_lines(&d->t);

	for (nr = 0; nr < lines && written(); nr++)
		if (jtrace_render_line(&d->t, &memo, nr, line, sizeof(line)) >= 0)
			puts(line);
}
