// SPDX-License-Identifier: GPL-2.0
/* Error messages.  Warnings use warnx(). */

#include <err.h>

#include "base.h"

/**
 * fail() - report an error
 * @fmt: as printf(), without newline
 *
 * Return: false.
 */
bool fail(const char *fmt, ...)
{
	va_list args;

	fflush(stdout);
	va_start(args, fmt);
	vwarnx(fmt, args);
	va_end(args);
	return false;
}
