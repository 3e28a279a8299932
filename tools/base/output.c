// SPDX-License-Identifier: GPL-2.0
/* Standard output: the first error is kept until the end. */

#include <errno.h>

#include "base.h"

static int error;

/**
 * output_ok() - was all output written so far?
 *
 * Return: false after an error.  output_end() reports it.
 */
bool output_ok(void)
{
	if (ferror(stdout) && !error)
		error = errno ?: EIO;
	return !error;
}

/**
 * output_end() - flush, and report the first error
 *
 * A closed pipe is not reported: head(1) has read all it wants.  A pager that ends first is no
 * error either.
 *
 * Return: false if some output was not written.
 */
bool output_end(void)
{
	if (output_ok() && fflush(stdout))
		output_ok();
	if (error && error != EPIPE)
		fail("standard output: %s", strerror(error));
	return !error || (error == EPIPE && pager_is_open());
}
