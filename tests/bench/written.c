// SPDX-License-Identifier: GPL-2.0
/*
 * Count the instructions of a write() of a user to a file: see exact.c, which has the method.
 *
 * Usage: written FILE LINE WRITES
 *
 * Prints "WRITES TOTAL MODE": so many writes took TOTAL instructions; of them, most took MODE.
 * Interrupts in between count in TOTAL.
 */

#define _GNU_SOURCE

#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <x86intrin.h>

#define BINS	65536

static unsigned int bin[BINS];

/* Ticks of a call; without @fd, of the measurement. */
static unsigned long long ticks(int fd, const char *line, size_t len)
{
	unsigned long long from = __rdtsc();

	if (fd >= 0 && write(fd, line, len) != (ssize_t)len)
		err(1, "write: %s", line);
	return __rdtsc() - from;
}

int main(int argc, char **argv)
{
	unsigned long long total = 0, mode = 0, writes, i, n;
	char line[256];
	size_t len;
	int fd;

	if (argc != 4)
		errx(2, "usage: written FILE LINE WRITES");
	fd = open(argv[1], O_WRONLY);
	if (fd < 0)
		err(1, "%s", argv[1]);
	len = snprintf(line, sizeof(line), "%s\n", argv[2]);
	writes = strtoull(argv[3], NULL, 10);
	for (i = 0; i < writes / 4; i++)
		ticks(fd, line, len);
	for (i = 0; i < writes; i++) {
		n = ticks(fd, line, len) - ticks(-1, line, len);
		total += n;
		bin[n < BINS ? n : 0]++;
	}
	for (i = 1; i < BINS; i++)
		if (bin[i] > bin[mode])
			mode = i;
	printf("%llu %llu %llu\n", writes, total, mode);
	return 0;
}
