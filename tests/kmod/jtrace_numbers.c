// SPDX-License-Identifier: GPL-2.0
/* Never loaded: the numbers that jtrace(1) names are those of the headers of this kernel. */

#include <linux/blk_types.h>
#include <linux/errno.h>
#include <linux/if_ether.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <trace/events/lock.h>
#include <trace/events/power.h>
#include <uapi/linux/sched.h>
#ifdef CONFIG_X86
#include <asm/trap_pf.h>
#endif

#include "../../tools/entries/numbers.h"

#define SAME(constant, value, name)	static_assert((__force u32)(constant) == (u32)(value));

NUMBERS_SOFTIRQ(SAME)
NUMBERS_IRQ_RETURN(SAME)
NUMBERS_STATE(SAME)
NUMBERS_REQUEST(SAME)
NUMBERS_BLOCK_STATUS(SAME)
NUMBERS_PROTOCOL(SAME)
NUMBERS_IDLE(SAME)
NUMBERS_ERRNO(SAME)
NUMBERS_CONTENTION(SAME)
NUMBERS_CLONE(SAME)
#ifdef CONFIG_X86
NUMBERS_PAGE_FAULT(SAME)
#endif

/* A new softirq or state is noticed. */
static_assert(NR_SOFTIRQS == 10);
static_assert(TASK_REPORT_MAX == 0x100);

MODULE_DESCRIPTION("Numbers of the kernel that have names");
MODULE_LICENSE("GPL");
