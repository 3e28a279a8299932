// SPDX-License-Identifier: GPL-2.0
/*
 * A file that an export writes: it appears under its name when it is whole, or not at all.
 *
 * It is written under another name beside it, and renamed at the end.  An existing target that is
 * no regular file, such as a pipe or /dev/null, is written to directly.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base.h"

static bool open_beside(struct target *t)
{
	int fd;

	t->half = beside_name(t->path);
	if (!t->half)
		return false;
	beside_catch();
	fd = mkostemp(t->half, O_CLOEXEC);
	if (fd < 0) {
		fail("%s: cannot create it: %s", t->path, strerror(errno));
		free(t->half);
		t->half = NULL;
		beside_release();
		return false;
	}
	fchmod(fd, beside_mode(0666));
	t->out = fdopen(fd, "w");
	if (t->out)
		return true;
	fail("%s: %s", t->path, strerror(errno));
	close(fd);
	return target_close(t, false);
}

/* How far a reader looks for the sign of an export. */
#define SIGN_WITHIN	1024

/* Is it an earlier export, or empty?  An image or another file of the user must not be lost. */
static bool is_export(const char *path, const char *sign)
{
	char start[SIGN_WITHIN];
	FILE *f = fopen(path, "re");
	size_t len = f ? fread(start, 1, sizeof(start), f) : 0;
	bool is = f && !ferror(f) && (!len || memmem(start, len, sign, strlen(sign)));

	if (f)
		fclose(f);
	return is;
}

/**
 * target_open() - begin to write a file
 * @t: result
 * @path: its name; must stay valid
 * @force: replace an earlier export of this name
 * @sign: text that is in the first KiB of each export of this kind
 *
 * Write to @t->out while target_ok(); errors are kept until target_close().
 *
 * Return: false, after a message, on an error; nothing is left behind then, and there is nothing to
 * close.
 */
bool target_open(struct target *t, const char *path, bool force, const char *sign)
{
	struct stat st;

	*t = (struct target){ .path = path, .force = force };
	if (stat(path, &st))
		return errno == ENOENT ? open_beside(t) : fail("%s: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return fail("%s: %s", path, strerror(EISDIR));
	if (S_ISREG(st.st_mode) && !force)
		return fail("%s: exists; --force replaces it", path);
	if (S_ISREG(st.st_mode) && !is_export(path, sign))
		return fail("%s: --force replaces only an export of jtrace or an empty file", path);
	if (S_ISREG(st.st_mode))
		return open_beside(t);
	t->out = fopen(path, "we");
	return t->out || fail("%s: %s", path, strerror(errno));
}

/**
 * target_ok() - can more be written to a file?
 * @t: the file
 *
 * Return: false after an error, or if a signal ends the command: then go on with target_close().
 */
bool target_ok(struct target *t)
{
	if (ferror(t->out) && !t->err)
		t->err = errno ?: EIO;
	return !t->err && !beside_ended();
}

/* Give the file its name.  Return 0, or an error number. */
static int publish(const struct target *t)
{
	if (t->force)
		return rename(t->half, t->path) ? errno : 0;
	/* Unlike rename(), it does not replace a file that came meanwhile. */
	if (!link(t->half, t->path))
		return 0;
	/* Some file systems have no links. */
	if (errno != EPERM && errno != EOPNOTSUPP)
		return errno;
	return renameat2(AT_FDCWD, t->half, AT_FDCWD, t->path, RENAME_NOREPLACE) ? errno : 0;
}

static void end_writing(struct target *t)
{
	if (target_ok(t) && fflush(t->out))
		target_ok(t);
	if (fclose(t->out) && !t->err)
		t->err = errno;
	t->out = NULL;
}

/**
 * target_close() - end to write a file
 * @t: as target_open() left it
 * @ok: the file is whole; else it is removed
 *
 * Does not return if a signal ended the command.
 *
 * Return: @ok; false, after a message, if not all was written.
 */
bool target_close(struct target *t, bool ok)
{
	if (t->out)
		end_writing(t);
	ok = ok && !beside_ended();
	if (t->half && ok && !t->err)
		t->err = publish(t);
	if (t->half)
		unlink(t->half);
	if (ok && t->err)
		ok = fail("%s: %s", t->path, strerror(t->err));
	if (t->half)
		beside_release();
	free(t->half);
	t->half = NULL;
	return ok;
}
