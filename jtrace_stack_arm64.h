/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Take the frames of a stack on arm64: a part of jtrace_stack.c.
 *
 * stack_trace_save() follows the frame records, so it misses the caller of a function that has none
 * at the place of a probe: at its first instructions, at its last ones, and all along if it calls
 * nothing.  There the link register has the caller.  Elsewhere it has a place in the function, from
 * which a call has returned, or the caller that is in the record, too.  The compiler may also keep
 * a value in it, but no call leads to where that points.
 */
#ifndef _JTRACE_STACK_ARM64_H
#define _JTRACE_STACK_ARM64_H

#include <linux/bits.h>
#include <linux/llist.h>
#include <linux/sizes.h>
#include <linux/stacktrace.h>
#include <linux/uaccess.h>

/* Most frames from here to the place of an event: handlers of kprobes and of breakpoints. */
#define INNER	24

static __always_inline bool is_in(const struct jtrace_code *code, unsigned long address)
{
	return code && address - code->at < code->size;
}

/* The frame that comes first: behind the registers, or behind the functions to leave out. */
static __always_inline u32 find_first(const struct taker *t, const unsigned long *frame, u32 nr)
{
	const struct jtrace_stack_from *from = t->from;
	const struct jtrace_code *own = from->place ? &from->place->within : NULL;
	bool left = false;
	u32 i;

	for (i = 0; i < nr; i++) {
		if (from->regs) {
			if (frame[i] == instruction_pointer(from->regs))
				return from->at_return ? i : i + 1;
			continue;
		}
		/* The frame at @address may come first, that of @own does not. */
		left |= from->address ? frame[i] == from->address : is_in(own, frame[i]);
		if (left && is_first(from, frame[i]) && !is_in(own, frame[i]))
			return i;
	}
	return nr;
}

/* Is the instruction before a call: BL, BLR, or BLR with authentication of the address? */
static __always_inline bool follows_call(unsigned long address)
{
	u32 insn;

	__get_kernel_nofault(&insn, (const u32 *)(address - sizeof(insn)), u32, fault);
	return (insn & 0xfc000000) == 0x94000000 || (insn & 0xfffffc1f) == 0xd63f0000 ||
	       (insn & 0xfefff800) == 0xd63f0800;
fault:
	return false;
}

/* Not known: the stack would lack a frame. */
#define NO_CALLER	(~0UL)

/*
 * The caller of a function with return probes, if it has no frame record: else 0.  The newest of
 * their instances are those of its entry, and the oldest of these has the caller.
 */
static __always_inline unsigned long find_probed_caller(const struct pt_regs *regs)
{
	unsigned long caller = NO_CALLER;
#if defined(CONFIG_KRETPROBES) && !defined(CONFIG_KRETPROBE_ON_RETHOOK)
	const struct llist_node *node = current->kretprobe_instances.first;
	const struct kretprobe_instance *ri;
	const void *fp = NULL;

	for (; node; node = node->next) {
		ri = llist_entry(node, struct kretprobe_instance, llist);
		if (fp && ri->fp != fp)
			break;
		fp = ri->fp;
		caller = (unsigned long)ri->ret_addr;
	}
	/* Its record would be below the stack pointer at its entry. */
	if (fp && regs->regs[29] < (unsigned long)fp)
		caller = 0;
#endif
	return caller;
}

/*
 * The caller that no frame record has; 0 if @next, of a record, is the caller.  A call is in code,
 * within 2 GiB of @text.
 */
static __always_inline unsigned long find_caller(const struct jtrace_stack_from *from,
						 unsigned long next, unsigned long text)
{
	/* Without the bits that authenticate it. */
	unsigned long link = from->regs->regs[30] | GENMASK(63, 48);
	const struct jtrace_stack_place *place = from->place;

	if (place && place->trampoline && link == place->trampoline)
		return find_probed_caller(from->regs);
	if (from->at_entry)
		return link;
	if (!place || !place->within.size || is_in(&place->within, link) ||
	    is_in(&place->other, link) || link == next || link - text + SZ_2G >= SZ_4G ||
	    !follows_call(link))
		return 0;
	return link;
}

static __always_inline void take_frames(struct taker *t)
{
	const struct jtrace_stack_from *from = t->from;
	unsigned long frame[INNER + JTRACE_STACK_MAX + 1], caller;
	u32 nr = stack_trace_save(frame, ARRAY_SIZE(frame), 0);
	u32 i = find_first(t, frame, nr);

	t->begun = true;
	if (i == nr)
		t->rec.r.flags |= JTRACE_STACK_BROKEN;
	if (from->regs && !from->at_return) {
		caller = find_caller(from, i < nr ? frame[i] : 0, t->text);
		if (caller == NO_CALLER) {
			t->rec.r.flags |= JTRACE_STACK_BROKEN;
			return;
		}
		if (caller)
			add_frame(t, caller, false);
	}
	for (; i < nr; i++)
		if (!add_frame(t, frame[i], false))
			return;
	if (nr == ARRAY_SIZE(frame))
		t->rec.r.flags |= JTRACE_STACK_CUT;
}

#endif /* _JTRACE_STACK_ARM64_H */
