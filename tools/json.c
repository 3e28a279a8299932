// SPDX-License-Identifier: GPL-2.0
/*
 * A trace as JSON, one object a line: the image first, then each event.
 *
 * Numbers of 64 bits are strings where a reader that takes numbers for doubles
 * would round them, but for the times in ns, which are exact for 104 days.
 */

#include "tool.h"

/* A character that must be escaped, in UTF-16 as JSON wants it. */
static void put_escape(u32 code)
{
	if (code < 0x10000)
		printf("\\u%04x", code);
	else
		printf("\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10),
		       0xdc00 + (code & 0x3ff));
}

static void put_char(const char *s, u32 len, u32 code)
{
	if (!len)
		fputs("\\ufffd", stdout);
	else if (*s == '"' || *s == '\\')
		printf("\\%c", *s);
	else if (utf8_acts(code))
		put_escape(code);
	else
		fwrite(s, 1, len, stdout);
}

/* A member; if the string is not UTF-8 another one with its bytes in hex. */
static void put_string(const char *name, const char *text)
{
	const char *s;
	bool bad = false;
	u32 code, len;

	printf(",\"%s\":\"", name);
	for (s = text; *s; s += len ?: 1) {
		len = utf8_len(s, strlen(s), &code);
		bad |= !len;
		put_char(s, len, code);
	}
	putchar('"');
	if (!bad)
		return;
	printf(",\"%s_hex\":\"", name);
	for (s = text; *s; s++)
		printf("%02x", (u8)*s);
	putchar('"');
}

/* A member with a string of the header, which need not end with a NUL. */
static void put_padded(const char *name, const u8 *from, size_t size)
{
	char text[128];

	memcpy(text, from, size);
	text[size] = 0;
	put_string(name, text);
}

static void put_hex(const char *name, const u8 *from, size_t size)
{
	size_t i;

	printf(",\"%s\":\"", name);
	for (i = 0; i < size; i++)
		printf("%02x", from[i]);
	putchar('"');
}

static const char *name_of(const char * const *names, size_t nr, u32 i)
{
	return i < nr && names[i] ? names[i] : "unknown";
}

static void put_header(const struct jtrace_image_header *h)
{
	static const char * const clocks[] = {
		[JTRACE_CLOCK_TICKS] = "ticks",
		[JTRACE_CLOCK_NS] = "ns",
	};
	u32 flags = le32_to_cpu(h->flags);

	static_assert(sizeof(h->reason) < 128 && sizeof(h->release) < 128);
	printf(",\"version\":%u,\"state\":\"%s\",\"clock\":\"%s\"", le16_to_cpu(h->version),
	       state_name(h->state),
	       name_of(clocks, ARRAY_SIZE(clocks), h->clock));
	printf(",\"persistent\":%s,\"mono\":%s,\"cpus\":%u",
	       flags & JTRACE_F_PERSISTENT ? "true" : "false",
	       flags & JTRACE_F_MONO ? "true" : "false", le32_to_cpu(h->nr_cpus));
	printf(",\"real_ns\":\"%llu\",\"kernel_text\":\"0x%016llx\"",
	       (unsigned long long)le64_to_cpu(h->real),
	       (unsigned long long)le64_to_cpu(h->text));
	put_hex("boot_id", h->boot_id, sizeof(h->boot_id));
	put_hex("build_id", h->build_id, sizeof(h->build_id));
	put_padded("release", h->release, sizeof(h->release));
	put_padded("reason", h->reason, sizeof(h->reason));
}

/* What is wrong, and how often. */
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

static void put_image(const struct dump *d, const struct source *s, u64 where)
{
	const struct jtrace_trace *t = &d->t;
	const bool headless = t->damage.nr[JTRACE_FAULT_HEADERS];

	fputs("{\"type\":\"image\"", stdout);
	put_string("file", s->name);
	printf(",\"offset\":%llu,\"image_id\":\"0x%016llx\",\"size\":%llu",
	       (unsigned long long)where, (unsigned long long)t->image_id,
	       (unsigned long long)t->l.size);
	printf(",\"kind\":\"%s\",\"entries\":%u,\"capacity\":%llu",
	       t->l.kind == JTRACE_KIND_LARGE ? "large" : "small", t->entries.nr,
	       (unsigned long long)jtrace_layout_entries(&t->l));
	put_damage(&t->damage);
	if (t->nameless)
		printf(",\"nameless\":%llu,\"sites\":%llu", (unsigned long long)t->nameless,
		       (unsigned long long)t->sites_suffice);
	if (t->astray)
		printf(",\"jumped\":%llu", (unsigned long long)t->astray);
	if (!headless)
		put_header(&t->header);
	puts("}");
}

static void put_modules(const struct jtrace_trace *t)
{
	struct jtrace_site_text m;
	u32 nr = 0;

	while ((nr = jtrace_site_next_module(&t->l, t->img, t->image_id, nr, &m))) {
		fputs("{\"type\":\"module\"", stdout);
		put_string("name", m.tag);
		put_string("build_id", m.file);
		put_string("where", m.func);
		puts("}");
	}
}

static const char *context_name(u32 context)
{
	if (context & JTRACE_CTX_NMI)
		return "nmi";
	if (context & JTRACE_CTX_HARDIRQ)
		return "hardirq";
	return context & JTRACE_CTX_SOFTIRQ ? "softirq" : "task";
}

static void put_site(const struct jtrace_trace *t, u32 number)
{
	struct jtrace_site_text text;

	printf(",\"site\":%u", number);
	if (!jtrace_site_read(&t->l, t->img, t->image_id, number, &text)) {
		fputs(",\"tag\":null", stdout);
		return;
	}
	put_string("tag", text.tag);
	put_string("file", text.file);
	put_string("function", text.func);
	printf(",\"line\":%u", text.line);
}

static void put_event(const struct jtrace_trace *t, const struct jtrace_key *key)
{
	u64 ns = jtrace_recover_ns(t, key->time);
	struct jtrace_event ev;

	if (!jtrace_recover_get(t, key, &ev))
		return;
	printf("{\"type\":\"event\",\"time_ns\":%llu,\"time\":\"%llu.%09llu\",\"cpu\":%u",
	       (unsigned long long)ns, (unsigned long long)ns / 1000000000,
	       (unsigned long long)ns % 1000000000, ev.cpu);
	if (t->l.kind == JTRACE_KIND_LARGE)
		printf(",\"tid\":%u,\"context\":\"%s\",\"context_bits\":%u", ev.tid,
		       context_name(ev.context), ev.context);
	printf(",\"a\":%u", ev.arg[0]);
	if (t->l.kind == JTRACE_KIND_LARGE)
		printf(",\"b\":%u,\"c\":%u,\"d\":%u,\"e\":\"0x%016llx\",\"f\":\"0x%016llx\"",
		       ev.arg[1], ev.arg[2], ev.arg[3], (unsigned long long)ev.wide[0],
		       (unsigned long long)ev.wide[1]);
	put_site(t, ev.site);
	puts("}");
}

/**
 * show_json() - print a trace
 * @d: the trace
 * @s: where it is from
 * @im: as what it was found there
 */
void show_json(const struct dump *d, const struct source *s, const struct image *im)
{
	u32 i;

	put_image(d, s, im->where);
	put_modules(&d->t);
	for (i = 0; i < d->t.entries.nr && written(); i++)
		put_event(&d->t, &d->t.entries.key[i]);
}
