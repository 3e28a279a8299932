/* SPDX-License-Identifier: GPL-2.0 */
/* An event with the fields of a large entry. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM jtrace_bench

#if !defined(_JTRACE_BENCH_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _JTRACE_BENCH_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(jtrace_bench_event,
	TP_PROTO(u32 a, u32 b, u32 c, u32 d, u64 e, u64 f),
	TP_ARGS(a, b, c, d, e, f),
	TP_STRUCT__entry(
		__field(u32, a)
		__field(u32, b)
		__field(u32, c)
		__field(u32, d)
		__field(u64, e)
		__field(u64, f)
	),
	TP_fast_assign(
		__entry->a = a;
		__entry->b = b;
		__entry->c = c;
		__entry->d = d;
		__entry->e = e;
		__entry->f = f;
	),
	TP_printk("%08x %08x %08x %08x %016llx %016llx", __entry->a, __entry->b, __entry->c,
		  __entry->d, __entry->e, __entry->f)
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE jtrace_bench_trace
#include <trace/define_trace.h>
