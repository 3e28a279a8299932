// SPDX-License-Identifier: GPL-2.0
/*
 * Who ends a sleep.
 *
 * Sleeps are alike if they are in the same system call, of one task or of children of one, and
 * uninterruptible or not.  Outside of system calls, as those of kernel threads, they are alike if
 * they are of one task, uninterruptible, and not ended by a timer of the kernel: the task has set
 * that itself.  What wakes in the function of one and the same timer or work item, in one kind
 * of softirq, or by one task, belongs to what the sleeper waits for.
 */

#include <search.h>
#include <stdlib.h>

#include "why.h"

static int runner_order(const void *a, const void *b)
{
	const struct why_runner *x = a, *y = b;

	return (x->role > y->role) - (x->role < y->role) ?:
	       (x->object > y->object) - (x->object < y->object) ?:
	       (x->function > y->function) - (x->function < y->function);
}

static int waker_order(const void *a, const void *b)
{
	const struct why_waker *x = a, *y = b;

	return (x->family > y->family) - (x->family < y->family) ?:
	       (x->call > y->call) - (x->call < y->call) ?: x->deep - y->deep;
}

/*
 * Does it tell anything that it wakes a task?  Timers of the kernel's own functions wake the task
 * that set them, or any, and so does the work item by which flush_work() waits.
 */
static bool tells(const struct jtrace_trace *t, enum pair_role role,
		  const struct jtrace_decoded *ev)
{
	static const char flush[] = "wq_barrier_func";
	struct field_value v;
	char name[SYMBOL_TEXT];

	if (role == ROLE_SOFTIRQ)
		return true;
	if (!begin_value(t, ev, "function", &v) ||
	    !decode_symbol(t, ev, &v, name, sizeof(name)))
		return false;
	return role == ROLE_WORK ? strncmp(name, flush, strlen(flush)) : !!strchr(name, '[');
}

/* What runs on a CPU, in interrupts and softirqs. */
static struct why_running *running_on(struct model *m, u32 cpu)
{
	struct why_running *r = &m->cpu[cpu].running;

	if (r->known != m->epoch)
		*r = (struct why_running){ .known = m->epoch };
	return r;
}

/* Where to note what an entry begins or ends; NULL: nowhere. */
static const struct why_runner **place_of(struct model *m, enum pair_role role,
					  const struct jtrace_decoded *ev)
{
	struct why_running *r = running_on(m, ev->cpu);
	struct why_task *task;

	if (ev->context & JTRACE_CTX_NMI)
		return NULL;
	switch (role) {
	case ROLE_TIMER:
	case ROLE_HRTIMER:
		/* A soft hrtimer runs in a softirq, too. */
		return ev->context & JTRACE_CTX_HARDIRQ ? &r->timer :
		       ev->context & JTRACE_CTX_SOFTIRQ ? &r->soft_timer : NULL;
	case ROLE_SOFTIRQ:
		return &r->softirq;
	default:
		/* Those of system_bh_wq run in a softirq. */
		task = ev->tid && !is_in_interrupt(ev) ? model_get_task(m, ev->tid) : NULL;
		return task ? &task->work : NULL;
	}
}

/**
 * wakers_take() - look at the begin or the end of something that may wake
 * @m: the machine
 * @site: of the entry, of %ROLE_TIMER, %ROLE_HRTIMER, %ROLE_SOFTIRQ or %ROLE_WORK
 * @ev: the entry
 *
 * Return: false if there is no memory.
 */
bool wakers_take(struct model *m, const struct pair_site *site, const struct jtrace_decoded *ev)
{
	const struct why_runner **place = place_of(m, site->role, ev);
	const int function = fields_find(&site->fields, "function");
	struct why_runner wanted = { .role = site->role }, *runner = NULL;

	if (!site->ends) {
		wanted.object = fields_value(&site->fields, site->key, ev);
		wanted.function = function < 0 ? 0 : fields_value(&site->fields, function, ev);
		runner = model_grow(&m->runners, &wanted, sizeof(wanted), runner_order);
		if (!runner)
			return false;
		if (!runner->site)
			runner->tells = tells(m->t, site->role, ev);
		runner->site = site;
		runner->last = *ev;
	}
	if (place)
		*place = runner;
	return true;
}

/* Numbers of softirqs that run timers, see interrupt.h of the kernel. */
#define TIMER_SOFTIRQ	1
#define HRTIMER_SOFTIRQ	8

/* A softirq that runs timers tells nothing without their events. */
static const struct why_runner *in_softirq(const struct why_running *r)
{
	if (r->soft_timer)
		return r->soft_timer;
	return !r->softirq || r->softirq->object == TIMER_SOFTIRQ ||
	       r->softirq->object == HRTIMER_SOFTIRQ ? NULL : r->softirq;
}

/* In what does a task wake another one?  NULL: as itself, or nobody knows. */
static const struct why_runner *find_runner(struct model *m, const struct jtrace_decoded *ev)
{
	const struct why_running *r = running_on(m, ev->cpu);
	const struct why_task *task = model_task(m, ev->tid);
	const struct why_runner *runner;

	if (ev->context & JTRACE_CTX_NMI)
		return NULL;
	runner = ev->context & JTRACE_CTX_HARDIRQ ? r->timer :
		 ev->context & JTRACE_CTX_SOFTIRQ ? in_softirq(r) : task ? task->work : NULL;
	/* Its end may be missing. */
	return runner && jtrace_recover_ns(m->t, runner->last.time) >= m->from ? runner : NULL;
}

static bool is_timer(const struct why_runner *runner)
{
	return runner && ROLE_BIT(runner->role) & (ROLE_BIT(ROLE_TIMER) | ROLE_BIT(ROLE_HRTIMER));
}

/* The sleeps that are like that of a task. */
static struct why_waker like(const struct why_task *task)
{
	return (struct why_waker){
		.family = task->call ? task->family : task->tid, .call = task->call,
		.deep = task->flags & 2,
	};
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
	const struct why_runner *by = ev ? find_runner(m, ev) : NULL;
	const u32 task_by = ev && !by && !is_in_interrupt(ev) ? ev->tid : 0;
	const struct why_waker wanted = like(task);
	struct why_waker *w;

	if (!task->call && (!wanted.deep || (is_timer(by) && !by->tells)))
		return true;
	w = model_grow(&m->wakers, &wanted, sizeof(wanted), waker_order);
	if (!w)
		return false;
	w->nr = (by || task_by) && by == w->by && task_by == w->task_by ? w->nr + 1 : 1;
	w->by = by;
	w->task_by = task_by;
	w->tid = task->tid;
	w->last = ns;
	w->slowest = max(w->slowest, ns - min(task->since, ns));
	return true;
}

/**
 * wakers_forget() - forget who ended sleeps of a thread, whose number a new one has now
 * @m: the machine
 * @task: the new one
 */
void wakers_forget(struct model *m, const struct why_task *task)
{
	const struct why_waker wanted = { .family = task->tid, .deep = true };
	struct why_waker **found = tfind(&wanted, &m->wakers, waker_order);

	if (found)
		(*found)->nr = 0;
}

/**
 * wakers_runner() - find what ended sleeps, if it tells what they were for
 * @m: the machine
 * @w: the sleeps
 *
 * Return: NULL if none did, or if ends of its kind are not recorded, so that it may be over.
 */
const struct why_runner *wakers_runner(const struct model *m, const struct why_waker *w)
{
	return w->by && w->by->tells && m->ended & ROLE_BIT(w->by->role) ? w->by : NULL;
}

/**
 * wakers_timer() - find the timer of a driver that ended sleeps
 * @m: the machine
 * @w: the sleeps
 *
 * Return: NULL if none did, or something else.
 */
const struct why_runner *wakers_timer(const struct model *m, const struct why_waker *w)
{
	const struct why_runner *runner = wakers_runner(m, w);

	return is_timer(runner) ? runner : NULL;
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
	const struct why_waker wanted = like(task);
	void **found = tfind(&wanted, &m->wakers, waker_order);

	return found ? *found : NULL;
}
