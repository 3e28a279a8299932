// SPDX-License-Identifier: GPL-2.0
/* How to use jtrace: the example of the JTRACE documentation as a module. */
#include <linux/bug.h>
#include <linux/jtrace.h>
#include <linux/module.h>

static bool crash;
module_param(crash, bool, 0444);
MODULE_PARM_DESC(crash, "crash the kernel after recording");

static noinline void MyFunction(u32 foo, u32 bar, const void *ptr1, void *ptr2)
{
	int i;

	for (i = 0; i < 3; i++) {
		JTRACE("Before (i, foo, bar, 0, ptr1, ptr2)", i, foo, bar, 0, ptr1, ptr2);
		bar += foo;
		JTRACE("After (i, foo, bar, 0, ptr1, ptr2)", i, foo, bar, 0, ptr1, ptr2);
	}
	JTRACE("Finished");
}

static int __init jtrace_example_init(void)
{
	MyFunction(6, 1, THIS_MODULE, &crash);
	if (crash) {
		/* Not BUG(): end as a real bug does. */
		JTRACE("about to follow a wild pointer (0, 0, 0, 0, ptr)", 0, 0, 0, 0, 0xdeadUL);
		*(volatile int *)0xdeadUL = 1;
	}
	return 0;
}

static void __exit jtrace_example_exit(void)
{
	JTRACE("goodbye");
}

module_init(jtrace_example_init);
module_exit(jtrace_example_exit);

MODULE_DESCRIPTION("Example of the use of jtrace");
MODULE_LICENSE("GPL");
