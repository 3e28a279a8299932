// SPDX-License-Identifier: GPL-2.0
/*
 * Room for traces: the archive has limits in traces and bytes, and leaves a part of its file system
 * free.  To keep them, it removes the oldest traces, never the one that was just kept.
 *
 * The age of a trace is its number, not a time: a machine without a clock has the time of its
 * firmware when it keeps a trace.  Folders without a number, of older versions or for the journal,
 * are the oldest.
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "archive.h"

/* Shares of the file system as in journald.conf(5), SystemMaxUse= and SystemKeepFree=. */
#define GIB		(1024ULL * 1024 * 1024)
#define USE_PERCENT	10
#define USE_MOST	GIB
#define FREE_PERCENT	15
#define FREE_MOST	(4 * GIB)

/* The folder of the boot goes with its last trace, unless the new trace @f will be there. */
static bool drop_trace(int archive, const struct kept *k, const struct recovered *f)
{
	char boot[33];

	if (!kept_drop(archive, k)) {
		warnx("%s/%s: cannot remove it to make room: %s", ARCHIVE, k->path, strerror(errno));
		return false;
	}
	printf("%s/%s: removed to make room\n", ARCHIVE, k->path);
	scnprintf(boot, sizeof(boot), "%s", k->path);
	if (strcmp(boot, f->boot))
		unlinkat(archive, boot, AT_REMOVEDIR);
	return true;
}

static bool is_trace(const struct kept *k, const struct recovered *f)
{
	char path[sizeof(k->path)];

	snprintf(path, sizeof(path), "%s/%s", f->boot, f->name);
	return !strcmp(path, k->path);
}

/* May this trace go?  Not the new one, nor one to which somebody added a file. */
static bool may_go(const struct kept *k, const struct recovered *f)
{
	return !k->others && !is_trace(k, f);
}

/**
 * room_next_number() - find the number of a trace that comes
 */
u64 room_next_number(void)
{
	struct kept_list r;
	u64 number;

	kept_list_read(&r);
	number = r.nr ? r.kept[r.nr - 1].number + 1 : 1;
	free(r.kept);
	return number;
}

/**
 * room_next_unreported() - find the oldest trace that the journal has no entry of
 * @path: BOOT/NAME of one that was found before, empty at first; result: that of the next one
 * @size: of @path
 *
 * Return: false if there is none.
 */
bool room_next_unreported(char *path, size_t size)
{
	bool found = false, seen = !path[0];
	struct kept_list r;
	size_t i;

	kept_list_read(&r);
	for (i = 0; i < r.nr && !found; i++) {
		found = seen && !archive_is_reported(r.kept[i].path);
		seen |= !strcmp(path, r.kept[i].path);
		if (found)
			scnprintf(path, size, "%s", r.kept[i].path);
	}
	free(r.kept);
	return found;
}

/**
 * room_drop_oldest() - remove the oldest trace, because the disk is full
 * @archive: from archive_lock()
 * @f: the new trace, which stays
 *
 * Return: false if there is none.
 */
bool room_drop_oldest(int archive, const struct recovered *f)
{
	struct kept_list r;
	bool ok = false;
	size_t i;

	kept_list_read(&r);
	for (i = 0; i < r.nr && !ok; i++)
		ok = may_go(&r.kept[i], f) && r.kept[i].bytes && drop_trace(archive, &r.kept[i], f);
	free(r.kept);
	return ok;
}

static u64 choose_limit(u64 configured, u64 total, u64 percent, u64 most)
{
	return configured != LIMIT_DEFAULT ? configured : min(total / 100 * percent, most);
}

/**
 * struct excess - what is too much
 * @traces: so many traces
 * @bytes: so many bytes
 */
struct excess {
	u64 traces;
	u64 bytes;
};

/*
 * A file system that others have filled does not get the old traces, which would not help: the
 * archive does not grow then.
 */
static struct excess find_excess(int archive, const struct conf *conf, const struct kept_list *r,
				 u64 new_bytes)
{
	struct excess e = { .traces = r->nr > conf->max_traces ? r->nr - conf->max_traces : 0 };
	u64 total, room, most, least, bytes = 0;
	struct statvfs fs;
	size_t i;

	if (fstatvfs(archive, &fs))
		return e;
	total = (u64)fs.f_blocks * fs.f_frsize;
	room = (u64)fs.f_bavail * fs.f_frsize;
	most = choose_limit(conf->max_use, total, USE_PERCENT, USE_MOST);
	least = choose_limit(conf->keep_free, total, FREE_PERCENT, FREE_MOST);
	for (i = 0; i < r->nr; i++)
		bytes += r->kept[i].bytes;
	if (bytes > most)
		e.bytes = bytes - most;
	if (room < least)
		e.bytes = max(e.bytes, min(least - room, new_bytes));
	return e;
}

/**
 * room_keep_limits() - remove the oldest traces, until the archive keeps its limits
 * @archive: from archive_lock()
 * @f: the new trace, which stays; only its page goes if there is no other trace to remove
 * @conf: the configuration
 */
void room_keep_limits(int archive, const struct recovered *f, const struct conf *conf)
{
	char page[sizeof(f->boot) + sizeof(f->name) + 32];
	u64 new_bytes = 0, traces = 0, bytes = 0;
	struct excess e;
	struct kept_list r;
	size_t i;

	kept_list_read(&r);
	for (i = 0; i < r.nr; i++)
		if (is_trace(&r.kept[i], f))
			new_bytes = r.kept[i].bytes;
	e = find_excess(archive, conf, &r, new_bytes);
	for (i = 0; i < r.nr && (traces < e.traces || bytes < e.bytes); i++)
		if (may_go(&r.kept[i], f) && drop_trace(archive, &r.kept[i], f)) {
			traces++;
			bytes += r.kept[i].bytes;
		}
	snprintf(page, sizeof(page), "%s/%s/recovered.html", f->boot, f->name);
	if (bytes < e.bytes && !unlinkat(archive, page, 0))
		warnx("%s/%s: left out: the archive exceeds its limits: see jtrace.conf(5)", ARCHIVE,
		      page);
	free(r.kept);
}
