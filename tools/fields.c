// SPDX-License-Identifier: GPL-2.0
/*
 * The fields of an entry, as the tag of its site tells them: "NAME (FIELD:TYPE, ...)".
 * include/linux/jtrace_field.h has the rule for their places.
 */

#include "../lib/words.h"
#include "tool.h"

/* Take "FIELD:TYPE"; the name is copied to @name. */
static bool take_field(struct words *w, struct jtrace_field *field, char *name)
{
	u32 n = words_length(w);

	if (words_is_sign(*w->at) || !n || w->at[n] != ':')
		return false;
	memcpy(name, w->at, n);
	name[n] = 0;
	field->name = name;
	w->at += n + 1;
	n = words_length(w);
	field->type = words_is_sign(*w->at) ? 0 : jtrace_field_type(w->at, n);
	w->at += n;
	return field->type;
}

/**
 * fields_parse() - parse the fields in a tag
 * @f: result
 * @tag: the tag
 *
 * Return: length of NAME; 0 if the tag is not "NAME (FIELD:TYPE, ...)", or if its fields do not fit
 * an entry.
 */
u32 fields_parse(struct fields *f, const char *tag)
{
	const char *open = strstr(tag, " (");
	struct words w = { tag, open ? open + 2 : tag, NULL };
	char *name = f->names;

	f->nr = 0;
	if (!open || strlen(tag) >= sizeof(f->names))
		return 0;
	do {
		if (f->nr == JTRACE_FIELDS || !take_field(&w, &f->field[f->nr], name))
			return 0;
		if (!jtrace_field_places(f->field, f->nr, f->place[f->nr]))
			return 0;
		name += strlen(name) + 1;
		f->nr++;
	} while (!strncmp(w.at, ", ", 2) && (w.at += 2));
	return strcmp(w.at, ")") ? 0 : open - tag;
}

/**
 * fields_find() - find a field by its name
 * @f: the fields
 * @name: the name
 *
 * Return: its index, or -1.
 */
int fields_find(const struct fields *f, const char *name)
{
	u32 i;

	for (i = 0; i < f->nr; i++)
		if (!strcmp(f->field[i].name, name))
			return i;
	return -1;
}

static u64 value_at(const struct jtrace_decoded *ev, s8 place, u32 width)
{
	if (place >= 4)
		return ev->wide[place - 4];
	return width < 8 ? ev->arg[place] : ev->arg[place] | (u64)ev->arg[place + 1] << 32;
}

/**
 * fields_value() - the value of a field
 * @f: the fields
 * @i: index
 * @ev: the entry
 *
 * Return: the value; a signed one is sign-extended.
 */
u64 fields_value(const struct fields *f, u32 i, const struct jtrace_decoded *ev)
{
	enum jtrace_field_type type = f->field[i].type;
	u32 width = jtrace_field_width(type), left = 64 - 8 * width;
	u64 value = value_at(ev, f->place[i][0], width) << left;

	return jtrace_field_signed(type) ? (u64)((s64)value >> left) : value >> left;
}

/**
 * fields_text() - the value of a field that is a string
 * @f: the fields
 * @i: index
 * @ev: the entry
 * @to: result, with a NUL at the end
 */
void fields_text(const struct fields *f, u32 i, const struct jtrace_decoded *ev,
		 char to[JTRACE_FIELD_TEXT + 1])
{
	__le64 half[2] = { cpu_to_le64(value_at(ev, f->place[i][0], 8)) };

	if (f->field[i].type & JTRACE_FIELD_STRING)
		half[1] = cpu_to_le64(value_at(ev, f->place[i][1], 8));
	memcpy(to, half, sizeof(half));
	to[JTRACE_FIELD_TEXT] = 0;
}
