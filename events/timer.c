// SPDX-License-Identifier: GPL-2.0
/* Events of timers. */

#include <linux/hrtimer.h>
#include <linux/timer.h>
#include <trace/events/timer.h>

#include "events.h"

JTRACE_EVENT(timer_expire_entry,
	TP_PROTO(struct timer_list *timer, unsigned long baseclk),
	(x64, timer, timer),
	(symbol, function, timer->function),
	(u64, baseclk, baseclk));

JTRACE_EVENT(timer_expire_exit,
	TP_PROTO(struct timer_list *timer),
	(x64, timer, timer));

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

JTRACE_EVENT(hrtimer_expire_exit,
	TP_PROTO(struct hrtimer *hrtimer),
	(x64, hrtimer, hrtimer));

static struct jtrace_event *timer_events[] = {
	&jtrace_event_timer_expire_entry,
	&jtrace_event_timer_expire_exit,
	&jtrace_event_hrtimer_expire_entry,
	&jtrace_event_hrtimer_expire_exit,
};

struct jtrace_event_group jtrace_group_timer = JTRACE_EVENT_GROUP("timer", timer_events);
