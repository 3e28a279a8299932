/* SPDX-License-Identifier: GPL-2.0 */
/* A walk through the entries of a trace. */
#ifndef _JTRACE_WALK_H
#define _JTRACE_WALK_H

#include "recover.h"

/* Chunks whose headers a walk caches; more recording CPUs only cost time. */
#define JTRACE_WALK_RUNS	32

/**
 * struct jtrace_run - a chunk that a walk goes through
 * @known: the other fields are set
 * @next: slots passed, from the end of the chunk where the walk starts
 * @c: the chunk
 * @key: of the last entry read, as in the heap
 * @ev: the last entry read
 */
struct jtrace_run {
	bool known;
	u32 next;
	struct jtrace_chunk c;
	struct jtrace_key key;
	struct jtrace_decoded ev;
};

/**
 * struct jtrace_walk - a walk through the entries of a trace
 * @t: the trace
 * @heap: the next entry of each chunk; see @flip
 * @flip: all ones to invert keys if the newest entry comes first, else 0
 * @taken: the first entry of @heap was returned
 * @key: of the last entry returned; 0 at the end
 * @run: chunks, at their index modulo the size
 */
struct jtrace_walk {
	const struct jtrace_trace *t;
	struct jtrace_keys heap;
	u64 flip;
	bool taken;
	struct jtrace_key key;
	struct jtrace_run run[JTRACE_WALK_RUNS];
};

bool jtrace_recover_get(const struct jtrace_trace *t, const struct jtrace_key *key,
			struct jtrace_decoded *ev);
u64 jtrace_walk_room(const struct jtrace_trace *t);
void jtrace_walk_open(struct jtrace_walk *w, const struct jtrace_trace *t,
		      struct jtrace_key *heap, bool back);
const struct jtrace_decoded *jtrace_walk_next(struct jtrace_walk *w);

/* Iterate over the entries @ev of a trace @t, oldest first; one walk at a time. */
#define jtrace_walk_each(w, t, ev)					\
	for (jtrace_walk_open(w, t, (t)->heap, false); ((ev) = jtrace_walk_next(w)); )

#endif /* _JTRACE_WALK_H */
