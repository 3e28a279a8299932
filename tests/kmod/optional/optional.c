// SPDX-License-Identifier: GPL-2.0
/* A client that also loads without jtrace. */

#include "optional.h"
#include "../kmod.h"

JTRACE_CLIENT();

uint evaluated;
module_param(evaluated, uint, 0444);
MODULE_PARM_DESC(evaluated, "arguments that were evaluated");

PARAM(bool, refuse, false, "refuse to load");

static int fire_set(const char *val, const struct kernel_param *kp)
{
	JTRACE("optional: fire (evaluated)", ++evaluated);
	return optional_fire();
}

PARAM_SET(fire, "record two events");

static int stop_set(const char *val, const struct kernel_param *kp)
{
	optional_stop();
	return 0;
}

PARAM_SET(stop, "stop the recording");

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

TEST_MODULE("a client that does not need jtrace");
