/* SPDX-License-Identifier: GPL-2.0 */
/* What a definition may name on each kind of processor. */
#ifndef _JTRACE_CONTEXT_H
#define _JTRACE_CONTEXT_H

#include "probe.h"

/* Most arguments of a tracepoint: BPF programs get no more of them either. */
#define JTRACE_TRACEPOINT_ARGS	12

/* Offsets in struct pt_regs, which probe/arch_*.h check. */
enum {
	JTRACE_X86_64_AX = 80,
	JTRACE_X86_64_BX = 40,
	JTRACE_X86_64_CX = 88,
	JTRACE_X86_64_DX = 96,
	JTRACE_X86_64_SI = 104,
	JTRACE_X86_64_DI = 112,
	JTRACE_X86_64_BP = 32,
	JTRACE_X86_64_SP = 152,
	JTRACE_X86_64_R8 = 72,
	JTRACE_X86_64_R9 = 64,
	JTRACE_X86_64_R10 = 56,
	JTRACE_X86_64_R11 = 48,
	JTRACE_X86_64_R12 = 24,
	JTRACE_X86_64_R13 = 16,
	JTRACE_X86_64_R14 = 8,
	JTRACE_X86_64_R15 = 0,
	JTRACE_X86_64_IP = 128,
	JTRACE_X86_64_FLAGS = 144,
	/* No register: that of a function has the caller here. */
	JTRACE_X86_64_ORIG_AX = 120,
	/* Behind struct pt_regs, in the context of a watchpoint. */
	JTRACE_X86_64_VALUE = 168,
	JTRACE_X86_64_OLD = 176,
};

enum {
	JTRACE_ARM64_X = 0,		/* x0; 8 bytes each */
	JTRACE_ARM64_SP = 248,
	JTRACE_ARM64_PC = 256,
	JTRACE_ARM64_PSTATE = 264,
};

/* Arguments of a tracepoint that come in registers; the first register has the probe's data. */
#define JTRACE_TRACEPOINT_REGISTERS_X86_64	5
#define JTRACE_TRACEPOINT_REGISTERS_ARM64	7

extern const struct jtrace_probe_contexts jtrace_contexts_x86_64;
extern const struct jtrace_probe_contexts jtrace_contexts_arm64;

#endif /* _JTRACE_CONTEXT_H */
