/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What lib/ takes from the world it is compiled into, and nothing else: types,
 * byte order, marked and ordered accesses, memory and string helpers,
 * assertions.  The only place that tests for the kernel.
 */
#ifndef _JTRACE_ENV_H
#define _JTRACE_ENV_H

#ifdef __KERNEL__

#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/prefetch.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/time.h>
#include <linux/types.h>
#include <asm/barrier.h>
#include <asm/byteorder.h>

/*
 * Both halves of the product a * (b ^ *key), one xored to the other, without a register for
 * the key; @fresh says that @b was just computed, and so could be where the high half will be.
 */
static __always_inline u64 jtrace_mul_fold_keyed(u64 a, u64 b, const u64 *key, const bool fresh)
{
#ifdef CONFIG_X86_64
	/* For a 128-bit variable gcc would align the stack of each record. */
	u64 high = b;

	if (fresh)
		asm("xorq %[key], %%rdx\n\tmulq %%rdx"
		    : "+a" (a), "+d" (high)
		    : [key] "m" (*key)
		    : "cc");
	else
		asm("xorq %[key], %[b]\n\tmulq %[b]"
		    : "+a" (a), "=d" (high), [b] "+r" (b)
		    : [key] "m" (*key)
		    : "cc");
	return a ^ high;
#else
	__uint128_t product = (__uint128_t)a * (b ^ *key);

	return (u64)product ^ (u64)(product >> 64);
#endif
}

/* jtrace_crc32c(), jtrace_line_back(), jtrace_write_back_wait() */
#include "../include/jtrace/compat.h"

#else

#include "env_user.h"

#endif

#include <uapi/linux/jtrace.h>

/* No line of a cache is shorter, as far as jtrace runs. */
#define JTRACE_LINE	64

/* Write back all lines of some bytes; jtrace_write_back_wait() waits for them. */
static inline void jtrace_write_back(const void *at, size_t len)
{
	const u8 *line = (const u8 *)((unsigned long)at & ~(JTRACE_LINE - 1UL));

	for (; line < (const u8 *)at + len; line += JTRACE_LINE)
		jtrace_line_back(line);
}

#endif /* _JTRACE_ENV_H */
