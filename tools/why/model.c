// SPDX-License-Identifier: GPL-2.0
/*
 * The machine as its trace tells: who runs, who waits, what is open.
 *
 * A trace that contradicts itself misses entries that it does not know of: what began before is not
 * told.  A task that runs without a wake-up is none: a signal may have kept it from sleeping.
 */

#include <search.h>
#include <stdlib.h>

#include "../../lib/read/walk.h"
#include "why.h"

/* Cached sites; a power of two. */
#define SITES	256

/* If no CPU records anything for so long, the machine may have been stopped. */
#define PAUSE_NS	(500 * NS_PER_MS)

/* The task that stops CPUs runs for a moment only. */
#define STOPPER_NS	(10 * NS_PER_MS)

/* At most one of so many tasks runs without a wake-up. */
#define UNWOKEN_TIMES	50

/**
 * enum sched_event - events of the scheduler and of jtrace that change the model
 * @SCHED_NONE: another one
 * @SCHED_SWITCH: a task begins to run
 * @SCHED_WAKING: a task is woken, on the CPU that does it
 * @SCHED_WAKEUP: a task is ready
 * @SCHED_MIGRATE: it goes to another CPU
 * @SCHED_NEW: it is new
 * @CPU_OFFLINE: a CPU goes offline
 * @CPU_ONLINE: it came back
 * @RESUME: the machine slept until then
 */
enum sched_event {
	SCHED_NONE,
	SCHED_SWITCH,
	SCHED_WAKING,
	SCHED_WAKEUP,
	SCHED_MIGRATE,
	SCHED_NEW,
	CPU_OFFLINE,
	CPU_ONLINE,
	RESUME,
};

static const struct {
	const char *name;
	enum sched_event event;
	const char *field[4];
} events[] = {
	{ "sched_switch", SCHED_SWITCH, { "prev_pid", "next_pid", "prev_state", "next_prio" } },
	{ "sched_waking", SCHED_WAKING, { "pid", "pid", "target_cpu", "pid" } },
	{ "sched_wakeup", SCHED_WAKEUP, { "pid", "pid", "target_cpu", "pid" } },
	{ "sched_wakeup_new", SCHED_WAKEUP, { "pid", "pid", "target_cpu", "pid" } },
	{ "sched_migrate_task", SCHED_MIGRATE, { "pid", "pid", "dest_cpu", "pid" } },
	{ "task_newtask", SCHED_NEW, { "pid", "pid", "pid", "pid" } },
};

/* What a group must have. */
static const struct {
	enum why_group group;
	const char *event;
} needs[] = {
	{ GROUP_SCHED, "sched_switch" },
	{ GROUP_SCHED, "sched_wakeup" },
	{ GROUP_IRQ, "irq_handler_entry" },
	{ GROUP_IRQ, "irq_handler_exit" },
	{ GROUP_SOFTIRQ, "softirq_entry" },
	{ GROUP_SOFTIRQ, "softirq_exit" },
	{ GROUP_TIMER, "timer_expire_entry" },
	{ GROUP_TIMER, "timer_expire_exit" },
	{ GROUP_TIMER, "hrtimer_expire_entry" },
	{ GROUP_TIMER, "hrtimer_expire_exit" },
	{ GROUP_WORKQUEUE, "workqueue_execute_start" },
	{ GROUP_WORKQUEUE, "workqueue_execute_end" },
	{ GROUP_SYSCALL, "sys_enter" },
	{ GROUP_SYSCALL, "sys_exit" },
	{ GROUP_LOCK, "contention_begin" },
	{ GROUP_LOCK, "contention_end" },
	{ GROUP_BLOCK, "block_rq_issue" },
	{ GROUP_BLOCK, "block_rq_complete" },
};

static struct model_site {
	bool known;
	u32 number;
	enum sched_event event;
	u32 need;
	u32 passed;
	int field[4];
	struct fields fields;
} site[SITES];

/* ---- Sites ------------------------------------------------------------ */

static void judge_site(struct model_site *s, const struct jtrace_site_text *text)
{
	u32 len, i, k;

	if (text->kind == JTRACE_SITE_CALL) {
		s->event = !strcmp(text->tag, "jtrace: cpu offline") ? CPU_OFFLINE :
			   !strcmp(text->tag, "jtrace: cpu online") ? CPU_ONLINE :
			   !strcmp(text->tag, "jtrace: resume") ? RESUME : SCHED_NONE;
		return;
	}
	if (text->kind != JTRACE_SITE_EVENT || text->partial)
		return;
	len = fields_parse_site(&s->fields, text);
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		if (!s->fields.nr || strlen(events[i].name) != len ||
		    memcmp(events[i].name, text->tag, len))
			continue;
		s->event = events[i].event;
		for (k = 0; k < ARRAY_SIZE(s->field); k++) {
			s->field[k] = fields_find(&s->fields, events[i].field[k]);
			if (s->field[k] < 0 ||
			    field_has_text(s->fields.field[s->field[k]].type))
				s->event = SCHED_NONE;
		}
	}
}

/* A bit of needs[], 0 if no group needs the event. */
static u32 find_need(const struct jtrace_site_text *text)
{
	const u32 len = strcspn(text->tag, " ");
	u32 i;

	static_assert(ARRAY_SIZE(needs) <= 32);
	if (text->kind == JTRACE_SITE_EVENT)
		for (i = 0; i < ARRAY_SIZE(needs); i++)
			if (strlen(needs[i].event) == len &&
			    !memcmp(needs[i].event, text->tag, len))
				return 1U << i;
	return 0;
}

static struct model_site *site_of(const struct jtrace_trace *t, u32 number)
{
	struct model_site *s = &site[jtrace_site_slot(number, SITES)];
	struct jtrace_site_text text;

	if (s->known && s->number == number)
		return s;
	*s = (struct model_site){ .known = true, .number = number };
	if (jtrace_site_read(&t->l, t->img, t->image_id, number, &text)) {
		s->need = find_need(&text);
		s->passed = text.partial ? s->need : 0;
		judge_site(s, &text);
	}
	return s;
}

/**
 * model_has() - did anything of a group of events happen?
 * @m: the machine
 * @group: the group
 */
bool model_has(const struct model *m, enum why_group group)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(needs); i++)
		if (needs[i].group == group && m->seen & 1U << i)
			return true;
	return false;
}

/**
 * model_passes_over() - may clauses pass over hits of a group?
 * @m: the machine
 * @group: the group
 */
bool model_passes_over(const struct model *m, enum why_group group)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(needs); i++)
		if (needs[i].group == group && m->passed & 1U << i)
			return true;
	return false;
}

/**
 * model_knows_tasks() - are all events on that tell what tasks do?
 * @m: the machine
 *
 * A few tasks run without a wake-up, see the top of this file.
 */
bool model_knows_tasks(const struct model *m)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(needs); i++)
		if (needs[i].group == GROUP_SCHED && !(m->seen & ~m->passed & 1U << i))
			return false;
	return m->unwoken * UNWOKEN_TIMES <= m->switches;
}

/* ---- The walk --------------------------------------------------------- */

/* All that was known before is doubtful. */
static void forget(struct model *m, u64 ns)
{
	m->from = max(m->from, ns);
	tdestroy(m->tasks, free);
	m->tasks = NULL;
	tdestroy(m->wakers, free);
	m->wakers = NULL;
	m->epoch++;
}

/* What a task did ends; false if there is no memory. */
static bool change_task(struct model *m, u32 tid, enum task_state state, u32 flags, int cpu,
			const struct jtrace_decoded *ev, u64 ns)
{
	struct why_task *task = model_get_task(m, tid);

	if (!task)
		return false;
	if (task->state == TASK_SLEEPS && task->flags & 2)
		task->slowest = max(task->slowest, ns - task->since);
	if (state == TASK_SLEEPS)
		task->slept = ns;
	/* It was woken just before, and will hear of that on its own CPU. */
	if (state == TASK_SLEEPS && task->waking) {
		state = TASK_READY;
		cpu = -1;
	}
	task->waking = false;
	task->state = state;
	task->flags = flags;
	task->cpu = cpu;
	task->since = ns;
	task->ev = *ev;
	return true;
}

/* 0: it could go on; 0x100: it was preempted. */
static bool is_ready(u32 state)
{
	return !(state & 0xff);
}

/*
 * Another task runs on a CPU.  The one that stops CPUs (migration/N) takes any of them for a
 * moment: the kernel's watchdog of lockups has it run every few seconds.  What it interrupts has
 * not left.  Its priority is 0; that of SCHED_FIFO 99 is, too, and is treated alike.
 */
static void change_cpu(const struct model *m, struct why_cpu *cpu,
		       const struct jtrace_decoded *ev, u64 ns, u32 next, bool interrupts)
{
	const struct why_stay before = cpu->interrupted, now = {
		.tid = cpu->tid, .since = cpu->since, .until = ns,
		.ticks = cpu->ticks, .switched = cpu->switched,
	};
	const bool known = model_knows_cpu(m, cpu);

	cpu->interrupted = known && interrupts ? now : (struct why_stay){ 0 };
	if (known && next && next == before.tid && ns - before.until <= STOPPER_NS) {
		cpu->stopper = cpu->tid;
		cpu->ticks = before.ticks;
		cpu->since = before.since;
		cpu->switched = before.switched;
	} else {
		cpu->stopper = 0;
		cpu->ticks = 0;
		cpu->since = ns;
		cpu->switched = *ev;
	}
	cpu->tid = next;
	cpu->known = m->epoch;
}

static bool switch_task(struct model *m, const struct jtrace_decoded *ev, u64 ns, u32 prev,
			u32 next, u32 state, u32 prio)
{
	struct why_cpu *cpu = &m->cpu[ev->cpu];
	struct why_task *task;

	if ((model_knows_cpu(m, cpu) && cpu->tid != prev) || ev->tid != prev)
		forget(m, ns);
	m->switches++;
	task = next ? model_get_task(m, next) : NULL;
	if (task && task->state == TASK_SLEEPS) {
		m->unwoken++;
		if (!wakers_wake(m, task, NULL, ns))
			return false;
	}
	change_cpu(m, cpu, ev, ns, next, !prio && is_ready(state));
	/* 0x10, 0x20: it is dead. */
	return (!prev || change_task(m, prev, state & 0x30 ? TASK_GONE : is_ready(state) ?
				     TASK_READY : TASK_SLEEPS, state, ev->cpu, ev, ns)) &&
	       (!next || change_task(m, next, TASK_RUNS, 0, ev->cpu, ev, ns));
}

/* A wake-up of a task that runs, or is ready, changes nothing. */
static bool wake_task(struct model *m, const struct jtrace_decoded *ev, u64 ns, u32 tid,
		      u32 target, bool done)
{
	struct why_task *task = model_get_task(m, tid);
	const int cpu = done ? (int)target : -1;

	if (!task)
		return false;
	if (!done)
		task->target = target;
	if (task->state == TASK_RUNS)
		task->waking = cpu < 0;
	if (task->state == TASK_READY && task->cpu < 0 && cpu >= 0) {
		task->cpu = cpu;
		task->since = ns;
		task->ev = *ev;
	}
	if (task->state == TASK_RUNS || task->state == TASK_READY)
		return true;
	task->woke = 0;
	if (task->state == TASK_SLEEPS && !wakers_wake(m, task, done ? NULL : ev, ns))
		return false;
	return change_task(m, tid, TASK_READY, 0, cpu, ev, ns);
}

/* A wake-up in an interrupt is not that of the task; one of itself asks for nothing. */
static bool note_waker(struct model *m, const struct jtrace_decoded *ev, u64 ns, u32 tid)
{
	struct why_task *task;

	if (!ev->tid || ev->tid == tid || is_in_interrupt(ev))
		return true;
	task = model_get_task(m, ev->tid);
	if (!task)
		return false;
	task->woke = tid;
	task->woke_at = ns;
	return true;
}

static bool take_sched(struct model *m, const struct model_site *s,
		       const struct jtrace_decoded *ev, u64 ns)
{
	u64 value[ARRAY_SIZE(s->field)] = { 0 };
	struct why_task *task;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(value) && s->event && s->event < CPU_OFFLINE; i++)
		value[i] = fields_value(&s->fields, s->field[i], ev);
	switch (s->event) {
	case SCHED_SWITCH:
		return switch_task(m, ev, ns, value[0], value[1], value[2],
				   value[3]);
	case SCHED_WAKING:
		/* The CPU is chosen later. */
		return wake_task(m, ev, ns, value[0], value[2], false) &&
		       note_waker(m, ev, ns, value[0]);
	case SCHED_WAKEUP:
		return wake_task(m, ev, ns, value[0], value[2], true);
	case SCHED_MIGRATE:
		task = model_get_task(m, value[0]);
		m->migrations++;
		if (task && task->state == TASK_READY) {
			task->cpu = value[2];
			task->since = ns;
			task->ev = *ev;
		}
		return task;
	case SCHED_NEW:
		task = model_get_task(m, value[0]);
		if (task) {
			task->user = false;
			task->exits = 0;
			task->born = ns;
			wakers_forget(m, task);
			task->call = 0;
			task->work = NULL;
			task->family = ev->tid;
		}
		return task && change_task(m, value[0], TASK_UNKNOWN, 0, -1, ev, ns);
	case CPU_OFFLINE:
	case CPU_ONLINE:
		m->cpu[ev->cpu].offline = s->event == CPU_OFFLINE;
		break;
	case RESUME:
		forget(m, ns);
		break;
	case SCHED_NONE:
		break;
	}
	return true;
}

static bool note_end(struct model *m, const struct pair_begin *b, u64 ns)
{
	struct why_slow *slow = model_get_slow(m, b);
	u64 begin = jtrace_recover_ns(m->t, b->ev.time);

	if (!slow)
		return false;
	m->ended |= ROLE_BIT(b->site->role);
	slow->nr++;
	slow->last = ns;
	if (ns > begin)
		slow->ns = max(slow->ns, ns - begin);
	return true;
}

/* Kernel threads make no system calls.  False if there is no memory. */
static bool note_call(struct model *m, const struct pair_site *s, const struct jtrace_decoded *ev)
{
	struct why_task *task = model_get_task(m, ev->tid);

	if (!task)
		return false;
	task->user |= !s->ends;
	/* A new task with its number; no event told that it is new. */
	task->exits = 0;
	task->call = s->ends ? 0 : fields_value(&s->fields, s->key, ev) + 1;
	return true;
}

static bool note_exit(struct model *m, const struct jtrace_decoded *ev, u64 ns)
{
	struct why_task *task = model_get_task(m, ev->tid);

	if (task)
		task->exits = ns;
	return task;
}

#define TIMERS		(ROLE_BIT(ROLE_TIMER) | ROLE_BIT(ROLE_HRTIMER))

/* These may wake a task. */
#define RUNNERS		(TIMERS | ROLE_BIT(ROLE_SOFTIRQ) | ROLE_BIT(ROLE_WORK))

/* These interrupt a task that runs. */
#define INTERRUPTS	(ROLE_BIT(ROLE_HRTIMER) | ROLE_BIT(ROLE_IRQ))

static void note_tick(struct model *m, u32 cpu)
{
	if (++m->cpu[cpu].ticks >= WHY_TICKS)
		m->cpu[cpu].ticked = m->epoch;
}

static bool take_pairs(struct model *m, const struct jtrace_decoded *ev, u64 ns)
{
	struct pair_step step;

	if (!pairs_take(m->pairs, ev, 0, &step))
		return false;
	if (step.breaks)
		forget(m, ns);
	storms_take(m, step.site, ev, ns);
	switch (step.site->role) {
	case ROLE_STOP:
		m->stopped = true;
		m->stopped_at = ns;
		return true;
	case ROLE_SWITCH:
		/* (on, off): events that were turned off may happen no more. */
		if (ev->arg[1]) {
			m->seen = 0;
			m->passed = 0;
			m->ended = 0;
		}
		return true;
	case ROLE_START:
		m->stopped = false;
		return true;
	default:
		break;
	}
	if (!step.site->ends && ROLE_BIT(step.site->role) & INTERRUPTS)
		note_tick(m, ev->cpu);
	if (step.site->role == ROLE_SYSCALL && !note_call(m, step.site, ev))
		return false;
	if (step.site->role == ROLE_EXIT && !note_exit(m, ev, ns))
		return false;
	if (ROLE_BIT(step.site->role) & RUNNERS && !wakers_take(m, step.site, ev))
		return false;
	if (step.contradicts && !pairs_never_end(m->t, &step.begin))
		forget(m, ns);
	return !step.ends || note_end(m, &step.begin, ns);
}

static void note_cpu(struct model *m, const struct jtrace_decoded *ev, u64 ns)
{
	struct why_cpu *cpu = &m->cpu[ev->cpu];

	m->cpus += !cpu->nr;
	if (ns > m->newest + PAUSE_NS)
		m->paused = ns;
	m->newest = max(m->newest, ns);
	m->last = ev->time;
	if (cpu->nr && model_knows_cpu(m, cpu) && cpu->tid && ns > cpu->at)
		cpu->silence = max(cpu->silence, ns - cpu->at);
	cpu->nr++;
	cpu->nr_all = m->nr;
	cpu->at = ns;
	cpu->last = *ev;
}

static bool walk(struct model *m)
{
	static struct jtrace_walk w;
	const struct jtrace_decoded *ev;
	const struct model_site *s;
	u64 ns;

	jtrace_walk_each(&w, m->t, ev) {
		ns = jtrace_recover_ns(m->t, ev->time);
		if (ns > m->until)
			break;
		if (!m->nr++)
			m->first = ns;
		if (!take_pairs(m, ev, ns))
			return false;
		/* After a stop, other CPUs record a little longer, with gaps. */
		if (m->stopped)
			continue;
		note_cpu(m, ev, ns);
		s = site_of(m->t, ev->site);
		m->seen |= s->need;
		m->passed |= s->passed;
		if (!take_sched(m, s, ev, ns))
			return false;
	}
	if (m->stopped)
		m->until = m->stopped_at;
	return true;
}

/**
 * model_read() - read a trace up to a moment
 * @m: result; free it by model_close(), also after an error
 * @t: the trace, without selection
 * @until: the moment, ns
 * @from: what began before is not told, ns
 *
 * Return: false, after a message, if there is no memory.
 */
bool model_read(struct model *m, const struct jtrace_trace *t, u64 until, u64 from)
{
	u64 complete;

	memset(site, 0, sizeof(site));
	*m = (struct model){ .t = t, .until = until, .from = from, .epoch = 1 };
	m->cpu = calloc(CPU_NUMBERS, sizeof(*m->cpu));
	if (!m->cpu)
		return fail("no memory for %u CPUs", CPU_NUMBERS);
	m->pairs = pairs_open(t, ROLES_ALL & ~ROLE_BIT(ROLE_CALL));
	if (!m->pairs)
		return false;
	complete = pairs_complete(m->pairs);
	if (complete)
		m->from = max(m->from, jtrace_recover_ns(t, complete));
	return walk(m) || fail("no memory for what the trace tells");
}

/**
 * model_close() - free what model_read() needed
 * @m: the machine
 */
void model_close(struct model *m)
{
	pairs_close(m->pairs);
	tdestroy(m->tasks, free);
	tdestroy(m->slow, free);
	tdestroy(m->runners, free);
	tdestroy(m->wakers, free);
	free(m->cpu);
	*m = (struct model){ 0 };
}
