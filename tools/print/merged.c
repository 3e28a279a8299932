// SPDX-License-Identifier: GPL-2.0
/* A trace as text, with the kernel log between the entries. */

#include "print.h"

/* "[   3.404203441][log] : BUG: ..." */
static void print_between(const struct jtrace_trace *t, struct merge *m, u64 until)
{
	static char text[64 + JTRACE_LOG_TEXT];
	int n;

	for (; merge_before(m, until) && output_ok(); merge_next(m)) {
		if (m->line.missing)
			print_missing(stdout, m->line.missing);
		m->line.time = JTRACE_LOG_NO_TIME;
		n = scnprintf(text, sizeof(text), "[%4llu.%09llu][log] : ", m->ns / 1000000000,
			      m->ns % 1000000000);
		jtrace_log_text(t, &m->line, text + n, sizeof(text) - n);
		colour_log(stdout, text, m->line.prio);
	}
}

/**
 * show_text_merged() - print a trace, and each line of the kernel log where it belongs in time
 * @d: the trace
 */
void show_text_merged(const struct dump *d)
{
	static char line[DECODED_LINE_MAX];
	static struct jtrace_text text;
	static struct merge m;

	merge_open(&m, &d->t);
	jtrace_text_open(&text, &d->t, d->t.heap);
	while (output_ok()) {
		u64 pos = text.pos;

		if (jtrace_text_next(&text, line, sizeof(line)) < 0)
			break;
		if (pos >= text.end[JTRACE_TEXT_TITLE] && pos < text.end[JTRACE_TEXT_ENTRIES] &&
		    text.ev)
			print_between(&d->t, &m, jtrace_recover_ns(&d->t, text.ev->time));
		else if (pos >= text.end[JTRACE_TEXT_ENTRIES])
			print_between(&d->t, &m, ~0ULL);
		colour_line(stdout, line);
		if (pos >= text.end[JTRACE_TEXT_TITLE] && pos < text.end[JTRACE_TEXT_ENTRIES])
			print_stack(&d->t, text.ev, stdout);
	}
	print_between(&d->t, &m, ~0ULL);
}
