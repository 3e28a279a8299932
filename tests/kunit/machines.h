/* SPDX-License-Identifier: GPL-2.0 */
/* Machines with check values, of all shapes, whose images the tests damage. */
#ifndef _JTRACE_KUNIT_MACHINES_H
#define _JTRACE_KUNIT_MACHINES_H

#include "helpers.h"

#define CHUNKS		8
#define CPUS		3
#define HEADER		sizeof(struct jtrace_image_header)

/* Number of shapes: each kind of entry in each size of chunk. */
#define SHAPES		12

static inline struct fake *machine(struct kunit *test, u8 kind, u8 shift, u32 events)
{
	struct jtrace_layout l;
	struct fake *f;
	u32 i;

	fake_layout(&l, shift, kind | JTRACE_FORM_CHECKED, CHUNKS);
	f = fake_new(test, &l, CPUS, true, events + 200);
	f->rnd = shift * 100 + kind;
	for (i = 0; i < events; i++) {
		fake_record_at(f, random_below(&f->rnd, CPUS), f->now);
		f->now += 1 + random_below(&f->rnd, 50);
	}
	return f;
}

/* Shape @i, from 0 to SHAPES - 1; the ring has wrapped. */
static inline struct fake *shape(struct kunit *test, u32 i)
{
	u8 kind = JTRACE_KIND_SMALL + i % 2, shift = JTRACE_MIN_CHUNK_SHIFT + i / 2;
	struct jtrace_layout l;

	jtrace_layout_chunk(&l, shift, kind);
	return machine(test, kind, shift, l.entries * (CHUNKS + 3));
}

static inline u8 *entry_at(const struct fake *f, u32 n)
{
	return (u8 *)jtrace_slot_at(&f->l, f->img, f->event[n].index, f->event[n].slot);
}

static inline u64 entry_offset(const struct fake *f, u32 n)
{
	return entry_at(f, n) - f->img;
}

static inline u8 *chunk_at(const struct fake *f, u32 index)
{
	return (u8 *)jtrace_chunk_at(&f->l, f->img, index);
}

/* Read the image, check what it shows, and return the number of entries. */
static inline u32 shown(struct fake *f)
{
	memset(f->seen, 0, f->nr * sizeof(*f->seen));
	KUNIT_ASSERT_EQ(f->test, fake_recover(f, f->img), JTRACE_WHOLE);
	fake_check_order(f);
	return f->t.found;
}

static inline u32 visible(const struct fake *f)
{
	u32 i, n = 0;

	for (i = 0; i < f->nr; i++)
		n += fake_visible(f, i);
	return n;
}

/* Expect one fault of a kind at an offset, and no other. */
static inline void expect_fault(struct fake *f, enum jtrace_fault which, u64 at)
{
	u32 i;

	for (i = 0; i < JTRACE_NR_FAULTS; i++)
		KUNIT_EXPECT_EQ_MSG(f->test, f->t.damage.nr[i], i == which, "fault %u", i);
	KUNIT_EXPECT_EQ(f->test, f->t.damage.first[which], at);
	KUNIT_EXPECT_EQ(f->test, f->t.verdict, JTRACE_DAMAGED);
}

/* Return the newest event, the oldest one or one between. */
static inline u32 some_event(struct fake *f, u32 which)
{
	u32 n;

	if (!which)
		return f->nr - 1;
	for (n = which == 1 ? 0 : f->nr / 2; !fake_visible(f, n); n++)
		;
	return n;
}

#endif /* _JTRACE_KUNIT_MACHINES_H */
