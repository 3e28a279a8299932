// SPDX-License-Identifier: GPL-2.0
/* jtrace doctor: print findings. */

#include <stdarg.h>
#include <stdio.h>

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
