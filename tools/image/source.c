// SPDX-License-Identifier: GPL-2.0
/*
 * Read from files, devices and pipes at any offset.
 *
 * This is pread(), not mmap(): a file that shrinks causes an error and no signal, a 32-bit
 * jtrace reads a dump of 100 GiB, and /proc/vmcore and block devices work like files.  Files
 * without a size (pipes, debugfs) are copied to memory first.  kdump.c reads compressed dumps, and
 * zstd.c compressed images.
 */

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "image.h"

/* Copy the file to memory; s->fd becomes the copy. */
static bool source_copy(struct source *s)
{
	static char buf[1 << 16];
	int fd = memfd_create("jtrace", MFD_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return fail("%s: no memory for a copy: %s", s->name, strerror(errno));
	s->size = 0;
	while ((n = read(s->fd, buf, sizeof(buf)))) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			fail("%s: %s, after %llu bytes", s->name, strerror(errno), s->size);
			break;
		}
		/* A short write means that memory is full. */
		if (write(fd, buf, n) != n) {
			fail("%s: no memory for a copy, after %llu bytes", s->name, s->size);
			n = -1;
			break;
		}
		s->size += n;
	}
	close(s->fd);
	s->fd = fd;
	return n == 0;
}

/**
 * source_wrap() - make a source of an open file
 * @s: result; close it even after an error
 * @name: for messages
 * @fd: the file; source_close() closes it
 *
 * Return: false, after a message, if the file cannot be read.
 */
bool source_wrap(struct source *s, const char *name, int fd)
{
	struct stat st;
	off_t end;

	s->name = name;
	s->fd = fd;
	s->kdump = NULL;
	if (fstat(fd, &st))
		return fail("%s: %s", name, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return fail("%s: %s", name, strerror(EISDIR));
	/* Some of them never end. */
	if (S_ISCHR(st.st_mode) && !isatty(fd))
		return fail("%s: a device without a size: copy what it has to a file first", name);
	if ((S_ISREG(st.st_mode) && st.st_size) || S_ISBLK(st.st_mode)) {
		end = lseek(fd, 0, SEEK_END);
		if (end < 0)
			return fail("%s: %s", name, strerror(errno));
		s->size = end;
		return zstd_open(s);
	}
	return source_copy(s) && zstd_open(s);
}

/**
 * source_open() - open a file, or standard input
 * @s: result; close it even after an error
 * @path: "-" for standard input
 *
 * The offsets of a compressed dump are physical addresses of the dumped machine.
 *
 * Return: false, after a message, if the file cannot be read.
 */
bool source_open(struct source *s, const char *path)
{
	bool input = !strcmp(path, "-");
	int fd = input ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);

	s->fd = -1;
	s->kdump = NULL;
	if (fd < 0)
		return fail("%s: %s", input ? "standard input" : path, strerror(errno));
	return source_wrap(s, input ? "standard input" : path, fd) && kdump_open(s);
}

/**
 * source_skip() - find the next byte that may not be zero
 * @s: the source
 * @at: offset
 *
 * Return: an offset from @at on, at most the end.
 */
u64 source_skip(const struct source *s, u64 at)
{
	off_t data;

	if (s->kdump)
		return kdump_skip(s, at);
	data = lseek(s->fd, at, SEEK_DATA);
	/* A file system that knows no holes, or a block device, has data everywhere. */
	return data >= 0 ? min_t(u64, data, s->size) : errno == ENXIO ? s->size : at;
}

/**
 * source_read() - read exactly @len bytes
 * @s: the source
 * @at: offset
 * @to: buffer
 * @len: bytes, within the source
 *
 * Return: false, after a message, on an error, or if the file has shrunk.
 */
bool source_read(const struct source *s, u64 at, void *to, size_t len)
{
	size_t done = 0;

	if (s->kdump)
		return kdump_load(s, at, to, len);
	while (done < len) {
		ssize_t n = pread(s->fd, (char *)to + done, len - done, at + done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail("%s: offset 0x%llx: %s", s->name,
				    at + done, strerror(errno));
		if (!n)
			return fail("%s: ends at %llu, had %llu bytes when it was opened", s->name,
				    at + done, s->size);
		done += n;
	}
	return true;
}

/**
 * source_close() - close a source
 * @s: the source
 */
void source_close(struct source *s)
{
	kdump_close(s);
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}
