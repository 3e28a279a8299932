// SPDX-License-Identifier: GPL-2.0
/*
 * Keys in an array of limited size: the largest are kept, then sorted.
 *
 * A binary heap with the smallest key first (Williams and Floyd, heapsort): in
 * place, without recursion, n log n whatever the input.  While there is room
 * keys are just stored; a heap is made when there is one too many, so that the
 * smallest can make way, or when they are to be sorted and are not in order.
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
 * @k: of which only the first has changed since then; not empty
 */
void jtrace_keys_sink(struct jtrace_keys *k)
{
	sift(k->key, k->nr, 0);
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
		return;
	}
	if (!k->heap)
		jtrace_keys_heapify(k);
	k->heap = true;
	if (!k->most || !key_less(&k->key[0], &new))
		return;
	k->key[0] = new;
	jtrace_keys_sink(k);
}

static bool in_order(const struct jtrace_keys *k)
{
	u32 i;

	for (i = 1; i < k->nr; i++)
		if (key_less(&k->key[i], &k->key[i - 1]))
			return false;
	return true;
}

/**
 * jtrace_keys_sort() - bring the keys in ascending order
 * @k: to which no key will be added
 */
void jtrace_keys_sort(struct jtrace_keys *k)
{
	u32 i;

	if (in_order(k))
		return;
	jtrace_keys_heapify(k);
	for (i = k->nr; i-- > 1; ) {
		swap(k->key[0], k->key[i]);
		sift(k->key, i, 0);
	}
	for (i = 0; i < k->nr / 2; i++)
		swap(k->key[i], k->key[k->nr - 1 - i]);
}
