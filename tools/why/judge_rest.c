// SPDX-License-Identifier: GPL-2.0
/* Rules about requests to disks, work items, and tasks that are blocked. */

#include "judge.h"

/* They hang if they take so many times as long as the slowest one. */
#define WORK_TIMES	10
#define BLOCK_TIMES	10

/* A disk may have to spin up. */
#define BLOCK_NS	(5 * NS_PER_S)
#define SPIN_UP_NS	(15 * NS_PER_S)

#define BLOCKED_TIMES	10

/* ---- Work items and requests ------------------------------------------ */

/* Reads and writes; flushes and others may take long. */
static bool is_transfer(const struct pair_begin *b)
{
	int i = fields_find(&b->site->fields, "cmd_flags");

	return i >= 0 && (fields_value(&b->site->fields, i, &b->ev) & 0xff) <= 1;
}

/* The oldest one, and how many there are. */
static const struct pair_begin *oldest_request(const struct judging *j, u32 *nr)
{
	const struct pair_begin *found = NULL, *b;
	size_t i;

	*nr = 0;
	for (i = 0; i < j->requests.nr; i++) {
		b = &j->requests.begin[i];
		if (!is_transfer(b) || !judge_is_long(j, b, BLOCK_NS, BLOCK_TIMES))
			continue;
		++*nr;
		if (!found || found->ev.time > b->ev.time)
			found = b;
	}
	return found;
}

/**
 * judge_requests() - look for requests to disks that did not complete
 * @j: judging
 */
void judge_requests(struct judging *j)
{
	const struct model *m = &j->v->m;
	const struct pair_begin *b;
	struct field_value v;
	struct finding f;
	struct pen p;
	u32 nr;

	b = oldest_request(j, &nr);
	if (!b || !begin_value(m->t, &b->ev, "cmd_flags", &v))
		return;
	finding_begin(&f, &p, 75, "block");
	f.since = judge_ns(j, &b->ev);
	put_begin_name(m->t, &p, b);
	pen_text(&p, v.value & 1 ? ", a write," : ", a read,");
	pen_text(&p, " was issued at ");
	put_time(&p, f.since);
	pen_text(&p, " and did not complete");
	judge_put_age(j, &p, b);
	if (nr > 1)
		pen_format(&p, "; %u more request%s so late", nr - 1, nr == 2 ? " is" : "s are");
	f.likely = judge_age(j, &b->ev) < SPIN_UP_NS;
	finding_event(&f, &b->ev);
	finding_tell(j->v, &f);
}

/*
 * Is it left out, and counted?  A wait that began not long before a CPU got nowhere may be for that
 * CPU, as that for RCU is.
 */
static bool is_consequence(struct judging *j, u64 since)
{
	if (since + NS_PER_S < j->stuck)
		return false;
	j->v->more++;
	return true;
}

/*
 * Does a worker run, or did it until just now, and has it not slept since its item began, long ago?
 * One that has waited for a CPU for long is told by who has that.
 */
static bool never_slept(const struct judging *j, const struct why_task *task,
			const struct pair_begin *b)
{
	return (task->state == TASK_RUNS ||
		(task->state == TASK_READY && task->since + WAIT_NS > j->v->m.until)) &&
	       !(task->cpu >= 0 && judge_is_told(j, task->cpu)) &&
	       task->slept < judge_ns(j, &b->ev) && judge_age(j, &b->ev) > FIRST_NS &&
	       j->v->m.paused <= judge_ns(j, &b->ev);
}

/*
 * Does it get nowhere?  Its worker runs without a break or a sleep, or it sleeps, uninterruptibly
 * or for very long.  One that waits for a lock, or does not leave its CPU, is told by that.
 */
static bool is_stuck(const struct judging *j, const struct pair_begin *b)
{
	const struct model *m = &j->v->m;
	const struct why_task *task = model_task(m, b->ev.tid);
	u64 moved;

	if (judge_wait(j, b->ev.tid))
		return false;
	if (!model_knows_tasks(m) || !task)
		return judge_age(j, &b->ev) > FIRST_NS;
	moved = task->since < m->until ? m->until - task->since : 0;
	if (never_slept(j, task, b))
		return true;
	if (task->state == TASK_RUNS)
		return moved > WAIT_NS && !(task->cpu >= 0 && judge_is_told(j, task->cpu));
	if (task->state != TASK_SLEEPS)
		return false;
	/* An item that always waits for others may never end. */
	return task->flags & 2 ? moved > BLOCKED_NS :
	       task->flags & 1 && moved > FIRST_NS && model_slowest(m, b);
}

/**
 * judge_work() - look for work items that did not end
 * @j: judging
 */
void judge_work(struct judging *j)
{
	const struct model *m = &j->v->m;
	const struct why_task *task;
	const struct pair_begin *b;
	struct finding f;
	struct pen p;
	size_t i;

	for (i = 0; i < j->open.nr; i++) {
		b = &j->open.begin[i];
		if (b->site->role != ROLE_WORK || !judge_is_long(j, b, WAIT_NS, WORK_TIMES) ||
		    !is_stuck(j, b) || is_consequence(j, judge_ns(j, &b->ev)))
			continue;
		finding_begin(&f, &p, 72, "work");
		f.since = judge_ns(j, &b->ev);
		finding_task(&f, b->ev.tid);
		put_begin_name(m->t, &p, b);
		pen_text(&p, " of ");
		judge_put_task(j, &p, b->ev.tid, b->ev.time);
		pen_text(&p, " began at ");
		put_time(&p, f.since);
		pen_text(&p, " and did not end");
		judge_put_age(j, &p, b);
		finding_event(&f, &b->ev);
		task = model_task(m, b->ev.tid);
		if (task && model_knows_tasks(m) && task->state == TASK_SLEEPS &&
		    task->since >= f.since) {
			pen_text(&p, "; it has been ");
			put_state(&p, task);
			finding_event(&f, &task->ev);
			judge_put_reason(j, &p, &f, task);
			/* It may wait for what others do. */
			f.likely = !(task->flags & 2);
		} else if (task && model_knows_tasks(m) && never_slept(j, task, b)) {
			pen_text(&p, "; it has not slept since");
			f.likely = true;
		}
		finding_tell(j->v, &f);
	}
}

/* ---- Tasks that are blocked ------------------------------------------- */

/* Does it wait for a child, which may take as long as it likes? */
static bool waits_for_child(const struct judging *j, u32 tid)
{
	static const char * const calls[] = { "vfork", "clone", "clone3" };
	const struct pair_begin *b = judge_find_open(j, ROLE_BIT(ROLE_SYSCALL), tid);
	struct field_value v;
	char name[SYMBOL_TEXT];
	u32 i;

	if (!b)
		return false;
	fields_get(&b->site->fields, b->site->key, &b->ev, &v);
	if (!symbolic_name(j->v->m.t, &v, name, sizeof(name)))
		return true;
	for (i = 0; i < ARRAY_SIZE(calls); i++)
		if (!strcmp(name, calls[i]))
			return true;
	return false;
}

static void note_blocked(const struct why_task *task, void *data)
{
	struct judging *j = data;
	const struct model *m = &j->v->m;
	/* A system call that began shortly before the trace is complete is not seen. */
	const u64 age = task->since > m->from + NS_PER_S && task->since < m->until ?
			m->until - task->since : 0;

	if (task->state != TASK_SLEEPS || !(task->flags & 2) || age < BLOCKED_NS ||
	    age / BLOCKED_TIMES <= task->slowest || waits_for_child(j, task->tid) ||
	    judge_waits_for_lock(j, task->tid) ||
	    judge_find_open(j, ROLE_BIT(ROLE_WORK), task->tid) ||
	    judge_is_in_finding(j, task->tid) ||
	    (task->user && !task->exits &&
	     !judge_find_open(j, ROLE_BIT(ROLE_SYSCALL), task->tid)))
		return;
	if (!j->blocked[0] || j->blocked[0]->since > task->since) {
		j->blocked[1] = j->blocked[0];
		j->blocked[0] = task;
	} else if (!j->blocked[1] || j->blocked[1]->since > task->since) {
		j->blocked[1] = task;
	}
}

/**
 * judge_blocked() - look for the task that is blocked for longest, and name the next
 * @j: judging
 */
void judge_blocked(struct judging *j)
{
	const struct model *m = &j->v->m;
	const struct why_task *task, *next;
	struct finding f;
	struct pen p;

	/* A parent may wait for its child so, and only its system call tells. */
	if (!(m->ended & ROLE_BIT(ROLE_SYSCALL)))
		return;
	model_each_task(m, note_blocked, j);
	task = j->blocked[0];
	if (!task || is_consequence(j, task->since))
		return;
	finding_begin(&f, &p, 60, "blocked");
	f.since = task->since;
	finding_task(&f, task->tid);
	judge_put_task(j, &p, task->tid, task->ev.time);
	pen_text(&p, " has been ");
	put_state(&p, task);
	pen_text(&p, ", for ");
	put_span(&p, m->until - f.since);
	pen_text(&p, ", and was not woken");
	finding_event(&f, &task->ev);
	/* One that was frozen is in no system call either. */
	f.likely = !judge_put_inside(j, &p, &f, task->tid);
	if (task->exits) {
		pen_text(&p, "; it has been exiting since ");
		put_time(&p, task->exits);
	}
	judge_put_reason(j, &p, &f, task);
	/* The one that waits longer may wait for it. */
	next = j->blocked[1];
	if (next && !finding_has(&f, next->tid)) {
		pen_text(&p, "; ");
		judge_put_task(j, &p, next->tid, next->ev.time);
		pen_text(&p, " has slept like that since ");
		put_time(&p, next->since);
		finding_task(&f, next->tid);
		judge_put_reason(j, &p, &f, next);
	}
	finding_tell(j->v, &f);
}

