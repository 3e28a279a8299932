// SPDX-License-Identifier: GPL-2.0
/* Pairs of entries that are slices: both halves are shown. */

#include <stdlib.h>

#include "slices.h"

/* Of these, the slices of a track are nested. */
#define ROLES_OF_CPU	(ROLE_BIT(ROLE_IRQ) | ROLE_BIT(ROLE_SOFTIRQ))
#define ROLES_OF_THREAD	(ROLE_BIT(ROLE_SYSCALL) | ROLE_BIT(ROLE_CALL))

/* False if there is no memory. */
static bool set_slice(struct slices *s, const struct pair_step *step, u64 at, u64 who)
{
	u8 *begin = &s->flags[step->begin.at], *end = &s->flags[at];

	/* Without its other half, an entry is none. */
	if (!(*begin & *end & SLICE_WANTED))
		return true;
	*begin |= SLICE_BEGIN;
	*end |= SLICE_END;
	if (!(ROLES_OF_THREAD & ROLE_BIT(step->site->role)))
		return true;
	*begin |= SLICE_OF_THREAD;
	*end |= SLICE_OF_THREAD;
	if (*step->mark)
		return true;
	*step->mark = true;
	s->thread = array_grow(s->thread, s->threads, sizeof(*s->thread));
	if (!s->thread) {
		s->threads = 0;
		return false;
	}
	s->thread[s->threads++] = who;
	return true;
}

/* False if there is no memory. */
static bool find(struct slices *s, struct pairs *p, const struct jtrace_trace *t,
		 const struct jtrace_trace *all)
{
	const struct jtrace_decoded *ev;
	static struct jtrace_walk walk;
	struct pair_step step;
	u64 at = 0;

	jtrace_walk_each(&walk, all, ev) {
		if (at == s->nr)
			break;
		if (select_shows(t, &walk, ev))
			s->flags[at] = SLICE_WANTED;
		if (!s->why) {
			if (!pairs_take(p, ev, at, &step))
				return false;
			s->any |= ROLE_BIT(step.site->role) & (ROLES_OF_CPU | ROLES_OF_THREAD);
			if (step.ends && !set_slice(s, &step, at, pairs_thread(ev)))
				return false;
		}
		at++;
	}
	return true;
}

/**
 * slices_find() - find the slices of a trace
 * @s: result; free it by slices_free(), also after an error
 * @t: the trace; both halves of a slice are shown
 * @all: the same without selection
 *
 * An entry that the selection leaves out still separates others.
 *
 * Return: false, after a message, if there is no memory.
 */
bool slices_find(struct slices *s, const struct jtrace_trace *t, const struct jtrace_trace *all)
{
	struct pairs *p;
	bool ok;

	*s = (struct slices){ .nr = all->found, .why = pairs_missing(all) };
	s->flags = calloc(all->found + 1, 1);
	if (!s->flags)
		return fail("no memory for the slices of the trace");
	p = pairs_open(all, ROLES_OF_CPU | ROLES_OF_THREAD);
	if (!p)
		return false;
	s->from_ns = pairs_complete(p) ? jtrace_recover_ns(all, pairs_complete(p)) : 0;
	ok = find(s, p, t, all);
	pairs_close(p);
	return ok || fail("no memory for the slices of the trace");
}

/**
 * slices_free() - free the slices of a trace
 * @s: as slices_find() left it
 */
void slices_free(struct slices *s)
{
	free(s->flags);
	free(s->thread);
	*s = (struct slices){ 0 };
}
