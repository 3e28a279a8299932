// SPDX-License-Identifier: GPL-2.0
/* A driver with three trace points. */
#include <linux/jtrace.h>
#include <linux/module.h>

static uint irqs = 3;

static int __init driver_init(void)
{
	JTRACE("probed (irqs)", irqs);
	JTRACE("armed (irqs, 0, 0, 0, module)", irqs, 0, 0, 0, THIS_MODULE);
	JTRACE("lost (irqs)", irqs);
	return 0;
}

static void __exit driver_exit(void)
{
}

module_init(driver_init);
module_exit(driver_exit);

MODULE_DESCRIPTION("Test: a driver that records");
MODULE_LICENSE("GPL");
