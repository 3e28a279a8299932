/* SPDX-License-Identifier: GPL-2.0 */
/* How much of a CPU's time do the hits of a probe take?  Estimated from some that are timed. */
#ifndef _JTRACE_SPENT_H
#define _JTRACE_SPENT_H

#include "../base/env.h"

/* One of so many hits is timed. */
#define JTRACE_SPENT_SAMPLE	256

/*
 * A hit counts as no longer than that, ns: an interrupt may have stopped it, or a hypervisor.  So
 * only many long ones disarm a probe.
 */
#define JTRACE_SPENT_MOST	100000

/* The share of the time is looked at after so long, ns. */
#define JTRACE_SPENT_PERIOD	1000000000ULL

/* Part of a CPU's time that a probe may take. */
#define JTRACE_SPENT_SHARE	4

/**
 * struct jtrace_spent - time that hits took on a CPU
 * @since: when it began to be measured, ns; 0 if never
 * @time: time in hits since then, estimated, ns
 */
struct jtrace_spent {
	u64 since;
	u64 time;
};

/**
 * jtrace_spent_add() - add a timed hit
 * @s: of the CPU
 * @began: when the hit began, ns, not 0
 * @now: when it ended
 *
 * Context: Any; called on one CPU, and not inside itself.
 * Return: true if the hits took more than their share since the last time that it was looked at.
 */
static __always_inline bool jtrace_spent_add(struct jtrace_spent *s, u64 began, u64 now)
{
	bool much;

	if (!s->since)
		s->since = began;
	s->time += min_t(u64, now - began, JTRACE_SPENT_MOST) * JTRACE_SPENT_SAMPLE;
	if (now - s->since < JTRACE_SPENT_PERIOD)
		return false;
	much = s->time > (now - s->since) / JTRACE_SPENT_SHARE;
	s->since = now;
	s->time = 0;
	return much;
}

#endif /* _JTRACE_SPENT_H */
