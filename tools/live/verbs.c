// SPDX-License-Identifier: GPL-2.0
/* Verbs that write to the module: start, stop, clear. */

#include <errno.h>

#include "live.h"

static bool write_one(const char *file, const char *text)
{
	int err;

	return live_write(file, text, &err) && (!err || fail("%s: %s", file, strerror(err)));
}

bool run_start(void)
{
	return write_one("enabled", "1");
}

bool run_stop(void)
{
	return write_one("enabled", "0");
}

bool run_clear(void)
{
	return write_one("clear", "1");
}
