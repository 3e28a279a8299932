/* SPDX-License-Identifier: GPL-2.0 */
/* Take the frames of a stack with stack_trace_save(), on arm64: a part of jtrace_stack.c. */
#ifndef _JTRACE_STACK_ARM64_H
#define _JTRACE_STACK_ARM64_H

#include <linux/stacktrace.h>

/* Most frames from here to the place of an event: handlers of kprobes and of breakpoints. */
#define INNER	24

/* The frame that comes first: behind the registers, or behind the functions to leave out. */
static __always_inline u32 find_first(const struct taker *t, const unsigned long *frame, u32 nr)
{
	const struct jtrace_stack_from *from = t->from;
	bool left = false;
	u32 i;

	for (i = 0; i < nr; i++) {
		if (from->regs) {
			if (frame[i] == instruction_pointer(from->regs))
				return from->at_return ? i : i + 1;
		} else if (from->address) {
			if (frame[i] != from->address)
				continue;
			while (i < nr && !is_first(from, frame[i]))
				i++;
			return i;
		} else if (!is_first(from, frame[i])) {
			left = true;
		} else if (left) {
			return i;
		}
	}
	return nr;
}

static __always_inline void take_frames(struct taker *t)
{
	const struct jtrace_stack_from *from = t->from;
	unsigned long frame[INNER + JTRACE_STACK_MAX + 1];
	u32 nr = stack_trace_save(frame, ARRAY_SIZE(frame), 0);
	u32 i = find_first(t, frame, nr);

	t->begun = true;
	if (i == nr)
		t->rec.r.flags |= JTRACE_STACK_BROKEN;
	if (from->regs && from->at_entry)
		add_frame(t, from->regs->regs[30], false);
	for (; i < nr; i++)
		if (!add_frame(t, frame[i], false))
			return;
	if (nr == ARRAY_SIZE(frame))
		t->rec.r.flags |= JTRACE_STACK_CUT;
}

#endif /* _JTRACE_STACK_ARM64_H */
