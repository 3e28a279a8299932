// SPDX-License-Identifier: GPL-2.0
/*
 * The fields of an entry, as the tag of its site tells them.  Events and probes have types in the
 * tag, "NAME (FIELD:TYPE, ...)"; include/linux/jtrace_field.h has the rule for their places.  Call
 * sites have the names of their arguments there, "NAME (FIELD, 0, ...)", and types in the record;
 * 0 is an argument without a name, which should be 0.
 */

#include "../../lib/base/pen.h"
#include "../../lib/base/words.h"
#include "entries.h"

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

/*
 * Would two fields have one name?  The bytes of a string that is not UTF-8 are a member "NAME_hex"
 * in JSON.
 */
static bool names_clash(const struct fields *f)
{
	u32 i, k;

	for (i = 0; i < f->nr; i++) {
		size_t n = strlen(f->field[i].name);

		for (k = 0; k < f->nr; k++) {
			const char *other = f->field[k].name;

			if (k == i || strncmp(other, f->field[i].name, n))
				continue;
			if (!other[n] || (jtrace_field_is_text(f->field[i].type) &&
					  !strcmp(other + n, "_hex")))
				return true;
		}
	}
	return false;
}

/**
 * fields_parse() - parse the fields in the tag of an event or a probe
 * @f: result
 * @tag: the tag
 *
 * Return: length of NAME; 0 if the tag is not "NAME (FIELD:TYPE, ...)", if its fields do not fit
 * an entry, or if two have one name.
 */
u32 fields_parse(struct fields *f, const char *tag)
{
	const char *open = strstr(tag, " (");
	struct words w = { tag, open ? open + 2 : tag, NULL };
	char *name = f->names;

	f->nr = 0;
	memset(f->unnamed, 0, sizeof(f->unnamed));
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
	return strcmp(w.at, ")") || names_clash(f) ? 0 : open - tag;
}

/* Unsigned values and addresses are shown in hex. */
static enum jtrace_field_type shown_type(enum jtrace_arg arg)
{
	return arg >= JTRACE_ARG_S8 && arg <= JTRACE_ARG_S64 ? (enum jtrace_field_type)arg :
	       (enum jtrace_field_type)(JTRACE_FIELD_HEX | arg);
}

/* Take an identifier, or 0, for argument @n; return how many places the argument has, 0 if none. */
static u32 take_argument(struct words *w, struct fields *f, u32 n, u32 args, char **name)
{
	static const char * const places[] = { "a", "b", "c", "d", "e", "f" };
	struct jtrace_field *field = &f->field[f->nr];
	u32 len;

	words_skip_space(w);
	len = words_is_sign(*w->at) ? 0 : words_length(w);
	field->type = shown_type(jtrace_arg_type(args, n));
	field->name = places[n];
	f->unnamed[f->nr] = words_match(w->at, len, "0");
	if (!f->unnamed[f->nr]) {
		if (!len || (*w->at >= '0' && *w->at <= '9'))
			return 0;
		memcpy(*name, w->at, len);
		(*name)[len] = 0;
		field->name = *name;
		*name += len + 1;
	}
	f->place[f->nr][0] = n;
	f->place[f->nr++][1] = n;
	w->at += len;
	words_skip_space(w);
	return n < 4 && jtrace_field_width(field->type) == 8 ? 2 : 1;
}

static void remove_field(struct fields *f, u32 i)
{
	if (f->compat == (int)i)
		f->compat = -1;
	else if (f->compat > (int)i)
		f->compat--;
	for (f->nr--; i < f->nr; i++) {
		f->field[i] = f->field[i + 1];
		memcpy(f->place[i], f->place[i + 1], sizeof(f->place[i]));
		f->unnamed[i] = f->unnamed[i + 1];
		f->symbolic[i] = f->symbolic[i + 1];
	}
}

static bool is_name_of_other(const struct fields *f, u32 i)
{
	u32 k;

	for (k = 0; k < f->nr; k++)
		if (k != i && !strcmp(f->field[k].name, f->field[i].name))
			return true;
	return false;
}

/* An argument may have the name of another one's place.  If none has a name, the tag tells none. */
static void settle_unnamed(struct fields *f)
{
	u32 named = 0, i;

	for (i = 0; i < f->nr; i++)
		named += !f->unnamed[i];
	for (i = f->nr; i--;)
		if (f->unnamed[i] && (!named || is_name_of_other(f, i)))
			remove_field(f, i);
}

/*
 * Parse the tag of a call site.  Returns the length of NAME and the spaces behind it, -1 if the tag
 * does not name exactly the arguments in @args.
 */
static int parse_names(struct fields *f, const char *tag, u32 args)
{
	const char *open = strrchr(tag, '(');
	struct words w = { tag, open ? open + 1 : tag, NULL };
	u32 n = 0, places, left = args & ~JTRACE_ARGS_TOLD;
	char *name = f->names;

	f->nr = 0;
	if (!open || !left || strlen(tag) >= sizeof(f->names))
		return -1;
	while (left) {
		if (!jtrace_arg_type(args, n) || (n && *w.at++ != ','))
			return -1;
		places = take_argument(&w, f, n, args, &name);
		if (!places)
			return -1;
		left = left >> JTRACE_ARG_BITS * places;
		n += places;
	}
	settle_unnamed(f);
	return strcmp(w.at, ")") || names_clash(f) ? -1 : open - tag;
}

/* What the numbers of an event of the kernel are. */
static void find_symbolic(struct fields *f, const char *event, u32 len)
{
	u32 i;

	for (i = 0; i < f->nr; i++) {
		f->symbolic[i] = symbolic_find(event, len, f->field[i].name);
		if (f->symbolic[i] == SYMBOLIC_MARK)
			f->compat = i;
	}
}

/**
 * fields_parse_site() - parse the fields in the tag of a site
 * @f: result; @f->nr is 0 if the tag names none, not as many as the site has, or two alike
 * @site: the site
 *
 * The types of a call site are those of its arguments in C; unsigned ones are shown in hex.
 *
 * Return: length of NAME, which is what the tag has before the names.
 */
u32 fields_parse_site(struct fields *f, const struct jtrace_site_text *site)
{
	int len = -1;
	u32 args;

	memset(f->symbolic, 0, sizeof(f->symbolic));
	f->compat = -1;
	if (site->kind == JTRACE_SITE_CALL) {
		len = parse_names(f, site->tag, site->args);
	} else if (jtrace_site_is_probe(site->kind) || site->kind == JTRACE_SITE_EVENT) {
		len = fields_parse(f, site->tag) ?: -1;
		if (len > 0 && site->args &&
		    (!jtrace_fields_args(f->field, f->nr, &args) || args != site->args))
			len = -1;
	}
	if (len < 0)
		f->nr = 0;
	else if (site->kind == JTRACE_SITE_EVENT)
		find_symbolic(f, site->tag, len);
	while (len > 0 && words_is_space(site->tag[len - 1]))
		len--;
	return max(len, 0);
}

/**
 * fields_keep_small() - keep the fields of a small entry, which has argument 1 only
 * @f: the fields
 */
void fields_keep_small(struct fields *f)
{
	u32 i;

	for (i = f->nr; i--;)
		if (f->place[i][0] || jtrace_field_width(f->field[i].type) == 8)
			remove_field(f, i);
	settle_unnamed(f);
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
 * fields_bytes() - the bytes of a field that is a string or bytes
 * @f: the fields
 * @i: index
 * @ev: the entry
 * @to: result, zeros behind 8 bytes
 */
void fields_bytes(const struct fields *f, u32 i, const struct jtrace_decoded *ev,
		  u8 to[JTRACE_FIELD_TEXT])
{
	__le64 half[2] = { cpu_to_le64(value_at(ev, f->place[i][0], 8)) };

	if (jtrace_field_is_double(f->field[i].type))
		half[1] = cpu_to_le64(value_at(ev, f->place[i][1], 8));
	memcpy(to, half, sizeof(half));
}

/**
 * fields_text() - the text of a field that is a string, or of bytes: in hex
 * @f: the fields
 * @i: index
 * @ev: the entry
 * @to: result
 */
void fields_text(const struct fields *f, u32 i, const struct jtrace_decoded *ev,
		 char to[FIELD_TEXT])
{
	u8 bytes[JTRACE_FIELD_TEXT];
	struct pen p = { to, to + FIELD_TEXT - 1 };
	u32 n;

	fields_bytes(f, i, ev, bytes);
	if (jtrace_field_is_text(f->field[i].type)) {
		pen_bytes(&p, (const char *)bytes, strnlen((const char *)bytes, sizeof(bytes)));
	} else {
		for (n = 0; n < sizeof(bytes); n++)
			pen_hex(&p, bytes[n], 2);
	}
	*p.at = 0;
}

/**
 * fields_get() - get a field of an entry
 * @f: the fields
 * @i: index
 * @ev: the entry
 * @to: result
 */
void fields_get(const struct fields *f, u32 i, const struct jtrace_decoded *ev,
		struct field_value *to)
{
	memcpy(to->name, f->field[i].name, strlen(f->field[i].name) + 1);
	to->type = f->field[i].type;
	to->value = fields_value(f, i, ev);
	to->unnamed = f->unnamed[i];
	to->symbolic = f->symbolic[i];
	to->compat = f->compat < 0 ? COMPAT_UNKNOWN :
		     fields_value(f, f->compat, ev) ? COMPAT_32 : COMPAT_64;
	to->text[0] = 0;
	if (field_has_text(to->type))
		fields_text(f, i, ev, to->text);
}

static void put_quoted(const struct jtrace_trace *t, struct pen *p, const char *text)
{
	size_t len = strlen(text);

	pen_char(p, '"');
	while (len) {
		u32 n;

		if (*text == '"' || *text == '\\')
			pen_char(p, '\\');
		n = jtrace_put_char(t, p, text, len);
		text += n;
		len -= n;
	}
	pen_char(p, '"');
}

/* With at least @digits digits. */
static void put_hex(struct pen *p, u64 value, u32 digits)
{
	while (digits < 16 && value >> 4 * digits)
		digits++;
	pen_text(p, "0x");
	pen_hex(p, value, digits);
}

static void put_decimal(struct pen *p, u64 value, bool is_signed)
{
	const bool negative = is_signed && (s64)value < 0;

	if (negative)
		pen_char(p, '-');
	pen_dec(p, negative ? -value : value, 0, ' ');
}

/**
 * value_text() - write a value: a number in decimal or hex, a string in quotes, or bytes in hex
 * @t: the trace, for jtrace_put_char()
 * @v: the value
 * @pad: show all digits of hex numbers
 * @to: buffer for the text, with a NUL; %VALUE_TEXT bytes suffice
 * @size: bytes
 */
void value_text(const struct jtrace_trace *t, const struct field_value *v, bool pad, char *to,
		size_t size)
{
	struct pen p = { to, to + size - 1 };

	if (jtrace_field_is_text(v->type))
		put_quoted(t, &p, v->text);
	else if (field_has_text(v->type))
		pen_text(&p, v->text);
	else if (v->type & JTRACE_FIELD_HEX)
		put_hex(&p, v->value, pad ? 2 * jtrace_field_width(v->type) : 1);
	else
		put_decimal(&p, v->value, jtrace_field_signed(v->type));
	*p.at = 0;
}
