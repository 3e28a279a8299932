// SPDX-License-Identifier: GPL-2.0
/* Check that a text is JSON, one object a line, in UTF-8. */

#include "fuzz.h"

/* The next character, and the begin of its line, which must() prints. */
static const char *at, *line;

#define good(cond)	must(cond, "at '%.20s' of %.300s", at, line)

static void word(const char *text)
{
	size_t len = strlen(text);

	good(!strncmp(at, text, len));
	at += len;
}

/* Skip the rest of a multi-byte character; it must have its shortest form, and be no surrogate. */
static void utf8(void)
{
	u32 c = (u8)*at++, more = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3, i;
	u32 least = more == 1 ? 0x80 : more == 2 ? 0x800 : 0x10000;

	good(c >= 0xc2 && c <= 0xf4);
	c &= 0x3f >> more;
	for (i = 0; i < more; i++, at++) {
		good(((u8)*at & 0xc0) == 0x80);
		c = c << 6 | ((u8)*at & 0x3f);
	}
	good(c >= least && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff));
}

static void escape(void)
{
	u32 i;

	at++;
	if (*at++ != 'u') {
		good(strchr("\"\\/bfnrt", at[-1]));
		return;
	}
	for (i = 0; i < 4; i++, at++)
		good(strchr("0123456789abcdefABCDEF", *at) && *at);
}

static void string(void)
{
	word("\"");
	while (*at != '"') {
		if ((u8)*at >= 0x80) {
			utf8();
		} else if (*at == '\\') {
			escape();
		} else {
			good(*at >= 0x20 && *at < 0x7f);
			at++;
		}
	}
	at++;
}

static void number(void)
{
	const char *from = at += *at == '-';

	while (*at >= '0' && *at <= '9')
		at++;
	good(at > from && (*from != '0' || at == from + 1));
}

/* No member of an object @begin has this name already. */
static void new_name(const char *begin, const char *name, size_t len)
{
	const char *p;

	for (p = begin; (p = memmem(p, name - p, name, len)); p++)
		good((p[-1] != '{' && p[-1] != ',') || p[len] != ':');
}

/* Objects nest at most once. */
static void object(u32 depth)
{
	static const char * const words[] = { "true", "false", "null" };
	const char *begin = at, *name;
	u32 i;

	word("{");
	while (*at != '}') {
		if (at[-1] != '{')
			word(",");
		name = at;
		string();
		/* Arguments of an event: names are from the tag. */
		if (depth == 2 && !strncmp(line, "{\"type\":\"event\",", 16))
			new_name(begin, name, at - name);
		word(":");
		for (i = 0; i < ARRAY_SIZE(words) && *at != *words[i]; i++)
			;
		if (i < ARRAY_SIZE(words))
			word(words[i]);
		else if (*at == '"')
			string();
		else if (*at == '{' && depth < 2)
			object(depth + 1);
		else
			number();
	}
	at++;
}

/**
 * json_check() - check the tool's JSON
 * @text: lines, and a NUL
 * @len: bytes, without the NUL
 *
 * Return: number of events.
 */
u64 json_check(const char *text, size_t len)
{
	u64 events = 0;

	at = text;
	line = text;
	word("{\"type\":\"image\",");
	for (at = text; at < text + len; line = at) {
		object(1);
		word("\n");
		events += !strncmp(line, "{\"type\":\"event\",", 16);
	}
	must(at == text + len, "%zu bytes of %zu", (size_t)(at - text), len);
	return events;
}
