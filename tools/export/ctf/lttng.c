// SPDX-License-Identifier: GPL-2.0
/*
 * LTTng's names of the kernel's events, so that programs for its traces find them.
 *
 * Source: include/instrumentation/events/ of lttng-modules 2.13 and later.  Events and fields that
 * are not here have the same name there, or LTTng has none of that name.
 */

#include "ctf.h"

/* LTTng's priorities begin with those of real time, at -100. */
#define PRIO	(-100)

/* With no field: the name of the event.  Otherwise: that of a field, and what LTTng adds to it. */
static const struct {
	const char *event, *field, *to;
	s32 add;
} names[] = {
	{ "sched_switch", "prev_pid", "prev_tid", 0 },
	{ "sched_switch", "next_pid", "next_tid", 0 },
	{ "sched_switch", "next_prio", "next_prio", PRIO },
	{ "sched_waking", "pid", "tid", 0 },
	{ "sched_waking", "prio", "prio", PRIO },
	{ "sched_wakeup", "pid", "tid", 0 },
	{ "sched_wakeup", "prio", "prio", PRIO },
	{ "sched_wakeup_new", "pid", "tid", 0 },
	{ "sched_wakeup_new", "prio", "prio", PRIO },
	{ "sched_migrate_task", "pid", "tid", 0 },
	{ "sched_migrate_task", "prio", "prio", PRIO },
	{ "sched_process_exec", "pid", "tid", 0 },
	{ "sched_process_exec", "old_pid", "old_tid", 0 },
	{ "sched_process_exit", "pid", "tid", 0 },
	{ "sched_process_exit", "prio", "prio", PRIO },
	{ "softirq_raise", NULL, "irq_softirq_raise", 0 },
	{ "softirq_entry", NULL, "irq_softirq_entry", 0 },
	{ "softirq_exit", NULL, "irq_softirq_exit", 0 },
	{ "hrtimer_expire_entry", NULL, "timer_hrtimer_expire_entry", 0 },
	{ "hrtimer_expire_exit", NULL, "timer_hrtimer_expire_exit", 0 },
	{ "cpu_idle", NULL, "power_cpu_idle", 0 },
	{ "kmalloc", NULL, "kmem_kmalloc", 0 },
	{ "kfree", NULL, "kmem_kfree", 0 },
	{ "mm_page_alloc", NULL, "kmem_mm_page_alloc", 0 },
	{ "mm_page_free", NULL, "kmem_mm_page_free", 0 },
	/* Its dev is a number. */
	{ "block_rq_issue", "dev", "disk", 0 },
	{ "block_rq_complete", "dev", "disk", 0 },
	{ "netif_receive_skb", NULL, "net_if_receive_skb", 0 },
	{ "netif_receive_skb", "dev", "name", 0 },
	{ "kfree_skb", NULL, "skb_kfree", 0 },
	{ "page_fault_kernel", NULL, "x86_exceptions_page_fault_kernel", 0 },
};

/**
 * ctf_lttng_event() - find an event of the kernel
 * @event: the kernel's name, as in its tag
 *
 * Return: LTTng's name of the event, NULL if no row of the table renames it.
 */
const char *ctf_lttng_event(const char *event)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!names[i].field && !strcmp(names[i].event, event))
			return names[i].to;
	return NULL;
}

/**
 * ctf_lttng_field() - find a field of an event of the kernel
 * @event: the kernel's name of the event
 * @field: the field
 * @add: result: LTTng adds this to the value
 *
 * Return: LTTng's name of the field, NULL if no row of the table renames it.
 */
const char *ctf_lttng_field(const char *event, const struct jtrace_field *field, s32 *add)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!names[i].field || strcmp(names[i].event, event) ||
		    strcmp(names[i].field, field->name) ||
		    (names[i].add && field->type != JTRACE_FIELD_s32))
			continue;
		*add = names[i].add;
		return names[i].to;
	}
	return NULL;
}
