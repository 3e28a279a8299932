// SPDX-License-Identifier: GPL-2.0
/*
 * What tasks do, by sched_switch and the wake-ups.
 *
 * A task runs from the switch to it up to the next one of this CPU, which must be from it.  Its
 * state tells what follows: it waits for a CPU up to the switch to it, or it sleeps, and waits from
 * its wake-up on.  Without a wake-up, nobody knows how much of the time it slept, and neither is
 * told.
 *
 * As for pairs, nothing begins before the last gap, or extends over a time without recording or a
 * switch of events.  A task that was seen elsewhere meanwhile did not run: a switch is missing, and
 * the trace does not know of it.  Idle tasks are left out.
 */

#include <search.h>
#include <stdlib.h>

#include "runs.h"

/* A switch in between was not recorded, or its task is idle. */
#define NOBODY	0

/**
 * struct on_cpu - what runs on a CPU
 * @tid: the task; %NOBODY if that is not known
 * @breaks: &struct runs.breaks of then
 * @at: number of the entry that began it
 */
struct on_cpu {
	u32 tid;
	u32 breaks;
	u64 at;
};

/**
 * struct runs - what tasks do, up to the last entry that was taken
 * @t: the trace
 * @p: its pairs
 * @breaks: how often all was forgotten
 * @stopped: recording is off
 * @wakes: wake-ups are recorded: without them, nobody knows who sleeps at the end
 * @cpu: what runs on each CPU
 * @tasks: a tree of tsearch()
 * @last: the task that was looked up last, NULL for none
 */
struct runs {
	const struct jtrace_trace *t;
	const struct pairs *p;
	u32 breaks;
	bool stopped;
	bool wakes;
	struct on_cpu *cpu;
	void *tasks;
	struct task *last;
};

/**
 * struct task - a task
 * @run: what it does; without a state if it runs, or if nobody knows
 * @breaks: &struct runs.breaks of then
 */
struct task {
	struct run run;
	u32 breaks;
};

static int compare(const void *a, const void *b)
{
	const struct task *x = a, *y = b;

	return x->run.tid < y->run.tid ? -1 : x->run.tid > y->run.tid;
}

static struct task *new_task(struct runs *r, u32 tid)
{
	struct task *task = calloc(1, sizeof(*task));

	if (!task)
		return NULL;
	task->run.tid = tid;
	if (tsearch(task, &r->tasks, compare))
		return task;
	free(task);
	return NULL;
}

/* NULL if it is not known; @make: if there is no memory. */
static struct task *find_task(struct runs *r, u32 tid, bool make)
{
	const struct task wanted = { .run = { .tid = tid } };
	struct task **found;

	if (!r->last || r->last->run.tid != tid) {
		found = tfind(&wanted, &r->tasks, compare);
		r->last = found ? *found : make ? new_task(r, tid) : NULL;
	}
	return r->last;
}

static bool is_known(const struct runs *r, const struct task *task)
{
	return task && *task->run.state && task->breaks == r->breaks;
}

static bool is_runnable(const struct run *run)
{
	return *run->state == 'R';
}

static void add(struct run_step *step, const struct run *run)
{
	step->run[step->nr++] = *run;
}

static void set_state(const struct runs *r, struct task *task, const char *state, u64 at)
{
	task->breaks = r->breaks;
	task->run.at = at;
	scnprintf(task->run.state, sizeof(task->run.state), "%s", state);
}

/* The state of the task that ran; empty if nobody knows it, or if it is dead. */
static void get_state(const struct runs *r, const struct pair_site *s,
		      const struct jtrace_decoded *ev, char *state)
{
	const int i = fields_find(&s->fields, "prev_state");
	char name[SYMBOL_TEXT] = "";
	struct field_value v;

	*state = 0;
	if (i < 0 || !pairs_is_complete(r->p, false, ev))
		return;
	fields_get(&s->fields, i, ev, &v);
	if (symbolic_name(r->t, &v, name, sizeof(name)) && *name != 'X' && *name != 'Z')
		scnprintf(state, RUN_STATE, "%s", name);
}

/* Did a task run on a CPU since it was switched to, and was it seen nowhere else? */
static bool ran(const struct runs *r, const struct on_cpu *on, const struct task *task)
{
	return on->tid == task->run.tid && on->breaks == r->breaks && on->at == task->run.at &&
	       !*task->run.state;
}

/* False if there is no memory. */
static bool take_switch(struct runs *r, const struct pair_site *s,
			const struct jtrace_decoded *ev, u64 at, struct run_step *step)
{
	const int i = fields_find(&s->fields, "prev_pid");
	const u32 prev = i < 0 ? NOBODY : fields_value(&s->fields, i, ev);
	const u32 next = fields_value(&s->fields, s->key, ev);
	struct on_cpu *on = &r->cpu[ev->cpu];
	char state[RUN_STATE];
	struct task *task;

	get_state(r, s, ev, state);
	task = prev ? find_task(r, prev, true) : NULL;
	if (prev && !task)
		return false;
	if (task && ran(r, on, task))
		add(step, &task->run);
	if (task)
		set_state(r, task, state, at);
	*on = (struct on_cpu){ .breaks = r->breaks, .at = at };
	task = next ? find_task(r, next, true) : NULL;
	if (!task)
		return !next;
	if (is_known(r, task) && is_runnable(&task->run))
		add(step, &task->run);
	set_state(r, task, "", at);
	if (pairs_is_complete(r->p, true, ev))
		on->tid = next;
	return true;
}

/* A task may be woken before it sleeps, or while it waits.  False if there is no memory. */
static bool take_wake(struct runs *r, const struct pair_site *s, const struct jtrace_decoded *ev,
		      u64 at, struct run_step *step)
{
	const u32 tid = fields_value(&s->fields, s->key, ev);
	const bool is_new = s->role == ROLE_WAKE_NEW && pairs_is_complete(r->p, false, ev);
	struct task *task = find_task(r, tid, is_new);

	if (s->role == ROLE_WAKE)
		r->wakes = true;
	if (!task)
		return !is_new;
	if (!is_new && (!is_known(r, task) || is_runnable(&task->run)))
		return true;
	if (!is_new)
		add(step, &task->run);
	set_state(r, task, "R", at);
	return true;
}

static void forget(struct runs *r)
{
	r->breaks++;
	r->wakes = false;
}

/**
 * runs_take() - take the next entry
 * @r: as runs_open() gave it
 * @pair: result of pairs_take() for it
 * @ev: the entry
 * @at: its number, for &struct run.at
 * @step: result
 *
 * Return: false if there is no memory.
 */
bool runs_take(struct runs *r, const struct pair_step *pair, const struct jtrace_decoded *ev,
	       u64 at, struct run_step *step)
{
	const enum pair_role role = pair->site->role;

	step->nr = 0;
	if (pair->breaks)
		forget(r);
	if (role == ROLE_START || role == ROLE_STOP)
		r->stopped = role == ROLE_STOP;
	/* Small entries have no room for all of a switch. */
	if (r->stopped || r->t->l.kind != JTRACE_KIND_LARGE)
		return true;
	switch (role) {
	case ROLE_RUN:
		return take_switch(r, pair->site, ev, at, step);
	case ROLE_WAKE:
	case ROLE_WAKE_NEW:
		return take_wake(r, pair->site, ev, at, step);
	default:
		return true;
	}
}

struct each {
	const struct runs *r;
	bool (*call)(const struct run *run, void *data);
	void *data;
	bool go_on;
};

static void each_task(const void *node, VISIT when, void *data)
{
	const struct task *task = *(struct task *const *)node;
	struct each *each = data;

	if ((when == postorder || when == leaf) && each->go_on && is_known(each->r, task) &&
	    (each->r->wakes || is_runnable(&task->run)))
		each->go_on = each->call(&task->run, each->data);
}

/**
 * runs_each() - call a function for what tasks did at the end
 * @r: as runs_open() gave it
 * @call: returns false to end
 * @data: for @call
 *
 * Return: false if @call did.
 */
bool runs_each(struct runs *r, bool (*call)(const struct run *run, void *data), void *data)
{
	struct each each = { r, call, data, true };
	const struct task *task;
	u32 i;

	for (i = 0; i < CPU_NUMBERS && each.go_on; i++) {
		task = r->cpu[i].tid == NOBODY ? NULL : find_task(r, r->cpu[i].tid, false);
		if (task && ran(r, &r->cpu[i], task))
			each.go_on = call(&task->run, data);
	}
	if (each.go_on)
		twalk_r(r->tasks, each_task, &each);
	return each.go_on;
}

/**
 * runs_open() - begin to find what tasks do
 * @t: the trace, without selection
 * @p: its pairs, which take each entry first
 *
 * Return: for runs_take(), with each entry, the oldest first; free it by runs_close().  NULL if
 * there is no memory.
 */
struct runs *runs_open(const struct jtrace_trace *t, const struct pairs *p)
{
	struct runs *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->t = t;
	r->p = p;
	r->cpu = calloc(CPU_NUMBERS, sizeof(*r->cpu));
	if (r->cpu)
		return r;
	free(r);
	return NULL;
}

/**
 * runs_close() - free all of it
 * @r: may be NULL
 */
void runs_close(struct runs *r)
{
	if (!r)
		return;
	tdestroy(r->tasks, free);
	free(r->cpu);
	free(r);
}
