// SPDX-License-Identifier: GPL-2.0
/* What the checks of "jtrace doctor" share: findings, and options of the command line. */

#include <stdlib.h>

#include "doctor.h"

static bool loss;

/**
 * report() - say what a check says
 * @what: how bad it is
 * @check: its name
 * @fmt: what is so, and what to change; as printf(), without newline
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
 * loss_reported() - ask whether a check found that the trace would be lost
 */
bool loss_reported(void)
{
	return loss;
}

/**
 * next_option() - the next option of a name on the command line
 * @from: in the command line
 * @name: with its "=", if it has one
 * @value: what follows the name, cut to @size
 * @size: of @value
 *
 * Return: where to go on; NULL if there is none.
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
 * @f: with the command line
 * @name: of an option with or without value
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
 * parse_size() - a number of bytes as the kernel's memparse() reads it
 * @text: number, and K, M, G, T, P or E
 * @end: where it ends
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
