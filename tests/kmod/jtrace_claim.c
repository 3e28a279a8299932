// SPDX-License-Identifier: GPL-2.0
/* A driver that claims a range of physical memory. */
#include <linux/ioport.h>

#include "kmod.h"

PARAM(ulong, start, 0, "physical address of 4096 bytes");

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

TEST_MODULE("a driver that claims memory");
