/* SPDX-License-Identifier: GPL-2.0 */
/* arm64: see arch.h. */
#ifndef _JTRACE_PROBE_ARCH_ARM64_H
#define _JTRACE_PROBE_ARCH_ARM64_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/stddef.h>

#include "../lib/lang/context.h"

#define jtrace_arch_contexts	jtrace_contexts_arm64
#define JTRACE_ARCH_TRAMPOLINES	"__kretprobe_trampoline", "arch_rethook_trampoline"
#define JTRACE_ARCH_REGISTERS	JTRACE_TRACEPOINT_REGISTERS_ARM64
#define JTRACE_ARCH_ARGS	u64 a1, u64 a2, u64 a3, u64 a4, u64 a5, u64 a6, u64 a7
#define JTRACE_ARCH_LIST	a1, a2, a3, a4, a5, a6, a7

static_assert(offsetof(struct pt_regs, regs) == JTRACE_ARM64_X);
static_assert(sizeof(((struct pt_regs *)0)->regs) == 31 * 8);
static_assert(offsetof(struct pt_regs, sp) == JTRACE_ARM64_SP);
static_assert(offsetof(struct pt_regs, pc) == JTRACE_ARM64_PC);
static_assert(offsetof(struct pt_regs, pstate) == JTRACE_ARM64_PSTATE);

#define jtrace_arch_function(regs)	((regs)->pc)
#define jtrace_arch_caller(regs)	((regs)->regs[30])

static inline void jtrace_arch_init(void)
{
}

/* Bit 55 tells which table translates an address; a tag may be above. */
static __always_inline bool jtrace_arch_is_kernel(u64 address, const u32 width)
{
	return address & (address + width - 1) & BIT_ULL(55);
}

static inline bool jtrace_arch_is_entry(u64 offset)
{
	return !offset;
}

static inline bool jtrace_arch_is_thunk(const char *symbol)
{
	return false;
}

static inline const char *jtrace_arch_mode(kprobe_opcode_t now, bool ftrace)
{
	return ftrace ? "ftrace" : "breakpoint";
}

/* baaf553d3bc3 ("arm64: Implement HAVE_DYNAMIC_FTRACE_WITH_CALL_OPS"), 6.3: two nops are before it. */
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS
#define jtrace_arch_call_site(entry)	((entry) + 2 * AARCH64_INSN_SIZE)
#else
#define jtrace_arch_call_site(entry)	(entry)
#endif

/* A nop or a branch is behind instructions that depend on the kernel: not looked at. */
#define JTRACE_ARCH_TRACED	4
static inline bool jtrace_arch_is_traced(const u8 *first)
{
	return true;
}

#endif /* _JTRACE_PROBE_ARCH_ARM64_H */
