// SPDX-License-Identifier: GPL-2.0
/* The files of the module in debugfs. */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/stat.h>

#include "../machine/machine.h"
#include "live.h"

#define FILES	"/sys/kernel/debug/jtrace"

static const char *live_path(const char *name)
{
	char rel[64];

	scnprintf(rel, sizeof(rel), FILES "/%s", name);
	return root_path(rel);
}

/* Non-root users need it before a command that is for root. */
static const char *root_prefix(void)
{
	return geteuid() ? "sudo " : "";
}

/* Name the module that makes file @name; NULL if none is missing. */
static const char *missing_module(const char *name)
{
	if (!root_exists("/sys/module/jtrace"))
		return "jtrace";
	if (!root_exists(FILES))
		return NULL;
	return !strcmp(name, "events") ? "jtrace_events" :
	       !strcmp(name, "probes") ? "jtrace_probe" : NULL;
}

/* Say why @path could not be opened, and which command helps. */
static bool fail_live(const char *path, const char *name, int err)
{
	bool absent = err == ENOENT || err == ENOTDIR;
	const char *module = absent || err == EACCES ? missing_module(name) : NULL;

	if (module)
		return fail("module %s is not loaded: run %smodprobe %s", module, root_prefix(), module);
	if (absent && !is_debugfs_mounted())
		return fail("debugfs is not mounted: run %smount -t debugfs none /sys/kernel/debug",
			    root_prefix());
	if (err == EACCES && geteuid())
		return fail("%s: %s: run this command with sudo", path, strerror(err));
	if (err == EPERM)
		return fail("%s: %s: a locked-down kernel refuses this file: run jtrace doctor",
			    path, strerror(err));
	if (err == ENODATA)
		return fail("%s: the trace was freed, and " ARCHIVE " has no copy", path);
	return fail("%s: %s", path, strerror(err));
}

/**
 * live_fail_recovered() - say why there is no trace of an earlier boot, and what to do
 *
 * Return: false.
 */
bool live_fail_recovered(void)
{
	const char *persistent = module_state("persistent");

	if (persistent && *persistent == 'n')
		return fail("no trace of an earlier boot: the buffer is not persistent: run jtrace setup");
	return fail("no trace of an earlier boot: this boot is the first to use this memory, or the memory was cleared: run jtrace doctor");
}

/**
 * live_hint_begin() - nothing is recorded in the live buffer: say how to begin
 * @cleared: entries were recorded, and cleared
 */
void live_hint_begin(bool cleared)
{
	const char *module = root_exists(FILES "/events") ? "" : "modprobe jtrace_events; ";
	char on[8];

	if (root_read(FILES "/enabled", on, sizeof(on)) > 0 && on[0] == '0')
		warnx("recording is off: run jtrace start");
	else if (cleared)
		warnx("nothing recorded since the last jtrace clear");
	else
		warnx("nothing recorded yet: put JTRACE(\"tag\") in your module, or run: %sjtrace event sched",
		      module);
}

/*
 * jtrace-archive(8) frees the recovered trace once it has a copy: open the newest copy from that
 * boot.  Times do not tell, because the clock may have been wrong.  Returns -1 if there is no copy.
 */
static int open_archived(char *path, size_t size)
{
	const char *boot = module_state("recovered_boot");
	char pattern[4096], dir[4096];
	u64 number, newest = 0;
	glob_t found;
	size_t i;

	if (!boot || strspn(boot, "0123456789abcdef") != 32 || boot[32])
		return -1;
	scnprintf(pattern, sizeof(pattern), "%s/%s/*/" ARCHIVE_IMAGE, root_path(ARCHIVE), boot);
	path[0] = 0;
	glob(pattern, GLOB_BRACE, NULL, &found);
	for (i = 0; i < found.gl_pathc; i++) {
		scnprintf(dir, sizeof(dir), "%.*s",
			  (int)(strrchr(found.gl_pathv[i], '/') - found.gl_pathv[i]),
			  found.gl_pathv[i]);
		number = archive_number(dir);
		if (path[0] && number < newest)
			continue;
		newest = number;
		scnprintf(path, size, "%s", found.gl_pathv[i]);
	}
	globfree(&found);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/**
 * live_fail() - say why a file of the module could not be read
 * @name: name of the file
 * @err: error number
 *
 * Return: false.
 */
bool live_fail(const char *name, int err)
{
	char path[4096];

	scnprintf(path, sizeof(path), "%s", live_path(name));
	return fail_live(path, name, err);
}

/**
 * live_read() - read a file of the module at once
 * @name: name of the file
 * @to: memory from malloc(), or NULL; grows as needed; the caller frees it
 * @room: its size
 * @len: result: bytes read
 *
 * Return: 0, or an error number.
 */
int live_read(const char *name, void **to, size_t *room, size_t *len)
{
	int fd = open(live_path(name), O_RDONLY | O_CLOEXEC), err = fd < 0 ? errno : 0;
	ssize_t n = 1;

	for (*len = 0; !err && n; *len += max_t(ssize_t, n, 0)) {
		if (*len == *room) {
			void *more = realloc(*to, max_t(size_t, 2 * *room, 1 << 16));

			if (!more) {
				err = ENOMEM;
				break;
			}
			*room = max_t(size_t, 2 * *room, 1 << 16);
			*to = more;
		}
		n = read(fd, (char *)*to + *len, *room - *len);
		err = n < 0 && errno != EINTR ? errno : 0;
	}
	if (fd >= 0)
		close(fd);
	return err;
}

/**
 * live_open() - open a file of the module, or the archive's copy
 * @s: result; close it even after an error
 * @name: name of the file
 *
 * Return: false, after a message, if the file cannot be read.
 */
bool live_open(struct source *s, const char *name)
{
	static char path[4096], archived[4096];
	int fd, err;

	*s = (struct source){ .fd = -1 };
	scnprintf(path, sizeof(path), "%s", live_path(name));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	err = fd < 0 ? errno : 0;
	if (err == ENODATA)
		fd = open_archived(archived, sizeof(archived));
	if (fd < 0)
		return fail_live(path, name, err);
	return source_wrap(s, err == ENODATA ? archived : path, fd);
}

/**
 * live_copy() - copy a file of the module
 * @name: name of the file
 * @to: stream; the caller checks it for write errors
 *
 * Return: false, after a message, if the file cannot be read.
 */
bool live_copy(const char *name, FILE *to)
{
	char buf[4096];
	struct source s;
	bool ok = live_open(&s, name);
	u64 at;

	for (at = 0; ok && at < s.size; at += sizeof(buf)) {
		size_t len = min_t(u64, sizeof(buf), s.size - at);

		ok = source_read(&s, at, buf, len);
		if (ok)
			fwrite(buf, 1, len, to);
	}
	source_close(&s);
	return ok;
}

/**
 * live_write() - write to a file of the module
 * @name: name of the file
 * @text: written at once, as the module parses what one call writes
 * @err: result: 0, or the error number of the write
 *
 * Return: false, after a message, if the file cannot be opened.
 */
bool live_write(const char *name, const char *text, int *err)
{
	char path[4096];
	ssize_t n;
	int fd;

	scnprintf(path, sizeof(path), "%s", live_path(name));
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0)
		return fail_live(path, name, errno);
	n = write(fd, text, strlen(text));
	*err = n < 0 ? errno : n < (ssize_t)strlen(text) ? EIO : 0;
	close(fd);
	return true;
}
