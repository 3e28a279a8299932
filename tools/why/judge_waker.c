// SPDX-License-Identifier: GPL-2.0
/*
 * Rules about sleeps, and who used to end them.
 *
 * A task that waits for a user or another machine may sleep for as long as it likes.  If the timer
 * ran since its system call began, and did not wake it, a wake-up has probably been lost.
 */

#include "judge.h"

/* So many sleeps in turn show who ends them. */
#define WAKER_TIMES	5

/* A sleep is long if it is so many times as long as the slowest one. */
#define SLEEP_TIMES	10

/* Who should have ended the sleep of a task, and did not; NULL if nobody knows. */
static const struct why_runner *missed_by(const struct judging *j, const struct why_task *task)
{
	const struct why_waker *w = model_waker(&j->v->m, task);
	const struct pair_begin *call = judge_find_open(j, ROLE_BIT(ROLE_SYSCALL), task->tid);
	const struct why_runner *timer = w ? wakers_timer(&j->v->m, w) : NULL;
	u64 begin, slowest;

	if (!timer || !call || w->nr < WAKER_TIMES)
		return NULL;
	begin = judge_ns(j, &call->ev);
	slowest = max(w->slowest, task->slowest);
	/* It was woken beside this call, which may wait for something else. */
	if (w->last >= begin && w->tid != task->tid)
		return NULL;
	/* Before this call, it ran for others; one that runs still may be a poll of a device. */
	if (judge_ns(j, &timer->last) < begin ||
	    judge_age(j, &timer->last) < max(BLOCKED_NS, slowest * SLEEP_TIMES))
		return NULL;
	return timer;
}

/* Write which timer should have ended a sleep, if one used to; false if nobody knows. */
static bool put_waker(const struct judging *j, struct pen *p, struct finding *f,
		      const struct why_task *task)
{
	const struct why_runner *timer = missed_by(j, task);
	const u64 at = timer ? judge_ns(j, &timer->last) : 0;
	struct pair_begin b;

	if (!timer)
		return false;
	b = (struct pair_begin){ .site = timer->site, .ev = timer->last, .last = timer->last };
	pen_text(p, "; ");
	put_begin_name(j->v->m.t, p, &b);
	pen_format(p, " ended the last %llu such sleeps, and ran last at ",
		   model_waker(&j->v->m, task)->nr);
	put_time(p, at);
	if (at < task->since) {
		pen_text(p, ", ");
		put_span(p, task->since - at);
		pen_text(p, " before this one");
	} else {
		pen_text(p, ", without ending this one");
	}
	finding_event(f, &timer->last);
	return true;
}

/* Write who has ended the sleeps of a task, if it was the same one for long. */
static void put_usual(const struct judging *j, struct pen *p, struct finding *f,
		      const struct why_task *task)
{
	const struct model *m = &j->v->m;
	const struct why_waker *w = model_waker(m, task);
	const struct why_task *by = w ? model_task(m, w->task_by) : NULL;
	struct pair_begin b;

	if (!w || w->nr < WAKER_TIMES || w->task_by == task->tid ||
	    (w->by && !wakers_runner(m, w)) ||
	    (w->task_by && (!by || by->born > w->last || judge_serves_anyone(j, by))))
		return;
	pen_text(p, "; ");
	if (w->by) {
		b = (struct pair_begin){
			.site = w->by->site, .ev = w->by->last, .last = w->by->last,
		};
		put_begin_name(m->t, p, &b);
	} else {
		put_task_name(m->t, p, w->task_by, by->ev.time);
	}
	pen_format(p, " ended the last %llu such sleeps%s", w->nr,
		   task->call ? "" : ", but for timeouts");
	if (w->by) {
		pen_text(p, ", and ran last at ");
		put_time(p, judge_ns(j, &w->by->last));
		finding_event(f, &w->by->last);
		return;
	}
	if (by->state == TASK_GONE) {
		pen_text(p, ", and has exited");
		finding_event(f, &by->ev);
	} else if (by->state == TASK_SLEEPS && by->since >= m->from) {
		pen_text(p, ", and has been ");
		put_state(p, by);
		finding_event(f, &by->ev);
	}
	finding_task(f, w->task_by);
}

/**
 * judge_put_reason() - write who may have to wake a task that is blocked
 * @j: judging
 * @p: where to
 * @f: gets entries and tasks
 * @task: it sleeps
 */
void judge_put_reason(const struct judging *j, struct pen *p, struct finding *f,
		      const struct why_task *task)
{
	/* With PREEMPT_RT, softirqs run in tasks, and contexts do not tell them apart. */
	if (!(task->flags & 2) || model_is_rt(&j->v->m))
		return;
	if (!put_waker(j, p, f, task))
		put_usual(j, p, f, task);
	judge_put_woken(j, p, f, task);
}

static void note_sleeper(const struct why_task *task, void *data)
{
	struct judging *j = data;
	const struct model *m = &j->v->m;

	if (task->state != TASK_SLEEPS || task->flags & 2 || task->since < m->from ||
	    task->since > m->until || judge_is_in_finding(j, task->tid) || !missed_by(j, task))
		return;
	if (!j->sleeper || j->sleeper->since > task->since)
		j->sleeper = task;
}

/**
 * judge_sleepers() - look for a task that its timer did not wake
 * @j: judging
 */
void judge_sleepers(struct judging *j)
{
	const struct model *m = &j->v->m;
	struct finding f;
	struct pen p;

	model_each_task(m, note_sleeper, j);
	if (!j->sleeper)
		return;
	finding_begin(&f, &p, 50, "waker");
	f.likely = true;
	f.since = j->sleeper->since;
	finding_task(&f, j->sleeper->tid);
	judge_put_task(j, &p, j->sleeper->tid, j->sleeper->ev.time);
	pen_text(&p, " has been ");
	put_state(&p, j->sleeper);
	pen_text(&p, ", for ");
	put_span(&p, m->until - f.since);
	finding_event(&f, &j->sleeper->ev);
	judge_put_inside(j, &p, &f, j->sleeper->tid);
	put_waker(j, &p, &f, j->sleeper);
	finding_tell(j->v, &f);
}
