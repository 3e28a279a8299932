// SPDX-License-Identifier: GPL-2.0
/*
 * The files in debugfs.  This file parses the words that users write to them; others parse lines
 * (jtrace_lines.c, jtrace_user.c).
 */

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/jtrace.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "jtrace_internal.h"

static struct dentry *dir;

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

/* Create the files.  As usual with debugfs, a failure is no error. */
void jtrace_debugfs_init(void)
{
	dir = debugfs_create_dir("jtrace", NULL);
	jtrace_snapshot_files(dir);
	jtrace_status_files(dir);
	jtrace_user_files(dir);
	debugfs_create_file("enabled", 0600, dir, NULL, &enabled_fops);
	debugfs_create_file("clear", 0200, dir, jtrace_clear, &action_fops);
	debugfs_create_file("free_recovered", 0200, dir, jtrace_recovered_free, &action_fops);
}

void jtrace_debugfs_exit(void)
{
	debugfs_remove(dir);
}
