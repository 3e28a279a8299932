/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What probes must know of the processor, a file for each:
 *
 * jtrace_arch_contexts		what a definition may name, of lib/lang/context.c
 * JTRACE_ARCH_REGISTERS	arguments of a tracepoint that come in registers
 * JTRACE_ARCH_ARGS, _LIST	these as parameters, and their names
 * jtrace_arch_is_kernel()	are these bytes the kernel's?
 * jtrace_arch_init()		before the first hit
 * jtrace_arch_is_entry()	does a function begin at this offset?
 * jtrace_arch_call_site()	an entry of a module's list for ftrace, as an address in a function
 * jtrace_arch_is_traced()	does ftrace trace the function with these first bytes?
 * jtrace_arch_is_thunk()	does the handler of a probe itself run through this function?
 * jtrace_arch_mode()		how hits come if this instruction replaces the probed one
 * JTRACE_ARCH_TRAMPOLINES	where functions return to that have return probes, if stacks need it
 * jtrace_arch_function(), jtrace_arch_caller()
 *				where the context of a function has these two, of lib/lang/context.c
 * JTRACE_ARCH_WATCHES		there are watchpoints: a hit comes behind the write, as in an NMI
 */
#ifndef _JTRACE_PROBE_ARCH_H
#define _JTRACE_PROBE_ARCH_H

#if defined(CONFIG_X86_64)
#include "arch_x86.h"
#elif defined(CONFIG_ARM64)
#include "arch_arm64.h"
#else
#error "jtrace_probe has no file for this processor"
#endif

#endif /* _JTRACE_PROBE_ARCH_H */
