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
#include <linux/crc32.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/barrier.h>
#include <asm/byteorder.h>

/* Table driven, built in, safe in any context. */
static inline u32 jtrace_crc32c(u32 crc, const void *data, size_t len)
{
	return __crc32c_le(crc, data, len);
}

#else

#include "env_user.h"

#endif

#include <uapi/linux/jtrace.h>

#endif /* _JTRACE_ENV_H */
