// SPDX-License-Identifier: GPL-2.0
/* Tasks, and the slowest of what ended: two trees. */

#include <search.h>
#include <stdlib.h>

#include "why.h"

static int task_order(const void *a, const void *b)
{
	const struct why_task *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

static int slow_order(const void *a, const void *b)
{
	const struct why_slow *x = a, *y = b;

	return (x->role > y->role) - (x->role < y->role) ?:
	       (x->key > y->key) - (x->key < y->key);
}

/**
 * model_grow() - find or make a member of a tree
 * @tree: of tsearch()
 * @wanted: what it is like, if it is new
 * @size: of it
 * @order: of the members
 *
 * Return: NULL if there is no memory.
 */
void *model_grow(void **tree, const void *wanted, size_t size,
		 int (*order)(const void *, const void *))
{
	void **found = tfind(wanted, tree, order), *new;

	if (found)
		return *found;
	new = malloc(size);
	if (!new)
		return NULL;
	memcpy(new, wanted, size);
	if (tsearch(new, tree, order))
		return new;
	free(new);
	return NULL;
}

/**
 * model_get_task() - find or make a task
 * @m: the machine
 * @tid: its number
 *
 * Return: NULL if there is no memory.
 */
struct why_task *model_get_task(struct model *m, u32 tid)
{
	const struct why_task wanted = { .tid = tid, .cpu = -1, .family = tid };

	return model_grow(&m->tasks, &wanted, sizeof(wanted), task_order);
}

/* Of timers and work items, those of one function are alike; of requests, those of one disk. */
static u64 key_of(const struct pair_begin *b)
{
	const struct fields *f = &b->site->fields;
	char disk[FIELD_TEXT];
	u64 key = 0;
	int i;

	switch (b->site->role) {
	case ROLE_TIMER:
	case ROLE_HRTIMER:
	case ROLE_WORK:
		i = fields_find(f, "function");
		return i < 0 ? 0 : fields_value(f, i, &b->ev);
	case ROLE_BLOCK:
		fields_text(f, b->site->second, &b->ev, disk);
		for (i = 0; disk[i]; i++)
			key = key * 31 + (u8)disk[i];
		return key;
	case ROLE_SYSCALL:
		return b->value << 32 | b->ev.tid;
	default:
		return b->value;
	}
}

/**
 * model_get_slow() - find or make the slowest of what ended
 * @m: the machine
 * @b: what ended now
 *
 * Return: NULL if there is no memory.
 */
struct why_slow *model_get_slow(struct model *m, const struct pair_begin *b)
{
	const struct why_slow wanted = { .role = b->site->role, .key = key_of(b) };

	return model_grow(&m->slow, &wanted, sizeof(wanted), slow_order);
}

/**
 * model_slowest() - find the slowest of what ended that was like something open
 * @m: the machine
 * @b: what is open
 *
 * Return: NULL if nothing like it ended.
 */
const struct why_slow *model_slowest(const struct model *m, const struct pair_begin *b)
{
	const struct why_slow wanted = { .role = b->site->role, .key = key_of(b) };
	void **found = tfind(&wanted, &m->slow, slow_order);

	return found ? *found : NULL;
}

/**
 * model_task() - find a task
 * @m: the machine
 * @tid: its number
 *
 * Return: NULL if nothing is known of it.
 */
const struct why_task *model_task(const struct model *m, u32 tid)
{
	const struct why_task wanted = { .tid = tid };
	void **found = tfind(&wanted, &m->tasks, task_order);

	return found ? *found : NULL;
}

struct each {
	void (*call)(const struct why_task *task, void *data);
	void *data;
};

static void each_task(const void *node, VISIT when, void *data)
{
	const struct each *each = data;

	if (when == postorder || when == leaf)
		each->call(*(struct why_task *const *)node, each->data);
}

/**
 * model_each_task() - call a function for each task, in the order of their numbers
 * @m: the machine
 * @call: the function
 * @data: for it
 */
void model_each_task(const struct model *m,
		     void (*call)(const struct why_task *task, void *data), void *data)
{
	struct each each = { call, data };

	twalk_r(m->tasks, each_task, &each);
}
