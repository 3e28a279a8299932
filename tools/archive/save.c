// SPDX-License-Identifier: GPL-2.0
/*
 * The archive: directories BOOT/NAME with the files recovered, recovered_raw and
 * last_boot_info, as in debugfs, dmesg.txt if the image has lines of the kernel log, and, if there
 * is room for them, why.txt and the trace as a page.  With libzstd, the image is compressed.
 *
 * The archive has a trace completely or not at all, even if the disk is full or the machine
 * dies: write and sync the files in a directory of another name, then rename it.
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <sys/stat.h>

#include "../export/page/page.h"
#include "../live/live.h"
#include "../print/print.h"
#include "../why/why.h"
#include "archive.h"

/**
 * struct folders - open directories
 * @top: the archive; the caller holds its lock
 * @boot: directory of the boot, in @top
 * @new: directory to be filled, in @boot
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

static bool put_image(const void *img, u64 len, FILE *to)
{
#ifdef JTRACE_LIBZSTD
	return zstd_write(img, len, to);
#else
	return fwrite(img, 1, len, to) == len;
#endif
}

/* With the names that it needs, because modules are updated. */
static bool put_raw(const struct recovered *f, FILE *to)
{
	struct saved s;
	/* Without memory, without names. */
	bool ok = recovered_save(f, &s) ? put_image(s.img, s.len, to) :
					  put_image(f->d.img, f->d.len, to);

	save_free(&s);
	return ok;
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

static bool has_log(const struct recovered *f)
{
	return f->d.t.log.nr;
}

static bool put_log(const struct recovered *f, FILE *to)
{
	return print_log(&f->d.t, to);
}

static bool is_readable(const struct recovered *f)
{
	return f->d.t.verdict != JTRACE_UNREADABLE;
}

static bool put_page(const struct recovered *f, FILE *to)
{
	char name[sizeof(f->path) + sizeof("/" IMAGE)];
	/* The text shows no names of arguments. */
	struct dump d = f->d;
	bool ok;

	snprintf(name, sizeof(name), "%s/" IMAGE, f->path);
	d.name = name;
	decode_open(&d.t);
	ok = html_write(&d, to);
	decode_close();
	if (!ok)
		errno = ENOMEM;
	return ok && !ferror(to);
}

static bool put_why(const struct recovered *f, FILE *to)
{
	struct dump d = recovered_whole(f);
	bool found, ok;

	decode_open(&d.t);
	ok = why_write(&d, WHY_TEXT, ~0ULL, to, &found);
	decode_close();
	if (!ok)
		errno = ENOMEM;
	return ok && !ferror(to);
}

static bool put_number(const struct recovered *f, FILE *to)
{
	return fprintf(to, "%llu\n", f->number) > 0;
}

/**
 * struct file - a file of a trace
 * @name: its name
 * @put: write it; return false and errno on an error
 * @wanted: does this trace have it?  NULL if all have
 * @spare: do without it if it cannot be written, because jtrace(1) makes it from the image
 */
struct file {
	const char *name;
	bool (*put)(const struct recovered *f, FILE *to);
	bool (*wanted)(const struct recovered *f);
	bool spare;
};

static const struct file own_files[] = {
	{ ARCHIVE_NUMBER, put_number, NULL, false },
	{ IMAGE, put_raw, NULL, false },
	{ "recovered", put_text, NULL, false },
	{ "last_boot_info", put_info, NULL, false },
	{ "dmesg.txt", put_log, has_log, false },
	{ "why.txt", put_why, is_readable, true },
	{ "recovered.html", put_page, is_readable, true },
};

/* Write and sync a file; false and errno on an error. */
static bool put_file(const struct recovered *f, int dir, const struct file *file)
{
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(dir, file->name, flags, 0600);
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

/* Do without a file that can be spared: the others tell more. */
static bool spare_file(const struct recovered *f, int dir, const struct file *file)
{
	if (!file->spare)
		return false;
	warnx("%s/%s: left out: %s", f->path, file->name, strerror(errno));
	unlinkat(dir, file->name, 0);
	return true;
}

static bool put_files(const struct recovered *f, int dir)
{
	const struct file *file;

	for (file = own_files; file < own_files + ARRAY_SIZE(own_files); file++)
		if ((!file->wanted || file->wanted(f)) && !put_file(f, dir, file) &&
		    !spare_file(f, dir, file))
			return false;
	return true;
}

/* ---- The folders ------------------------------------------------------ */

static void folders_close(const struct recovered *f, struct folders *p)
{
	if (p->new >= 0)
		close(p->new);
	if (p->boot >= 0) {
		kept_drop_unfinished(p->boot);
		close(p->boot);
		/* Fails if the directory has traces. */
		unlinkat(p->top, f->boot, AT_REMOVEDIR);
	}
}

/* Returns false and errno on an error. */
static bool fill_unfinished(const struct recovered *f, struct folders *p, bool files)
{
	int err;

	if (!kept_drop_unfinished(p->boot))
		return false;
	p->new = open_dir(p->boot, KEPT_UNFINISHED);
	if (p->new >= 0 && (!files || put_files(f, p->new)))
		return true;
	err = errno;
	if (p->new >= 0)
		close(p->new);
	p->new = -1;
	kept_drop_unfinished(p->boot);
	errno = err;
	return false;
}

static bool fill_folder(const struct recovered *f, struct folders *p, bool files)
{
	bool ok;

	/* The newest trace tells more than the oldest one. */
	do {
		ok = fill_unfinished(f, p, files);
	} while (!ok && (errno == ENOSPC || errno == EDQUOT) && room_drop_oldest(p->top, f));
	if (!ok)
		return fail_path(f, "cannot write");
	if (fsync(p->new) || renameat(p->boot, KEPT_UNFINISHED, p->boot, f->name) ||
	    fsync(p->boot) || fsync(p->top))
		return fail_path(f, "cannot sync and rename");
	return true;
}

/**
 * free_in_module() - free the module's copy of the recovered trace
 *
 * Older modules have no such file, and lockdown forbids to write it.
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
 * archive_save() - create the directory of a trace
 * @f: the trace; its number is set
 * @conf: the configuration: traces that exceed its limits are removed, the oldest first
 * @archive: from archive_lock()
 * @files: with its files; otherwise the empty directory marks the trace as reported
 *
 * Return: false, after a message, on an error; nothing is left of the directory then.
 */
bool archive_save(struct recovered *f, const struct conf *conf, int archive, bool files)
{
	struct folders p = { archive, -1, -1 };
	bool ok;

	if (archive < 0)
		return false;
	f->number = room_next_number();
	p.boot = open_dir(archive, f->boot);
	ok = p.boot < 0 ? fail("%s/%s: %s", ARCHIVE, f->boot, strerror(errno)) :
			  fill_folder(f, &p, files);
	folders_close(f, &p);
	if (ok)
		room_keep_limits(archive, f, conf);
	return ok;
}

/**
 * archive_is_reported() - has the journal the entry of a trace in the archive?
 * @path: BOOT/NAME
 *
 * The folders of older versions do not tell: they have no number either.  There is nothing to
 * report if somebody has removed the image.
 */
bool archive_is_reported(const char *path)
{
	char file[sizeof(ARCHIVE) + 128];

	snprintf(file, sizeof(file), ARCHIVE "/%s/" KEPT_REPORTED, path);
	if (root_exists(file))
		return true;
	snprintf(file, sizeof(file), ARCHIVE "/%s/" ARCHIVE_NUMBER, path);
	return !root_exists(file) || !archive_find_image(path, file, sizeof(file));
}

/**
 * archive_set_reported() - note that the journal has the entry of a trace in the archive
 * @path: BOOT/NAME
 * @archive: from archive_lock()
 *
 * Return: false, after a message, on an error.
 */
bool archive_set_reported(const char *path, int archive)
{
	char file[128];
	int fd;

	snprintf(file, sizeof(file), "%s/" KEPT_REPORTED, path);
	fd = openat(archive, file, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail(ARCHIVE "/%s: cannot note that it is reported: %s", path,
			    strerror(errno));
	fsync(fd);
	close(fd);
	return true;
}
