/* SPDX-License-Identifier: GPL-2.0 */
/* A tracepoint of a module. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM jtrace_source

#if !defined(_JTRACE_SOURCE_EVENT_H) || defined(TRACE_HEADER_MULTI_READ)
#define _JTRACE_SOURCE_EVENT_H

#include <linux/tracepoint.h>

TRACE_EVENT(jtrace_source,
	TP_PROTO(u32 number, const char *text),

	TP_ARGS(number, text),

	TP_STRUCT__entry(
		__field(u32, number)
	),

	TP_fast_assign(
		__entry->number = number;
	),

	TP_printk("number=%u", __entry->number)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE jtrace_source_event
#include <trace/define_trace.h>
