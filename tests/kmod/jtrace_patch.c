// SPDX-License-Identifier: GPL-2.0
/*
 * A live patch of jtrace_chain_mid(): for probes of functions, which share its place.  See
 * tests/selftests/functions.sh.
 */

#include <linux/livepatch.h>

#include "kmod.h"

/* Returns what no function of the chain does. */
static noinline u32 patched_mid(u32 n)
{
	pr_info("patched, n = %u\n", n);
	return n + 1000;
}

static struct klp_func funcs[] = {
	{ .old_name = "jtrace_chain_mid", .new_func = patched_mid },
	{ }
};

static struct klp_object objs[] = {
	{ .name = "jtrace_chain", .funcs = funcs },
	{ }
};

static struct klp_patch patch = { .mod = THIS_MODULE, .objs = objs };

static int __init jtrace_patch_init(void)
{
	return klp_enable_patch(&patch);
}

module_init(jtrace_patch_init);
module_exit(undo_nothing);

MODULE_INFO(livepatch, "Y");
TEST_MODULE("a live patch of jtrace_chain_mid()");
