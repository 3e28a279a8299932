// SPDX-License-Identifier: GPL-2.0
/* Call sites as a user writes them, in loops whose instructions are counted. */
#include <linux/debugfs.h>
#include <linux/jtrace.h>
#include <linux/module.h>

#include "exact.h"

EXACT_LOOP(nops100, exact_nops100())
EXACT_LOOP(args1, JTRACE("exact: one (a)", a))
EXACT_LOOP(args6, JTRACE("exact: six (a, b, c, d, e, f)", a, b, c, d, e, f))
EXACT_LOOP(stack, JTRACE_STACK("exact: stack (a, b, c, d, e, f)", a, b, c, d, e, f))

static const struct exact_bench table[] = {
	{ "nops100", nops100 },
	{ "args1", args1 },
	{ "args6", args6 },
	{ "stack", stack },
	{ }
};

static struct dentry *dir;

static int __init exact_jtrace_init(void)
{
	dir = exact_add("jtrace", table);
	return PTR_ERR_OR_ZERO(dir);
}

static void __exit exact_jtrace_exit(void)
{
	debugfs_remove(dir);
}

module_init(exact_jtrace_init);
module_exit(exact_jtrace_exit);

MODULE_DESCRIPTION("Bench: the instructions of a JTRACE()");
MODULE_INFO(test, "Y");
MODULE_LICENSE("GPL");
