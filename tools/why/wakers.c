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

	return (x->object > y->object) - (x->object < y->object) ?:
	       (x->function > y->function) - (x->function < y->function);
}

static int waker_order(const void *a, const void *b)
{
	const struct why_waker *x = a, *y = b;

	return (x->family > y->family) - (x->family < y->family) ?:
	       (x->call > y->call) - (x->call < y->call);
}

/* The timer whose function runs on a CPU, in a context; a soft hrtimer runs in a softirq, too. */
static const struct why_timer **running_in(struct model *m, const struct jtrace_decoded *ev)
{
	struct why_cpu *cpu = &m->cpu[ev->cpu];

	if (cpu->timers_known != m->epoch)
		memset(cpu->timer, 0, sizeof(cpu->timer));
	cpu->timers_known = m->epoch;
	return ev->context & JTRACE_CTX_NMI ? NULL :
	       ev->context & JTRACE_CTX_HARDIRQ ? &cpu->timer[1] :
	       ev->context & JTRACE_CTX_SOFTIRQ ? &cpu->timer[0] : NULL;
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
	const struct why_timer **running = running_in(m, ev);
	const int function = fields_find(&site->fields, "function");
	struct why_timer wanted = { 0 }, *timer = NULL;

	if (!site->ends) {
		wanted.object = fields_value(&site->fields, site->key, ev);
		wanted.function = function < 0 ? 0 : fields_value(&site->fields, function, ev);
		timer = model_grow(&m->timers, &wanted, sizeof(wanted), timer_order);
		if (!timer)
			return false;
		timer->site = site;
		timer->last = *ev;
	}
	if (running)
		*running = timer;
	return true;
}

/**
 * wakers_wake() - note who ends the sleep of a task
 * @m: the machine
 * @task: it sleeps
 * @ev: its wake-up begins; NULL if that is not in the trace
 * @ns: then
 *
 * Return: false if there is no memory.
 */
bool wakers_wake(struct model *m, const struct why_task *task, const struct jtrace_decoded *ev,
		 u64 ns)
{
	const struct why_waker wanted = { .family = task->family, .call = task->call };
	const struct why_timer **running = ev ? running_in(m, ev) : NULL;
	const struct why_timer *by = running ? *running : NULL;
	struct why_waker *w;

	if (!task->call)
		return true;
	w = model_grow(&m->wakers, &wanted, sizeof(wanted), waker_order);
	if (!w)
		return false;
	/* Its end may be missing. */
	if (by && jtrace_recover_ns(m->t, by->last.time) < m->from)
		by = NULL;
	w->nr = by && by == w->timer ? w->nr + 1 : 1;
	w->timer = by;
	w->tid = task->tid;
	w->last = ns;
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
