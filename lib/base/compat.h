/* SPDX-License-Identifier: GPL-2.0 */
/* Differences between kernel versions. */
#ifndef _JTRACE_COMPAT_H
#define _JTRACE_COMPAT_H

#include <linux/types.h>
#include <linux/version.h>

/* 8df36829045a ("lib/crc32: standardize on crc32c() name for Castagnoli CRC32"), 6.15 */
#include <linux/crc32.h>
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
#define jtrace_kernel_crc32c	crc32c
#else
#define jtrace_kernel_crc32c	__crc32c_le
#endif

/* 6.1.176 lacks the name, 6.1.192 has it.  Compilers may lack the attribute: it saves time only. */
#include <linux/compiler.h>
#ifndef __no_stack_protector
#if __has_attribute(__no_stack_protector__)
#define __no_stack_protector	__attribute__((__no_stack_protector__))
#else
#define __no_stack_protector
#endif
#endif

/* hex2bin() moved from kernel.h to hex.h.  Sparse has no __has_include. */
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
 * Arguments of a dumper of the kernel log: 6.12 adds a description to the reason.  Kbuild
 * defines JTRACE_HAS_KMSG_DUMP_DETAIL.
 */
#include <linux/kmsg_dump.h>
#ifdef JTRACE_HAS_KMSG_DUMP_DETAIL
#define JTRACE_KMSG_DUMP_ARGS	struct kmsg_dumper *unused, struct kmsg_dump_detail *detail
#define JTRACE_KMSG_DUMP_REASON	(detail->reason)
#else
#define JTRACE_KMSG_DUMP_ARGS	struct kmsg_dumper *unused, enum kmsg_dump_reason reason
#define JTRACE_KMSG_DUMP_REASON	reason
#endif

/* Newer kernels rename system_unbound_wq and warn about the old name: Kbuild checks. */
#include <linux/workqueue.h>
#ifdef JTRACE_HAS_DFL_WQ
#define jtrace_unbound_wq	system_dfl_wq
#else
#define jtrace_unbound_wq	system_unbound_wq
#endif

/* 1e4c64b71c9b ("mm/memblock: Add "reserve_mem" to reserved named memory at boot up"), 6.11 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
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
 * Callbacks for suspend, resume and shutdown.  a97fbc3ee3e2 ("syscore: Pass context data to
 * callbacks"), 6.19, is also in older stable kernels (6.18.52), so Kbuild checks.
 *
 * struct jtrace_syscore	.ops: struct syscore_ops
 * JTRACE_SYSCORE_ARGS		parameters of the callbacks
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
 * Return the physical address of the vmcoreinfo note, 0 without one.
 * 443cbaf9e2fd ("crash: split vmcoreinfo exporting code out from crash_core.c"),
 * 6.9, gave it its own option.
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
 * Return where a range of a module begins; its size is 0 if it has none.  @i: MOD_TEXT, and as it
 * goes on: data, read-only data, read-only after its init.
 * ac3b43283923 ("module: replace module_layout with module_memory"), 6.4: four ranges, which lay in
 * one before, in another order
 */
#include <linux/module.h>
#ifdef CONFIG_MODULES
static inline void *jtrace_module_range(const struct module *mod, u32 i, u32 *size)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	*size = mod->mem[i].size;
	return mod->mem[i].base;
#else
	const struct module_layout *l = &mod->core_layout;
	const u32 from[] = { 0, l->ro_after_init_size, l->text_size, l->ro_size };
	const u32 to[] = { l->text_size, l->size, l->ro_size, l->ro_after_init_size };

	*size = to[i] - from[i];
	return l->base + from[i];
#endif
}
#endif

/* 60700e38fb68 ("signal: Rename group_exit_task group_exec_task"), 5.17 */
#include <linux/sched/signal.h>
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 17, 0)
#define jtrace_group_exec_task	group_exec_task
#else
#define jtrace_group_exec_task	group_exit_task
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

#endif /* _JTRACE_COMPAT_H */
