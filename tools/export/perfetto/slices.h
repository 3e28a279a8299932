/* SPDX-License-Identifier: GPL-2.0 */
/* Which entries are slices in a Perfetto export. */
#ifndef _JTRACE_SLICES_H
#define _JTRACE_SLICES_H

#include "../../entries/pairs.h"

/*
 * What an entry is, as flags.  An entry that neither begins nor ends a slice is alone, or its other
 * half is not known.
 */
#define SLICE_BEGIN	1	/* it begins a slice, whose end follows */
#define SLICE_END	2	/* it ends the innermost slice of its track */
#define SLICE_OF_THREAD	4	/* the slice belongs to the thread, not to the CPU */
#define SLICE_WANTED	8	/* the selection shows the entry */

/**
 * struct slices - the slices of a trace
 * @flags: SLICE_* of each entry, in the order of a walk without filter
 * @nr: number of entries
 * @thread: threads that have slices, as pairs_thread() numbers them
 * @threads: how many
 * @any: entries begin or end something
 * @why: why there is none, as part of a sentence; NULL if there may be some
 * @from_ns: up to this time entries of some CPU may be lost, 0 if that is not so
 */
struct slices {
	u8 *flags;
	u64 nr;
	u64 *thread;
	size_t threads;
	bool any;
	const char *why;
	u64 from_ns;
};

bool slices_find(struct slices *s, const struct jtrace_trace *t, const struct jtrace_trace *all);
void slices_free(struct slices *s);

#endif /* _JTRACE_SLICES_H */
