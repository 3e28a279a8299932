// SPDX-License-Identifier: GPL-2.0
/* Page faults of the kernel. */

#include <linux/ptrace.h>
#if defined(JTRACE_HAS_TRACE_EXCEPTIONS)
#include <trace/events/exceptions.h>
#define HAS_PAGE_FAULT
#elif defined(CONFIG_X86)
#include <asm/trace/exceptions.h>
#define HAS_PAGE_FAULT
#endif

#include "events.h"

#ifdef HAS_PAGE_FAULT
JTRACE_EVENT(page_fault_kernel,
	TP_PROTO(unsigned long address, struct pt_regs *regs, unsigned long error_code),
	(x32, error_code, (u32)error_code),
	(x64, address, address),
	(symbol, ip, instruction_pointer(regs)));
#else
JTRACE_EVENT_MISSING(page_fault_kernel);
#endif

static struct jtrace_event *fault_events[] = {
	&jtrace_event_page_fault_kernel,
};

struct jtrace_event_group jtrace_group_fault = JTRACE_EVENT_GROUP("fault", fault_events);
