/* SPDX-License-Identifier: GPL-2.0 */
/* Lines that control a module on top of jtrace: a file in debugfs, and a parameter. */
#ifndef _JTRACE_LINES_H
#define _JTRACE_LINES_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>

#include "lib/base/words.h"

/**
 * struct jtrace_lines - what a file of lines does
 * @name: of the file
 * @parameter: its name
 * @module: its name, for the log
 * @take: do what a line says; it has no comment, no blanks around it, and may be changed.  Returns
 *	0, -EINVAL if it is refused, -EEXIST if it is refused because it holds already, or another
 *	error
 * @show: print what is set, in lines that can be written back
 * @clear: the file was opened with truncation
 * @in: the list of all files; private, as the rest
 * @lock: of @refused
 * @refused: the line that was refused, and why; NULL after a write that was not
 * @file: the file
 */
struct jtrace_lines {
	const char *name;
	const char *parameter;
	const char *module;
	int (*take)(char *line, struct jtrace_refusal *refusal);
	void (*show)(struct seq_file *m);
	void (*clear)(void);
	struct list_head in;
	struct mutex lock;	/* of @refused */
	char *refused;
	struct dentry *file;
};

/* What shows data of the kernel. */
enum jtrace_source {
	JTRACE_SOURCE_EVENTS,	/* values of tracepoints */
	JTRACE_SOURCE_CODE,	/* what any of its instructions can reach */
};

const char *jtrace_source_refused(enum jtrace_source source);
int jtrace_lines_parameter(const struct jtrace_lines *l, const char *text);
void jtrace_lines_tell(struct seq_file *m);
void jtrace_lines_add(struct jtrace_lines *l);
void jtrace_lines_remove(struct jtrace_lines *l);

#endif /* _JTRACE_LINES_H */
