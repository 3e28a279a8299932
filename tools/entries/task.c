// SPDX-License-Identifier: GPL-2.0
/* Names of the tasks that entries are of. */

#include "../../lib/base/pen.h"
#include "../../lib/image/task.h"
#include "../../lib/read/walk.h"
#include "entries.h"

/**
 * task_find() - find the name that a task had at a time
 * @t: the trace
 * @tid: of the task, not 0
 * @time: raw time
 * @name: result; the bytes are not checked
 *
 * Return: false if it is not known, such as in a trace whose clock jumped.
 */
bool task_find(const struct jtrace_trace *t, u32 tid, u64 time, char name[TASK_NAME])
{
	return !t->astray &&
	       (jtrace_task_find(&t->l, t->img, t->image_id, tid, time, name) ||
		seen_task(t, tid, time, name));
}

/**
 * task_name() - find the name that the task of an entry had then
 * @t: the trace
 * @ev: the entry
 * @name: result; the bytes are not checked
 *
 * Return: false if it is not known.
 */
bool task_name(const struct jtrace_trace *t, const struct jtrace_decoded *ev, char name[TASK_NAME])
{
	if (t->l.kind == JTRACE_KIND_SMALL)
		return false;
	/* The idle tasks of all CPUs have one number. */
	if (!ev->tid)
		scnprintf(name, TASK_NAME, "swapper/%u", ev->cpu);
	return !ev->tid || task_find(t, ev->tid, ev->time, name);
}

/**
 * task_put() - write the name of an entry's task behind its tid; nothing if it is not known
 * @t: the trace
 * @p: where to; 4 * %TASK_NAME bytes suffice
 * @ev: the entry
 */
void task_put(const struct jtrace_trace *t, struct pen *p, const struct jtrace_decoded *ev)
{
	char name[TASK_NAME];

	if (!task_name(t, ev, name))
		return;
	pen_char(p, ' ');
	jtrace_put_escaped(t, p, name, sizeof(name));
}

/**
 * task_count_unnamed() - count the entries whose task has no name
 * @t: the trace, after select_apply()
 *
 * Return: their number; 0 if the image has no names of tasks at all.
 */
u64 task_count_unnamed(const struct jtrace_trace *t)
{
	static struct jtrace_walk walk;
	const struct jtrace_decoded *ev;
	char name[TASK_NAME];
	u64 nr = 0;

	if (!t->l.tasks_size)
		return 0;
	jtrace_walk_each(&walk, t, ev)
		nr += !task_name(t, ev, name);
	return nr;
}
