// SPDX-License-Identifier: GPL-2.0
/* Events of power management. */

#include <trace/events/power.h>

#include "events.h"

JTRACE_EVENT(suspend_resume,
	TP_PROTO(const char *action, int val, bool start),
	(s32, val, val),
	(u8, start, start),
	(string, action, action));

JTRACE_EVENT(cpu_idle,
	TP_PROTO(unsigned int state, unsigned int cpu_id),
	(u32, state, state),
	(u32, cpu_id, cpu_id));

static struct jtrace_event *power_events[] = {
	&jtrace_event_suspend_resume,
	&jtrace_event_cpu_idle,
};

struct jtrace_event_group jtrace_group_power = JTRACE_EVENT_GROUP("power", power_events);
