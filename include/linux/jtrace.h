/* SPDX-License-Identifier: GPL-2.0 */
/* jtrace, a flight recorder for kernel code.  Include only this header. */
#ifndef _LINUX_JTRACE_H
#define _LINUX_JTRACE_H

#include <linux/compiler.h>
#include <linux/kconfig.h>
#include <linux/types.h>
#include <uapi/linux/jtrace.h>
#include <asm/percpu.h>

/*
 * In a kernel tree with jtrace (CONFIG_HAVE_JTRACE), CONFIG_JTRACE decides.  Otherwise this is an
 * out-of-tree module, which records.
 */
#if !IS_REACHABLE(CONFIG_JTRACE) && \
	(IS_ENABLED(CONFIG_HAVE_JTRACE) || !defined(MODULE)) && \
	!defined(JTRACE_DISABLED)
#define JTRACE_DISABLED
#endif

/*
 * A module with JTRACE_OPTIONAL reaches jtrace through tracepoints of its own.  If the kernel has
 * no tracepoints, it records nothing.  Built-in code calls jtrace directly.
 */
#if defined(JTRACE_OPTIONAL) && defined(MODULE) && !defined(JTRACE_DISABLED)
#ifdef CONFIG_TRACEPOINTS
#define __JTRACE_BY_TRACEPOINT
#else
#define JTRACE_DISABLED
#endif
#endif

/**
 * DOC: JTRACE
 *
 * ``JTRACE("tag", a, b, c, d, e, f)`` records one event: the time, the CPU, the thread, the call
 * site (file, function, line, tag) and up to six values.  jtrace prints the last events when the
 * kernel panics, and debugfs shows them at any time.
 *
 * The tag is a string literal of at most 128 bytes.  It is not a format.  By convention it names
 * the arguments::
 *
 *	JTRACE("irq (status, pending, 0, 0, cookie)", status, pending, 0, 0, dev);
 *
 * Arguments 1 to 4 are 32-bit fields, 5 and 6 are 64-bit fields.  Missing arguments are 0.  No
 * cast is needed:
 *
 * - 32-bit fields take any integer type of up to 32 bits, bool, char, enum and bit-fields;
 * - 64-bit fields take all of these, 64-bit integers and any pointer or array, whatever its
 *   qualifiers.  Signed values are sign-extended.
 *
 * Anything else does not compile, with a message that names the rule: a type too wide for its
 * field, a floating point number, a struct or union, a seventh argument, a tag that is not a
 * literal.  Each argument is evaluated once, in no particular order.
 *
 * Context: Any: task, softirq, hardirq, NMI, with any lock held, with preemption on or off, and
 * inside a panic.  JTRACE() takes no lock, allocates nothing, never sleeps and never fails
 * visibly.  Dropped events are counted.  There are two exceptions.  Code that must not be
 * instrumented (noinstr) must not use it.  Before per-CPU areas and jump labels are set up, a trace
 * point does nothing.  With jtrace built in and jtrace.enabled=on or persistent on the command
 * line, recording begins right after that, when start_kernel() parses parameters.
 *
 * Cost: while recording is off, a no-op of the width of a jump; no argument is evaluated.  While
 * it is on, some 60 instructions per event (x86-64).
 *
 * With JTRACE_DISABLED defined (or in a kernel without CONFIG_JTRACE) it compiles to nothing:
 * arguments are checked, not evaluated.
 *
 * A module with trace points can only be loaded after jtrace.  If a module must also load without
 * jtrace, define JTRACE_OPTIONAL before each include of this header, and write the line
 * ``JTRACE_CLIENT();`` once.  The module then uses no symbol of jtrace: build it without jtrace's
 * Module.symvers, and load and unload the two in any order.  Its events are recorded while jtrace
 * is loaded, and take 30 to 40 instructions more.  jtrace attaches to tracepoints that
 * JTRACE_CLIENT() defines, so the kernel's rules for tracepoints apply: a trace point does nothing
 * on a CPU that is not online, RCU must be watching, and the kernel ignores tracepoints of modules
 * that are proprietary or loaded by force.
 */

/**
 * struct jtrace_site - a site
 * @tag: text; of a call site the literal
 * @file: source file
 * @func: function
 * @line: line
 * @number: its number in the image, 0 until it first fires; jtrace sets it
 * @args: number and types of the arguments, see &jtrace_site_record.args
 * @kind: enum jtrace_site_kind
 * @counted: it counts what it loses, see linux/jtrace_site.h
 *
 * JTRACE() defines one at compile time.  Other users, such as probes, make one at run time: see
 * jtrace_record().
 */
struct jtrace_site {
	const char *tag;
	const char *file;
	const char *func;
	u32 line;
	u32 number;
	u32 args;
	u8 kind;
	bool counted;
};

#ifdef __CHECKER__

/* sparse has no __builtin_classify_type(): only the compiler checks the types. */
#define __jtrace_fits32(x)	1
#define __jtrace_fits64(x)	1
#define __jtrace_type(x)	JTRACE_ARG_NONE

#else

/* __builtin_classify_type(): integers, enums and bools; pointers and arrays. */
#define __jtrace_is_int(x)						\
	(__builtin_classify_type(x) >= 1 && __builtin_classify_type(x) <= 4)
#define __jtrace_is_ptr(x)	(__builtin_classify_type(x) == 5)

/*
 * Adding 0 promotes a bit-field to an integer, so that sizeof works.  A value that is no integer
 * is replaced by 0, so that only the assertion reports it.
 */
#define __jtrace_int(x)		(__builtin_choose_expr(__jtrace_is_int(x), (x), 0) + 0)
#define __jtrace_int_size(x)	sizeof(__jtrace_int(x))

#define __jtrace_fits32(x)	(__jtrace_is_int(x) && __jtrace_int_size(x) <= 4)
#define __jtrace_fits64(x)						\
	(__jtrace_is_ptr(x) || (__jtrace_is_int(x) && __jtrace_int_size(x) <= 8))

/* enum jtrace_arg of a pointer, or of an integer that adding 0 has promoted. */
#define __jtrace_wide_type(x)						\
	(__jtrace_is_ptr(x) ? JTRACE_ARG_POINTER :			\
	 (__jtrace_int_size(x) <= 4 ? JTRACE_ARG_U32 : JTRACE_ARG_U64) + \
	 (__jtrace_int_signed(x) ? JTRACE_ARG_S32 - JTRACE_ARG_U32 : 0))
#define __jtrace_int_signed(x)						\
	((typeof(__jtrace_int(x)))-1 < (typeof(__jtrace_int(x)))1)

/* enum jtrace_arg of a value.  Not by sizeof, which a bit-field does not have. */
#define __jtrace_type(x)						\
	_Generic((x), default : __jtrace_wide_type(x),			\
		 bool : JTRACE_ARG_U8,					\
		 char : (char)-1 < (char)1 ? JTRACE_ARG_S8 : JTRACE_ARG_U8, \
		 signed char : JTRACE_ARG_S8,				\
		 unsigned char : JTRACE_ARG_U8,				\
		 short : JTRACE_ARG_S16,				\
		 unsigned short : JTRACE_ARG_U16)

#endif /* __CHECKER__ */

#define __jtrace_check32(n, x)						\
	_Static_assert(__jtrace_fits32(x),				\
		"JTRACE: argument " #n " is a 32-bit field: an integer, bool or enum of at most 32 bits")
#define __jtrace_check64(n, x)						\
	_Static_assert(__jtrace_fits64(x),				\
		"JTRACE: argument " #n " is a 64-bit field: an integer, bool or enum of at most 64 bits, or a pointer")

#define __jtrace_u32(x)							\
	((__force u32)__builtin_choose_expr(__jtrace_fits32(x), (x), 0))
#define __jtrace_u64(x)							\
	((__force u64)__builtin_choose_expr(__jtrace_fits64(x), (x), 0))

#define __jtrace_check_tag(tag)						\
	_Static_assert(__builtin_constant_p(tag) && sizeof(tag) <= 128 + 1 && \
		       __builtin_types_compatible_p(typeof(tag), char[sizeof(tag)]), \
		"JTRACE: the tag must be a string literal of at most 128 bytes")

/*
 * &jtrace_site_record.args.  @rest is the size of the text of the zeros left over from padding: 1
 * without arguments, 2 with one, and 3 more for each further one.
 */
#define __jtrace_args(rest, a, b, c, d, e, f)				\
	(JTRACE_ARGS_TOLD |						\
	 __jtrace_arg(rest, 1, a) | __jtrace_arg(rest, 2, b) |		\
	 __jtrace_arg(rest, 3, c) | __jtrace_arg(rest, 4, d) |		\
	 __jtrace_arg(rest, 5, e) | __jtrace_arg(rest, 6, f))
#define __jtrace_arg(rest, n, x)					\
	((rest) >= 3 * (n) - 1 ? (u32)__jtrace_type(x) << JTRACE_ARG_BITS * ((n) - 1) : 0)

/*
 * Pads the arguments with zeros.  More than six zeros left over mean too many arguments.  @record:
 * the function to call.
 */
#define __jtrace_expand(record, tag, a, b, c, d, e, f, ...)		\
do {									\
	_Static_assert(sizeof(#__VA_ARGS__) <= sizeof("0, 0, 0, 0, 0, 0"), \
		       "JTRACE: there are at most 6 arguments after the tag"); \
	__jtrace_check_tag(tag);					\
	__jtrace_check32(1, a);						\
	__jtrace_check32(2, b);						\
	__jtrace_check32(3, c);						\
	__jtrace_check32(4, d);						\
	__jtrace_check64(5, e);						\
	__jtrace_check64(6, f);						\
	__jtrace_emit(record, tag,					\
		      __jtrace_args(sizeof(#__VA_ARGS__), a, b, c, d, e, f), \
		      a, b, c, d, e, f);				\
} while (0)

/**
 * JTRACE() - record one event
 * @...: the tag, then up to six arguments; see the DOC block above
 */
#define JTRACE(...)							\
	__jtrace_expand(__jtrace_record, __VA_ARGS__, 0, 0, 0, 0, 0, 0)

/**
 * JTRACE_STACK() - record one event with the stack that led there
 * @...: as for JTRACE()
 *
 * The trace shows the function that has the trace point, who called it, and so on, up to 16.
 * Costs some 2,000 instructions, and 350 more a frame.  jtrace keeps each distinct stack once, in
 * an area of the buffer: if it is full, events are recorded without theirs, and counted.  See the
 * parameter stacks=.
 *
 * Context: Any.
 */
#define JTRACE_STACK(...)						\
	__jtrace_expand(__jtrace_record_stack, __VA_ARGS__, 0, 0, 0, 0, 0, 0)

/* Two 32-bit fields in one register, as an entry stores them. */
#define __jtrace_pair(lo, hi)						\
	((u64)__jtrace_u32(lo) | (u64)__jtrace_u32(hi) << 32)

#ifdef JTRACE_DISABLED

static __always_inline void __jtrace_ignore(u64 ab, u64 cd, u64 e, u64 f)
{
}

static inline void jtrace_stop(const char *why)
{
}

/*
 * Pass the same expressions as below to a function, so that all code that compiles with recording
 * compiles here.  A cast to void would not use the result of a must_check function.
 */
#define __jtrace_emit(record, tag, args, a, b, c, d, e, f)		\
do {									\
	if (0)								\
		__jtrace_ignore(__jtrace_pair(a, b), __jtrace_pair(c, d), \
				__jtrace_u64(e), __jtrace_u64(f));	\
} while (0)

#else /* !JTRACE_DISABLED */

/* Sites are __aligned(8), because gcc aligns objects of 32 bytes or more to 32 and leaves gaps. */
#define __JTRACE_SITE(_tag, _args)					\
	{								\
		.tag = (_tag),						\
		.file = __FILE__,					\
		.func = __func__,					\
		.line = __LINE__,					\
		.args = (_args),					\
	}

#ifdef __JTRACE_BY_TRACEPOINT
#include <linux/jtrace_client.h>
#else

#include <linux/jump_label.h>

DECLARE_STATIC_KEY_FALSE(jtrace_key);
void jtrace_record(struct jtrace_site *site, u64 ab, u64 cd, u64 e, u64 f);
void jtrace_record_stack(struct jtrace_site *site, u64 ab, u64 cd, u64 e, u64 f);
void jtrace_stop(const char *why);

#define __jtrace_on()		static_branch_unlikely(&jtrace_key)
#define __jtrace_record		jtrace_record
#define __jtrace_stack_entry	jtrace_record_stack
#define __jtrace_new_site(tag, args)					\
	static struct jtrace_site __aligned(8) __jtrace_site = __JTRACE_SITE(tag, args)

#endif

/* A jump instead of a call would leave this function out of the stack. */
#define __jtrace_record_stack(...)					\
do {									\
	__jtrace_stack_entry(__VA_ARGS__);				\
	barrier();							\
} while (0)

#define __jtrace_emit(record, tag, args, a, b, c, d, e, f)		\
do {									\
	__jtrace_new_site(tag, args);					\
	if (__jtrace_on())						\
		record(&__jtrace_site, __jtrace_pair(a, b),		\
		       __jtrace_pair(c, d), __jtrace_u64(e), __jtrace_u64(f)); \
} while (0)

#endif /* JTRACE_DISABLED */

/**
 * JTRACE_CLIENT() - record the trace points of a module whenever jtrace is loaded
 *
 * Write ``JTRACE_CLIENT();`` in one file of a module with JTRACE_OPTIONAL; see the DOC block above.
 */
#ifndef JTRACE_OPTIONAL
#define JTRACE_CLIENT()							\
	_Static_assert(0, "JTRACE_CLIENT() needs JTRACE_OPTIONAL to be defined before <linux/jtrace.h> is included")
#elif !defined(__JTRACE_BY_TRACEPOINT)
#define JTRACE_CLIENT()		struct jtrace_site
#endif

#endif /* _LINUX_JTRACE_H */
