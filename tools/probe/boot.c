// SPDX-License-Identifier: GPL-2.0
/*
 * Probes that are defined at boot, and a guard against one that is fatal.
 *
 * A mark on the disk says that a boot armed them, and which one.  The guard removes it when the
 * machine has lived long enough, or is shut down.  A boot that finds the mark of another one
 * defines nothing: that one died of the probes, or as if it had.
 */

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <sys/stat.h>

#include "../live/live.h"
#include "probe.h"

#define PROBES	"/etc/jtrace/probes.d"
#define MARK	ARCHIVE "/probes-armed"

/* Seconds after which the probes count as harmless. */
#define LONG_ENOUGH	60

/* An id of a boot, with newline. */
#define ID_SIZE		64

static bool read_id(char *id)
{
	return root_read("/proc/sys/kernel/random/boot_id", id, ID_SIZE) > 0 ||
	       fail("/proc/sys/kernel/random/boot_id: %s", strerror(errno));
}

/* Which boot left the mark?  Empty: none. */
static bool read_mark(char *id)
{
	if (root_read(MARK, id, ID_SIZE) >= 0 || errno == ENOENT)
		return true;
	return fail(MARK ": %s", strerror(errno));
}

/* Write what was done in the folder of the mark to the disk. */
static bool sync_folder(void)
{
	int fd = open(root_path(ARCHIVE), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool ok = fd >= 0 && !fsync(fd);

	if (!ok)
		fail(ARCHIVE ": %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return ok;
}

/* Leave the mark of this boot on the disk. */
static bool write_mark(const char *id)
{
	size_t len = strlen(id);
	bool ok;
	int fd;

	if (mkdir(root_path(ARCHIVE), 0700) && errno != EEXIST)
		return fail(ARCHIVE ": %s", strerror(errno));
	fd = open(root_path(MARK), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ok = fd >= 0 && write(fd, id, len) == (ssize_t)len && !fsync(fd);
	if (!ok)
		fail(MARK ": %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return ok && sync_folder();
}

/*
 * Define the probes of each file; an error in one does not keep the others from being loaded.  The
 * next start passes over those that are defined.
 */
static bool load_all(const glob_t *files)
{
	bool ok = true;
	size_t i;

	for (i = 0; i < files->gl_pathc; i++)
		ok = lines_load(files->gl_pathv[i], probe_take_again) && ok;
	return ok;
}

/**
 * boot_mark() - leave the mark of this boot on the disk, unless there is one of another boot
 *
 * Return: false, after a message, if the probes must not be defined.
 */
bool boot_mark(void)
{
	char id[ID_SIZE], mark[ID_SIZE];

	if (!read_id(id) || !read_mark(mark))
		return false;
	if (*mark && strcmp(mark, id))
		return fail("an earlier boot died within %d s of defining the probes in " PROBES ", so none is defined now: remove the probe at fault and the file " MARK ", then run \"systemctl start jtrace-probes\"", LONG_ENOUGH);
	return write_mark(id);
}

/**
 * boot_arm() - define the probes of the files in /etc/jtrace/probes.d, unless they killed a boot
 * @mark: leave the mark of this boot first; false only to print them
 *
 * Return: false, after a message, if a line was refused, or if nothing was defined at all.
 */
bool boot_arm(bool mark)
{
	glob_t files;
	bool ok;

	/* Sorted by name. */
	if (glob(root_path(PROBES "/*.probe"), 0, NULL, &files))
		return true;
	ok = (!mark || boot_mark()) && load_all(&files);
	globfree(&files);
	return ok;
}

/**
 * boot_guard() - remove the mark of boot_arm() after a while, or when told to end
 *
 * Return: false, after a message, on an error.
 */
bool boot_guard(void)
{
	static const struct timespec time = { .tv_sec = LONG_ENOUGH };
	char id[ID_SIZE], mark[ID_SIZE];
	sigset_t ends;

	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	if (!read_id(id) || !read_mark(mark))
		return false;
	if (strcmp(mark, id))
		return true;
	while (sigtimedwait(&ends, NULL, &time) < 0 && errno == EINTR)
		;
	if (unlink(root_path(MARK)) && errno != ENOENT)
		return fail(MARK ": %s", strerror(errno));
	return sync_folder();
}
