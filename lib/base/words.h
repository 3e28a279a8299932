/* SPDX-License-Identifier: GPL-2.0 */
/* Parse a line of text, word by word. */
#ifndef _JTRACE_WORDS_H
#define _JTRACE_WORDS_H

#include "env.h"

/**
 * struct jtrace_refusal - why a text is refused
 * @why: in words
 * @at: offset in the text, in bytes
 */
struct jtrace_refusal {
	const char *why;
	u32 at;
};

/**
 * struct words - a text that is parsed
 * @text: all of it
 * @at: the next character
 * @refusal: filled at the first error
 */
struct words {
	const char *text;
	const char *at;
	struct jtrace_refusal *refusal;
};

/* Return false. */
static inline bool words_refuse(struct words *w, const char *at, const char *why)
{
	w->refusal->why = why;
	w->refusal->at = at - w->text;
	return false;
}

static inline bool words_is_space(char c)
{
	return c == ' ' || c == '\t';
}

/* May it be in a word: an identifier or a number? */
static inline bool words_is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* The end of a name, or of a number, that begins here. */
static inline const char *words_name_end(const char *at)
{
	while (words_is_name(*at))
		at++;
	return at;
}

/* May it be in an operator? */
static inline bool words_is_sign(char c)
{
	return c == '=' || c == '!' || c == '<' || c == '>' || c == '&';
}

/* The length of a text up to the first @stop outside quotes, or to its end. */
static inline size_t words_until(const char *text, char stop)
{
	const char *at = text;
	char quote = 0;

	for (; *at && (quote || *at != stop); at++) {
		if (quote && *at == '\\' && at[1])
			at++;
		else if (*at == quote)
			quote = 0;
		else if (!quote && (*at == '"' || *at == '\''))
			quote = *at;
	}
	return at - text;
}

/* Is all of a line taken? */
static inline bool words_at_end(const struct words *w)
{
	return !*w->at || *w->at == '\n';
}

static inline void words_skip_space(struct words *w)
{
	while (words_is_space(*w->at))
		w->at++;
}

/* The length of the next word, or of the next operator. */
static inline u32 words_length(const struct words *w)
{
	u32 n = 0;

	if (words_is_sign(*w->at))
		while (words_is_sign(w->at[n]))
			n++;
	else
		while (words_is_name(w->at[n]))
			n++;
	return n;
}

/* Are the @n bytes at @word this name? */
static inline bool words_match(const char *word, u32 n, const char *name)
{
	return n == strlen(name) && !memcmp(word, name, n);
}

/* Take the next word if it is @name. */
static inline bool words_take(struct words *w, const char *name)
{
	u32 n;

	words_skip_space(w);
	n = words_length(w);
	if (!words_match(w->at, n, name))
		return false;
	w->at += n;
	return true;
}

static inline u32 words_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
	       c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

/* Take digits; inlined for each base.  Return false if the number is larger than 64 bits. */
static __always_inline bool words_digits(struct words *w, const u32 base, u64 *value)
{
	const char *at = w->at;
	u64 v = 0;
	u32 d;

	for (; (d = base == 10 ? (u32)*at - '0' : words_digit(*at)) < base; at++) {
		/* Most numbers are so small that they need no division. */
		if (v >> 59 && v > div_u64(~0ULL - d, base))
			return false;
		v = v * base + d;
	}
	w->at = at;
	*value = v;
	return true;
}

/* Take an unsigned number, decimal or hex with 0x, that ends before one of @ends or a NUL. */
static inline bool words_number(struct words *w, const char *ends, u64 *value)
{
	const char *from = w->at, *digits;
	bool hex = from[0] == '0' && (from[1] == 'x' || from[1] == 'X');

	w->at += 2 * hex;
	digits = w->at;
	if (!(hex ? words_digits(w, 16, value) : words_digits(w, 10, value)))
		return words_refuse(w, from, "the number is larger than 64 bits");
	if (w->at == digits)
		return words_refuse(w, from, "a number is missing");
	return strchr(ends, *w->at) || words_refuse(w, w->at, "this is no digit");
}

#endif /* _JTRACE_WORDS_H */
