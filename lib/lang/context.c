// SPDX-License-Identifier: GPL-2.0
/*
 * What a definition may name on each kind of processor: registers by their names in
 * struct pt_regs, arguments and the return value by the calling convention.  The context of a
 * tracepoint is an array of the arguments that come in registers; the others are loaded.
 */

#include "context.h"

#define REGISTER(name, member, at)	{ name, at },

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

/* The calling convention of the System V ABI: di, si, dx, cx, r8, r9. */
const struct jtrace_probe_contexts jtrace_contexts_x86_64 = {
	.entry = { REGISTERS(x86_64, 152), .arg = { 112, 104, 96, 88, 72, 64 }, .nr_args = 6 },
	.inside = { REGISTERS(x86_64, 152) },
	.exit = { REGISTERS(x86_64, 152), .has_retval = true, .retval = 80 },
	.tracepoint = { TRACEPOINT(JTRACE_TRACEPOINT_REGISTERS_X86_64) },
};

static const struct jtrace_fetch_register arm64[] = { JTRACE_REGISTERS_ARM64(REGISTER) };

/* The Procedure Call Standard for the Arm 64-bit Architecture: x0 to x7. */
const struct jtrace_probe_contexts jtrace_contexts_arm64 = {
	.entry = { REGISTERS(arm64, 248), .arg = { 0, 8, 16, 24, 32, 40, 48, 56 }, .nr_args = 8 },
	.inside = { REGISTERS(arm64, 248) },
	.exit = { REGISTERS(arm64, 248), .has_retval = true, .retval = 0 },
	.tracepoint = { TRACEPOINT(JTRACE_TRACEPOINT_REGISTERS_ARM64) },
};
