// SPDX-License-Identifier: GPL-2.0
/* Standard output: the first error is kept until the end. */

#include <errno.h>
#include <signal.h>

#include "tool.h"

static int error;

/**
 * output_begin() - make a reader that goes away an error like a full disk
 *
 * Call it before the first output.
 */
void output_begin(void)
{
	signal(SIGPIPE, SIG_IGN);
}

/**
 * output_ok() - ask whether all output so far could be written
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
 * A reader that went away is not reported: head(1) has what it wants.
 *
 * Return: false if something could not be written.
 */
bool output_end(void)
{
	if (output_ok() && fflush(stdout))
		output_ok();
	if (error && error != EPIPE)
		fail("standard output: %s", strerror(error));
	return !error;
}
