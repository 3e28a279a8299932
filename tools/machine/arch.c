// SPDX-License-Identifier: GPL-2.0
/* Which kind of processor this is. */

#include <sys/utsname.h>

#include "machine.h"

/**
 * machine_is() - is this such a machine?
 * @arch: how the machine's name begins, of a kernel of 64 bits
 */
bool machine_is(const char *arch)
{
	char text[64];
	struct utsname u;

	/* Since 5.19; tests show another machine. */
	if (root_read("/proc/sys/kernel/arch", text, sizeof(text)) < 0)
		scnprintf(text, sizeof(text), "%s", uname(&u) ? "" : u.machine);
	return !strncmp(text, arch, strlen(arch));
}
