// SPDX-License-Identifier: GPL-2.0
/* Does this system have a kernel of its own? */

#include "setup.h"

/* @kind: --container or --chroot */
static bool is_inside(const char *kind)
{
	const char * const detect[] = { "systemd-detect-virt", "--quiet", kind, NULL };

	return command_succeeds(detect);
}

/**
 * is_host() - does this system have a kernel of its own?
 *
 * Return: false, after a message, if it has not.
 */
bool is_host(void)
{
	if (is_inside("--container"))
		return fail("setup: this is a container: run it on the host");
	return !is_inside("--chroot") ||
	       fail("setup: this is a chroot: boot this system, and run it there");
}
