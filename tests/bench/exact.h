/* SPDX-License-Identifier: GPL-2.0 */
/* Loops whose instructions are counted; exact.c describes the method. */
#ifndef _BENCH_EXACT_H
#define _BENCH_EXACT_H

#include <asm/msr.h>
#include <linux/compiler.h>
#include <linux/types.h>

/**
 * struct exact_values - the arguments of the events of all loops
 * @a: 32 bits, as are @b, @c and @d
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
 * struct exact_object - what events of objects get a pointer to
 * @name: text
 * @e: 64 bits
 */
struct exact_object {
	char name[16];
	u64 e;
};

/**
 * struct exact_bench - one loop
 * @name: of its file
 * @loop: runs it n times, n > 0, and returns the ticks that this took
 */
struct exact_bench {
	const char *name;
	u64 (*loop)(u32 n);
};

/**
 * EXACT_LOOP() - define the function of a loop
 * @_name: of the function
 * @...: the statement to measure; it may use a, b, c, d, e and f
 *
 * The compiler loads the values into registers in each round, as from a structure of a
 * driver.  The empty loop loads them, too, so the count begins with values in registers.
 * It includes the moves and the packing for a call, and the jump out of line and back.
 */
#define EXACT_LOOP(_name, ...)						\
static noinline notrace u64 _name(u32 n)				\
{									\
	u64 begin;							\
									\
	/* Keep n in its register: no move after the first rdtsc(). */	\
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

/* The empty loop of exact.c is the right one to subtract if this takes 100 instructions. */
static __always_inline void exact_nops100(void)
{
	asm volatile(".rept 100\n\tnop\n\t.endr");
}

struct dentry *exact_add(const char *dir, const struct exact_bench *table);

#endif /* _BENCH_EXACT_H */
