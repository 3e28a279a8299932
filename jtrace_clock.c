// SPDX-License-Identifier: GPL-2.0
/*
 * The clock that stamps entries, and the stamps that relate it to ktime.
 *
 * Entries carry raw readings of a counter if one is trustworthy, else of the NMI-safe ktime
 * clocks.  Readers convert them by stamps of all clocks taken at one moment (lib/time.c).
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/jtrace.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>

#include "include/jtrace/internal.h"
#include "include/jtrace/slow.h"

struct jtrace_clock_state jtrace_clock __read_mostly;

/* Interrupts, and a host that takes the CPU away, can come between two readings. */
#define MOMENT_TRIES	4

static notrace u64 shown_clock(void)
{
	return jtrace_clock.mono ? ktime_get_mono_fast_ns() : ktime_get_boot_fast_ns();
}

static notrace u64 other_clock(void)
{
	return jtrace_clock.mono ? ktime_get_boot_fast_ns() : ktime_get_mono_fast_ns();
}

/**
 * jtrace_clock_init() - choose the clock
 * @clk: result
 * @c: parameters
 *
 * Return: 0, or an error after one line that says why.
 */
int jtrace_clock_init(struct jtrace_clock_state *clk, const struct jtrace_config *c)
{
	u32 khz = jtrace_ticks_khz();

	if (c->clock == JTRACE_USE_TICKS && !khz) {
		pr_err("clock=ticks: this machine has no counter that can be read in any context: use fast\n");
		return -ENODEV;
	}
	*clk = (struct jtrace_clock_state){
		.ticks = c->clock == JTRACE_USE_TICKS ||
			 (c->clock == JTRACE_USE_AUTO && khz && jtrace_ticks_trusted()),
		.mono = c->mono,
		.rate = 1ULL << 32,
		.khz = khz,
		.near = U32_MAX,
	};
	if (clk->ticks) {
		clk->rate = div64_u64(1000000ULL << 32, khz);
		clk->near = khz / 1000;
	}
	return 0;
}

/**
 * jtrace_clock_fast() - read the fast ktime clock
 * @rc: of this CPU, preemption disabled
 *
 * The code of the clock source may be traced.
 *
 * Return: ns, 0 in early boot, or %JTRACE_NO_TIME if the event is dropped.
 */
noinline notrace u64 jtrace_clock_fast(struct jtrace_ring_cpu *rc)
{
	u64 now;

	if (!jtrace_slow_enter(rc))
		return JTRACE_NO_TIME;
	now = shown_clock();
	jtrace_slow_leave(rc);
	return now;
}

static notrace u64 ticks_now(void)
{
	return jtrace_ticks() + jtrace_clock.offset;
}

/**
 * jtrace_clock_moment() - read all clocks at one moment
 * @m: result
 *
 * Reads the shown clock between two readings of the counter, and takes it for their middle: the
 * error is at most half their distance.  Reads the other clock directly after.  An interrupt, or a
 * host that takes the CPU away, delays this.  So the shortest of a few tries counts, and a try
 * below 1 us ends them.
 *
 * Context: Any.
 */
notrace void jtrace_clock_moment(struct jtrace_moment *m)
{
	u64 best = ~0ULL;
	int try;

	for (try = 0; try < MOMENT_TRIES && best > jtrace_clock.near; try++) {
		u64 first = ticks_now();
		u64 shown = shown_clock();
		u64 second = ticks_now();
		u64 other = other_clock();
		u64 took = ticks_now() - first;

		if (took >= best)
			continue;
		best = took;
		m->ticks = jtrace_clock.ticks ? first + (second - first) / 2 : shown;
		m->mono = jtrace_clock.mono ? shown : other;
		m->boot = jtrace_clock.mono ? other : shown;
	}
}

/**
 * jtrace_clock_stamp() - store this moment in a header
 * @h: the header
 *
 * Context: Any.
 */
void jtrace_clock_stamp(struct jtrace_image_header *h)
{
	struct jtrace_moment m;

	jtrace_clock_moment(&m);
	h->stamp.ticks = cpu_to_le64(m.ticks);
	h->stamp.mono = cpu_to_le64(m.mono);
	h->stamp.boot = cpu_to_le64(m.boot);
	h->real = cpu_to_le64(ktime_get_real_fast_ns());
}

/*
 * Across a suspend the clocks drift apart, and the counter may restart.  An event on each side, in
 * a chunk of its own, gives a stamp on each side.  One CPU is online here and interrupts are off,
 * so the cursors of the other CPUs do not move.
 */
static u64 ticks_at_suspend;

static void close_open_chunks(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		jtrace_ring_close(&jtrace.ring, per_cpu_ptr(&jtrace_cpus, cpu));
}

static int clock_suspend(JTRACE_SYSCORE_ARGS)
{
	close_open_chunks();
	JTRACE("jtrace: suspend");
	ticks_at_suspend = ticks_now();
	return 0;
}

/*
 * Hibernation powers the machine off and does not save reserved memory.  If the memory was kept
 * all the same, its header says that the machine was shut down: write ours again.
 */
static void check_region(void)
{
	const struct jtrace_image_header *h = jtrace.setup.region.at;

	if (!jtrace_region_persistent(&jtrace.setup.region))
		return;
	if (READ_ONCE(h->magic) != jtrace.setup.header.magic ||
	    READ_ONCE(h->image_id) != jtrace.setup.header.image_id)
		pr_warn("the persistent buffer was lost while the machine was off: reload jtrace\n");
	else if (READ_ONCE(h->state) != jtrace.setup.header.state)
		jtrace_header_write(jtrace.setup.region.at, &jtrace.setup.header);
}

static void clock_resume(JTRACE_SYSCORE_ARGS)
{
	u64 now = ticks_now();

	check_region();
	if (jtrace_clock.ticks && now < ticks_at_suspend)
		jtrace_clock.offset += ticks_at_suspend - now;
	close_open_chunks();
	JTRACE("jtrace: resume");
}

static struct jtrace_syscore clock_syscore = {
	.ops.suspend = clock_suspend,
	.ops.resume = clock_resume,
};

void jtrace_clock_hook(void)
{
	jtrace_syscore_register(&clock_syscore);
}

void jtrace_clock_unhook(void)
{
	jtrace_syscore_unregister(&clock_syscore);
}
