// SPDX-License-Identifier: GPL-2.0
/* Entries by the names of their arguments: "irq status=0x6 dev=0xffff888012345678". */

#include "../../lib/base/pen.h"
#include "../image/image.h"
#include "entries.h"

/* Number of cached sites; a power of two. */
#define SITES	256

/**
 * struct decoded_site - a site whose tag was parsed
 * @known: the other fields are set
 * @stored: the image has the site
 * @number: of the site
 * @len: of the name in the tag
 * @fields: of the tag; none if it names nothing
 * @text: the site
 */
static struct decoded_site {
	bool known;
	bool stored;
	u32 number;
	u32 len;
	struct fields fields;
	struct jtrace_site_text text;
} site[SITES];

/* Between decode_open() and decode_close(): numbers have names. */
static bool by_names;

static const struct decoded_site *site_of(const struct jtrace_trace *t, u32 number)
{
	struct decoded_site *s = &site[jtrace_site_slot(number, SITES)];

	if (s->known && s->number == number)
		return s;
	s->known = true;
	s->number = number;
	s->fields.nr = 0;
	s->stored = jtrace_site_read(&t->l, t->img, t->image_id, number, &s->text);
	if (s->stored)
		s->len = fields_parse_site(&s->fields, &s->text);
	if (t->l.kind == JTRACE_KIND_SMALL)
		fields_keep_small(&s->fields);
	return s;
}

/**
 * decode_site() - get the site of an entry
 * @t: the trace
 * @number: of the site
 * @len: result: bytes of the name in its tag; of the whole tag if it names no argument
 *
 * Return: the site, valid until the next call of a function of this file; NULL if it is lost.
 */
const struct jtrace_site_text *decode_site(const struct jtrace_trace *t, u32 number, u32 *len)
{
	const struct decoded_site *s = site_of(t, number);

	if (!s->stored)
		return NULL;
	*len = s->fields.nr ? s->len : strlen(s->text.tag);
	return &s->text;
}

/**
 * decode_values() - get the values of an entry that its tag names
 * @t: the trace
 * @ev: the entry
 * @value: result: first those with a name, then those without one that are not 0
 *
 * Return: how many there are.
 */
u32 decode_values(const struct jtrace_trace *t, const struct jtrace_decoded *ev,
		  struct field_value value[JTRACE_FIELDS])
{
	const struct fields *f = &site_of(t, ev->site)->fields;
	u32 nr = 0, i;

	for (i = 0; i < f->nr; i++)
		if (!f->unnamed[i])
			fields_get(f, i, ev, &value[nr++]);
	for (i = 0; i < f->nr; i++)
		if (f->unnamed[i] && fields_value(f, i, ev))
			fields_get(f, i, ev, &value[nr++]);
	return nr;
}

/**
 * decode_given() - how many places a call gave values for
 * @t: the trace
 * @number: of its site
 *
 * Return: up to the last one, also if the tag names none; 0 if that is not known.
 */
u32 decode_given(const struct jtrace_trace *t, u32 number)
{
	const struct decoded_site *s = site_of(t, number);
	u32 args = s->stored && s->text.kind == JTRACE_SITE_CALL ? s->text.args : 0, n = 0;

	while ((args & ~JTRACE_ARGS_TOLD) >> JTRACE_ARG_BITS * n)
		n++;
	/* One of 64 bits in fields of 32 bits takes the next place, too. */
	return n && n < 4 && jtrace_field_width(jtrace_arg_type(args, n - 1)) == 8 ? n + 1 : n;
}

/**
 * decode_is_address() - may a value be an address?
 * @v: the value
 *
 * Only values of 64 bits that are shown in hex are taken for addresses.
 */
bool decode_is_address(const struct field_value *v)
{
	return !v->symbolic && v->type & JTRACE_FIELD_HEX && jtrace_field_width(v->type) == 8;
}

/**
 * decode_stored() - find a name that can be stored with an image, but for those of frames
 * @ev: the entry
 * @kind: of the value
 * @value: what has the name
 * @to: result; the bytes are not escaped
 * @size: of @to; %SYMBOL_TEXT suffices
 *
 * Return: false if there is none, or if it is not known.
 */
bool decode_stored(const struct jtrace_decoded *ev, enum jtrace_symbol_kind kind, u64 value,
		   char *to, size_t size)
{
	switch (kind) {
	case JTRACE_SYMBOL_ADDRESS:
		return address_symbol(value, ev->time, to, size) ||
		       stored_find(kind, value, to, size);
	case JTRACE_SYMBOL_RETURN:
	case JTRACE_SYMBOL_EXACT:
		/* See stack_symbol(). */
		return false;
	case JTRACE_SYMBOL_GFP:
		return symbolic_gfp_bit(value, to, size);
	case JTRACE_SYMBOL_DROP:
		return symbolic_drop_reason(value, to, size);
	}
	return false;
}

/**
 * decode_symbol() - find the symbol of a value
 * @t: the trace
 * @ev: the entry
 * @v: the value
 * @to: result: the name of a number, or "SYMBOL+OFFSET", with " [MODULE]" if it is in one; the
 *	bytes are not escaped
 * @size: of @to; %SYMBOL_TEXT suffices
 *
 * Return: false if there is none, if it is not known, or without decode_open().
 */
bool decode_symbol(const struct jtrace_trace *t, const struct jtrace_decoded *ev,
		   const struct field_value *v, char *to, size_t size)
{
	if (!by_names)
		return false;
	if (v->symbolic == SYMBOLIC_TASK)
		return task_find(t, v->value, ev->time, to);
	if (v->symbolic == SYMBOLIC_IRQ) {
		const char *name = seen_irq(t, v->value);

		scnprintf(to, size, "%s", name ?: "");
		return name;
	}
	if (v->symbolic)
		return symbolic_name(t, v, to, size);
	return decode_is_address(v) &&
	       decode_stored(ev, JTRACE_SYMBOL_ADDRESS, v->value, to, size);
}

/**
 * decode_put() - write a value, and its symbol if it has one
 * @t: the trace
 * @ev: the entry
 * @p: where to; %DECODED_VALUE_MAX bytes suffice
 * @v: the value
 */
void decode_put(const struct jtrace_trace *t, const struct jtrace_decoded *ev, struct pen *p,
		const struct field_value *v)
{
	char text[VALUE_TEXT], symbol[SYMBOL_TEXT];

	value_text(t, v, false, text, sizeof(text));
	pen_text(p, text);
	if (!decode_symbol(t, ev, v, symbol, sizeof(symbol)))
		return;
	pen_text(p, " <");
	jtrace_put_escaped(t, p, symbol, sizeof(symbol));
	pen_char(p, '>');
}

/* "mydriver.c:mydriver_irq:123, in hardirq"; probes and events have no line. */
static void put_place(const struct jtrace_trace *t, struct pen *p,
		      const struct jtrace_site_text *text, u32 context)
{
	jtrace_put_escaped(t, p, text->file, sizeof(text->file));
	pen_char(p, ':');
	jtrace_put_escaped(t, p, text->func, sizeof(text->func));
	if (text->line)
		pen_format(p, ":%d", (s32)text->line);
	if (context & (JTRACE_CTX_SOFTIRQ | JTRACE_CTX_HARDIRQ | JTRACE_CTX_NMI)) {
		pen_text(p, ", in ");
		pen_text(p, context_name(context));
	}
}

/**
 * decode_put_values() - write the values of an entry that its tag names: "vec=1 <TIMER>"
 * @t: the trace
 * @ev: the entry
 * @p: where to; %DECODED_MAX bytes suffice
 *
 * Return: false, and nothing is written, if the tag names none.
 */
bool decode_put_values(const struct jtrace_trace *t, const struct jtrace_decoded *ev, struct pen *p)
{
	static struct field_value value[JTRACE_FIELDS];
	u32 nr = decode_values(t, ev, value), i;
	const char *space = "";
	u64 ns;

	for (i = 0; i < nr; i++) {
		/* Marks are left out if they are 0. */
		if (value[i].symbolic == SYMBOLIC_MARK && !value[i].value)
			continue;
		pen_text(p, space);
		pen_text(p, value[i].name);
		pen_char(p, '=');
		decode_put(t, ev, p, &value[i]);
		space = " ";
	}
	if (nr && seen_waited(t, ev, &ns))
		pen_format(p, ", waited %llu.%03llu uSec", ns / 1000, ns % 1000);
	return nr;
}

static const struct jtrace_named *decode(const struct jtrace_trace *t,
					 const struct jtrace_decoded *ev)
{
	static char values[DECODED_MAX], place[JTRACE_LINE_MAX];
	static const struct jtrace_named named = { values, place };
	struct pen p = { values, values + sizeof(values) - 1 };
	const struct decoded_site *s = site_of(t, ev->site);

	if (!s->fields.nr)
		return NULL;
	jtrace_put_escaped(t, &p, s->text.tag, s->len);
	if (p.at > values)
		pen_char(&p, ' ');
	if (!decode_put_values(t, ev, &p))
		return NULL;
	*p.at = 0;
	p = (struct pen) { place, place + sizeof(place) - 1 };
	put_place(t, &p, &s->text, ev->context);
	*p.at = 0;
	return &named;
}

/**
 * decode_open() - show the entries of a trace by names
 * @t: the trace; one at a time
 */
void decode_open(struct jtrace_trace *t)
{
	memset(site, 0, sizeof(site));
	seen_close();
	stored_open(t);
	by_names = true;
	address_open(t);
	stack_open(t);
	t->decode = decode;
	t->put_task = task_put;
}

/**
 * decode_close() - free what decoding needed
 *
 * Call it without decode_open(), too.
 */
void decode_close(void)
{
	stack_close();
	address_close();
	seen_close();
	stored_close();
	by_names = false;
}
