/* SPDX-License-Identifier: GPL-2.0 */
/* Take the frames of a stack with the ORC unwinder of x86-64: a part of jtrace_stack.c. */
#ifndef _JTRACE_STACK_X86_H
#define _JTRACE_STACK_X86_H

#include <asm/unwind.h>

/*
 * Without unwind_get_return_address(), which looks up each address a second time: if the unwinder
 * comes from an address to the next frame, then it is one of code.  If it does not know the code,
 * it guesses, and says that there was an error.
 */
static __always_inline void take_frames(struct taker *t)
{
	const struct jtrace_stack_from *from = t->from;
	struct unwind_state state;
	bool taken = from->at_return;

	if (taken)
		add_frame(t, from->regs->ip, false);
	__unwind_start(&state, current, from->regs, NULL);
	while (!unwind_error(&state)) {
		if (unwind_done(&state) || (state.regs && user_mode(state.regs)))
			return;
		/* Only once: what was interrupted has another stack, at any address. */
		taken |= state.sp > (unsigned long)from->frame;
		if (taken && !add_frame(t, state.ip, state.signal))
			return;
		unwind_next_frame(&state);
	}
	if (taken)
		jtrace_stack_drop(&t->rec);
	t->rec.r.flags |= JTRACE_STACK_BROKEN;
}

#endif /* _JTRACE_STACK_X86_H */
