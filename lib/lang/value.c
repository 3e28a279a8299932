// SPDX-License-Identifier: GPL-2.0
/*
 * A value of a field, in text: a number (decimal, or hex with 0x), a word, or text in single or
 * double quotes, with \ before a quote and before \.
 *
 * In a parameter of the kernel, double quotes go around all of it, and end before any other: so
 * single ones keep blanks inside.  A text may end with a newline.
 */

#include "value.h"

/* Parse a number for a field of @type; a negative one becomes its two's complement. */
static bool take_number(struct words *w, u32 type, u64 *value)
{
	const char *from = w->at;
	bool sign = jtrace_field_signed(type), negative = *from == '-';
	u32 bits = 8 * jtrace_field_width(type);
	u64 most;

	if (negative && !sign)
		return words_refuse(w, from, "the field is never negative");
	w->at += negative;
	if (!words_number(w, " \t\n", value))
		return false;
	most = (~0ULL >> (64 - bits) >> sign) + negative;
	if (*value > most)
		return words_refuse(w, from, "the field is never so large");
	if (negative)
		*value = -*value;
	return true;
}

static bool is_escaped(char c)
{
	return c && strchr("\"'\\", c);
}

/* Parse a word or a quoted text. */
static bool take_string(struct words *w, u32 most, u64 *value)
{
	const char *from = w->at;
	char quote = *from == '"' || *from == '\'' ? *from : 0;
	u8 bytes[JTRACE_FIELD_TEXT] = { 0 };
	__le64 half[2];
	u32 n = 0;

	w->at += !!quote;
	for (; !words_at_end(w) && (quote ? *w->at != quote : !words_is_space(*w->at)); w->at++) {
		/* In a parameter, the kernel's parser may have cut a text at its first blank. */
		if (!quote && is_escaped(*w->at))
			return words_refuse(w, w->at, "a word has no quote and no \\: put all of it in quotes, in a parameter in single ones");
		if (quote && *w->at == '\\') {
			w->at++;
			if (!is_escaped(*w->at))
				return words_refuse(w, w->at, "expected a quote or \\ after \\");
		}
		if (n == most)
			return words_refuse(w, from, most == 8 ?
					    "the text has more than 8 bytes" :
					    "the text has more than 16 bytes");
		bytes[n++] = *w->at;
	}
	if (quote && *w->at++ != quote)
		return words_refuse(w, from, "the closing quote is missing");
	if (!quote && !n)
		return words_refuse(w, from, "a value is missing");
	if (!words_at_end(w) && !words_is_space(*w->at))
		return words_refuse(w, w->at, "a blank is missing after the quote");
	memcpy(half, bytes, sizeof(half));
	value[0] = le64_to_cpu(half[0]);
	value[1] = le64_to_cpu(half[1]);
	return true;
}

/**
 * jtrace_value_take() - parse a value
 * @w: text; the value ends before a blank, or with it
 * @type: enum jtrace_field_type, not %JTRACE_FIELD_bytes
 * @value: result: a number, or the 16 bytes of a string, in memory order
 *
 * Return: false if it is refused.
 */
bool jtrace_value_take(struct words *w, u32 type, u64 *value)
{
	return jtrace_field_is_text(type) ?
	       take_string(w, type & JTRACE_FIELD_STRING ? 16 : 8, value) :
	       take_number(w, type, value);
}

static void put_string(struct pen *p, const u64 *value)
{
	__le64 half[2] = { cpu_to_le64(value[0]), cpu_to_le64(value[1]) };
	char text[JTRACE_FIELD_TEXT + 1] = { 0 };
	const char *at;

	memcpy(text, half, sizeof(half));
	pen_char(p, '"');
	for (at = text; *at; at++) {
		if (*at == '"' || *at == '\\')
			pen_char(p, '\\');
		pen_char(p, *at);
	}
	pen_char(p, '"');
}

/**
 * jtrace_value_text() - write a value as jtrace_value_take() reads it
 * @p: where to
 * @type: enum jtrace_field_type, not %JTRACE_FIELD_bytes
 * @value: one, or two halves of a string
 */
void jtrace_value_text(struct pen *p, u32 type, const u64 *value)
{
	if (jtrace_field_is_text(type))
		put_string(p, value);
	else if (type & JTRACE_FIELD_HEX)
		pen_format(p, "0x%llx", value[0]);
	else if (jtrace_field_signed(type))
		pen_format(p, "%lld", (s64)value[0]);
	else
		pen_format(p, "%llu", value[0]);
}
