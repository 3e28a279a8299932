/* SPDX-License-Identifier: GPL-2.0 */
/* For nest_test.c: two contexts intern sites at once. */
#ifndef _JTRACE_NEST_SITES_H
#define _JTRACE_NEST_SITES_H

#include "nest.h"

/* The first event of a site interrupts the first event of another. */

#define SITE_ROOM	4096

#define SITE_ROOM	4096

static struct {
	struct jtrace_sites s;
	void *room;		/* SITE_ROOM bytes */
	u32 spare;		/* of these, for the spare */
	u32 inner;		/* the interrupting site */
	u32 number;		/* its number */
} interned;

static u32 intern(u32 site)
{
	static const char * const tag[] = { "same", "other", "third" };

	return jtrace_site_intern(&interned.s, tag[site], "f.c", "fn", site, JTRACE_SITE_CALL, 0);
}

static void intern_inside(void)
{
	interned.number = intern(interned.inner);
}

static void interned_new(struct kunit *test)
{
	nest_new(test, JTRACE_KIND_LARGE);
	nest->instead = intern_inside;
	interned.room = kunit_kzalloc(test, SITE_ROOM, GFP_KERNEL);
	interned.spare = 0;
	interned.inner = 0;
}

static void check_site(u32 site, u32 number)
{
	struct jtrace_site_text text;

	KUNIT_ASSERT_TRUE(nest->test, jtrace_site_read(&nest->l, nest->img, IMAGE_ID, number,
						       &text));
	KUNIT_ASSERT_EQ(nest->test, text.line, site);
	KUNIT_ASSERT_EQ(nest->test, intern(site), number);
}

/* Intern site 0 in an empty table of @bytes, interrupted at access @at. */
static u32 site_once(u32 at, u32 bytes)
{
	u32 number;

	reset(4, 7, false);
	nest->l.sites_end = nest->l.sites_off + bytes;
	memset(interned.room, 0, SITE_ROOM);
	KUNIT_ASSERT_LE(nest->test, jtrace_sites_room(&nest->l, interned.spare), SITE_ROOM);
	jtrace_sites_init(&interned.s, &nest->l, nest->img, IMAGE_ID, interned.room,
			  interned.spare, false);
	memset(nest->count, 0, sizeof(nest->count));
	interned.number = 0;
	nest->at[0] = at;
	nest->at[1] = U32_MAX;
	nest->level = 0;
	number = intern(0);
	nest->level = LEVELS;
	return number;
}

static bool site_run(u32 at)
{
	u32 number;

	number = site_once(at, 704);
	check_site(0, number);
	if (interned.number) {
		check_site(interned.inner, interned.number);
		KUNIT_ASSERT_EQ(nest->test, interned.number == number, !interned.inner);
	}
	KUNIT_ASSERT_EQ(nest->test, atomic64_read(&interned.s.stored),
			interned.number && interned.inner ? 2 : 1);
	return nest->count[0] > at;
}

static void sites_meet(struct kunit *test)
{
	u32 at;

	interned_new(test);
	for (interned.inner = 0; interned.inner < 3; interned.inner++)
		for (at = 0; site_run(at); at++)
			;
	KUNIT_EXPECT_GT(test, at, 2);
	nest = NULL;
}

/*
 * Both want the last room for the same site.  The interrupted one adopts the other's record;
 * if it has the room already, it takes the site back from the spare.
 */
static void sites_meet_at_the_end(struct kunit *test)
{
	u32 at, number, used;

	interned_new(test);
	site_run(U32_MAX - 1);
	used = interned.s.next - nest->l.sites_off / JTRACE_GRANULE;
	for (; interned.spare <= 256; interned.spare += 256) {
		for (at = 0; ; at++) {
			number = site_once(at, used * JTRACE_GRANULE);
			KUNIT_ASSERT_TRUE(test, jtrace_site_stored(&interned.s, number));
			check_site(0, number);
			KUNIT_ASSERT_EQ(test, atomic64_read(&interned.s.stored), 1);
			if (interned.spare) {
				KUNIT_ASSERT_EQ(test, atomic64_read(&interned.s.unstored), 0);
				KUNIT_ASSERT_EQ(test, atomic64_read(&interned.s.missing), 0);
			}
			if (nest->count[0] <= at)
				break;
		}
		KUNIT_EXPECT_GT(test, at, 2);
	}
	nest = NULL;
}

/* The image has no room for the two. */
static void sites_meet_in_the_spare(struct kunit *test)
{
	u32 at, number, nr;

	interned_new(test);
	interned.spare = 256;
	for (interned.inner = 0; interned.inner < 2; interned.inner++) {
		for (at = 0; ; at++) {
			number = site_once(at, 0);
			KUNIT_ASSERT_GT(test, number, interned.s.end);
			KUNIT_ASSERT_EQ(test, intern(0), number);
			nr = 1;
			if (interned.number) {
				KUNIT_ASSERT_GT(test, interned.number, interned.s.end);
				KUNIT_ASSERT_EQ(test, intern(interned.inner), interned.number);
				KUNIT_ASSERT_EQ(test, interned.number == number, !interned.inner);
				nr += interned.inner;
			}
			KUNIT_ASSERT_EQ(test, atomic64_read(&interned.s.unstored), nr);
			KUNIT_ASSERT_EQ(test, atomic64_read(&interned.s.stored), 0);
			if (nest->count[0] <= at)
				break;
		}
		KUNIT_EXPECT_GT(test, at, 2);
	}
	nest = NULL;
}

#endif /* _JTRACE_NEST_SITES_H */
