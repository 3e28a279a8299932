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
 *	rows: events, [DELTA, CPU, TID, CONTEXT, SITE, VALUE...], in the order of time, and sites,
 *	      {site, tag, label, args, counters, file, function, line}, somewhere before their
 *	      first event; counters, [NAME, BYTES] for each of its first values: only of events
 *	      that have some, and BYTES is 0 of a number; and names of tasks, {tid, task}, for the
 *	      events that follow; null: not known.  An event with a stack has [SITE, STACK] as its
 *	      SITE.  The stacks are {stack, frames, end} for the events that follow: the lines of
 *	      the text, and, if the stack does not end with the last frame, the line that says so.
 *	      0 is the number of a lost one
 *	pairs: [BEGIN, LENGTH or null, OWNER, GROUP], two events, by their places in rows, that
 *	      begin and end something of a CPU (0), a thread (1) or neither (2); null: it had not
 *	      ended.  GROUP is the place of the value that similar pairs have in common, or -1
 *	runs: [BEGIN, LENGTH or null, TID, STATE], two events between which a task was in a state,
 *	      as sched_switch names it; R: it waited for a CPU; empty: it ran
 *	complete: up to this time entries of some CPU may be lost, ns, as a string
 *	pairless: why there is none, as part of a sentence
 * DELTA is the time since the event above, ns; that of the first one since 0.  VALUEs belong to the
 * names in args, as text; behind them are those that the tag gives no name and that are not 0, as
 * "PLACE=VALUE".  Without names, they are the arguments up to the last one that was given or is
 * not 0.  A site without a record has no tag.  The idle tasks, of tid 0, have no names there.
 * Numbers beyond 2^53 are strings, because the page would round them.
 */

#include <stdlib.h>

#include "../../../lib/base/pen.h"
#include "../../why/why.h"
#include "../export.h"
#include "page.h"

/* The version of the JSON. */
#define PAGE_VERSION	1

/* Numbers up to here, 2^53, are exact in JavaScript. */
#define EXACT_MOST	0x20000000000000ULL

/* Number of cached sites; a power of two. */
#define SITES		1024

/* Number of cached names of tasks. */
#define TASKS		1024

/* page.html names us as its generator. */
#define SIGN	"content=\"jtrace\""

/**
 * struct page - the page that is being written
 * @target: the file
 * @open: it was opened
 * @images: number of images in it
 */
static struct page {
	struct target target;
	bool open;
	u32 images;
} page;

/* Sites of this image that the page has, at a hash of their number; more are written again. */
static struct {
	bool known;
	u32 number;
} site[SITES];

/* The last names of tasks that the page has, at the tid; more are written again. */
static struct {
	u32 tid;
	bool known;
	char name[TASK_NAME];
} task[TASKS];

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

/* After an error or a signal, the page is not kept. */
static bool goes_on(FILE *to)
{
	return !ferror(to) && !beside_ended();
}

/* ---- JSON ------------------------------------------------------------- */

/* @text: escaped like that of the text output. */
static void put_text(FILE *to, const char *text)
{
	putc('"', to);
	for (; *text; text++) {
		if (*text == '<') {
			fputs("\\u003c", to);
			continue;
		}
		if (*text == '"' || *text == '\\')
			putc('\\', to);
		putc(*text, to);
	}
	putc('"', to);
}

/* Any bytes, up to a NUL or @len. */
static void put_bytes(FILE *to, const struct jtrace_trace *t, const char *from, size_t len)
{
	static char text[4 * JTRACE_LOG_LINE_MAX + 5];

	jtrace_escape(t, text, sizeof(text), from, len);
	put_text(to, text);
}

static void put_string(FILE *to, const struct jtrace_trace *t, const char *name, const char *from,
		       size_t len)
{
	fprintf(to, ",\"%s\":", name);
	put_bytes(to, t, from, len);
}

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
		put_text(to, line);
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
	while (goes_on(to) && jtrace_log_next(&reader, &line)) {
		fputs(comma, to);
		if (line.time == JTRACE_LOG_NO_TIME)
			fputs("[null", to);
		else
			fprintf(to, "[\"%llu\"", jtrace_log_ns(t, &line));
		fprintf(to, ",%u,", line.prio & 7);
		put_number(to, line.missing);
		putc(',', to);
		put_bytes(to, t, line.text, line.len);
		putc(']', to);
		comma = ",\n";
	}
	putc(']', to);
}

/* ---- Rows ------------------------------------------------------------- */

/* What export_counters() finds. */
static void put_counters(FILE *to, const struct jtrace_trace *t, u32 number)
{
	const struct export_counter *counter;
	u32 nr, i;

	counter = export_counters(t, number, &nr);
	for (i = 0; i < nr; i++)
		fprintf(to, "%s[\"%s\",%u]", i ? "," : ",\"counters\":[", counter[i].name,
			counter[i].bytes);
	fputs(nr ? "]" : "", to);
}

static void put_site(FILE *to, const struct jtrace_trace *t, u32 number,
		     const struct field_value *value, u32 nr)
{
	const struct jtrace_site_text *text;
	u32 len, i;

	fprintf(to, "{\"site\":%u", number);
	text = decode_site(t, number, &len);
	if (text) {
		put_string(to, t, "tag", text->tag, sizeof(text->tag));
		put_string(to, t, "label", text->tag, nr ? len : sizeof(text->tag));
		put_string(to, t, "file", text->file, sizeof(text->file));
		put_string(to, t, "function", text->func, sizeof(text->func));
		fprintf(to, ",\"line\":%d", (s32)text->line);
	}
	if (nr) {
		fputs(",\"args\":[", to);
		for (i = 0; i < nr && !value[i].unnamed; i++) {
			fputs(i ? "," : "", to);
			put_text(to, value[i].name);
		}
		putc(']', to);
		put_counters(to, t, number);
	}
	fputs("},\n", to);
}

static void put_values(FILE *to, const struct jtrace_trace *t, const struct jtrace_decoded *ev,
		       const struct field_value *value, u32 nr)
{
	static char text[DECODED_VALUE_MAX];
	struct pen p;
	u32 i;

	for (i = 0; i < nr; i++) {
		p = (struct pen){ text, text + sizeof(text) - 1 };
		if (value[i].unnamed)
			pen_format(&p, "%s=", value[i].name);
		decode_put(t, ev, &p, &value[i]);
		*p.at = 0;
		putc(',', to);
		put_text(to, text);
	}
}

static void put_numbers(FILE *to, const struct jtrace_trace *t, const struct jtrace_decoded *ev)
{
	const u64 arg[] = {
		ev->arg[0], ev->arg[1], ev->arg[2], ev->arg[3], ev->wide[0], ev->wide[1],
	};
	const u32 most = t->l.kind == JTRACE_KIND_LARGE ? ARRAY_SIZE(arg) : 1;
	const u32 given = min(most, decode_given(t, ev->site));
	u32 nr = most, i;

	while (nr > given && !arg[nr - 1])
		nr--;
	for (i = 0; i < nr; i++) {
		putc(',', to);
		put_number(to, arg[i]);
	}
}

/* Write the name of a task if the page does not have it yet. */
static void put_task(FILE *to, const struct jtrace_trace *t, const struct jtrace_decoded *ev)
{
	const u32 slot = ev->tid % TASKS;
	char name[TASK_NAME] = "";
	bool known = ev->tid && task_name(t, ev, name);

	if (!ev->tid || t->l.kind == JTRACE_KIND_SMALL ||
	    (task[slot].known && task[slot].tid == ev->tid && !strcmp(task[slot].name, name)))
		return;
	/* Without a name at first, as all are. */
	if (known || task[slot].known) {
		fprintf(to, "{\"tid\":%u", ev->tid);
		if (known)
			put_string(to, t, "task", name, sizeof(name));
		else
			fputs(",\"task\":null", to);
		fputs("},\n", to);
	}
	task[slot].known = true;
	task[slot].tid = ev->tid;
	memcpy(task[slot].name, name, sizeof(name));
}

static void open_stacks(const struct jtrace_trace *t)
{
	stacks.nr = t->l.stacks_size / JTRACE_GRANULE + 1ULL;
	stacks.at = calloc(stacks.nr, sizeof(*stacks.at));
}

static void close_stacks(void)
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
	if (!known)
		return;
	free(known->line);
	known->line = malloc(len);
	known->len = len;
	if (known->line)
		memcpy(known->line, line, len);
}

/* Write the stack of an event if the page does not have it yet; return its number there. */
static u32 put_stack(FILE *to, const struct jtrace_trace *t, const struct jtrace_decoded *ev)
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
		put_text(to, at);
	}
	fputs(nr == s.nr ? "]},\n" : "},\n", to);
	return number;
}

static void put_event(FILE *to, const struct jtrace_trace *t, const struct jtrace_decoded *ev,
		      u64 since)
{
	static struct field_value value[JTRACE_FIELDS];
	const u32 slot = jtrace_site_slot(ev->site, SITES);
	const u32 nr = decode_values(t, ev, value);
	u32 stack = 0;

	if (!site[slot].known || site[slot].number != ev->site) {
		put_site(to, t, ev->site, value, nr);
		site[slot].known = true;
		site[slot].number = ev->site;
	}
	put_task(to, t, ev);
	if (ev->stack)
		stack = put_stack(to, t, ev);
	putc('[', to);
	put_number(to, since);
	if (t->l.kind == JTRACE_KIND_LARGE)
		fprintf(to, ",%u,%u,%u,", ev->cpu, ev->tid, ev->context);
	else
		fprintf(to, ",%u,null,0,", ev->cpu);
	if (ev->stack)
		fprintf(to, "[%u,%u]", ev->site, stack);
	else
		fprintf(to, "%u", ev->site);
	if (nr)
		put_values(to, t, ev, value, nr);
	else
		put_numbers(to, t, ev);
	putc(']', to);
}

static void put_rows(FILE *to, const struct jtrace_trace *t)
{
	static struct jtrace_walk walk;
	const struct jtrace_decoded *ev;
	const char *comma = "";
	u64 last = 0, ns;

	memset(site, 0, sizeof(site));
	memset(task, 0, sizeof(task));
	open_stacks(t);
	fputs(",\n\"rows\":[\n", to);
	jtrace_walk_each(&walk, t, ev) {
		if (!goes_on(to))
			break;
		/* The order is that of the raw times, and a later one is never shown as earlier. */
		ns = jtrace_recover_ns(t, ev->time);
		ns = max(last, ns);
		fputs(comma, to);
		put_event(to, t, ev, ns - last);
		comma = ",\n";
		last = ns;
	}
	putc(']', to);
	close_stacks();
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
	put_string(to, t, "release", (const char *)h->release, sizeof(h->release));
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
	put_string(to, &t, "file", d->name, strlen(d->name));
	put_header(to, &t);
	put_head(to, &t);
	put_clocks(to, &t);
	put_why(to, d, &t);
	put_log(to, &t);
	put_rows(to, &t);
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
		page_data_js, page_lanes_js, page_durations_js, page_runs_js, page_tasks_js,
		page_counters_js, page_measure_js, page_figures_js, page_stacks_js, page_filters_js, page_list_js, page_search_js,
		page_address_js, page_js,
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
 * @to: stream; the caller looks for errors
 */
void html_write(const struct dump *d, FILE *to)
{
	page.images = 0;
	put_begin(to);
	put_image(to, d);
	put_end(to);
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
	if (ok)
		put_end(page.target.out);
	return target_close(&page.target, ok);
}
