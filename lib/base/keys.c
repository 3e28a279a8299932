// SPDX-License-Identifier: GPL-2.0
/*
 * Heap and sort for arrays of keys.
 *
 * A binary heap with the smallest key first (Williams and Floyd, heapsort): in place, without
 * recursion, n log n for any input.
 */

#include "keys.h"

/* Move the key at @i down until both keys below it are larger. */
static void sift(struct jtrace_key *key, u32 nr, u32 i)
{
	struct jtrace_key sunk = key[i];
	u32 below;

	while ((below = 2 * i + 1) < nr) {
		if (below + 1 < nr && jtrace_key_less(&key[below + 1], &key[below]))
			below++;
		if (!jtrace_key_less(&key[below], &sunk))
			break;
		key[i] = key[below];
		i = below;
	}
	key[i] = sunk;
}

/**
 * jtrace_keys_heapify() - bring the smallest key to the front
 * @k: in any order
 */
void jtrace_keys_heapify(struct jtrace_keys *k)
{
	u32 i;

	for (i = k->nr / 2; i-- > 0; )
		sift(k->key, k->nr, i);
}

/**
 * jtrace_keys_sink() - bring the smallest key to the front again
 * @k: a heap whose first key has changed
 */
void jtrace_keys_sink(struct jtrace_keys *k)
{
	sift(k->key, k->nr, 0);
}

static bool in_order(const struct jtrace_keys *k)
{
	u32 i;

	for (i = 1; i < k->nr; i++)
		if (jtrace_key_less(&k->key[i], &k->key[i - 1]))
			return false;
	return true;
}

/**
 * jtrace_keys_sort() - sort the keys in ascending order
 * @k: in any order
 * @can_sleep: reschedule in between, because many keys take seconds
 *
 * Context: Any; process if @can_sleep.
 */
void jtrace_keys_sort(struct jtrace_keys *k, bool can_sleep)
{
	u32 i;

	if (in_order(k))
		return;
	for (i = k->nr / 2; i-- > 0; sift(k->key, k->nr, i))
		if (can_sleep)
			cond_resched();
	for (i = k->nr; i-- > 1; sift(k->key, i, 0)) {
		if (can_sleep)
			cond_resched();
		swap(k->key[0], k->key[i]);
	}
	for (i = 0; i < k->nr / 2; i++)
		swap(k->key[i], k->key[k->nr - 1 - i]);
}
