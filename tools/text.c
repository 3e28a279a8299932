// SPDX-License-Identifier: GPL-2.0
/* A trace, or the kernel log in its image, as text, as lib/render writes it. */

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

/**
 * print_log() - write the kernel log in an image
 * @t: its trace
 * @to: stream
 *
 * Return: false on a write error.
 */
bool print_log(const struct jtrace_trace *t, FILE *to)
{
	static struct jtrace_log_reader reader;
	static char text[JTRACE_LOG_TEXT];
	struct jtrace_log_line line;

	jtrace_log_open(&reader, t);
	while (!ferror(to) && jtrace_log_next(&reader, &line)) {
		if (line.missing)
			fprintf(to, JTRACE_LOG_MISSING "\n", line.missing);
		jtrace_log_text(t, &line, text, sizeof(text));
		fprintf(to, "%s\n", text);
	}
	return !ferror(to);
}

/**
 * show_text_log() - print the kernel log in an image
 * @d: its trace
 */
void show_text_log(const struct dump *d)
{
	print_log(&d->t, stdout);
}
