// SPDX-License-Identifier: GPL-2.0
/*
 * failing - do something again and again, each time with another allocation failing
 *
 * Usage: failing load MODULE.ko PARAMETERS     and unload it when that succeeds
 *        failing read FILE                     open, read to the end, close
 *        failing write FILE LINE               open, append the line, close
 *
 * Needs a kernel with CONFIG_FAULT_INJECTION whose failslab and fail_page_alloc may
 * fail all; see Documentation/fault-injection.  Exit: 0 when it has come to the end,
 * that is when nothing was left to fail, 1 otherwise, 2 usage.
 *
 * Prints how often it was done, and how often it failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST	5000

static int nth;

/* Let the n-th allocation of this thread fail. */
static void arm(int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", n);

	if (pwrite(nth, text, len, 0) != len) {
		perror("fail-nth");
		exit(1);
	}
}

/* Has it? */
static int fired(void)
{
	char text[16] = "";

	if (pread(nth, text, sizeof(text) - 1, 0) <= 0) {
		perror("fail-nth");
		exit(1);
	}
	return atoi(text) == 0;
}

/* A module is called as its file, without the suffix. */
static int unload(const char *file)
{
	const char *slash = strrchr(file, '/');
	char name[64];

	snprintf(name, sizeof(name), "%s", slash ? slash + 1 : file);
	name[strcspn(name, ".")] = 0;
	return syscall(SYS_delete_module, name, 0);
}

static int load(const char *file, const char *params, int n)
{
	int fd = open(file, O_RDONLY), err, hit;

	arm(n);
	err = syscall(SYS_finit_module, fd, params, 0) ? errno : 0;
	hit = fired();
	arm(0);
	close(fd);
	if (!err && unload(file)) {
		perror("delete_module");
		exit(1);
	}
	if (err && (!hit || err == EEXIST)) {
		fprintf(stderr, "not loaded: %s\n", strerror(err));
		exit(1);
	}
	return hit ? !err : -1;
}

static int read_all(const char *file, int n)
{
	char buf[4096];
	ssize_t len = -1;
	int fd, hit;

	arm(n);
	fd = open(file, O_RDONLY);
	while (fd >= 0 && (len = read(fd, buf, sizeof(buf))) > 0)
		;
	if (fd >= 0)
		close(fd);
	hit = fired();
	arm(0);
	if (len && !hit) {
		fprintf(stderr, "%s: cannot read\n", file);
		exit(1);
	}
	return hit ? !len : -1;
}

static int write_line(const char *file, const char *line, int n)
{
	ssize_t len = -1;
	int fd, hit;

	arm(n);
	fd = open(file, O_WRONLY | O_APPEND);
	if (fd >= 0) {
		len = write(fd, line, strlen(line));
		close(fd);
	}
	hit = fired();
	arm(0);
	if (len < 0 && !hit) {
		fprintf(stderr, "%s: cannot write\n", file);
		exit(1);
	}
	return hit ? len >= 0 : -1;
}

/* Do it, with the n-th allocation failing: 1 if it succeeds, 0 if it fails, -1 if none was left. */
static int once(int argc, char **argv, int n)
{
	if (argc == 3)
		return read_all(argv[2], n);
	if (!strcmp(argv[1], "load"))
		return load(argv[2], argv[3], n);
	return write_line(argv[2], argv[3], n);
}

int main(int argc, char **argv)
{
	int n, failed = 0, result = 0;

	if (!(argc == 3 && !strcmp(argv[1], "read")) &&
	    !(argc == 4 && (!strcmp(argv[1], "load") || !strcmp(argv[1], "write")))) {
		fprintf(stderr, "usage: failing load MODULE.ko PARAMETERS | failing read FILE | failing write FILE LINE\n");
		return 2;
	}
	nth = open("/proc/thread-self/fail-nth", O_RDWR);
	if (nth < 0) {
		perror("/proc/thread-self/fail-nth");
		return 1;
	}
	for (n = 1; n <= MOST && result >= 0; n++) {
		result = once(argc, argv, n);
		failed += !result;
	}
	printf("%d times, %d failed\n", n - 1, failed);
	return result >= 0;
}
