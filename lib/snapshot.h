/* SPDX-License-Identifier: GPL-2.0 */
/* A copy of a live image that is as good as one that was stopped. */
#ifndef _JTRACE_SNAPSHOT_H
#define _JTRACE_SNAPSHOT_H

#include "chunk.h"

u64 jtrace_snapshot(const struct jtrace_layout *l, const void *img,
		    struct jtrace_image_header *h, void *to);

#endif /* _JTRACE_SNAPSHOT_H */
