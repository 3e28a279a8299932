// SPDX-License-Identifier: GPL-2.0
/* Small files of the system; tests set JTRACE_ROOT to show another system. */

#include <errno.h>
#include <mntent.h>
#include <stdlib.h>
#include <unistd.h>

#include "base.h"

/**
 * root_path() - put JTRACE_ROOT before a path
 * @path: absolute
 *
 * Return: text that is valid until the next call.
 */
const char *root_path(const char *path)
{
	static char full[4096];
	const char *root = getenv("JTRACE_ROOT");

	scnprintf(full, sizeof(full), "%s%s", root ?: "", path);
	return full;
}

/**
 * root_exists() - does a file exist?
 * @path: absolute
 */
bool root_exists(const char *path)
{
	return !access(root_path(path), F_OK);
}

/**
 * root_read() - read a small file
 * @path: absolute
 * @buf: result, with a NUL at the end
 * @size: size of @buf; longer content is cut
 *
 * Return: bytes read, or -1 and errno.
 */
ssize_t root_read(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(root_path(path), "re");
	size_t len = f ? fread(buf, 1, size - 1, f) : 0;
	bool ok = f && !ferror(f);
	int err = errno;

	buf[len] = 0;
	if (f)
		fclose(f);
	errno = err;
	return ok ? (ssize_t)len : -1;
}

/**
 * root_release() - read the release of the running kernel
 * @to: result, "" if it is not known
 * @size: size of @to
 */
void root_release(char *to, size_t size)
{
	root_read("/proc/sys/kernel/osrelease", to, size);
	to[strcspn(to, "\n")] = 0;
}

/**
 * is_debugfs_mounted() - is debugfs mounted at /sys/kernel/debug?
 */
bool is_debugfs_mounted(void)
{
	FILE *f = setmntent(root_path("/proc/mounts"), "re");
	const struct mntent *m = NULL;

	while (f && (m = getmntent(f)))
		if (!strcmp(m->mnt_type, "debugfs") && !strcmp(m->mnt_dir, "/sys/kernel/debug"))
			break;
	if (f)
		endmntent(f);
	return m;
}

/**
 * is_this_boot() - does the running boot have this id?
 * @boot_id: 16 bytes
 */
bool is_this_boot(const u8 *boot_id)
{
	char text[64];
	u32 i, n = 0, byte;

	if (root_read("/proc/sys/kernel/random/boot_id", text, sizeof(text)) < 36)
		return false;
	for (i = 0; n < 16; i += 2) {
		i += text[i] == '-';
		if (sscanf(text + i, "%2x", &byte) != 1 || byte != boot_id[n++])
			return false;
	}
	return true;
}
