// SPDX-License-Identifier: GPL-2.0
/* An event on the tracepoint of exact.c, which the kernel's own tracer can record, too. */
#include <linux/jtrace_event.h>

#include "exact_event.h"

JTRACE_EVENT(exact_event,
	TP_PROTO(u32 a, u32 b, u32 c, u32 d, u64 e, u64 f),
	(u32, a, a),
	(u32, b, b),
	(u32, c, c),
	(u32, d, d),
	(x64, e, e),
	(x64, f, f));

static struct jtrace_event *events[] = { &jtrace_event_exact_event };
static struct jtrace_event_group group = JTRACE_EVENT_GROUP("exact", events);

module_jtrace_events(group);

MODULE_DESCRIPTION("Bench: an event of jtrace");
MODULE_INFO(test, "Y");
MODULE_LICENSE("GPL");
