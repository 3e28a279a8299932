/* SPDX-License-Identifier: GPL-2.0 */
/* A copy of a live image, as consistent as that of a stopped one. */
#ifndef _JTRACE_SNAPSHOT_H
#define _JTRACE_SNAPSHOT_H

#include "chunk.h"

/**
 * struct jtrace_cut - where a snapshot ends
 * @claims: number of the last claim; read after @cursors
 * @cursors: the cursor of each CPU, or %NULL to copy all
 * @cpus: number of @cursors
 * @can_sleep: the copy may reschedule
 */
struct jtrace_cut {
	u64 claims;
	const u64 *cursors;
	u32 cpus;
	bool can_sleep;
};

u64 jtrace_snapshot(const struct jtrace_layout *l, const void *img,
		    struct jtrace_image_header *h, const struct jtrace_cut *cut, void *to);

#endif /* _JTRACE_SNAPSHOT_H */
