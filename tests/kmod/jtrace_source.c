// SPDX-License-Identifier: GPL-2.0
/* Calls a tracepoint of its own with known values.  See jtrace_sink.c. */

#define CREATE_TRACE_POINTS
#include "jtrace_source_event.h"

#include "kmod.h"

/* Calls 0, 1, 2...: even and odd numbers in turns. */
static int fire_set(const char *val, const struct kernel_param *kp)
{
	u32 calls, i;
	int err = kstrtou32(val, 0, &calls);

	for (i = 0; !err && i < calls; i++)
		trace_jtrace_source(i, i % 2 ? "an odd number, in a long text" : "even");
	return err;
}

PARAM_SET(fire, "call the tracepoint so often");

static int __init jtrace_source_init(void)
{
	return 0;
}

module_init(jtrace_source_init);
module_exit(undo_nothing);

TEST_MODULE("a module with a tracepoint");
