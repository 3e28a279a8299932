// SPDX-License-Identifier: GPL-2.0
/* The archive, where jtrace-archive(8) keeps traces: which there are, and how one is removed. */

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "../machine/machine.h"
#include "crashes.h"

/* All that can be in the folder of a trace. */
const char * const kept_files[] = {
	ARCHIVE_NUMBER, "recovered_raw", "recovered_raw.zst", "recovered", "last_boot_info",
	"dmesg.txt", "why.txt", "recovered.html", KEPT_REPORTED, NULL
};

/**
 * archive_lock() - lock the archive; waits for other processes
 *
 * Return: argument for archive_save() and archive_unlock(); -1, after a message, on an error.
 */
int archive_lock(void)
{
	const char *path = root_path(ARCHIVE);
	int archive;

	/* systemd creates it for the service. */
	mkdir(path, 0700);
	archive = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (archive >= 0 && !flock(archive, LOCK_EX))
		return archive;
	fail("%s: %s", ARCHIVE, strerror(errno));
	archive_unlock(archive);
	return -1;
}

/**
 * archive_unlock() - unlock the archive
 * @archive: from archive_lock()
 */
void archive_unlock(int archive)
{
	if (archive >= 0)
		close(archive);
}

static bool is_ours(const char *name)
{
	const char * const *known;

	for (known = kept_files; *known; known++)
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

/**
 * kept_list_read() - list the traces in the archive
 * @r: result; the caller frees its @kept
 */
void kept_list_read(struct kept_list *r)
{
	static const char traces[] = "/*/*";
	char pattern[4096];
	size_t skip, i;
	glob_t found;

	*r = (struct kept_list){ .nr = 0 };
	scnprintf(pattern, sizeof(pattern), "%s%s", root_path(ARCHIVE), traces);
	skip = strlen(pattern) - strlen(traces) + 1;
	if (glob(pattern, GLOB_NOSORT, NULL, &found))
		return;
	r->kept = calloc(found.gl_pathc, sizeof(*r->kept));
	for (i = 0; r->kept && i < found.gl_pathc; i++)
		if (is_trace_path(found.gl_pathv[i] + skip))
			look_at(&r->kept[r->nr++], found.gl_pathv[i], found.gl_pathv[i] + skip);
	globfree(&found);
	if (r->kept && r->nr)
		qsort(r->kept, r->nr, sizeof(*r->kept), compare_age);
}

/**
 * kept_drop_unfinished() - remove what an interrupted run left, or what this run could not finish
 * @boot: folder of the boot
 *
 * Return: false and errno on an error, or if there are other files.
 */
bool kept_drop_unfinished(int boot)
{
	int dir = openat(boot, KEPT_UNFINISHED, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	const char * const *name;

	if (dir < 0)
		return errno == ENOENT;
	for (name = kept_files; *name; name++)
		unlinkat(dir, *name, 0);
	close(dir);
	return !unlinkat(boot, KEPT_UNFINISHED, AT_REMOVEDIR);
}

/**
 * kept_drop() - remove a trace
 * @archive: from archive_lock()
 * @k: the trace
 *
 * It goes under the name of what is not complete, so that no half of it is left.  The folder of the
 * boot stays.
 *
 * Return: false and errno on an error.
 */
bool kept_drop(int archive, const struct kept *k)
{
	char boot[33];
	int dir;
	bool ok;

	scnprintf(boot, sizeof(boot), "%s", k->path);
	dir = openat(archive, boot, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	ok = dir >= 0 && kept_drop_unfinished(dir) &&
	     !renameat(archive, k->path, dir, KEPT_UNFINISHED) && kept_drop_unfinished(dir);
	if (dir >= 0)
		close(dir);
	return ok;
}

/**
 * archive_find_image() - find the image of a trace in the archive, compressed or not
 * @path: BOOT/NAME
 * @image: result: its path, with JTRACE_ROOT
 * @size: of @image
 *
 * Return: false if it has none.
 */
bool archive_find_image(const char *path, char *image, size_t size)
{
	char pattern[4096];
	glob_t found;

	scnprintf(pattern, sizeof(pattern), "%s/%s/" ARCHIVE_IMAGE, root_path(ARCHIVE), path);
	if (glob(pattern, GLOB_BRACE, NULL, &found))
		return false;
	scnprintf(image, size, "%s", found.gl_pathv[0]);
	globfree(&found);
	return true;
}
