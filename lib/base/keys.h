/* SPDX-License-Identifier: GPL-2.0 */
/* Heap and sort for arrays of keys. */
#ifndef _JTRACE_KEYS_H
#define _JTRACE_KEYS_H

#include "env.h"

/**
 * struct jtrace_key - sort key of an entry or a stamp
 * @time: compared first
 * @tie: compared second
 */
struct jtrace_key {
	u64 time;
	u64 tie;
};

/**
 * struct jtrace_keys - keys in an array
 * @key: the array
 * @nr: number of keys
 */
struct jtrace_keys {
	struct jtrace_key *key;
	u32 nr;
};

static inline bool jtrace_key_less(const struct jtrace_key *a, const struct jtrace_key *b)
{
	return a->time != b->time ? a->time < b->time : a->tie < b->tie;
}

void jtrace_keys_sort(struct jtrace_keys *k, bool can_sleep);
void jtrace_keys_heapify(struct jtrace_keys *k);
void jtrace_keys_sink(struct jtrace_keys *k);

#endif /* _JTRACE_KEYS_H */
