/* SPDX-License-Identifier: GPL-2.0 */
/* All that differs between kernel versions and architectures. */
#ifndef _JTRACE_COMPAT_H
#define _JTRACE_COMPAT_H

#include <linux/types.h>
#include <linux/version.h>

/*
 * CRC-32C, in any context: by a table, or an instruction.  Newer kernels take vector
 * registers for 512 bytes and more, which no NMI may ask for: jtrace has no such piece.
 *
 * 8df36829045a ("lib/crc32: standardize on crc32c() name for Castagnoli CRC32"), 6.15
 */
#include <linux/crc32.h>
static inline u32 jtrace_crc32c(u32 crc, const void *data, size_t len)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
	return crc32c(crc, data, len);
#else
	return __crc32c_le(crc, data, len);
#endif
}

/*
 * hex2bin() and the like: where they have a header of their own, kernel.h may not have
 * them.  Sparse cannot ask.
 */
#ifdef __CHECKER__
#include <linux/kernel.h>
#elif __has_include("linux/hex.h")
#include <linux/hex.h>
#else
#include <linux/kernel.h>
#endif

/* 150cdc8a6bf0 ("treewide: change sysrq handler argument to u8"), 6.7 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
typedef u8 jtrace_sysrq_key_t;
#else
typedef int jtrace_sysrq_key_t;
#endif

/*
 * What a dumper of the kernel log is called with: the reason, since 6.12 with a description.
 * Kbuild finds out which.
 */
#include <linux/kmsg_dump.h>
#ifdef JTRACE_HAS_KMSG_DUMP_DETAIL
#define JTRACE_KMSG_DUMP_ARGS	struct kmsg_dumper *unused, struct kmsg_dump_detail *detail
#define JTRACE_KMSG_DUMP_REASON	(detail->reason)
#else
#define JTRACE_KMSG_DUMP_ARGS	struct kmsg_dumper *unused, enum kmsg_dump_reason reason
#define JTRACE_KMSG_DUMP_REASON	reason
#endif

/* system_unbound_wq has a new name in kernels that warn of the old one: Kbuild finds out. */
#include <linux/workqueue.h>
#ifdef JTRACE_HAS_DFL_WQ
#define jtrace_unbound_wq	system_dfl_wq
#else
#define jtrace_unbound_wq	system_unbound_wq
#endif

/* 1e4c64b71c9b ("mm/memblock: Add "reserve_mem" to reserved named memory at boot up"), 6.12 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#include <linux/mm.h>
#define JTRACE_HAS_RESERVE_MEM	1
#define jtrace_reserve_mem_find	reserve_mem_find_by_name
#else
#define JTRACE_HAS_RESERVE_MEM	0
static inline bool jtrace_reserve_mem_find(const char *name, phys_addr_t *start,
					   phys_addr_t *size)
{
	return false;
}
#endif

/*
 * What is called when the machine sleeps, wakes and goes down.  a97fbc3ee3e2 ("syscore:
 * Pass context data to callbacks"), 6.19, is in stable kernels of before (6.18.52), too:
 * Kbuild finds out.
 *
 * struct jtrace_syscore	.ops: struct syscore_ops
 * JTRACE_SYSCORE_ARGS		what its functions are called with
 */
#include <linux/syscore_ops.h>
#ifdef JTRACE_HAS_REGISTER_SYSCORE
#define JTRACE_SYSCORE_ARGS	void *unused
struct jtrace_syscore {
	struct syscore_ops ops;
	struct syscore core;
};

#define jtrace_syscore_register(s)					\
do {									\
	(s)->core.ops = &(s)->ops;					\
	register_syscore(&(s)->core);					\
} while (0)
#define jtrace_syscore_unregister(s)	unregister_syscore(&(s)->core)
#else
#define JTRACE_SYSCORE_ARGS	void
struct jtrace_syscore {
	struct syscore_ops ops;
};

#define jtrace_syscore_register(s)	register_syscore_ops(&(s)->ops)
#define jtrace_syscore_unregister(s)	unregister_syscore_ops(&(s)->ops)
#endif

/* 7bb943806ff6 ("kexec: do syscore_shutdown() in kernel_kexec"), 6.8 */
#define JTRACE_KEXEC_SKIPS_SYSCORE	(LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0))

/*
 * Physical address of the note for crash dumps, 0 if there is none.
 * 443cbaf9e2fd ("crash: split vmcoreinfo exporting code out from crash_core.c"),
 * 6.9, gave it an option of its own.
 */
#if IS_ENABLED(CONFIG_CRASH_CORE) || IS_ENABLED(CONFIG_VMCORE_INFO)
#include <linux/crash_core.h>
#if IS_ENABLED(CONFIG_VMCORE_INFO)
#include <linux/vmcore_info.h>
#endif
static inline phys_addr_t jtrace_vmcoreinfo(void)
{
	return paddr_vmcoreinfo_note();
}
#else
static inline phys_addr_t jtrace_vmcoreinfo(void)
{
	return 0;
}
#endif

/*
 * Where the code of a module is: .base and .size.
 * ac3b43283923 ("module: replace module_layout with module_memory"), 6.4
 */
#include <linux/module.h>
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
#define jtrace_module_code(mod)	(&(mod)->mem[MOD_TEXT])
#else
#define jtrace_module_code(mod)	(&(mod)->core_layout)
#endif

/*
 * Does the kernel know that a range is reserved?  Where firmware tells of all
 * memory (x86) what is not in its table may be a device, or nothing.  And is
 * there memmap= to reserve one?
 */
#ifdef CONFIG_X86
#define JTRACE_HAS_MEMMAP	1
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
 * Return the first page of a range that the firmware's map does not list, of any type; the
 * end of the range if all are listed or the map cannot be read.  memmap= and mem= change the
 * kernel's copy, not this map.  6276c67f2bc4 ("x86: Restrict KVM-induced symbol exports to
 * KVM modules where obvious/possible"), 6.19, took the function from other modules: Kbuild
 * checks whether modules may use it.
 */
#if defined(CONFIG_X86) && (defined(JTRACE_HAS_E820_RAW) || !defined(MODULE))
#include <asm/e820/api.h>
static inline u64 jtrace_firmware_hole(u64 start, u64 size)
{
	u64 at;

	for (at = start; at < start + size; at += PAGE_SIZE)
		if (!e820__mapped_raw_any(at, at + PAGE_SIZE, 0))
			break;
	return at;
}
#else
static inline u64 jtrace_firmware_hole(u64 start, u64 size)
{
	return start + size;
}
#endif

/* 908a1d775422 ("hrtimers: Introduce hrtimer_setup() to replace hrtimer_init()"), 6.13 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define jtrace_hrtimer_setup	hrtimer_setup
#else
#define jtrace_hrtimer_setup(timer, call, clock, mode)			\
do {									\
	hrtimer_init(timer, clock, mode);				\
	(timer)->function = (call);					\
} while (0)
#endif

/*
 * Write-back of cached memory that is to outlive the machine:
 *
 * jtrace_line_back()		begins to write one line back; does not wait
 * jtrace_write_back_wait()	waits for all that was begun here
 *
 * clwb() is the kernel's, which takes clflushopt or clflush where there is no
 * clwb.  arch_wb_cache_pmem() is not for records: it waits, on arm64.
 *
 * A counter that is the same on all CPUs and costs a register read:
 *
 * jtrace_ticks()		its value; needs jtrace_ticks_khz() != 0
 * jtrace_ticks_khz()		its nominal rate, 0 if there is none
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
	/* clwb(), but in whatever register the address is already */
	asm volatile(ALTERNATIVE_2(".byte 0x3e; clflush (%[at])",
				   ".byte 0x66; clflush (%[at])", X86_FEATURE_CLFLUSHOPT,
				   ".byte 0x66; xsaveopt (%[at])", X86_FEATURE_CLWB)
		     : : [at] "r" (at) : "memory");
}

static inline void jtrace_write_back_wait(void)
{
	wmb();	/* sfence: clwb is ordered by nothing less */
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
	/* The other one where the first does not do (errata of Cortex-A53). */
	asm volatile(ALTERNATIVE("dc cvac, %0", "dc civac, %0", ARM64_WORKAROUND_CLEAN_CACHE)
		     : : "r" (at) : "memory");
}

static inline void jtrace_write_back_wait(void)
{
	dsb(sy);	/* completes cache maintenance */
}

static __always_inline u64 jtrace_ticks(void)
{
	return read_sysreg(cntvct_el0);
}

static inline u32 jtrace_ticks_khz(void)
{
	return read_sysreg(cntfrq_el0) / 1000;
}

/* There are errata for which the kernel reads it in other ways, which take longer. */
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

#endif /* _JTRACE_COMPAT_H */
