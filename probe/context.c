// SPDX-License-Identifier: GPL-2.0
/* lib/lang/context.c knows where struct pt_regs has each register. */

#include <linux/build_bug.h>
#include <linux/ptrace.h>
#include <linux/stddef.h>

#include "probe.h"

#define CHECK(name, member, at)	static_assert(offsetof(struct pt_regs, member) == (at));

#ifdef CONFIG_X86_64
JTRACE_REGISTERS_X86_64(CHECK)
#else
JTRACE_REGISTERS_ARM64(CHECK)
#endif
