/* SPDX-License-Identifier: GPL-2.0 */
/* For nest_test.c: clear between any two accesses of a record. */
#ifndef _JTRACE_NEST_CLEAR_H
#define _JTRACE_NEST_CLEAR_H

#include "nest.h"

static struct {
	u64 floor;
	u32 first;		/* number of the first event after clearing, MOST for none */
} clearing;

static void clear_here(void)
{
	clearing.floor = jtrace_ring_floor_next(&nest->ring);
	clearing.first = nest->nr;
	jtrace_ring_close(&nest->ring, &nest->rc[0]);
	jtrace_ring_close(&nest->ring, &nest->rc[1]);
	jtrace_ring_floor_set(&nest->ring, clearing.floor);
}

/*
 * An IPI clears anywhere in a record: later events lie above the floor.  The record that it
 * interrupts has a slot already, which is hidden, or gets one above the floor.
 */
static void close_in_a_claim(struct kunit *test)
{
	u32 i, at = 0;

	nest_new(test, JTRACE_KIND_LARGE);
	nest->instead = clear_here;
	do {
		reset(8, 8, true);
		prepare(2, 0);
		while (!jtrace_ring_full(&nest->ring, nest->rc[0].cursor))
			record(0);
		clearing.first = MOST;
		memset(nest->count, 0, sizeof(nest->count));
		nest->at[0] = at;
		nest->at[1] = U32_MAX;
		nest->on_cpu[0] = 0;
		nest->level = 0;
		record(0);
		nest->level = LEVELS;
		record(0);
		record(1);
		for (i = clearing.first; i < nest->nr; i++)
			KUNIT_ASSERT_GE(test, nest->cursor[i] >> 32, (u32)clearing.floor);
		check_chains();
	} while (nest->count[0] > at++);
	KUNIT_EXPECT_GT(test, at, 10);
	nest = NULL;
}

#endif /* _JTRACE_NEST_CLEAR_H */
