// SPDX-License-Identifier: GPL-2.0
/* The built-in module itself: JTRACE() in several contexts, read back from the live image. */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/jtrace.h>
#include <linux/vmalloc.h>

#include "../../jtrace_internal.h"
#include "../../jtrace_slow.h"
#include "../../lib/read/walk.h"

/* Find the entry with argument a == @a, and count such entries. */
static u32 find(struct kunit *test, u32 a, struct jtrace_decoded *ev, u64 *ns)
{
	static struct jtrace_walk walk;
	const struct jtrace_decoded *e;
	struct jtrace_trace t;
	u32 n = 0;
	void *room;

	KUNIT_ASSERT_EQ(test, JTRACE_WHOLE,
			jtrace_recover_open(&t, jtrace.setup.region.at, jtrace.ring.l.size));
	room = vmalloc(jtrace_recover_room(&t));
	KUNIT_ASSERT_NOT_NULL(test, room);
	jtrace_recover_scan(&t, room);
	jtrace_walk_each(&walk, &t, e) {
		if (e->arg[0] != a)
			continue;
		*ev = *e;
		*ns = jtrace_recover_ns(&t, e->time);
		n++;
	}
	vfree(room);
	return n;
}

/* A value that no other case uses. */
static u32 unique(void)
{
	static u32 last = 0x10000;

	return ++last;
}

static void task_records(struct kunit *test)
{
	u64 before, after, ns = 0;
	struct jtrace_decoded ev = {};
	u32 a = unique();

	before = ktime_get_boot_fast_ns();
	JTRACE("task", a, -1, true, 'x', -2, test);
	after = ktime_get_boot_fast_ns();

	KUNIT_ASSERT_EQ(test, 1, find(test, a, &ev, &ns));
	KUNIT_EXPECT_EQ(test, 0xffffffffU, ev.arg[1]);
	KUNIT_EXPECT_EQ(test, 1U, ev.arg[2]);
	KUNIT_EXPECT_EQ(test, (u32)'x', ev.arg[3]);
	KUNIT_EXPECT_EQ(test, (u64)-2, ev.wide[0]);
	KUNIT_EXPECT_EQ(test, (u64)(unsigned long)test, ev.wide[1]);
	KUNIT_EXPECT_EQ(test, (u32)current->pid, ev.tid);
	KUNIT_EXPECT_EQ(test, 0U, ev.context & (JTRACE_CTX_SOFTIRQ | JTRACE_CTX_HARDIRQ |
						JTRACE_CTX_NMI));
	KUNIT_EXPECT_GE(test, ns, before);
	KUNIT_EXPECT_LE(test, ns, after);
}

static DECLARE_COMPLETION(fired);
static u32 fired_a;

static void soft(struct tasklet_struct *t)
{
	JTRACE("softirq", fired_a);
	complete(&fired);
}

static DECLARE_TASKLET(soft_tasklet, soft);

static void softirq_records(struct kunit *test)
{
	struct jtrace_decoded ev = {};
	u64 ns;

	fired_a = unique();
	reinit_completion(&fired);
	tasklet_schedule(&soft_tasklet);
	KUNIT_ASSERT_NE(test, 0UL, wait_for_completion_timeout(&fired, HZ));
	KUNIT_ASSERT_EQ(test, 1, find(test, fired_a, &ev, &ns));
	KUNIT_EXPECT_NE(test, 0U, ev.context & JTRACE_CTX_SOFTIRQ);
	KUNIT_EXPECT_EQ(test, 0U, ev.context & (JTRACE_CTX_HARDIRQ | JTRACE_CTX_NMI));
}

static enum hrtimer_restart hard(struct hrtimer *timer)
{
	JTRACE("hardirq", fired_a);
	complete(&fired);
	return HRTIMER_NORESTART;
}

static void hardirq_records(struct kunit *test)
{
	struct jtrace_decoded ev = {};
	struct hrtimer timer;
	u64 ns;

	fired_a = unique();
	reinit_completion(&fired);
	hrtimer_init_on_stack(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	timer.function = hard;
	hrtimer_start(&timer, ms_to_ktime(1), HRTIMER_MODE_REL_HARD);
	KUNIT_EXPECT_NE(test, 0UL, wait_for_completion_timeout(&fired, HZ));
	hrtimer_cancel(&timer);
	destroy_hrtimer_on_stack(&timer);
	KUNIT_ASSERT_EQ(test, 1, find(test, fired_a, &ev, &ns));
	KUNIT_EXPECT_NE(test, 0U, ev.context & JTRACE_CTX_HARDIRQ);
	KUNIT_EXPECT_EQ(test, 0U, ev.context & JTRACE_CTX_NMI);
}

static void off_evaluates_nothing(struct kunit *test)
{
	struct jtrace_stats before, after;
	int evaluated[3] = { 0 };

	jtrace_enable(false);
	jtrace_stats_read(&before);
	JTRACE("off", evaluated[0]++, evaluated[1]++, 0, 0, evaluated[2]++);
	jtrace_stats_read(&after);
	jtrace_enable(true);
	KUNIT_EXPECT_EQ(test, 0, evaluated[0] + evaluated[1] + evaluated[2]);
	KUNIT_EXPECT_EQ(test, 0, memcmp(&before, &after, sizeof(before)));

	JTRACE("on", evaluated[0]++);
	KUNIT_EXPECT_EQ(test, 1, evaluated[0]);
}

/* While the gate is closed the open chunk fills up; then events are counted as skipped. */
static void gate_skips(struct kunit *test)
{
	struct jtrace_stats before, after;
	u32 i, many = 2 * jtrace.ring.l.entries;

	jtrace_stats_read(&before);
	jtrace_ring_gate_close(&jtrace.ring);
	for (i = 0; i < many; i++)
		JTRACE("gate");
	jtrace_ring_gate_open(&jtrace.ring);
	jtrace_stats_read(&after);
	KUNIT_EXPECT_GE(test, after.lost[JTRACE_SKIPPED] - before.lost[JTRACE_SKIPPED],
			(u64)jtrace.ring.l.entries);
	KUNIT_EXPECT_EQ(test, (u64)many, after.recorded - before.recorded +
			after.lost[JTRACE_SKIPPED] - before.lost[JTRACE_SKIPPED]);
	KUNIT_EXPECT_EQ(test, before.overwritten, after.overwritten);
}

static void clear_hides(struct kunit *test)
{
	struct jtrace_decoded ev;
	struct jtrace_stats s;
	u32 a = unique(), b = unique();
	u64 ns;

	JTRACE("hidden", a);
	jtrace_clear();
	jtrace_stats_read(&s);
	KUNIT_EXPECT_EQ(test, s.recorded, s.overwritten + s.cleared);
	JTRACE("shown", b);
	KUNIT_EXPECT_EQ(test, 0, find(test, a, &ev, &ns));
	KUNIT_EXPECT_EQ(test, 1, find(test, b, &ev, &ns));
}

/* Record as if the contexts @slow were in the slow path, which reads the fast clock. */
static void record_within(u32 slow, struct jtrace_stats *before, struct jtrace_stats *after)
{
	struct jtrace_ring_cpu *rc;

	jtrace_stats_read(before);
	preempt_disable();
	rc = this_cpu_ptr(&jtrace_cpus);
	rc->slow = slow;
	JTRACE("within");
	rc->slow = 0;
	preempt_enable();
	jtrace_stats_read(after);
}

/* A trace point in a function that jtrace calls: bounded, dropped, counted. */
static void recursion_is_bounded(struct kunit *test)
{
	struct jtrace_stats before, after;

	record_within(JTRACE_SLOW_TASK, &before, &after);
	KUNIT_EXPECT_EQ(test, before.lost[JTRACE_DROPPED_NESTED] + 1,
			after.lost[JTRACE_DROPPED_NESTED]);
	KUNIT_EXPECT_EQ(test, before.recorded, after.recorded);
}

/* A task died in the slow path: the next record leaves it, once, and later ones may enter. */
static void dead_task_is_no_recursion(struct kunit *test)
{
	struct jtrace_ring_cpu dead = { .slow = JTRACE_SLOW_TASK | JTRACE_SLOW_NMI };
	struct jtrace_stats before, after;

	KUNIT_EXPECT_TRUE(test, jtrace_slow_abandon(&dead));
	KUNIT_EXPECT_FALSE(test, jtrace_slow_abandon(&dead));
	record_within(dead.slow, &before, &after);
	KUNIT_EXPECT_EQ(test, before.lost[JTRACE_DROPPED_NESTED],
			after.lost[JTRACE_DROPPED_NESTED]);
	KUNIT_EXPECT_EQ(test, before.recorded + 1, after.recorded);
}

static void read_site(struct kunit *test, u32 number, struct jtrace_site_text *text)
{
	KUNIT_ASSERT_TRUE(test, jtrace_site_read(&jtrace.ring.l, jtrace.setup.region.at,
						 jtrace.sites.image_id, number, text));
}

/* Record an event of a site that is freed when this returns. */
static void made_at_run_time(struct kunit *test, u32 a)
{
	struct jtrace_site *site = kzalloc(sizeof(*site), GFP_KERNEL);
	char *tag = kasprintf(GFP_KERNEL, "%s", "made (a, b)");
	char *func = kasprintf(GFP_KERNEL, "symbol+0x%x", 8);

	KUNIT_ASSERT_NOT_NULL(test, site);
	KUNIT_ASSERT_NOT_NULL(test, tag);
	KUNIT_ASSERT_NOT_NULL(test, func);
	site->tag = tag;
	site->file = "kprobe";
	site->func = func;
	site->kind = JTRACE_SITE_PROBE;
	site->args = JTRACE_ARGS_TOLD | JTRACE_ARG_U32 | JTRACE_ARG_S16 << JTRACE_ARG_BITS;
	jtrace_record(site, a | 5ULL << 32, 0, 0, 0);
	kfree(func);
	kfree(tag);
	kfree(site);
}

/* With KASAN: nothing reads the site later. */
static void site_made_at_run_time(struct kunit *test)
{
	struct jtrace_decoded ev[2] = {};
	struct jtrace_site_text text;
	u32 a = unique(), b = unique();
	u64 ns;

	made_at_run_time(test, a);
	made_at_run_time(test, b);
	KUNIT_ASSERT_EQ(test, 1, find(test, a, &ev[0], &ns));
	KUNIT_ASSERT_EQ(test, 1, find(test, b, &ev[1], &ns));
	KUNIT_EXPECT_EQ(test, ev[0].site, ev[1].site);
	read_site(test, ev[0].site, &text);
	KUNIT_EXPECT_STREQ(test, (const char *)text.tag, "made (a, b)");
	KUNIT_EXPECT_STREQ(test, (const char *)text.file, "kprobe");
	KUNIT_EXPECT_STREQ(test, (const char *)text.func, "symbol+0x8");
	KUNIT_EXPECT_EQ(test, text.kind, (u8)JTRACE_SITE_PROBE);
	KUNIT_EXPECT_EQ(test, text.args, JTRACE_ARGS_TOLD | 0x63);
}

/* The path from the macro to the image. */
static void types_are_told(struct kunit *test)
{
	struct jtrace_site_text text;
	struct jtrace_decoded ev = {};
	u32 a = unique();
	u64 ns;

	JTRACE("types", a, (s8)-1, true, -110, -110L, test);
	KUNIT_ASSERT_EQ(test, 1, find(test, a, &ev, &ns));
	read_site(test, ev.site, &text);
	KUNIT_EXPECT_EQ(test, text.kind, (u8)JTRACE_SITE_CALL);
	KUNIT_EXPECT_EQ(test, text.args, JTRACE_ARGS_TOLD | 0x987753);
}

static int core_init(struct kunit *test)
{
	jtrace_enable(true);
	return 0;
}

static void core_exit(struct kunit *test)
{
	jtrace_enable(false);
}

static struct kunit_case core_cases[] = {
	KUNIT_CASE(task_records),
	KUNIT_CASE(softirq_records),
	KUNIT_CASE(hardirq_records),
	KUNIT_CASE(off_evaluates_nothing),
	KUNIT_CASE(gate_skips),
	KUNIT_CASE(clear_hides),
	KUNIT_CASE(recursion_is_bounded),
	KUNIT_CASE(dead_task_is_no_recursion),
	KUNIT_CASE(site_made_at_run_time),
	KUNIT_CASE(types_are_told),
	{}
};

static struct kunit_suite core_suite = {
	.name = "jtrace_core_test",
	.init = core_init,
	.exit = core_exit,
	.test_cases = core_cases,
};

kunit_test_suite(core_suite);
