// SPDX-License-Identifier: GPL-2.0
/*
 * Keys in an array of limited size: the largest are kept, then sorted.
 *
 * A binary heap with the smallest key first (Williams and Floyd, heapsort): in
 * place, without recursion, n log n whatever the input.  While there is room
 * keys are just stored; a heap is made when the array is full, so that the
 * smallest can make way, or when it is to be sorted.
 */

#include "recover.h"

static bool key_less(const struct jtrace_key *a, const struct jtrace_key *b)
{
	return a->time != b->time ? a->time < b->time : a->tie < b->tie;
}

/* Let the key at @i sink to where both below it are larger. */
static void sift(struct jtrace_key *key, u32 nr, u32 i)
{
	struct jtrace_key sunk = key[i];
	u32 below;

	while ((below = 2 * i + 1) < nr) {
		if (below + 1 < nr && key_less(&key[below + 1], &key[below]))
			below++;
		if (!key_less(&key[below], &sunk))
			break;
		key[i] = key[below];
		i = below;
	}
	key[i] = sunk;
}

static void heapify(struct jtrace_keys *k)
{
	u32 i;

	for (i = k->nr / 2; i-- > 0; )
		sift(k->key, k->nr, i);
}

/**
 * jtrace_keys_add() - add a key, in place of the smallest if there is no room
 * @k: not sorted yet
 * @time: first key
 * @tie: second key
 */
void jtrace_keys_add(struct jtrace_keys *k, u64 time, u64 tie)
{
	struct jtrace_key new = { .time = time, .tie = tie };

	if (k->nr < k->most) {
		k->key[k->nr++] = new;
		if (k->nr == k->most)
			heapify(k);
		return;
	}
	if (!k->most || !key_less(&k->key[0], &new))
		return;
	k->key[0] = new;
	sift(k->key, k->nr, 0);
}

/**
 * jtrace_keys_sort() - bring the keys in ascending order
 * @k: to which no key will be added
 */
void jtrace_keys_sort(struct jtrace_keys *k)
{
	u32 i;

	heapify(k);
	for (i = k->nr; i-- > 1; ) {
		swap(k->key[0], k->key[i]);
		sift(k->key, i, 0);
	}
	for (i = 0; i < k->nr / 2; i++)
		swap(k->key[i], k->key[k->nr - 1 - i]);
}
