// SPDX-License-Identifier: GPL-2.0
/* Why a definition is refused. */

#include "probe.h"

/**
 * refuse() - say why a definition is refused
 * @r: result
 * @at: offset in its text
 * @fmt: as printf()
 *
 * Return: false.
 */
bool refuse(struct refusal *r, u32 at, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	r->at = at;
	vsnprintf(r->why, sizeof(r->why), fmt, args);
	va_end(args);
	return false;
}
