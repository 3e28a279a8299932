// SPDX-License-Identifier: GPL-2.0
/*
 * Write to the file event in ways that a shell cannot: exactly one write() a time.
 *
 *	writes once FILE TEXT
 *		one write; print what it returned, or the name of the error
 *	writes prefixes FILE LINE
 *		each part of a line from its begin, without its newline: print how many were
 *		refused, by EINVAL
 *	writes race FILE WRITERS NR
 *		so many processes write the same NR lines at the same time, each with a name and a
 *		field that no line before had: "nI vI=I"
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int open_file(const char *name)
{
	int fd = open(name, O_WRONLY);

	if (fd < 0) {
		perror(name);
		exit(1);
	}
	return fd;
}

static int once(int fd, const char *text)
{
	ssize_t n = write(fd, text, strlen(text));

	if (n < 0)
		printf("%s\n", errno == EINVAL ? "EINVAL" : strerror(errno));
	else
		printf("%zd\n", n);
	return 0;
}

static int prefixes(int fd, const char *line)
{
	size_t len = strlen(line), n, refused = 0;

	for (n = 1; n <= len; n++)
		refused += write(fd, line, n) < 0 && errno == EINVAL;
	printf("%zu of %zu\n", refused, len);
	return 0;
}

/* Write line after line, each as soon as the others may, too. */
static int write_all(int fd, int nr)
{
	char line[64];
	int i, len;

	for (i = 0; i < nr; i++) {
		len = snprintf(line, sizeof(line), "n%d v%d=%d\n", i, i, i);
		if (write(fd, line, len) != len)
			return 1;
	}
	return 0;
}

static int race(int fd, int writers, int nr)
{
	int i, status, bad = 0, start[2];
	char byte;

	if (pipe(start))
		return 1;
	for (i = 0; i < writers; i++) {
		if (fork())
			continue;
		close(start[1]);
		/* Ends when the parent has closed its end. */
		if (read(start[0], &byte, 1))
			_exit(1);
		_exit(write_all(fd, nr));
	}
	close(start[1]);
	while (wait(&status) > 0)
		bad |= status;
	return !!bad;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "once"))
		return once(open_file(argv[2]), argv[3]);
	if (argc == 4 && !strcmp(argv[1], "prefixes"))
		return prefixes(open_file(argv[2]), argv[3]);
	if (argc == 5 && !strcmp(argv[1], "race"))
		return race(open_file(argv[2]), atoi(argv[3]), atoi(argv[4]));
	fprintf(stderr, "usage: writes once|prefixes FILE TEXT, writes race FILE WRITERS NR\n");
	return 2;
}
