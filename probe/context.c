// SPDX-License-Identifier: GPL-2.0
/* What the definition of a probe may name: registers by their names in struct pt_regs. */

#include <linux/kernel.h>
#include <linux/ptrace.h>

#include "hit.h"
#include "probe.h"

#define REG(name, member)	{ name, offsetof(struct pt_regs, member) }

#ifdef CONFIG_X86_64
static const struct jtrace_fetch_register registers[] = {
	REG("ax", ax), REG("bx", bx), REG("cx", cx), REG("dx", dx),
	REG("si", si), REG("di", di), REG("bp", bp), REG("sp", sp),
	REG("r8", r8), REG("r9", r9), REG("r10", r10), REG("r11", r11),
	REG("r12", r12), REG("r13", r13), REG("r14", r14), REG("r15", r15),
	REG("ip", ip), REG("flags", flags),
};

#define RETVAL		offsetof(struct pt_regs, ax)
#define STACK		offsetof(struct pt_regs, sp)
/* The calling convention of the System V ABI. */
#define ARGS								\
	.arg = {							\
		offsetof(struct pt_regs, di), offsetof(struct pt_regs, si), \
		offsetof(struct pt_regs, dx), offsetof(struct pt_regs, cx), \
		offsetof(struct pt_regs, r8), offsetof(struct pt_regs, r9), \
	},								\
	.nr_args = 6
#else
#define X(n)		REG("x" #n, regs[n])
static const struct jtrace_fetch_register registers[] = {
	X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7), X(8), X(9), X(10),
	X(11), X(12), X(13), X(14), X(15), X(16), X(17), X(18), X(19), X(20),
	X(21), X(22), X(23), X(24), X(25), X(26), X(27), X(28), X(29), X(30),
	REG("sp", sp), REG("pc", pc), REG("pstate", pstate),
};

#define RETVAL		offsetof(struct pt_regs, regs[0])
#define STACK		offsetof(struct pt_regs, sp)
/* The Procedure Call Standard for the Arm 64-bit Architecture. */
#define ARGS								\
	.arg = {							\
		offsetof(struct pt_regs, regs[0]), offsetof(struct pt_regs, regs[1]), \
		offsetof(struct pt_regs, regs[2]), offsetof(struct pt_regs, regs[3]), \
		offsetof(struct pt_regs, regs[4]), offsetof(struct pt_regs, regs[5]), \
		offsetof(struct pt_regs, regs[6]), offsetof(struct pt_regs, regs[7]), \
	},								\
	.nr_args = 8
#endif

#define REGISTERS							\
	.registers = registers,						\
	.nr_registers = ARRAY_SIZE(registers),				\
	.has_stack = true,						\
	.stack = STACK

const struct jtrace_probe_contexts jtrace_probe_contexts = {
	.entry = { REGISTERS, ARGS },
	.inside = { REGISTERS },
	.exit = { REGISTERS, .has_retval = true, .retval = RETVAL },
	.tracepoint = {
		.arg = { 0, 8, 16, 24, 32, 40, 48 },
		.nr_args = JTRACE_TRACEPOINT_ARGS,
		.nr_more = JTRACE_TRACEPOINT_ARGS - JTRACE_TRACEPOINT_REGISTERS,
		.more = 8 * JTRACE_TRACEPOINT_REGISTERS,
	},
};
