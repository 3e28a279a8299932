/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of jtrace-archive(8) know of each other. */
#ifndef _JTRACE_ARCHIVE_H
#define _JTRACE_ARCHIVE_H

#include "../tool.h"

/* ---- conf.c ---- */

enum storage {
	STORAGE_NONE,
	STORAGE_EXTERNAL,
	STORAGE_JOURNAL,
};

/**
 * struct conf - jtrace.conf(5)
 * @storage: what becomes of a trace
 * @pointers: the journal may have addresses of the kernel
 */
struct conf {
	enum storage storage;
	bool pointers;
};

void conf_read(struct conf *conf);

/* ---- recovered.c: the trace to keep ---- */

/**
 * struct recovered - the trace of the previous boot
 * @d: the image and its trace
 * @boot: id of the boot that recorded, as the journal writes it; zeros if it is lost
 * @name: of the trace among those of that boot
 * @path: of its folder in the archive
 */
struct recovered {
	struct dump d;
	char boot[33];
	char name[17];
	char path[sizeof(ARCHIVE) + 33 + 17];
};

bool recovered_read(struct recovered *f);
bool recovered_is_clean(const struct recovered *f);
char *recovered_copy_tail(const struct recovered *f, bool bytes, size_t most, size_t *len);

/* ---- save.c ---- */

int archive_lock(void);
void archive_unlock(int archive);
void free_in_module(void);
bool archive_save(const struct recovered *f, int archive, bool files);

/* ---- pointers.c ---- */

/**
 * struct pointers - what may be an address, and was met in a text
 * @tree: of them, for tsearch()
 * @newest: of them, which has the largest number
 */
struct pointers {
	void *tree;
	const struct pointer *newest;
};

bool pointers_hide(struct pointers *p, char *text, size_t len);
void pointers_free(struct pointers *p);

/* ---- journal.c ---- */

bool journal_send(const struct recovered *f, const struct conf *conf, bool saved);

#endif /* _JTRACE_ARCHIVE_H */
