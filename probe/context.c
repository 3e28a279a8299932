// SPDX-License-Identifier: GPL-2.0
/* lib/lang/context.c knows where struct pt_regs has each register. */

#include <linux/build_bug.h>
#include <linux/ptrace.h>
#include <linux/stddef.h>

#include "probe.h"

#ifdef CONFIG_X86_64
static_assert(offsetof(struct pt_regs, ax) == JTRACE_X86_64_AX);
static_assert(offsetof(struct pt_regs, bx) == JTRACE_X86_64_BX);
static_assert(offsetof(struct pt_regs, cx) == JTRACE_X86_64_CX);
static_assert(offsetof(struct pt_regs, dx) == JTRACE_X86_64_DX);
static_assert(offsetof(struct pt_regs, si) == JTRACE_X86_64_SI);
static_assert(offsetof(struct pt_regs, di) == JTRACE_X86_64_DI);
static_assert(offsetof(struct pt_regs, bp) == JTRACE_X86_64_BP);
static_assert(offsetof(struct pt_regs, sp) == JTRACE_X86_64_SP);
static_assert(offsetof(struct pt_regs, r8) == JTRACE_X86_64_R8);
static_assert(offsetof(struct pt_regs, r9) == JTRACE_X86_64_R9);
static_assert(offsetof(struct pt_regs, r10) == JTRACE_X86_64_R10);
static_assert(offsetof(struct pt_regs, r11) == JTRACE_X86_64_R11);
static_assert(offsetof(struct pt_regs, r12) == JTRACE_X86_64_R12);
static_assert(offsetof(struct pt_regs, r13) == JTRACE_X86_64_R13);
static_assert(offsetof(struct pt_regs, r14) == JTRACE_X86_64_R14);
static_assert(offsetof(struct pt_regs, r15) == JTRACE_X86_64_R15);
static_assert(offsetof(struct pt_regs, ip) == JTRACE_X86_64_IP);
static_assert(offsetof(struct pt_regs, flags) == JTRACE_X86_64_FLAGS);
#else
static_assert(offsetof(struct pt_regs, regs) == JTRACE_ARM64_X);
static_assert(sizeof(((struct pt_regs *)0)->regs) == 31 * 8);
static_assert(offsetof(struct pt_regs, sp) == JTRACE_ARM64_SP);
static_assert(offsetof(struct pt_regs, pc) == JTRACE_ARM64_PC);
static_assert(offsetof(struct pt_regs, pstate) == JTRACE_ARM64_PSTATE);
#endif
