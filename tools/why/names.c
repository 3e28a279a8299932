// SPDX-License-Identifier: GPL-2.0
/* Words for tasks, locks, handlers and times. */

#include "why.h"

/**
 * put_task_name() - write "cat (315)", or "tid 315" if its name is not known
 * @t: the trace
 * @p: where to
 * @tid: of the task; 0 is the idle task of some CPU
 * @time: raw time at which it had the name
 */
void put_task_name(const struct jtrace_trace *t, struct pen *p, u32 tid, u64 time)
{
	char name[TASK_NAME];

	if (!tid) {
		pen_text(p, "the idle task");
	} else if (task_find(t, tid, time, name)) {
		jtrace_put_escaped(t, p, name, sizeof(name));
		pen_format(p, " (%u)", tid);
	} else {
		pen_format(p, "tid %u", tid);
	}
}

/**
 * put_span() - write a length of time, in the largest unit that has a digit before the point
 * @p: where to
 * @ns: nanoseconds
 */
void put_span(struct pen *p, u64 ns)
{
	const u64 unit = ns >= NS_PER_S ? NS_PER_S : ns >= NS_PER_MS ? NS_PER_MS : 1000;

	pen_format(p, "%llu.%llu %s", ns / unit, ns % unit * 10 / unit,
		   unit == NS_PER_S ? "s" : unit == NS_PER_MS ? "ms" : "us");
}

/**
 * put_time() - write a time as in the trace, to the microsecond
 * @p: where to
 * @ns: nanoseconds
 */
void put_time(struct pen *p, u64 ns)
{
	pen_format(p, "%llu.%06llu", ns / NS_PER_S, ns % NS_PER_S / 1000);
}

/**
 * begin_value() - find a value of an entry by its name
 * @t: the trace
 * @ev: the entry
 * @name: of the value
 * @to: result
 *
 * Return: false if it has none of this name.
 */
bool begin_value(const struct jtrace_trace *t, const struct jtrace_decoded *ev, const char *name,
		 struct field_value *to)
{
	static struct field_value value[JTRACE_FIELDS];
	u32 nr = decode_values(t, ev, value), i;

	for (i = 0; i < nr; i++) {
		if (strcmp(value[i].name, name))
			continue;
		*to = value[i];
		return true;
	}
	return false;
}

/* A function is called by its name. */
static void cut_no_offset(char *symbol)
{
	char *at = strstr(symbol, "+0x0");

	if (at && (!at[4] || at[4] == ' '))
		memmove(at, at + 4, strlen(at + 4) + 1);
}

/* The name of a value, or the value. */
static void put_value(const struct jtrace_trace *t, struct pen *p, const struct jtrace_decoded *ev,
		      const char *name)
{
	char text[VALUE_TEXT], symbol[SYMBOL_TEXT];
	struct field_value v;

	if (!begin_value(t, ev, name, &v)) {
		pen_text(p, "?");
	} else if (decode_symbol(t, ev, &v, symbol, sizeof(symbol))) {
		cut_no_offset(symbol);
		jtrace_put_escaped(t, p, symbol, sizeof(symbol));
	} else {
		value_text(t, &v, false, text, sizeof(text));
		pen_text(p, text);
	}
}

/* By LCB_F_*, see numbers.h. */
static const char *lock_kind(u64 flags)
{
	return flags & 0x20 ? "mutex" : flags & 0x10 ? "percpu_rwsem" : flags & 0x8 ? "rt_mutex" :
	       flags & 0x1 ? flags & 0x6 ? "rwlock" : "spinlock" : flags & 0x6 ? "rwsem" : "lock";
}

/* An irq has a number, and perhaps a name. */
static void put_irq(const struct jtrace_trace *t, struct pen *p, const struct jtrace_decoded *ev)
{
	struct field_value v;

	pen_text(p, "interrupt ");
	if (begin_value(t, ev, "irq", &v))
		pen_format(p, "%lld", v.value);
	if (begin_value(t, ev, "name", &v) && v.text[0]) {
		pen_text(p, " (");
		jtrace_put_escaped(t, p, v.text, sizeof(v.text));
		pen_char(p, ')');
	}
}

/**
 * put_begin_name() - write what is open: "softirq TIMER", "work item flush_fn [pump]"
 * @t: the trace
 * @p: where to
 * @b: what began
 */
void put_begin_name(const struct jtrace_trace *t, struct pen *p, const struct pair_begin *b)
{
	struct field_value v;

	switch (b->site->role) {
	case ROLE_IRQ:
		put_irq(t, p, &b->ev);
		break;
	case ROLE_SOFTIRQ:
		pen_text(p, "softirq ");
		put_value(t, p, &b->ev, "vec");
		break;
	case ROLE_TIMER:
		pen_text(p, "timer function ");
		put_value(t, p, &b->ev, "function");
		break;
	case ROLE_HRTIMER:
		pen_text(p, "hrtimer function ");
		put_value(t, p, &b->ev, "function");
		break;
	case ROLE_WORK:
		pen_text(p, "work item ");
		put_value(t, p, &b->ev, "function");
		break;
	case ROLE_SYSCALL:
		put_value(t, p, &b->ev, "id");
		pen_text(p, "()");
		break;
	case ROLE_LOCK:
		pen_text(p, begin_value(t, &b->last, "flags", &v) ? lock_kind(v.value) : "lock");
		pen_char(p, ' ');
		put_value(t, p, &b->last, "lock_addr");
		break;
	case ROLE_BLOCK:
		pen_text(p, "a request to disk ");
		if (begin_value(t, &b->ev, "dev", &v))
			jtrace_put_escaped(t, p, v.text, sizeof(v.text));
		break;
	default:
		break;
	}
}

/**
 * put_state() - write how a task sleeps, and since when
 * @p: where to
 * @task: it sleeps
 */
void put_state(struct pen *p, const struct why_task *task)
{
	pen_text(p, task->flags & 0x2 ? "in uninterruptible sleep" :
		 task->flags & 0x1 ? "asleep" : task->flags & 0xc ? "stopped" :
		 task->flags & 0x40 ? "parked" : "idle");
	pen_text(p, " since ");
	put_time(p, task->since);
}
