// SPDX-License-Identifier: GPL-2.0
/*
 * Which things were unfinished for unusually long when the trace ends.
 *
 * A wrong finding is worse than none.  So each one holds by what the trace tells alone: the begin
 * is there, no entry is missing since, all events that would tell the end are on, and what ended
 * before was much faster.  Who waits for something that is told already is not told again.
 */

#include <stdlib.h>

#include "judge.h"

/* ---- What is open ----------------------------------------------------- */

static bool note_open(const struct pair_begin *b, void *data)
{
	struct judging *j = data;
	struct open *o = ROLE_BIT(b->site->role) & HANDLERS ? &j->handlers :
			 b->site->role == ROLE_BLOCK ? &j->requests : &j->open;

	/* Waits for locks have another proof, too: see still_waits(). */
	if (judge_ns(j, &b->ev) < j->v->m.from || judge_age(j, &b->ev) < HANDLER_NS ||
	    !((j->v->m.ended | ROLE_BIT(ROLE_LOCK)) & ROLE_BIT(b->site->role)))
		return true;
	o->begin = array_grow(o->begin, o->nr, sizeof(*o->begin));
	if (!o->begin) {
		o->nr = 0;
		j->failed = true;
		return false;
	}
	o->begin[o->nr++] = *b;
	return true;
}

static int time_order(const struct pair_begin *x, const struct pair_begin *y)
{
	return (x->ev.time > y->ev.time) - (x->ev.time < y->ev.time);
}

static int cpu_order(const void *a, const void *b)
{
	const struct pair_begin *x = a, *y = b;

	return (x->ev.cpu > y->ev.cpu) - (x->ev.cpu < y->ev.cpu) ?: time_order(x, y);
}

static int thread_order(const void *a, const void *b)
{
	const struct pair_begin *x = a, *y = b;

	return (x->ev.tid > y->ev.tid) - (x->ev.tid < y->ev.tid) ?: time_order(x, y);
}

static void sort(struct open *o, int (*order)(const void *, const void *))
{
	if (o->nr)
		qsort(o->begin, o->nr, sizeof(*o->begin), order);
}

/* Tasks and CPUs are stopped on purpose then. */
static const char *how_it_ended(const struct jtrace_trace *t)
{
	switch (t->header.state) {
	case JTRACE_STATE_CLEAN:
	case JTRACE_STATE_KEPT:
		return "the machine was shut down in order";
	case JTRACE_STATE_UNLOADED:
		return "jtrace was unloaded";
	default:
		return NULL;
	}
}

/**
 * judge() - find what was unfinished
 * @v: the machine is read; the rest is the result
 *
 * Return: false, after a message, if there is no memory.
 */
bool judge(struct verdict *v)
{
	struct judging *j = calloc(1, sizeof(*j));

	if (!j)
		return fail("no memory for the verdict");
	j->v = v;
	j->stuck = ~0ULL;
	v->nr = 0;
	v->more = 0;
	v->why_not = how_it_ended(v->m.t) ?: pairs_missing(v->m.t);
	if (!v->why_not) {
		pairs_each(v->m.pairs, note_open, j);
		sort(&j->handlers, cpu_order);
		sort(&j->open, thread_order);
		judge_panic(j);
		judge_handlers(j);
		judge_storms(j);
		if (model_knows_tasks(&v->m))
			judge_tasks_of_cpus(j);
		judge_locks(j);
		judge_requests(j);
		judge_work(j);
		if (model_knows_tasks(&v->m)) {
			judge_blocked(j);
			judge_sleepers(j);
		}
	}
	free(j->handlers.begin);
	free(j->requests.begin);
	free(j->open.begin);
	v->why_not = j->failed ? "no memory" : v->why_not;
	free(j);
	return true;
}
