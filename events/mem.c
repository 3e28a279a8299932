// SPDX-License-Identifier: GPL-2.0
/* Events of memory, locks, system calls and page faults. */

#include <linux/mm.h>
#include <linux/oom.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <asm/syscall.h>
#include <trace/events/kmem.h>
#include <trace/events/lock.h>
#include <trace/events/oom.h>
#include <trace/events/syscalls.h>
#if defined(JTRACE_HAS_TRACE_EXCEPTIONS)
#include <trace/events/exceptions.h>
#define HAS_PAGE_FAULT
#elif defined(CONFIG_X86)
#include <asm/trace/exceptions.h>
#define HAS_PAGE_FAULT
#endif

#include "events.h"

#define KMALLOC_PROTO							\
	TP_PROTO(unsigned long call_site, const void *ptr, size_t bytes_req, \
		 size_t bytes_alloc, gfp_t gfp_flags, int node)

JTRACE_EVENT(kmalloc,
	KMALLOC_PROTO,
	(u32, bytes_req, (u32)bytes_req),
	(u32, bytes_alloc, (u32)bytes_alloc),
	(x32, gfp_flags, (__force u32)gfp_flags),
	(s32, node, node),
	(symbol, call_site, call_site),
	(x64, ptr, ptr));

JTRACE_EVENT(kfree,
	TP_PROTO(unsigned long call_site, const void *ptr),
	(symbol, call_site, call_site),
	(x64, ptr, ptr));

#define CACHE_ALLOC_PROTO						\
	TP_PROTO(unsigned long call_site, const void *ptr, struct kmem_cache *s, \
		 gfp_t gfp_flags, int node)

JTRACE_EVENT(kmem_cache_alloc,
	CACHE_ALLOC_PROTO,
	(x32, gfp_flags, (__force u32)gfp_flags),
	(s32, node, node),
	(symbol, call_site, call_site),
	(x64, ptr, ptr),
	(x64, cache, s));

JTRACE_EVENT(kmem_cache_free,
	TP_PROTO(unsigned long call_site, const void *ptr, const struct kmem_cache *s),
	(symbol, call_site, call_site),
	(x64, ptr, ptr),
	(x64, cache, s));

#define PAGE_ALLOC_PROTO						\
	TP_PROTO(struct page *page, unsigned int order, gfp_t gfp_flags, int migratetype)

JTRACE_EVENT(mm_page_alloc,
	PAGE_ALLOC_PROTO,
	(u32, order, order),
	(s32, migratetype, migratetype),
	(x32, gfp_flags, (__force u32)gfp_flags),
	(x64, pfn, page ? page_to_pfn(page) : -1UL));

JTRACE_EVENT(mm_page_free,
	TP_PROTO(struct page *page, unsigned int order),
	(u32, order, order),
	(x64, pfn, page_to_pfn(page)));

#ifdef JTRACE_HAS_VICTIM_TASK
#define VICTIM_PROTO	TP_PROTO(struct task_struct *task, uid_t uid)
#define VICTIM_PID	task->pid
#else
#define VICTIM_PROTO	TP_PROTO(int pid)
#define VICTIM_PID	pid
#endif

JTRACE_EVENT(mark_victim, VICTIM_PROTO, (s32, pid, VICTIM_PID));

static struct jtrace_event *mem_events[] = {
	&jtrace_event_kmalloc,
	&jtrace_event_kfree,
	&jtrace_event_kmem_cache_alloc,
	&jtrace_event_kmem_cache_free,
	&jtrace_event_mm_page_alloc,
	&jtrace_event_mm_page_free,
	&jtrace_event_mark_victim,
};

struct jtrace_event_group jtrace_group_mem = JTRACE_EVENT_GROUP("mem", mem_events);

/* ---- Allocations that returned nothing -------------------------------- */

JTRACE_EVENT_IF(kmalloc_fail, kmalloc,
	KMALLOC_PROTO, !ptr,
	(u32, bytes_req, (u32)bytes_req),
	(x32, gfp_flags, (__force u32)gfp_flags),
	(s32, node, node),
	(symbol, call_site, call_site));

JTRACE_EVENT_IF(kmem_cache_alloc_fail, kmem_cache_alloc,
	CACHE_ALLOC_PROTO, !ptr,
	(x32, gfp_flags, (__force u32)gfp_flags),
	(s32, node, node),
	(symbol, call_site, call_site),
	(x64, cache, s));

JTRACE_EVENT_IF(mm_page_alloc_fail, mm_page_alloc,
	PAGE_ALLOC_PROTO, !page,
	(u32, order, order),
	(s32, migratetype, migratetype),
	(x32, gfp_flags, (__force u32)gfp_flags));

static struct jtrace_event *alloc_fail_events[] = {
	&jtrace_event_kmalloc_fail,
	&jtrace_event_kmem_cache_alloc_fail,
	&jtrace_event_mm_page_alloc_fail,
};

struct jtrace_event_group jtrace_group_alloc_fail =
	JTRACE_EVENT_GROUP("alloc_fail", alloc_fail_events);

/* ---- Locks ------------------------------------------------------------ */

JTRACE_EVENT(contention_begin,
	TP_PROTO(void *lock, unsigned int flags),
	(x32, flags, flags),
	(x64, lock_addr, lock));

JTRACE_EVENT(contention_end,
	TP_PROTO(void *lock, int ret),
	(s32, ret, ret),
	(x64, lock_addr, lock));

static struct jtrace_event *lock_events[] = {
	&jtrace_event_contention_begin,
	&jtrace_event_contention_end,
};

struct jtrace_event_group jtrace_group_lock = JTRACE_EVENT_GROUP("lock", lock_events);

/* ---- System calls ----------------------------------------------------- */

/* Argument @nr of the system call. */
static __always_inline u64 argument(struct pt_regs *regs, int nr)
{
	unsigned long args[6];

	syscall_get_arguments(current, regs, args);
	return args[nr];
}

JTRACE_EVENT(sys_enter,
	TP_PROTO(struct pt_regs *regs, long id),
	(s32, id, (s32)id),
	(x64, arg0, argument(regs, 0)),
	(x64, arg1, argument(regs, 1)),
	(x64, arg2, argument(regs, 2)));

JTRACE_EVENT(sys_exit,
	TP_PROTO(struct pt_regs *regs, long ret),
	(s32, id, syscall_get_nr(current, regs)),
	(s64, ret, ret));

static struct jtrace_event *syscall_events[] = {
	&jtrace_event_sys_enter,
	&jtrace_event_sys_exit,
};

struct jtrace_event_group jtrace_group_syscall = JTRACE_EVENT_GROUP("syscall", syscall_events);

/* ---- Page faults of the kernel ---------------------------------------- */

#ifdef HAS_PAGE_FAULT
JTRACE_EVENT(page_fault_kernel,
	TP_PROTO(unsigned long address, struct pt_regs *regs, unsigned long error_code),
	(x32, error_code, (u32)error_code),
	(x64, address, address),
	(symbol, ip, instruction_pointer(regs)));
#else
JTRACE_EVENT_MISSING(page_fault_kernel);
#endif

static struct jtrace_event *fault_events[] = {
	&jtrace_event_page_fault_kernel,
};

struct jtrace_event_group jtrace_group_fault = JTRACE_EVENT_GROUP("fault", fault_events);
