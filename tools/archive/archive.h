/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of jtrace-archive(8) share. */
#ifndef _JTRACE_ARCHIVE_H
#define _JTRACE_ARCHIVE_H

#include "../crashes/crashes.h"
#include "../entries/entries.h"
#include "../export/export.h"
#include "../image/image.h"
#include "../machine/machine.h"

/* conf.c */
enum storage {
	STORAGE_NONE,
	STORAGE_EXTERNAL,
	STORAGE_JOURNAL,
};

/* A limit that depends on the file system. */
#define LIMIT_DEFAULT	(~0ULL)

/**
 * struct conf - jtrace.conf(5)
 * @storage: where to keep a trace
 * @pointers: the journal may contain kernel addresses
 * @max_use: bytes that the archive may have
 * @keep_free: bytes of its file system to leave free
 * @max_traces: traces that the archive may have
 */
struct conf {
	enum storage storage;
	bool pointers;
	u64 max_use;
	u64 keep_free;
	u64 max_traces;
};

void conf_read(struct conf *conf);

/* recovered.c */

/**
 * struct recovered - the trace of the previous boot
 * @d: the image and its trace
 * @boot: id of the boot that recorded, as in the journal; zeros if the id is lost
 * @name: name of the trace; a boot may leave several
 * @path: directory in the archive
 * @number: order in the archive: the newest trace has the largest number
 */
struct recovered {
	struct dump d;
	char boot[33];
	char name[17];
	char path[sizeof(ARCHIVE) + 33 + 17];
	u64 number;
};

/* In the archive: BOOT/NAME. */
#define in_archive(f)	((f)->path + sizeof(ARCHIVE))

bool recovered_read(struct recovered *f);
bool recovered_read_kept(struct recovered *f, const char *path);
struct dump recovered_whole(const struct recovered *f);
bool recovered_is_clean(const struct recovered *f);
bool recovered_save(const struct recovered *f, struct saved *to);
char *recovered_copy_tail(const struct recovered *f, bool bytes, size_t most, size_t *len);

/* save.c */
void free_in_module(void);
bool archive_save(struct recovered *f, const struct conf *conf, int archive, bool files);
bool archive_is_reported(const char *path);
bool archive_set_reported(const char *path, int archive);

/* Name of the image in the folder of a trace. */
#ifdef JTRACE_LIBZSTD
#define IMAGE		"recovered_raw.zst"
#else
#define IMAGE		"recovered_raw"
#endif

/* room.c */
u64 room_next_number(void);
bool room_next_unreported(char *path, size_t size);
bool room_drop_oldest(int archive, const struct recovered *f);
void room_keep_limits(int archive, const struct recovered *f, const struct conf *conf);

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
