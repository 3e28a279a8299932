// SPDX-License-Identifier: GPL-2.0
/*
 * Read a CTF trace by the metadata in it, as jtrace writes it: each line of the metadata has one
 * declaration.  All packets must be full, all events have a class, and all times be in order.
 *
 * Knows nothing about images.  tests/tool/ctf.sh lets babeltrace judge the language.
 */

#include "fuzz.h"

#define PACKET_EVENTS	4096
#define FIELDS_MOST	13

/**
 * struct class - a class of events
 * @nr: number of its fields
 * @width: bytes of each, 0 for a string
 */
struct class {
	u32 nr;
	u32 width[FIELDS_MOST];
};

/**
 * struct metadata - what the metadata says
 * @offset: of the clock, ns
 * @context: bytes of an event's context, without a stack
 * @stacks: the context ends with a stack, as LTTng has it
 * @nr: number of classes
 * @class: the classes, by id
 */
struct metadata {
	u64 offset;
	u32 context;
	bool stacks;
	u32 nr;
	struct class *class;
};

/* ---- Metadata --------------------------------------------------------- */

/* Braces and quotes are in pairs, and a string has no escapes but those for quote and backslash. */
static void check_tokens(const char *text)
{
	bool quoted = false;
	u32 depth = 0;

	for (; *text; text++) {
		must((u8)*text >= 0x20 || (!quoted && (*text == '\n' || *text == '\t')),
		     "byte 0x%02x", (u8)*text);
		if (quoted && *text == '\\')
			must(*++text == '"' || *text == '\\', "escape: %.40s", text);
		else if (*text == '"')
			quoted = !quoted;
		else if (!quoted && *text == '{')
			depth++;
		else if (!quoted && *text == '}')
			must(depth--, "} without {: %.40s", text);
	}
	must(!quoted && !depth, "open at the end");
}

/* Take the next line; NULL at the end. */
static char *next_line(char **at)
{
	char *line = *at, *end = strchr(line, '\n');

	if (!end)
		return NULL;
	*end = 0;
	*at = end + 1;
	return line;
}

static bool is_identifier(const char *name)
{
	return name[0] == '_' && name[1] &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
	       strlen(name);
}

/* "\t\tTYPE NAME;": its bytes, 0 for a string. */
static u32 take_field(char *line, char **name)
{
	char *end = line + strlen(line) - 1, kind;
	u32 bits;

	must(!strncmp(line, "\t\t", 2) && *end == ';', "field: %s", line);
	*end = 0;
	*name = strrchr(line, ' ') + 1;
	must(is_identifier(*name), "name: %s", line);
	if (!strncmp(line, "\t\tstring { encoding = UTF8; } ", 30))
		return 0;
	must(sscanf(line, "\t\t%c%u _", &kind, &bits) == 2 && strchr("usx", kind) &&
	     (bits == 8 || bits == 16 || bits == 32 || bits == 64), "type: %s", line);
	return bits / 8;
}

/* An event, from the line behind "event {". */
static void take_class(struct metadata *m, char **at)
{
	char *line, *name[FIELDS_MOST];
	struct class *c;
	u32 id = ~0U, i;

	m->class = reallocarray(m->class, m->nr + 1, sizeof(*m->class));
	must(m->class, "no memory");
	c = &m->class[m->nr];
	c->nr = 0;
	while ((line = next_line(at)) && strcmp(line, "\tfields := struct {"))
		if (sscanf(line, "\tid = %u;", &id) == 1)
			must(id == m->nr, "id %u", id);
	must(id == m->nr, "no id");
	m->nr++;
	while ((line = next_line(at)) && strcmp(line, "\t};")) {
		must(c->nr < FIELDS_MOST, "fields: %s", line);
		c->width[c->nr] = take_field(line, &name[c->nr]);
		for (i = 0; i < c->nr; i++)
			must(strcmp(name[i], name[c->nr]), "twice: %s", name[i]);
		c->nr++;
	}
	must(line && c->nr, "no fields");
}

static void read_metadata(struct metadata *m, char *text)
{
	char *line;

	must(!strncmp(text, "/* CTF 1.8 */\n", 14), "%.40s", text);
	check_tokens(text);
	while ((line = next_line(&text))) {
		if (sscanf(line, "\toffset = %llu;", &m->offset) == 1)
			continue;
		if (!strcmp(line, "\tevent.context := struct {"))
			m->context = 4 + 17 + 1 + 2; /* tid, name, context, its bits */
		else if (!strcmp(line, "\t\tx64 _callstack_kernel[__callstack_kernel_length];"))
			m->stacks = true;
		else if (!strcmp(line, "event {"))
			take_class(m, &text);
	}
	must(m->offset <= INT64_MAX, "offset");
}

/* ---- Streams ---------------------------------------------------------- */

/**
 * struct cursor - a place in a stream
 * @at: the next byte
 * @end: where the packet ends, or the stream
 */
struct cursor {
	const u8 *at;
	const u8 *end;
};

static u64 take(struct cursor *c, u32 width)
{
	__le64 value = 0;

	must(c->end - c->at >= width, "cut off");
	memcpy(&value, c->at, width);
	c->at += width;
	return le64_to_cpu(value);
}

/* The number of frames, then their addresses. */
static void take_stack(struct cursor *c)
{
	u32 nr = take(c, 4);

	must(nr <= JTRACE_STACK_MAX && c->end - c->at >= 8 * nr, "%u frames", nr);
	c->at += 8 * nr;
}

/* Returns its time. */
static u64 take_event(const struct metadata *m, struct cursor *c)
{
	u32 id = take(c, 4), i;
	u64 ns = take(c, 8);

	must(id < m->nr, "class %u of %u", id, m->nr);
	must(c->end - c->at >= m->context, "cut off");
	c->at += m->context;
	if (m->stacks)
		take_stack(c);
	for (i = 0; i < m->class[id].nr; i++) {
		u32 width = m->class[id].width[i];

		if (width)
			take(c, width);
		else
			while (take(c, 1))
				;
	}
	return ns;
}

/* Returns the number of events. */
static u64 take_packet(const struct metadata *m, struct cursor *stream, u32 cpu, u64 *last)
{
	const u8 *from = stream->at;
	struct cursor c = *stream;
	u64 begin, end, bits, ns, nr;

	must(take(&c, 4) == 0xc1fc1fc1 && take(&c, 4) == 0, "header");
	begin = take(&c, 8);
	end = take(&c, 8);
	bits = take(&c, 8);
	must(take(&c, 8) == bits && bits % 8 == 0, "size");
	must(take(&c, 4) == cpu, "CPU");
	must(bits / 8 <= stream->end - from, "%llu bits", bits);
	c.end = from + bits / 8;
	must(begin >= *last && end <= INT64_MAX - m->offset, "time of a packet");
	*last = begin;
	for (nr = 0; c.at < c.end; nr++) {
		ns = take_event(m, &c);
		must(ns >= *last && (nr || ns == begin), "time of event %llu", nr);
		*last = ns;
	}
	must(*last == end && nr && nr <= PACKET_EVENTS, "end of a packet");
	stream->at = c.end;
	return nr;
}

/**
 * ctf_check() - check a CTF trace
 * @t: its files
 *
 * Return: number of events.
 */
u64 ctf_check(struct exported *t)
{
	struct metadata m = { 0 };
	u64 events = 0, last;
	char name[16];
	u32 i, cpu;

	must(t->nr && !strcmp(t->file[t->nr - 1].name, "metadata"), "no metadata");
	must(strlen((char *)t->file[t->nr - 1].data) == t->file[t->nr - 1].len, "NUL in metadata");
	read_metadata(&m, (char *)t->file[t->nr - 1].data);
	for (i = 0; i < t->nr - 1; i++) {
		struct exported_file *f = &t->file[i];
		struct cursor c = { f->data, f->data + f->len };

		must(sscanf(f->name, "cpu_%u", &cpu) == 1, "%s", f->name);
		scnprintf(name, sizeof(name), "cpu_%u", cpu);
		must(!strcmp(f->name, name) && f->len, "%s", f->name);
		for (last = 0; c.at < c.end; )
			events += take_packet(&m, &c, cpu, &last);
	}
	free(m.class);
	return events;
}
