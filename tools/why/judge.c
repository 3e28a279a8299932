// SPDX-License-Identifier: GPL-2.0
/*
 * What was unfinished for unusually long when the trace ends.
 *
 * A wrong finding is worse than none.  So each one holds by what the trace tells alone: the begin
 * is there, no entry is missing since, all events that would tell the end are on, and what ended
 * before was much faster.  Who waits for something that is told already is not told again.
 */

#include <stdlib.h>

#include "why.h"

/* Handlers that run for longer than this, and than so many times the slowest one, hang. */
#define HANDLER_NS	(300 * NS_PER_MS)
#define HANDLER_TIMES	10

/* Others. */
#define WAIT_NS		NS_PER_S
#define LOCK_TIMES	5
#define WORK_TIMES	10
#define BLOCK_TIMES	10

/* If no work item or request like it has ended, nobody knows how long it takes. */
#define FIRST_NS	(10 * NS_PER_S)

/* A task that is ready runs after some time slices. */
#define READY_NS	(2 * NS_PER_S)

/* A task that is blocked waits for a disk at the most. */
#define BLOCKED_NS	(5 * NS_PER_S)
#define BLOCKED_TIMES	10

/* A CPU is silent if it was never so long before, and had enough to record. */
#define SILENCE_TIMES	10
#define SILENCE_ENTRIES	100

/**
 * struct open - what is open for long
 * @nr: how many
 * @begin: the begins
 */
struct open {
	size_t nr;
	struct pair_begin *begin;
};

/**
 * struct judging - judging, as far as it is
 * @v: result
 * @open: what is open
 * @cpu_told: a bit for each CPU that a finding is about
 * @blocked: the task that is blocked for longest
 * @inner: what the CPU that panicked had begun last
 * @failed: no memory
 */
struct judging {
	struct verdict *v;
	struct open open;
	u8 cpu_told[CPU_NUMBERS / 8];
	const struct why_task *blocked;
	struct pair_begin inner;
	bool failed;
};

/* ---- Findings --------------------------------------------------------- */

static struct finding *begin_finding(struct finding *f, struct pen *p, u32 rank, const char *what)
{
	memset(f, 0, sizeof(*f));
	f->rank = rank;
	f->what = what;
	f->cpu = -1;
	*p = (struct pen){ f->text, f->text + sizeof(f->text) - 1 };
	return f;
}

static void add_task(struct finding *f, u32 tid)
{
	if (f->tids < FINDING_TASKS)
		f->tid[f->tids++] = tid;
}

static void add_evidence(struct finding *f, const struct jtrace_decoded *ev)
{
	if (f->nr < FINDING_EVIDENCE)
		f->evidence[f->nr++] = *ev;
}

/* Put it where its rank says; of equal ranks the older one comes first. */
static void tell(struct verdict *v, const struct finding *f)
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

static u64 ns_of(const struct judging *j, const struct jtrace_decoded *ev)
{
	return jtrace_recover_ns(j->v->m.t, ev->time);
}

static u64 age_of(const struct judging *j, const struct jtrace_decoded *ev)
{
	const u64 ns = ns_of(j, ev);

	return ns < j->v->m.until ? j->v->m.until - ns : 0;
}

/* Is it open for longer than others of its kind ever were? */
static bool is_long(const struct judging *j, const struct pair_begin *b, u64 least, u32 times)
{
	const struct why_slow *slow = model_slowest(&j->v->m, b);
	const u64 age = age_of(j, &b->ev);

	if (!slow && ROLE_BIT(b->site->role) & (ROLE_BIT(ROLE_WORK) | ROLE_BIT(ROLE_BLOCK)))
		return age > FIRST_NS;
	return age > least && (!slow || age / times > slow->ns);
}

/* ", for 5.2 s; 41 others ended, the slowest in 80.1 us" */
static void put_age(const struct judging *j, struct pen *p, const struct pair_begin *b)
{
	const struct why_slow *slow = model_slowest(&j->v->m, b);

	pen_text(p, " for ");
	put_span(p, age_of(j, &b->ev));
	if (!slow) {
		pen_text(p, "; no other one has ended");
		return;
	}
	pen_format(p, "; %llu other%s ended, the slowest in ", slow->nr, slow->nr == 1 ? "" : "s");
	put_span(p, slow->ns);
}

/* ---- What is open ----------------------------------------------------- */

static bool note_open(const struct pair_begin *b, void *data)
{
	struct judging *j = data;
	struct open *o = &j->open;

	/* Waits for locks have another proof, too: see still_waits(). */
	if (ns_of(j, &b->ev) < j->v->m.from || age_of(j, &b->ev) < HANDLER_NS ||
	    !((j->v->m.ended | ROLE_BIT(ROLE_LOCK)) & ROLE_BIT(b->site->role)))
		return true;
	o->begin = array_grow(o->begin, o->nr, sizeof(*o->begin));
	j->failed = !o->begin;
	if (o->begin)
		o->begin[o->nr++] = *b;
	return o->begin;
}

/* The last begin of these roles, of a thread or of a CPU; NULL if none is open for long. */
static const struct pair_begin *find_open(const struct judging *j, u32 roles, bool of_cpu, u32 who)
{
	const struct pair_begin *found = NULL, *b;

	for (b = j->open.begin; b < j->open.begin + j->open.nr; b++)
		if (ROLE_BIT(b->site->role) & roles &&
		    (of_cpu ? b->ev.cpu : b->ev.tid) == who &&
		    (!found || found->ev.time <= b->ev.time))
			found = b;
	return found;
}

static const u32 handlers = ROLE_BIT(ROLE_IRQ) | ROLE_BIT(ROLE_SOFTIRQ) | ROLE_BIT(ROLE_TIMER) |
			    ROLE_BIT(ROLE_HRTIMER);

static bool is_told(const struct judging *j, u32 cpu)
{
	return j->cpu_told[cpu / 8] >> cpu % 8 & 1;
}

static void set_told(struct judging *j, u32 cpu)
{
	j->cpu_told[cpu / 8] |= 1 << cpu % 8;
}

/* A handler that began and did not end: the innermost one of its CPU. */
static void judge_handlers(struct judging *j)
{
	const struct pair_begin *b;
	struct finding f;
	struct pen p;
	size_t i;

	for (i = 0; i < j->open.nr; i++) {
		b = &j->open.begin[i];
		if (!(ROLE_BIT(b->site->role) & handlers) || is_told(j, b->ev.cpu))
			continue;
		b = find_open(j, handlers, true, b->ev.cpu);
		if (!is_long(j, b, HANDLER_NS, HANDLER_TIMES))
			continue;
		begin_finding(&f, &p, 90, "handler");
		f.cpu = b->ev.cpu;
		f.since = ns_of(j, &b->ev);
		pen_format(&p, "CPU %u: ", b->ev.cpu);
		put_begin_name(j->v->m.t, &p, b);
		pen_text(&p, " began at ");
		put_time(&p, f.since);
		pen_text(&p, " and did not end");
		put_age(j, &p, b);
		add_evidence(&f, &b->ev);
		tell(j->v, &f);
		set_told(j, b->ev.cpu);
	}
}

/*
 * A CPU that recorded nothing more, though it ran a task and other CPUs went on.  An idle CPU may
 * sleep.
 */
static void judge_silence(struct judging *j)
{
	const struct model *m = &j->v->m;
	const struct why_cpu *c;
	struct finding f;
	struct pen p;
	u32 cpu;

	for (cpu = 0; cpu < CPU_NUMBERS; cpu++) {
		c = &m->cpu[cpu];
		if (!c->nr || c->offline || !c->known || !c->tid || is_told(j, cpu) ||
		    c->nr < SILENCE_ENTRIES || c->at >= m->until || c->at < m->from ||
		    m->until - c->at < WAIT_NS ||
		    (m->until - c->at) / SILENCE_TIMES <= c->silence)
			continue;
		begin_finding(&f, &p, 88, "silent");
		f.cpu = cpu;
		f.since = c->at;
		add_task(&f, c->tid);
		pen_format(&p, "CPU %u recorded nothing after ", cpu);
		put_time(&p, c->at);
		pen_text(&p, ", for ");
		put_span(&p, m->until - c->at);
		pen_text(&p, ", while ");
		put_task_name(m->t, &p, c->tid, c->last.time);
		pen_text(&p, " ran there; before, it never did so for longer than ");
		put_span(&p, c->silence);
		add_evidence(&f, &c->last);
		tell(j->v, &f);
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

/* A task that is ready does not run, because another one does not leave its CPU. */
static void judge_monopoly(struct judging *j)
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
		if (!task || !c->known || !c->tid || c->since < m->from || is_told(j, cpu) ||
		    c->offline || m->until - c->since < READY_NS)
			continue;
		begin_finding(&f, &p, 80, "monopoly");
		f.cpu = cpu;
		f.since = max(task->since, c->since);
		add_task(&f, c->tid);
		add_task(&f, task->tid);
		put_task_name(m->t, &p, c->tid, c->switched.time);
		pen_format(&p, " runs on CPU %u since ", cpu);
		put_time(&p, c->since);
		pen_text(&p, " without a break, for ");
		put_span(&p, m->until - c->since);
		pen_text(&p, "; ");
		put_task_name(m->t, &p, task->tid, task->ev.time);
		pen_text(&p, " is ready there since ");
		put_time(&p, task->since);
		add_evidence(&f, &c->switched);
		add_evidence(&f, &task->ev);
		tell(j->v, &f);
		set_told(j, cpu);
	}
	free(w);
}

/* ---- Locks ------------------------------------------------------------ */

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
	       task->since >= ns_of(j, &b->last);
}

/* The wait of a task for a lock, if it is one for long; NULL otherwise. */
static const struct pair_begin *wait_of(const struct judging *j, u32 tid)
{
	const struct pair_begin *b = tid ? find_open(j, ROLE_BIT(ROLE_LOCK), false, tid) : NULL;

	return b && is_long(j, b, WAIT_NS, LOCK_TIMES) && still_waits(j, b) ? b : NULL;
}

static void put_wait(const struct judging *j, struct pen *p, const struct pair_begin *b)
{
	const struct jtrace_trace *t = j->v->m.t;
	const u32 owner = owner_of(j, b);

	put_task_name(t, p, b->ev.tid, b->ev.time);
	pen_text(p, " waits for ");
	put_begin_name(t, p, b);
	pen_text(p, " since ");
	put_time(p, ns_of(j, &b->ev));
	if (owner) {
		pen_text(p, ", which ");
		put_task_name(t, p, owner, b->last.time);
		pen_text(p, " held then");
	}
}

/*
 * Whom a task waits for in a circle: that is a deadlock.  Fact: each owner held its lock when the
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
		b = wait_of(j, owner_of(j, b));
		if (b == first)
			break;
	}
	if (b != first || nr < 2)
		return false;
	/* It is told once, from the task with the smallest number. */
	for (i = 1; i < nr; i++)
		if (in[i]->ev.tid < first->ev.tid)
			return true;
	begin_finding(&f, &p, 100, "deadlock");
	f.since = ns_of(j, &first->ev);
	pen_text(&p, "Deadlock: ");
	for (i = 0; i < nr; i++) {
		pen_text(&p, i ? "; " : "");
		put_wait(j, &p, in[i]);
		add_task(&f, in[i]->ev.tid);
		add_evidence(&f, &in[i]->last);
		f.since = max(f.since, ns_of(j, &in[i]->ev));
		task = model_task(&j->v->m, in[i]->ev.tid);
		b = in[(i + 1) % nr];
		f.likely |= ns_of(j, &b->ev) > ns_of(j, &in[i]->last) &&
			    !(model_knows_tasks(&j->v->m) && task &&
			      task->state == TASK_SLEEPS && task->since >= ns_of(j, &in[i]->ev));
	}
	tell(j->v, &f);
	return true;
}

/* Does the owner, or its owner, wait in a circle?  Then that is told. */
static bool ends_in_circle(const struct judging *j, const struct pair_begin *b)
{
	u32 depth;

	for (depth = 0; b && depth < 2 * FINDING_TASKS; depth++)
		b = wait_of(j, owner_of(j, b));
	return b;
}

static void judge_locks(struct judging *j)
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
		if (b->site->role != ROLE_LOCK || wait_of(j, b->ev.tid) != b)
			continue;
		if (judge_circle(j, b) || ends_in_circle(j, b))
			continue;
		owner = owner_of(j, b);
		/* The owner waits for another lock: that one is told. */
		if (wait_of(j, owner))
			continue;
		begin_finding(&f, &p, 68, "lock");
		f.since = ns_of(j, &b->ev);
		add_task(&f, b->ev.tid);
		put_wait(j, &p, b);
		add_evidence(&f, &b->last);
		task = owner ? model_task(m, owner) : NULL;
		if (task && model_knows_tasks(m) && task->state == TASK_SLEEPS &&
		    task->since >= m->from) {
			pen_text(&p, ", and is ");
			put_state(&p, task);
			pen_text(&p, " since ");
			put_time(&p, task->since);
			add_evidence(&f, &task->ev);
		}
		if (owner)
			add_task(&f, owner);
		else
			pen_text(&p, "; who held it is not recorded");
		tell(j->v, &f);
	}
}

/* ---- Work items and requests ------------------------------------------ */

/* The oldest one of a role, and how many there are. */
static const struct pair_begin *oldest(const struct judging *j, enum pair_role role, u64 least,
				       u32 times, u32 *nr)
{
	const struct pair_begin *found = NULL, *b;

	*nr = 0;
	for (b = j->open.begin; b < j->open.begin + j->open.nr; b++) {
		if (b->site->role != role || !is_long(j, b, least, times))
			continue;
		++*nr;
		if (!found || found->ev.time > b->ev.time)
			found = b;
	}
	return found;
}

static void judge_requests(struct judging *j)
{
	const struct model *m = &j->v->m;
	const struct pair_begin *b;
	struct field_value v;
	struct finding f;
	struct pen p;
	u32 nr;

	b = oldest(j, ROLE_BLOCK, WAIT_NS, BLOCK_TIMES, &nr);
	/* Flushes and others may take long; they have other names. */
	if (!b || !begin_value(m->t, &b->ev, "cmd_flags", &v) || (v.value & 0xff) > 1)
		return;
	begin_finding(&f, &p, 75, "block");
	f.since = ns_of(j, &b->ev);
	put_begin_name(m->t, &p, b);
	pen_text(&p, v.value & 1 ? ", a write," : ", a read,");
	pen_text(&p, " was issued at ");
	put_time(&p, f.since);
	pen_text(&p, " and did not complete");
	put_age(j, &p, b);
	if (nr > 1)
		pen_format(&p, "; %u like it wait, too", nr - 1);
	add_evidence(&f, &b->ev);
	tell(j->v, &f);
}

/* A work item that waits for a lock, or does not leave its CPU, is told by that. */
static bool is_explained(const struct judging *j, const struct pair_begin *b)
{
	const struct why_task *task = model_task(&j->v->m, b->ev.tid);

	return wait_of(j, b->ev.tid) ||
	       (task && task->state == TASK_RUNS && task->cpu >= 0 && is_told(j, task->cpu));
}

static void judge_work(struct judging *j)
{
	const struct model *m = &j->v->m;
	const struct why_task *task;
	const struct pair_begin *b;
	struct finding f;
	struct pen p;
	size_t i;

	for (i = 0; i < j->open.nr; i++) {
		b = &j->open.begin[i];
		if (b->site->role != ROLE_WORK || !is_long(j, b, WAIT_NS, WORK_TIMES) ||
		    is_explained(j, b))
			continue;
		begin_finding(&f, &p, 72, "work");
		f.since = ns_of(j, &b->ev);
		add_task(&f, b->ev.tid);
		put_begin_name(m->t, &p, b);
		pen_text(&p, " of ");
		put_task_name(m->t, &p, b->ev.tid, b->ev.time);
		pen_text(&p, " began at ");
		put_time(&p, f.since);
		pen_text(&p, " and did not end");
		put_age(j, &p, b);
		add_evidence(&f, &b->ev);
		task = model_task(m, b->ev.tid);
		if (task && model_knows_tasks(m) && task->state == TASK_SLEEPS &&
		    task->since >= f.since) {
			pen_text(&p, "; it is ");
			put_state(&p, task);
			pen_text(&p, " since ");
			put_time(&p, task->since);
			add_evidence(&f, &task->ev);
		}
		tell(j->v, &f);
	}
}

/* ---- Tasks that are blocked ------------------------------------------- */

/* Does it wait for a child, which may take as long as it likes? */
static bool waits_for_child(const struct judging *j, u32 tid)
{
	static const char * const calls[] = { "vfork", "clone", "clone3" };
	const struct pair_begin *b = find_open(j, ROLE_BIT(ROLE_SYSCALL), false, tid);
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

static bool is_in_finding(const struct judging *j, u32 tid)
{
	const struct finding *f;
	u32 i;

	for (f = j->v->finding; f < j->v->finding + j->v->nr; f++)
		for (i = 0; i < f->tids; i++)
			if (f->tid[i] == tid)
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
	    find_open(j, ROLE_BIT(ROLE_LOCK) | ROLE_BIT(ROLE_WORK), false, task->tid) ||
	    is_in_finding(j, task->tid))
		return;
	if (!j->blocked || j->blocked->since > task->since)
		j->blocked = task;
}

static void judge_blocked(struct judging *j)
{
	const struct model *m = &j->v->m;
	const struct pair_begin *b;
	struct finding f;
	struct pen p;

	/* A parent may wait for its child so, and only its system call tells. */
	if (!(m->ended & ROLE_BIT(ROLE_SYSCALL)))
		return;
	model_each_task(m, note_blocked, j);
	if (!j->blocked)
		return;
	begin_finding(&f, &p, 60, "blocked");
	f.since = j->blocked->since;
	add_task(&f, j->blocked->tid);
	put_task_name(m->t, &p, j->blocked->tid, j->blocked->ev.time);
	pen_text(&p, " is ");
	put_state(&p, j->blocked);
	pen_text(&p, " since ");
	put_time(&p, f.since);
	pen_text(&p, ", for ");
	put_span(&p, m->until - f.since);
	pen_text(&p, ", and was not woken");
	add_evidence(&f, &j->blocked->ev);
	b = find_open(j, ROLE_BIT(ROLE_SYSCALL), false, j->blocked->tid);
	if (b) {
		pen_text(&p, "; it is in ");
		put_begin_name(m->t, &p, b);
		pen_text(&p, " since ");
		put_time(&p, ns_of(j, &b->ev));
		add_evidence(&f, &b->ev);
	}
	tell(j->v, &f);
}

/* ---- The panic -------------------------------------------------------- */

static bool note_innermost(const struct pair_begin *b, void *data)
{
	struct judging *j = data;
	const struct panic *panic = &j->v->panic;

	if (ns_of(j, &b->ev) < j->v->m.from ||
	    !((ROLE_BIT(b->site->role) & handlers && b->ev.cpu == panic->cpu) ||
	      (ROLE_BIT(b->site->role) & (ROLE_BIT(ROLE_WORK) | ROLE_BIT(ROLE_SYSCALL)) &&
	       b->ev.tid == panic->tid && panic->tid)))
		return true;
	if (!j->inner.site || j->inner.ev.time <= b->ev.time)
		j->inner = *b;
	return true;
}

/* What the CPU did that panicked, by what it had begun last. */
static void judge_panic(struct judging *j)
{
	const struct model *m = &j->v->m;
	struct finding f;
	struct pen p;

	if (!j->v->panic.known)
		return;
	pairs_each(m->pairs, note_innermost, j);
	if (!j->inner.site || !(m->ended & ROLE_BIT(j->inner.site->role)))
		return;
	begin_finding(&f, &p, 110, "panic");
	f.cpu = j->v->panic.cpu;
	f.since = ns_of(j, &j->inner.ev);
	add_task(&f, j->v->panic.tid);
	/* Something that has no event may have interrupted it. */
	pen_format(&p, "The panic began on CPU %u during ", f.cpu);
	put_begin_name(m->t, &p, &j->inner);
	if (ROLE_BIT(j->inner.site->role) & ~handlers) {
		pen_text(&p, " of ");
		put_task_name(m->t, &p, j->inner.ev.tid, j->inner.ev.time);
	}
	pen_text(&p, ", ");
	put_span(&p, age_of(j, &j->inner.ev));
	pen_text(&p, " after it began");
	add_evidence(&f, &j->inner.ev);
	tell(j->v, &f);
}

/**
 * judge() - find what was unfinished
 * @v: the machine is read; the rest is the result
 *
 * Return: false, after a message, if there is no memory.
 */
bool judge(struct verdict *v)
{
	struct judging *j = calloc(1, sizeof(*j));

	if (!j)
		return fail("no memory to judge the trace");
	j->v = v;
	v->nr = 0;
	v->more = 0;
	v->why_not = pairs_missing(v->m.t);
	if (!v->why_not) {
		pairs_each(v->m.pairs, note_open, j);
		judge_panic(j);
		judge_handlers(j);
		if (model_knows_tasks(&v->m)) {
			judge_silence(j);
			judge_monopoly(j);
		}
		judge_locks(j);
		judge_requests(j);
		judge_work(j);
		if (model_knows_tasks(&v->m))
			judge_blocked(j);
	}
	free(j->open.begin);
	v->why_not = j->failed ? "no memory" : v->why_not;
	free(j);
	return true;
}
