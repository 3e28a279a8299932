/* SPDX-License-Identifier: GPL-2.0 */
/* What a definition may name on each kind of processor. */
#ifndef _JTRACE_CONTEXT_H
#define _JTRACE_CONTEXT_H

#include "probe.h"

/* Most arguments of a tracepoint: BPF programs get no more of them either. */
#define JTRACE_TRACEPOINT_ARGS	12

/* Registers: name, member of struct pt_regs, and its offset there, which probe/context.c checks. */
#define JTRACE_REGISTERS_X86_64(R)					\
	R(ax, ax, 80) R(bx, bx, 40) R(cx, cx, 88) R(dx, dx, 96)		\
	R(si, si, 104) R(di, di, 112) R(bp, bp, 32) R(sp, sp, 152)	\
	R(r8, r8, 72) R(r9, r9, 64) R(r10, r10, 56) R(r11, r11, 48)	\
	R(r12, r12, 24) R(r13, r13, 16) R(r14, r14, 8) R(r15, r15, 0)	\
	R(ip, ip, 128) R(flags, flags, 144)

#define JTRACE_REGISTER_X(R, n)	R(x##n, regs[n], 8 * (n))
#define JTRACE_REGISTERS_ARM64(R)					\
	JTRACE_REGISTER_X(R, 0) JTRACE_REGISTER_X(R, 1) JTRACE_REGISTER_X(R, 2)	\
	JTRACE_REGISTER_X(R, 3) JTRACE_REGISTER_X(R, 4) JTRACE_REGISTER_X(R, 5)	\
	JTRACE_REGISTER_X(R, 6) JTRACE_REGISTER_X(R, 7) JTRACE_REGISTER_X(R, 8)	\
	JTRACE_REGISTER_X(R, 9) JTRACE_REGISTER_X(R, 10) JTRACE_REGISTER_X(R, 11) \
	JTRACE_REGISTER_X(R, 12) JTRACE_REGISTER_X(R, 13) JTRACE_REGISTER_X(R, 14) \
	JTRACE_REGISTER_X(R, 15) JTRACE_REGISTER_X(R, 16) JTRACE_REGISTER_X(R, 17) \
	JTRACE_REGISTER_X(R, 18) JTRACE_REGISTER_X(R, 19) JTRACE_REGISTER_X(R, 20) \
	JTRACE_REGISTER_X(R, 21) JTRACE_REGISTER_X(R, 22) JTRACE_REGISTER_X(R, 23) \
	JTRACE_REGISTER_X(R, 24) JTRACE_REGISTER_X(R, 25) JTRACE_REGISTER_X(R, 26) \
	JTRACE_REGISTER_X(R, 27) JTRACE_REGISTER_X(R, 28) JTRACE_REGISTER_X(R, 29) \
	JTRACE_REGISTER_X(R, 30) R(sp, sp, 248) R(pc, pc, 256) R(pstate, pstate, 264)

/* Arguments of a tracepoint that come in registers; the first register has the probe's data. */
#define JTRACE_TRACEPOINT_REGISTERS_X86_64	5
#define JTRACE_TRACEPOINT_REGISTERS_ARM64	7

extern const struct jtrace_probe_contexts jtrace_contexts_x86_64;
extern const struct jtrace_probe_contexts jtrace_contexts_arm64;

#endif /* _JTRACE_CONTEXT_H */
