/* SPDX-License-Identifier: GPL-2.0 */
/* Recover events in time order from the bytes of an image. */
#ifndef _JTRACE_RECOVER_H
#define _JTRACE_RECOVER_H

#include "../image/site.h"
#include "trace.h"

enum jtrace_verdict jtrace_recover_open(struct jtrace_trace *t, const void *img, u64 len);
void jtrace_recover_known(struct jtrace_trace *t, const void *img,
			  const struct jtrace_image_header *h, const struct jtrace_layout *l);
u64 jtrace_recover_room(const struct jtrace_trace *t);
void jtrace_recover_scan(struct jtrace_trace *t, void *room);
bool jtrace_recover_chunk(const struct jtrace_trace *t, u32 index, struct jtrace_chunk *c);
u64 jtrace_recover_tie(const struct jtrace_trace *t, const struct jtrace_chunk *c, u32 slot);

#endif /* _JTRACE_RECOVER_H */
