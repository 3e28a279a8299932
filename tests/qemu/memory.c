// SPDX-License-Identifier: GPL-2.0
/*
 * memory ADDRESS - put standard input there, into memory that is reserved
 *
 * By mmap(), as there are kernels whose /dev/mem cannot be written where the kernel has
 * mapped nothing; and by words, as they map it like a device.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PIECE	65536

static int fail(const char *what)
{
	fprintf(stderr, "memory: %s: %s\n", what, strerror(errno));
	return 1;
}

/* As much as fits, but at the end. */
static size_t fill(unsigned long *piece)
{
	size_t len = 0;
	ssize_t n;

	memset(piece, 0, PIECE);
	do {
		n = read(STDIN_FILENO, (char *)piece + len, PIECE - len);
		len += n > 0 ? n : 0;
	} while (n > 0 && len < PIECE);
	return len;
}

int main(int argc, char **argv)
{
	static unsigned long piece[PIECE / sizeof(long)], *to;
	off_t at;
	size_t len, i;
	int fd;

	if (argc != 2) {
		fprintf(stderr, "usage: memory ADDRESS\n");
		return 2;
	}
	at = strtoull(argv[1], NULL, 0);
	fd = open("/dev/mem", O_RDWR | O_SYNC);
	if (fd < 0)
		return fail("/dev/mem");
	while ((len = fill(piece)) > 0) {
		to = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
		if (to == MAP_FAILED)
			return fail(argv[1]);
		for (i = 0; i * sizeof(*to) < len; i++)
			__atomic_store_n(&to[i], piece[i], __ATOMIC_RELAXED);
		munmap(to, PIECE);
		at += PIECE;
	}
	return 0;
}
