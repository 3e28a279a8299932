// SPDX-License-Identifier: GPL-2.0
/* Fields of an event: names of types, places in an entry. */

#include "field.h"
#include "../base/pen.h"
#include "../base/words.h"

/* All types, the most usual ones first. */
static const struct {
	char name[8];
	u8 type;
} types[] = {
	{ "u32", JTRACE_FIELD_u32 }, { "u64", JTRACE_FIELD_u64 },
	{ "u16", JTRACE_FIELD_u16 }, { "u8", JTRACE_FIELD_u8 },
	{ "s32", JTRACE_FIELD_s32 }, { "s64", JTRACE_FIELD_s64 },
	{ "s16", JTRACE_FIELD_s16 }, { "s8", JTRACE_FIELD_s8 },
	{ "x32", JTRACE_FIELD_x32 }, { "x64", JTRACE_FIELD_x64 },
	{ "x16", JTRACE_FIELD_x16 }, { "x8", JTRACE_FIELD_x8 },
	{ "symbol", JTRACE_FIELD_symbol }, { "string", JTRACE_FIELD_string },
	{ "string8", JTRACE_FIELD_string8 }, { "bytes", JTRACE_FIELD_bytes },
};

/**
 * jtrace_field_type() - find a type by its name
 * @name: the name, not terminated
 * @n: its length
 *
 * Return: enum jtrace_field_type, or 0 if there is none.
 */
u32 jtrace_field_type(const char *name, u32 n)
{
	char padded[sizeof(types->name)] = "";
	u32 i;

	if (!n || n >= sizeof(padded))
		return 0;
	for (i = 0; i < n; i++)
		padded[i] = name[i];
	/* memcmp() of a constant length takes one instruction. */
	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (!memcmp(types[i].name, padded, sizeof(padded)))
			return types[i].type;
	return 0;
}

/**
 * jtrace_field_type_name() - the name of a type
 * @type: enum jtrace_field_type
 *
 * Return: the name.
 */
const char *jtrace_field_type_name(u32 type)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(types) - 1 && types[i].type != type; i++)
		;
	return types[i].name;
}

/**
 * jtrace_field_places() - find the places of a field
 * @fields: of the event
 * @field: index
 * @place: result: as jtrace_place_take() returns them; of one that takes two, both
 *
 * Return: false if it does not fit an entry.
 */
bool jtrace_field_places(const struct jtrace_field *fields, u32 field, s8 *place)
{
	u32 taken = 0, i;

	for (i = 0; i <= field; i++) {
		bool wide = jtrace_field_width(fields[i].type) == 8;

		place[0] = jtrace_place_take(&taken, wide);
		place[1] = jtrace_field_is_double(fields[i].type) ?
			   jtrace_place_take(&taken, wide) : place[0];
		if (place[0] < 0 || place[1] < 0)
			return false;
	}
	return true;
}

/**
 * jtrace_fields_args() - compute the argument types of a site
 * @fields: of the event
 * @nr: how many
 * @args: result: &jtrace_site_record.args
 *
 * Return: false if the fields do not fit an entry.
 */
bool jtrace_fields_args(const struct jtrace_field *fields, u32 nr, u32 *args)
{
	s8 place[2];
	u32 i, h;

	*args = JTRACE_ARGS_TOLD;
	for (i = 0; i < nr; i++) {
		if (!jtrace_field_places(fields, i, place))
			return false;
		for (h = 0; h < 2; h++)
			*args |= (u32)jtrace_field_arg(fields[i].type) <<
				 JTRACE_ARG_BITS * place[h];
	}
	return true;
}

/**
 * jtrace_fields_text() - write " (FIELD:TYPE, ...)"; nothing without fields
 * @fields: of the event
 * @nr: how many
 * @to: buffer for the text, which ends with NUL
 * @size: bytes, not 0
 *
 * Return: length of the text, cut to @size - 1.
 */
size_t jtrace_fields_text(const struct jtrace_field *fields, u32 nr, char *to, size_t size)
{
	struct pen p = { to, to + size - 1 };
	u32 i;

	for (i = 0; i < nr; i++) {
		pen_text(&p, i ? ", " : " (");
		pen_text(&p, fields[i].name);
		pen_char(&p, ':');
		pen_text(&p, jtrace_field_type_name(fields[i].type));
	}
	if (nr)
		pen_char(&p, ')');
	*p.at = 0;
	return p.at - to;
}
