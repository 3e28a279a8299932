/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the test modules.  Include it last, because it changes pr_fmt().
 */
#ifndef _KMOD_H
#define _KMOD_H

#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/processor.h>
#include <linux/timekeeping.h>

#undef pr_fmt
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#define TEST_MODULE(text)						\
	MODULE_DESCRIPTION("Test: " text);				\
	MODULE_INFO(test, "Y");						\
	MODULE_LICENSE("GPL")

/* For module_exit(): a module that has an init function and no exit function stays loaded. */
static inline void __exit undo_nothing(void)
{
}

/* ---- Parameters ------------------------------------------------------- */

#define PARAM_OF(c_type, type, name, value, mode, text)			\
	static c_type name = value;					\
	module_param(name, type, mode);					\
	MODULE_PARM_DESC(name, text)

/* Set at load time; _RW: also later. */
#define PARAM(type, name, value, text)		PARAM_OF(type, type, name, value, 0444, text)
#define PARAM_RW(type, name, value, text)	PARAM_OF(type, type, name, value, 0644, text)
#define PARAM_TEXT(name, value, text)		PARAM_OF(char *, charp, name, value, 0444, text)

#define PARAM_OPS(name, mode, text, ...)				\
	static const struct kernel_param_ops name##_param_ops = { __VA_ARGS__ }; \
	module_param_cb(name, &name##_param_ops, NULL, mode);		\
	MODULE_PARM_DESC(name, text)

/* A write calls name_set(), or a read calls name_get(). */
#define PARAM_SET(name, text)			PARAM_OPS(name, 0200, text, .set = name##_set)
#define PARAM_GET(name, text)			PARAM_OPS(name, 0444, text, .get = name##_get)

/* ---- Waiting ---------------------------------------------------------- */

#define MOST_NS		(60ULL * NSEC_PER_SEC)

/*
 * Wait, busy, until *what is @is, for a minute at most.
 *
 * Interrupts may be off, and jiffies may not advance.  Read the clock rarely: it may be a
 * device, and reading it would delay a CPU that prints an oops to a serial port.
 */
static inline bool wait_until(const bool *what, bool is)
{
	u64 end = ktime_get_mono_fast_ns() + MOST_NS;
	int i;

	do {
		for (i = 0; i < 1000000; i++) {
			if (READ_ONCE(*what) == is)
				return true;
			cpu_relax();
		}
	} while (ktime_get_mono_fast_ns() < end);
	return false;
}

/* ---- Dying ------------------------------------------------------------ */

/* checkpatch would take BUG() for error handling. */
#define DIE	BUG

/* Inlined: tests look for the name of the caller. */
static __always_inline void write_null(void)
{
	int *nowhere = NULL;

	OPTIMIZER_HIDE_VAR(nowhere);
	*nowhere = 1;
}

/* ---- kprobes ---------------------------------------------------------- */

struct kprobe;
struct pt_regs;

/*
 * A post_handler: with one, a probe stays a breakpoint.  The kernel would turn it into a jump,
 * and wait for all CPUs.  Meanwhile it holds the lock for loading modules until all threads
 * have slept, and those of jtrace_hammer never sleep.
 */
static inline void stay(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

#endif /* _KMOD_H */
