// SPDX-License-Identifier: GPL-2.0
/* Clauses of probes and events: their switches, which all of them share, and their counters. */

#include <linux/mutex.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "jtrace_clauses.h"

static DEFINE_MUTEX(switches_lock);
static LIST_HEAD(switches);

static struct jtrace_switch *get_switch(const char *name)
{
	struct jtrace_switch *s;

	list_for_each_entry(s, &switches, list) {
		if (!strcmp(s->name, name)) {
			s->users++;
			return s;
		}
	}
	s = kzalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		return NULL;
	strscpy(s->name, name, sizeof(s->name));
	s->users = 1;
	list_add_tail(&s->list, &switches);
	return s;
}

/* Return false without memory. */
static bool take_switch(struct jtrace_switch **to, const char *name)
{
	*to = *name ? get_switch(name) : NULL;
	return *to || !*name;
}

static void drop_switch(struct jtrace_switch **from)
{
	struct jtrace_switch *s = *from;

	*from = NULL;
	if (!s || --s->users)
		return;
	list_del(&s->list);
	kfree(s);
}

static void drop_switches(struct jtrace_clauses_run *run)
{
	mutex_lock(&switches_lock);
	drop_switch(&run->in);
	drop_switch(&run->on);
	drop_switch(&run->off);
	mutex_unlock(&switches_lock);
}

/**
 * jtrace_clauses_begin() - hits with these clauses may come
 * @run: counters start anew; to be ended by jtrace_clauses_end()
 * @c: the clauses
 *
 * Context: Process.
 * Return: 0, or -ENOMEM: nothing is to be ended then.
 */
int jtrace_clauses_begin(struct jtrace_clauses_run *run, const struct jtrace_clauses *c)
{
	bool all;

	memset(run, 0, sizeof(*run));
	mutex_lock(&switches_lock);
	all = take_switch(&run->in, c->in) && take_switch(&run->on, c->on) &&
	      take_switch(&run->off, c->off);
	mutex_unlock(&switches_lock);
	if (!all) {
		drop_switches(run);
		return -ENOMEM;
	}
	if (c->stops)
		jtrace_stop_arm();
	return 0;
}
EXPORT_SYMBOL_GPL(jtrace_clauses_begin);

/**
 * jtrace_clauses_end() - no hit with these clauses comes any more
 * @run: as given to jtrace_clauses_begin()
 * @c: same
 *
 * Context: Process.
 */
void jtrace_clauses_end(struct jtrace_clauses_run *run, const struct jtrace_clauses *c)
{
	if (c->stops)
		jtrace_stop_disarm();
	drop_switches(run);
}
EXPORT_SYMBOL_GPL(jtrace_clauses_end);

/**
 * jtrace_switches_show() - print all switches, as comments
 * @m: where to
 *
 * Context: Process.
 */
void jtrace_switches_show(struct seq_file *m)
{
	const struct jtrace_switch *s;

	mutex_lock(&switches_lock);
	list_for_each_entry(s, &switches, list)
		seq_printf(m, "# switch %s: %s\n", s->name, READ_ONCE(s->open) ? "open" : "closed");
	mutex_unlock(&switches_lock);
}
EXPORT_SYMBOL_GPL(jtrace_switches_show);
