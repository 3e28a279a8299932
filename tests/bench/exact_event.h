/* SPDX-License-Identifier: GPL-2.0 */
/* Trace events with the payload of a large entry. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM exact

#if !defined(_EXACT_EVENT_H) || defined(TRACE_HEADER_MULTI_READ)
#define _EXACT_EVENT_H

#include <linux/tracepoint.h>

#include "exact.h"

TRACE_EVENT(exact_event,
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

	TP_printk("%x %x %x %x %llx %llx", __entry->a, __entry->b, __entry->c, __entry->d,
		  __entry->e, __entry->f)
);

/* Its values are those of the probes in guest, and the name that filters test. */
TRACE_EVENT(exact_object,
	TP_PROTO(const struct exact_object *object, u32 a, u32 b, u32 c, u32 d),

	TP_ARGS(object, a, b, c, d),

	TP_STRUCT__entry(
		__field(u32, a)
		__field(u32, b)
		__field(u32, c)
		__field(u32, d)
		__field(const void *, object)
		__field(u64, e)
		__array(char, name, 16)
	),

	TP_fast_assign(
		__entry->a = a;
		__entry->b = b;
		__entry->c = c;
		__entry->d = d;
		__entry->object = object;
		__entry->e = object->e;
		memcpy(__entry->name, object->name, sizeof(__entry->name));
	),

	TP_printk("%x %x %x %x %p %llx %s", __entry->a, __entry->b, __entry->c, __entry->d,
		  __entry->object, __entry->e, __entry->name)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE exact_event
#include <trace/define_trace.h>
