// SPDX-License-Identifier: GPL-2.0
/* UTF-8: decode it, and find characters that act on a terminal. */

#include "base.h"

/**
 * utf8_decode() - decode the first character of a string
 * @text: the string
 * @len: bytes of @text, at least 1
 * @code: result: the code point
 *
 * Return: bytes of the character, 0 if @text does not begin with well-formed UTF-8.
 */
u32 utf8_decode(const char *text, size_t len, u32 *code)
{
	const u8 *s = (const u8 *)text;
	u32 c = s[0], least, i, more;

	*code = c;
	if (c < 0x80)
		return 1;
	if (c < 0xc2 || c > 0xf4)
		return 0;
	more = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
	if (more >= len)
		return 0;
	least = more == 1 ? 0x80 : more == 2 ? 0x800 : 0x10000;
	c &= 0x3f >> more;
	for (i = 1; i <= more; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	*code = c;
	return c < least || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : more + 1;
}

/**
 * utf8_is_control() - does this character act on a terminal, or on the text around it?
 * @code: code point
 *
 * Return: true for control characters, line and paragraph separators, and Unicode's category
 * Cf, whose characters are invisible or change the direction of text.
 */
bool utf8_is_control(u32 code)
{
	static const struct {
		u32 first, last;
	} acts[] = {
		{ 0x0000, 0x001f }, { 0x007f, 0x009f }, { 0x00ad, 0x00ad }, { 0x0600, 0x0605 },
		{ 0x061c, 0x061c }, { 0x06dd, 0x06dd }, { 0x070f, 0x070f }, { 0x0890, 0x0891 },
		{ 0x08e2, 0x08e2 }, { 0x180e, 0x180e }, { 0x200b, 0x200f }, { 0x2028, 0x202e },
		{ 0x2060, 0x206f }, { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb },
		{ 0x110bd, 0x110bd }, { 0x110cd, 0x110cd }, { 0x13430, 0x1343f },
		{ 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe007f },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(acts) && acts[i].first <= code; i++)
		if (code <= acts[i].last)
			return true;
	return false;
}

/**
 * utf8_plain() - can the first character of a string be shown unescaped?
 * @text: the string
 * @len: bytes of @text, at least 1
 *
 * This is a &jtrace_trace.plain.
 *
 * Return: bytes of the character, 0 if it must be escaped.
 */
u32 utf8_plain(const char *text, size_t len)
{
	u32 code, bytes = utf8_decode(text, len, &code);

	return bytes && !utf8_is_control(code) ? bytes : 0;
}
