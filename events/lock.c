// SPDX-License-Identifier: GPL-2.0
/* Events of locks that tasks wait for. */

#include <trace/events/lock.h>

#include "events.h"

JTRACE_EVENT(contention_begin,
	TP_PROTO(void *lock, unsigned int flags),
	(x32, flags, flags),
	(x64, lock_addr, lock));

JTRACE_EVENT(contention_end,
	TP_PROTO(void *lock, int ret),
	(s32, ret, ret),
	(x64, lock_addr, lock));

static struct jtrace_event *lock_events[] = {
	&jtrace_event_contention_begin,
	&jtrace_event_contention_end,
};

struct jtrace_event_group jtrace_group_lock = JTRACE_EVENT_GROUP("lock", lock_events);
