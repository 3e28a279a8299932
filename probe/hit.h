/* SPDX-License-Identifier: GPL-2.0 */
/* How a hit loads from memory. */
#ifndef _JTRACE_PROBE_HIT_H
#define _JTRACE_PROBE_HIT_H

#include <linux/types.h>
#include <linux/uaccess.h>

#include "arch.h"

/* &jtrace_fetch_load: never from an address of users; false if it faults. */
static __always_inline bool jtrace_probe_load(void *to, u64 address, const u32 width)
{
	if (unlikely(!jtrace_arch_is_kernel(address, width)))
		return false;
	switch (width) {
	case 8:
		__get_kernel_nofault(to, (const void *)address, u64, fault);
		return true;
	case 4:
		__get_kernel_nofault(to, (const void *)address, u32, fault);
		return true;
	case 2:
		__get_kernel_nofault(to, (const void *)address, u16, fault);
		return true;
	default:
		__get_kernel_nofault(to, (const void *)address, u8, fault);
		return true;
	}
fault:
	return false;
}

#endif /* _JTRACE_PROBE_HIT_H */
