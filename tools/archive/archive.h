/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of jtrace-archive(8) share. */
#ifndef _JTRACE_ARCHIVE_H
#define _JTRACE_ARCHIVE_H

#include "../tool.h"

/* conf.c */
enum storage {
	STORAGE_NONE,
	STORAGE_EXTERNAL,
	STORAGE_JOURNAL,
};

/**
 * struct conf - jtrace.conf(5)
 * @storage: where to keep a trace
 * @pointers: the journal may contain kernel addresses
 */
struct conf {
	enum storage storage;
	bool pointers;
};

void conf_read(struct conf *conf);

/* recovered.c */

/**
 * struct recovered - the trace of the previous boot
 * @d: the image and its trace
 * @boot: id of the boot that recorded, as in the journal; zeros if the id is lost
 * @name: name of the trace; a boot may leave several
 * @path: directory in the archive
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

/* save.c */
int archive_lock(void);
void archive_unlock(int archive);
void free_in_module(void);
bool archive_save(const struct recovered *f, int archive, bool files);

/* pointers.c */

/**
 * struct pointers - possible addresses, found in texts so far
 * @tree: the addresses, for tsearch()
 * @newest: the address with the largest number
 */
struct pointers {
	void *tree;
	const struct pointer *newest;
};

bool pointers_hide(struct pointers *p, char *text, size_t len);
void pointers_free(struct pointers *p);

/* journal.c */
bool journal_send(const struct recovered *f, const struct conf *conf, bool saved);

#endif /* _JTRACE_ARCHIVE_H */
