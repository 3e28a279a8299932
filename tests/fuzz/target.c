// SPDX-License-Identifier: GPL-2.0
/*
 * What an export leaves: a file, or a directory of files.  It is read, and removed.
 *
 * It is in TMPDIR, which tests/fuzz/run sets to a directory in memory: hundreds are written each
 * second.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/stat.h>

#include "fuzz.h"

static char scratch[256], target[sizeof(scratch) + 8];

static void leave(void)
{
	rmdir(scratch);
}

/**
 * target_path() - the name of the target, which does not exist yet
 */
const char *target_path(void)
{
	if (!target[0]) {
		scnprintf(scratch, sizeof(scratch), "%s/jtrace-fuzz.XXXXXX", getenv("TMPDIR") ?: "/tmp");
		must(mkdtemp(scratch) && !atexit(leave), "%s: %s", scratch, strerror(errno));
		scnprintf(target, sizeof(target), "%s/target", scratch);
	}
	return target;
}

/* Read a file; there is a NUL behind its bytes. */
static void read_file(int dir, const char *name, struct exported_file *to)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW);
	struct stat st;

	must(fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode), "%s", name);
	scnprintf(to->name, sizeof(to->name), "%s", name);
	to->len = st.st_size;
	to->data = calloc(1, to->len + 1);
	must(to->data && read(fd, to->data, to->len) == to->len, "%s", name);
	close(fd);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct exported_file *)a)->name,
		      ((const struct exported_file *)b)->name);
}

/* Read and remove all files of a directory. */
static void take_directory(struct exported *t)
{
	DIR *dir = opendir(target);
	struct dirent *e;

	must(dir, "%s: %s", target, strerror(errno));
	while ((e = readdir(dir))) {
		if (e->d_name[0] == '.')
			continue;
		t->file = reallocarray(t->file, t->nr + 1, sizeof(*t->file));
		must(t->file, "no memory");
		read_file(dirfd(dir), e->d_name, &t->file[t->nr++]);
		must(!unlinkat(dirfd(dir), e->d_name, 0), "%s", e->d_name);
	}
	closedir(dir);
	qsort(t->file, t->nr, sizeof(*t->file), by_name);
	must(!rmdir(target), "%s: %s", target, strerror(errno));
}

/**
 * target_take() - read the target, and remove it
 * @t: result; target_free() frees it
 *
 * The export must have left it, and nothing else.
 */
void target_take(struct exported *t)
{
	struct stat st;

	*t = (struct exported){ 0 };
	must(!lstat(target, &st), "no target");
	if (S_ISDIR(st.st_mode)) {
		take_directory(t);
	} else {
		t->file = calloc(1, sizeof(*t->file));
		must(t->file, "no memory");
		read_file(AT_FDCWD, target, &t->file[t->nr++]);
		must(!unlink(target), "%s", target);
	}
	must(!rmdir(scratch) && !mkdir(scratch, 0700), "more than the target: %s", scratch);
}

/**
 * target_same() - are two targets the same, byte for byte?
 * @a: one
 * @b: the other one
 */
bool target_same(const struct exported *a, const struct exported *b)
{
	u32 i;

	for (i = 0; i < a->nr && i < b->nr; i++)
		if (strcmp(a->file[i].name, b->file[i].name) || a->file[i].len != b->file[i].len ||
		    memcmp(a->file[i].data, b->file[i].data, a->file[i].len))
			return false;
	return a->nr == b->nr;
}

/**
 * target_bytes() - the bytes of all files
 * @t: the target
 */
u64 target_bytes(const struct exported *t)
{
	u64 bytes = 0;
	u32 i;

	for (i = 0; i < t->nr; i++)
		bytes += t->file[i].len;
	return bytes;
}

/**
 * target_free() - free what was read
 * @t: the target
 */
void target_free(struct exported *t)
{
	while (t->nr)
		free(t->file[--t->nr].data);
	free(t->file);
	t->file = NULL;
}
