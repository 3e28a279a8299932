// SPDX-License-Identifier: GPL-2.0
/*
 * Preloaded before the C library: a file system whose directory is full, or one that exchanges no
 * names.
 *
 * -DFULL: no name can be given.  Otherwise, two names cannot be exchanged.
 */

#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int renameat2(int old_dir, const char *old, int new_dir, const char *new, unsigned int flags)
{
#ifndef FULL
	if (!flags)
		return syscall(SYS_renameat2, old_dir, old, new_dir, new, 0);
	errno = EINVAL;
#else
	errno = ENOSPC;
#endif
	return -1;
}

int rename(const char *old, const char *new)
{
	return renameat2(-100, old, -100, new, 0);
}
