// SPDX-License-Identifier: GPL-2.0
/*
 * The grammar of a path:
 *
 *	ROOT[.MEMBER | ->MEMBER | [N]]...
 *
 * ROOT is the name of an argument, or $argN or $retval, if more follows: alone, these are the
 * module's business.
 */

#include "../../lib/base/words.h"
#include "probe.h"

static u32 name_length(const char *at)
{
	u32 n = 0;

	while (words_is_name(at[n]))
		n++;
	return n;
}

/* Does a member or an index follow? */
static bool goes_on(const char *at)
{
	return *at == '.' || *at == '[' || !strncmp(at, "->", 2);
}

/**
 * path_root() - does a path begin here?
 * @at: text
 *
 * Return: the length of its root; 0 if this is no path.
 */
u32 path_root(const char *at)
{
	u32 n;

	if (*at != '$')
		return words_digit(*at) < 10 ? 0 : name_length(at);
	n = 1 + name_length(at + 1);
	if (!goes_on(at + n))
		return 0;
	if (words_match(at, n, "$retval"))
		return n;
	return n > 4 && !memcmp(at, "$arg", 4) && words_digit(at[4]) < 10 ? n : 0;
}

/**
 * path_skip() - find the end of a path
 * @text: the definition
 * @at: offset of the root, which is there; on return that of the first byte behind the path
 * @r: filled if it is refused
 */
bool path_skip(const char *text, u32 *at, struct refusal *r)
{
	*at += path_root(text + *at);
	return path_members(text, at, r);
}

/**
 * path_members() - find the end of members and indices
 * @text: the definition
 * @at: offset of the first one, if there is one; on return that of the first byte behind them
 * @r: filled if it is refused
 */
bool path_members(const char *text, u32 *at, struct refusal *r)
{
	u32 n;

	for (; goes_on(text + *at); *at += n) {
		if (text[*at] == '[') {
			n = strspn(text + *at + 1, "0123456789");
			if (!n || n > 9)
				return refuse(r, *at + 1, "expected a number between [ and ]");
			if (text[*at + 1 + n] != ']')
				return refuse(r, *at + 1 + n, "expected ]");
			n += 2;
			continue;
		}
		*at += text[*at] == '.' ? 1 : 2;
		n = name_length(text + *at);
		if (!n || words_digit(text[*at]) < 10)
			return refuse(r, *at, "expected the name of a member");
	}
	return true;
}
