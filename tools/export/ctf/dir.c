// SPDX-License-Identifier: GPL-2.0
/*
 * The directory that a CTF export writes: it appears under its name when it is whole, or not at
 * all.
 *
 * It is written under another name beside it, and renamed at the end.  Only an empty directory or
 * an export is ever replaced.
 */

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctf.h"

/**
 * ctf_dir_fail() - report an error of a file
 * @d: its directory
 * @name: its name
 *
 * Says nothing if a signal ends the command.
 *
 * Return: false.
 */
bool ctf_dir_fail(const struct ctf_dir *d, const char *name)
{
	return !beside_ended() && fail("%s/%s: %s", d->path, name, strerror(errno ?: EIO));
}

/**
 * ctf_dir_create() - create a file
 * @d: the directory
 * @name: its name
 *
 * Return: NULL, after a message, on an error.
 */
FILE *ctf_dir_create(const struct ctf_dir *d, const char *name)
{
	int fd = openat(d->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (!f)
		ctf_dir_fail(d, name);
	if (!f && fd >= 0)
		close(fd);
	return f;
}

static bool write_all(int fd, const u8 *from, size_t len)
{
	while (len) {
		ssize_t n = write(fd, from, len);

		if (n < 0 && (errno != EINTR || beside_ended()))
			return false;
		if (n > 0) {
			from += n;
			len -= n;
		}
	}
	return true;
}

/**
 * ctf_dir_append() - append to a file, which is created if it is missing
 * @d: the directory
 * @name: name of the file
 * @head: bytes
 * @head_len: how many
 * @data: bytes behind these
 * @len: how many
 *
 * Return: false, after a message, on an error.
 */
bool ctf_dir_append(const struct ctf_dir *d, const char *name, const void *head, size_t head_len,
		    const void *data, size_t len)
{
	int fd = openat(d->fd, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	bool ok = fd >= 0 && write_all(fd, head, head_len) && write_all(fd, data, len);

	if (!ok)
		ctf_dir_fail(d, name);
	if (fd >= 0 && close(fd) && ok)
		ok = ctf_dir_fail(d, name);
	return ok;
}

/* ---- What is there already -------------------------------------------- */

/* Has an export a file of that name? */
static bool is_own(int dir, const char *name)
{
	char stream[16];
	struct stat st;
	u16 cpu = 0;

	if (!strncmp(name, "cpu_", 4))
		cpu = strtoul(name + 4, NULL, 10);
	scnprintf(stream, sizeof(stream), "cpu_%u", cpu);
	return (!strcmp(name, "metadata") || !strcmp(name, stream)) &&
	       !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode);
}

/* Does the file begin like the metadata of an export? */
static bool is_metadata(int dir)
{
	char head[sizeof(CTF_META_HEAD)];
	int fd = openat(dir, "metadata", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof(head) - 1);

	if (fd >= 0)
		close(fd);
	return n == (ssize_t)sizeof(head) - 1 && !memcmp(head, CTF_META_HEAD, n);
}

/*
 * Look at each name in a directory but "." and "..", and remove those of an export if @remove.
 * Return how many names there are; -1 if one of them is not of an export.
 */
static long look_into(const char *path, bool remove)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	long nr = 0;

	while (dir && (e = readdir(dir))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (!is_own(dirfd(dir), e->d_name)) {
			nr = -1;
			break;
		}
		nr++;
		if (remove)
			unlinkat(dirfd(dir), e->d_name, 0);
	}
	if (dir && nr > 0 && !remove && !is_metadata(dirfd(dir)))
		nr = -1;
	if (dir)
		closedir(dir);
	return dir ? nr : -1;
}

static bool may_replace(const char *path, bool force)
{
	struct stat st;

	if (lstat(path, &st))
		return errno == ENOENT || fail("%s: %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return fail("%s: exists, and is no directory", path);
	if (!force)
		return fail("%s: exists; --force replaces it", path);
	return look_into(path, false) >= 0 ||
	       fail("%s: --force replaces only an export of jtrace or an empty directory", path);
}

/* ---- The directory ---------------------------------------------------- */

static bool open_beside(struct ctf_dir *d)
{
	d->half = beside_name(d->path);
	if (!d->half)
		return false;
	beside_catch();
	if (!mkdtemp(d->half)) {
		fail("%s: cannot create it: %s", d->path, strerror(errno));
		free(d->half);
		d->half = NULL;
		return false;
	}
	chmod(d->half, beside_mode(0777));
	d->fd = open(d->half, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return d->fd >= 0 || fail("%s: %s", d->half, strerror(errno));
}

/**
 * ctf_dir_open() - begin to write a directory
 * @d: result; close it even after an error
 * @path: its name
 * @force: replace an export of this name, or an empty directory
 *
 * Return: false, after a message, on an error.
 */
bool ctf_dir_open(struct ctf_dir *d, const char *path, bool force)
{
	size_t len = strlen(path);

	*d = (struct ctf_dir){ .fd = -1, .force = force };
	while (len > 1 && path[len - 1] == '/')
		len--;
	d->path = strndup(path, len);
	if (!d->path)
		return fail("no memory");
	return may_replace(d->path, force) && open_beside(d);
}

/*
 * Give the directory its name.  An export that is there is exchanged for it, and later removed
 * under the other name; rename() replaces nothing but an empty directory.  Return 0, or an error
 * number.
 */
static int publish(struct ctf_dir *d)
{
	if (d->force && !renameat2(AT_FDCWD, d->half, AT_FDCWD, d->path, RENAME_EXCHANGE))
		return 0;
	/* Not every file system can exchange. */
	if (d->force && errno == EINVAL)
		look_into(d->path, true);
	else if (d->force && errno != ENOENT)
		return errno;
	if (rename(d->half, d->path))
		return errno;
	free(d->half);
	d->half = NULL;
	return 0;
}

/* Remove what is not whole, or was replaced. */
static void remove_half(const struct ctf_dir *d)
{
	look_into(d->half, true);
	if (rmdir(d->half))
		warnx("%s: cannot remove it: %s", d->half, strerror(errno));
}

/**
 * ctf_dir_close() - end to write a directory
 * @d: as ctf_dir_open() left it
 * @ok: the directory is whole; else it is removed
 *
 * Return: @ok; false, after a message, on an error.
 */
bool ctf_dir_close(struct ctf_dir *d, bool ok)
{
	int err = 0;

	if (d->fd >= 0)
		close(d->fd);
	ok = ok && !beside_ended();
	if (ok && !may_replace(d->path, d->force))
		ok = false;
	if (ok)
		err = publish(d);
	if (err)
		ok = fail("%s: cannot give the export this name: %s", d->path, strerror(err));
	if (d->half)
		remove_half(d);
	free(d->half);
	free(d->path);
	beside_release();
	return ok;
}
