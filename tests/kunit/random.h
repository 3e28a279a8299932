/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random numbers for all tests, in user space and in a kernel: splitmix64 (Steele, Lea and Flood,
 * "Fast splittable pseudorandom number generators", 2014).  The same seed gives the same numbers
 * on every machine.
 */
#ifndef _JTRACE_TEST_RANDOM_H
#define _JTRACE_TEST_RANDOM_H

#include <linux/types.h>

#define RANDOM_STEP	0x9e3779b97f4a7c15ULL

/* A number that looks random and depends on @x alone. */
static inline __u64 random_hash(__u64 x)
{
	x += RANDOM_STEP;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/* The next number; @state begins as the seed. */
static inline __u64 random_next(__u64 *state)
{
	__u64 x = *state;

	*state += RANDOM_STEP;
	return random_hash(x);
}

/* The next number, less than @n. */
static inline __u32 random_below(__u64 *state, __u32 n)
{
	return (__u32)(random_next(state) >> 32) % n;
}

#endif /* _JTRACE_TEST_RANDOM_H */
