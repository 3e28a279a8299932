// SPDX-License-Identifier: GPL-2.0
/* The files in debugfs.  Only this file parses what users write to them. */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/jtrace.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "jtrace_internal.h"
#include "lib/image/snapshot.h"
#include "lib/read/render.h"

static struct dentry *dir;

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
	if (gated)
		jtrace_gate_open();
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

DEFINE_SEQ_ATTRIBUTE(jtrace_last_boot);

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

/* ---- config ----------------------------------------------------------- */

static void show_warnings(struct seq_file *m)
{
	const struct jtrace_config *c = &jtrace.setup.config;
	s64 unstored = atomic64_read(&jtrace.sites.unstored) - jtrace.sites.early;

#ifdef CONFIG_JTRACE_EARLY_SIZE
	if (jtrace.sites.early)
		jtrace_warn(m, "%llu call sites of early boot found no room, so their entries have no name: build the kernel with CONFIG_JTRACE_EARLY_SIZE larger than %d",
			    jtrace.sites.early, CONFIG_JTRACE_EARLY_SIZE);
#endif
	if (unstored)
		jtrace_warn(m, "%lld call sites found no room in the site table, so their entries have no name: load jtrace with sites=%llu",
			    unstored,
			    jtrace_sites_suffice(jtrace_sites_used(&jtrace.sites),
						 atomic64_read(&jtrace.sites.missing)));
	if (jtrace.setup.fit == JTRACE_FIT_TIGHT)
		jtrace_warn(m, "few chunks for this number of CPUs, events may be dropped");
	if (jtrace.setup.fit == JTRACE_FIT_FEW)
		jtrace_warn(m, "few entries for this number of CPUs, events may be dropped");
	if (jtrace.setup.fit == JTRACE_FIT_POOR)
		jtrace_warn(m, "too small for this number of CPUs, events may be dropped, and the last events of an idle CPU overwritten");
	if (c->last > 0 && c->last != num_possible_cpus())
		jtrace_warn(m, "Per-CPU last entry cnt is %d, but there are %u CPUs", c->last,
			    num_possible_cpus());
	if (jtrace_clock.ticks && !jtrace_ticks_trusted())
		jtrace_warn(m, "the kernel does not trust the counter that stamps entries, so times may be wrong: reload jtrace without clock=ticks");
	jtrace_dumper_warn(m);
	jtrace_region_warn(m);
}

/* Only root may read addresses, as in /proc/iomem. */
static void show_region(struct seq_file *m)
{
	const struct jtrace_region *r = &jtrace.setup.region;
	u64 phys = file_ns_capable(m->file, &init_user_ns, CAP_SYS_ADMIN) ? r->phys : 0;

	seq_printf(m, "Physical address       : 0x%llx\n", phys);
	seq_printf(m, "Region size            : %llu\n", r->size);
	seq_printf(m, "Memory type            : %s\n", jtrace_mem_types[r->type]);
	seq_printf(m, "Kernel log             : %u\n", jtrace.ring.l.log_size);
	seq_printf(m, "Keep on reboot         : %s\n",
		   jtrace.setup.config.keep_on_reboot ? "yes" : "no");
	seq_printf(m, "Found at load          : %s\n", jtrace_recovered_verdict());
}

static int config_show(struct seq_file *m, void *v)
{
	const struct jtrace_config *c = &jtrace.setup.config;
	const struct jtrace_layout *l = &jtrace.ring.l;

	seq_puts(m, "JTRACE configuration\n");
	seq_puts(m, "--------------------\n");
	seq_printf(m, "Requested Buffer Size  : %llu\n", c->size ?: l->size);
	seq_printf(m, "Allocated Buffer Size  : %llu\n", l->size);
	seq_printf(m, "Allocated Buffer Loc   : 0x%pK\n", jtrace.setup.region.at);
	seq_printf(m, "Per-CPU last entry cnt : %u\n", le32_to_cpu(jtrace.setup.header.last_cpus));
	seq_printf(m, "Large entries          : %s\n",
		   l->kind == JTRACE_KIND_LARGE ? "yes" : "no");
	seq_printf(m, "Persistent             : %s\n",
		   c->mode == JTRACE_PERSISTENT ? "yes" : "no");
	if (c->mode == JTRACE_PERSISTENT)
		show_region(m);

	seq_printf(m, "Entries                : %llu\n", jtrace_layout_entries(l));
	seq_printf(m, "Chunks                 : %u of %u bytes, %u entries each\n",
		   l->nr_chunks, 1U << l->chunk_shift, l->entries);
	seq_printf(m, "Site table             : %u bytes, %llu used, for about %u call sites\n",
		   l->sites_end - l->sites_off, jtrace_sites_used(&jtrace.sites),
		   (l->sites_end - l->sites_off) / JTRACE_SITE_RECORD_TYPICAL);
	seq_printf(m, "CPUs                   : %u\n", num_possible_cpus());
	seq_printf(m, "Time stamps            : %s\n", c->mono ? "monotonic" : "boot-time");
	if (jtrace_clock.ticks)
		seq_printf(m, "Clock                  : ticks, %u kHz\n", jtrace_clock.khz);
	else
		seq_puts(m, "Clock                  : fast\n");
	seq_printf(m, "Panic lines            : %d, at most %u entries\n", c->panic_lines,
		   jtrace_panic_most());
	seq_printf(m, "Dump on oops           : %s\n", c->dump_on_oops ? "yes" : "no");
	if (jtrace_stop_reason())
		seq_printf(m, "Stopped                : %s\n", jtrace_stop_reason());
	show_warnings(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(config);

/* ---- stats ------------------------------------------------------------ */

static const char * const loss_names[] = {
	[JTRACE_SKIPPED] = "skipped",
	[JTRACE_DROPPED_BUSY] = "dropped_busy",
	[JTRACE_DROPPED_NESTED] = "dropped_nested",
};
static_assert(ARRAY_SIZE(loss_names) == JTRACE_NR_LOSSES);

static int stats_show(struct seq_file *m, void *v)
{
	struct jtrace_stats s;
	int i;

	mutex_lock(&jtrace.lock);
	jtrace_stats_read(&s);
	mutex_unlock(&jtrace.lock);
	seq_printf(m, "recorded %llu\n", s.recorded);
	seq_printf(m, "overwritten %llu\n", s.overwritten);
	seq_printf(m, "cleared %llu\n", s.cleared);
	seq_printf(m, "unfinished %llu\n", s.unfinished);
	seq_printf(m, "lost_in_snapshot %llu\n", s.lost_in_snapshot);
	for (i = 0; i < JTRACE_NR_LOSSES; i++)
		seq_printf(m, "%s %llu\n", loss_names[i], s.lost[i]);
	seq_printf(m, "sites %lld\n", (s64)atomic64_read(&jtrace.sites.stored));
	seq_printf(m, "sites_unstored %lld\n", (s64)atomic64_read(&jtrace.sites.unstored));
	seq_printf(m, "dumps_died %lld\n", (s64)atomic64_read(&jtrace.dumps_died));
	seq_printf(m, "chunks_stuck %u\n", jtrace_ring_stuck(&jtrace.ring));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

/* ---- enabled, clear, free_recovered, marker --------------------------- */

static ssize_t enabled_read(struct file *file, char __user *to, size_t len, loff_t *pos)
{
	const char *text = static_key_enabled(&jtrace_key) ? "1\n" : "0\n";

	return simple_read_from_buffer(to, len, pos, text, 2);
}

/* Parse a word, with or without newline, from one write. */
static int bool_from_user(const char __user *from, size_t len, bool *to)
{
	char text[8];

	if (copy_from_user(text, from, min(len, sizeof(text) - 1)))
		return -EFAULT;
	if (!len || len >= sizeof(text))
		return -EINVAL;
	if (text[len - 1] == '\n')
		len--;
	text[len] = 0;
	return strlen(text) == len && jtrace_parse_bool(text, to) ? 0 : -EINVAL;
}

static ssize_t enabled_write(struct file *file, const char __user *from, size_t len,
			     loff_t *pos)
{
	bool on;
	int err = bool_from_user(from, len, &on);

	if (err)
		return err;
	jtrace_switch(on);
	return len;
}

static const struct file_operations enabled_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = enabled_read,
	.write = enabled_write,
	.llseek = default_llseek,
};

/* Files that act when 1 is written: their private data is the function to call. */
static ssize_t action_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	int (*act)(void) = file->private_data;
	bool yes;
	int err = bool_from_user(from, len, &yes);

	if (!err && yes)
		err = act();
	return err ?: len;
}

static const struct file_operations action_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = action_write,
	.llseek = noop_llseek,
};

/* Take one line; the caller writes the rest again. */
static ssize_t marker_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	char line[JTRACE_TAG_MAX + 2];
	size_t n = min(len, sizeof(line) - 1), end;
	int err;

	if (copy_from_user(line, from, n))
		return -EFAULT;
	line[n] = 0;
	end = strcspn(line, "\n");
	if (!end || end > JTRACE_TAG_MAX || (end < n && !line[end]))
		return -EINVAL;
	n = min(n, end + 1);
	line[end] = 0;
	err = jtrace_mark(line);
	return err ?: n;
}

static const struct file_operations marker_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = marker_write,
	.llseek = noop_llseek,
};

/* Create the files.  As usual with debugfs, a failure is no error. */
void jtrace_debugfs_init(void)
{
	dir = debugfs_create_dir("jtrace", NULL);
	debugfs_create_file("trace", 0400, dir, snapshot_take, &text_fops);
	debugfs_create_file("trace_raw", 0400, dir, snapshot_take, &raw_fops);
	debugfs_create_file("recovered", 0400, dir, snapshot_recovered, &text_fops);
	debugfs_create_file("recovered_raw", 0400, dir, snapshot_recovered, &raw_fops);
	debugfs_create_file("recovered_log", 0400, dir, NULL, &log_fops);
	debugfs_create_file("last_boot_info", 0400, dir, NULL, &jtrace_last_boot_fops);
	debugfs_create_file("config", 0444, dir, NULL, &config_fops);
	debugfs_create_file("stats", 0444, dir, NULL, &stats_fops);
	debugfs_create_file("enabled", 0600, dir, NULL, &enabled_fops);
	debugfs_create_file("marker", 0200, dir, NULL, &marker_fops);
	debugfs_create_file("clear", 0200, dir, jtrace_clear, &action_fops);
	debugfs_create_file("free_recovered", 0200, dir, jtrace_recovered_free, &action_fops);
}

void jtrace_debugfs_exit(void)
{
	debugfs_remove(dir);
}
