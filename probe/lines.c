// SPDX-License-Identifier: GPL-2.0
/* The lines of the file probes, and of the parameter. */

#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "probe.h"

static void add_counts(struct jtrace_probe_counts *sum, const struct jtrace_probe *p)
{
	int cpu;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		const struct jtrace_probe_counts *c = per_cpu_ptr(p->counts, cpu);

		/* Hits come last: one in between must not count as something else only. */
		sum->filtered += READ_ONCE(c->filtered);
		sum->passed += READ_ONCE(c->passed);
		sum->limited += READ_ONCE(c->limited);
		sum->lost += READ_ONCE(c->lost);
		sum->faults += READ_ONCE(c->faults);
		sum->missed += READ_ONCE(c->missed);
		sum->hits += READ_ONCE(c->hits);
	}
}

/* A line that can be written back, and a comment. */
static void show_probe(struct seq_file *m, const struct jtrace_probe *p, char *text)
{
	struct jtrace_probe_counts c;
	u64 others;

	add_counts(&c, p);
	others = c.filtered + c.passed + c.limited + c.lost;
	jtrace_probe_text(&p->definition, &jtrace_arch_contexts, text, JTRACE_PROBE_TEXT);
	seq_printf(m, "%s # hits=%llu recorded=%llu filtered=%llu passed=%llu limited=%llu lost=%llu faults=%llu missed=%llu mode=%s\n",
		   text, c.hits, c.hits - min(c.hits, others), c.filtered, c.passed, c.limited,
		   c.lost, c.faults, c.missed + jtrace_probe_missed(p), jtrace_probe_mode(p));
}

static void show_probes(struct seq_file *m)
{
	char *text = kmalloc(JTRACE_PROBE_TEXT, GFP_KERNEL);
	const struct jtrace_probe *p;

	if (!text) {
		seq_puts(m, "# no memory\n");
		return;
	}
	mutex_lock(&jtrace_probes_lock);
	list_for_each_entry(p, &jtrace_probes, list)
		show_probe(m, p, text);
	mutex_unlock(&jtrace_probes_lock);
	jtrace_switches_show(m);
	kfree(text);
}

/* A definition, or "-:NAME". */
static int take_line(char *line, struct jtrace_refusal *refusal)
{
	int err;

	if (*line != '-')
		return jtrace_probe_define(line, refusal);
	if (line[1] != ':') {
		*refusal = (struct jtrace_refusal) { "expected :NAME after -", 1 };
		return -EINVAL;
	}
	err = jtrace_probe_remove(line + 2, refusal);
	if (err)
		refusal->at += 2;
	return err;
}

struct jtrace_lines jtrace_probes_lines = {
	.name = "probes",
	.parameter = "probe",
	.module = KBUILD_MODNAME,
	.take = take_line,
	.show = show_probes,
	.clear = jtrace_probes_remove_all,
};
