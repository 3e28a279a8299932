// SPDX-License-Identifier: GPL-2.0
/*
 * Lines that control a module on top of jtrace.
 *
 * "#" begins a comment, outside quotes.  A line that is refused changes nothing, and the file tells
 * why until the next write.
 */

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "jtrace_lines.h"

/* Most bytes of a refused line in the kernel log, which cuts messages of about 1000 bytes. */
#define MOST_IN_LOG	700

/* Does @refusal say why? */
static bool is_refusal(int err)
{
	return err == -EINVAL || err == -EEXIST;
}

/**
 * jtrace_source_refused() - does a lockdown of the kernel forbid to turn this source on?
 * @source: of entries
 *
 * Each source asks before it is turned on, as the kernel's own tracers do.
 *
 * Context: Process.
 * Return: why it is refused, or NULL.
 */
const char *jtrace_source_refused(enum jtrace_source source)
{
	enum lockdown_reason what = source == JTRACE_SOURCE_CODE ? LOCKDOWN_KPROBES :
				    LOCKDOWN_TRACEFS;

	return security_locked_down(what) ? "the kernel is locked down" : NULL;
}
EXPORT_SYMBOL_GPL(jtrace_source_refused);

/* Do what a line says, and change it; a refusal counts from its first character. */
static int take_line(const struct jtrace_lines *l, char *line, struct jtrace_refusal *refusal)
{
	char *from;
	int err;

	line[words_until(line, '#')] = 0;
	from = strim(line);
	if (!*from)
		return 0;
	err = l->take(from, refusal);
	if (is_refusal(err))
		refusal->at += from - line;
	return err;
}

/**
 * jtrace_lines_parameter() - do what a parameter says
 * @l: what a line does
 * @text: lines with ";" between them
 *
 * A line that is refused does not keep the others from taking effect.
 *
 * Context: Process.
 * Return: 0; -EINVAL, after one line in the log for each that is refused; or another error.
 */
int jtrace_lines_parameter(const struct jtrace_lines *l, const char *text)
{
	char *copy = kstrdup(text, GFP_KERNEL), *line = copy, *end;
	struct jtrace_refusal refusal;
	int err, ret = 0;
	bool last;

	if (!copy)
		return -ENOMEM;
	do {
		end = line + words_until(line, ';');
		last = !*end;
		*end = 0;
		err = take_line(l, line, &refusal);
		if (is_refusal(err))
			pr_err("%s: %s=%.*s: at character %u: %s\n", l->module, l->parameter,
			       (int)min_t(size_t, end - line, MOST_IN_LOG), text + (line - copy),
			       refusal.at + 1, refusal.why);
		/* modprobe takes -EEXIST for a module that is loaded already. */
		ret = ret ?: err == -EEXIST ? -EINVAL : err;
		line = end + 1;
	} while (!last);
	kfree(copy);
	return ret;
}
EXPORT_SYMBOL_GPL(jtrace_lines_parameter);

/* ---- The file --------------------------------------------------------- */

static int lines_show(struct seq_file *m, void *v)
{
	struct jtrace_lines *l = m->private;

	l->show(m);
	mutex_lock(&l->lock);
	if (l->refused)
		seq_printf(m, "# refused: %s\n", l->refused);
	mutex_unlock(&l->lock);
	return 0;
}

static int lines_open(struct inode *inode, struct file *f)
{
	struct jtrace_lines *l = inode->i_private;

	if (f->f_mode & FMODE_WRITE && f->f_flags & O_TRUNC)
		l->clear();
	return single_open(f, lines_show, l);
}

/* Remember why a line was refused; @line is NULL if none was. */
static void set_refused(struct jtrace_lines *l, const char *line,
			const struct jtrace_refusal *refusal)
{
	mutex_lock(&l->lock);
	kfree(l->refused);
	l->refused = !line ? NULL : kasprintf(GFP_KERNEL, "%s: at character %u: %s", line,
					      refusal->at + 1, refusal->why);
	mutex_unlock(&l->lock);
}

static int write_line(struct jtrace_lines *l, const char *line)
{
	struct jtrace_refusal refusal;
	char *copy;
	int err;

	line = skip_spaces(line);
	copy = kstrdup(line, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	err = take_line(l, copy, &refusal);
	if (is_refusal(err))
		set_refused(l, line, &refusal);
	kfree(copy);
	return err;
}

/* Most bytes of one write: whole lines, or a last one without newline. */
#define MOST_BYTES	65536

static ssize_t lines_write(struct file *f, const char __user *from, size_t len, loff_t *pos)
{
	struct jtrace_lines *l = ((struct seq_file *)f->private_data)->private;
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
	set_refused(l, NULL, NULL);
	for (line = text; line < text + n && !err; line = end + 1) {
		end = strchrnul(line, '\n');
		*end = 0;
		err = write_line(l, line);
	}
	kfree(text);
	return err ?: n;
}

/* "tee -a" seeks to the end, which seq_lseek() cannot. */
static loff_t lines_llseek(struct file *f, loff_t offset, int whence)
{
	return f->f_mode & FMODE_READ ? seq_lseek(f, offset, whence) :
	       noop_llseek(f, offset, whence);
}

static const struct file_operations lines_fops = {
	.owner = THIS_MODULE,
	.open = lines_open,
	.read = seq_read,
	.write = lines_write,
	.llseek = lines_llseek,
	.release = single_release,
};

/* All files of lines. */
static LIST_HEAD(files);
static DEFINE_MUTEX(files_lock);

/**
 * jtrace_lines_tell() - print what each file refused last, and why, in a line FILE_refused=TEXT
 * @m: where to
 *
 * Context: Process.
 */
void jtrace_lines_tell(struct seq_file *m)
{
	struct jtrace_lines *l;

	mutex_lock(&files_lock);
	list_for_each_entry(l, &files, in) {
		mutex_lock(&l->lock);
		if (l->refused)
			seq_printf(m, "%s_refused=%s\n", l->name, l->refused);
		mutex_unlock(&l->lock);
	}
	mutex_unlock(&files_lock);
}

/**
 * jtrace_lines_add() - create the file
 * @l: what it does
 *
 * As usual with debugfs, a failure is no error: the parameter still works.
 *
 * Context: Process.
 */
void jtrace_lines_add(struct jtrace_lines *l)
{
	struct dentry *dir = debugfs_lookup("jtrace", NULL);

	mutex_init(&l->lock);
	mutex_lock(&files_lock);
	list_add_tail(&l->in, &files);
	mutex_unlock(&files_lock);
	if (IS_ERR_OR_NULL(dir))
		return;
	l->file = debugfs_create_file(l->name, 0600, dir, l, &lines_fops);
	dput(dir);
}
EXPORT_SYMBOL_GPL(jtrace_lines_add);

/**
 * jtrace_lines_remove() - remove the file; nobody uses it any more on return
 * @l: as given to jtrace_lines_add()
 *
 * Context: Process.
 */
void jtrace_lines_remove(struct jtrace_lines *l)
{
	debugfs_remove(l->file);
	mutex_lock(&files_lock);
	list_del(&l->in);
	mutex_unlock(&files_lock);
	kfree(l->refused);
	l->refused = NULL;
}
EXPORT_SYMBOL_GPL(jtrace_lines_remove);
