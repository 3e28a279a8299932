/* SPDX-License-Identifier: GPL-2.0 */
/* From the bytes of an image to events in time order. */
#ifndef _JTRACE_RECOVER_H
#define _JTRACE_RECOVER_H

#include "chunk.h"
#include "site.h"

/**
 * enum jtrace_verdict - what an image is worth
 * @JTRACE_WHOLE: readable
 * @JTRACE_CLEAN: readable, and it was stopped in good order
 * @JTRACE_UNKNOWN: no header of a version that is known
 */
enum jtrace_verdict {
	JTRACE_WHOLE,
	JTRACE_CLEAN,
	JTRACE_UNKNOWN,
};

/**
 * struct jtrace_key - something to sort
 * @time: first
 * @tie: second
 */
struct jtrace_key {
	u64 time;
	u64 tie;
};

/**
 * struct jtrace_keys - keys in an array of limited size, the largest are kept
 * @key: the array, a heap with the smallest first while it is full
 * @nr: how many there are
 * @most: how many there is room for
 */
struct jtrace_keys {
	struct jtrace_key *key;
	u32 nr;
	u32 most;
};

/**
 * struct jtrace_trace - an image that is being read
 * @img: the image; not trusted, and possibly written to meanwhile
 * @header: copy of a valid header
 * @l: geometry, within the bounds of the image
 * @image_id: of it
 * @entries: the newest entries, in time order; tie is claim, then place
 * @stamps: in time order; tie is the ns of the clock that is shown
 * @last: newest entry of each CPU that has one, by CPU
 * @first_claim: smallest of all chunks; ties count from here
 * @found: entries that could be shown; those not in @entries are older
 */
struct jtrace_trace {
	const void *img;
	struct jtrace_image_header header;
	struct jtrace_layout l;
	u64 image_id;
	struct jtrace_keys entries;
	struct jtrace_keys stamps;
	struct jtrace_keys last;
	u64 first_claim;
	u64 found;
};

enum jtrace_verdict jtrace_recover_open(struct jtrace_trace *t, const void *img, u64 len);
u64 jtrace_recover_room(const struct jtrace_trace *t, u32 most);
void jtrace_recover_scan(struct jtrace_trace *t, void *room, u32 most);
bool jtrace_recover_get(const struct jtrace_trace *t, const struct jtrace_key *key,
			struct jtrace_event *ev);
u64 jtrace_recover_ns(const struct jtrace_trace *t, u64 time);

void jtrace_keys_add(struct jtrace_keys *k, u64 time, u64 tie);
void jtrace_keys_sort(struct jtrace_keys *k);

#endif /* _JTRACE_RECOVER_H */
