// SPDX-License-Identifier: GPL-2.0
/*
 * Names that other entries tell: of tasks, where the image has no record of them any more, and of
 * interrupts.
 *
 * The entries are read once, when the first name is asked for.  A task has a name between two
 * entries that agree on it.  An interrupt has a name if all entries of the trace agree.
 */

#include <stdlib.h>

#include "../../lib/read/walk.h"
#include "entries.h"

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

/* What an event tells: the name of a task or an interrupt. */
static const struct teller {
	const char *event;
	const char *number;
	const char *name;
	bool irq;
} tellers[] = {
	{ "sched_switch", "next_pid", "next_comm", false },
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
 * @fields: of the site
 */
struct seen_site {
	bool known;
	u32 number;
	const struct teller *teller;
	int number_at;
	int name_at;
	struct fields fields;
};

static struct {
	bool looked;
	struct seen_task *task;		/* sorted */
	size_t nr;
	size_t last[TASKS];		/* one more than the index of a task's last one */
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
	if (!jtrace_site_read(&t->l, t->img, t->image_id, number, &text) ||
	    text.kind != JTRACE_SITE_EVENT)
		return s;
	len = fields_parse_site(&s->fields, &text);
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

static bool see(const struct jtrace_trace *t, const struct jtrace_decoded *ev)
{
	const struct seen_site *s = site_of(t, ev->site);
	char name[JTRACE_FIELD_TEXT + 1];
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

/* Without memory there are fewer names. */
static void look(const struct jtrace_trace *t)
{
	struct jtrace_key *heap = malloc(jtrace_walk_room(t) + 1);
	struct jtrace_walk *walk = malloc(sizeof(*walk));
	const struct jtrace_decoded *ev;
	struct jtrace_trace all = *t;

	seen.looked = true;
	/* Entries that are not shown tell names, too. */
	all.filter = NULL;
	all.from = (struct jtrace_key){ 0 };
	if (heap && walk) {
		jtrace_walk_open(walk, &all, heap, false);
		while ((ev = jtrace_walk_next(walk)) && see(&all, ev))
			;
		if (seen.task)
			qsort(seen.task, seen.nr, sizeof(*seen.task), task_order);
		else
			seen.nr = 0;
	}
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
		look(t);
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
		look(t);
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
		look(t);
	return s->known && !s->doubtful && s->irq == irq ? s->name : NULL;
}

/**
 * seen_close() - forget what entries told
 */
void seen_close(void)
{
	free(seen.task);
	memset(&seen, 0, sizeof(seen));
}
