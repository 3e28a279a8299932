/* SPDX-License-Identifier: GPL-2.0 */
/* jtrace(1) on bytes in memory, thousands of times in one process. */
#ifndef _JTRACE_TOOL_ONBYTES_H
#define _JTRACE_TOOL_ONBYTES_H

#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>

/* The source of the command, its outputs, and the output of the test. */
static int file, out, messages, report;

static void die(const char *what)
{
	dprintf(report, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
	exit(1);
}

/* Parse "[-s SEED] [-n CASES]", with the time as the default seed.  Return the number of cases. */
static u32 parse_cases(int argc, char **argv, u64 *seed)
{
	u32 cases = 1000;
	int opt;

	*seed = time(NULL);
	while ((opt = getopt(argc, argv, "s:n:")) > 0) {
		if (opt == 's')
			*seed = strtoull(optarg, NULL, 0);
		else if (opt == 'n')
			cases = atoi(optarg);
	}
	return cases;
}

/* From now on, the command writes to @out and @messages. */
static void redirect(void)
{
	report = dup(1);
	file = memfd_create("file", 0);
	out = memfd_create("out", MFD_CLOEXEC);
	messages = memfd_create("err", MFD_CLOEXEC);
	if (file < 0 || out < 0 || messages < 0 || dup2(out, 1) < 0 || dup2(messages, 2) < 0)
		die("files");
}

/* Read a file, with a NUL behind it. */
static void *load(const char *name, size_t *size)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	off_t end = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	char *at;

	if (end < 0)
		die(name);
	at = calloc(1, end + 1);
	if (!at || pread(fd, at, end, 0) != end)
		die(name);
	close(fd);
	*size = end;
	return at;
}

static void empty(int fd)
{
	if (ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET))
		die("truncate");
}

/* Write bytes to @file, and its name to @path. */
static void put_file(const void *bytes, size_t len, char path[32])
{
	scnprintf(path, 32, "/dev/fd/%d", file);
	empty(file);
	if (pwrite(file, bytes, len, 0) != (ssize_t)len)
		die("write");
}

/* Run the command; returns false if it fails.  Its outputs are in @out and @messages. */
static bool show_bytes(const struct format *format, const void *bytes, size_t len)
{
	struct options o = { .format = format };
	char path[32];
	bool ok;

	put_file(bytes, len, path);
	o.file = path;
	empty(out);
	empty(messages);
	ok = show_source(&o);
	fflush(stdout);
	return ok;
}

/* Has the command printed anything there? */
static bool has_output(int fd)
{
	return lseek(fd, 0, SEEK_END) > 0;
}

#endif /* _JTRACE_TOOL_ONBYTES_H */
