/* SPDX-License-Identifier: GPL-2.0 */
/* Room for records that are written once, each in one page. */
#ifndef _JTRACE_PLACE_H
#define _JTRACE_PLACE_H

#include "image.h"

/**
 * jtrace_place_alloc() - take room for a record, which does not cross a page
 * @from: the next free granule; atomic
 * @need: granules
 * @end: of the room
 *
 * Context: Any.
 * Return: the first granule, 0 if there is no room.
 */
static inline u32 jtrace_place_alloc(u64 *from, u32 need, u32 end)
{
	const u32 page = JTRACE_PAGE / JTRACE_GRANULE;
	u64 next = READ_ONCE(*from), at, seen;

	for (;;) {
		at = next;
		if (at % page + need > page)
			at = ALIGN(at, (u64)page);
		if (at + need > end)
			return 0;
		seen = cmpxchg(from, next, at + need);
		if (seen == next)
			return at;
		next = seen;
	}
}

#endif /* _JTRACE_PLACE_H */
