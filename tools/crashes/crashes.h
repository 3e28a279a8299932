/* SPDX-License-Identifier: GPL-2.0 */
/* Crashes as a collection: what one is, whether two are alike, where they are kept. */
#ifndef _JTRACE_CRASHES_H
#define _JTRACE_CRASHES_H

#include "../../lib/base/pen.h"
#include "../image/image.h"

/* end.c */

/**
 * enum crash_end - how a boot ended
 * @END_CLEAN: it was shut down
 * @END_PANICKED: it panicked
 * @END_RESET: neither: it hung, or was reset
 * @END_UNKNOWN: the trace does not tell
 * @ENDS: number of these
 */
enum crash_end {
	END_CLEAN,
	END_PANICKED,
	END_RESET,
	END_UNKNOWN,
	ENDS,
};

enum crash_end crash_end(const struct dump *d);
const char *crash_end_name(enum crash_end end);
enum crash_end crash_end_parse(const char *name);
int crash_end_status(enum crash_end end);

/* report.c */

/* So many frames of a report are read: the function of the fault, and its callers. */
#define REPORT_FRAMES	4

/* Bytes of a function and its module, with NUL. */
#define REPORT_FRAME	160

/* Bytes of the kind, with NUL. */
#define REPORT_KIND	160

/**
 * struct report - what the kernel log says of a panic
 * @kind: what went wrong, without names and numbers of this machine; empty if the machine did not
 *	panic
 * @frame: the function of the fault, and its callers up to the code that calls anything
 * @nr: number of frames
 */
struct report {
	char kind[REPORT_KIND];
	char frame[REPORT_FRAMES][REPORT_FRAME];
	u32 nr;
};

void report_read(struct report *r, const struct jtrace_trace *t);

/* normalise.c */
void text_normalise(struct pen *p, const char *text);

/* signature.c */

/* Bytes of a signature, with NUL. */
#define SIGNATURE_SIZE	1024

bool signature_read(const struct dump *d, char to[SIGNATURE_SIZE]);

/* crash.c */

/* "2026-11-29T14:21:26Z", with NUL. */
#define CRASH_TIME	32

/**
 * struct crash - a boot that ended
 * @end: how
 * @real: when, by the wall clock, ns; 0 if unknown
 * @boot: id of the boot, in hex; zeros if the id is lost
 * @image: id of the image
 * @release: of its kernel, escaped; empty if it is lost
 * @signature: crashes of one cause have the same one; empty after a clean end
 */
struct crash {
	enum crash_end end;
	u64 real;
	char boot[33];
	u64 image;
	char release[4 * 64 + 1];
	char signature[SIGNATURE_SIZE];
};

void crash_time(u64 real, char to[CRASH_TIME]);
bool crash_read(struct crash *c, const struct dump *d);

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

/* list.c */

/**
 * struct listed - a crash in a list
 * @number: its number there
 * @c: the crash
 * @size: bytes of the image; 0 if unknown
 * @kept: the archive has it, as BOOT/NAME; else empty
 * @recovered: the module has it, the archive does not
 * @in_module: the module has it, and so has the archive
 * @journal: it is from a journal
 * @path: of the image, with JTRACE_ROOT, or empty; of a journal: its folder on its machine
 * @machine: name of the machine whose journal has the crash, if it is of a journal
 * @machine_id: its id
 * @message: of a journal: how it ended, escaped; or NULL
 * @why: of a journal: the findings of jtrace why, escaped; or NULL
 * @image: of a journal: the image; or NULL
 * @image_len: its bytes
 */
struct listed {
	u64 number;
	struct crash c;
	u64 size;
	char kept[33 + 17];
	bool recovered;
	bool in_module;
	bool journal;
	char path[4096];
	char machine[4 * 64 + 1];
	char machine_id[33];
	char *message;
	char *why;
	void *image;
	size_t image_len;
};

/**
 * struct crashes - a list, the oldest first
 * @crash: the crashes
 * @nr: how many
 */
struct crashes {
	struct listed *crash;
	size_t nr;
};

struct listed *crashes_add(struct crashes *all);
void listed_free(struct listed *l);
bool image_load(struct dump *d, struct source *s);
bool crashes_read(struct crashes *all);
struct listed *crashes_find(const struct crashes *all, u64 number);
void crashes_free(struct crashes *all);

/* journal.c */

/* MESSAGE_ID of entries of jtrace-archive(8). */
#define CRASH_MESSAGE_ID	"b21157c6af2a47149fa408d4eac74f03"

bool crashes_read_journals(struct crashes *all, const char *dir, bool images);

/* table.c */
void table_list(const struct crashes *all, bool json);
bool table_info(const struct listed *l, bool json);
bool table_top(const struct crashes *all, bool json);

/* remove.c */
bool crashes_remove(const struct listed *l);

#endif /* _JTRACE_CRASHES_H */
