// SPDX-License-Identifier: GPL-2.0
/* A driver that claims a range of physical memory. */
#include <linux/ioport.h>
#include <linux/module.h>

static ulong start;
module_param(start, ulong, 0444);
MODULE_PARM_DESC(start, "physical address of 4096 bytes");

static int __init jtrace_claim_init(void)
{
	return request_mem_region(start, 4096, "jtrace_claim") ? 0 : -EBUSY;
}

static void __exit jtrace_claim_exit(void)
{
	release_mem_region(start, 4096);
}

module_init(jtrace_claim_init);
module_exit(jtrace_claim_exit);

MODULE_DESCRIPTION("A claim on memory for a test of jtrace");
MODULE_LICENSE("GPL");
