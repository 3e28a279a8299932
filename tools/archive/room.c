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
 * struct room - all traces in the archive, the oldest first
 * @nr: number of them
 * @kept: the traces
 */
struct room {
	size_t nr;
	struct kept *kept;
};

static bool is_ours(const char *name)
{
	const char * const *known;

	for (known = trace_files; *known; known++)
		if (!strcmp(name, *known))
			return true;
	return false;
}

static void look_at_files(struct kept *k, const char *folder)
{
	char pattern[4096];
	struct stat st;
	glob_t found;
	size_t i;

	scnprintf(pattern, sizeof(pattern), "%s/{*,.[!.]*}", folder);
	if (glob(pattern, GLOB_BRACE | GLOB_NOSORT, NULL, &found))
		return;
	for (i = 0; i < found.gl_pathc; i++) {
		if (!is_ours(strrchr(found.gl_pathv[i], '/') + 1))
			k->others = true;
		else if (!lstat(found.gl_pathv[i], &st))
			k->bytes += st.st_blocks * 512ULL;
	}
	globfree(&found);
}

static void look_at(struct kept *k, const char *folder, const char *path)
{
	struct stat st;

	*k = (struct kept){ .number = archive_number(folder) };
	scnprintf(k->path, sizeof(k->path), "%s", path);
	if (!stat(folder, &st))
		k->written = st.st_mtime;
	look_at_files(k, folder);
}

static int compare_age(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	if (x->written != y->written)
		return x->written < y->written ? -1 : 1;
	return strcmp(x->path, y->path);
}

/* "BOOT/NAME": 32 hex digits, and 16, or "crc-" and 8.  Nothing else in the folder is a trace. */
static bool is_trace_path(const char *path)
{
	static const char hex[] = "0123456789abcdef";

	if (strspn(path, hex) != 32 || path[32] != '/')
		return false;
	path += 33;
	if (!strncmp(path, "crc-", 4))
		return strspn(path + 4, hex) == 8 && !path[12];
	return strspn(path, hex) == 16 && !path[16];
}

static void read_room(struct room *r)
{
	static const char traces[] = "/*/*";
	char pattern[4096];
	size_t skip, i;
	glob_t found;

	*r = (struct room){ .nr = 0 };
	scnprintf(pattern, sizeof(pattern), "%s%s", root_path(ARCHIVE), traces);
	skip = strlen(pattern) - strlen(traces) + 1;
	if (glob(pattern, GLOB_NOSORT, NULL, &found))
		return;
	r->kept = calloc(found.gl_pathc, sizeof(*r->kept));
	for (i = 0; r->kept && i < found.gl_pathc; i++)
		if (is_trace_path(found.gl_pathv[i] + skip))
			look_at(&r->kept[r->nr++], found.gl_pathv[i], found.gl_pathv[i] + skip);
	globfree(&found);
	if (r->nr)
		qsort(r->kept, r->nr, sizeof(*r->kept), compare_age);
}

/*
 * Remove a trace, under the name of what is not complete, so that no half of it is left.  The
 * folder of the boot goes with its last trace, unless the new trace @f will be there.
 */
static bool drop_trace(int archive, const struct kept *k, const struct recovered *f)
{
	char boot[33];
	int dir;
	bool ok;

	scnprintf(boot, sizeof(boot), "%s", k->path);
	dir = openat(archive, boot, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	ok = dir >= 0 && drop_unfinished(dir) &&
	     !renameat(archive, k->path, dir, UNFINISHED) && drop_unfinished(dir);
	if (ok)
		printf("%s/%s: removed to make room\n", ARCHIVE, k->path);
	else
		warnx("%s/%s: cannot remove it to make room: %s", ARCHIVE, k->path, strerror(errno));
	if (dir >= 0)
		close(dir);
	if (ok && strcmp(boot, f->boot))
		unlinkat(archive, boot, AT_REMOVEDIR);
	return ok;
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
	struct room r;
	u64 number;

	read_room(&r);
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
	struct room r;
	size_t i;

	read_room(&r);
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
	struct room r;
	bool ok = false;
	size_t i;

	read_room(&r);
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
static struct excess find_excess(int archive, const struct conf *conf, const struct room *r,
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
	struct room r;
	size_t i;

	read_room(&r);
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
