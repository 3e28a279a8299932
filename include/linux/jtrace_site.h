/* SPDX-License-Identifier: GPL-2.0 */
/* Sites that are made at run time.  For modules on top of jtrace that record what is not theirs. */
#ifndef _LINUX_JTRACE_SITE_H
#define _LINUX_JTRACE_SITE_H

#include <linux/jtrace.h>
#include <linux/ptrace.h>

/**
 * struct jtrace_counted_site - a site that counts the events it loses
 * @site: the site; @site.counted is true
 * @lost: events that found no room, of each CPU
 */
struct jtrace_counted_site {
	struct jtrace_site site;
	u64 __percpu *lost;
};

bool jtrace_large_entries(void);
bool jtrace_has_memory(unsigned long address, u32 length);

/**
 * struct jtrace_code - a function
 * @at: its first byte
 * @size: bytes, 0 if it is not known
 */
struct jtrace_code {
	unsigned long at;
	unsigned long size;
};

/**
 * struct jtrace_stack_place - what arm64 must know of the place of an event
 * @within: its function; without registers and an address, one of ours, up to which frames are left
 *	out
 * @other: the part of that function that the compiler has split from it; of 0 bytes: none
 * @trampoline: where a function returns to that has a return probe; 0: not known
 */
struct jtrace_stack_place {
	struct jtrace_code within;
	struct jtrace_code other;
	unsigned long trampoline;
};

/* Functions between the place of an event and the one that takes its stack. */
#define JTRACE_STACK_VIA	3

/**
 * struct jtrace_stack_from - where a stack begins
 * @regs: of a place in a function: its caller comes first; NULL: not known, see @address
 * @at_entry: with the registers of a probe: the place is the first instruction of the function
 * @at_return: the function of @regs comes first: a place behind an instruction, or the caller of a
 *	function that has returned
 * @frame: an address in the frame of a function of ours: frames up to it are left out; NULL: none
 * @address: of the frame that comes first; 0: not known
 * @via: functions to leave out, before the one that comes first; NULL for none
 * @place: on arm64, more of the place; NULL: not known
 * @most: frames, 1 to %JTRACE_STACK_MAX
 *
 * JTRACE_STACK_HERE() is for functions that an event calls.
 */
struct jtrace_stack_from {
	struct pt_regs *regs;
	bool at_entry;
	bool at_return;
	const void *frame;
	unsigned long address;
	const struct jtrace_code *via;
	const struct jtrace_stack_place *place;
	u32 most;
};

/* Of the unwinders of x86-64, only ORC finds the caller at the first instruction of a function. */
#if defined(CONFIG_X86_64) && defined(CONFIG_UNWINDER_ORC)
#define JTRACE_STACK_BY_ORC
#endif

/**
 * JTRACE_STACK_HERE() - let a stack begin at the caller of this function
 * @_from: struct jtrace_stack_from
 * @_regs: struct pt_regs, as long as @_from is used
 *
 * On x86 this saves what the unwinder needs here, so that it need not come here from within.
 */
#ifdef JTRACE_STACK_BY_ORC
#define JTRACE_STACK_HERE(_from, _regs)					\
do {									\
	/* Not to memory: objtool would take that for what restores them. */ \
	asm volatile("movq %%rbp, %0\n\t"				\
		     "movq %%rsp, %1\n\t"				\
		     "leaq 0(%%rip), %2"				\
		     : "=&r" ((_regs)->bp), "=&r" ((_regs)->sp), "=r" ((_regs)->ip)); \
	(_regs)->cs = __KERNEL_CS;					\
	(_from)->regs = (_regs);					\
} while (0)
#else
#define JTRACE_STACK_HERE(_from, _regs)					\
do {									\
	(void)(_regs);							\
	(_from)->address = (unsigned long)__builtin_return_address(0);	\
} while (0)
#endif

void jtrace_code_find(struct jtrace_code *code, const void *function);
const char *jtrace_stack_refused(void);
u32 jtrace_stack_take(const struct jtrace_stack_from *from);

#endif /* _LINUX_JTRACE_SITE_H */
