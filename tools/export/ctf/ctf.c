// SPDX-License-Identifier: GPL-2.0
/*
 * A trace as CTF 1.8: metadata, and a stream of events for each CPU.
 *
 * Source of the format: the Common Trace Format specification, version 1.8.3.  It is written
 * here and not by a library, because libbabeltrace2's writer damages tags that are not ASCII, and
 * its output differs from one run to the next.
 */

#include "ctf.h"

/* Index of the context that context_name() names; meta.c has the names. */
static u8 context_index(u32 context)
{
	return context & JTRACE_CTX_NMI ? 3 : context & JTRACE_CTX_HARDIRQ ? 2 :
	       context & JTRACE_CTX_SOFTIRQ;
}

/* Little endian. */
static u8 *put_number(u8 *at, u64 value, u32 width)
{
	__le64 le = cpu_to_le64(value);

	memcpy(at, &le, sizeof(le));
	return at + width;
}

static u8 *put_text(u8 *at, const char *text)
{
	size_t size = strlen(text) + 1;

	memcpy(at, text, size);
	return at + size;
}

static u8 *put_numbers(u8 *at, const struct jtrace_decoded *ev, bool large)
{
	u32 i;

	for (i = 0; i < (large ? 4 : 1); i++)
		at = put_number(at, ev->arg[i], 4);
	for (i = 0; i < (large ? 2 : 0); i++)
		at = put_number(at, ev->wide[i], 8);
	return at;
}

static u8 *put_fields(u8 *at, const struct jtrace_trace *t, const struct ctf_class *class,
		      const struct jtrace_decoded *ev)
{
	const struct fields *f = &class->fields;
	char symbol[SYMBOL_TEXT];
	u32 i;

	for (i = 0; i < f->nr; i++) {
		if (field_has_text(f->field[i].type)) {
			fields_text(f, i, ev, (char *)at);
			at += strlen((char *)at) + 1;
		} else {
			at = put_number(at, fields_value(f, i, ev) + (s64)class->add[i],
					jtrace_field_width(f->field[i].type));
		}
		if (!(class->symbols >> i & 1))
			continue;
		if (!ctf_class_symbol(class, t, i, ev, symbol, sizeof(symbol)))
			symbol[0] = 0;
		at = put_text(at, symbol);
	}
	return at;
}

/* Empty if it is not known; bytes that are no UTF-8 as on a terminal, cut. */
static u8 *put_task(u8 *at, const struct jtrace_trace *t, const struct jtrace_decoded *ev)
{
	static const struct jtrace_trace plain = { .plain = utf8_plain };
	char name[TASK_NAME];

	memset(at, 0, TASK_NAME);
	if (task_name(t, ev, name))
		jtrace_escape(&plain, (char *)at, TASK_NAME, name, sizeof(name));
	return at + TASK_NAME;
}

/* Addresses, the innermost first; 0 where it is not known. */
static u8 *put_stack(u8 *at, const struct jtrace_trace *t, const struct jtrace_decoded *ev)
{
	struct jtrace_stack s = { 0 };
	u32 i;

	if (ev->stack && !stack_find(t, ev, &s))
		s.nr = 0;
	at = put_number(at, s.nr, 4);
	for (i = 0; i < s.nr; i++)
		at = put_number(at, jtrace_frame_address(&t->header, s.frame[i]), 8);
	return at;
}

static bool put_event(const struct ctf_dir *d, const struct jtrace_trace *t, bool stacks,
		      const struct ctf_class *class, const struct jtrace_decoded *ev, u64 ns)
{
	const bool large = t->l.kind == JTRACE_KIND_LARGE;
	u8 event[CTF_EVENT_MAX], *at = event;

	at = put_number(at, class->id, 4);
	at = put_number(at, ns, 8);
	if (large) {
		at = put_number(at, ev->tid, 4);
		at = put_task(at, t, ev);
		at = put_number(at, context_index(ev->context), 1);
		at = put_number(at, ev->context, 2);
		at = stacks ? put_stack(at, t, ev) : at;
	}
	if (!class->site)
		at = put_number(at, ev->site, 4);
	if (class->fields.nr)
		at = put_fields(at, t, class, ev);
	else
		at = put_numbers(at, ev, large);
	return ctf_stream_put(d, ev->cpu, ns, event, at - event);
}

static struct jtrace_walk walk;

/* Find the fields that have symbols, and whether there are stacks. */
static bool find_symbols(struct ctf_classes *all, const struct jtrace_trace *t)
{
	const struct jtrace_decoded *ev;
	char symbol[SYMBOL_TEXT];
	u32 i;

	jtrace_walk_each(&walk, t, ev) {
		struct ctf_class *class = ctf_class_find(all, t, ev->site);

		if (!class || beside_ended())
			return false;
		all->stacks |= ev->stack;
		for (i = 0; i < class->fields.nr; i++)
			if (!(class->symbols >> i & 1) &&
			    ctf_class_symbol(class, t, i, ev, symbol, sizeof(symbol)))
				class->symbols |= 1U << i;
	}
	return true;
}

static bool put_events(const struct ctf_dir *d, const struct jtrace_trace *t,
		       struct export_clock *clock, struct ctf_classes *all)
{
	const struct jtrace_decoded *ev;

	jtrace_walk_each(&walk, t, ev) {
		struct ctf_class *class = ctf_class_find(all, t, ev->site);
		u64 ns = export_clock_time(clock, jtrace_recover_ns(t, ev->time));

		if (!class || beside_ended() || !put_event(d, t, all->stacks, class, ev, ns))
			return false;
	}
	return true;
}

/**
 * export_ctf() - write a trace as CTF
 * @d: the trace
 * @target: the directory
 * @force: replace an export of this name, or an empty directory
 *
 * Return: false, after a message, on an error; nothing is left behind then.
 */
bool export_ctf(const struct dump *d, const char *target, bool force)
{
	struct ctf_classes all = { 0 };
	struct export_clock clock;
	struct ctf_dir dir;
	bool ok;

	export_clock_open(&clock, &d->t);
	ok = ctf_dir_open(&dir, target, force) && ctf_classes_open(&all, &d->t) &&
	     find_symbols(&all, &d->t) && put_events(&dir, &d->t, &clock, &all);
	ok = ctf_stream_close(&dir, ok);
	ok = ok && ctf_meta_write(&dir, &d->t, &clock, &all);
	ctf_classes_close(&all);
	ok = ctf_dir_close(&dir, ok);
	if (ok)
		export_clock_warn(&clock, d);
	return ok;
}
