// SPDX-License-Identifier: GPL-2.0
/* An event of every type of field, on the tracepoint of jtrace_source.c. */

#include <linux/jtrace_event.h>

#include "jtrace_source_event.h"
#include "kmod.h"

JTRACE_EVENT(jtrace_source,
	TP_PROTO(u32 number, const char *text),
	(u32, number, number),
	(s8, minus, -(s32)number),
	(x16, mask, number << 12),
	(string, text, text));

JTRACE_EVENT_IF(jtrace_source_wide, jtrace_source,
	TP_PROTO(u32 number, const char *text), number >= 2,
	(s64, minus, -(s64)number),
	(u64, large, ~0ULL - number),
	(x64, third, number),
	(x64, fourth, (u64)number << 60));

static struct jtrace_event *events[] = {
	&jtrace_event_jtrace_source,
	&jtrace_event_jtrace_source_wide,
};

static struct jtrace_event_group group = JTRACE_EVENT_GROUP(NULL, events);

PARAM_TEXT(name, "sink", "of the group");
PARAM_TEXT(within, NULL, "name of a larger group");

static int __init jtrace_sink_init(void)
{
	group.name = name;
	group.within = within;
	return jtrace_events_add(&group);
}

static void __exit jtrace_sink_exit(void)
{
	jtrace_events_remove(&group);
}

module_init(jtrace_sink_init);
module_exit(jtrace_sink_exit);

TEST_MODULE("events of a module");
