// SPDX-License-Identifier: GPL-2.0
/* A trace, or the kernel log in its image, as text, as lib/read writes it. */

#include "../../lib/base/pen.h"
#include "print.h"

/**
 * print_stack() - write the stack of an entry, a line a frame
 * @t: the trace
 * @ev: the entry, or NULL
 * @to: stream
 *
 * Writes nothing if entries are shown by numbers, or if it has none.
 */
void print_stack(const struct jtrace_trace *t, const struct jtrace_decoded *ev, FILE *to)
{
	static char line[sizeof(STACK_INDENT) + STACK_LINE];
	struct jtrace_stack s;
	u32 nr = t->decode ? stack_lines(t, ev, &s) : 0, i;

	for (i = 0; i < nr; i++) {
		struct pen p = { line, line + sizeof(line) - 1 };

		pen_text(&p, STACK_INDENT);
		stack_line(t, ev, &s, i, &p);
		colour_dim(to, line);
	}
}

/* The next line, and the stack of its entry below it. */
static bool print_next(struct jtrace_text *text, FILE *to)
{
	static char line[DECODED_LINE_MAX];
	const u64 pos = text->pos;

	if (jtrace_text_next(text, line, sizeof(line)) < 0)
		return false;
	colour_line(to, line);
	if (pos >= text->end[JTRACE_TEXT_TITLE] && pos < text->end[JTRACE_TEXT_ENTRIES])
		print_stack(text->t, text->ev, to);
	return true;
}

/**
 * print_text() - write a trace
 * @t: the trace
 * @to: stream
 *
 * Return: false on a write error.
 */
bool print_text(const struct jtrace_trace *t, FILE *to)
{
	static struct jtrace_text text;

	jtrace_text_open(&text, t, t->heap);
	while (!ferror(to) && print_next(&text, to))
		;
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
 * show_text_new() - print what is new in a trace that is followed
 * @d: the trace, with new entries only
 * @first: nothing of this image was printed before
 * @gap: entries that were lost before these
 */
void show_text_new(const struct dump *d, bool first, const struct gap *gap)
{
	static struct jtrace_text text;
	static u64 above;
	char line[80];

	if (gap->nr) {
		scnprintf(line, sizeof(line), "JTRACE: %s%llu entries lost here",
			  gap->most ? "up to " : "", gap->nr);
		colour_line(stdout, line);
	}
	jtrace_text_open(&text, &d->t, d->t.heap);
	text.pos = text.end[JTRACE_TEXT_TITLE];
	text.first = first ? 0 : above;
	while (!ferror(stdout) && text.pos < text.end[JTRACE_TEXT_ENTRIES] &&
	       print_next(&text, stdout))
		;
	if (text.ev)
		above = text.ev->time;
}

/**
 * print_missing() - tell that lines of the kernel log are missing
 * @to: stream
 * @missing: how many messages
 */
void print_missing(FILE *to, u64 missing)
{
	char line[80];

	scnprintf(line, sizeof(line), JTRACE_LOG_MISSING, missing);
	colour_line(to, line);
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
			print_missing(to, line.missing);
		jtrace_log_text(t, &line, text, sizeof(text));
		colour_log(to, text, line.prio);
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

/* ---- A frame ---------------------------------------------------------- */

static void print_escaped(const struct jtrace_trace *t, const char *text)
{
	char escaped[4 * JTRACE_TAG_MAX + 1];

	jtrace_escape(t, escaped, sizeof(escaped), text, strlen(text));
	fputs(escaped, stdout);
}

static void print_value(const struct jtrace_trace *t, const struct field_value *v)
{
	char text[VALUE_TEXT];

	value_text(t, v, true, text, sizeof(text));
	printf("  %-15s %s\n", v->name, text);
}

/**
 * show_text_frame() - print a hit of a probe, with its registers
 * @d: the trace
 * @f: the hit
 */
void show_text_frame(const struct dump *d, const struct frame *f)
{
	u32 part, i;

	printf("Hit %u of ", f->hit);
	print_escaped(&d->t, f->probe);
	printf(": [%4llu.%09llu][cpu %u tid %8u], %s, ", f->ns / 1000000000, f->ns % 1000000000,
	       f->cpu, f->tid, context_name(f->context));
	print_escaped(&d->t, f->source);
	putchar(':');
	print_escaped(&d->t, f->place);
	printf("\nValues%s\n", !f->has_values ? ": overwritten, or not recorded" :
	       f->nr_values ? "" : ": none");
	for (i = 0; i < f->nr_values; i++)
		print_value(&d->t, &f->value[i]);
	if (f->parts_there == f->parts)
		puts("Registers");
	else
		printf("Registers: %u of %u parts; the others were overwritten, or not recorded\n",
		       f->parts_there, f->parts);
	for (part = 0; part < FRAME_PARTS; part++)
		for (i = 0; i < f->nr_regs[part]; i++)
			print_value(&d->t, &f->reg[part][i]);
}
