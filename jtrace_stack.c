// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: taking stacks
 *
 * jtrace_stack_take() follows the stack of the running context and returns the number of a record
 * (lib/image/stack.c), which jtrace_record_told() puts into the entry.  A record without a stack
 * never comes here.
 *
 * On x86 it goes from frame to frame with the kernel's own unwinder, from the registers of a probe
 * or of a function of ours that the event has called.  stack_trace_save() would find its own way
 * from here to the place of the event: in a probe that kprobes have made a jump, it loses the
 * caller's frames (four of them, on 6.1), and each frame on the way takes 350 instructions.  Only
 * the ORC unwinder finds the caller at a function's first instruction; with frame pointers, it
 * would be missing.
 *
 * Elsewhere stack_trace_save() is all that is exported.  It begins here, so frames before the place
 * of the event are left out: up to the address in the registers, or to the one that the caller
 * names.
 *
 * The unwinder may run in any context, and does not fault, but it can be traced and probed.  So a
 * context that takes a stack takes no other one meanwhile.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/jtrace.h>
#include <linux/jtrace_site.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "jtrace_internal.h"
#include "jtrace_slow.h"
#include "jtrace_stop.h"

/* Contexts of this CPU that take a stack: JTRACE_SLOW_*. */
static DEFINE_PER_CPU(u32, taking);

/**
 * struct taker - a stack that is being taken
 * @rec: its record
 * @from: where it begins
 * @text: offsets are from here
 * @begun: its first frame was found
 */
struct taker {
	union jtrace_stack_buffer rec;
	const struct jtrace_stack_from *from;
	u64 text;
	bool begun;
};

/* Is it the first frame? */
static __always_inline bool is_first(const struct jtrace_stack_from *from, unsigned long address)
{
	u32 i;

	for (i = 0; from->via && i < JTRACE_STACK_VIA; i++)
		if (address - from->via[i].at < from->via[i].size)
			return false;
	return true;
}

/* Add a frame if the stack has begun; false if there are enough. */
static __always_inline bool add_frame(struct taker *t, unsigned long address, bool exact)
{
	if (unlikely(!t->begun)) {
		t->begun = is_first(t->from, address);
		if (!t->begun)
			return true;
	}
	if (t->rec.r.nr == t->from->most) {
		t->rec.r.flags |= JTRACE_STACK_CUT;
		return false;
	}
	jtrace_stack_add(&t->rec, t->text, address, exact);
	return true;
}

#if defined(JTRACE_STACK_BY_ORC)
#include "jtrace_stack_x86.h"
#define LACKS	NULL
#elif defined(CONFIG_ARM64) && defined(CONFIG_STACKTRACE)
#include "jtrace_stack_arm64.h"
#define LACKS	NULL
#else
#define LACKS	"stacks need the ORC unwinder (CONFIG_UNWINDER_ORC), or arm64"

static __always_inline void take_frames(struct taker *t)
{
}

#endif

/* Why this kernel has no stacks; NULL if it has. */
const char *jtrace_stack_lacks(void)
{
	return LACKS;
}

/**
 * jtrace_stack_refused() - why can events not have a stack?
 *
 * Context: Process.
 * Return: the reason, in words; NULL if they can.
 */
const char *jtrace_stack_refused(void)
{
	if (jtrace_stack_lacks())
		return jtrace_stack_lacks();
	if (jtrace.ring.l.kind != JTRACE_KIND_LARGE)
		return "small entries have no stacks: load jtrace with use_large_entries=y";
	if (!jtrace.ring.l.stacks_size)
		return "the buffer has no room for stacks: load jtrace with stacks=64K";
	return jtrace.stacks.end ? NULL : "the address of the kernel's text is not known";
}
EXPORT_SYMBOL_GPL(jtrace_stack_refused);

/**
 * jtrace_code_find() - look up the size of a function
 * @code: result
 * @function: its first instruction
 *
 * Context: Process.
 */
void jtrace_code_find(struct jtrace_code *code, const void *function)
{
	char text[KSYM_SYMBOL_LEN];
	const char *size;

	code->at = (unsigned long)function;
	code->size = 0;
	/* SYMBOL+0x0/0xSIZE [MODULE] */
	sprint_symbol(text, code->at);
	size = strstr(text, "+0x0/");
	if (!size || sscanf(size, "+0x0/0x%lx", &code->size) != 1)
		code->size = 0;
}
EXPORT_SYMBOL_GPL(jtrace_code_find);

static __always_inline u32 take(const struct jtrace_stack_from *from)
{
	struct taker t;

	t.from = from;
	t.text = jtrace.stacks.text;
	t.begun = false;
	jtrace_stack_begin(&t.rec);
	take_frames(&t);
	return jtrace_stack_intern(&jtrace.stacks, &t.rec);
}

/**
 * jtrace_stack_take() - take the stack of the running context
 * @from: where it begins
 *
 * Context: Any.
 * Return: its number; 0 if there is no room, or if this context is taking another one: both are
 * counted.
 */
notrace u32 jtrace_stack_take(const struct jtrace_stack_from *from)
{
	u32 bit, busy, number = 0;

	preempt_disable_notrace();
	/* Interrupts leave the bits as they find them. */
	bit = jtrace_context_bit();
	busy = this_cpu_read(taking);
	/* Pairs with jtrace_stacks_init(): the other members were set before. */
	if (!smp_load_acquire(&jtrace.stacks.end)) {
		atomic64_inc(&jtrace.stacks.unstored);
	} else if (!(busy & bit)) {
		this_cpu_write(taking, busy | bit);
		barrier();
		number = take(from);
		barrier();
		this_cpu_write(taking, busy);
	} else {
		atomic64_inc(&jtrace.stacks.nested);
	}
	preempt_enable_notrace();
	return number;
}
EXPORT_SYMBOL_GPL(jtrace_stack_take);
NOKPROBE_SYMBOL(jtrace_stack_take);

/**
 * jtrace_stack_abandon() - the running task dies, maybe while it takes a stack
 *
 * As jtrace_slow_abandon().
 *
 * Context: Interrupts are disabled.
 */
void jtrace_stack_abandon(void)
{
	if (jtrace_context_bit() == JTRACE_SLOW_TASK)
		this_cpu_write(taking, this_cpu_read(taking) & ~(u32)JTRACE_SLOW_TASK);
}

/**
 * jtrace_record_stack() - record one event with the stack that led there
 * @site: as for jtrace_record()
 * @ab: same
 * @cd: same
 * @e: same
 * @f: same
 *
 * Called by JTRACE_STACK().  The first frame is the function that calls it.
 *
 * Context: Any.
 */
notrace void jtrace_record_stack(struct jtrace_site *site, u64 ab, u64 cd, u64 e, u64 f)
{
	struct jtrace_stack_from from = { .most = JTRACE_STACK_DEFAULT };
	struct pt_regs regs;

	/* The image of early boot has no stacks, and may be moved right now. */
	if (jtrace_record_is_early()) {
		jtrace_record(site, ab, cd, e, f);
		return;
	}
	JTRACE_STACK_HERE(&from, &regs);
	jtrace_record_told(site, ab, cd, e, f, jtrace_stack_take(&from));
}
EXPORT_SYMBOL_GPL(jtrace_record_stack);
NOKPROBE_SYMBOL(jtrace_record_stack);
