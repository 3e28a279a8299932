// SPDX-License-Identifier: GPL-2.0
/*
 * Read from files, devices and pipes at any offset.
 *
 * This is pread(), not mmap(): a file that shrinks causes an error and no signal, a 32-bit
 * jtrace reads a dump of 100 GiB, and /proc/vmcore and block devices work like files.  Files
 * without a size (pipes, debugfs) are copied to memory first.
 */

#include <errno.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "image.h"

/**
 * source_memory() - make a source of no bytes, in memory
 * @s: result; close it even after an error
 * @name: for messages
 *
 * Return: false, after a message, if there is no memory.
 */
bool source_memory(struct source *s, const char *name)
{
	*s = (struct source){ .name = name, .fd = memfd_create("jtrace", MFD_CLOEXEC) };
	return s->fd >= 0 || fail("%s: no memory for a copy: %s", name, strerror(errno));
}

/**
 * source_append() - append bytes to a source in memory
 * @s: the source
 * @bytes: the bytes
 * @len: number of them
 *
 * Return: false, after a message, if memory is full.
 */
bool source_append(struct source *s, const void *bytes, size_t len)
{
	/* A short write means that memory is full. */
	if (write(s->fd, bytes, len) != (ssize_t)len)
		return fail("%s: no memory for a copy, after %llu bytes", s->name, s->size);
	s->size += len;
	return true;
}

/**
 * source_replace() - replace a source by another one
 * @s: the source; it is closed
 * @by: the other one; its content belongs to @s then
 */
void source_replace(struct source *s, const struct source *by)
{
	source_close(s);
	*s = *by;
}

static bool copy_file(const struct source *s, struct source *copy)
{
	static char buf[1 << 16];
	ssize_t n;

	do {
		n = read(s->fd, buf, sizeof(buf));
		if (n < 0 && errno != EINTR)
			return fail("%s: %s, after %llu bytes", s->name, strerror(errno), copy->size);
		if (n > 0 && !source_append(copy, buf, n))
			return false;
	} while (n);
	return true;
}

/* A file that can be read only once. */
static bool copy_to_memory(struct source *s)
{
	struct source copy;
	bool ok = source_memory(&copy, s->name) && copy_file(s, &copy);

	source_replace(s, &copy);
	return ok;
}

/**
 * source_file() - make a source of an open file
 * @s: result; close it even after an error
 * @name: for messages
 * @fd: the file; source_close() closes it
 *
 * Return: false, after a message, if the file cannot be read.
 */
bool source_file(struct source *s, const char *name, int fd)
{
	struct stat st;
	off_t end;

	*s = (struct source){ .name = name, .fd = fd };
	if (fstat(fd, &st))
		return fail("%s: %s", name, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return fail("%s: %s", name, strerror(EISDIR));
	/* Some of them never end. */
	if (S_ISCHR(st.st_mode) && !isatty(fd))
		return fail("%s: a device without a size: copy what it has to a file first", name);
	if ((!S_ISREG(st.st_mode) || !st.st_size) && !S_ISBLK(st.st_mode))
		return copy_to_memory(s);
	end = lseek(fd, 0, SEEK_END);
	if (end < 0)
		return fail("%s: %s", name, strerror(errno));
	s->size = end;
	return true;
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

	if (s->ops)
		return s->ops->skip(s, at);
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

	if (s->ops)
		return s->ops->read(s, at, to, len);
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
 * source_warn() - warn if bytes of a source could not be read
 * @s: the source, whose bytes were all read
 */
void source_warn(const struct source *s)
{
	if (s->ops)
		s->ops->warn(s);
}

/**
 * source_close() - close a source
 * @s: the source
 */
void source_close(struct source *s)
{
	if (s->ops)
		s->ops->close(s);
	s->ops = NULL;
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}
