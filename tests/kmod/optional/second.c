// SPDX-License-Identifier: GPL-2.0
/* A file without JTRACE_CLIENT(): one in a module is enough. */
#include "optional.h"

int optional_fire(void)
{
	JTRACE("optional: second file (evaluated, 0, 0, 0, at)", ++evaluated, 0, 0, 0, &evaluated);
	return 0;
}

void optional_stop(void)
{
	jtrace_stop("by a client");
}
