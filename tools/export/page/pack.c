// SPDX-License-Identifier: GPL-2.0
/* Pack events into a string of bytes, in base64 (RFC 4648); rows.c has its format. */

#include <stdlib.h>
#include <string.h>

#include "../../../lib/lang/field.h"
#include "../../entries/entries.h"
#include "pack.h"

/* Sizes of the tables of what was written; powers of two. */
#define SHAPES		1024
#define THREADS		1024
#define TEXTS		4096

/* Longer texts are written each time. */
#define TEXT_KEPT	48

enum pack_kind {
	PACK_DECIMAL,
	PACK_NEGATIVE,
	PACK_HEX,
	PACK_TEXT,
};

#define CODE(kind, len, place)	((kind) | (len) << 3 | (place) << 7)

/* Place of a byte that "\xNN" stands for. */
#define ESCAPED_BYTE	1

/**
 * struct shape - what similar events have in common
 * @site: of them
 * @context: of them
 * @stacked: they have a stack
 * @nr: number of values
 * @code: of each value
 */
struct shape {
	u32 site;
	u32 context;
	u32 stacked;
	u32 nr;
	u32 code[JTRACE_FIELDS];
};

/**
 * struct pack - the string, as far as it is written
 * @to: the page
 * @byte: those of the next four characters
 * @pending: how many of them there are
 * @failed: there was no memory for a definition
 * @definitions: lines of JSON before the next event
 * @lines: their text
 * @len: its length
 * @shape: of the event
 * @stack: of the event
 * @value: bytes of its values
 * @size: how many
 * @shapes: shapes that were written, @id one more than their number, 0 for none
 * @threads: such a table of pairs of a CPU and a task
 * @texts: such a table of texts
 * @nr_shapes: how many shapes were written
 * @nr_threads: how many pairs
 * @nr_texts: how many texts
 */
struct pack {
	FILE *to;
	u8 byte[3];
	u32 pending;
	bool failed;
	FILE *definitions;
	char *lines;
	size_t len;
	struct shape shape;
	u32 stack;
	u8 value[JTRACE_FIELDS * (DECODED_VALUE_MAX + 20)];
	u32 size;
	struct {
		u32 id;
		struct shape shape;
	} shapes[SHAPES];
	struct {
		u32 id;
		u32 cpu;
		u64 thread;
	} threads[THREADS];
	struct {
		u32 id;
		u32 len;
		char text[TEXT_KEPT];
	} texts[TEXTS];
	u32 nr_shapes;
	u32 nr_threads;
	u32 nr_texts;
};

/* FNV-1a */
static u32 hash(const void *from, size_t len)
{
	const u8 *at = from;
	u32 value = 0x811c9dc5;

	while (len--)
		value = (value ^ *at++) * 0x01000193;
	return value ^ value >> 15;
}

/* ---- Bytes ------------------------------------------------------------ */

static void put_chars(struct pack *p, u32 nr)
{
	static const char digit[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const u32 bits = p->byte[0] << 16 | p->byte[1] << 8 | p->byte[2];
	u32 i;

	for (i = 0; i < 4; i++)
		putc(i < nr ? digit[bits >> (18 - 6 * i) & 63] : '=', p->to);
	memset(p->byte, 0, sizeof(p->byte));
	p->pending = 0;
}

static void put_byte(struct pack *p, u8 byte)
{
	p->byte[p->pending++] = byte;
	if (p->pending == sizeof(p->byte))
		put_chars(p, 4);
}

static void put_bytes(struct pack *p, const void *from, size_t len)
{
	const u8 *at = from;

	while (len--)
		put_byte(p, *at++);
}

/* Write a number as LEB128; return its length. */
static u32 leb(u8 *to, u64 value)
{
	u32 len = 0;

	do {
		to[len++] = (value & 0x7f) | (value > 0x7f ? 0x80 : 0);
		value >>= 7;
	} while (value);
	return len;
}

static void put_number(struct pack *p, u64 value)
{
	u8 bytes[10];

	put_bytes(p, bytes, leb(bytes, value));
}

/* ---- Definitions ------------------------------------------------------ */

/**
 * pack_definitions() - get the stream for definitions before the next event
 * @p: as pack_open() gave it
 *
 * Return: for lines of JSON; pack_define() writes them.
 */
FILE *pack_definitions(struct pack *p)
{
	return p->definitions;
}

/**
 * pack_define() - write the definitions
 * @p: as pack_open() gave it
 */
void pack_define(struct pack *p)
{
	const char *at, *end;
	u32 len;

	if (!ftello(p->definitions))
		return;
	p->failed |= fflush(p->definitions) || ferror(p->definitions);
	for (at = p->lines; (end = memchr(at, '\n', p->lines + p->len - at)); at = end + 1) {
		len = end - at;
		put_number(p, 1);
		put_number(p, len);
		put_bytes(p, at, len);
	}
	rewind(p->definitions);
}

/* ---- Values ----------------------------------------------------------- */

/**
 * pack_event() - begin an event
 * @p: as pack_open() gave it
 * @site: of the event
 * @context: of the event
 * @stacked: it has a stack
 * @stack: number of it
 */
void pack_event(struct pack *p, u32 site, u32 context, bool stacked, u32 stack)
{
	memset(&p->shape, 0, sizeof(p->shape));
	p->shape.site = site;
	p->shape.context = context;
	p->shape.stacked = stacked;
	p->stack = stack;
	p->size = 0;
}

static void add_number(struct pack *p, enum pack_kind kind, u32 place, u64 value)
{
	u32 len = 0;

	for (; value; value >>= 8, len++)
		p->value[p->size++] = value;
	p->shape.code[p->shape.nr++] = CODE(kind, len, place);
}

/* The value of all digits, as they would be written; false if that is none, or too large. */
static bool read_number(const char *text, size_t len, u32 radix, u64 *value)
{
	size_t i;
	u32 digit;

	*value = 0;
	if (!len || (*text == '0' && len > 1))
		return false;
	for (i = 0; i < len; i++) {
		digit = text[i] >= '0' && text[i] <= '9' ? text[i] - '0' :
			text[i] >= 'a' && text[i] <= 'f' ? text[i] - 'a' + 10 : 16;
		if (digit >= radix || *value > (~0ULL - digit) / radix)
			return false;
		*value = *value * radix + digit;
	}
	return true;
}

static int nibble(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Shorten "\xNN". */
static u32 shorten(u8 *to, const char *text, size_t len)
{
	u32 nr = 0;
	size_t i;

	for (i = 0; i < len; i++) {
		if (len - i >= 4 && text[i] == '\\' && text[i + 1] == 'x' &&
		    nibble(text[i + 2]) >= 0 && nibble(text[i + 3]) >= 0) {
			to[nr++] = ESCAPED_BYTE;
			to[nr++] = nibble(text[i + 2]) << 4 | nibble(text[i + 3]);
			i += 3;
		} else {
			to[nr++] = text[i];
		}
	}
	return nr;
}

static void add_text(struct pack *p, u32 place, const char *text, size_t len)
{
	const u32 slot = hash(text, len) % TEXTS;
	u8 *to = &p->value[p->size];
	u8 *bytes;
	u32 nr;

	p->shape.code[p->shape.nr++] = CODE(PACK_TEXT, 0, place);
	if (p->texts[slot].id && p->texts[slot].len == len &&
	    !memcmp(p->texts[slot].text, text, len)) {
		p->size += leb(to, p->texts[slot].id);
		return;
	}
	*to++ = 0;
	/* Its length goes before it. */
	bytes = to + 10;
	nr = shorten(bytes, text, len);
	to += leb(to, nr);
	memmove(to, bytes, nr);
	p->size = to + nr - p->value;
	p->nr_texts++;
	if (len > TEXT_KEPT)
		return;
	p->texts[slot].id = p->nr_texts;
	p->texts[slot].len = len;
	memcpy(p->texts[slot].text, text, len);
}

/**
 * pack_value() - add a value to the event
 * @p: as pack_open() gave it
 * @place: 0 if it has a name, else its place, from 1 on
 * @text: as the page shows it, escaped
 * @len: its length, less than %DECODED_VALUE_MAX
 */
void pack_value(struct pack *p, u32 place, const char *text, size_t len)
{
	u64 value;

	if (read_number(text, len, 10, &value))
		add_number(p, PACK_DECIMAL, place, value);
	else if (len > 1 && *text == '-' && text[1] != '0' &&
		 read_number(text + 1, len - 1, 10, &value))
		add_number(p, PACK_NEGATIVE, place, value);
	else if (len > 2 && !memcmp(text, "0x", 2) && read_number(text + 2, len - 2, 16, &value))
		add_number(p, PACK_HEX, place, value);
	else
		add_text(p, place, text, len);
}

/**
 * pack_hex() - add a value without a name
 * @p: as pack_open() gave it
 * @value: a number
 */
void pack_hex(struct pack *p, u64 value)
{
	add_number(p, PACK_HEX, 0, value);
}

/* ---- Events ----------------------------------------------------------- */

static void put_shape(struct pack *p)
{
	const u32 slot = hash(&p->shape, sizeof(p->shape)) % SHAPES;
	u32 i;

	if (p->shapes[slot].id &&
	    !memcmp(&p->shapes[slot].shape, &p->shape, sizeof(p->shape))) {
		put_number(p, p->shapes[slot].id + 1ULL);
		return;
	}
	put_number(p, 0);
	put_number(p, p->shape.site);
	put_number(p, p->shape.context);
	put_number(p, p->shape.stacked);
	put_number(p, p->shape.nr);
	for (i = 0; i < p->shape.nr; i++)
		put_number(p, p->shape.code[i]);
	p->shapes[slot].id = ++p->nr_shapes;
	p->shapes[slot].shape = p->shape;
}

static void put_thread(struct pack *p, u32 cpu, u64 thread)
{
	const u32 slot = (cpu * 31 + thread) % THREADS;

	if (p->threads[slot].id && p->threads[slot].cpu == cpu &&
	    p->threads[slot].thread == thread) {
		put_number(p, p->threads[slot].id);
		return;
	}
	put_number(p, 0);
	put_number(p, cpu);
	put_number(p, thread);
	p->threads[slot].id = ++p->nr_threads;
	p->threads[slot].cpu = cpu;
	p->threads[slot].thread = thread;
}

/**
 * pack_end() - write the event
 * @p: as pack_open() gave it
 * @since: time since the event before, ns
 * @cpu: of the event
 * @thread: one more than the tid, 0 without one
 */
void pack_end(struct pack *p, u64 since, u32 cpu, u64 thread)
{
	put_shape(p);
	put_number(p, since);
	put_thread(p, cpu, thread);
	if (p->shape.stacked)
		put_number(p, p->stack);
	put_bytes(p, p->value, p->size);
}

/**
 * pack_open() - begin a string
 * @to: the page
 *
 * Return: for the others; NULL if there is no memory.
 */
struct pack *pack_open(FILE *to)
{
	struct pack *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->to = to;
	p->definitions = open_memstream(&p->lines, &p->len);
	if (p->definitions)
		return p;
	free(p);
	return NULL;
}

/**
 * pack_close() - end a string, and free what it needed
 * @p: as pack_open() gave it
 *
 * Return: false if there was no memory for a definition.
 */
bool pack_close(struct pack *p)
{
	bool failed = p->failed || ferror(p->definitions);

	if (p->pending)
		put_chars(p, p->pending + 1);
	failed |= fclose(p->definitions);
	free(p->lines);
	free(p);
	return !failed;
}
