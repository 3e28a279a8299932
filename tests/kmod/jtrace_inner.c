// SPDX-License-Identifier: GPL-2.0
/* Records from a kprobe in a function that jtrace itself calls. */
#include <linux/jtrace.h>
#include <linux/kprobes.h>

#include "kmod.h"

PARAM_TEXT(symbol, "ktime_get_mono_fast_ns", "function to probe");
PARAM(ulong, events, 0, "number of trace points passed, including those of the probe");

static atomic_long_t hits = ATOMIC_LONG_INIT(0);

static int probe_pre(struct kprobe *p, struct pt_regs *regs)
{
	JTRACE("probe: hit");
	atomic_long_inc(&hits);
	return 0;
}

static struct kprobe probe = { .pre_handler = probe_pre };

#define POINTS	200

static int __init jtrace_inner_init(void)
{
	int i, err;

	probe.symbol_name = symbol;
	err = register_kprobe(&probe);
	if (err)
		return err;
	for (i = 0; i < POINTS; i++)
		JTRACE("probe: point (i)", i);
	unregister_kprobe(&probe);
	events = POINTS + atomic_long_read(&hits);
	return 0;
}

module_init(jtrace_inner_init);
module_exit(undo_nothing);

TEST_MODULE("trace points in functions that jtrace calls");
