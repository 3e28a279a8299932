/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of jtrace_events.ko share. */
#ifndef _JTRACE_EVENTS_H
#define _JTRACE_EVENTS_H

#define JTRACE_EVENT_MAY_BE_MISSING
#include <linux/jtrace_event.h>
#include <linux/mutex.h>

#include "../jtrace_clauses.h"
#include "../jtrace_lines.h"
#include "../lib/lang/event.h"

/**
 * struct jtrace_event_state - state of an event
 * @tp: its tracepoint; NULL if none is loaded
 * @on: the user turned it on
 * @attached: the tracepoint calls the probe
 * @filter: that the user gave, while @on; changed only while no probe runs, as @run
 * @run: its clauses
 * @via: functions between the tracepoint and record_by_clauses(); set while @attached
 * @tag: of the site
 */
struct jtrace_event_state {
	struct tracepoint *tp;
	bool on;
	bool attached;
	struct jtrace_event_filter filter;
	struct jtrace_clauses_run run;
	struct jtrace_code via[JTRACE_STACK_VIA];
	char tag[JTRACE_TAG_MAX + 1];
};

/* The groups of the module. */
extern struct jtrace_event_group jtrace_group_sched;
extern struct jtrace_event_group jtrace_group_task;
extern struct jtrace_event_group jtrace_group_irq;
extern struct jtrace_event_group jtrace_group_softirq;
extern struct jtrace_event_group jtrace_group_timer;
extern struct jtrace_event_group jtrace_group_workqueue;
extern struct jtrace_event_group jtrace_group_syscall;
extern struct jtrace_event_group jtrace_group_lock;
extern struct jtrace_event_group jtrace_group_mem;
extern struct jtrace_event_group jtrace_group_alloc_fail;
extern struct jtrace_event_group jtrace_group_block;
extern struct jtrace_event_group jtrace_group_net;
extern struct jtrace_event_group jtrace_group_fault;
extern struct jtrace_event_group jtrace_group_power;
extern struct jtrace_event_group jtrace_group_usage;

/* attach.c: all groups, also those of other modules; protected by the lock. */
extern struct mutex jtrace_events_lock;
extern struct list_head jtrace_event_groups;

#define jtrace_for_each_event(group, i, event)				\
	list_for_each_entry(group, &jtrace_event_groups, list)		\
		for (i = 0; i < (group)->nr && ((event) = (group)->events[i], true); i++)

/* The other way round: what ends something comes before what begins it. */
#define jtrace_for_each_event_reverse(group, i, event)			\
	list_for_each_entry_reverse(group, &jtrace_event_groups, list)	\
		for (i = (group)->nr; i-- && ((event) = (group)->events[i], true); )

/**
 * struct jtrace_event_order - a line: which events to switch, and how
 * @name: of an event or a group, or "all"; not terminated
 * @len: its length
 * @on: on or off
 * @filter: text of conditions and clauses, if on
 */
struct jtrace_event_order {
	const char *name;
	u32 len;
	bool on;
	const char *filter;
};

int jtrace_events_switch(const struct jtrace_event_order *order, struct jtrace_refusal *refusal);

/* lines.c, which calls attach.c */
extern struct jtrace_lines jtrace_events_lines;

#endif /* _JTRACE_EVENTS_H */
