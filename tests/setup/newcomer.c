// SPDX-License-Identifier: GPL-2.0
/* The driver of somebody who uses jtrace for the first time. */
#include <linux/jtrace.h>
#include <linux/module.h>

static uint irqs = 3;

static int __init newcomer_init(void)
{
	JTRACE("newcomer: probed (irqs)", irqs);
	JTRACE("newcomer: armed (irqs, 0, 0, 0, module)", irqs, 0, 0, 0, THIS_MODULE);
	JTRACE("newcomer: lost");
	return 0;
}

static void __exit newcomer_exit(void)
{
}

module_init(newcomer_init);
module_exit(newcomer_exit);

MODULE_DESCRIPTION("Test: a newcomer's driver");
MODULE_LICENSE("GPL");
