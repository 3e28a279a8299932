// SPDX-License-Identifier: GPL-2.0
/*
 * replay - run a target on files and directories, without libFuzzer
 *
 * Usage: replay FILE|DIR...
 * Exit: 0 all were run, 1 a file could not be read, or there was none.  A property that does not
 * hold ends it by a signal, after the name of the file.
 */

#include <dirent.h>
#include <signal.h>
#include <unistd.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "fuzz.h"

/* Not all targets define it. */
#pragma weak LLVMFuzzerInitialize

static u8 data[MOST_INPUT + 1];
static unsigned long files;
static const char *running;

static void died(int sig)
{
	dprintf(2, "replay: %s: signal %d\n", running, sig);
	signal(sig, SIG_DFL);
	raise(sig);
}

static bool replay_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	u8 *exact;
	size_t len;

	if (!f) {
		perror(path);
		return false;
	}
	len = fread(data, 1, sizeof(data), f);
	fclose(f);
	exact = malloc(len ?: 1);
	must(exact, "no memory");
	memcpy(exact, data, len);
	running = path;
	/* scripts/i386: some ten times as slow as a processor. */
	alarm(getenv("EMULATED") ? 200 : 20);
	LLVMFuzzerTestOneInput(exact, len);
	free(exact);
	files++;
	return true;
}

static bool replay(const char *path)
{
	struct dirent **names;
	char name[4096];
	struct stat st;
	bool ok = true;
	int i, nr;

	if (stat(path, &st)) {
		perror(path);
		return false;
	}
	if (!S_ISDIR(st.st_mode))
		return replay_file(path);
	nr = scandir(path, &names, NULL, alphasort);
	for (i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "%s/%s", path, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			ok &= replay_file(name);
		free(names[i]);
	}
	if (nr >= 0)
		free(names);
	return ok && nr >= 0;
}

int main(int argc, char **argv)
{
	/* A header may give a size of 4 GiB. */
	const struct rlimit most = { 512 << 20, 512 << 20 };
	bool ok = true;
	int i;

	if (argc < 2) {
		fprintf(stderr, "usage: replay FILE|DIR...\n");
		return 2;
	}
	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	if (sizeof(long) == 4)
		setrlimit(RLIMIT_AS, &most);
	signal(SIGABRT, died);
	signal(SIGALRM, died);
	for (i = 1; i < argc; i++)
		ok &= replay(argv[i]);
	printf("replayed %lu\n", files);
	return !ok || !files;
}
