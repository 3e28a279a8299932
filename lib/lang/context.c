// SPDX-License-Identifier: GPL-2.0
/*
 * What a definition may name on each kind of processor: registers by their names in
 * struct pt_regs, arguments and the return value by the calling convention.  The context of a
 * tracepoint is an array of the arguments that come in registers; the others are loaded.
 */

#include "context.h"

static const struct jtrace_fetch_register x86_64[] = {
	{ "ax", JTRACE_X86_64_AX }, { "bx", JTRACE_X86_64_BX },
	{ "cx", JTRACE_X86_64_CX }, { "dx", JTRACE_X86_64_DX },
	{ "si", JTRACE_X86_64_SI }, { "di", JTRACE_X86_64_DI },
	{ "bp", JTRACE_X86_64_BP }, { "sp", JTRACE_X86_64_SP },
	{ "r8", JTRACE_X86_64_R8 }, { "r9", JTRACE_X86_64_R9 },
	{ "r10", JTRACE_X86_64_R10 }, { "r11", JTRACE_X86_64_R11 },
	{ "r12", JTRACE_X86_64_R12 }, { "r13", JTRACE_X86_64_R13 },
	{ "r14", JTRACE_X86_64_R14 }, { "r15", JTRACE_X86_64_R15 },
	{ "ip", JTRACE_X86_64_IP }, { "flags", JTRACE_X86_64_FLAGS },
};

static const struct jtrace_fetch_register x86_64_watched[] = {
	{ "value", JTRACE_X86_64_VALUE }, { "old", JTRACE_X86_64_OLD },
};

static const struct jtrace_fetch_register x86_64_called[] = {
	{ "function", JTRACE_X86_64_IP }, { "caller", JTRACE_X86_64_ORIG_AX },
};

/* What each entry of a function has. */
#define CALLED	"function=$function:symbol caller=$caller:symbol"

/* The calling convention of the System V ABI. */
#define X86_64_ARGS { \
	JTRACE_X86_64_DI, JTRACE_X86_64_SI, JTRACE_X86_64_DX, JTRACE_X86_64_CX, \
	JTRACE_X86_64_R8, JTRACE_X86_64_R9, \
}

const struct jtrace_probe_contexts jtrace_contexts_x86_64 = {
	.entry = {
		.registers = x86_64,
		.nr_registers = ARRAY_SIZE(x86_64),
		.arg = X86_64_ARGS,
		.nr_args = 6,
		.has_stack = true,
		.stack = JTRACE_X86_64_SP,
	},
	.inside = {
		.registers = x86_64,
		.nr_registers = ARRAY_SIZE(x86_64),
		.has_stack = true,
		.stack = JTRACE_X86_64_SP,
	},
	.exit = {
		.registers = x86_64,
		.nr_registers = ARRAY_SIZE(x86_64),
		.has_retval = true,
		.retval = JTRACE_X86_64_AX,
		.has_stack = true,
		.stack = JTRACE_X86_64_SP,
	},
	.tracepoint = {
		.arg = { 0, 8, 16, 24, 32 },
		.nr_args = JTRACE_TRACEPOINT_ARGS,
		.nr_more = JTRACE_TRACEPOINT_ARGS - JTRACE_TRACEPOINT_REGISTERS_X86_64,
		.more = 8 * JTRACE_TRACEPOINT_REGISTERS_X86_64,
	},
	.watchpoint = {
		.registers = x86_64,
		.nr_registers = ARRAY_SIZE(x86_64),
		.has_stack = true,
		.stack = JTRACE_X86_64_SP,
		.variables = x86_64_watched,
		.nr_variables = ARRAY_SIZE(x86_64_watched),
	},
	.function = {
		.registers = x86_64,
		.nr_registers = ARRAY_SIZE(x86_64),
		.arg = X86_64_ARGS,
		.nr_args = 6,
		.has_stack = true,
		.stack = JTRACE_X86_64_SP,
		.variables = x86_64_called,
		.nr_variables = ARRAY_SIZE(x86_64_called),
		.given = CALLED,
	},
};

static const struct jtrace_fetch_register arm64[] = {
	{ "x0", JTRACE_ARM64_X + 8 * 0 }, { "x1", JTRACE_ARM64_X + 8 * 1 },
	{ "x2", JTRACE_ARM64_X + 8 * 2 }, { "x3", JTRACE_ARM64_X + 8 * 3 },
	{ "x4", JTRACE_ARM64_X + 8 * 4 }, { "x5", JTRACE_ARM64_X + 8 * 5 },
	{ "x6", JTRACE_ARM64_X + 8 * 6 }, { "x7", JTRACE_ARM64_X + 8 * 7 },
	{ "x8", JTRACE_ARM64_X + 8 * 8 }, { "x9", JTRACE_ARM64_X + 8 * 9 },
	{ "x10", JTRACE_ARM64_X + 8 * 10 }, { "x11", JTRACE_ARM64_X + 8 * 11 },
	{ "x12", JTRACE_ARM64_X + 8 * 12 }, { "x13", JTRACE_ARM64_X + 8 * 13 },
	{ "x14", JTRACE_ARM64_X + 8 * 14 }, { "x15", JTRACE_ARM64_X + 8 * 15 },
	{ "x16", JTRACE_ARM64_X + 8 * 16 }, { "x17", JTRACE_ARM64_X + 8 * 17 },
	{ "x18", JTRACE_ARM64_X + 8 * 18 }, { "x19", JTRACE_ARM64_X + 8 * 19 },
	{ "x20", JTRACE_ARM64_X + 8 * 20 }, { "x21", JTRACE_ARM64_X + 8 * 21 },
	{ "x22", JTRACE_ARM64_X + 8 * 22 }, { "x23", JTRACE_ARM64_X + 8 * 23 },
	{ "x24", JTRACE_ARM64_X + 8 * 24 }, { "x25", JTRACE_ARM64_X + 8 * 25 },
	{ "x26", JTRACE_ARM64_X + 8 * 26 }, { "x27", JTRACE_ARM64_X + 8 * 27 },
	{ "x28", JTRACE_ARM64_X + 8 * 28 }, { "x29", JTRACE_ARM64_X + 8 * 29 },
	{ "x30", JTRACE_ARM64_X + 8 * 30 },
	{ "sp", JTRACE_ARM64_SP }, { "pc", JTRACE_ARM64_PC }, { "pstate", JTRACE_ARM64_PSTATE },
};

static const struct jtrace_fetch_register arm64_called[] = {
	{ "function", JTRACE_ARM64_PC }, { "caller", JTRACE_ARM64_X + 8 * 30 },
};

/* The Procedure Call Standard for the Arm 64-bit Architecture: x0 to x7, and x0. */
#define ARM64_ARGS { \
	JTRACE_ARM64_X, JTRACE_ARM64_X + 8, JTRACE_ARM64_X + 16, JTRACE_ARM64_X + 24, \
	JTRACE_ARM64_X + 32, JTRACE_ARM64_X + 40, JTRACE_ARM64_X + 48, JTRACE_ARM64_X + 56, \
}

const struct jtrace_probe_contexts jtrace_contexts_arm64 = {
	.entry = {
		.registers = arm64,
		.nr_registers = ARRAY_SIZE(arm64),
		.arg = ARM64_ARGS,
		.nr_args = 8,
		.has_stack = true,
		.stack = JTRACE_ARM64_SP,
	},
	.inside = {
		.registers = arm64,
		.nr_registers = ARRAY_SIZE(arm64),
		.has_stack = true,
		.stack = JTRACE_ARM64_SP,
	},
	.exit = {
		.registers = arm64,
		.nr_registers = ARRAY_SIZE(arm64),
		.has_retval = true,
		.retval = JTRACE_ARM64_X,
		.has_stack = true,
		.stack = JTRACE_ARM64_SP,
	},
	.tracepoint = {
		.arg = { 0, 8, 16, 24, 32, 40, 48 },
		.nr_args = JTRACE_TRACEPOINT_ARGS,
		.nr_more = JTRACE_TRACEPOINT_ARGS - JTRACE_TRACEPOINT_REGISTERS_ARM64,
		.more = 8 * JTRACE_TRACEPOINT_REGISTERS_ARM64,
	},
	.function = {
		.registers = arm64,
		.nr_registers = ARRAY_SIZE(arm64),
		.arg = ARM64_ARGS,
		.nr_args = 8,
		.has_stack = true,
		.stack = JTRACE_ARM64_SP,
		.variables = arm64_called,
		.nr_variables = ARRAY_SIZE(arm64_called),
		.given = CALLED,
	},
};
