/* SPDX-License-Identifier: GPL-2.0 */
/* How a hit loads from memory. */
#ifndef _JTRACE_PROBE_HIT_H
#define _JTRACE_PROBE_HIT_H

#include <linux/types.h>
#include <linux/uaccess.h>

#ifdef CONFIG_X86_64

#include <asm/vsyscall.h>

/* The lowest address of the kernel: depends on the number of page table levels. */
extern u64 jtrace_probe_lowest;

/*
 * Are these bytes the kernel's?  As copy_from_kernel_nofault_allowed(), which modules cannot call:
 * the kernel warns of the exception that a non-canonical address raises, and the page of vsyscalls
 * counts as one of users.  Nothing is mapped behind that page.
 */
static __always_inline bool jtrace_is_kernel_memory(u64 address, const u32 width)
{
	return address >= jtrace_probe_lowest && address <= VSYSCALL_ADDR - width;
}

#else

/* On arm64, bit 55 tells which table translates an address; a tag may be above. */
static __always_inline bool jtrace_is_kernel_memory(u64 address, const u32 width)
{
	return address & (address + width - 1) & BIT_ULL(55);
}

#endif

/* &jtrace_fetch_load: never from an address of users; false if it faults. */
static __always_inline bool jtrace_probe_load(void *to, u64 address, const u32 width)
{
	if (unlikely(!jtrace_is_kernel_memory(address, width)))
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
