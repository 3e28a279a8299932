// SPDX-License-Identifier: GPL-2.0
/* Options of the kernel's command line. */

#include <stdlib.h>

#include "machine.h"

/**
 * next_option() - find the next option that begins with a name
 * @from: where to start in the command line
 * @name: name, with "=" if a value must follow
 * @value: result: the rest of the option, cut to @size
 * @size: size of @value
 *
 * Return: where to continue; NULL if there is no such option.
 */
const char *next_option(const char *from, const char *name, char *value, size_t size)
{
	size_t len = strlen(name), n;

	for (;;) {
		from += strspn(from, " \t\n");
		if (!*from)
			return NULL;
		n = strcspn(from, " \t\n");
		if (n >= len && !strncmp(from, name, len))
			break;
		from += n;
	}
	scnprintf(value, size, "%.*s", (int)(n - len), from + len);
	return from + n;
}

/**
 * has_option() - is an option given?
 * @cmdline: the command line
 * @name: name of the option, which may have a value
 */
bool has_option(const char *cmdline, const char *name)
{
	const char *at = cmdline;
	char rest[8];

	while ((at = next_option(at, name, rest, sizeof(rest))))
		if (!rest[0] || rest[0] == '=')
			return true;
	return false;
}

/**
 * parse_size() - parse a size like the kernel's memparse()
 * @text: a number, and K, M, G, T, P or E
 * @end: result: end of the size
 */
u64 parse_size(const char *text, const char **end)
{
	static const char units[] = "kmgtpe";
	const char *unit;
	char *after;
	u64 n = strtoull(text, &after, 0);

	unit = *after ? strchr(units, *after | 0x20) : NULL;
	if (unit && after > text) {
		n <<= 10 * (unit - units + 1);
		after++;
	}
	*end = after;
	return n;
}
