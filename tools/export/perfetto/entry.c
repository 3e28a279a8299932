// SPDX-License-Identifier: GPL-2.0
/*
 * Entries in a Perfetto export.
 *
 * An entry is an instant on the track of its CPU, unless it is half of a pair: then it begins or
 * ends a slice.  The end of a slice has no name, because readers match names.  All its values are
 * in one dictionary "end", because readers put the values of both halves together.
 */

#ifdef JTRACE_PROTOBUF_C

#include "perfetto.h"

static void add_value(struct perfetto *w, struct perfetto_list *to, const struct field_value *v)
{
	if (field_has_text(v->type))
		perfetto_add_text(w, to, v->name, perfetto_string(w, v->text));
	else if (v->type & JTRACE_FIELD_HEX)
		perfetto_add_hex(w, to, v->name, v->value);
	else if (jtrace_field_signed(v->type))
		perfetto_add_signed(w, to, v->name, v->value);
	else
		perfetto_add_number(w, to, v->name, v->value);
}

/* Values by their names, with the symbols of those that are addresses, or else a to f. */
static void add_values(struct perfetto *w, struct perfetto_list *args,
		       struct perfetto_list *symbols, const struct jtrace_decoded *ev)
{
	static const char * const names[] = { "a", "b", "c", "d" };
	static struct field_value value[JTRACE_FIELDS];
	const bool large = w->t->l.kind == JTRACE_KIND_LARGE;
	u32 nr = decode_values(w->t, ev, value), i;
	char symbol[SYMBOL_TEXT];

	for (i = 0; i < nr; i++) {
		add_value(w, args, &value[i]);
		if (decode_symbol(w->t, ev, &value[i], symbol, sizeof(symbol)))
			perfetto_add_text(w, symbols, value[i].name, perfetto_string(w, symbol));
	}
	for (i = 0; !nr && i < (large ? 4 : 1); i++)
		perfetto_add_number(w, args, names[i], ev->arg[i]);
	if (!nr && large) {
		perfetto_add_hex(w, args, "e", ev->wide[0]);
		perfetto_add_hex(w, args, "f", ev->wide[1]);
	}
}

/* The stack of an entry, a text a frame: as a line of jtrace -d. */
static void add_stack(struct perfetto *w, struct perfetto_list *to,
		      const struct jtrace_decoded *ev)
{
	static char line[STACK_LINE];
	struct jtrace_stack s;
	u32 nr = stack_lines(w->t, ev, &s), i;

	for (i = 0; i < nr; i++) {
		struct pen p = { line, line + sizeof(line) - 1 };

		stack_line(w->t, ev, &s, i, &p);
		perfetto_add_text(w, to, NULL, perfetto_string(w, line));
	}
}

/* "driver.c:driver_irq:42"; probes and events have no line. */
static char *place_of(struct perfetto *w, const struct jtrace_site_text *site)
{
	char place[JTRACE_FILE_MAX + JTRACE_FUNC_MAX + 16];

	scnprintf(place, sizeof(place), site->line ? "%s:%s:%d" : "%s:%s", site->file, site->func,
		  (s32)site->line);
	return perfetto_string(w, place);
}

static char *category_of(const struct jtrace_site_text *site)
{
	return !site ? "lost" : site->kind == JTRACE_SITE_EVENT ? "event" :
	       jtrace_site_is_probe(site->kind) ? "probe" : "call";
}

static char *name_of(struct perfetto *w, const struct jtrace_site_text *site, u32 len, u32 number)
{
	char name[32];

	/* Each event needs a name: of a tag that has only arguments, these. */
	if (site)
		return site->tag[0] ? perfetto_text(w, site->tag, len ?: strlen(site->tag)) :
				      "<no tag>";
	scnprintf(name, sizeof(name), "<site %u>", number);
	return perfetto_string(w, name);
}

/* "sys_enter openat" or "sys_enter id=600": readers list and colour slices by their name. */
static char *slice_name(struct perfetto *w, const struct jtrace_site_text *site, u32 len,
			const Perfetto__DebugAnnotation *first, const struct perfetto_list *symbols)
{
	char name[2 * JTRACE_TAG_MAX + SYMBOL_TEXT];

	if (symbols->nr && !strcmp(symbols->at[0]->name, first->name))
		scnprintf(name, sizeof(name), "%.*s %s", (int)len, site->tag,
			  symbols->at[0]->string_value);
	else
		scnprintf(name, sizeof(name), "%.*s %s=%lld", (int)len, site->tag, first->name,
			  first->has_int_value ? first->int_value : (s64)first->uint_value);
	return perfetto_string(w, name);
}

/* A call that a probe of functions recorded has the name of the function, if it is known. */
static char *call_name(struct perfetto *w, const struct perfetto_list *symbols, char *name)
{
	const char *symbol;

	if (!symbols->nr || strcmp(symbols->at[0]->name, "function"))
		return name;
	symbol = symbols->at[0]->string_value;
	return perfetto_text(w, symbol, strcspn(symbol, "+"));
}

/**
 * perfetto_put_entry() - write an entry
 * @w: the export
 * @ev: the entry
 * @ns: its time
 * @slice: SLICE_* of the entry
 */
void perfetto_put_entry(struct perfetto *w, const struct jtrace_decoded *ev, u64 ns, u8 slice)
{
	u64 track = slice & SLICE_OF_THREAD ? perfetto_track_thread(w, ev) :
					    perfetto_track_cpu(w, ev->cpu);
	struct perfetto_list all = { 0 }, args = { 0 }, symbols = { 0 }, stack = { 0 }, end = { 0 };
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
	const struct jtrace_site_text *site;
	char *name, *category;
	u32 len = 0;

	perfetto_begin(w);
	site = decode_site(w->t, ev->site, &len);
	name = name_of(w, site, len, ev->site);
	category = category_of(site);
	if (slice & SLICE_END)
		perfetto_add_text(w, &all, "name", name);
	if (site)
		perfetto_add_text(w, &all, "place", place_of(w, site));
	perfetto_add_number(w, &all, "cpu", ev->cpu);
	if (w->t->l.kind == JTRACE_KIND_LARGE) {
		perfetto_add_number(w, &all, "tid", ev->tid);
		perfetto_add_text(w, &all, "context", (char *)context_name(ev->context));
	}
	add_values(w, &args, &symbols, ev);
	perfetto_add_list(w, &all, "args", &args);
	if (symbols.nr)
		perfetto_add_list(w, &all, "symbols", &symbols);
	add_stack(w, &stack, ev);
	if (stack.nr)
		perfetto_add_array(w, &all, "stack", &stack);
	if (slice & SLICE_END) {
		event.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END;
		perfetto_add_list(w, &end, "end", &all);
		perfetto_put_event(w, &event, ns, track, &end);
		return;
	}
	event.type = slice & SLICE_BEGIN ? PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN :
					  PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT;
	event.name = slice & SLICE_BEGIN && site && site->kind == JTRACE_SITE_EVENT && args.nr ?
		     slice_name(w, site, len, args.at[0], &symbols) : name;
	event.n_categories = 1;
	event.categories = &category;
	if (site && jtrace_site_is_function(site))
		event.name = call_name(w, &symbols, event.name);
	perfetto_put_event(w, &event, ns, track, &all);
}

#endif /* JTRACE_PROTOBUF_C */
