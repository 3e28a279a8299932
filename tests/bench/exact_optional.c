// SPDX-License-Identifier: GPL-2.0
/* A call site of a module that loads without jtrace. */
#define JTRACE_OPTIONAL
#include <linux/debugfs.h>
#include <linux/jtrace.h>
#include <linux/module.h>

#include "exact_loop.h"

JTRACE_CLIENT();

EXACT_LOOP(args6, JTRACE("exact: six (a, b, c, d, e, f)", a, b, c, d, e, f))

static const struct exact_bench table[] = {
	{ "args6", args6 },
	{ }
};

static struct dentry *dir;

static int __init exact_optional_init(void)
{
	dir = exact_add("optional", table);
	return PTR_ERR_OR_ZERO(dir);
}

static void __exit exact_optional_exit(void)
{
	debugfs_remove(dir);
}

module_init(exact_optional_init);
module_exit(exact_optional_exit);

MODULE_DESCRIPTION("Bench: the instructions of a JTRACE() by a tracepoint");
MODULE_INFO(test, "Y");
MODULE_LICENSE("GPL");
