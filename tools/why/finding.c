// SPDX-License-Identifier: GPL-2.0
/* Findings, and what the rules ask of the entries that are open. */

#include "judge.h"

/**
 * finding_begin() - begin a finding
 * @f: result
 * @p: result: writes its text
 * @rank: findings of a larger one come first
 * @what: a word for programs
 *
 * Return: @f.
 */
struct finding *finding_begin(struct finding *f, struct pen *p, u32 rank, const char *what)
{
	memset(f, 0, sizeof(*f));
	f->rank = rank;
	f->what = what;
	f->cpu = -1;
	*p = (struct pen){ f->text, f->text + sizeof(f->text) - 1 };
	return f;
}

/**
 * finding_task() - add a task that a finding is about
 * @f: the finding
 * @tid: of the task
 */
void finding_task(struct finding *f, u32 tid)
{
	if (f->tids < FINDING_TASKS)
		f->tid[f->tids++] = tid;
}

/**
 * finding_has() - is a finding about a task?
 * @f: the finding
 * @tid: of the task
 */
bool finding_has(const struct finding *f, u32 tid)
{
	u32 i;

	for (i = 0; i < f->tids && f->tid[i] != tid; i++)
		;
	return i < f->tids;
}

/**
 * finding_event() - add an entry that shows a finding
 * @f: the finding
 * @ev: the entry
 */
void finding_event(struct finding *f, const struct jtrace_decoded *ev)
{
	if (f->nr < FINDING_EVIDENCE)
		f->evidence[f->nr++] = *ev;
}

/**
 * finding_tell() - report a finding
 * @v: the verdict
 * @f: the finding; of equal ranks the older one comes first
 */
void finding_tell(struct verdict *v, const struct finding *f)
{
	u32 i = v->nr;

	while (i && (v->finding[i - 1].rank < f->rank ||
		     (v->finding[i - 1].rank == f->rank && v->finding[i - 1].since > f->since)))
		i--;
	v->more += v->nr == FINDINGS;
	if (i == FINDINGS)
		return;
	if (v->nr < FINDINGS)
		v->nr++;
	memmove(&v->finding[i + 1], &v->finding[i], (v->nr - 1 - i) * sizeof(*f));
	v->finding[i] = *f;
}

/**
 * judge_is_in_finding() - is a finding about a task already?
 * @j: judging
 * @tid: of the task
 */
bool judge_is_in_finding(const struct judging *j, u32 tid)
{
	const struct finding *f;

	for (f = j->v->finding; f < j->v->finding + j->v->nr; f++)
		if (finding_has(f, tid))
			return true;
	return false;
}

/**
 * judge_put_task() - write the name that a task has at the end, else one that it had before
 * @j: judging
 * @p: where to
 * @tid: of the task, which has not ended
 * @time: raw time of the latter
 */
void judge_put_task(const struct judging *j, struct pen *p, u32 tid, u64 time)
{
	const struct model *m = &j->v->m;
	char name[TASK_NAME];

	put_task_name(m->t, p, tid, tid && task_find(m->t, tid, m->last, name) ? m->last : time);
}

/**
 * judge_put_inside() - write "; it has been in read() since 5.847078", if a task is in something
 * @j: judging
 * @p: where to
 * @f: gets the entry
 * @tid: of the task
 *
 * Return: false if no system call and no work item of it is open.
 */
bool judge_put_inside(const struct judging *j, struct pen *p, struct finding *f, u32 tid)
{
	const struct pair_begin *b = judge_find_open(j, ROLE_BIT(ROLE_SYSCALL) |
						     ROLE_BIT(ROLE_WORK), tid);

	if (!b)
		return false;
	pen_text(p, "; it has been in ");
	put_begin_name(j->v->m.t, p, b);
	pen_text(p, " since ");
	put_time(p, judge_ns(j, &b->ev));
	finding_event(f, &b->ev);
	return true;
}

/* A task that asks another one for something wakes it and sleeps at once. */
#define WOKE_NS		NS_PER_MS

/**
 * judge_serves_anyone() - is it a thread of the kernel whose wake-ups tell nothing of a task?
 * @j: judging
 * @task: the thread
 */
bool judge_serves_anyone(const struct judging *j, const struct why_task *task)
{
	static const char * const names[] = {
		"ksoftirqd/", "ktimers/", "migration/", "rcu_", "rcuc/", "rcuog/", "rcuop/", "rcuos/",
	};
	char name[TASK_NAME];
	u32 i;

	if (!task_find(j->v->m.t, task->tid, task->ev.time, name))
		return false;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

/* A worker that has no work; or one that goes on with the rest while @by, a worker too, sleeps. */
static bool is_other_worker(const struct judging *j, const struct why_task *task,
			    const struct why_task *by)
{
	static const char kworker[] = "kworker/";
	char name[TASK_NAME];

	/* 0x80: idle. */
	return (by->work || (task->state == TASK_SLEEPS && task->flags & 0x80)) &&
	       task_find(j->v->m.t, task->tid, task->ev.time, name) &&
	       !strncmp(name, kworker, strlen(kworker));
}

/**
 * judge_put_woken() - write "; just before, it woke httpd (28)", if a task that sleeps did
 * @j: judging
 * @p: where to
 * @f: gets the other task
 * @task: it sleeps
 */
void judge_put_woken(const struct judging *j, struct pen *p, struct finding *f,
		     const struct why_task *task)
{
	const struct model *m = &j->v->m;
	const struct why_task *other = task->woke ? model_task(m, task->woke) : NULL;

	if (!other || other->state == TASK_GONE || other->born > task->woke_at ||
	    is_other_worker(j, other, task) || judge_serves_anyone(j, other) ||
	    task->woke_at < m->from || task->since - task->woke_at > WOKE_NS)
		return;
	pen_text(p, "; just before, it woke ");
	judge_put_task(j, p, other->tid, other->ev.time);
	if (finding_has(f, other->tid))
		return;
	if (other->state == TASK_SLEEPS && other->since >= m->from) {
		pen_text(p, ", which has been ");
		put_state(p, other);
	}
	finding_task(f, other->tid);
}

/**
 * judge_ns() - the time of an entry
 * @j: judging
 * @ev: the entry
 *
 * Return: ns.
 */
u64 judge_ns(const struct judging *j, const struct jtrace_decoded *ev)
{
	return jtrace_recover_ns(j->v->m.t, ev->time);
}

/**
 * judge_age() - how long before the end an entry is
 * @j: judging
 * @ev: the entry
 *
 * Return: ns.
 */
u64 judge_age(const struct judging *j, const struct jtrace_decoded *ev)
{
	const u64 ns = judge_ns(j, ev);

	return ns < j->v->m.until ? j->v->m.until - ns : 0;
}

/**
 * judge_is_long() - is something open for longer than others of its kind ever were?
 * @j: judging
 * @b: its begin
 * @least: it must be so old, ns
 * @times: and so many times the slowest one
 */
bool judge_is_long(const struct judging *j, const struct pair_begin *b, u64 least, u32 times)
{
	const struct why_slow *slow = model_slowest(&j->v->m, b);
	const u64 age = judge_age(j, &b->ev);

	if (!slow && ROLE_BIT(b->site->role) & (ROLE_BIT(ROLE_WORK) | ROLE_BIT(ROLE_BLOCK)))
		return age > FIRST_NS;
	return age > least && (!slow || age / times > slow->ns);
}

/**
 * judge_put_age() - write " for 5.2 s; 41 others ended, the slowest in 80.1 us"
 * @j: judging
 * @p: where to
 * @b: what is open
 */
void judge_put_age(const struct judging *j, struct pen *p, const struct pair_begin *b)
{
	const struct why_slow *slow = model_slowest(&j->v->m, b);

	pen_text(p, " for ");
	put_span(p, judge_age(j, &b->ev));
	if (!slow) {
		pen_text(p, "; no other one has ended");
		return;
	}
	pen_format(p, "; %llu other%s ended, the slowest in ", slow->nr, slow->nr == 1 ? "" : "s");
	put_span(p, slow->ns);
}

/**
 * judge_find_open() - find the last begin of some roles of a thread
 * @j: judging
 * @roles: see ROLE_BIT(); none of those of a CPU
 * @tid: of the thread
 *
 * Return: NULL if none is open for long.
 */
const struct pair_begin *judge_find_open(const struct judging *j, u32 roles, u32 tid)
{
	const struct pair_begin *begin = j->open.begin;
	size_t from = 0, to = j->open.nr, middle;

	while (from < to) {
		middle = from + (to - from) / 2;
		if (begin[middle].ev.tid <= tid)
			from = middle + 1;
		else
			to = middle;
	}
	for (; from && begin[from - 1].ev.tid == tid; from--)
		if (ROLE_BIT(begin[from - 1].site->role) & roles)
			return &begin[from - 1];
	return NULL;
}
