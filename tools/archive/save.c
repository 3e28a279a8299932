// SPDX-License-Identifier: GPL-2.0
/*
 * The archive: BOOT/NAME/ with the files recovered, recovered_raw and last_boot_info, as
 * debugfs has them.
 *
 * A trace is there as a whole or not at all, also when the disk is full or the machine
 * dies meanwhile: its files are written to a folder of another name, brought to the
 * disk, and only then is the folder given its name.
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "archive.h"

/* A folder that is not yet one of the archive. */
#define UNFINISHED	".unfinished"

/**
 * struct folders - open folders
 * @top: the archive, whose lock the caller holds
 * @boot: of the boot, in it
 * @new: being filled, in that
 */
struct folders {
	int top;
	int boot;
	int new;
};

static bool fail_path(const struct recovered *f, const char *what)
{
	return fail("%s: %s: %s", f->path, what, strerror(errno));
}

static int open_dir(int at, const char *name)
{
	if (mkdirat(at, name, 0700) && errno != EEXIST)
		return -1;
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* ---- The files -------------------------------------------------------- */

static bool put_raw(const struct recovered *f, FILE *to)
{
	return fwrite(f->d.img, 1, f->d.len, to) == f->d.len;
}

static bool put_info(const struct recovered *f, FILE *to)
{
	(void)f;
	/* A missing file was reported; keep the others. */
	live_copy("last_boot_info", to);
	return !ferror(to);
}

static bool put_text(const struct recovered *f, FILE *to)
{
	return print_text(&f->d.t, to);
}

static const struct file {
	const char *name;
	bool (*put)(const struct recovered *f, FILE *to);
} kept_files[] = {
	{ "recovered_raw", put_raw },
	{ "recovered", put_text },
	{ "last_boot_info", put_info },
};

/* One file, on the disk when this returns; errno tells why not. */
static bool put_file(const struct recovered *f, int dir, const struct file *file)
{
	int fd = openat(dir, file->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	FILE *to = fd < 0 ? NULL : fdopen(fd, "w");
	bool ok = to && file->put(f, to) && !fflush(to) && !fsync(fd);
	int err = errno;

	if (to)
		fclose(to);
	else if (fd >= 0)
		close(fd);
	errno = err;
	return ok;
}

static bool put_files(const struct recovered *f, int dir)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kept_files); i++)
		if (!put_file(f, dir, &kept_files[i]))
			return false;
	return true;
}

/* What is left of a run that was stopped, or of this one. */
static bool drop_unfinished(int boot)
{
	int dir = openat(boot, UNFINISHED, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	size_t i;

	if (dir < 0)
		return errno == ENOENT;
	for (i = 0; i < ARRAY_SIZE(kept_files); i++)
		unlinkat(dir, kept_files[i].name, 0);
	close(dir);
	return !unlinkat(boot, UNFINISHED, AT_REMOVEDIR);
}

/* ---- The folders ------------------------------------------------------ */

/**
 * archive_lock() - claim the archive, and wait until nobody else has it
 *
 * Return: for archive_save() and archive_unlock(); -1, after a message, if there is no archive.
 */
int archive_lock(void)
{
	const char *path = root_path(ARCHIVE);
	int archive;

	/* The service has it made; by hand it may be missing. */
	mkdir(path, 0700);
	archive = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (archive >= 0 && !flock(archive, LOCK_EX))
		return archive;
	fail("%s: %s", ARCHIVE, strerror(errno));
	archive_unlock(archive);
	return -1;
}

/**
 * archive_unlock() - let others have it
 * @archive: what archive_lock() returned
 */
void archive_unlock(int archive)
{
	if (archive >= 0)
		close(archive);
}

static bool folders_open(const struct recovered *f, struct folders *p)
{
	p->boot = open_dir(p->top, f->boot);
	if (p->boot < 0)
		return fail("%s/%s: %s", ARCHIVE, f->boot, strerror(errno));
	return true;
}

static void folders_close(const struct recovered *f, struct folders *p)
{
	if (p->new >= 0)
		close(p->new);
	if (p->boot >= 0) {
		drop_unfinished(p->boot);
		close(p->boot);
		/* Stays if there is anything in it. */
		unlinkat(p->top, f->boot, AT_REMOVEDIR);
	}
}

static bool fill_folder(const struct recovered *f, struct folders *p, bool files)
{
	if (!drop_unfinished(p->boot))
		return fail_path(f, "what is left of an earlier run cannot be removed");
	p->new = open_dir(p->boot, UNFINISHED);
	if (p->new < 0)
		return fail_path(f, "cannot make a folder");
	if (files && !put_files(f, p->new))
		return fail_path(f, "cannot write");
	if (fsync(p->new) || renameat(p->boot, UNFINISHED, p->boot, f->name) ||
	    fsync(p->boot) || fsync(p->top))
		return fail_path(f, "cannot be kept");
	return true;
}

/**
 * free_in_module() - let the module free what is on the disk
 *
 * It may not: older modules have no such file, and lockdown forbids it.
 */
void free_in_module(void)
{
	int fd = open(root_path("/sys/kernel/debug/jtrace/free_recovered"), O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, "1", 1) != 1)
		warnx("free_recovered: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
}

/**
 * archive_save() - give a trace its place in the archive
 * @f: the trace
 * @archive: locked; if that failed, this fails, too
 * @files: with its files; else the place alone, which tells that it was dealt with
 *
 * Return: false, after a message, if that failed, and then nothing of it is left.
 */
bool archive_save(const struct recovered *f, int archive, bool files)
{
	struct folders p = { archive, -1, -1 };
	bool ok;

	if (archive < 0)
		return false;
	ok = folders_open(f, &p) && fill_folder(f, &p, files);
	folders_close(f, &p);
	return ok;
}
