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

	return tid && b && judge_is_long(j, b, WAIT_NS, LOCK_TIMES) && still_waits(j, b) ? b : NULL;
}

static void put_wait(const struct judging *j, struct pen *p, const struct pair_begin *b)
{
	const struct jtrace_trace *t = j->v->m.t;
	const u32 owner = owner_of(j, b);

	put_task_name(t, p, b->ev.tid, b->ev.time);
	pen_text(p, " waits for ");
	put_begin_name(t, p, b);
	pen_text(p, " since ");
	put_time(p, judge_ns(j, &b->ev));
	if (owner) {
		pen_text(p, ", which ");
		put_task_name(t, p, owner, b->last.time);
		pen_text(p, " held then");
	}
}

/*
 * Tasks that wait for one another in a circle: a deadlock.  Fact: each owner held its lock when the
 * other one began to wait, and has waited itself since before, or without waking up.
 */
static bool judge_circle(struct judging *j, const struct pair_begin *first)
{
	const struct pair_begin *in[FINDING_TASKS], *b = first;
	const struct why_task *task;
	struct finding f;
	struct pen p;
	u32 nr = 0, i;

	while (b && nr < FINDING_TASKS) {
		in[nr++] = b;
		b = judge_wait(j, owner_of(j, b));
		if (b == first)
			break;
	}
	if (b != first || nr < 2)
		return false;
	/* It is told once, from the task with the smallest number. */
	for (i = 1; i < nr; i++)
		if (in[i]->ev.tid < first->ev.tid)
			return true;
	finding_begin(&f, &p, 100, "deadlock");
	f.since = judge_ns(j, &first->ev);
	pen_text(&p, "Deadlock: ");
	for (i = 0; i < nr; i++) {
		pen_text(&p, i ? "; " : "");
		put_wait(j, &p, in[i]);
		finding_task(&f, in[i]->ev.tid);
		finding_event(&f, &in[i]->last);
		f.since = max(f.since, judge_ns(j, &in[i]->ev));
		task = model_task(&j->v->m, in[i]->ev.tid);
		b = in[(i + 1) % nr];
		f.likely |= judge_ns(j, &b->ev) > judge_ns(j, &in[i]->last) &&
			    !(model_knows_tasks(&j->v->m) && task &&
			      task->state == TASK_SLEEPS && task->since >= judge_ns(j, &in[i]->ev));
	}
	finding_tell(j->v, &f);
	return true;
}

/* Does the owner, or its owner, wait in a circle?  Then that is told. */
static bool ends_in_circle(const struct judging *j, const struct pair_begin *b)
{
	u32 depth;

	for (depth = 0; b && depth < 2 * FINDING_TASKS; depth++)
		b = judge_wait(j, owner_of(j, b));
	return b;
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
		if (judge_circle(j, b) || ends_in_circle(j, b))
			continue;
		owner = owner_of(j, b);
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
			pen_text(&p, ", and is ");
			put_state(&p, task);
			pen_text(&p, " since ");
			put_time(&p, task->since);
			finding_event(&f, &task->ev);
		}
		if (owner)
			finding_task(&f, owner);
		else
			pen_text(&p, "; who held it is not recorded");
		finding_tell(j->v, &f);
	}
}

