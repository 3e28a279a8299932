// SPDX-License-Identifier: GPL-2.0
/*
 * The only function of jtrace that can be traced, because nothing calls it.  It is one of the
 * functions of each probe: ftrace takes an empty set for all functions, and a set would be empty
 * when the last module with one of its functions goes.
 */

#include "probe.h"

noinline void jtrace_probe_anchor(void)
{
	/* Not the same code as another function, with which the linker could merge it. */
	asm volatile("");
}
