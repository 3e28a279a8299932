// SPDX-License-Identifier: GPL-2.0
/* The file events in debugfs. */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "events.h"

static struct dentry *file;

/* The last line that was refused, and why; empty after a write that was not. */
static char refused[256];

/* A line that can be written back, and a comment. */
static void show_event(struct seq_file *m, const struct jtrace_event_group *group,
		       const struct jtrace_event *event)
{
	const struct jtrace_event_state *own = event->own;
	char text[256];
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
		jtrace_clauses_text(&own->clauses, event->fields, text, sizeof(text));
	seq_printf(m, "%s%s%s # %s %s", own->on ? "" : "!", event->name, text, group->name,
		   !event->probe || !own->tp ? "MISSING" : own->on ? "on" : "off");
	jtrace_fields_text(event->fields, event->nr_fields, text, sizeof(text));
	seq_printf(m, "%s hits=%llu recorded=%llu filtered=%llu\n", text, hits,
		   hits - min(hits, others), filtered);
}

static int events_show(struct seq_file *m, void *v)
{
	struct jtrace_event_group *group;
	struct jtrace_event *event;
	u32 i;

	mutex_lock(&jtrace_events_lock);
	jtrace_for_each_event(group, i, event)
		show_event(m, group, event);
	if (refused[0])
		seq_printf(m, "# refused: %s\n", refused);
	mutex_unlock(&jtrace_events_lock);
	return 0;
}

static int events_open(struct inode *inode, struct file *f)
{
	static const struct jtrace_event_order all_off = { .name = "all", .len = 3 };
	struct jtrace_refusal refusal;

	if (f->f_mode & FMODE_WRITE && f->f_flags & O_TRUNC)
		jtrace_events_switch(&all_off, &refusal);
	return single_open(f, events_show, inode->i_private);
}

static void set_refused(const char *line, const struct jtrace_refusal *refusal)
{
	mutex_lock(&jtrace_events_lock);
	refused[0] = 0;
	if (refusal)
		snprintf(refused, sizeof(refused), "%s: at character %u: %s", line,
			 refusal->at + 1, refusal->why);
	mutex_unlock(&jtrace_events_lock);
}

/* Do what one line says; remember why it was refused. */
static int do_line(char *line)
{
	char *copy = kstrdup(line, GFP_KERNEL);
	struct jtrace_refusal refusal;
	int err;

	if (!copy)
		return -ENOMEM;
	err = jtrace_events_line(copy, &refusal);
	if (err)
		set_refused(line + strspn(line, " \t!"), &refusal);
	kfree(copy);
	return err;
}

/* Most bytes of one write: whole lines, or a last one without newline. */
#define MOST_BYTES	65536

static ssize_t events_write(struct file *f, const char __user *from, size_t len, loff_t *pos)
{
	size_t n = min_t(size_t, len, MOST_BYTES);
	char *text, *line, *end;
	int err = 0;

	text = memdup_user_nul(from, n);
	if (IS_ERR(text))
		return PTR_ERR(text);
	/* The writer writes the rest again. */
	end = strrchr(text, '\n');
	if (n < len && end) {
		n = end + 1 - text;
		text[n] = 0;
	}
	set_refused(NULL, NULL);
	for (line = text; line < text + n && !err; line = end + 1) {
		end = strchrnul(line, '\n');
		*end = 0;
		err = do_line(line);
	}
	kfree(text);
	return err ?: n;
}

/* "tee -a" seeks to the end, which seq_lseek() cannot. */
static loff_t events_llseek(struct file *f, loff_t offset, int whence)
{
	return f->f_mode & FMODE_READ ? seq_lseek(f, offset, whence) :
	       noop_llseek(f, offset, whence);
}

static const struct file_operations events_fops = {
	.owner = THIS_MODULE,
	.open = events_open,
	.read = seq_read,
	.write = events_write,
	.llseek = events_llseek,
	.release = single_release,
};

/* As usual with debugfs, a failure is no error: the parameter still works. */
void jtrace_events_file_init(void)
{
	struct dentry *dir = debugfs_lookup("jtrace", NULL);

	if (IS_ERR_OR_NULL(dir))
		return;
	file = debugfs_create_file("events", 0600, dir, NULL, &events_fops);
	dput(dir);
}

void jtrace_events_file_exit(void)
{
	debugfs_remove(file);
}
