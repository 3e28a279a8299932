/* SPDX-License-Identifier: GPL-2.0 */
/* Loops whose instructions are counted; exact_loop.c tells how. */
#ifndef _EXACT_LOOP_H
#define _EXACT_LOOP_H

#include <asm/msr.h>
#include <linux/compiler.h>
#include <linux/types.h>

/**
 * struct exact_values - what the events of all loops carry
 * @a: 32 bits, as the others up to @d
 * @b: second
 * @c: third
 * @d: fourth
 * @e: 64 bits
 * @f: 64 bits
 */
struct exact_values {
	u32 a, b, c, d;
	u64 e, f;
};

extern struct exact_values exact_values;

/**
 * struct exact_bench - one loop
 * @name: of its file
 * @loop: runs it so many times, not 0; returns the ticks that it took
 */
struct exact_bench {
	const char *name;
	u64 (*loop)(u32 n);
};

/**
 * EXACT_LOOP() - define the function of a loop
 * @_name: of the function
 * @...: what is measured: a statement that may use a, b, c, d, e and f
 *
 * The values are variables to the compiler, loaded into registers in each round
 * as from a structure of a driver.  The empty loop loads them as well, so what is
 * counted begins with values in registers.  To move and pack them for a call is
 * part of what the call costs, and so is the jump to it out of line, and back.
 */
#define EXACT_LOOP(_name, ...)						\
static noinline notrace u64 _name(u32 n)				\
{									\
	u64 begin;							\
									\
	/* n is where it stays, not moved there after the first reading. */ \
	asm volatile("" : "+r" (n));					\
	begin = rdtsc();						\
	do {								\
		u32 a = READ_ONCE(exact_values.a);			\
		u32 b = READ_ONCE(exact_values.b);			\
		u32 c = READ_ONCE(exact_values.c);			\
		u32 d = READ_ONCE(exact_values.d);			\
		u64 e = READ_ONCE(exact_values.e);			\
		u64 f = READ_ONCE(exact_values.f);			\
									\
		(void)a, (void)b, (void)c, (void)d, (void)e, (void)f;	\
		__VA_ARGS__;						\
	} while (--n);							\
	return rdtsc() - begin;						\
}

/*
 * A table has it as "nops100": what is subtracted, which is the empty loop of
 * another file, is right if this takes 100 instructions.
 */
static __always_inline void exact_nops100(void)
{
	asm volatile(".rept 100\n\tnop\n\t.endr");
}

struct dentry *exact_add(const char *dir, const struct exact_bench *table);

#endif
