// SPDX-License-Identifier: GPL-2.0
/*
 * jtrace(1) on an image that is cut at every length, and randomly damaged: it must show a trace or
 * say why not.
 *
 * Usage: mutate [-s SEED] [-n CASES] IMAGE
 *
 * The command is compiled into this file, so that thousands of files take seconds.  Half of the
 * damage gets right check values again, as only a malicious writer could make them.
 */

#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>

#include "../damage.h"

static u8 *good;
static u32 size;
static int file, out, messages;
static int report;

static void die(const char *what)
{
	dprintf(report, "mutate: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void empty(int fd)
{
	if (ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET))
		die("truncate");
}

/* Run the command on @bytes; false if it prints neither a trace nor an error. */
static bool try(bool json)
{
	struct options o = { .format = &formats[json] };
	char path[32];
	bool ok;

	scnprintf(path, sizeof(path), "/dev/fd/%d", file);
	o.file = path;
	empty(file);
	empty(out);
	empty(messages);
	if (pwrite(file, bytes, len, 0) != (ssize_t)len)
		die("write");
	ok = show_source(&o);
	fflush(stdout);
	return lseek(ok ? out : messages, 0, SEEK_END) > 0;
}

/* ---- damage ----------------------------------------------------------- */

static void damage(void)
{
	u32 n = 1 + below(3);

	memcpy(bytes, good, size);
	len = size;
	while (n-- && len > HEADER_SIZE)
		damage_ways[below(ARRAY_SIZE(damage_ways))]();
	if (below(2))
		sign_all();
}

/* ---- tests ------------------------------------------------------------ */

static u32 test_lengths(void)
{
	u32 bad = 0;

	memcpy(bytes, good, size);
	for (len = 0; len <= size; len++)
		bad += !try(len & 1);
	return bad;
}

static u32 test_damage(u32 cases)
{
	u32 bad = 0, i;

	for (i = 0; i < cases; i++) {
		damage();
		bad += !try(i & 1);
	}
	return bad;
}

/* A file that is truncated while it is read. */
static bool test_shrinks(void)
{
	struct parts f = { 0 };
	struct source s;
	char path[32];
	bool ok;

	scnprintf(path, sizeof(path), "/dev/fd/%d", file);
	empty(file);
	if (pwrite(file, good, size, 0) != (ssize_t)size)
		die("write");
	ok = source_open(&s, path);
	if (ftruncate(file, size / 2))
		die("truncate");
	ok = ok && !scan(&s, &f);
	parts_free(&f);
	source_close(&s);
	return ok;
}

static void load(const char *name)
{
	int fd = open(name, O_RDONLY);

	size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	good = malloc(size + 1);
	bytes = malloc(size + 1);
	if (!good || !bytes || fd < 0 || pread(fd, good, size, 0) != (ssize_t)size)
		die(name);
	close(fd);
}

static void redirect(void)
{
	report = dup(1);
	file = memfd_create("file", 0);
	out = memfd_create("out", MFD_CLOEXEC);
	messages = memfd_create("err", MFD_CLOEXEC);
	if (file < 0 || out < 0 || messages < 0 || dup2(out, 1) < 0 || dup2(messages, 2) < 0)
		die("files");
}

int main(int argc, char **argv)
{
	u32 cases = 1000, bad, all = 0;
	int opt;

	rnd = time(NULL);
	while ((opt = getopt(argc, argv, "s:n:")) > 0) {
		if (opt == 's')
			rnd = strtoull(optarg, NULL, 0);
		else if (opt == 'n')
			cases = atoi(optarg);
	}
	redirect();
	load(optind < argc ? argv[optind] : "");
	dprintf(report, "# seed %llu\n", (unsigned long long)rnd);
	bad = !test_shrinks();
	dprintf(report, "%s - a file that shrinks\n", bad ? "not ok" : "ok");
	all += bad;
	bad = test_lengths();
	dprintf(report, "%s - each of %u lengths\n", bad ? "not ok" : "ok", size + 1);
	all += bad;
	bad = test_damage(cases);
	dprintf(report, "%s - damaged in %u ways\n", bad ? "not ok" : "ok", cases);
	return all + bad != 0;
}
