// SPDX-License-Identifier: GPL-2.0
/*
 * Stored images, and the text that each of them must always give.
 *
 * Usage: golden NAME.img...        compare with NAME.txt, print the result as TAP
 *        golden -p NAME.img        print the text
 */

#include <stdlib.h>
#include <sys/stat.h>

#include "../../lib/read/recover.h"
#include "../../lib/read/render.h"

/* Read a file of any size to aligned memory. */
static void *load(const char *path, u64 *len)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	void *at;

	/* Exactly as long as the file, so that a sanitizer sees the end. */
	if (!f || fstat(fileno(f), &st) || posix_memalign(&at, 64, st.st_size ?: 1) ||
	    fread(at, 1, st.st_size, f) != st.st_size) {
		perror(path);
		exit(1);
	}
	*len = st.st_size;
	fclose(f);
	return at;
}

static void print(const char *path, FILE *to)
{
	static char line[JTRACE_LINE_MAX];
	static struct jtrace_text text;
	struct jtrace_trace t;
	void *img, *room = NULL;
	u64 len;

	img = load(path, &len);
	jtrace_recover_open(&t, img, len);
	t.tell = JTRACE_TELL_BOOT;
	if (t.verdict != JTRACE_EMPTY && t.verdict != JTRACE_UNREADABLE) {
		room = malloc(jtrace_recover_room(&t));
		if (!room)
			exit(1);
		jtrace_recover_scan(&t, room);
	}
	jtrace_text_open(&text, &t, t.heap);
	while (jtrace_text_next(&text, line, sizeof(line)) >= 0)
		fprintf(to, "%s\n", line);
	free(room);
	free(img);
}

/* Print the first difference as a comment; false if there is none. */
static bool differ(const char *got, u64 got_len, const char *want, u64 want_len)
{
	u64 i, line = 1;

	for (i = 0; i < got_len && i < want_len && got[i] == want[i]; i++)
		line += got[i] == '\n';
	if (i == got_len && i == want_len)
		return false;
	printf("# line %llu differs, at byte %llu\n", (unsigned long long)line,
	       (unsigned long long)i);
	return true;
}

static bool check(const char *path)
{
	size_t got_len = 0, stem = strlen(path) - 4;
	char *got = NULL, *want, name[512];
	FILE *to = open_memstream(&got, &got_len);
	u64 want_len;
	bool bad;

	if (!to)
		exit(1);
	print(path, to);
	fclose(to);
	snprintf(name, sizeof(name), "%.*s.txt", (int)stem, path);
	want = load(name, &want_len);
	bad = differ(got, got_len, want, want_len);
	free(want);
	free(got);
	return !bad;
}

int main(int argc, char **argv)
{
	int i, failed = 0;

	if (argc == 3 && !strcmp(argv[1], "-p")) {
		print(argv[2], stdout);
		return 0;
	}
	printf("TAP version 13\n");
	for (i = 1; i < argc; i++) {
		const char *base = strrchr(argv[i], '/');
		bool ok = check(argv[i]);

		failed += !ok;
		printf("%s %d - golden %s\n", ok ? "ok" : "not ok", i, base ? base + 1 : argv[i]);
	}
	printf("1..%d\n", argc - 1);
	return failed || argc < 2;
}
