// SPDX-License-Identifier: GPL-2.0
/* Rules about tasks that wait for locks. */

#include "judge.h"

/* A wait hangs if it takes so many times as long as the slowest one. */
#define LOCK_TIMES	5

static u32 owner_of(const struct judging *j, const struct pair_begin *b)
{
	struct field_value v;

	return begin_value(j->v->m.t, &b->last, "owner", &v) ? v.value : 0;
}

static u32 flags_of(const struct judging *j, const struct pair_begin *b)
{
	struct field_value v;

	return begin_value(j->v->m.t, &b->last, "flags", &v) ? v.value : 0;
}

/* A task that waits interruptibly may do so as long as it likes. */
static bool may_wait(const struct judging *j, const struct pair_begin *b)
{
	const struct why_task *task = model_task(&j->v->m, b->ev.tid);

	return model_knows_tasks(&j->v->m) && task && task->state == TASK_SLEEPS &&
	       !(task->flags & 2);
}

/* Has any task got the lock since this one began to wait? */
static bool passed_on(const struct judging *j, const struct pair_begin *b)
{
	const struct why_slow *slow = model_slowest(&j->v->m, b);

	return slow && slow->last >= judge_ns(j, &b->last);
}

/* Does a task that began to wait still wait, by what it did last? */
static bool still_waits(const struct judging *j, const struct pair_begin *b)
{
	const struct model *m = &j->v->m;
	const struct why_task *task = model_task(m, b->ev.tid);

	if (m->ended & ROLE_BIT(ROLE_LOCK))
		return true;
	/* No wait has ended yet, so nothing shows that ends are recorded. */
	return model_knows_tasks(m) && task && task->state == TASK_SLEEPS &&
	       task->since >= judge_ns(j, &b->last);
}

/**
 * judge_wait() - find the wait of a task for a lock
 * @j: judging
 * @tid: of the task
 *
 * Return: NULL if it does not wait for long.
 */
const struct pair_begin *judge_wait(const struct judging *j, u32 tid)
{
	const struct pair_begin *b = judge_find_open(j, ROLE_BIT(ROLE_LOCK), tid);

	/* A semaphore, which has no flags, may be waited for as long as one likes. */
	return tid && b && flags_of(j, b) && judge_is_long(j, b, WAIT_NS, LOCK_TIMES) &&
	       still_waits(j, b) ? b : NULL;
}

/**
 * judge_waits_for_lock() - does a task wait for a lock that has an owner?
 * @j: judging
 * @tid: of the task
 */
bool judge_waits_for_lock(const struct judging *j, u32 tid)
{
	const struct pair_begin *b = judge_find_open(j, ROLE_BIT(ROLE_LOCK), tid);

	return b && flags_of(j, b);
}

static bool has_exited(const struct judging *j, u32 tid)
{
	const struct why_task *task = model_task(&j->v->m, tid);

	return task && task->state == TASK_GONE;
}

static void put_wait(const struct judging *j, struct pen *p, const struct pair_begin *b)
{
	const struct jtrace_trace *t = j->v->m.t;
	const u32 owner = owner_of(j, b);

	judge_put_task(j, p, b->ev.tid, b->ev.time);
	pen_text(p, " has waited for ");
	put_begin_name(t, p, b);
	pen_text(p, " since ");
	put_time(p, judge_ns(j, &b->ev));
	if (owner == b->ev.tid) {
		pen_text(p, ", which it holds itself");
	} else if (has_exited(j, owner)) {
		/* A lock that it left behind points to memory that is another task's soon. */
		pen_text(p, ", whose owner is noted as ");
		put_task_name(t, p, owner, b->last.time);
		pen_text(p, ", which has exited");
	} else if (owner) {
		pen_text(p, ", which ");
		put_task_name(t, p, owner, b->last.time);
		pen_text(p, " held then");
	}
}

/* So many tasks of a circle are told, and looked for. */
#define CIRCLE_TOLD	4
#define CIRCLE_MOST	16

/* Follow the owners; the number of waits until @first comes again, 0 if it does not. */
static u32 follow(const struct judging *j, const struct pair_begin *first,
		  const struct pair_begin *in[CIRCLE_MOST])
{
	const struct pair_begin *b = first;
	u32 nr = 0;

	while (b && nr < CIRCLE_MOST && !passed_on(j, b)) {
		in[nr++] = b;
		b = judge_wait(j, owner_of(j, b));
		if (b == first)
			return nr;
	}
	return 0;
}

/*
 * Has the owner the lock still?  It waited itself when it was noted as the owner, or @b has slept
 * since: who unlocks a lock wakes the first one that waits, and nobody has got it.
 */
static bool is_sure(const struct judging *j, const struct pair_begin *b,
		    const struct pair_begin *owner)
{
	const struct why_task *task = model_task(&j->v->m, b->ev.tid);

	return owner == b || judge_ns(j, &owner->ev) <= judge_ns(j, &b->last) ||
	       (model_knows_tasks(&j->v->m) && task && task->state == TASK_SLEEPS &&
		task->since >= judge_ns(j, &b->last));
}

/* Tasks that wait for one another in a circle: a deadlock.  False if it is none. */
static bool judge_circle(struct judging *j, const struct pair_begin *first)
{
	const struct pair_begin *in[CIRCLE_MOST];
	struct finding f;
	struct pen p;
	u32 nr = follow(j, first, in), i;

	if (!nr)
		return false;
	/* It is told once, from the task with the smallest number. */
	for (i = 1; i < nr; i++)
		if (in[i]->ev.tid < first->ev.tid)
			return true;
	finding_begin(&f, &p, 100, "deadlock");
	pen_text(&p, "Deadlock: ");
	for (i = 0; i < nr; i++) {
		finding_task(&f, in[i]->ev.tid);
		f.since = max(f.since, judge_ns(j, &in[i]->ev));
		f.likely |= !is_sure(j, in[i], in[(i + 1) % nr]);
		if (i >= CIRCLE_TOLD)
			continue;
		pen_text(&p, i ? "; " : "");
		put_wait(j, &p, in[i]);
		finding_event(&f, &in[i]->last);
	}
	if (nr > CIRCLE_TOLD)
		pen_format(&p, "; and so on, a circle of %u tasks", nr);
	finding_tell(j->v, &f);
	return true;
}

/* Does the owner, or its owner, wait in a circle?  Then that is told. */
static bool ends_in_circle(const struct judging *j, const struct pair_begin *b)
{
	u32 depth;

	for (depth = 0; b && depth < 2 * CIRCLE_MOST && !passed_on(j, b); depth++)
		b = judge_wait(j, owner_of(j, b));
	return b && depth == 2 * CIRCLE_MOST;
}

/**
 * judge_locks() - look for deadlocks, and for locks that someone waits for
 * @j: judging
 */
void judge_locks(struct judging *j)
{
	const struct model *m = &j->v->m;
	const struct why_task *task;
	const struct pair_begin *b;
	struct finding f;
	struct pen p;
	size_t i;
	u32 owner;

	for (i = 0; i < j->open.nr; i++) {
		b = &j->open.begin[i];
		if (b->site->role != ROLE_LOCK || judge_wait(j, b->ev.tid) != b)
			continue;
		if (judge_circle(j, b) || ends_in_circle(j, b) || may_wait(j, b))
			continue;
		owner = passed_on(j, b) ? 0 : owner_of(j, b);
		/* The owner waits for another lock: that one is told. */
		if (judge_wait(j, owner))
			continue;
		finding_begin(&f, &p, 68, "lock");
		f.since = judge_ns(j, &b->ev);
		finding_task(&f, b->ev.tid);
		put_wait(j, &p, b);
		finding_event(&f, &b->last);
		task = owner ? model_task(m, owner) : NULL;
		if (task && model_knows_tasks(m) && task->state == TASK_SLEEPS &&
		    task->since >= m->from) {
			pen_text(&p, "; ");
			put_task_name(m->t, &p, owner, task->ev.time);
			pen_text(&p, " has been ");
			put_state(&p, task);
			finding_event(&f, &task->ev);
			judge_put_inside(j, &p, &f, owner);
			judge_put_reason(j, &p, &f, task);
		}
		if (owner && !has_exited(j, owner))
			finding_task(&f, owner);
		else if (!owner)
			pen_text(&p, passed_on(j, b) ? "; another task has got it since" :
				 "; the trace does not name its holder");
		finding_tell(j->v, &f);
	}
}

