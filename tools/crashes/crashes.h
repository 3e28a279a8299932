/* SPDX-License-Identifier: GPL-2.0 */
/* Crashes as a collection: where they are kept. */
#ifndef _JTRACE_CRASHES_H
#define _JTRACE_CRASHES_H

#include <stdbool.h>
#include <time.h>

#include "../../lib/base/env.h"

/* kept.c: the archive */

/* Marks a trace that the journal has an entry of; the folder of a trace until it is complete. */
#define KEPT_REPORTED	"reported"
#define KEPT_UNFINISHED	".unfinished"

/**
 * struct kept - a trace in the archive
 * @path: BOOT/NAME
 * @number: its number; 0 if it has none
 * @written: when it was kept, by a clock that may be wrong
 * @bytes: what it takes on the disk
 * @others: it has files that jtrace-archive does not write
 */
struct kept {
	char path[33 + 17];
	u64 number;
	time_t written;
	u64 bytes;
	bool others;
};

/**
 * struct kept_list - all traces in the archive, the oldest first
 * @nr: number of them
 * @kept: the traces
 */
struct kept_list {
	size_t nr;
	struct kept *kept;
};

extern const char * const kept_files[];

int archive_lock(void);
void archive_unlock(int archive);
bool archive_find_image(const char *path, char *image, size_t size);
void kept_list_read(struct kept_list *r);
bool kept_drop_unfinished(int boot);
bool kept_drop(int archive, const struct kept *k);

#endif /* _JTRACE_CRASHES_H */
