// SPDX-License-Identifier: GPL-2.0
/*
 * What other entries tell: names of tasks, where the image has no record of them any more, names of
 * interrupts, and how long a wait for a lock took.
 *
 * The entries are read once, when the first of these is asked for.  A task has a name between two
 * entries that agree on it.  An interrupt has a name if all entries of the trace agree.  A wait
 * begins with the first entry of its task and lock; both ends must lie where no entry is missing,
 * recording went on, and no event was switched.
 */

#include <stdlib.h>

#include "../../lib/read/walk.h"
#include "pairs.h"

/* Tasks whose last entry is remembered, sites and interrupts: powers of two. */
#define TASKS	4096
#define SITES	256
#define IRQS	1024

/**
 * struct seen_task - a time in which a task had a name
 * @tid: of the task
 * @from: raw time of the first entry that tells
 * @to: of the last one
 * @comm: the name
 */
struct seen_task {
	u32 tid;
	u64 from;
	u64 to;
	char comm[TASK_NAME];
};

/**
 * struct seen_irq - an interrupt
 * @known: the other fields are set
 * @doubtful: it has two names, or two interrupts have this place
 * @irq: its number
 * @name: its name
 */
struct seen_irq {
	bool known;
	bool doubtful;
	u32 irq;
	char name[JTRACE_FIELD_TEXT + 1];
};

/**
 * struct seen_wait - a wait for a lock
 * @who: the task, by pairs_thread()
 * @lock: address of the lock
 * @begin: raw time of its first entry
 * @end: raw time of its last one
 */
struct seen_wait {
	u64 who;
	u64 lock;
	u64 begin;
	u64 end;
};

/* What an event tells: the name of a task or an interrupt. */
static const struct teller {
	const char *event;
	const char *number;
	const char *name;
	bool irq;
} tellers[] = {
	{ "sched_switch", "next_pid", "next_comm", false },
	{ "sched_waking", "pid", "comm", false },
	{ "sched_wakeup", "pid", "comm", false },
	{ "sched_wakeup_new", "pid", "comm", false },
	{ "sched_migrate_task", "pid", "comm", false },
	{ "sched_process_exec", "pid", "comm", false },
	{ "sched_process_exit", "pid", "comm", false },
	{ "task_newtask", "pid", "comm", false },
	{ "irq_handler_entry", "irq", "name", true },
};

/**
 * struct seen_site - a site, and what its entries tell
 * @known: the other fields are set
 * @number: of the site
 * @teller: NULL if they tell nothing
 * @number_at: index of the field with the number
 * @name_at: of the one with the name
 * @lock_at: of the one with the lock whose wait they end, -1 if they end none
 * @fields: of the site
 */
struct seen_site {
	bool known;
	u32 number;
	const struct teller *teller;
	int number_at;
	int name_at;
	int lock_at;
	struct fields fields;
};

static struct {
	bool looked;
	struct seen_task *task;		/* sorted */
	size_t nr;
	size_t last[TASKS];		/* one more than the index of a task's last one */
	struct seen_wait *wait;		/* that ended, in the order of @end */
	size_t nr_waits;
	struct seen_irq irq[IRQS];
	struct seen_site site[SITES];
} seen;

static struct seen_site *site_of(const struct jtrace_trace *t, u32 number)
{
	struct seen_site *s = &seen.site[jtrace_site_slot(number, SITES)];
	struct jtrace_site_text text;
	u32 len, i;

	if (s->known && s->number == number)
		return s;
	s->known = true;
	s->number = number;
	s->teller = NULL;
	s->lock_at = -1;
	if (!jtrace_site_read(&t->l, t->img, t->image_id, number, &text))
		return s;
	if (text.kind != JTRACE_SITE_EVENT)
		return s;
	len = fields_parse_site(&s->fields, &text);
	if (len == strlen("contention_end") && !memcmp(text.tag, "contention_end", len))
		s->lock_at = fields_find(&s->fields, "lock_addr");
	for (i = 0; i < ARRAY_SIZE(tellers); i++) {
		const struct teller *one = &tellers[i];

		if (strlen(one->event) != len || memcmp(one->event, text.tag, len))
			continue;
		s->number_at = fields_find(&s->fields, one->number);
		s->name_at = fields_find(&s->fields, one->name);
		if (s->number_at >= 0 && s->name_at >= 0 &&
		    jtrace_field_is_text(s->fields.field[s->name_at].type))
			s->teller = one;
	}
	return s;
}

static void see_irq(u32 irq, const char *name)
{
	struct seen_irq *s = &seen.irq[irq % IRQS];

	if (!s->known) {
		*s = (struct seen_irq){ .known = true, .irq = irq };
		memcpy(s->name, name, sizeof(s->name));
	} else if (s->irq != irq || strcmp(s->name, name)) {
		s->doubtful = true;
	}
}

/* False if there is no memory. */
static bool see_task(u32 tid, u64 time, const char *comm)
{
	size_t *last = &seen.last[tid % TASKS];
	struct seen_task *s = *last ? &seen.task[*last - 1] : NULL;

	if (s && s->tid == tid && !strcmp(s->comm, comm)) {
		s->to = time;
		return true;
	}
	seen.task = array_grow(seen.task, seen.nr, sizeof(*seen.task));
	if (!seen.task)
		return false;
	s = &seen.task[seen.nr++];
	*s = (struct seen_task){ .tid = tid, .from = time, .to = time };
	scnprintf(s->comm, sizeof(s->comm), "%s", comm);
	*last = seen.nr;
	return true;
}

/* False if there is no memory. */
static bool see_wait(const struct pair_step *step, const struct jtrace_decoded *ev)
{
	seen.wait = array_grow(seen.wait, seen.nr_waits, sizeof(*seen.wait));
	if (!seen.wait) {
		seen.nr_waits = 0;
		return false;
	}
	seen.wait[seen.nr_waits++] = (struct seen_wait) {
		pairs_thread(ev), step->begin.value, step->begin.ev.time, ev->time,
	};
	return true;
}

static bool see_entry(const struct jtrace_trace *t, const struct jtrace_decoded *ev)
{
	const struct seen_site *s = site_of(t, ev->site);
	char name[FIELD_TEXT];
	u64 number;

	if (!s->teller)
		return true;
	number = fields_value(&s->fields, s->number_at, ev);
	fields_text(&s->fields, s->name_at, ev, name);
	if (!name[0])
		return true;
	if (!s->teller->irq)
		return !(u32)number || see_task(number, ev->time, name);
	see_irq(number, name);
	return true;
}

static int task_order(const void *a, const void *b)
{
	const struct seen_task *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid) ?: (x->from > y->from) - (x->from < y->from);
}

/* Without memory there are fewer names and waits. */
static void read_entries(const struct jtrace_trace *t)
{
	struct jtrace_key *heap = malloc(jtrace_walk_room(t) + 1);
	struct jtrace_walk *walk = malloc(sizeof(*walk));
	const struct jtrace_decoded *ev;
	struct jtrace_trace all = *t;
	struct pair_step step;
	struct pairs *pairs;

	seen.looked = true;
	/* Entries that are not shown tell names, too. */
	all.filter = NULL;
	all.from = (struct jtrace_key){ 0 };
	pairs = pairs_open(&all, ROLE_BIT(ROLE_LOCK));
	if (heap && walk && pairs) {
		jtrace_walk_open(walk, &all, heap, false);
		while ((ev = jtrace_walk_next(walk)) && see_entry(&all, ev) &&
		       pairs_take(pairs, ev, 0, &step) && (!step.ends || see_wait(&step, ev)))
			;
		if (seen.task)
			qsort(seen.task, seen.nr, sizeof(*seen.task), task_order);
		else
			seen.nr = 0;
	}
	pairs_close(pairs);
	free(walk);
	free(heap);
}

/**
 * seen_tasks() - do entries tell the name of any task?
 * @t: the trace
 */
bool seen_tasks(const struct jtrace_trace *t)
{
	if (!seen.looked)
		read_entries(t);
	return seen.nr;
}

/**
 * seen_task() - find the name of a task that entries before and after agree on
 * @t: the trace
 * @tid: of the task
 * @time: raw time
 * @name: result; the bytes are not checked
 *
 * Return: false if it is not known.
 */
bool seen_task(const struct jtrace_trace *t, u32 tid, u64 time, char name[TASK_NAME])
{
	size_t from = 0, to, middle;

	if (!seen.looked)
		read_entries(t);
	to = seen.nr;
	while (from < to) {
		const struct seen_task *s;

		middle = from + (to - from) / 2;
		s = &seen.task[middle];
		if (s->tid < tid || (s->tid == tid && s->from <= time))
			from = middle + 1;
		else
			to = middle;
	}
	if (!from || seen.task[from - 1].tid != tid || time > seen.task[from - 1].to)
		return false;
	memcpy(name, seen.task[from - 1].comm, TASK_NAME);
	return true;
}

/**
 * seen_irq() - find the name of an interrupt
 * @t: the trace
 * @irq: its number
 *
 * Return: the name, NULL if it is not known; the bytes are not checked.
 */
const char *seen_irq(const struct jtrace_trace *t, u32 irq)
{
	const struct seen_irq *s = &seen.irq[irq % IRQS];

	if (!seen.looked)
		read_entries(t);
	return s->known && !s->doubtful && s->irq == irq ? s->name : NULL;
}

/**
 * seen_waited() - find how long a wait took that an entry ends
 * @t: the trace
 * @ev: the entry
 * @ns: result
 *
 * Return: false if it ends none, or if that is not known.
 */
bool seen_waited(const struct jtrace_trace *t, const struct jtrace_decoded *ev, u64 *ns)
{
	const struct seen_site *s = site_of(t, ev->site);
	u64 lock, begin, end = jtrace_recover_ns(t, ev->time);
	size_t from = 0, to, middle;

	if (s->lock_at < 0)
		return false;
	lock = fields_value(&s->fields, s->lock_at, ev);
	if (!seen.looked)
		read_entries(t);
	to = seen.nr_waits;
	while (from < to) {
		middle = from + (to - from) / 2;
		if (seen.wait[middle].end < ev->time)
			from = middle + 1;
		else
			to = middle;
	}
	for (; from < seen.nr_waits && seen.wait[from].end == ev->time; from++) {
		if (seen.wait[from].who != pairs_thread(ev) || seen.wait[from].lock != lock)
			continue;
		/* The stamps of a damaged image may go back. */
		begin = jtrace_recover_ns(t, seen.wait[from].begin);
		*ns = end - begin;
		return begin <= end;
	}
	return false;
}

/**
 * seen_close() - forget what entries told
 */
void seen_close(void)
{
	free(seen.task);
	free(seen.wait);
	memset(&seen, 0, sizeof(seen));
}
