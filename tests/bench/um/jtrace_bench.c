// SPDX-License-Identifier: GPL-2.0
/*
 * What tests/bench/uml times, at the end of the boot of a kernel that is a process:
 * an event of jtrace and those of its peers, on the real processor.
 *
 * Prints "jtrace_bench: NAME TICKS EVENTS" for each: the ticks of the shortest of
 * many rounds of so many events; "jtrace_bench: rate TICKS NS" for how long a
 * tick is; at the end "jtrace_bench: done" when all that was timed was recorded.
 * Then it turns the machine off.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/init.h>
#include <linux/jtrace.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/reboot.h>
#include <linux/slab.h>
#include <linux/trace_events.h>

#include "../../../include/jtrace/internal.h"
#include "../../../lib/ring.h"

#define CREATE_TRACE_POINTS
#include "jtrace_bench_trace.h"

#define ROUNDS		2000
#define EVENTS		1000
#define RING_SIZE	65536
#define IMAGE_ID	0x1122334455667788ULL

/* get_cycles() is 0 in UML; the instruction is not. */
static __always_inline u64 ticks(void)
{
	u32 low, high;

	asm volatile("rdtsc" : "=a" (low), "=d" (high) : : "memory");
	return (u64)high << 32 | low;
}

/* ---- A record of lib/ring.h, with the instruction as its clock --------- */

static struct jtrace_ring ring;
static struct jtrace_ring_cpu ring_cpu;
static u32 site = 40;

static int ring_prepare(void)
{
	struct jtrace_layout l;
	enum jtrace_room room = jtrace_layout_plan(&l, RING_SIZE, 0, 1, JTRACE_KIND_LARGE);
	void *img = kzalloc(RING_SIZE, GFP_KERNEL), *places;

	places = kcalloc(l.nr_chunks, sizeof(struct jtrace_chunk_ctl), GFP_KERNEL);
	if (room == JTRACE_ROOM_NONE || !img || !places)
		return -ENOMEM;
	jtrace_ring_init(&ring, &l, img, IMAGE_ID, places, JTRACE_RING_KEEP_PREVIOUS);
	return 0;
}

static __always_inline bool try_record(u64 ab, u64 cd, u64 e, u64 f)
{
	u64 cursor = READ_ONCE(ring_cpu.cursor), now;
	struct jtrace_draft d;

	if (unlikely(jtrace_ring_full(&ring, cursor) || !site))
		return false;
	now = ticks();
	if (unlikely(!jtrace_ring_take(&ring_cpu, cursor, true)))
		return false;
	/* The one place that knows how an entry is filled. */
	d = jtrace_draft_begin(&ring, cursor, false);
	jtrace_draft_origin(&d, 0);
	jtrace_draft_args(&d, ab, cd, e, f);
	jtrace_draft_event(&d, now, READ_ONCE(site), 1);
	jtrace_draft_publish(&d, false);
	return true;
}

static noinline void record_slowly(u64 ab, u64 cd, u64 e, u64 f)
{
	u64 cursor = READ_ONCE(ring_cpu.cursor), now = ticks();
	struct jtrace_moment m = { now, now, now };

	if (jtrace_ring_claim(&ring, &ring_cpu, cursor, &m, true))
		try_record(ab, cd, e, f);
}

static noinline void record(u64 ab, u64 cd, u64 e, u64 f)
{
	if (unlikely(!try_record(ab, cd, e, f)))
		record_slowly(ab, cd, e, f);
}

/* ---- What is timed ---------------------------------------------------- */

static void run_rdtsc(u32 i)
{
	while (i--)
		ticks();
}

static void run_record(u32 i)
{
	while (i--)
		record(i, i, i, i);
}

static void run_jtrace(u32 i)
{
	while (i--)
		JTRACE("bench", i, 2, 3, 4, i, 6);
}

static void run_ftrace(u32 i)
{
	while (i--)
		trace_jtrace_bench_event(i, 2, 3, 4, i, 6);
}

static void run_trace_printk_const(u32 i)
{
	while (i--)
		trace_printk("bench\n");
}

static void run_trace_printk_args6(u32 i)
{
	while (i--)
		trace_printk("%x %x %x %x %llx %llx\n", i, 2, 3, 4, (u64)i, 6ULL);
}

static struct {
	const char *name;
	void (*run)(u32 events);
	u64 best;
} timed[] = {
	{ "rdtsc", run_rdtsc },
	{ "record", run_record },
	{ "jtrace", run_jtrace },
	{ "ftrace", run_ftrace },
	{ "trace_printk.const", run_trace_printk_const },
	{ "trace_printk.args6", run_trace_printk_args6 },
};

/* One after the other in each round, so that all see the same machine. */
static void run_rounds(void)
{
	u32 i, round;

	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < ARRAY_SIZE(timed); i++) {
			u64 start = ticks();

			timed[i].run(EVENTS);
			start = ticks() - start;
			if (!round || start < timed[i].best)
				timed[i].best = start;
		}
	}
}

static void tell_rate(void)
{
	u64 start = ticks(), ns = ktime_get_ns();

	mdelay(50);
	pr_info("rate %llu %llu\n", ticks() - start, ktime_get_ns() - ns);
}

/* Did all that was timed do what it is there for? */
static bool verify(u64 recorded_before)
{
	const u64 events = (u64)ROUNDS * EVENTS;
	struct jtrace_stats stats;
	bool right = true;

	jtrace_stats_read(&stats);
	if (stats.recorded - recorded_before != events) {
		pr_err("jtrace: %llu events, %llu recorded\n", events,
		       stats.recorded - recorded_before);
		right = false;
	}
	if (jtrace_ring_recorded(&ring, &ring_cpu) != events) {
		pr_err("record: %llu events, %llu recorded\n", events,
		       jtrace_ring_recorded(&ring, &ring_cpu));
		right = false;
	}
	if (!trace_jtrace_bench_event_enabled() || !tracing_is_on()) {
		pr_err("ftrace: off\n");
		right = false;
	}
	return right;
}

static int __init jtrace_bench_init(void)
{
	struct jtrace_stats stats;
	u32 i;

	if (ring_prepare() || trace_set_clr_event("jtrace_bench", NULL, 1)) {
		pr_err("cannot be prepared\n");
		kernel_power_off();
	}
	jtrace_stats_read(&stats);
	tell_rate();
	run_rounds();
	for (i = 0; i < ARRAY_SIZE(timed); i++)
		pr_info("%s %llu %u\n", timed[i].name, timed[i].best, EVENTS);
	if (verify(stats.recorded))
		pr_info("done\n");
	kernel_power_off();
	return 0;
}
late_initcall(jtrace_bench_init);
