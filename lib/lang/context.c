// SPDX-License-Identifier: GPL-2.0
/*
 * What a definition may name on each kind of processor: registers by their names in
 * struct pt_regs, arguments and the return value by the calling convention.  The context of a
 * tracepoint is an array of the arguments that come in registers; the others are loaded.
 */

#include "context.h"

#define REGISTER(name, member, at)	{ #name, at },
#define X86_64(name, member, at)	X86_64_##name = at,
#define ARM64(name, member, at)		ARM64_##name = at,

enum { JTRACE_REGISTERS_X86_64(X86_64) };
enum { JTRACE_REGISTERS_ARM64(ARM64) };

#define REGISTERS(list, sp)						\
	.registers = list,						\
	.nr_registers = ARRAY_SIZE(list),				\
	.has_stack = true,						\
	.stack = sp

#define TRACEPOINT(nr)							\
	.arg = { 0, 8, 16, 24, 32, 40, 48 },				\
	.nr_args = JTRACE_TRACEPOINT_ARGS,				\
	.nr_more = JTRACE_TRACEPOINT_ARGS - (nr),			\
	.more = 8 * (nr)

static const struct jtrace_fetch_register x86_64[] = { JTRACE_REGISTERS_X86_64(REGISTER) };

/* The calling convention of the System V ABI. */
const struct jtrace_probe_contexts jtrace_contexts_x86_64 = {
	.entry = {
		REGISTERS(x86_64, X86_64_sp),
		.arg = { X86_64_di, X86_64_si, X86_64_dx, X86_64_cx, X86_64_r8, X86_64_r9 },
		.nr_args = 6,
	},
	.inside = { REGISTERS(x86_64, X86_64_sp) },
	.exit = { REGISTERS(x86_64, X86_64_sp), .has_retval = true, .retval = X86_64_ax },
	.tracepoint = { TRACEPOINT(JTRACE_TRACEPOINT_REGISTERS_X86_64) },
};

static const struct jtrace_fetch_register arm64[] = { JTRACE_REGISTERS_ARM64(REGISTER) };

/* The Procedure Call Standard for the Arm 64-bit Architecture. */
const struct jtrace_probe_contexts jtrace_contexts_arm64 = {
	.entry = {
		REGISTERS(arm64, ARM64_sp),
		.arg = { ARM64_x0, ARM64_x1, ARM64_x2, ARM64_x3, ARM64_x4, ARM64_x5, ARM64_x6,
			 ARM64_x7 },
		.nr_args = 8,
	},
	.inside = { REGISTERS(arm64, ARM64_sp) },
	.exit = { REGISTERS(arm64, ARM64_sp), .has_retval = true, .retval = ARM64_x0 },
	.tracepoint = { TRACEPOINT(JTRACE_TRACEPOINT_REGISTERS_ARM64) },
};
