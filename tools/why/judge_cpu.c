// SPDX-License-Identifier: GPL-2.0
/* Rules about CPUs: what they were doing at the panic, what they do not leave. */

#include <stdlib.h>

#include "judge.h"

/* A task that is ready runs after some time slices. */
#define READY_NS	(2 * NS_PER_S)

/* A CPU is silent if it was never so long before, and had enough to record. */
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

static void set_told(struct judging *j, u32 cpu)
{
	j->cpu_told[cpu / 8] |= 1 << cpu % 8;
}

/* ---- The panic -------------------------------------------------------- */

static bool note_innermost(const struct pair_begin *b, void *data)
{
	struct judging *j = data;
	const struct panic *panic = &j->v->panic;

	if (judge_ns(j, &b->ev) < j->v->m.from ||
	    !((ROLE_BIT(b->site->role) & HANDLERS && b->ev.cpu == panic->cpu) ||
	      (ROLE_BIT(b->site->role) & (ROLE_BIT(ROLE_WORK) | ROLE_BIT(ROLE_SYSCALL)) &&
	       b->ev.tid == panic->tid && panic->tid)))
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
		if (!judge_is_long(j, b, HANDLER_NS, HANDLER_TIMES))
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
		finding_tell(j->v, &f);
		set_told(j, b->ev.cpu);
	}
}

/**
 * judge_silence() - look for CPUs that recorded nothing more, while others went on
 * @j: judging
 *
 * An idle CPU may sleep.
 */
void judge_silence(struct judging *j)
{
	const struct model *m = &j->v->m;
	const struct why_cpu *c;
	struct finding f;
	struct pen p;
	u32 cpu;

	for (cpu = 0; cpu < CPU_NUMBERS; cpu++) {
		c = &m->cpu[cpu];
		if (!c->nr || c->offline || !model_knows_cpu(m, c) || !c->tid || judge_is_told(j, cpu) ||
		    c->nr < SILENCE_ENTRIES || c->at >= m->until || c->at < m->from ||
		    m->until - c->at < WAIT_NS ||
		    (m->until - c->at) / SILENCE_TIMES <= c->silence)
			continue;
		finding_begin(&f, &p, 88, "silent");
		f.cpu = cpu;
		f.since = c->at;
		finding_task(&f, c->tid);
		pen_format(&p, "CPU %u recorded nothing after ", cpu);
		put_time(&p, c->at);
		pen_text(&p, ", for ");
		put_span(&p, m->until - c->at);
		pen_text(&p, ", while ");
		put_task_name(m->t, &p, c->tid, c->last.time);
		pen_text(&p, " ran there; before, it never did so for longer than ");
		put_span(&p, c->silence);
		finding_event(&f, &c->last);
		finding_tell(j->v, &f);
		set_told(j, cpu);
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

	if (task->state != TASK_READY || task->cpu < 0 || task->cpu >= CPU_NUMBERS ||
	    task->since < m->from || m->until < task->since ||
	    m->until - task->since < READY_NS)
		return;
	longest = &w->longest[task->cpu];
	if (!*longest || (*longest)->since > task->since)
		*longest = task;
}

/**
 * judge_monopoly() - look for tasks that do not leave their CPU to one that is ready
 * @j: judging
 */
void judge_monopoly(struct judging *j)
{
	const struct model *m = &j->v->m;
	struct waiter *w = calloc(1, sizeof(*w));
	const struct why_cpu *c;
	const struct why_task *task;
	struct finding f;
	struct pen p;
	u32 cpu;

	j->failed |= !w;
	if (!w)
		return;
	w->j = j;
	model_each_task(m, note_waiter, w);
	for (cpu = 0; cpu < CPU_NUMBERS; cpu++) {
		task = w->longest[cpu];
		c = &m->cpu[cpu];
		if (!task || !model_knows_cpu(m, c) || !c->tid || c->since < m->from || judge_is_told(j, cpu) ||
		    c->offline || m->until - c->since < READY_NS)
			continue;
		finding_begin(&f, &p, 80, "monopoly");
		f.cpu = cpu;
		f.since = max(task->since, c->since);
		finding_task(&f, c->tid);
		finding_task(&f, task->tid);
		put_task_name(m->t, &p, c->tid, c->switched.time);
		pen_format(&p, " runs on CPU %u since ", cpu);
		put_time(&p, c->since);
		pen_text(&p, " without a break, for ");
		put_span(&p, m->until - c->since);
		pen_text(&p, "; ");
		put_task_name(m->t, &p, task->tid, task->ev.time);
		pen_text(&p, " is ready there since ");
		put_time(&p, task->since);
		finding_event(&f, &c->switched);
		finding_event(&f, &task->ev);
		finding_tell(j->v, &f);
		set_told(j, cpu);
	}
	free(w);
}

