// SPDX-License-Identifier: GPL-2.0
/*
 * Which timer ends a sleep.
 *
 * Sleeps are alike if they are in the same system call, of one task or of children of one.  What
 * wakes in the function of one and the same timer belongs to what the task waits for.
 */

#include <search.h>
#include <stdlib.h>

#include "why.h"

static int timer_order(const void *a, const void *b)
{
	const struct why_timer *x = a, *y = b;

	return (x->object > y->object) - (x->object < y->object);
}

static int waker_order(const void *a, const void *b)
{
	const struct why_waker *x = a, *y = b;

	return (x->family > y->family) - (x->family < y->family) ?:
	       (x->call > y->call) - (x->call < y->call);
}

/**
 * wakers_take() - look at the begin or the end of a timer's function
 * @m: the machine
 * @site: of the entry, of %ROLE_TIMER or %ROLE_HRTIMER
 * @ev: the entry
 *
 * Return: false if there is no memory.
 */
bool wakers_take(struct model *m, const struct pair_site *site, const struct jtrace_decoded *ev)
{
	struct why_timer wanted = { 0 }, *timer = NULL;

	if (!site->ends) {
		wanted.object = fields_value(&site->fields, site->key, ev);
		timer = model_grow(&m->timers, &wanted, sizeof(wanted), timer_order);
		if (!timer)
			return false;
		timer->site = site;
		timer->last = *ev;
	}
	m->cpu[ev->cpu].timer[site->role == ROLE_HRTIMER] = timer;
	m->cpu[ev->cpu].timers_known = m->epoch;
	return true;
}

/**
 * wakers_wake() - note who ends the sleep of a task
 * @m: the machine
 * @task: it sleeps
 * @ev: its wake-up begins
 * @ns: then
 *
 * Return: false if there is no memory.
 */
bool wakers_wake(struct model *m, const struct why_task *task, const struct jtrace_decoded *ev,
		 u64 ns)
{
	const struct why_waker wanted = { .family = task->family, .call = task->call };
	const struct why_cpu *cpu = &m->cpu[ev->cpu];
	const struct why_timer *by = NULL;
	struct why_waker *w;

	if (!task->call || task->since < m->from)
		return true;
	w = model_grow(&m->wakers, &wanted, sizeof(wanted), waker_order);
	if (!w)
		return false;
	if (cpu->timers_known == m->epoch && !(ev->context & JTRACE_CTX_NMI))
		by = ev->context & JTRACE_CTX_HARDIRQ ? cpu->timer[1] :
		     ev->context & JTRACE_CTX_SOFTIRQ ? cpu->timer[0] : NULL;
	w->nr = by && by == w->timer ? w->nr + 1 : 1;
	w->timer = by;
	w->slowest = max(w->slowest, ns - min(task->since, ns));
	return true;
}

/**
 * model_waker() - find who ended sleeps like that of a task
 * @m: the machine
 * @task: it sleeps
 *
 * Return: NULL if none ended.
 */
const struct why_waker *model_waker(const struct model *m, const struct why_task *task)
{
	const struct why_waker wanted = { .family = task->family, .call = task->call };
	void **found = task->call ? tfind(&wanted, &m->wakers, waker_order) : NULL;

	return found ? *found : NULL;
}
