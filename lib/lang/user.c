// SPDX-License-Identifier: GPL-2.0
/*
 * An event from user space:
 *
 *	NAME [FIELD[:TYPE]=VALUE]...
 *
 * A value without a type is a u64; one in quotes, a string.  value.c parses VALUE.
 *
 * Programs write such lines all the time, so each byte is read once: names and types are copied to
 * the tag unchanged.
 */

#include "../base/pen.h"
#include "field.h"
#include "user.h"
#include "value.h"

/**
 * struct names - names of fields so far
 * @at: where each begins in the line
 * @len: of each
 * @nr: how many
 */
struct names {
	const char *at[JTRACE_FIELDS];
	u32 len[JTRACE_FIELDS];
	u32 nr;
};

/* Take a name of at most @most bytes; return its length, 0 if it is refused. */
static u32 take_user_name(struct words *w, u32 most)
{
	const char *from = w->at;
	u32 n;

	w->at = words_name_end(from);
	n = w->at - from;
	if (n && words_digit(*from) >= 10 && n <= most)
		return n;
	words_refuse(w, from, n <= most ? "a name begins with a letter or _" :
		     most == JTRACE_USER_NAME ? "the name of an event has at most 63 bytes" :
		     "the name of a field has at most 31 bytes");
	return 0;
}

static bool names_have(const struct names *names, const char *name, u32 len)
{
	u32 i;

	for (i = 0; i < names->nr; i++)
		if (names->len[i] == len && *names->at[i] == *name &&
		    !memcmp(names->at[i], name, len))
			return true;
	return false;
}

static bool take_field_name(struct words *w, struct names *names)
{
	const char *from = w->at;
	u32 len = take_user_name(w, JTRACE_USER_FIELD);

	if (!len)
		return false;
	if (names_have(names, from, len))
		return words_refuse(w, from, "two values have this name");
	if (names->nr == JTRACE_FIELDS)
		return words_refuse(w, from, "there are at most 6 values");
	names->at[names->nr] = from;
	names->len[names->nr++] = len;
	return true;
}

/* Take TYPE; 0 if it is refused. */
static u32 take_user_type(struct words *w)
{
	const char *from = w->at;
	u32 type;

	w->at = words_name_end(from);
	type = jtrace_field_type(from, w->at - from);
	if (type && type != JTRACE_FIELD_bytes)
		return type;
	words_refuse(w, from, "there is no such type: take u8 to u64, s8 to s64, x8 to x64, symbol, string or string8");
	return 0;
}

/* Take "FIELD[:TYPE]=", and write "FIELD:TYPE" to the tag. */
static bool take_field(struct words *w, struct names *names, struct pen *tag,
		       struct jtrace_user_value *v)
{
	const char *from = w->at;
	u32 *type = &v->type;

	if (!take_field_name(w, names))
		return false;
	*type = 0;
	if (*w->at == ':') {
		w->at++;
		*type = take_user_type(w);
		if (!*type)
			return false;
	}
	pen_bytes(tag, from, w->at - from);
	if (*w->at != '=')
		return words_refuse(w, w->at, "expected FIELD=VALUE or FIELD:TYPE=VALUE");
	w->at++;
	v->typed = *type;
	if (v->typed)
		return true;
	*type = *w->at == '"' || *w->at == '\'' ? JTRACE_FIELD_string : JTRACE_FIELD_u64;
	pen_char(tag, ':');
	pen_text(tag, jtrace_field_type_name(*type));
	return true;
}

/* Put a value, or half of a string, in the next free place. */
static bool put_user_word(struct jtrace_user_event *event, u32 type, u64 value)
{
	int place = jtrace_payload_put(&event->payload, type, value);

	if (place < 0)
		return false;
	event->args |= (u32)jtrace_field_arg(type) << JTRACE_ARG_BITS * place;
	return true;
}

static bool take_user_value(struct words *w, struct jtrace_user_event *event,
			    struct jtrace_user_value *v)
{
	const char *from = w->at;
	const u32 type = v->type;
	u64 value[2];

	if (!jtrace_value_take(w, type, value))
		return false;
	/* A longer line is refused later. */
	v->begin = from - w->text;
	v->end = w->at - w->text;
	return (put_user_word(event, type, value[0]) &&
		(!jtrace_field_is_double(type) || put_user_word(event, type, value[1]))) ||
	       words_refuse(w, from, "the value does not fit: an entry has four of 32 bits and two of 64");
}

/**
 * jtrace_user_parse() - parse an event from user space
 * @event: result
 * @text: a line, up to its newline or a NUL
 * @refusal: filled if the text is refused
 *
 * Return: false if the text is refused.
 */
bool jtrace_user_parse(struct jtrace_user_event *event, const char *text,
		       struct jtrace_refusal *refusal)
{
	struct pen tag = { event->tag, event->tag + JTRACE_TAG_MAX + 1 };
	struct words w = { text, text, refusal };
	struct names names = { .nr = 0 };
	/* A value too many is refused by its name. */
	struct jtrace_user_value *v = event->field, extra;
	const char *from;
	u32 n;

	event->args = JTRACE_ARGS_TOLD;
	event->payload = (struct jtrace_payload) { };
	words_skip_space(&w);
	from = w.at;
	n = take_user_name(&w, JTRACE_USER_NAME);
	if (!n)
		return false;
	pen_bytes(&tag, from, n);
	if (!words_at_end(&w) && !words_is_space(*w.at))
		return words_refuse(&w, w.at, "expected a blank and FIELD=VALUE");
	for (words_skip_space(&w); !words_at_end(&w); words_skip_space(&w), v++) {
		struct jtrace_user_value *to = names.nr < JTRACE_FIELDS ? v : &extra;

		pen_bytes(&tag, names.nr ? ", " : " (", 2);
		if (!take_field(&w, &names, &tag, to) || !take_user_value(&w, event, to))
			return false;
	}
	event->nr = names.nr;
	if (names.nr)
		pen_char(&tag, ')');
	event->len = tag.at - event->tag;
	event->taken = w.at - text;
	if (event->len > JTRACE_TAG_MAX)
		return words_refuse(&w, text, "NAME (FIELD:TYPE, ...) has more than 128 bytes");
	*tag.at = 0;
	return true;
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

/**
 * jtrace_user_shape() - take the shape of a line
 * @shape: result
 * @text: the line
 * @event: as jtrace_user_parse() gave it, of at most %JTRACE_USER_LINE bytes
 */
void jtrace_user_shape(struct jtrace_user_shape *shape, const char *text,
		       const struct jtrace_user_event *event)
{
	u32 i, from = 0, to = 0;

	shape->nr = event->nr;
	for (i = 0; i <= event->nr; i++) {
		const u32 end = i < event->nr ? event->field[i].begin : event->taken;

		shape->len[i] = end - from;
		memcpy(shape->text + to, text + from, end - from);
		to += end - from;
		if (i == event->nr)
			break;
		shape->value[i].type = event->field[i].type;
		shape->value[i].typed = event->field[i].typed;
		from = event->field[i].end;
	}
}

/* Take the text before a value, or behind the last one. */
static bool take_literal(struct words *w, const char *end, const char *text, u32 len)
{
	if (len > end - w->at || memcmp(w->at, text, len))
		return false;
	w->at += len;
	return true;
}

/**
 * jtrace_user_match() - take the values of a line that has a shape
 * @shape: see there
 * @text: the line, which ends with a newline, and a NUL somewhere behind it
 * @len: length of @text
 * @payload: result: the values
 * @taken: result: bytes of the line, without its newline
 *
 * Programs write one line with other values again and again: its names and types, and the tag, are
 * known.
 *
 * Return: true if the line has the shape.  Else jtrace_user_parse() tells what it is, or what is
 * wrong with it.
 */
bool jtrace_user_match(const struct jtrace_user_shape *shape, const char *text, u32 len,
		       struct jtrace_payload *payload, u32 *taken)
{
	struct jtrace_refusal unused;
	struct words w = { text, text, &unused };
	const char *end = text + len, *known = shape->text;
	u64 value[2];
	u32 i, type;

	*payload = (struct jtrace_payload) { };
	for (i = 0; i < shape->nr; i++) {
		type = shape->value[i].type;
		if (!take_literal(&w, end, known, shape->len[i]))
			return false;
		/* A value without a type is a string if it has quotes. */
		if (!shape->value[i].typed && is_quote(*w.at) != !!jtrace_field_is_text(type))
			return false;
		if (!jtrace_value_take(&w, type, value) ||
		    jtrace_payload_put(payload, type, value[0]) < 0 ||
		    (jtrace_field_is_double(type) &&
		     jtrace_payload_put(payload, type, value[1]) < 0))
			return false;
		known += shape->len[i];
	}
	*taken = w.at - text + shape->len[i];
	return take_literal(&w, end, known, shape->len[i]) && *w.at == '\n';
}
