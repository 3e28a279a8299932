// SPDX-License-Identifier: GPL-2.0
/*
 * A trace as a page: one HTML file that needs nothing else.
 *
 * The page is page.html, with its style, its script, and the traces as JSON in a <script>
 * that is no program.  There, each "<" is escaped, so that no string can end the element.  All
 * strings are escaped like those of the text first: what is no UTF-8, or acts on the text around
 * it, is \xNN.
 *
 * The JSON is {"version": N, "images": [IMAGE...]}, and an image has
 *	file, head: lines of the text before the entries
 *	release, boot_id, build_id, state: null if the headers are lost
 *	large: large entries; selected: options left entries out
 *	offset: what the wall clock is ahead of the clock shown, ns, as a string; null if lost
 *	ended: time of the panic, ns, as a string; null if there was none
 *	why: what "jtrace why --json" says; empty if options left entries out, or after an error
 *	log: [TIME or null, LEVEL, MISSING, TEXT] for each line of the kernel log, TIME as a string
 *	rows: the events in the order of time, with sites, names of tasks and stacks somewhere
 *	      before the first event that needs them, packed; see rows.c
 *	pairs: [BEGIN, LENGTH or null, OWNER, GROUP], two events, by their numbers, that
 *	      begin and end something of a CPU (0), a thread (1) or neither (2); null: it had not
 *	      ended.  GROUP is the place of the value that similar pairs have in common, or -1
 *	runs: [BEGIN, LENGTH or null, TID, STATE], two events between which a task was in a state,
 *	      as sched_switch names it; R: it waited for a CPU; empty: it ran
 *	complete: up to this time entries of some CPU may be lost, ns, as a string
 *	pairless: why there is none, as part of a sentence
 * Numbers beyond 2^53 are strings, because the page would round them.
 */

#include <stdlib.h>

#include "../../../lib/base/pen.h"
#include "../../why/why.h"
#include "../export.h"
#include "page.h"

/* The version of the JSON. */
#define PAGE_VERSION	2

/* Numbers up to here, 2^53, are exact in JavaScript. */
#define EXACT_MOST	0x20000000000000ULL

/* page.html names us as its generator. */
#define SIGN	"content=\"jtrace\""

/**
 * struct page - the page that is being written
 * @target: the file
 * @open: it was opened
 * @images: number of images in it
 * @failed: there was no memory for one of them
 */
static struct page {
	struct target target;
	bool open;
	u32 images;
	bool failed;
} page;

/* ---- JSON ------------------------------------------------------------- */

static void put_number(FILE *to, u64 value)
{
	fprintf(to, value > EXACT_MOST ? "\"0x%llx\"" : "%llu", value);
}

static void put_id(FILE *to, const char *name, const u8 *id, size_t len)
{
	fprintf(to, ",\"%s\":\"", name);
	while (len--)
		fprintf(to, "%02x", *id++);
	putc('"', to);
}

/* ---- The head of an image --------------------------------------------- */

/* The lines of the text before the entries. */
static void put_head(FILE *to, const struct jtrace_trace *t)
{
	static char line[DECODED_LINE_MAX];
	static struct jtrace_text text;
	const char *comma = "";

	fputs(",\"head\":[", to);
	jtrace_text_open(&text, t, t->heap);
	while (text.pos < text.end[JTRACE_TEXT_TITLE] &&
	       jtrace_text_next(&text, line, sizeof(line)) >= 0) {
		fputs(comma, to);
		page_put_text(to, line);
		comma = ",";
	}
	putc(']', to);
}

/* The wall clock, and the panic, are known by the moment at which the header was written last. */
static void put_clocks(FILE *to, const struct jtrace_trace *t)
{
	struct export_clock c;

	export_clock_open(&c, t);
	if (c.known)
		fprintf(to, ",\"offset\":\"%llu\"", c.offset);
	else
		fputs(",\"offset\":null", to);
	if (c.written && t->header.state == JTRACE_STATE_PANICKED)
		fprintf(to, ",\"ended\":\"%llu\"", c.written);
	else
		fputs(",\"ended\":null", to);
}

static void put_log(FILE *to, const struct jtrace_trace *t)
{
	static struct jtrace_log_reader reader;
	struct jtrace_log_line line;
	const char *comma = "";

	fputs(",\"log\":[", to);
	jtrace_log_open(&reader, t);
	while (page_goes_on(to) && jtrace_log_next(&reader, &line)) {
		fputs(comma, to);
		if (line.time == JTRACE_LOG_NO_TIME)
			fputs("[null", to);
		else
			fprintf(to, "[\"%llu\"", jtrace_log_ns(t, &line));
		fprintf(to, ",%u,", line.prio & 7);
		put_number(to, line.missing);
		putc(',', to);
		page_put_bytes(to, t, line.text, line.len);
		putc(']', to);
		comma = ",\n";
	}
	putc(']', to);
}

/* ---- The page --------------------------------------------------------- */

/* Which kernel it was, and how it ended. */
static void put_header(FILE *to, const struct jtrace_trace *t)
{
	const struct jtrace_image_header *h = &t->header;

	if (t->damage.nr[JTRACE_FAULT_HEADERS]) {
		fputs(",\"state\":null,\"release\":null,\"boot_id\":null,\"build_id\":null", to);
		return;
	}
	fprintf(to, ",\"state\":\"%s\"", state_name(h->state));
	page_put_string(to, t, "release", (const char *)h->release, sizeof(h->release));
	put_id(to, "boot_id", h->boot_id, sizeof(h->boot_id));
	put_id(to, "build_id", h->build_id, sizeof(h->build_id));
}

/* The lines become the members of an array. */
static void put_lines(FILE *to, const char *lines)
{
	for (; *lines; lines++) {
		if (*lines == '<')
			fputs("\\u003c", to);
		else if (*lines != '\n')
			putc(*lines, to);
		else if (lines[1])
			fputs(",\n", to);
	}
}

static void put_why(FILE *to, const struct dump *d, const struct jtrace_trace *t)
{
	struct dump shown = *d;
	char *lines = NULL;
	size_t len;
	FILE *text = d->t.filter ? NULL : open_memstream(&lines, &len);
	bool found, ok;

	shown.t = *t;
	ok = text && why_write(&shown, WHY_JSON, ~0ULL, text, &found);
	fputs(",\n\"why\":[", to);
	if (text && !fclose(text) && ok)
		put_lines(to, lines);
	free(lines);
	putc(']', to);
}

static void put_image(FILE *to, const struct dump *d)
{
	/* A page has one encoding, and a file says how the boot ended. */
	struct jtrace_trace t = d->t;

	t.tell |= JTRACE_TELL_BOOT;
	t.plain = utf8_plain;
	fprintf(to, "%s{\"large\":%s,\"selected\":%s", page.images ? ",\n" : "",
		t.l.kind == JTRACE_KIND_LARGE ? "true" : "false", t.filter ? "true" : "false");
	page_put_string(to, &t, "file", d->name, strlen(d->name));
	put_header(to, &t);
	put_head(to, &t);
	put_clocks(to, &t);
	put_why(to, d, &t);
	put_log(to, &t);
	page.failed |= !page_put_rows(to, &t);
	page_put_pairs(to, &t);
	putc('}', to);
	page.images++;
}

/* Write @from up to @word, and @text instead of it; return the rest. */
static const char *put_part(FILE *to, const char *from, const char *word, const char *text)
{
	const char *at = strstr(from, word);

	fwrite(from, 1, at - from, to);
	fputs(text, to);
	return at + strlen(word);
}

static void put_begin(FILE *to)
{
	put_part(to, put_part(to, page_html, "@STYLE@", page_css), "@DATA@", "");
	fprintf(to, "{\"version\":%d,\"images\":[\n", PAGE_VERSION);
}

static void put_end(FILE *to)
{
	static const char * const script[] = {
		page_unpack_js, page_data_js, page_axis_js, page_lanes_js, page_durations_js,
		page_runs_js, page_tasks_js, page_counters_js, page_measure_js, page_figures_js,
		page_stacks_js, page_filters_js, page_list_js, page_search_js, page_address_js,
		page_js,
	};
	const char *rest = strstr(page_html, "@DATA@") + strlen("@DATA@");
	u32 i;

	fputs("\n]}\n", to);
	rest = put_part(to, rest, "@SCRIPT@", "");
	for (i = 0; i < ARRAY_SIZE(script); i++)
		fputs(script[i], to);
	fputs(rest, to);
}

/**
 * html_write() - write a page with one image
 * @d: the trace, after decode_open()
 * @to: stream; the caller looks for errors of writing
 *
 * Return: false, after a message, if there is no memory.
 */
bool html_write(const struct dump *d, FILE *to)
{
	page.images = 0;
	page.failed = false;
	put_begin(to);
	put_image(to, d);
	put_end(to);
	return !page.failed;
}

/**
 * export_html() - add a trace to a page
 * @d: the trace, after decode_open()
 * @target: name of the page; the first call opens it
 * @force: replace a file of this name
 *
 * Errors of writing are kept until finish_html().
 *
 * Return: false, after a message, if it cannot be created.
 */
bool export_html(const struct dump *d, const char *target, bool force)
{
	if (!page.open) {
		page.images = 0;
		page.failed = false;
		page.open = target_open(&page.target, target, force, SIGN);
		if (!page.open)
			return false;
		put_begin(page.target.out);
	}
	put_image(page.target.out, d);
	target_ok(&page.target);
	return true;
}

/**
 * finish_html() - end a page
 * @ok: all its traces were added; else nothing is left of it
 *
 * Return: @ok; false, after a message, if not all was written.
 */
bool finish_html(bool ok)
{
	if (!page.open)
		return ok;
	page.open = false;
	ok = ok && !page.failed;
	if (ok)
		put_end(page.target.out);
	return target_close(&page.target, ok);
}
