// SPDX-License-Identifier: GPL-2.0
/*
 * Read the data of a page, as jtrace writes it: nothing in it ends it, or acts on the text around,
 * and its events can be unpacked.  tools/export/page/rows.c has their format.
 *
 * Knows nothing about images.  tests/tool/html_same compares each field.
 */

#include <stdlib.h>

#include "fuzz.h"

#define DATA	"<script type=\"application/json\" id=\"data\">\n"
#define ROWS	",\n\"rows\":\""

/* Of values, see pack.c. */
#define KIND_TEXT	3
#define ESCAPED_BYTE	1

/**
 * struct rows - the string with the events
 * @at: the next byte
 * @end: behind the last one
 * @shapes: where the shapes begin
 * @nr_shapes: how many there are
 * @threads: number of pairs of a CPU and a task
 * @texts: number of texts
 */
struct rows {
	u8 *at;
	u8 *end;
	u8 **shapes;
	u32 nr_shapes;
	u32 threads;
	u32 texts;
};

static u32 digit(char c)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;

	must(at, "byte 0x%02x in base64", (u8)c);
	return at - digits;
}

/* Bytes of base64, up to the quote; return how many. */
static size_t from_base64(u8 *to, const char *from)
{
	const size_t len = strcspn(from, "\"");
	u8 *at = to;
	size_t i;

	must(len % 4 == 0, "%zu characters of base64", len);
	for (i = 0; i < len; i += 4) {
		const bool two = from[i + 3] != '=', one = from[i + 2] != '=';
		const u32 third = one ? digit(from[i + 2]) : 0, last = two ? digit(from[i + 3]) : 0;
		const u32 first = digit(from[i]), second = digit(from[i + 1]);
		const u32 bits = first << 18 | second << 12 | third << 6 | last;

		must((one || !two) && (two || i + 4 == len), "base64 ends early");
		*at++ = bits >> 16;
		if (one)
			*at++ = bits >> 8;
		if (two)
			*at++ = bits;
	}
	return at - to;
}

static u64 number(struct rows *r)
{
	u64 value = 0;
	u32 shift = 0;
	u8 byte;

	do {
		must(r->at < r->end && shift < 70, "a number does not end");
		byte = *r->at++;
		value |= (u64)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return value;
}

static void pass(struct rows *r, u64 len)
{
	must(len <= (u64)(r->end - r->at), "%llu bytes of %td", len, r->end - r->at);
	r->at += len;
}

/* Nothing in a text acts on the text around it. */
static void pass_text(struct rows *r, bool escaped)
{
	const u64 len = number(r);
	const u8 *at = r->at;

	pass(r, len);
	for (; at < r->at; at++) {
		if (escaped && *at == ESCAPED_BYTE && at + 1 < r->at)
			at++;
		else
			must(*at >= 0x20 && *at != 0x7f, "byte 0x%02x", *at);
	}
}

/* Pass the values of an event, whose codes begin at @shape. */
static void pass_values(struct rows *r, u8 *shape)
{
	struct rows codes = { .at = shape, .end = r->end };
	u64 nr, code, text;

	number(&codes);
	number(&codes);
	if (number(&codes))
		number(r);
	for (nr = number(&codes); nr; nr--) {
		code = number(&codes);
		if ((code & 7) != KIND_TEXT) {
			pass(r, code >> 3 & 15);
			continue;
		}
		text = number(r);
		must(text <= r->texts, "text %llu of %u", text, r->texts);
		r->texts += !text;
		if (!text)
			pass_text(r, true);
	}
}

static void take_shape(struct rows *r)
{
	u64 nr;

	r->shapes = realloc(r->shapes, (r->nr_shapes + 1) * sizeof(*r->shapes));
	must(r->shapes, "no memory");
	r->shapes[r->nr_shapes++] = r->at;
	number(r);
	number(r);
	number(r);
	for (nr = number(r); nr; nr--)
		number(r);
}

/* Return the number of events. */
static u64 pass_rows(struct rows *r)
{
	u64 nr = 0, record, thread;

	while (r->at < r->end) {
		record = number(r);
		if (record == 1) {
			pass_text(r, false);
			continue;
		}
		if (!record)
			take_shape(r);
		must(record < r->nr_shapes + 2ULL, "shape %llu of %u", record, r->nr_shapes);
		number(r);
		thread = number(r);
		must(thread <= r->threads, "thread %llu of %u", thread, r->threads);
		if (!thread) {
			r->threads++;
			number(r);
			number(r);
		}
		pass_values(r, r->shapes[record ? record - 2 : r->nr_shapes - 1]);
		nr++;
	}
	return nr;
}

/**
 * page_check() - check a page
 * @t: its file
 *
 * Return: number of events.
 */
u64 page_check(struct exported *t)
{
	const char *p, *end, *rows = NULL;
	struct rows r = { 0 };
	u8 *bytes;
	u64 nr;

	must(t->nr == 1 && !memchr(t->file[0].data, 0, t->file[0].len), "NUL");
	p = strstr((char *)t->file[0].data, DATA);
	must(p, "no data");
	p += strlen(DATA);
	end = strstr(p, "\n]}\n</script>");
	must(end, "no end of the data");
	for (; p < end; p++) {
		must((u8)*p >= 0x20 || *p == '\n', "byte 0x%02x", (u8)*p);
		must(*p != '<' && *p != 0x7f, "byte 0x%02x", (u8)*p);
		if (!strncmp(p, ROWS, strlen(ROWS)))
			rows = p + strlen(ROWS);
	}
	must(rows, "no rows");
	bytes = malloc(end - rows + 1);
	must(bytes, "no memory");
	r.at = bytes;
	r.end = bytes + from_base64(bytes, rows);
	nr = pass_rows(&r);
	free(r.shapes);
	free(bytes);
	return nr;
}
