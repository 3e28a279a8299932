// SPDX-License-Identifier: GPL-2.0
/*
 * What takes long lets others run, where it may sleep.
 *
 * This file compiles parts of lib/ with a function that counts calls of cond_resched().
 */

#define JTRACE_COND_RESCHED

#include <kunit/test.h>

#include "../../lib/base/env.h"
#include "../kunit/random.h"

#define jtrace_keys_sort	here_sort
#define jtrace_keys_heapify	here_heapify
#define jtrace_keys_sink	here_sink
#include "../../lib/base/keys.c"

#define MANY	100000

static u32 yields;

void cond_resched(void)
{
	yields++;
}

static void sort(struct kunit *test)
{
	struct jtrace_keys k = { kunit_kzalloc(test, MANY * sizeof(*k.key), GFP_KERNEL), MANY };
	u64 seed = 7;
	u32 i, n;

	KUNIT_ASSERT_NOT_NULL(test, k.key);
	for (n = 0; n < 2; n++) {
		for (i = 0; i < MANY; i++)
			k.key[i].time = random_next(&seed);
		yields = 0;
		here_sort(&k, n);
		for (i = 1; i < MANY; i++)
			KUNIT_ASSERT_FALSE(test, jtrace_key_less(&k.key[i], &k.key[i - 1]));
		/* At least once in 10,000 steps; not at all in an interrupt. */
		if (n)
			KUNIT_EXPECT_GE(test, yields, (MANY + MANY / 2) / 10000);
		else
			KUNIT_EXPECT_EQ(test, yields, 0);
	}
}

static struct kunit_case yield_cases[] = {
	KUNIT_CASE(sort),
	{}
};

static struct kunit_suite yield_suite = {
	.name = "yield_test",
	.test_cases = yield_cases,
};

kunit_test_suite(yield_suite);
