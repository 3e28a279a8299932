/* SPDX-License-Identifier: GPL-2.0 */
/* x86-64: see arch.h. */
#ifndef _JTRACE_PROBE_ARCH_X86_H
#define _JTRACE_PROBE_ARCH_X86_H

#include <linux/build_bug.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <asm/processor.h>
#include <asm/vsyscall.h>

#include "../lib/lang/context.h"

#define jtrace_arch_contexts	jtrace_contexts_x86_64
#define JTRACE_ARCH_REGISTERS	JTRACE_TRACEPOINT_REGISTERS_X86_64
#define JTRACE_ARCH_ARGS	u64 a1, u64 a2, u64 a3, u64 a4, u64 a5
#define JTRACE_ARCH_LIST	a1, a2, a3, a4, a5

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

#if defined(CONFIG_HAVE_HW_BREAKPOINT) && defined(CONFIG_PERF_EVENTS)
#define JTRACE_ARCH_WATCHES
#endif

/**
 * struct jtrace_arch_watched - the context of a watchpoint
 * @regs: of the writer
 * @value: what it has written
 * @old: what was there at the last hit
 */
struct jtrace_arch_watched {
	struct pt_regs regs;
	u64 value;
	u64 old;
};

static_assert(offsetof(struct jtrace_arch_watched, value) == JTRACE_X86_64_VALUE);
static_assert(offsetof(struct jtrace_arch_watched, old) == JTRACE_X86_64_OLD);

/* ftrace restores both: an address behind its call, and what only ftrace uses. */
#define jtrace_arch_function(regs)	((regs)->ip)
#define jtrace_arch_caller(regs)	((regs)->orig_ax)
static_assert(offsetof(struct pt_regs, orig_ax) == JTRACE_X86_64_ORIG_AX);

/* The lowest address of the kernel: depends on the number of page table levels. */
extern u64 jtrace_arch_lowest;

static inline void jtrace_arch_init(void)
{
	/* A CPU with five levels of page tables may run with four of them. */
	jtrace_arch_lowest = -(1ULL << __VIRTUAL_MASK_SHIFT);
}

/*
 * As copy_from_kernel_nofault_allowed(), which modules cannot call: the kernel warns of the
 * exception that a non-canonical address raises, and the page of vsyscalls counts as one of users.
 * Nothing is mapped behind that page.
 */
static __always_inline bool jtrace_arch_is_kernel(u64 address, const u32 width)
{
	return address >= jtrace_arch_lowest && address <= VSYSCALL_ADDR - width;
}

/* endbr64 may be before the first instruction that a function executes. */
static inline bool jtrace_arch_is_entry(u64 offset)
{
	return !offset || offset == 4;
}

static inline bool jtrace_arch_ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len >= n && !strcmp(text + len - n, end);
}

/*
 * Thunks take the place of returns and indirect calls on CPUs that speculate wrongly.  The kernel
 * does not keep kprobes away from all of them, and executes them before a kprobe can tell that it
 * hit itself.
 */
static inline bool jtrace_arch_is_thunk(const char *symbol)
{
	return strstarts(symbol, "__x86_indirect_") || strstarts(symbol, "__x86_return_") ||
	       jtrace_arch_ends_with(symbol, "_return_thunk") ||
	       jtrace_arch_ends_with(symbol, "_safe_ret") ||
	       jtrace_arch_ends_with(symbol, "_untrain_ret");
}

/* Each with a displacement of 32 bits. */
#define JTRACE_CALL_OPCODE	0xe8
#define JTRACE_JUMP_OPCODE	0xe9

static inline const char *jtrace_arch_mode(kprobe_opcode_t now, bool ftrace)
{
	if (ftrace)
		return now == JTRACE_CALL_OPCODE ? "ftrace" : "off";
	return now == JTRACE_JUMP_OPCODE ? "jump" : "breakpoint";
}

#define jtrace_arch_call_site(entry)	(entry)

/* The call may be behind an endbr64.  If not, byte 4 is of the displacement, or of a nop. */
#define JTRACE_ARCH_TRACED	5
static inline bool jtrace_arch_is_traced(const u8 *first)
{
	return first[0] == JTRACE_CALL_OPCODE || first[4] == JTRACE_CALL_OPCODE;
}

#endif /* _JTRACE_PROBE_ARCH_X86_H */
