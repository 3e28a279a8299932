// SPDX-License-Identifier: GPL-2.0
/*
 * poke - random operations on the files of jtrace
 *
 * Usage: poke DIR PARAMETERS SECONDS SEED      DIR and PARAMETERS: of the files
 *        poke text SEED                        a text for a parameter, to stdout
 * Exit: 0 no fault, 1 a fault, after a line that describes it, 2 usage.
 *
 * The files enabled and clear accept documented values, refuse all others, and show accepted
 * values.  A snapshot reads the same from any offset.  No other program may write meanwhile.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "../kunit/random.h"

/* What a text may mean to a switch, beside 0 and 1. */
enum {
	REFUSED = 2,
};

static __u64 rnd;
static unsigned long done;
static bool freed;

/* So many operations, however slow the machine is. */
#define LEAST	200

static const char *dir;

static unsigned int below(unsigned int n)
{
	return random_below(&rnd, n);
}

#define must(cond, ...)							\
do {									\
	done++;								\
	if (!(cond)) {							\
		fprintf(stderr, "poke: %s: ", #cond);			\
		fprintf(stderr, __VA_ARGS__);				\
		fprintf(stderr, ": errno %d\n", errno);			\
		exit(1);						\
	}								\
} while (0)

static int try_open(const char *name, int flags)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	errno = 0;
	return open(path, flags | O_CLOEXEC);
}

static int must_open(const char *name, int flags)
{
	int fd = try_open(name, flags);

	must(fd >= 0, "%s", name);
	return fd;
}

/* Where nothing is. */
static void *nowhere(void)
{
	return (void *)(1UL + below(4000));
}

/* ---- What is written -------------------------------------------------- */

static char text[8192];

/* Into @text: its length. */
static size_t make_text(void)
{
	static const char * const likely[] = {
		"0", "1", "y", "n", "Y", "N", "on", "off", "oN", "OFF", "1\n", "0\n", "t", "f",
		"", "\n", "2", "o", "of", "no", "Yes\n", "true", "FALSE", "onn", "10", "1\n\n", "-1", " 1", "yes", "persistent", "ticks", "wb", "4096",
		"0x100", "18446744073709551616", "1G", "%s%n", "\xff", "\0",
	};
	size_t len = below(4) ? below(6) : below(sizeof(text)), i;

	if (below(2)) {
		len = strlen(likely[below(sizeof(likely) / sizeof(*likely))]);
		/* Drawn a second time: mostly that of another length, cut or with rubbish. */
		strcpy(text, likely[below(sizeof(likely) / sizeof(*likely))]);
		return len;
	}
	for (i = 0; i < len; i++)
		text[i] = below(3) ? (char)below(256) : "01ynoNfF\n"[below(9)];
	return len;
}

/* A whole word, in any case of letters, with or without newline: 0, 1, or refused. */
static int meaning(const char *from, size_t len)
{
	static const char * const words[] = {
		"n", "y", "no", "yes", "off", "on", "0", "1", "false", "true",
	};
	size_t i;

	if (len && from[len - 1] == '\n')
		len--;
	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (len == strlen(words[i]) && !strncasecmp(from, words[i], len))
			return i % 2;
	return REFUSED;
}

static int enabled;

/* What it says; it must be @enabled. */
static void check_enabled(void)
{
	char got[8];
	int fd = must_open("enabled", O_RDONLY);

	must(read(fd, got, sizeof(got)) == 2 && (got[0] == '0' || got[0] == '1') && got[1] == '\n',
	     "enabled");
	must(got[0] == '0' + enabled, "enabled is %c, should be %d", got[0], enabled);
	close(fd);
}

static void poke_switch(const char *name)
{
	bool is_enabled = !strcmp(name, "enabled");
	int fd = must_open(name, below(4) ? O_WRONLY : O_RDWR), want;
	size_t len = make_text();
	struct iovec part = { text, 0 };
	ssize_t n;

	want = meaning(text, len);
	errno = 0;
	switch (below(6)) {
	case 0:
		n = pwrite(fd, text, len, below(100000));
		break;
	case 1:
		must(len == 0 || (write(fd, nowhere(), len) < 0 && errno == EFAULT), "%s", name);
		close(fd);
		return;
	case 2:
		/* Nothing in pieces is nothing to the kernel, too. */
		len = len < 2 ? 2 : len & ~1UL;
		part.iov_len = len;
		want = meaning(text, len);
		n = writev(fd, &part, 1);
		break;
	default:
		n = write(fd, text, len);
	}
	if (want < REFUSED)
		must(n == (ssize_t)len, "%s: %zu bytes: %.5s: %zd", name, len, text, n);
	else
		must(n < 0 && errno == EINVAL, "%s: %zu bytes: %.5s: %zd", name, len, text, n);
	if (is_enabled && n >= 0)
		enabled = want;
	freed |= !strcmp(name, "free_recovered") && n >= 0 && want == 1;
	check_enabled();
	close(fd);
}

/* ---- What is read ----------------------------------------------------- */

#define MOST_BYTES	(4 << 20)

static char whole[MOST_BYTES], piece[MOST_BYTES];

static long long wild(void)
{
	static const long long offsets[] = {
		0, 1, -1, 4095, 4096, 65536, INT_MAX, UINT_MAX, LLONG_MAX, LLONG_MIN, -4096,
		LLONG_MAX - 4095,
	};

	return offsets[below(sizeof(offsets) / sizeof(*offsets))] + (int)below(3) - 1;
}

static void seek_and_read(int fd, const char *name)
{
	off_t at = below(2) ? wild() : below(100000), got;
	size_t len = below(8) ? below(20000) : MOST_BYTES;
	ssize_t n;

	got = lseek(fd, at, below(3));
	must(got >= 0 || errno, "%s", name);
	n = read(fd, piece, len);
	must(n >= -1 && n <= (ssize_t)len, "%s: read %zd of %zu", name, n, len);
	n = read(fd, nowhere(), len);
	must(n <= 0, "%s: read to nowhere: %zd", name, n);
}

/* A file that does not change while it is open. */
static void poke_snapshot(const char *name)
{
	int fd = must_open(name, O_RDONLY), i;
	size_t size = 0, at, len;
	ssize_t n;

	while ((n = read(fd, whole + size, 1 + below(60000))) > 0) {
		size += n;
		must(size < MOST_BYTES - 65536, "%s: endless", name);
	}
	must(!n, "%s: read", name);
	/* Time for events that must not show up in what was taken before. */
	usleep(below(2) ? 3000 : 0);
	for (i = 0; i < 8; i++) {
		at = below(size + 10);
		len = below(4) ? below(3000) : below(100000);
		n = pread(fd, piece, len, at);
		must(n >= 0 && (at >= size ? !n : n <= (ssize_t)(size - at)), "%s: %zd at %zu",
		     name, n, at);
		must(!n || !memcmp(piece, whole + at, n), "%s: other bytes at %zu", name, at);
	}
	seek_and_read(fd, name);
	close(fd);
}

static void poke_any(const char *name)
{
	int fd = try_open(name, below(2) ? O_RDONLY : O_RDWR);
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT };
	bool to_write = !strcmp(name, "enabled") || !strcmp(name, "clear") ||
			!strcmp(name, "free_recovered") || !strcmp(name, "marker") ||
			!strcmp(name, "event");
	void *at;

	if (fd < 0)
		return;
	seek_and_read(fd, name);
	must(ioctl(fd, below(UINT_MAX), piece) < 0, "%s: ioctl", name);
	at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	must(at == MAP_FAILED, "%s: mmap", name);
	must(poll(&p, 1, 0) >= 0, "%s: poll", name);
	if (!to_write)
		must(write(fd, text, 1) < 0, "%s: written to", name);
	close(fd);
}

/* Lines of users: any bytes, some near what is valid, at some address. */
static void poke_lines(const char *name)
{
	static const char * const parts[] = {
		"a", "b", " ", "\t", "=", ":u32", ":string", "1", "-2", "0x", "\"c\"", "'", "\\", "\n", "\n",
	};
	int fd = must_open(name, O_WRONLY);
	size_t len = 0, most = below(600);
	const char *part;
	ssize_t n;

	while (len < most) {
		part = parts[below(sizeof(parts) / sizeof(*parts))];
		if (below(8))
			len += sprintf(text + len, "%s", part);
		else
			text[len++] = below(256);
	}
	n = below(8) ? write(fd, text, len) : write(fd, nowhere(), len);
	must(n <= (ssize_t)len, "%s: %zd of %zu bytes", name, n, len);
	must(n <= 0 || text[n - 1] == '\n' || strcmp(name, "event"), "%s: %zd of %zu: within a line",
	     name, n, len);
	must(n >= 0 || errno == EINVAL || errno == EFAULT || errno == ENOSPC, "%s: %s", name,
	     strerror(errno));
	close(fd);
}

/* Parameters say what was given, and cannot be changed. */
static void poke_parameters(const char *path)
{
	const char *was = dir;
	struct dirent *e;
	DIR *d = opendir(path);
	int fd;

	must(d, "%s", path);
	dir = path;
	while ((e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		must(try_open(e->d_name, O_WRONLY) < 0, "%s: opened to write", e->d_name);
		fd = must_open(e->d_name, O_RDONLY);
		seek_and_read(fd, e->d_name);
		must(pwrite(fd, text, make_text(), 0) < 0, "%s: written to", e->d_name);
		close(fd);
	}
	closedir(d);
	dir = was;
}

static void poke(const char *parameters)
{
	static const char * const names[] = {
		"trace", "trace_raw", "recovered", "recovered_raw", "recovered_log", "config",
		"stats", "state", "last_boot_info", "enabled", "clear", "free_recovered", "marker",
		"event",
	};
	const char *name;

	switch (below(8)) {
	case 0:
		name = names[below(4)];
		if (!freed || strncmp(name, "recovered", 9))
			poke_snapshot(name);
		else
			must(try_open(name, O_RDONLY) < 0 && errno == ENODATA, "%s", name);
		break;
	case 1:
		poke_any(names[below(sizeof(names) / sizeof(*names))]);
		break;
	case 2:
		if (!below(16))
			poke_parameters(parameters);
		else
			poke_lines(below(4) ? "event" : "marker");
		break;
	case 3:
		/* Seldom, for what was recovered is there but once. */
		poke_switch(below(16) ? "clear" : "free_recovered");
		break;
	default:
		poke_switch("enabled");
	}
}

int main(int argc, char **argv)
{
	time_t end;

	if (argc == 3 && !strcmp(argv[1], "text")) {
		rnd = strtoull(argv[2], NULL, 0);
		fwrite(text, 1, make_text(), stdout);
		return 0;
	}
	if (argc != 5) {
		fprintf(stderr, "usage: poke DIR PARAMETERS SECONDS SEED\n");
		return 2;
	}
	dir = argv[1];
	rnd = strtoull(argv[4], NULL, 0);
	end = time(NULL) + atoi(argv[3]);
	enabled = 1;
	check_enabled();
	while (time(NULL) < end || done < LEAST)
		poke(argv[2]);
	printf("%lu\n", done);
	return 0;
}
