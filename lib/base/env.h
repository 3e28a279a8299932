/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All that lib/ needs from its environment: types, byte order, marked and ordered accesses,
 * memory and string helpers, assertions.  Only this file tests for the kernel.
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

#include "arch.h"
#include "compat.h"

/*
 * CRC-32C, in any context.  Newer kernels take vector registers for 512 bytes and more, which an
 * NMI must not do: all pieces of an image that jtrace checks are shorter.
 */
static inline u32 jtrace_crc32c(u32 crc, const void *data, size_t len)
{
	return jtrace_kernel_crc32c(crc, data, len);
}

#else

#include "env_user.h"

#endif

#include <uapi/linux/jtrace.h>

/* No supported processor has shorter cache lines. */
#define JTRACE_LINE	64

/* Start to write back all cache lines of a range. */
static inline void jtrace_write_back(const void *at, size_t len)
{
	const u8 *line = (const u8 *)((unsigned long)at & ~(JTRACE_LINE - 1UL));

	for (; line < (const u8 *)at + len; line += JTRACE_LINE)
		jtrace_line_back(line);
}

#endif /* _JTRACE_ENV_H */
