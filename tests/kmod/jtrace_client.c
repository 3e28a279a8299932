// SPDX-License-Identifier: GPL-2.0
/* A client of jtrace that records when it is loaded and unloaded. */
#include <linux/jtrace.h>
#include <linux/module.h>

static uint id;
module_param(id, uint, 0444);
MODULE_PARM_DESC(id, "shown as the first argument");

static int __init jtrace_client_init(void)
{
	JTRACE("client: hello (id)", id);
	return 0;
}

static void __exit jtrace_client_exit(void)
{
	JTRACE("client: bye (id)", id);
}

module_init(jtrace_client_init);
module_exit(jtrace_client_exit);

MODULE_DESCRIPTION("Test: a client of jtrace");
MODULE_INFO(test, "Y");
MODULE_LICENSE("GPL");
