/* SPDX-License-Identifier: GPL-2.0 */
/* LTTng's declaration of the event of exact_event.h, with the same payload. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM exact

#if !defined(_EXACT_LTTNG_EVENT_H) || defined(TRACE_HEADER_MULTI_READ)
#define _EXACT_LTTNG_EVENT_H

#include <lttng/tracepoint-event.h>

LTTNG_TRACEPOINT_EVENT(exact_event,
	TP_PROTO(u32 a, u32 b, u32 c, u32 d, u64 e, u64 f),

	TP_ARGS(a, b, c, d, e, f),

	TP_FIELDS(
		ctf_integer(u32, a, a)
		ctf_integer(u32, b, b)
		ctf_integer(u32, c, c)
		ctf_integer(u32, d, d)
		ctf_integer(u64, e, e)
		ctf_integer(u64, f, f)
	)
)

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE exact_lttng_event
#include <lttng/define_trace.h>
