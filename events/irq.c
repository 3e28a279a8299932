// SPDX-License-Identifier: GPL-2.0
/* Events of interrupts. */

#include <linux/interrupt.h>
#include <trace/events/irq.h>

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
