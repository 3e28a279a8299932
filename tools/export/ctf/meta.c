// SPDX-License-Identifier: GPL-2.0
/*
 * Metadata of a CTF export, in TSDL.
 *
 * An image is hostile.  Names of events are escaped as on a terminal, and then for TSDL.  Names of
 * fields are identifiers, and get the prefix "_" that readers remove: so none is a keyword.
 */

#include <errno.h>

#include "../../../lib/base/pen.h"
#include "ctf.h"

/* Types: numbers without alignment; x is unsigned and shown in hex. */
static void put_types(FILE *to)
{
	u32 bits;

	for (bits = 8; bits <= 64; bits *= 2) {
		fprintf(to, "typealias integer { size = %u; align = 8; signed = false; } := u%u;\n",
			bits, bits);
		fprintf(to, "typealias integer { size = %u; align = 8; signed = true; } := s%u;\n",
			bits, bits);
		fprintf(to, "typealias integer { size = %u; align = 8; base = 16; } := x%u;\n",
			bits, bits);
	}
}

/* A string literal. */
static void put_literal(FILE *to, const char *text, size_t len)
{
	static const struct jtrace_trace plain = { .plain = utf8_plain };
	char escaped[4 * JTRACE_TAG_MAX + 1], *c;

	jtrace_escape(&plain, escaped, sizeof(escaped), text, len);
	putc('"', to);
	for (c = escaped; *c; c++) {
		if (*c == '"' || *c == '\\')
			putc('\\', to);
		putc(*c, to);
	}
	putc('"', to);
}

/* The bytes of a part of a URI. */
static void put_percent(FILE *to, const char *text)
{
	for (; *text; text++) {
		bool plain = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ||
			     (*text >= '0' && *text <= '9') || strchr("-._~()+,/@!*", *text);

		fprintf(to, plain ? "%c" : "%%%02X", (u8)*text);
	}
}

/* The clock is the same for all traces of a boot. */
static void put_uuid(FILE *to, const struct jtrace_trace *t)
{
	static const u8 none[sizeof(t->header.boot_id)];
	u32 i;

	if (!memcmp(t->header.boot_id, none, sizeof(none)))
		return;
	fputs("\tuuid = \"", to);
	for (i = 0; i < sizeof(t->header.boot_id); i++)
		fprintf(to, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x",
			t->header.boot_id[i]);
	fputs("\";\n", to);
}

/*
 * The trace has no uuid: babeltrace2 reads all traces of one uuid by the metadata of one of them,
 * and other exports of this boot number other classes.
 */
static void put_trace(FILE *to)
{
	fputs("trace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = le;\n"
	      "\tpacket.header := struct {\n\t\tx32 magic;\n\t\tu32 stream_id;\n\t};\n};\n\n", to);
}

static void put_env_text(FILE *to, const char *name, const u8 *from, size_t size)
{
	if (!from[0])
		return;
	fprintf(to, "\t%s = ", name);
	put_literal(to, (const char *)from, size);
	fputs(";\n", to);
}

/* Readers take the domain "kernel" for a trace of a kernel. */
static void put_env(FILE *to, const struct jtrace_trace *t)
{
	const struct jtrace_image_header *h = &t->header;

	fputs("env {\n\tdomain = \"kernel\";\n\tsysname = \"Linux\";\n", to);
	put_env_text(to, "kernel_release", h->release, sizeof(h->release));
	fputs("\ttracer_name = \"jtrace\";\n\ttracer_major = 1;\n\ttracer_minor = 0;\n", to);
	fprintf(to, "\timage_id = \"0x%016llx\";\n\tstate = \"%s\";\n", t->image_id,
		t->damage.nr[JTRACE_FAULT_HEADERS] ? "unknown" : state_name(h->state));
	put_env_text(to, "reason", h->reason, sizeof(h->reason));
	fprintf(to, "\tdamaged = \"%s\";\n};\n\n",
		t->verdict == JTRACE_DAMAGED ? "yes" : "no");
}

static void put_clock(FILE *to, const struct jtrace_trace *t, const struct export_clock *clock)
{
	const char *name = t->l.form & JTRACE_FORM_MONO ? "monotonic" : "boottime";

	fprintf(to, "clock {\n\tname = \"%s\";\n", name);
	put_uuid(to, t);
	fprintf(to, "\tfreq = 1000000000;\n\toffset = %llu;\n\tabsolute = %s;\n};\n\n",
		clock->offset, clock->known ? "true" : "false");
	fprintf(to, "typealias integer { size = 64; align = 8; map = clock.%s.value; } := time;\n\n",
		name);
}

/* Names of tasks and stacks are as LTTng has them: bytes up to a NUL, and a sequence. */
static void put_stream(FILE *to, bool large, bool stacks)
{
	fputs("stream {\n\tid = 0;\n\tpacket.context := struct {\n\t\ttime timestamp_begin;\n"
	      "\t\ttime timestamp_end;\n\t\tu64 content_size;\n\t\tu64 packet_size;\n"
	      "\t\tu32 cpu_id;\n\t};\n"
	      "\tevent.header := struct {\n\t\tu32 id;\n\t\ttime timestamp;\n\t};\n", to);
	if (large)
		fprintf(to, "\tevent.context := struct {\n\t\tu32 _tid;\n"
		      "\t\tinteger { size = 8; align = 8; encoding = UTF8; } _procname[%u];\n"
		      "\t\tenum : u8 { \"task\", \"softirq\", \"hardirq\", \"nmi\" } _context;\n"
		      "\t\tx16 _context_bits;\n%s\t};\n", TASK_NAME, stacks ?
		      "\t\tu32 __callstack_kernel_length;\n"
		      "\t\tx64 _callstack_kernel[__callstack_kernel_length];\n" : "");
	fputs("};\n", to);
}

static bool has_field(const struct ctf_class *class, const char *name)
{
	u32 i;

	for (i = 0; i < class->fields.nr; i++)
		if (!strcmp(ctf_class_field(class, i), name))
			return true;
	return false;
}

/* The name of a field that has a symbol, with "_symbol" and as many "_" as no other name has. */
static void put_symbol(FILE *to, const struct ctf_class *class, u32 i)
{
	char name[JTRACE_TAG_MAX + sizeof("_symbol") + JTRACE_FIELDS];
	u32 nr = 0;

	do {
		scnprintf(name, sizeof(name), "%s_symbol%.*s", ctf_class_field(class, i), nr,
			  "______");
	} while (has_field(class, name) && ++nr <= JTRACE_FIELDS);
	fprintf(to, "\t\tstring { encoding = UTF8; } _%s;\n", name);
}

static void put_fields(FILE *to, const struct ctf_class *class, bool large)
{
	u32 i;

	if (!class->site)
		fputs("\t\tu32 _site;\n", to);
	if (!class->fields.nr)
		fputs(large ? "\t\tx32 _a;\n\t\tx32 _b;\n\t\tx32 _c;\n\t\tx32 _d;\n\t\tx64 _e;\n"
		      "\t\tx64 _f;\n" : "\t\tx32 _a;\n", to);
	for (i = 0; i < class->fields.nr; i++) {
		enum jtrace_field_type type = class->fields.field[i].type;

		if (field_has_text(type))
			fputs("\t\tstring { encoding = UTF8; }", to);
		else
			fprintf(to, "\t\t%c%u", jtrace_field_signed(type) ? 's' :
				type & JTRACE_FIELD_HEX ? 'x' : 'u', 8 * jtrace_field_width(type));
		fprintf(to, " _%s;\n", ctf_class_field(class, i));
		if (class->symbols >> i & 1)
			put_symbol(to, class, i);
	}
}

/* LTTng's name, or that in the tag, or all of the tag; babeltrace2 shows no empty name. */
static void put_name(FILE *to, const struct ctf_class *class, const struct jtrace_site_text *text)
{
	struct fields f;
	u32 len = class->fields.nr ? fields_parse_site(&f, text) : 0;

	if (class->event)
		put_literal(to, class->event, strlen(class->event));
	else if (len || text->tag[0])
		put_literal(to, text->tag, len ?: sizeof(text->tag));
	else
		fputs("\"<no tag>\"", to);
}

/* The URI has all bytes of the site: "jtrace:FILE:FUNCTION:LINE?tag=TAG&site=NUMBER". */
static void put_class(FILE *to, const struct jtrace_trace *t, const struct ctf_class *class)
{
	struct jtrace_site_text text;

	fputs("\nevent {\n\tname = ", to);
	if (class->site && jtrace_site_read(&t->l, t->img, t->image_id, class->site, &text)) {
		put_name(to, class, &text);
		fputs(";\n\tmodel.emf.uri = \"jtrace:", to);
		put_percent(to, text.file);
		putc(':', to);
		put_percent(to, text.func);
		fprintf(to, ":%u?tag=", text.line);
		put_percent(to, text.tag);
		fprintf(to, "&site=%u\"", class->site);
	} else {
		fputs("\"<site>\"", to);
	}
	fprintf(to, ";\n\tid = %u;\n\tstream_id = 0;\n\tfields := struct {\n", class->id);
	put_fields(to, class, t->l.kind == JTRACE_KIND_LARGE);
	fputs("\t};\n};\n", to);
}

/**
 * ctf_meta_write() - write the metadata
 * @d: the directory
 * @t: the trace
 * @clock: its clock
 * @all: the classes of its events
 *
 * Return: false, after a message, on an error.
 */
bool ctf_meta_write(const struct ctf_dir *d, const struct jtrace_trace *t,
		    const struct export_clock *clock, const struct ctf_classes *all)
{
	FILE *to = ctf_dir_create(d, "metadata");
	bool ok;
	u32 i;

	if (!to)
		return false;
	fputs(CTF_META_HEAD, to);
	put_types(to);
	putc('\n', to);
	put_trace(to);
	put_env(to, t);
	put_clock(to, t, clock);
	put_stream(to, t->l.kind == JTRACE_KIND_LARGE, all->stacks);
	for (i = 0; i < all->nr && !ferror(to) && !beside_ended(); i++)
		put_class(to, t, all->class[i]);
	ok = !ferror(to) && !fflush(to);
	if (!ok)
		ctf_dir_fail(d, "metadata");
	if (fclose(to) && ok)
		ok = ctf_dir_fail(d, "metadata");
	return ok && !beside_ended();
}
