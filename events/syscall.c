// SPDX-License-Identifier: GPL-2.0
/* Events of system calls. */

#include <linux/compat.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <asm/syscall.h>
#include <trace/events/syscalls.h>

#include "events.h"

/* Argument @nr of the system call. */
static __always_inline u64 argument(struct pt_regs *regs, int nr)
{
	unsigned long args[6];

	syscall_get_arguments(current, regs, args);
	return args[nr];
}

/* 32-bit programs have other numbers. */
JTRACE_EVENT(sys_enter,
	TP_PROTO(struct pt_regs *regs, long id),
	(s32, id, (s32)id),
	(u8, compat, in_compat_syscall()),
	(x64, arg0, argument(regs, 0)),
	(x64, arg1, argument(regs, 1)),
	(x64, arg2, argument(regs, 2)));

JTRACE_EVENT(sys_exit,
	TP_PROTO(struct pt_regs *regs, long ret),
	(s32, id, syscall_get_nr(current, regs)),
	(u8, compat, in_compat_syscall()),
	(s64, ret, ret));

static struct jtrace_event *syscall_events[] = {
	&jtrace_event_sys_enter,
	&jtrace_event_sys_exit,
};

struct jtrace_event_group jtrace_group_syscall = JTRACE_EVENT_GROUP("syscall", syscall_events);
