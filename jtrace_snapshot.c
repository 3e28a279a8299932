// SPDX-License-Identifier: GPL-2.0
/*
 * Files in debugfs that show traces: trace and trace_raw, recovered, recovered_raw and
 * recovered_log.  An open file of the live trace is a snapshot of it.
 */

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "jtrace_internal.h"
#include "lib/image/snapshot.h"
#include "lib/read/render.h"

/* ---- trace, recovered ------------------------------------------------- */

/**
 * struct snapshot - the content of an open file
 * @img: copy of the live image, or NULL
 * @recovered: the file shows the recovered image
 * @raw: bytes to show: @img or the recovered image
 * @size: of @raw, bytes
 * @trace: of @img
 * @room: memory of @trace, or to walk through the recovered trace
 * @text: of @trace or of the recovered trace; not open if there was no memory
 * @line: buffer for one line of text
 * @cursors: of all CPUs, at the start of the copy
 */
struct snapshot {
	void *img;
	bool recovered;
	const void *raw;
	size_t size;
	struct jtrace_trace trace;
	void *room;
	struct jtrace_text text;
	char line[JTRACE_LINE_MAX];
	u64 cursors[];
};

static void snapshot_free(struct snapshot *s)
{
	if (s->recovered)
		jtrace_recovered_put();
	vfree(s->room);
	vfree(s->img);
	vfree(s);
}

/* Fix the end of a snapshot on all CPUs at nearly the same moment, and its counters. */
static void snapshot_cut(struct jtrace_image_header *h, u64 *cursors, struct jtrace_cut *cut)
{
	struct jtrace_stats stats;
	unsigned long flags;
	int cpu;

	jtrace_stats_read(&stats);
	local_irq_save(flags);
	for_each_possible_cpu(cpu)
		cursors[cpu] = READ_ONCE(per_cpu(jtrace_cpus, cpu).cursor);
	rmb();		/* cut:H; not smp_rmb(), as the clock may be a register */
	cut->claims = atomic64_read(&jtrace.ring.claims);
	jtrace_clock_stamp(h);
	local_irq_restore(flags);

	cut->cursors = cursors;
	cut->cpus = nr_cpu_ids;
	h->counts.overwritten = cpu_to_le64(stats.overwritten);
	h->counts.cleared = cpu_to_le64(stats.cleared);
	h->counts.unfinished = cpu_to_le64(stats.unfinished);
}

/* Close the gate for a smaller image: writers could overwrite it while the reader is preempted. */
#define SNAPSHOT_GATED	(16U << 20)

/* Copy the image while CPUs record; lib/image/snapshot.c explains why this is correct. */
static struct snapshot *snapshot_take(void)
{
	struct snapshot *s = jtrace_alloc(struct_size(s, cursors, nr_cpu_ids));
	struct jtrace_image_header h;
	struct jtrace_cut cut;
	bool gated;

	if (!s)
		return ERR_PTR(-ENOMEM);
	s->size = jtrace.ring.l.size;
	s->img = jtrace_alloc(s->size);
	if (!s->img) {
		snapshot_free(s);
		return ERR_PTR(-ENOMEM);
	}
	s->raw = s->img;

	/* jtrace_clear() changes header and floor, which belong together, under this lock. */
	mutex_lock(&jtrace.lock);
	h = jtrace.setup.header;
	gated = s->size < SNAPSHOT_GATED;
	if (gated)
		jtrace_gate_close();
	snapshot_cut(&h, s->cursors, &cut);
	cut.can_sleep = !gated;
	jtrace_snapshot(&jtrace.ring.l, jtrace.setup.region.at, &h, &cut, s->img);
	if (gated) {
		/* The event tells of a gap that ends here, not when this task runs again. */
		preempt_disable();
		jtrace_gate_open();
		jtrace_record_thaw();
		preempt_enable();
	}
	jtrace.lost_in_snapshot = le64_to_cpu(h.counts.lost_in_snapshot);
	mutex_unlock(&jtrace.lock);
	return s;
}

/* The recovered image never changes, so it needs no copy. */
static struct snapshot *snapshot_recovered(void)
{
	struct snapshot *s = jtrace_alloc(sizeof(*s));

	if (!s)
		return ERR_PTR(-ENOMEM);
	if (!jtrace_recovered_get()) {
		snapshot_free(s);
		return ERR_PTR(-ENODATA);
	}
	s->recovered = true;
	s->raw = jtrace_recovered.img;
	s->size = jtrace_recovered.size;
	return s;
}

/* The private data of each file is the function that takes its snapshot. */
static struct snapshot *snapshot_of(struct inode *inode)
{
	struct snapshot *(*take)(void) = inode->i_private;

	return take();
}

/* Prepare the text of a snapshot; without memory the text stays closed. */
static void snapshot_scan(struct snapshot *s)
{
	struct jtrace_trace *t = &s->trace;

	if (s->recovered) {
		/* Each reader has its own walk. */
		s->room = jtrace_alloc(jtrace_walk_room(&jtrace_recovered.trace) + 1);
		if (s->room)
			jtrace_text_open(&s->text, &jtrace_recovered.trace, s->room);
		return;
	}
	jtrace_recover_known(t, s->img, s->img, &jtrace.ring.l);
	t->can_sleep = true;
	s->room = jtrace_alloc(jtrace_recover_room(t));
	if (!s->room)
		return;
	jtrace_recover_scan(t, s->room);
	jtrace_text_open(&s->text, t, t->heap);
}

static void *trace_start(struct seq_file *m, loff_t *pos)
{
	struct snapshot *s = m->private;

	return *pos < jtrace_text_lines(&s->text) ? s : NULL;
}

static void *trace_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return trace_start(m, pos);
}

static void trace_stop(struct seq_file *m, void *v)
{
}

static int trace_show(struct seq_file *m, void *v)
{
	struct snapshot *s = v;
	int len;

	/* Usually the next line; another one if the last did not fit, or after a seek. */
	s->text.pos = m->index;
	len = jtrace_text_next(&s->text, s->line, sizeof(s->line));
	if (len < 0)
		return 0;
	s->line[len] = '\n';
	seq_write(m, s->line, len + 1);
	return 0;
}

static const struct seq_operations trace_seq_ops = {
	.start = trace_start,
	.next = trace_next,
	.stop = trace_stop,
	.show = trace_show,
};

/* The file owns the snapshot if the open succeeds. */
static int text_open(struct inode *inode, struct file *file)
{
	struct snapshot *s = snapshot_of(inode);
	int err;

	if (IS_ERR(s))
		return PTR_ERR(s);
	snapshot_scan(s);
	err = s->text.t ? seq_open(file, &trace_seq_ops) : -ENOMEM;
	if (err) {
		snapshot_free(s);
		return err;
	}
	((struct seq_file *)file->private_data)->private = s;
	return 0;
}

static int text_release(struct inode *inode, struct file *file)
{
	snapshot_free(((struct seq_file *)file->private_data)->private);
	return seq_release(inode, file);
}

static const struct file_operations text_fops = {
	.owner = THIS_MODULE,
	.open = text_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = text_release,
};

/* ---- recovered_log ---------------------------------------------------- */

/**
 * struct log_file - an open recovered_log
 * @reader: of the recovered log
 * @line: the last line it gave, if @nr is not 0
 * @nr: number of lines that it gave
 * @text: of a line
 */
struct log_file {
	struct jtrace_log_reader reader;
	struct jtrace_log_line line;
	u64 nr;
	char text[JTRACE_LOG_TEXT];
};

/* Usually the next line or the last one again; another one after a seek. */
static void *log_start(struct seq_file *m, loff_t *pos)
{
	struct log_file *f = m->private;

	if (*pos + 1 < f->nr || !f->nr) {
		jtrace_log_open(&f->reader, &jtrace_recovered.trace);
		f->nr = 0;
	}
	for (; f->nr <= *pos; f->nr++)
		if (!jtrace_log_next(&f->reader, &f->line))
			return NULL;
	return f;
}

static void *log_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return log_start(m, pos);
}

static int log_show(struct seq_file *m, void *v)
{
	struct log_file *f = v;

	if (f->line.missing)
		seq_printf(m, JTRACE_LOG_MISSING "\n", f->line.missing);
	jtrace_log_text(&jtrace_recovered.trace, &f->line, f->text, sizeof(f->text));
	seq_printf(m, "%s\n", f->text);
	return 0;
}

static const struct seq_operations log_seq_ops = {
	.start = log_start,
	.next = log_next,
	.stop = trace_stop,
	.show = log_show,
};

static int log_open(struct inode *inode, struct file *file)
{
	struct log_file *f;
	int err = -ENOMEM;

	if (!jtrace_recovered_get())
		return -ENODATA;
	f = jtrace_alloc(sizeof(*f));
	if (f)
		err = seq_open(file, &log_seq_ops);
	if (err) {
		jtrace_recovered_put();
		vfree(f);
		return err;
	}
	((struct seq_file *)file->private_data)->private = f;
	return 0;
}

static int log_release(struct inode *inode, struct file *file)
{
	jtrace_recovered_put();
	vfree(((struct seq_file *)file->private_data)->private);
	return seq_release(inode, file);
}

static const struct file_operations log_fops = {
	.owner = THIS_MODULE,
	.open = log_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = log_release,
};

/* ---- trace_raw, recovered_raw ----------------------------------------- */

static int raw_open(struct inode *inode, struct file *file)
{
	file->private_data = snapshot_of(inode);
	return PTR_ERR_OR_ZERO(file->private_data);
}

static ssize_t raw_read(struct file *file, char __user *to, size_t len, loff_t *pos)
{
	const struct snapshot *s = file->private_data;

	return simple_read_from_buffer(to, len, pos, s->raw, s->size);
}

static loff_t raw_llseek(struct file *file, loff_t off, int whence)
{
	const struct snapshot *s = file->private_data;

	return fixed_size_llseek(file, off, whence, s->size);
}

static int raw_release(struct inode *inode, struct file *file)
{
	snapshot_free(file->private_data);
	return 0;
}

/* Not debugfs_create_blob(): in 6.12 it lets root write, whatever the mode. */
static const struct file_operations raw_fops = {
	.owner = THIS_MODULE,
	.open = raw_open,
	.read = raw_read,
	.llseek = raw_llseek,
	.release = raw_release,
};

/**
 * jtrace_snapshot_files() - create the files that show traces
 * @dir: where
 *
 * Context: Process.
 */
void jtrace_snapshot_files(struct dentry *dir)
{
	debugfs_create_file("trace", 0400, dir, snapshot_take, &text_fops);
	debugfs_create_file("trace_raw", 0400, dir, snapshot_take, &raw_fops);
	debugfs_create_file("recovered", 0400, dir, snapshot_recovered, &text_fops);
	debugfs_create_file("recovered_raw", 0400, dir, snapshot_recovered, &raw_fops);
	debugfs_create_file("recovered_log", 0400, dir, NULL, &log_fops);
}
