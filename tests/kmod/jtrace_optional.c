// SPDX-License-Identifier: GPL-2.0
/* A client that loads where jtrace is not. */
#define JTRACE_OPTIONAL
#include <linux/jtrace.h>
#include <linux/module.h>

static uint evaluated;
module_param(evaluated, uint, 0444);
MODULE_PARM_DESC(evaluated, "arguments that were evaluated");

static int fire_set(const char *val, const struct kernel_param *kp)
{
	JTRACE("optional: fire (evaluated)", ++evaluated);
	return 0;
}

static const struct kernel_param_ops fire_ops = { .set = fire_set };
module_param_cb(fire, &fire_ops, NULL, 0200);
MODULE_PARM_DESC(fire, "record an event");

static int __init jtrace_optional_init(void)
{
	JTRACE("optional: hello (evaluated)", ++evaluated);
	return 0;
}

static void __exit jtrace_optional_exit(void)
{
	JTRACE("optional: bye (evaluated)", ++evaluated);
}

module_init(jtrace_optional_init);
module_exit(jtrace_optional_exit);

MODULE_DESCRIPTION("Test: a client that does not need jtrace");
MODULE_INFO(test, "Y");
MODULE_LICENSE("GPL");
