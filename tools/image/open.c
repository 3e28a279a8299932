// SPDX-License-Identifier: GPL-2.0
/* Open what may hold an image: a file, or one that zstd has compressed. */

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "image.h"

/**
 * source_wrap() - make a source of an open file, or of what it has compressed
 * @s: result; close it even after an error
 * @name: for messages
 * @fd: the file; source_close() closes it
 *
 * Return: false, after a message, if the file cannot be read.
 */
bool source_wrap(struct source *s, const char *name, int fd)
{
	return source_file(s, name, fd) && zstd_open(s);
}

/**
 * source_open() - open a file, or standard input
 * @s: result; close it even after an error
 * @path: "-" for standard input
 *
 * Return: false, after a message, if the file cannot be read.
 */
bool source_open(struct source *s, const char *path)
{
	bool input = !strcmp(path, "-");
	int fd = input ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);

	*s = (struct source){ .fd = -1 };
	if (fd < 0)
		return fail("%s: %s", input ? "standard input" : path, strerror(errno));
	return source_wrap(s, input ? "standard input" : path, fd);
}
