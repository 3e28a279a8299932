/* SPDX-License-Identifier: GPL-2.0 */
/* The event that LTTng-UST records beside jtrace: the same fields, in its words. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER	jtrace_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE	"native_lttng.h"

/* Read several times over, which this allows. */
#if !defined(_BENCH_NATIVE_LTTNG_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define _BENCH_NATIVE_LTTNG_H

#include <stdint.h>
#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(jtrace_bench, event,
	LTTNG_UST_TP_ARGS(uint32_t, a, uint32_t, b, uint32_t, c, uint32_t, d,
			  uint64_t, e, uint64_t, f),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, a, a)
		lttng_ust_field_integer(uint32_t, b, b)
		lttng_ust_field_integer(uint32_t, c, c)
		lttng_ust_field_integer(uint32_t, d, d)
		lttng_ust_field_integer(uint64_t, e, e)
		lttng_ust_field_integer(uint64_t, f, f)
	)
)

#endif

#include <lttng/tracepoint-event.h>
