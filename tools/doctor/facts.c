// SPDX-License-Identifier: GPL-2.0
/* jtrace doctor: print findings, parse options of the command line. */

#include <stdlib.h>

#include "doctor.h"

static bool loss;

/**
 * report() - print a finding
 * @what: the finding
 * @check: name of the check
 * @fmt: the fact, and what to change; as printf(), without newline
 */
void report(enum finding what, const char *check, const char *fmt, ...)
{
	static const char * const names[] = { "ok", "warn", "FAIL" };
	va_list args;

	loss |= what == LOSS;
	printf("%-4s  %s: ", names[what], check);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

/**
 * loss_reported() - did a check report LOSS?
 */
bool loss_reported(void)
{
	return loss;
}

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
 * @f: facts
 * @name: name of the option, which may have a value
 */
bool has_option(const struct facts *f, const char *name)
{
	const char *at = f->cmdline;
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
