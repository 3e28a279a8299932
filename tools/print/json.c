// SPDX-License-Identifier: GPL-2.0
/*
 * A trace as JSON, one object a line: the image, its modules, then each event or each line of the
 * kernel log.
 *
 * Numbers that may exceed 2^53 are strings, because many readers take numbers for doubles and
 * round them.  Times in ns are numbers: they are exact for 104 days.
 */

#include <stdlib.h>

#include "../../lib/base/pen.h"
#include "../../lib/image/module.h"
#include "print.h"

/* Number of cached sites; a power of two. */
#define SITES	1024

/* JSON escapes a character as UTF-16. */
static void put_escape(FILE *to, u32 code)
{
	if (code < 0x10000)
		fprintf(to, "\\u%04x", code);
	else
		fprintf(to, "\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10),
			0xdc00 + (code & 0x3ff));
}

static void put_char(FILE *to, const char *s, u32 len, u32 code)
{
	if (!len)
		fputs("\\ufffd", to);
	else if (*s == '"' || *s == '\\')
		fprintf(to, "\\%c", *s);
	else if (utf8_is_control(code))
		put_escape(to, code);
	else
		fwrite(s, 1, len, to);
}

static void put_hex(FILE *to, const char *name, const char *suffix, const void *from, size_t len)
{
	const u8 *byte = from;

	fprintf(to, ",\"%s%s\":\"", name, suffix);
	while (len--)
		fprintf(to, "%02x", *byte++);
	putc('"', to);
}

/* A string that is not UTF-8 gets a second member, with its bytes in hex. */
static void put_member(FILE *to, const char *name, const char *text, size_t size)
{
	bool bad = false;
	u32 code, len;
	size_t at;

	fprintf(to, "\"%s\":\"", name);
	for (at = 0; at < size; at += len ?: 1) {
		len = utf8_decode(text + at, size - at, &code);
		bad |= !len;
		put_char(to, text + at, len, code);
	}
	putc('"', to);
	if (bad)
		put_hex(to, name, "_hex", text, size);
}

/**
 * json_put_bytes() - write a comma and a member that is a string
 * @to: where to
 * @name: of the member
 * @text: its bytes; those that are not UTF-8 become U+FFFD, and a second member has all in hex
 * @size: number of bytes
 */
void json_put_bytes(FILE *to, const char *name, const char *text, size_t size)
{
	putc(',', to);
	put_member(to, name, text, size);
}

/**
 * json_put_string() - json_put_bytes(), of a string that ends at a NUL
 * @to: where to
 * @name: of the member
 * @text: the string
 */
void json_put_string(FILE *to, const char *name, const char *text)
{
	json_put_bytes(to, name, text, strlen(text));
}

/* A string of the header may lack a NUL at the end. */
static void put_padded(const char *name, const u8 *from, size_t size)
{
	char text[128];

	memcpy(text, from, size);
	text[size] = 0;
	json_put_string(stdout, name, text);
}

static const char *clock_name(u8 clock)
{
	if (clock == JTRACE_CLOCK_TICKS)
		return "ticks";
	return clock == JTRACE_CLOCK_NS ? "ns" : "unknown";
}

static void put_header(const struct jtrace_image_header *h)
{
	static_assert(sizeof(h->reason) < 128 && sizeof(h->release) < 128);
	printf(",\"version\":%u,\"state\":\"%s\",\"clock\":\"%s\"", le16_to_cpu(h->version),
	       state_name(h->state), clock_name(h->clock));
	printf(",\"persistent\":%s,\"mono\":%s,\"cpus\":%u,\"machine\":%u",
	       le32_to_cpu(h->compat) & JTRACE_COMPAT_PERSISTENT ? "true" : "false",
	       le32_to_cpu(h->incompat) & JTRACE_INCOMPAT_MONO ? "true" : "false",
	       le32_to_cpu(h->nr_cpus), le16_to_cpu(h->machine));
	printf(",\"real_ns\":\"%llu\",\"kernel_text\":\"0x%016llx\"",
	       le64_to_cpu(h->real), le64_to_cpu(h->text));
	put_hex(stdout, "boot_id", "", h->boot_id, sizeof(h->boot_id));
	put_hex(stdout, "build_id", "", h->build_id, sizeof(h->build_id));
	put_padded("release", h->release, sizeof(h->release));
	put_padded("reason", h->reason, sizeof(h->reason));
}

static void put_damage(const struct jtrace_damage *damage)
{
	static const char * const names[] = {
		[JTRACE_FAULT_HEADER] = "header",
		[JTRACE_FAULT_COPY] = "header_copy",
		[JTRACE_FAULT_CUT] = "end",
		[JTRACE_FAULT_HEADERS] = "headers",
		[JTRACE_FAULT_RESCUED] = "chunk_headers",
		[JTRACE_FAULT_CHUNK] = "chunks",
		[JTRACE_FAULT_BLANK] = "blank_chunks",
		[JTRACE_FAULT_ENTRY] = "entries",
	};
	const char *comma = "";
	u32 i;

	static_assert(ARRAY_SIZE(names) == JTRACE_NR_FAULTS);
	fputs(",\"damage\":{", stdout);
	for (i = 0; i < JTRACE_NR_FAULTS; i++) {
		if (!damage->nr[i])
			continue;
		printf("%s\"%s\":%u", comma, names[i], damage->nr[i]);
		comma = ",";
	}
	putchar('}');
}

static void put_image(const struct dump *d)
{
	const struct jtrace_trace *t = &d->t;
	const bool headless = t->damage.nr[JTRACE_FAULT_HEADERS];

	fputs("{\"type\":\"image\"", stdout);
	json_put_string(stdout, "file", d->name);
	printf(",\"offset\":%llu,\"image_id\":\"0x%016llx\",\"size\":%llu",
	       d->where, t->image_id, t->l.size);
	printf(",\"kind\":\"%s\",\"entries\":%llu,\"capacity\":%llu",
	       t->l.kind == JTRACE_KIND_LARGE ? "large" : "small",
	       t->filter ? t->found : t->shown, jtrace_layout_entries(&t->l));
	if (t->filter)
		printf(",\"shown\":%llu", t->shown);
	put_damage(&t->damage);
	if (t->nameless)
		printf(",\"nameless\":%llu,\"sites\":%llu", t->nameless, t->sites_suffice);
	if (t->unnamed)
		printf(",\"unnamed\":%llu", t->unnamed);
	if (t->astray)
		printf(",\"jumped\":%llu", t->astray);
	if (!headless)
		put_header(&t->header);
	puts("}");
}

static void put_module(const struct jtrace_trace *t, const struct jtrace_module *m)
{
	static const char * const names[] = {
		[JTRACE_MODULE_TEXT] = "text",
		[JTRACE_MODULE_DATA] = "data",
		[JTRACE_MODULE_RODATA] = "rodata",
		[JTRACE_MODULE_RO_AFTER_INIT] = "ro_after_init",
	};
	u32 i;

	static_assert(ARRAY_SIZE(names) == JTRACE_MODULE_RANGES);
	fputs("{\"type\":\"module\"", stdout);
	json_put_string(stdout, "name", m->name);
	if (m->has_id)
		put_hex(stdout, "build_id", "", m->build_id, sizeof(m->build_id));
	printf(",\"module\":\"0x%llx\"", m->module);
	for (i = 0; i < JTRACE_MODULE_RANGES; i++)
		if (m->size[i])
			printf(",\"%s\":\"0x%llx+0x%x\"", names[i], m->base[i], m->size[i]);
	if (m->from)
		printf(",\"from_ns\":%llu", jtrace_recover_ns(t, m->from));
	if (m->until != ~0ULL)
		printf(",\"until_ns\":%llu", jtrace_recover_ns(t, m->until));
	puts("}");
}

/* Print the modules after number @last, 0 for all, and return the number of the last one. */
static u32 put_modules(const struct jtrace_trace *t, u32 last)
{
	struct jtrace_module m;
	u32 nr = last;

	while ((nr = jtrace_module_next(&t->l, t->img, t->image_id, nr, &m))) {
		put_module(t, &m);
		last = nr;
	}
	return last;
}

/* Returns false if it has no text, which may come later. */
static bool put_site(FILE *to, const struct jtrace_trace *t, u32 number)
{
	struct jtrace_site_text text;

	fprintf(to, ",\"site\":%u", number);
	if (!jtrace_site_read(&t->l, t->img, t->image_id, number, &text)) {
		fputs(",\"tag\":null", to);
		return false;
	}
	json_put_string(to, "tag", text.tag);
	json_put_string(to, "file", text.file);
	json_put_string(to, "function", text.func);
	fprintf(to, ",\"line\":%u", text.line);
	if (text.partial)
		fputs(",\"partial\":true", to);
	return true;
}

/* Cache: the text of a site of this image, at a hash of its number. */
static struct memo {
	u32 number;
	size_t len;
	char *text;
} memo[SITES];

static void memo_drop(struct memo *m)
{
	free(m->text);
	m->text = NULL;
}

/* Returns false if there is no memory, or if the site has no text. */
static bool memo_fill(struct memo *m, const struct jtrace_trace *t, u32 number)
{
	bool whole;
	FILE *f;

	memo_drop(m);
	m->number = number;
	f = open_memstream(&m->text, &m->len);
	if (!f)
		return false;
	whole = put_site(f, t, number);
	if (!fclose(f) && whole)
		return true;
	memo_drop(m);
	return false;
}

static void put_site_memo(const struct jtrace_trace *t, u32 number)
{
	struct memo *m = &memo[jtrace_site_slot(number, SITES)];

	if ((m->text && m->number == number) || memo_fill(m, t, number))
		fwrite(m->text, 1, m->len, stdout);
	else
		put_site(stdout, t, number);
}

static void pen_member(struct pen *p, const char *name, u64 value)
{
	pen_text(p, name);
	pen_dec(p, value, 0, ' ');
}

static void pen_large(struct pen *p, const struct jtrace_decoded *ev)
{
	pen_member(p, ",\"b\":", ev->arg[1]);
	pen_member(p, ",\"c\":", ev->arg[2]);
	pen_member(p, ",\"d\":", ev->arg[3]);
	pen_text(p, ",\"e\":\"0x");
	pen_hex(p, ev->wide[0], 16);
	pen_text(p, "\",\"f\":\"0x");
	pen_hex(p, ev->wide[1], 16);
	pen_char(p, '"');
}

static void put_value(const struct field_value *v, const char *comma)
{
	if (field_has_text(v->type)) {
		fputs(comma, stdout);
		put_member(stdout, v->name, v->text, strlen(v->text));
		return;
	}
	printf("%s\"%s\":", comma, v->name);
	if (v->type & JTRACE_FIELD_HEX)
		printf("\"0x%0*llx\"", 2 * jtrace_field_width(v->type), v->value);
	else if (jtrace_field_width(v->type) < 8)
		printf("%lld", v->value);
	else
		printf(jtrace_field_signed(v->type) ? "\"%lld\"" : "\"%llu\"", v->value);
}

/* The arguments that the tag names, their symbols, and how long a wait took that ended here. */
static void put_args(const struct jtrace_trace *t, const struct jtrace_decoded *ev)
{
	static struct field_value value[JTRACE_FIELDS];
	u32 nr = decode_values(t, ev, value), symbols = 0, i;
	char symbol[SYMBOL_TEXT];
	u64 waited;

	if (!nr)
		return;
	fputs(",\"args\":{", stdout);
	for (i = 0; i < nr; i++)
		put_value(&value[i], i ? "," : "");
	putchar('}');
	for (i = 0; i < nr; i++) {
		if (!decode_symbol(t, ev, &value[i], symbol, sizeof(symbol)))
			continue;
		fputs(symbols++ ? "," : ",\"symbols\":{", stdout);
		put_member(stdout, value[i].name, symbol, strlen(symbol));
	}
	if (symbols)
		putchar('}');
	if (seen_waited(t, ev, &waited))
		printf(",\"waited_ns\":%llu", waited);
}

/**
 * json_put_stack() - write a comma and the members for the stack of an entry, if it has one: an
 *	object for each frame, and how it ends
 * @to: where to
 * @t: the trace
 * @ev: the entry
 */
void json_put_stack(FILE *to, const struct jtrace_trace *t, const struct jtrace_decoded *ev)
{
	struct jtrace_stack s;
	char symbol[SYMBOL_TEXT];
	u64 address;
	u32 i;

	if (!ev->stack)
		return;
	if (!stack_find(t, ev, &s)) {
		fputs(",\"stack\":null", to);
		return;
	}
	fputs(",\"stack\":[", to);
	for (i = 0; i < s.nr; i++) {
		address = jtrace_frame_address(&t->header, s.frame[i]);
		fputs(i ? ",{" : "{", to);
		if (address)
			fprintf(to, "\"address\":\"0x%016llx\"", address);
		else
			fputs("\"address\":null", to);
		if (t->decode && stack_symbol(t, ev, &s, i, symbol, sizeof(symbol)))
			json_put_string(to, "symbol", symbol);
		putc('}', to);
	}
	putc(']', to);
	if (s.cut || s.broken)
		fprintf(to, ",\"stack_end\":\"%s\"", s.cut ? "cut" : "broken");
}

static void put_event(const struct jtrace_trace *t, const struct jtrace_decoded *ev)
{
	u64 ns = jtrace_recover_ns(t, ev->time);
	const bool large = t->l.kind == JTRACE_KIND_LARGE;
	char line[512];		/* without the site; the longest line has 320 bytes */
	struct pen p = { .at = line, .end = line + sizeof(line) };
	char task[TASK_NAME];

	pen_member(&p, "{\"type\":\"event\",\"time_ns\":", ns);
	pen_member(&p, ",\"time\":\"", ns / 1000000000);
	pen_char(&p, '.');
	pen_dec(&p, ns % 1000000000, 9, '0');
	pen_member(&p, "\",\"cpu\":", ev->cpu);
	if (large) {
		pen_member(&p, ",\"tid\":", ev->tid);
		if (task_name(t, ev, task)) {
			fwrite(line, 1, p.at - line, stdout);
			json_put_string(stdout, "task", task);
			p.at = line;
		}
		pen_text(&p, ",\"context\":\"");
		pen_text(&p, context_name(ev->context));
		pen_member(&p, "\",\"context_bits\":", ev->context);
	}
	pen_member(&p, ",\"a\":", ev->arg[0]);
	if (large)
		pen_large(&p, ev);
	fwrite(line, 1, p.at - line, stdout);
	put_site_memo(t, ev->site);
	if (t->decode)
		put_args(t, ev);
	json_put_stack(stdout, t, ev);
	puts("}");
}

/* No kernel counts so far, but a record may be forged. */
static void put_count(u64 value)
{
	printf(value >> 53 ? "\"%llu\"" : "%llu", value);
}

static void put_log_line(const struct jtrace_trace *t, const struct jtrace_log_line *line)
{
	u64 ns = jtrace_log_ns(t, line);

	fputs("{\"type\":\"log\"", stdout);
	if (line->time != JTRACE_LOG_NO_TIME) {
		printf(",\"time_ns\":%llu,\"time\":\"%llu.%09llu\"", ns, ns / 1000000000,
		       ns % 1000000000);
		printf(",\"printk_ns\":%llu", line->time);
	}
	fputs(",\"seq\":", stdout);
	put_count(line->seq);
	fputs(",\"missing\":", stdout);
	put_count(line->missing);
	printf(",\"level\":%u,\"facility\":%u", line->prio & 7, line->prio >> 3);
	json_put_bytes(stdout, "text", line->text, line->len);
	puts("}");
}

static void put_until(const struct jtrace_trace *t, struct merge *m, u64 until)
{
	for (; merge_before(m, until) && output_ok(); merge_next(m))
		put_log_line(t, &m->line);
}

static void put_all(const struct dump *d, struct merge *m)
{
	const struct jtrace_decoded *ev;
	static struct jtrace_walk walk;
	u32 i;

	put_image(d);
	put_modules(&d->t, 0);
	jtrace_walk_each(&walk, &d->t, ev) {
		if (!output_ok())
			break;
		if (m)
			put_until(&d->t, m, jtrace_recover_ns(&d->t, ev->time));
		put_event(&d->t, ev);
	}
	if (m)
		put_until(&d->t, m, ~0ULL);
	for (i = 0; i < SITES; i++)
		memo_drop(&memo[i]);
}

/**
 * show_json() - print a trace
 * @d: the trace
 */
void show_json(const struct dump *d)
{
	put_all(d, NULL);
}

/**
 * show_json_new() - print what is new in a trace that is followed
 * @d: the trace, with new entries only
 * @first: print the image, too
 * @gap: entries that were lost before these
 */
void show_json_new(const struct dump *d, bool first, const struct gap *gap)
{
	static struct jtrace_walk walk;
	const struct jtrace_decoded *ev;
	static u32 module;

	if (first)
		put_image(d);
	module = put_modules(&d->t, first ? 0 : module);
	if (gap->nr)
		printf("{\"type\":\"gap\",\"%s\":%llu}\n", gap->most ? "at_most" : "entries",
		       gap->nr);
	jtrace_walk_each(&walk, &d->t, ev) {
		if (!output_ok())
			break;
		put_event(&d->t, ev);
	}
}

/**
 * show_json_merged() - print a trace, and each line of the kernel log where it belongs in time
 * @d: the trace
 */
void show_json_merged(const struct dump *d)
{
	static struct merge m;

	merge_open(&m, &d->t);
	put_all(d, &m);
}

/**
 * show_json_log() - print the kernel log in an image
 * @d: its trace
 */
void show_json_log(const struct dump *d)
{
	static struct jtrace_log_reader reader;
	struct jtrace_log_line line;

	put_image(d);
	jtrace_log_open(&reader, &d->t);
	while (output_ok() && jtrace_log_next(&reader, &line))
		put_log_line(&d->t, &line);
}

/* ---- A frame ---------------------------------------------------------- */

/**
 * show_json_frame() - print a hit of a probe, with its registers
 * @d: the trace
 * @f: the hit
 */
void show_json_frame(const struct dump *d, const struct frame *f)
{
	const char *comma = "";
	u32 part, i;

	put_image(d);
	printf("{\"type\":\"frame\",\"hit\":%u", f->hit);
	json_put_string(stdout, "probe", f->probe);
	printf(",\"time_ns\":%llu,\"time\":\"%llu.%09llu\",\"cpu\":%u,\"tid\":%u,\"context\":\"%s\"",
	       f->ns, f->ns / 1000000000, f->ns % 1000000000, f->cpu, f->tid,
	       context_name(f->context));
	json_put_string(stdout, "file", f->source);
	json_put_string(stdout, "function", f->place);
	if (f->has_values) {
		fputs(",\"values\":{", stdout);
		for (i = 0; i < f->nr_values; i++)
			put_value(&f->value[i], i ? "," : "");
		putchar('}');
	}
	printf(",\"parts\":%u,\"parts_there\":%u,\"registers\":{", f->parts, f->parts_there);
	for (part = 0; part < FRAME_PARTS; part++) {
		for (i = 0; i < f->nr_regs[part]; i++) {
			put_value(&f->reg[part][i], comma);
			comma = ",";
		}
	}
	puts("}}");
}
