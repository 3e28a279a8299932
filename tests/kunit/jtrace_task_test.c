// SPDX-License-Identifier: GPL-2.0
/*
 * Names of tasks: a task has at each time the name that it had, or none; in a full area, and with
 * damaged records, too.
 */

#include "../../lib/image/task.h"
#include "helpers.h"

/* Names that were added: the truth. */
#define NAMES	4000

struct name {
	u32 tid;
	u64 from;
	char comm[JTRACE_COMM_SIZE];
};

struct area {
	struct kunit *test;
	struct jtrace_layout l;
	struct jtrace_tasks t;
	u8 *img;
	struct name *name;
	u32 nr;
};

static u64 oldest_of_ring;

static u64 oldest(void)
{
	return oldest_of_ring;
}

static struct area *area_new(struct kunit *test, u32 sets)
{
	struct area *a = kunit_kzalloc(test, sizeof(*a), GFP_KERNEL);
	void *room;

	KUNIT_ASSERT_NOT_NULL(test, a);
	a->test = test;
	fake_layout(&a->l, 8, JTRACE_KIND_LARGE, 3);
	jtrace_layout_add_tasks(&a->l, sets * JTRACE_TASK_SET);
	a->img = kunit_kzalloc(test, a->l.size, GFP_KERNEL);
	a->name = kunit_kzalloc(test, NAMES * sizeof(*a->name), GFP_KERNEL);
	room = kunit_kzalloc(test, jtrace_tasks_room(&a->l), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, a->img);
	KUNIT_ASSERT_NOT_NULL(test, a->name);
	KUNIT_ASSERT_NOT_NULL(test, room);
	jtrace_tasks_init(&a->t, &a->l, a->img, FAKE_ID, room, false);
	oldest_of_ring = 0;
	return a;
}

static void add(struct area *a, u32 tid, u64 from, const char *comm)
{
	struct name *n = &a->name[a->nr++];

	n->tid = tid;
	n->from = from;
	strscpy(n->comm, comm, sizeof(n->comm));
	jtrace_task_add(&a->t, tid, from, comm, oldest);
}

/* The name that a task had; NULL if it had none. */
static const char *truth(const struct area *a, u32 tid, u64 time)
{
	const char *comm = NULL;
	u32 i;

	for (i = 0; i < a->nr; i++)
		if (a->name[i].tid == tid && a->name[i].from <= time)
			comm = a->name[i].comm;
	return comm;
}

static const char *find(const struct area *a, u32 tid, u64 time)
{
	static char comm[JTRACE_COMM_SIZE + 1];

	return jtrace_task_find(&a->l, a->img, FAKE_ID, tid, time, comm) ? comm : NULL;
}

static void expect(struct area *a, u32 tid, u64 time, const char *comm)
{
	const char *got = find(a, tid, time);

	KUNIT_EXPECT_EQ_MSG(a->test, !got, !comm, "tid %u at %llu", tid, time);
	if (got && comm)
		KUNIT_EXPECT_STREQ(a->test, got, comm);
}

static void name_of_its_time(struct kunit *test)
{
	struct area *a = area_new(test, 2);

	add(a, 7, 100, "sh");
	add(a, 7, 200, "cat");
	jtrace_task_end(&a->t, 7);
	/* The tid is used again. */
	add(a, 7, 300, "sh");
	add(a, 9, 150, "a name that is too long");
	expect(a, 7, 99, NULL);
	expect(a, 7, 100, "sh");
	expect(a, 7, 199, "sh");
	expect(a, 7, 200, "cat");
	expect(a, 7, 300, "sh");
	expect(a, 7, ~0ULL, "sh");
	expect(a, 9, 150, "a name that is ");
	expect(a, 11, 150, NULL);
	expect(a, 0, 150, NULL);
	/* From now on it is not known. */
	jtrace_task_add(&a->t, 9, 400, "", oldest);
	expect(a, 9, 399, "a name that is ");
	expect(a, 9, 400, NULL);
}

static void same_name_adds_nothing(struct kunit *test)
{
	struct area *a = area_new(test, 1);
	u32 i;

	for (i = 0; i < 10; i++)
		jtrace_task_add(&a->t, 1, 100 + i, "worker", oldest);
	for (i = 2; i < 5; i++)
		add(a, i, 200, "other");
	KUNIT_EXPECT_EQ(test, a->t.evicted, 0);
	expect(a, 1, 100, "worker");
	expect(a, 4, 200, "other");
	/* Another task of that name is another one. */
	jtrace_task_end(&a->t, 1);
	add(a, 1, 300, "worker");
	expect(a, 1, 300, "worker");
	KUNIT_EXPECT_EQ(test, a->t.evicted, 0);
}

/* A clock that is a little behind on another CPU. */
static void later_name_is_later(struct kunit *test)
{
	struct area *a = area_new(test, 1);

	add(a, 1, 100, "sh");
	jtrace_task_add(&a->t, 1, 99, "cat", oldest);
	expect(a, 1, 100, "sh");
	expect(a, 1, 101, "cat");
}

/* What makes room, in this order. */
static void order(struct kunit *test)
{
	struct area *a = area_new(test, 1);

	add(a, 1, 100, "one");
	add(a, 1, 200, "two");
	add(a, 2, 110, "dead");
	add(a, 3, 90, "alive");
	jtrace_task_end(&a->t, 2);
	oldest_of_ring = 200;
	/* No entry has the name that was replaced at 200. */
	add(a, 4, 300, "new");
	expect(a, 1, 199, NULL);
	expect(a, 1, 200, "two");
	expect(a, 2, 300, "dead");
	add(a, 4, 310, "newer");
	expect(a, 2, 300, NULL);
	add(a, 5, 320, "next");
	expect(a, 4, 309, NULL);
	expect(a, 4, 310, "newer");
	KUNIT_EXPECT_EQ(test, a->t.evicted, 0);
	add(a, 6, 330, "last");
	KUNIT_EXPECT_EQ(test, a->t.evicted, 1);
	expect(a, 3, 330, NULL);
	expect(a, 1, 330, "two");
}

/* A replaced name of whose time the ring has entries stays longer than that of a dead task. */
static void replaced_name_stays(struct kunit *test)
{
	struct area *a = area_new(test, 1);

	add(a, 1, 100, "one");
	add(a, 1, 200, "two");
	add(a, 2, 110, "dead");
	add(a, 3, 90, "alive");
	jtrace_task_end(&a->t, 2);
	oldest_of_ring = 199;
	add(a, 4, 300, "new");
	expect(a, 2, 300, NULL);
	expect(a, 1, 199, "one");
	add(a, 5, 310, "newer");
	expect(a, 1, 199, NULL);
	expect(a, 1, 310, "two");
	KUNIT_EXPECT_EQ(test, a->t.evicted, 0);
}

/* If the stamp of the oldest entry is damaged, names of live tasks stay, too. */
static void damaged_stamp(struct kunit *test)
{
	struct area *a = area_new(test, 1);

	add(a, 1, 100, "one");
	add(a, 2, 110, "two");
	add(a, 3, 120, "three");
	add(a, 4, 130, "dead");
	jtrace_task_end(&a->t, 4);
	oldest_of_ring = ~0ULL;
	add(a, 5, 300, "new");
	expect(a, 4, 300, NULL);
	expect(a, 1, 300, "one");
	KUNIT_EXPECT_EQ(test, a->t.evicted, 0);
}

/* 40 tasks come, are renamed and end; *@missing: names that entries of the ring would lack. */
static void live(struct area *a, u64 *rnd, u32 *missing)
{
	u32 step, i, tid;
	u64 now = 1000;
	char comm[8];

	*missing = 0;
	for (step = 0; step < NAMES; step++) {
		tid = 1 + random_below(rnd, 40);
		now += random_below(rnd, 20);
		snprintf(comm, sizeof(comm), "%u", random_below(rnd, 6));
		if (!random_below(rnd, 3))
			jtrace_task_end(&a->t, tid);
		if (truth(a, tid, ~0ULL) && a->name[a->nr - 1].from >= now)
			now = a->name[a->nr - 1].from + 1;
		add(a, tid, now, comm);
		oldest_of_ring = now > 300 ? now - 300 : 0;
		for (i = 0; i < 4; i++) {
			u64 time = now - random_below(rnd, 400);
			const char *is, *got;

			tid = 1 + random_below(rnd, 40);
			is = truth(a, tid, time);
			got = find(a, tid, time);
			*missing += is && !got && time >= oldest_of_ring;
			if (got)
				KUNIT_ASSERT_NOT_NULL(a->test, is);
			if (got)
				KUNIT_ASSERT_EQ(a->test, strcmp(got, is), 0);
		}
	}
}

/* In a full area, a name may be missing, and is never another one. */
static void never_another(struct kunit *test)
{
	u32 missing;
	u64 rnd = 7;

	live(area_new(test, 3), &rnd, &missing);
	KUNIT_EXPECT_GT(test, missing, 0);
	/* A set for each: only a task that gets more names at once than a set has room for. */
	live(area_new(test, 200), &rnd, &missing);
	KUNIT_EXPECT_LT(test, missing, 50);
}

/* Each bit of a set, and each word of a record that was not written. */
static void damaged(struct kunit *test)
{
	struct area *a = area_new(test, 1);
	struct jtrace_task_record *r;
	u32 bit, tid, word;
	u64 time, was;

	add(a, 1, 100, "one");
	add(a, 1, 200, "two");
	jtrace_task_end(&a->t, 1);
	add(a, 1, 300, "three");
	add(a, 2, 150, "other");
	for (bit = 0; bit < JTRACE_TASK_SET * 8; bit++) {
		a->img[a->l.tasks_off + bit / 8] ^= 1 << bit % 8;
		for (tid = 0; tid < 4; tid++)
			for (time = 50; time < 400; time += 50)
				KUNIT_EXPECT_TRUE(test, !find(a, tid, time));
		a->img[a->l.tasks_off + bit / 8] ^= 1 << bit % 8;
	}
	expect(a, 1, 250, "two");
	r = (void *)(a->img + a->l.tasks_off);
	for (word = 0; word < sizeof(*r) / 8; word++) {
		memcpy(&was, (u64 *)&r[2] + word, 8);
		memset((u64 *)&r[2] + word, 0, 8);
		if (was)
			KUNIT_EXPECT_TRUE(test, !find(a, 1, 350));
		memcpy((u64 *)&r[2] + word, &was, 8);
	}
	/* At another place, and of another image. */
	memcpy(&r[0], &r[1], sizeof(*r));
	KUNIT_EXPECT_TRUE(test, !find(a, 1, 250));
}

static void in_the_layout(struct kunit *test)
{
	struct area *a = area_new(test, 5);
	struct jtrace_image_header h;
	struct jtrace_layout l;
	u8 *copy;

	add(a, 1, 100, "one");
	jtrace_header_init(&h, &a->l, FAKE_ID);
	jtrace_header_write(a->img, &h);
	KUNIT_EXPECT_EQ(test, jtrace_header_read(a->img, a->l.size, a->l.size, &h, &l),
			JTRACE_HEADER_OK);
	KUNIT_EXPECT_EQ(test, l.tasks_off, a->l.tasks_off);
	KUNIT_EXPECT_EQ(test, l.tasks_size, 5 * JTRACE_TASK_SET);
	/* Cut: the number of sets is not known. */
	KUNIT_EXPECT_EQ(test, jtrace_header_read(a->img, a->l.size, l.tasks_off + 512, &h, &l),
			JTRACE_HEADER_CUT);
	KUNIT_EXPECT_EQ(test, l.tasks_size, 0);
	/* It overlaps another area. */
	h.area[3].off = cpu_to_le32(a->l.sites_off);
	jtrace_header_write(a->img, &h);
	KUNIT_EXPECT_EQ(test, jtrace_header_read(a->img, a->l.size, a->l.size, &h, &l),
			JTRACE_HEADER_OK);
	KUNIT_EXPECT_EQ(test, l.tasks_size, 0);

	copy = kunit_kzalloc(test, a->l.size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, copy);
	jtrace_tasks_copy(&a->l, a->img, FAKE_ID, copy, true);
	KUNIT_EXPECT_EQ(test, memcmp(copy + a->l.tasks_off, a->img + a->l.tasks_off,
				     a->l.tasks_size), 0);
}

static struct kunit_case task_cases[] = {
	KUNIT_CASE(name_of_its_time),
	KUNIT_CASE(same_name_adds_nothing),
	KUNIT_CASE(later_name_is_later),
	KUNIT_CASE(order),
	KUNIT_CASE(damaged_stamp),
	KUNIT_CASE(replaced_name_stays),
	KUNIT_CASE(never_another),
	KUNIT_CASE(damaged),
	KUNIT_CASE(in_the_layout),
	{}
};

static struct kunit_suite jtrace_task_suite = {
	.name = "jtrace_task_test",
	.test_cases = task_cases,
};

kunit_test_suite(jtrace_task_suite);
