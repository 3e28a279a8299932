// SPDX-License-Identifier: GPL-2.0
/*
 * Events of a trace.dat: one for each site, with its fields, and with what "jtrace -d" shows of them
 * as text.  Events of the kernel have the names that its own tracer gives them.
 */

#include <ctype.h>
#include <stdlib.h>

#include "../../../lib/base/pen.h"
#include "dat.h"

/* Which system of the kernel's tracer has an event. */
static const struct {
	const char *prefix;
	const char *system;
} systems[] = {
	/* trace-cmd's own printer of this one needs a field that the entry has no room for. */
	{ "sched_switch", "jtrace" },
	{ "sched_", "sched" },
	{ "task_", "task" },
	{ "irq_", "irq" },
	{ "softirq_", "irq" },
	{ "timer_", "timer" },
	{ "hrtimer_", "timer" },
	{ "workqueue_", "workqueue" },
	{ "sys_", "raw_syscalls" },
	{ "contention_", "lock" },
	{ "kmalloc", "kmem" },
	{ "kfree_skb", "skb" },
	{ "kfree", "kmem" },
	{ "kmem_", "kmem" },
	{ "mm_page_", "kmem" },
	{ "mark_victim", "oom" },
	{ "block_", "block" },
	{ "net", "net" },
	{ "page_fault_", "exceptions" },
	{ "suspend_", "power" },
	{ "cpu_idle", "power" },
};

/* The kernel's TRACE_FLAG_*. */
#define FLAG_HARDIRQ	0x08
#define FLAG_SOFTIRQ	0x10
#define FLAG_NMI	0x40

#define TEXT_FIELD	"jtrace_text"

/* The arguments of a site whose tag names none. */
static const struct jtrace_field unnamed[] = {
	{ "a", JTRACE_FIELD_x32 }, { "b", JTRACE_FIELD_x32 }, { "c", JTRACE_FIELD_x32 },
	{ "d", JTRACE_FIELD_x32 }, { "e", JTRACE_FIELD_x64 }, { "f", JTRACE_FIELD_x64 },
};

/* Bytes of a field. */
static u32 size_of(enum jtrace_field_type type)
{
	return jtrace_field_is_double(type) ? JTRACE_FIELD_TEXT : jtrace_field_width(type);
}

static void lay_out(struct dat_event *e)
{
	u32 at = DAT_COMMON, i;

	for (i = 0; i < e->fields.nr; i++) {
		enum jtrace_field_type type = e->fields.field[i].type;
		u32 width = jtrace_field_width(type);

		at = ALIGN(at, width);
		e->offset[i] = at;
		at += size_of(type);
	}
	e->text = ALIGN(at, sizeof(u32));
	e->size = e->text + sizeof(u32);
}

static void take_unnamed(struct fields *f, bool large)
{
	u32 i;

	memset(f, 0, sizeof(*f));
	f->nr = large ? ARRAY_SIZE(unnamed) : 1;
	f->compat = -1;
	for (i = 0; i < f->nr; i++) {
		f->field[i] = unnamed[i];
		f->place[i][0] = i;
	}
}

static struct dat_event *add_event(struct dat_events *all, const struct jtrace_site_text *text)
{
	const bool large = all->t->l.kind == JTRACE_KIND_LARGE;
	struct dat_event *e = calloc(1, sizeof(*e));

	all->event = array_grow(all->event, all->nr, sizeof(*all->event));
	if (!e || !all->event) {
		free(e);
		if (!all->event)
			all->nr = 0;
		fail("no memory for the events");
		return NULL;
	}
	all->event[all->nr++] = e;
	e->id = all->nr;
	if (text) {
		fields_parse_site(&e->fields, text);
		if (!large)
			fields_keep_small(&e->fields);
	}
	if (!e->fields.nr)
		take_unnamed(&e->fields, large);
	lay_out(e);
	return e;
}

/**
 * dat_events_open() - begin without any event but that of lost sites
 * @all: result
 * @t: the trace, after decode_open()
 *
 * Return: false, after a message, if there is no memory.
 */
bool dat_events_open(struct dat_events *all, const struct jtrace_trace *t)
{
	*all = (struct dat_events){ .t = t, .sites = t->l.sites_end / JTRACE_GRANULE + 1 };
	all->by_site = calloc(all->sites, sizeof(*all->by_site));
	if (!all->by_site)
		return fail("no memory for %u sites", all->sites);
	return add_event(all, NULL);
}

/**
 * dat_events_close() - free all events
 * @all: the events; dat_events_open() may have failed
 */
void dat_events_close(struct dat_events *all)
{
	size_t i;

	for (i = 0; i < all->nr; i++)
		free(all->event[i]);
	free(all->event);
	free(all->by_site);
	*all = (struct dat_events){ 0 };
}

/**
 * dat_event_find() - find the event of a site, or add it
 * @all: the events
 * @site: number of the site
 *
 * Return: the event; NULL, after a message, if there is no memory.
 */
const struct dat_event *dat_event_find(struct dat_events *all, u32 site)
{
	const struct jtrace_trace *t = all->t;
	struct jtrace_site_text text;

	if (site >= all->sites)
		return all->event[0];
	if (!all->by_site[site]) {
		if (all->nr == DAT_EVENTS ||
		    !jtrace_site_read(&t->l, t->img, t->image_id, site, &text))
			all->by_site[site] = DAT_LOST;
		else if (add_event(all, &text))
			all->by_site[site] = all->nr;
		else
			return NULL;
	}
	return all->event[all->by_site[site] - 1];
}

/* ---- Records ---------------------------------------------------------- */

static void put_number(u8 *at, u64 value, u32 width)
{
	__le64 le = cpu_to_le64(value);

	memcpy(at, &le, width);
}

/* What jtrace -d shows behind the name, or the numbers; return its length. */
static u32 put_text(const struct dat_events *all, const struct jtrace_decoded *ev,
		    char to[DAT_TEXT])
{
	static char text[DECODED_MAX];
	struct pen p = { text, text + sizeof(text) - 1 };
	const bool large = all->t->l.kind == JTRACE_KIND_LARGE;
	u32 i, len;

	if (!decode_put_values(all->t, ev, &p)) {
		for (i = 0; i < (large ? 4 : 1); i++)
			pen_format(&p, "%s%08x", i ? " " : "", ev->arg[i]);
		for (i = 0; i < (large ? 2 : 0); i++)
			pen_format(&p, " %016llx", ev->wide[i]);
	}
	len = min_t(size_t, p.at - text, DAT_TEXT - 1);
	memcpy(to, text, len);
	to[len] = 0;
	return len + 1;
}

/**
 * dat_record() - make the record of an entry
 * @all: the events
 * @e: that of the entry
 * @ev: the entry
 * @to: result
 *
 * Return: its length, a multiple of 4.
 */
u32 dat_record(const struct dat_events *all, const struct dat_event *e,
	       const struct jtrace_decoded *ev, u8 to[DAT_RECORD])
{
	const u32 irq = ev->context & JTRACE_CTX_HARDIRQ ? FLAG_HARDIRQ : 0;
	const u32 soft = ev->context & JTRACE_CTX_SOFTIRQ ? FLAG_SOFTIRQ : 0;
	const u32 nmi = ev->context & JTRACE_CTX_NMI ? FLAG_NMI : 0;
	const struct fields *f = &e->fields;
	u32 i, len;

	memset(to, 0, e->size + 4);
	put_number(to, e->id, 2);
	to[2] = irq | soft | nmi;
	put_number(to + 4, ev->tid, 4);
	for (i = 0; i < f->nr; i++) {
		if (field_has_text(f->field[i].type)) {
			u8 bytes[JTRACE_FIELD_TEXT];

			fields_bytes(f, i, ev, bytes);
			memcpy(to + e->offset[i], bytes, size_of(f->field[i].type));
		} else {
			put_number(to + e->offset[i], fields_value(f, i, ev),
				   jtrace_field_width(f->field[i].type));
		}
	}
	len = put_text(all, ev, (char *)to + e->size);
	/* Where the text is, and how long. */
	put_number(to + e->text, e->size | len << 16, 4);
	memset(to + e->size + len, 0, 3);
	return ALIGN(e->size + len, sizeof(u32));
}

/* ---- Descriptions ----------------------------------------------------- */

static void put_identifier(FILE *to, const char *name, u32 len)
{
	u32 i;

	if (!len || isdigit((unsigned char)name[0]))
		putc('_', to);
	for (i = 0; i < len; i++)
		putc(isalnum((unsigned char)name[i]) ? name[i] : '_', to);
}

static const char *type_name(enum jtrace_field_type type)
{
	static const char * const plain[] = { "u8", "u16", "u32", "u64" };
	static const char * const sign[] = { "s8", "s16", "s32", "s64" };
	const u32 i = __builtin_ctz(jtrace_field_width(type));

	return jtrace_field_signed(type) ? sign[i] : plain[i];
}

static void put_field(FILE *to, const struct dat_event *e, u32 i)
{
	const struct jtrace_field *field = &e->fields.field[i];
	const u32 size = size_of(field->type);
	const bool bytes = field->type == JTRACE_FIELD_bytes;
	const bool text = jtrace_field_is_text(field->type);

	fprintf(to, "\tfield:%s ", text ? "char" : bytes ? "u8" : type_name(field->type));
	/* These names are taken. */
	if (!strncmp(field->name, "common_", 7) || !strcmp(field->name, TEXT_FIELD))
		putc('_', to);
	put_identifier(to, field->name, strlen(field->name));
	if (text || bytes)
		fprintf(to, "[%u]", size);
	fprintf(to, ";\toffset:%u;\tsize:%u;\tsigned:%u;\n", e->offset[i], size,
		text || jtrace_field_signed(field->type));
}

static const char *system_of(const struct jtrace_site_text *text, u32 len)
{
	u32 i;

	if (text->kind != JTRACE_SITE_EVENT)
		return "jtrace";
	for (i = 0; i < ARRAY_SIZE(systems); i++)
		if (len >= strlen(systems[i].prefix) &&
		    !memcmp(text->tag, systems[i].prefix, strlen(systems[i].prefix)))
			return systems[i].system;
	return "jtrace";
}

static void put_format(FILE *to, const struct dat_event *e, const char *name, u32 len)
{
	u32 i;

	fputs("name: ", to);
	put_identifier(to, name, len);
	fprintf(to, "\nID: %u\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n", e->id);
	for (i = 0; i < e->fields.nr; i++)
		put_field(to, e, i);
	fprintf(to, "\tfield:__data_loc char[] " TEXT_FIELD ";\toffset:%u;\tsize:4;\tsigned:1;\n\n"
		"print fmt: \"%%s\", __get_str(" TEXT_FIELD ")\n", e->text);
}

/* A system and its one event. */
static bool put_system(FILE *to, const struct dat_event *e, const struct jtrace_site_text *text)
{
	const __le32 one = cpu_to_le32(1);
	struct fields f;
	u32 len = text ? fields_parse_site(&f, text) : 0;
	const char *system = text ? system_of(text, len) : "jtrace";
	char *format = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&format, &size);
	__le64 bytes;

	if (!memory)
		return fail("no memory for the events");
	if (text && !f.nr)
		len = strlen(text->tag);
	put_format(memory, e, text ? text->tag : "lost", text ? len : 4);
	if (fclose(memory)) {
		free(format);
		return fail("no memory for the events");
	}
	bytes = cpu_to_le64(size);
	fwrite(system, strlen(system) + 1, 1, to);
	fwrite(&one, sizeof(one), 1, to);
	fwrite(&bytes, sizeof(bytes), 1, to);
	fwrite(format, size, 1, to);
	free(format);
	return true;
}

/**
 * dat_put_formats() - write the descriptions of all events
 * @all: the events
 * @to: the file
 *
 * Return: false, after a message, if there is no memory.
 */
bool dat_put_formats(const struct dat_events *all, FILE *to)
{
	const struct jtrace_trace *t = all->t;
	const __le32 nr = cpu_to_le32(all->nr);
	struct jtrace_site_text text;
	u32 site;

	fwrite(&nr, sizeof(nr), 1, to);
	if (!put_system(to, all->event[0], NULL))
		return false;
	for (site = 0; site < all->sites; site++)
		if (all->by_site[site] > DAT_LOST &&
		    (!jtrace_site_read(&t->l, t->img, t->image_id, site, &text) ||
		     !put_system(to, all->event[all->by_site[site] - 1], &text)))
			return false;
	return true;
}
