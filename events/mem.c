// SPDX-License-Identifier: GPL-2.0
/* Events of memory, and of allocations that fail. */

#include <linux/mm.h>
#include <linux/oom.h>
#include <linux/sched.h>
#include <trace/events/kmem.h>
#include <trace/events/oom.h>

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

struct jtrace_event_group jtrace_group_alloc_fail = {
	.name = "alloc_fail",
	.within = "mem",
	.events = alloc_fail_events,
	.nr = ARRAY_SIZE(alloc_fail_events),
};
