/* SPDX-License-Identifier: GPL-2.0 */
/* A site table, for its tests. */
#ifndef _TABLE_H
#define _TABLE_H

#include "../../lib/image/module.h"
#include "helpers.h"

struct table {
	struct kunit *test;
	struct jtrace_layout l;
	struct jtrace_sites s;
	struct jtrace_site_text text;
	u8 *img;
};

/* Make a table with given bytes in the image, and in the spare. */
static inline struct table *table_with_spare(struct kunit *test, u32 bytes, u32 spare)
{
	struct table *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	void *room;

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->test = test;
	fake_layout(&t->l, 8, JTRACE_KIND_SMALL, 3);
	t->l.sites_end = t->l.sites_off + bytes;
	t->l.chunks_off = ALIGN(t->l.sites_end, 256);
	t->l.size = t->l.chunks_off + 3 * 256 + 512;
	t->img = kunit_kzalloc(test, t->l.size, GFP_KERNEL);
	room = kunit_kzalloc(test, jtrace_sites_room(&t->l, spare), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t->img);
	KUNIT_ASSERT_NOT_NULL(test, room);
	jtrace_sites_init(&t->s, &t->l, t->img, FAKE_ID, room, spare, false);
	return t;
}

static inline struct table *table_new(struct kunit *test, u32 bytes)
{
	return table_with_spare(test, bytes, JTRACE_SITES_SPARE);
}

#endif /* _TABLE_H */
