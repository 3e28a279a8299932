// SPDX-License-Identifier: GPL-2.0
/* Events of softirqs. */

#include <linux/interrupt.h>
#include <trace/events/irq.h>

#include "events.h"

JTRACE_EVENT(softirq_raise, TP_PROTO(unsigned int vec_nr), (u32, vec, vec_nr));
JTRACE_EVENT(softirq_entry, TP_PROTO(unsigned int vec_nr), (u32, vec, vec_nr));
JTRACE_EVENT(softirq_exit, TP_PROTO(unsigned int vec_nr), (u32, vec, vec_nr));

static struct jtrace_event *softirq_events[] = {
	&jtrace_event_softirq_raise,
	&jtrace_event_softirq_entry,
	&jtrace_event_softirq_exit,
};

struct jtrace_event_group jtrace_group_softirq = JTRACE_EVENT_GROUP("softirq", softirq_events);
