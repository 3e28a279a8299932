// SPDX-License-Identifier: GPL-2.0
/* A client that loads where jtrace is not. */
#include <linux/module.h>

#include "optional.h"

JTRACE_CLIENT();

uint evaluated;
module_param(evaluated, uint, 0444);
MODULE_PARM_DESC(evaluated, "arguments that were evaluated");

static bool refuse;
module_param(refuse, bool, 0444);
MODULE_PARM_DESC(refuse, "refuse to load");

static int fire_set(const char *val, const struct kernel_param *kp)
{
	JTRACE("optional: fire (evaluated)", ++evaluated);
	return optional_fire();
}

static const struct kernel_param_ops fire_ops = { .set = fire_set };
module_param_cb(fire, &fire_ops, NULL, 0200);
MODULE_PARM_DESC(fire, "record two events");

static int __init jtrace_optional_init(void)
{
	JTRACE("optional: hello (evaluated)", ++evaluated);
	return refuse ? -EINVAL : 0;
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
