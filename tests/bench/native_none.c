// SPDX-License-Identifier: GPL-2.0
/* In place of native_variants.c where it cannot be compiled. */

#include "native.h"

struct variant_code variants[NR_VARIANTS];

/**
 * variants_init() - say that there is nothing to be timed
 * @size: not used
 *
 * Return: true.
 */
bool variants_init(u32 size)
{
	u32 i;

	(void)size;
	for (i = 0; i < NR_VARIANTS; i++)
		variants[i].missing = "skipped: timed on x86-64 only";
	return true;
}

void variants_thread(u32 cpu)
{
	(void)cpu;
}

void variants_gap(u32 which, u32 steps)
{
	(void)which;
	(void)steps;
}

void variants_chain(u32 steps)
{
	(void)steps;
}

bool variants_verify(void)
{
	return true;
}

u64 ticks_begin(void)
{
	return 0;
}

u64 ticks_end(void)
{
	return 0;
}

void relax(void)
{
}
