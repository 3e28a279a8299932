// SPDX-License-Identifier: GPL-2.0
/* Event classes of a CTF export: one for each site, numbered in the order of their first events. */

#include <stdlib.h>

#include "ctf.h"

/**
 * ctf_classes_open() - begin without any class
 * @all: result
 * @t: the trace
 *
 * The number of a site is its place in the image, and so is an index of bounded size.
 *
 * Return: false, after a message, if there is no memory.
 */
bool ctf_classes_open(struct ctf_classes *all, const struct jtrace_trace *t)
{
	*all = (struct ctf_classes){ .sites = t->l.sites_end / JTRACE_GRANULE + 1 };
	all->by_site = calloc(all->sites, sizeof(*all->by_site));
	return all->by_site || fail("no memory for %u sites", all->sites);
}

/**
 * ctf_classes_close() - free all classes
 * @all: the classes
 */
void ctf_classes_close(struct ctf_classes *all)
{
	u32 i;

	for (i = 0; i < all->nr; i++)
		free(all->class[i]);
	free(all->class);
	free(all->by_site);
	*all = (struct ctf_classes){ 0 };
}

/**
 * ctf_class_field() - name a field
 * @class: the class
 * @i: index
 */
const char *ctf_class_field(const struct ctf_class *class, u32 i)
{
	return class->name[i] ?: class->fields.field[i].name;
}

static bool have_names_twice(const struct ctf_class *class)
{
	u32 i, k;

	for (i = 0; i < class->fields.nr; i++)
		for (k = 0; k < i; k++)
			if (!strcmp(ctf_class_field(class, i), ctf_class_field(class, k)))
				return true;
	return false;
}

/* Use LTTng's names, unless two fields would have one name then. */
static void name_like_lttng(struct ctf_class *class, const struct jtrace_site_text *text, u32 len)
{
	char event[JTRACE_TAG_MAX + 1];
	u32 i;

	scnprintf(event, sizeof(event), "%.*s", (int)len, text->tag);
	class->event = ctf_lttng_event(event);
	for (i = 0; i < class->fields.nr; i++)
		class->name[i] = ctf_lttng_field(event, &class->fields.field[i], &class->add[i]);
	if (!have_names_twice(class))
		return;
	class->event = NULL;
	memset(class->name, 0, sizeof(class->name));
	memset(class->add, 0, sizeof(class->add));
}

static struct ctf_class *add_class(struct ctf_classes *all)
{
	struct ctf_class *class = calloc(1, sizeof(*class));

	all->class = array_grow(all->class, all->nr, sizeof(*all->class));
	if (class && all->class) {
		all->class[all->nr++] = class;
		return class;
	}
	if (!all->class)
		all->nr = 0;
	free(class);
	fail("no memory for the classes of events");
	return NULL;
}

static struct ctf_class *add_site(struct ctf_classes *all, const struct jtrace_trace *t, u32 site,
				  const struct jtrace_site_text *text)
{
	struct ctf_class *class = add_class(all);
	u32 len;

	if (!class)
		return NULL;
	class->id = all->nr - 1;
	if (!text)
		return class;
	class->site = site;
	len = fields_parse_site(&class->fields, text);
	if (t->l.kind == JTRACE_KIND_SMALL)
		fields_keep_small(&class->fields);
	if (class->fields.nr && text->kind == JTRACE_SITE_EVENT)
		name_like_lttng(class, text, len);
	return class;
}

/**
 * ctf_class_find() - find the class of an event, or add it
 * @all: the classes
 * @t: the trace
 * @site: number of the event's site; those without a valid record share one class
 *
 * Return: the class; NULL, after a message, if there is no memory.
 */
struct ctf_class *ctf_class_find(struct ctf_classes *all, const struct jtrace_trace *t, u32 site)
{
	struct jtrace_site_text text;
	bool valid = site < all->sites;
	u32 *id = valid ? &all->by_site[site] : &all->nameless;
	struct ctf_class *class;

	if (*id)
		return all->class[*id - 1];
	valid = valid && jtrace_site_read(&t->l, t->img, t->image_id, site, &text);
	if (valid || !all->nameless) {
		class = add_site(all, t, site, valid ? &text : NULL);
		if (!class)
			return NULL;
		*(valid ? id : &all->nameless) = class->id + 1;
	}
	if (!valid)
		*id = all->nameless;
	return all->class[*id - 1];
}

/**
 * ctf_class_symbol() - find the symbol of a field
 * @class: the class
 * @t: the trace
 * @i: index of the field
 * @ev: an event of the class
 * @to: result
 * @size: bytes of @to; %SYMBOL_TEXT suffices
 *
 * Return: false if there is none, or if it is not known.
 */
bool ctf_class_symbol(const struct ctf_class *class, const struct jtrace_trace *t, u32 i,
		      const struct jtrace_decoded *ev, char *to, size_t size)
{
	struct field_value v;

	fields_get(&class->fields, i, ev, &v);
	return decode_symbol(t, ev, &v, to, size);
}
