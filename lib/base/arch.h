/* SPDX-License-Identifier: GPL-2.0 */
/* Primitives that depend on the processor. */
#ifndef _JTRACE_ARCH_H
#define _JTRACE_ARCH_H

#include <linux/types.h>

/*
 * Multiply a by b ^ *key and xor both halves of the product, without a register for the key.
 * @fresh: @b was just computed, so gcc can compute it in the register of the high half.
 */
static __always_inline u64 jtrace_mul_fold_keyed(u64 a, u64 b, const u64 *key, const bool fresh)
{
#ifdef CONFIG_X86_64
	/* With a 128-bit variable gcc would align the stack in each record. */
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

/*
 * Does the kernel know that a range is reserved?  On x86 the firmware lists all memory;
 * a range that is not listed may be a device, or nothing.
 */
#ifdef CONFIG_X86
#define JTRACE_HAS_MEMMAP	1	/* memmap= can reserve a range */
#include <linux/ioport.h>
#include <linux/mm.h>
static inline bool jtrace_range_reserved(u64 start, u64 size)
{
	return region_intersects(start, size, IORESOURCE_MEM, IORES_DESC_RESERVED) ==
	       REGION_INTERSECTS;
}
#else
#define JTRACE_HAS_MEMMAP	0
static inline bool jtrace_range_reserved(u64 start, u64 size)
{
	return true;
}
#endif

/*
 * Write back cached memory that must survive a reset:
 *
 * jtrace_line_back()		start to write one line back; does not wait
 * jtrace_write_back_wait()	wait for all write-backs that this CPU started
 * jtrace_write_back_locked()	the same, after a locked instruction, which waits for them on x86
 *
 * Records cannot use arch_wb_cache_pmem(): it waits on arm64.
 *
 * Read a counter that is the same on all CPUs and costs a register read:
 *
 * jtrace_ticks()		its value; needs jtrace_ticks_khz() != 0
 * jtrace_ticks_khz()		its nominal rate, 0 without such a counter
 * jtrace_ticks_trusted()	does it run at that rate, on all CPUs, in idle?
 */
#if defined(CONFIG_X86_64) && !defined(CONFIG_UML)

#include <asm/barrier.h>
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/special_insns.h>
#include <asm/tsc.h>

static __always_inline void jtrace_line_back(const void *at)
{
	/* Like clwb(), which falls back to clflushopt and clflush, but with any register. */
	asm volatile(ALTERNATIVE_2(".byte 0x3e; clflush (%[at])",
				   ".byte 0x66; clflush (%[at])", X86_FEATURE_CLFLUSHOPT,
				   ".byte 0x66; xsaveopt (%[at])", X86_FEATURE_CLWB)
		     : : [at] "r" (at) : "memory");
}

static inline void jtrace_write_back_wait(void)
{
	wmb();	/* an sfence; smp_wmb() would not order clwb */
}

static inline void jtrace_write_back_locked(void)
{
}

static __always_inline u64 jtrace_ticks(void)
{
	return rdtsc();
}

static inline u32 jtrace_ticks_khz(void)
{
	return boot_cpu_has(X86_FEATURE_TSC) ? tsc_khz : 0;
}

static inline bool jtrace_ticks_trusted(void)
{
	return boot_cpu_has(X86_FEATURE_CONSTANT_TSC) &&
	       boot_cpu_has(X86_FEATURE_NONSTOP_TSC) && !check_tsc_unstable();
}

#elif defined(CONFIG_ARM64)

#include <asm/alternative.h>
#include <asm/arch_timer.h>
#include <asm/barrier.h>
#include <asm/sysreg.h>
#include <linux/cpumask.h>

static __always_inline void jtrace_line_back(const void *at)
{
	/* civac on CPUs where cvac does not suffice (errata of Cortex-A53) */
	asm volatile(ALTERNATIVE("dc cvac, %0", "dc civac, %0", ARM64_WORKAROUND_CLEAN_CACHE)
		     : : "r" (at) : "memory");
}

static inline void jtrace_write_back_wait(void)
{
	dsb(sy);	/* completes cache maintenance */
}

static inline void jtrace_write_back_locked(void)
{
	jtrace_write_back_wait();	/* an atomic completes none */
}

static __always_inline u64 jtrace_ticks(void)
{
	return read_sysreg(cntvct_el0);
}

static inline u32 jtrace_ticks_khz(void)
{
	return read_sysreg(cntfrq_el0) / 1000;
}

/* Some errata need another, slower way to read the counter. */
static inline bool jtrace_ticks_trusted(void)
{
#ifdef CONFIG_ARM_ARCH_TIMER_OOL_WORKAROUND
	int cpu;

	for_each_online_cpu(cpu) {
		const struct arch_timer_erratum_workaround *wa =
			per_cpu(timer_unstable_counter_workaround, cpu);

		if (wa && wa->read_cntvct_el0)
			return false;
	}
#endif
	return true;
}

#else

static __always_inline void jtrace_line_back(const void *at)
{
}

static inline void jtrace_write_back_wait(void)
{
}

static inline void jtrace_write_back_locked(void)
{
}

static __always_inline u64 jtrace_ticks(void)
{
	return 0;
}

static inline u32 jtrace_ticks_khz(void)
{
	return 0;
}

static inline bool jtrace_ticks_trusted(void)
{
	return false;
}

#endif

#endif /* _JTRACE_ARCH_H */
