// SPDX-License-Identifier: GPL-2.0
/*
 * What tests/bench/native compares a record with: an LTTng-UST event of the same
 * fields.  A library of its own, loaded where there is LTTng-UST.
 */

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE

#include "native.h"
#include "native_lttng.h"

/**
 * lttng_ready() - does a session record the event?
 */
bool lttng_ready(void)
{
	return lttng_ust_tracepoint_enabled(jtrace_bench, event);
}

/**
 * lttng_run() - make events
 * @times: so many
 */
void lttng_run(u32 times)
{
	u32 i;

	for (i = 0; i < times; i++)
		lttng_ust_tracepoint(jtrace_bench, event, i, times, 3, 4, i, times);
}
