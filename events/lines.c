// SPDX-License-Identifier: GPL-2.0
/* The lines of the file events, and of the parameter. */

#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "events.h"

/*
 * Room for the text of a filter: six conditions, each with the name of a field, which fits a tag,
 * and a string of 16 bytes with a \ before each; and the clauses.
 */
#define MOST_TEXT	(JTRACE_CONDITIONS * (JTRACE_TAG_MAX + 64) + 256)

/* A line that can be written back, and a comment. */
static void show_event(struct seq_file *m, const struct jtrace_event_group *group,
		       const struct jtrace_event *event, char *text)
{
	const struct jtrace_event_state *own = event->own;
	u64 hits = 0, others = 0, filtered = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct jtrace_event_counts *c = per_cpu_ptr(event->counts, cpu);

		/* A hit in between must not count as filtered or lost only. */
		filtered += READ_ONCE(c->filtered);
		others += READ_ONCE(c->lost);
		hits += READ_ONCE(c->hits);
	}
	others += filtered;
	text[0] = 0;
	if (own->on)
		jtrace_event_text(&own->filter, event->fields, text, MOST_TEXT);
	seq_printf(m, "%s%s%s # %s %s", own->on ? "" : "!", event->name, text, group->name,
		   !event->probe || !own->tp ? "MISSING" : own->on ? "on" : "off");
	jtrace_fields_text(event->fields, event->nr_fields, text, MOST_TEXT);
	seq_printf(m, "%s hits=%llu recorded=%llu filtered=%llu\n", text, hits,
		   hits - min(hits, others), filtered);
}

static void show_events(struct seq_file *m)
{
	char *text = kmalloc(MOST_TEXT, GFP_KERNEL);
	struct jtrace_event_group *group;
	struct jtrace_event *event;
	u32 i;

	if (!text) {
		seq_puts(m, "# no memory\n");
		return;
	}
	mutex_lock(&jtrace_events_lock);
	jtrace_for_each_event(group, i, event)
		show_event(m, group, event, text);
	mutex_unlock(&jtrace_events_lock);
	jtrace_switches_show(m);
	kfree(text);
}

/* Do what a line says: "NAME [conditions and clauses]" or "!NAME". */
static int take_line(char *line, struct jtrace_refusal *refusal)
{
	struct jtrace_event_order order = { .on = *line != '!' };
	int err;

	order.name = line + !order.on;
	order.len = strcspn(order.name, " \t");
	order.filter = order.name + order.len;
	if (!order.on && *order.filter) {
		*refusal = (struct jtrace_refusal) { "expected nothing after !NAME", order.len + 1 };
		return -EINVAL;
	}
	err = jtrace_events_switch(&order, refusal);
	if (err)
		refusal->at += !order.on;
	return err;
}

static void turn_all_off(void)
{
	static const struct jtrace_event_order all_off = { .name = "all", .len = 3 };
	struct jtrace_refusal refusal;

	jtrace_events_switch(&all_off, &refusal);
}

struct jtrace_lines jtrace_events_lines = {
	.name = "events",
	.parameter = "events",
	.module = KBUILD_MODNAME,
	.take = take_line,
	.show = show_events,
	.clear = turn_all_off,
};
