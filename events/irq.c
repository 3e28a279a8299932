// SPDX-License-Identifier: GPL-2.0
/* Events of interrupts, timers, workqueues and power management. */

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/timer.h>
#include <linux/workqueue.h>
#include <trace/events/irq.h>
#include <trace/events/power.h>
#include <trace/events/timer.h>
#include <trace/events/workqueue.h>

#include "events.h"

JTRACE_EVENT(irq_handler_entry,
	TP_PROTO(int irq, struct irqaction *action),
	(s32, irq, irq),
	(string, name, action->name));

JTRACE_EVENT(irq_handler_exit,
	TP_PROTO(int irq, struct irqaction *action, int ret),
	(s32, irq, irq),
	(s32, ret, ret));

static struct jtrace_event *irq_events[] = {
	&jtrace_event_irq_handler_entry,
	&jtrace_event_irq_handler_exit,
};

struct jtrace_event_group jtrace_group_irq = JTRACE_EVENT_GROUP("irq", irq_events);

JTRACE_EVENT(softirq_raise, TP_PROTO(unsigned int vec_nr), (u32, vec, vec_nr));
JTRACE_EVENT(softirq_entry, TP_PROTO(unsigned int vec_nr), (u32, vec, vec_nr));
JTRACE_EVENT(softirq_exit, TP_PROTO(unsigned int vec_nr), (u32, vec, vec_nr));

static struct jtrace_event *softirq_events[] = {
	&jtrace_event_softirq_raise,
	&jtrace_event_softirq_entry,
	&jtrace_event_softirq_exit,
};

struct jtrace_event_group jtrace_group_softirq = JTRACE_EVENT_GROUP("softirq", softirq_events);

JTRACE_EVENT(timer_expire_entry,
	TP_PROTO(struct timer_list *timer, unsigned long baseclk),
	(x64, timer, timer),
	(symbol, function, timer->function),
	(u64, baseclk, baseclk));

#ifdef JTRACE_HAS_HRTIMER_NOW_VALUE
#define HRTIMER_PROTO	TP_PROTO(struct hrtimer *hrtimer, ktime_t now)
#define HRTIMER_NOW	now
#else
#define HRTIMER_PROTO	TP_PROTO(struct hrtimer *hrtimer, ktime_t *now)
#define HRTIMER_NOW	(*now)
#endif

JTRACE_EVENT(hrtimer_expire_entry,
	HRTIMER_PROTO,
	(x64, hrtimer, hrtimer),
	(symbol, function, ACCESS_PRIVATE(hrtimer, function)),
	(s64, now, HRTIMER_NOW));

static struct jtrace_event *timer_events[] = {
	&jtrace_event_timer_expire_entry,
	&jtrace_event_hrtimer_expire_entry,
};

struct jtrace_event_group jtrace_group_timer = JTRACE_EVENT_GROUP("timer", timer_events);

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
