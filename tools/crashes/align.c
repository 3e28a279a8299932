// SPDX-License-Identifier: GPL-2.0
/*
 * Where two threads begin to do the same.
 *
 * A buffer forgets the oldest entries, so one of two traces may begin later in the life of a
 * thread.  They are aligned where the first steps of one are found in the other.
 */

#include "diff.h"

/* So many steps must agree, unless a thread has fewer; and it is looked for them so far. */
#define ALIGN_STEPS	16
#define ALIGN_MOST	100000

/**
 * thread_order() - compare threads by their names; those with one name by their begin
 * @a: a struct thread
 * @b: another one
 */
int thread_order(const void *a, const void *b)
{
	const struct thread *x = a, *y = b;

	return strcmp(x->name, y->name) ?: (x->nth > y->nth) - (x->nth < y->nth);
}

/**
 * wait_order() - compare tasks that wait
 * @a: a struct wait
 * @b: another one
 */
int wait_order(const void *a, const void *b)
{
	return strcmp(((const struct wait *)a)->text, ((const struct wait *)b)->text);
}

static bool same_steps(const struct step *a, const struct step *b, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (a[i].name != b[i].name)
			return false;
	return true;
}

/* Find the first steps of one thread in another one; ~0 if they are not there. */
static size_t find(const struct thread *begin, const struct thread *in)
{
	const size_t want = min_t(size_t, begin->nr, ALIGN_STEPS);
	size_t i;

	for (i = 1; i + want <= in->nr && i < ALIGN_MOST; i++)
		if (same_steps(begin->step, in->step + i, want))
			return i;
	return ~(size_t)0;
}

/**
 * thread_align() - find where two threads begin to do the same
 * @a: a thread
 * @b: the thread of the other trace
 * @from_a: result: its first step that is compared
 * @from_b: result: the same of @b
 *
 * Return: false if their beginnings have nothing in common; the results are 0 then.
 */
bool thread_align(const struct thread *a, const struct thread *b, size_t *from_a, size_t *from_b)
{
	size_t in_a, in_b;

	*from_a = 0;
	*from_b = 0;
	if (!a->nr || !b->nr)
		return false;
	if (a->step[0].name == b->step[0].name)
		return true;
	in_b = find(a, b);
	in_a = find(b, a);
	if (in_a == ~(size_t)0 && in_b == ~(size_t)0)
		return false;
	if (in_a < in_b)
		*from_a = in_a;
	else
		*from_b = in_b;
	return true;
}

/**
 * thread_same() - count the steps that two threads have in common
 * @a: a thread
 * @b: the thread of the other trace
 * @from_a: its first step that is compared
 * @from_b: the same of @b
 */
size_t thread_same(const struct thread *a, const struct thread *b, size_t from_a, size_t from_b)
{
	size_t n = 0;

	while (from_a + n < a->nr && from_b + n < b->nr &&
	       a->step[from_a + n].name == b->step[from_b + n].name)
		n++;
	return n;
}
