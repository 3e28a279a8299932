// SPDX-License-Identifier: GPL-2.0
/*
 * A number of events, after which recording stops.
 *
 * While a user may call jtrace_stop_after(), jtrace_record() is a variant that takes a token for
 * each event, and gives it back if the event is lost.  The state is one word, changed by cmpxchg:
 * so exactly as many events are recorded as there were tokens, and the last one of them stops
 * recording.
 */

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/kprobes.h>

#include "jtrace_internal.h"

/*
 *	bits 0 to 23	tokens left
 *	bits 24 to 47	events that have a token and are being recorded
 *	bits 48 to 62	round, so that an event gives back a token to its own round only
 *	bit 63		recording is to stop: only then are events counted
 */
#define TOKENS		GENMASK_ULL(23, 0)
#define ONE_UNDER_WAY	BIT_ULL(24)
#define UNDER_WAY	GENMASK_ULL(47, 24)
#define ONE_ROUND	BIT_ULL(48)
#define ROUND		GENMASK_ULL(62, 48)
#define STOPPING	BIT_ULL(63)

static struct {
	atomic64_t state;
	void (*spent)(void);
} budget;

/**
 * jtrace_budget_take() - may this event be recorded?
 * @token: result: give it to jtrace_budget_give()
 *
 * Context: Any.
 * Return: false if recording stops before it.
 */
notrace bool jtrace_budget_take(u64 *token)
{
	s64 was = atomic64_read(&budget.state);

	do {
		*token = was;
		if (!(was & STOPPING))
			return true;
		if (!(was & TOKENS))
			return false;
	} while (!atomic64_try_cmpxchg(&budget.state, &was, was - 1 + ONE_UNDER_WAY));
	return true;
}
NOKPROBE_SYMBOL(jtrace_budget_take);

/**
 * jtrace_budget_give() - this event is recorded, or lost
 * @token: of jtrace_budget_take()
 * @recorded: it is recorded
 *
 * Context: Any.
 */
notrace void jtrace_budget_give(u64 token, bool recorded)
{
	s64 was = atomic64_read(&budget.state), new;
	void (*spent)(void);

	do {
		if (!(token & STOPPING) || (was ^ token) & (ROUND | STOPPING))
			return;
		new = was - ONE_UNDER_WAY + !recorded;
	} while (!atomic64_try_cmpxchg(&budget.state, &was, new));
	if (new & (TOKENS | UNDER_WAY))
		return;
	/* Pairs with jtrace_budget_set(): the state was read before. */
	spent = READ_ONCE(budget.spent);
	spent();
}
NOKPROBE_SYMBOL(jtrace_budget_give);

/**
 * jtrace_budget_set() - count events from now on
 * @events: so many, at most 16777215
 * @spent: called after the last one, in its context, but not for 0 events; the same in each call
 *
 * Orders what the caller wrote before what @spent reads.
 *
 * Context: Any; callers do not overlap.
 */
notrace void jtrace_budget_set(u32 events, void (*spent)(void))
{
	s64 was = atomic64_read(&budget.state);

	WRITE_ONCE(budget.spent, spent);
	/* Orders @spent before: jtrace_budget_give() reads the state first. */
	while (!atomic64_try_cmpxchg(&budget.state, &was, (was & ROUND) | STOPPING | events))
		;
}
NOKPROBE_SYMBOL(jtrace_budget_set);

/**
 * jtrace_budget_forget() - record without limit, in the next round
 *
 * Context: Any.
 */
void jtrace_budget_forget(void)
{
	s64 was = atomic64_read(&budget.state);

	while (!atomic64_try_cmpxchg(&budget.state, &was, (was + ONE_ROUND) & ROUND))
		;
}
