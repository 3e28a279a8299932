// SPDX-License-Identifier: GPL-2.0
/* Events of workqueues. */

#include <linux/workqueue.h>
#include <trace/events/workqueue.h>

#include "events.h"

JTRACE_EVENT(workqueue_execute_start,
	TP_PROTO(struct work_struct *work),
	(x64, work, work),
	(symbol, function, work->func));

/* The function may have freed the work: its address alone is valid. */
JTRACE_EVENT(workqueue_execute_end,
	TP_PROTO(struct work_struct *work, work_func_t function),
	(x64, work, work),
	(symbol, function, function));

static struct jtrace_event *workqueue_events[] = {
	&jtrace_event_workqueue_execute_start,
	&jtrace_event_workqueue_execute_end,
};

struct jtrace_event_group jtrace_group_workqueue =
	JTRACE_EVENT_GROUP("workqueue", workqueue_events);
