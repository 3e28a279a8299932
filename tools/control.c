// SPDX-License-Identifier: GPL-2.0
/* Verbs that write to the module: start, stop, clear, event. */

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>

#include "tool.h"

static bool write_one(const char *file, const char *text)
{
	int err;

	return live_write(file, text, &err) && (!err || fail("%s: %s", file, strerror(err)));
}

bool run_start(void)
{
	return write_one("enabled", "1");
}

bool run_stop(void)
{
	return write_one("enabled", "0");
}

bool run_clear(void)
{
	return write_one("clear", "1");
}

/* Print why the module refused @line, which is at @where. */
static bool fail_refused(const char *where, const char *line, int err)
{
	static const char refused[] = "# refused: ";
	char *text = NULL, *at;
	size_t len;
	FILE *to = open_memstream(&text, &len);
	bool ok = to && live_copy("events", to);

	ok = to && !fclose(to) && ok;
	at = ok && err == EINVAL ? strstr(text, refused) : NULL;
	if (at) {
		at[strcspn(at, "\n")] = 0;
		fail("%s%s", where, at + strlen(refused));
	} else {
		fail("%s%s: %s", where, line, strerror(err));
	}
	free(text);
	return false;
}

/* Turn events on or off, as the line says. */
static bool write_event(const char *where, const char *line)
{
	char *text = malloc(strlen(line) + 2);
	bool ok;
	int err;

	if (!text)
		return fail("no memory");
	sprintf(text, "%s\n", line);
	ok = live_write("events", text, &err);
	free(text);
	return ok && (!err || fail_refused(where, line, err));
}

/* Do what each line of a file says, up to the first error. */
static bool load_events(const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = NULL, where[4096];
	size_t size = 0;
	bool ok = true;
	u32 nr;

	if (!f)
		return fail("%s: %s", path, strerror(errno));
	for (nr = 1; ok && getline(&line, &size, f) >= 0; nr++) {
		line[strcspn(line, "\n")] = 0;
		scnprintf(where, sizeof(where), "%s:%u: ", path, nr);
		ok = write_event(where, line);
	}
	if (ferror(f))
		ok = fail("%s: %s", path, strerror(errno));
	free(line);
	fclose(f);
	return ok;
}

/**
 * run_event() - jtrace event [--list] [--load FILE] [LINE...]
 * @argc: from the verb on
 * @argv: same
 *
 * Return: false, after a message, on an error; the lines before it have taken effect.
 */
bool run_event(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "list", no_argument, NULL, 'l' },
		{ "load", required_argument, NULL, 'f' },
		{ 0 },
	};
	bool list = argc == 1, ok = true;
	int opt;

	optind = 0;
	argv[0] = program_invocation_short_name;
	/* "-": in the order of the command line. */
	while (ok && (opt = getopt_long(argc, argv, "-", longs, NULL)) != -1) {
		if (opt == 'l')
			list = true;
		else if (opt == 'f')
			ok = load_events(optarg);
		else if (opt == 1)
			ok = write_event("", optarg);
		else
			exit(2);
	}
	for (; ok && optind < argc; optind++)
		ok = write_event("", argv[optind]);
	return ok && (!list || live_copy("events", stdout));
}
