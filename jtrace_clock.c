// SPDX-License-Identifier: GPL-2.0
/*
 * The clock that stamps entries, and the stamps that relate it to ktime.
 *
 * Entries carry raw readings of a counter if one is trustworthy, else of the NMI-safe ktime
 * clocks.  Readers convert them by stamps of all clocks taken at one moment (lib/read/time.c).
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>

#include "jtrace_internal.h"
#include "jtrace_slow.h"

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
 * jtrace_clock_now() - read the clock that entries are stamped with
 *
 * Context: Any but a record, and what interrupts one.
 * Return: what an entry that is recorded now would have.
 */
u64 jtrace_clock_now(void)
{
	return jtrace_clock.ticks ? ticks_now() : shown_clock();
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

static u64 ticks_at_suspend;

/**
 * jtrace_clock_suspend() - note the counter before a suspend, which may reset it
 *
 * Context: One CPU is online, interrupts are off.
 */
void jtrace_clock_suspend(void)
{
	ticks_at_suspend = ticks_now();
}

/**
 * jtrace_clock_resume() - continue at the counter of jtrace_clock_suspend() if it was reset
 *
 * Context: As jtrace_clock_suspend().
 */
void jtrace_clock_resume(void)
{
	u64 now = ticks_now();

	if (jtrace_clock.ticks && now < ticks_at_suspend)
		jtrace_clock.offset += ticks_at_suspend - now;
}
