// SPDX-License-Identifier: GPL-2.0
/* Rules about CPUs: what they were doing at the panic, what they do not leave. */

#include <stdlib.h>

#include "judge.h"

/* A task that is ready runs after some time slices. */
#define READY_NS	(2 * NS_PER_S)

/* Two CPUs that get nowhere within so short a time may wait for each other. */
#define SAME_NS		(10 * NS_PER_MS)

/* A CPU is silent if it was never so long before, while others recorded so much. */
#define SILENCE_TIMES	10
#define SILENCE_ENTRIES	100

/**
 * judge_is_told() - is a finding about a CPU already?
 * @j: judging
 * @cpu: the CPU
 */
bool judge_is_told(const struct judging *j, u32 cpu)
{
	return j->cpu_told[cpu / 8] >> cpu % 8 & 1;
}

static void set_told(struct judging *j, u32 cpu, u64 since)
{
	j->cpu_told[cpu / 8] |= 1 << cpu % 8;
	j->stuck = min(j->stuck, since);
}

/*
 * Of two CPUs that get nowhere in the kernel since the same moment, either may be the victim.  Note
 * one, or write that there is one already.
 */
static void put_companion(struct judging *j, struct pen *p, u32 cpu, u64 since)
{
	const struct companion *first = &j->companion;

	if (!first->known)
		j->companion = (struct companion){ .known = true, .cpu = cpu, .since = since };
	else if (max(since, first->since) - min(since, first->since) <= SAME_NS)
		pen_format(p, "; CPU %u has got nowhere since about then, too: one may wait for the other",
			   first->cpu);
}

/*
 * So many runs of a timer's function leave no time for more, if at least this part of the time is
 * theirs: the rest is what the kernel needs from one to the next.
 */
#define STORM_RUNS	10000
#define STORM_PART	10

/* ---- The panic -------------------------------------------------------- */

static bool note_innermost(const struct pair_begin *b, void *data)
{
	struct judging *j = data;
	const struct panic *panic = &j->v->panic;

	if (judge_ns(j, &b->ev) < j->v->m.from ||
	    b->ev.tid != panic->tid ||
	    !((ROLE_BIT(b->site->role) & HANDLERS && b->ev.cpu == panic->cpu) ||
	      (ROLE_BIT(b->site->role) & (ROLE_BIT(ROLE_WORK) | ROLE_BIT(ROLE_SYSCALL)) &&
	       panic->tid)))
		return true;
	if (!j->inner.site || j->inner.ev.time <= b->ev.time)
		j->inner = *b;
	return true;
}

/**
 * judge_panic() - tell what the CPU that panicked had begun last
 * @j: judging
 */
void judge_panic(struct judging *j)
{
	const struct model *m = &j->v->m;
	struct finding f;
	struct pen p;

	if (!j->v->panic.known)
		return;
	pairs_each(m->pairs, note_innermost, j);
	if (!j->inner.site || !(m->ended & ROLE_BIT(j->inner.site->role)))
		return;
	finding_begin(&f, &p, 110, "panic");
	f.cpu = j->v->panic.cpu;
	f.since = judge_ns(j, &j->inner.ev);
	finding_task(&f, j->v->panic.tid);
	/* Something that has no event may have interrupted it. */
	pen_format(&p, "The panic began on CPU %u during ", f.cpu);
	put_begin_name(m->t, &p, &j->inner);
	if (ROLE_BIT(j->inner.site->role) & ~HANDLERS) {
		pen_text(&p, " of ");
		put_task_name(m->t, &p, j->inner.ev.tid, j->inner.ev.time);
	}
	pen_text(&p, ", ");
	put_span(&p, judge_age(j, &j->inner.ev));
	pen_text(&p, " after it began");
	finding_event(&f, &j->inner.ev);
	finding_tell(j->v, &f);
}

/* ---- What does not end, or is not heard of ------------------------------ */

/* With PREEMPT_RT, softirqs run in threads, which others preempt. */
static bool runs_still(const struct judging *j, const struct pair_begin *b)
{
	const struct why_cpu *c = &j->v->m.cpu[b->ev.cpu];

	if (model_knows_tasks(&j->v->m) && model_knows_cpu(&j->v->m, c))
		return c->tid == b->ev.tid;
	return !model_is_rt(&j->v->m);
}

/**
 * judge_handlers() - look for handlers that began and did not end: the innermost one of a CPU
 * @j: judging
 */
void judge_handlers(struct judging *j)
{
	const struct pair_begin *b;
	struct finding f;
	struct pen p;
	size_t i;

	for (i = 0; i < j->handlers.nr; i++) {
		b = &j->handlers.begin[i];
		/* The last one of its CPU. */
		if (i + 1 < j->handlers.nr && b[1].ev.cpu == b->ev.cpu)
			continue;
		if (!judge_is_long(j, b, HANDLER_NS, HANDLER_TIMES) || !runs_still(j, b))
			continue;
		finding_begin(&f, &p, 90, "handler");
		f.cpu = b->ev.cpu;
		f.since = judge_ns(j, &b->ev);
		pen_format(&p, "CPU %u: ", b->ev.cpu);
		put_begin_name(j->v->m.t, &p, b);
		pen_text(&p, " began at ");
		put_time(&p, f.since);
		pen_text(&p, " and did not end");
		judge_put_age(j, &p, b);
		finding_event(&f, &b->ev);
		put_companion(j, &p, b->ev.cpu, f.since);
		finding_tell(j->v, &f);
		set_told(j, b->ev.cpu, f.since);
	}
}

/**
 * judge_storms() - look for timers whose function runs again and again: each run ends, and the
 *	next one follows at once
 * @j: judging
 */
void judge_storms(struct judging *j)
{
	const struct model *m = &j->v->m;
	const struct why_storm *s;
	struct pair_begin b;
	struct finding f;
	struct pen p;
	u64 runs;
	u32 cpu;

	for (cpu = 0; cpu < CPU_NUMBERS; cpu++) {
		s = &m->cpu[cpu].storm;
		runs = s->nr / 2;
		if (judge_is_told(j, cpu) || !s->site || runs < STORM_RUNS ||
		    (m->until - s->since) / STORM_PART > s->inside)
			continue;
		b = (struct pair_begin){ .site = s->site, .ev = s->begin, .last = s->begin };
		finding_begin(&f, &p, 85, "storm");
		f.cpu = cpu;
		f.since = s->since;
		pen_format(&p, "CPU %u has run ", cpu);
		put_begin_name(m->t, &p, &b);
		pen_format(&p, " %llu times since ", runs);
		put_time(&p, s->since);
		pen_text(&p, ", in ");
		put_span(&p, m->until - s->since);
		pen_text(&p, ", and recorded nothing else");
		finding_event(&f, &s->begin);
		finding_tell(j->v, &f);
		set_told(j, cpu, s->since);
	}
}

/* ---- Who waits for a CPU ---------------------------------------------- */

struct waiter {
	struct judging *j;
	const struct why_task *longest[CPU_NUMBERS];
};

static void note_waiter(const struct why_task *task, void *data)
{
	struct waiter *w = data;
	const struct model *m = &w->j->v->m;
	const struct why_task **longest;
	/* A wake-up that does not go on waits for a CPU that does not answer. */
	const u32 cpu = task->cpu < 0 ? task->target : task->cpu;

	if (task->state != TASK_READY || cpu >= CPU_NUMBERS ||
	    task->since < m->from || m->until < task->since ||
	    m->until - task->since < WAIT_NS)
		return;
	longest = &w->longest[cpu];
	if (!*longest || (*longest)->since > task->since)
		*longest = task;
}

/* An idle CPU may sleep. */
static bool is_silent(const struct model *m, const struct why_cpu *c)
{
	return c->nr && !c->offline && model_knows_cpu(m, c) && c->tid && c->at >= m->from &&
	       c->at < m->until && m->until - c->at >= WAIT_NS && m->paused <= c->at &&
	       (m->until - c->at) / SILENCE_TIMES > c->silence &&
	       m->nr - c->nr_all >= SILENCE_ENTRIES;
}

/* Its timer interrupted this task until then, or a task waits for it. */
static bool should_record(const struct why_cpu *c, const struct why_task *waiter)
{
	return c->ticks >= WHY_TICKS || (waiter && waiter->since >= c->since);
}

static void tell_silence(struct judging *j, u32 cpu, bool likely)
{
	const struct model *m = &j->v->m;
	const struct why_cpu *c = &m->cpu[cpu];
	struct finding f;
	struct pen p;

	finding_begin(&f, &p, 88, "silent");
	/* A CPU with NO_HZ_FULL needs no tick while it runs one task only. */
	f.likely = likely;
	f.cpu = cpu;
	f.since = c->at;
	finding_task(&f, c->tid);
	pen_format(&p, "CPU %u recorded nothing after ", cpu);
	put_time(&p, c->at);
	pen_text(&p, ", for ");
	put_span(&p, m->until - c->at);
	pen_text(&p, ", while ");
	put_task_name(m->t, &p, c->tid, c->last.time);
	pen_text(&p, " ran there; before, never for longer than ");
	put_span(&p, c->silence);
	finding_event(&f, &c->last);
	judge_put_inside(j, &p, &f, c->tid);
	put_companion(j, &p, cpu, c->at);
	finding_tell(j->v, &f);
	set_told(j, cpu, c->at);
}

/* Where a task is ready is known if nothing moves it unseen. */
static bool is_monopoly(const struct model *m, const struct why_cpu *c,
			const struct why_task *task)
{
	return task->cpu >= 0 && m->until - task->since >= READY_NS && model_knows_cpu(m, c) &&
	       c->tid && c->since >= m->from && !c->offline &&
	       m->until - c->since >= READY_NS && (m->migrations || m->cpus == 1);
}

static bool is_in_kernel(const struct judging *j, u32 tid)
{
	const struct why_task *task = model_task(&j->v->m, tid);

	return (task && !task->user) || judge_find_open(j, ROLE_BIT(ROLE_SYSCALL), tid);
}

static void tell_monopoly(struct judging *j, u32 cpu, const struct why_task *task)
{
	const struct model *m = &j->v->m;
	const struct why_cpu *c = &m->cpu[cpu];
	struct finding f;
	struct pen p;

	finding_begin(&f, &p, 80, "monopoly");
	/* Its group may have used up its share of time. */
	f.likely = true;
	f.cpu = cpu;
	f.since = max(task->since, c->since);
	finding_task(&f, c->tid);
	finding_task(&f, task->tid);
	judge_put_task(j, &p, c->tid, c->switched.time);
	pen_format(&p, " has not left CPU %u since ", cpu);
	put_time(&p, c->since);
	pen_text(&p, ", for ");
	put_span(&p, m->until - c->since);
	if (c->stopper) {
		pen_text(&p, ", but for moments of ");
		judge_put_task(j, &p, c->stopper, c->last.time);
	}
	finding_event(&f, &c->switched);
	judge_put_inside(j, &p, &f, c->tid);
	pen_text(&p, "; ");
	judge_put_task(j, &p, task->tid, task->ev.time);
	pen_text(&p, " has been ready there since ");
	put_time(&p, task->since);
	finding_event(&f, &task->ev);
	/* A loop in user space waits for nobody. */
	if (is_in_kernel(j, c->tid))
		put_companion(j, &p, cpu, c->since);
	finding_tell(j->v, &f);
	set_told(j, cpu, c->since);
}

/**
 * judge_tasks_of_cpus() - look for CPUs that recorded nothing more while others went on, and for
 *	tasks that do not leave their CPU to one that is ready
 * @j: judging
 */
void judge_tasks_of_cpus(struct judging *j)
{
	const struct model *m = &j->v->m;
	struct waiter *w = calloc(1, sizeof(*w));
	const struct why_cpu *c;
	const struct why_task *task;
	u32 cpu;

	j->failed |= !w;
	if (!w)
		return;
	w->j = j;
	model_each_task(m, note_waiter, w);
	for (cpu = 0; cpu < CPU_NUMBERS; cpu++) {
		task = w->longest[cpu];
		c = &m->cpu[cpu];
		if (judge_is_told(j, cpu))
			continue;
		if (is_silent(m, c) && (should_record(c, task) || c->ticked == m->epoch))
			tell_silence(j, cpu, !should_record(c, task));
		else if (task && is_monopoly(m, c, task))
			tell_monopoly(j, cpu, task);
	}
	free(w);
}
