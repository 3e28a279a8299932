// SPDX-License-Identifier: GPL-2.0
/* Lines for the files events and probes of the module. */

#include <errno.h>
#include <stdlib.h>

#include "../machine/machine.h"
#include "live.h"

/* Print why the module refused @line, which is at @where. */
static bool fail_refused(const char *file, const char *where, const char *line, int err)
{
	const char *refused = NULL;
	char key[64];

	scnprintf(key, sizeof(key), "%s_refused", file);
	if (err == EINVAL || err == EEXIST)
		refused = module_state(key);
	return refused ? fail("%s%s", where, refused) : fail("%s%s: %s", where, line, strerror(err));
}

/**
 * lines_write() - write a line to a file of the module
 * @file: its name
 * @where: prefix of messages: where @line comes from
 * @line: without newline
 * @again: pass over a line that the module refuses because it holds already
 *
 * Return: false, after a message, if the module refuses it.
 */
bool lines_write(const char *file, const char *where, const char *line, bool again)
{
	char *text = malloc(strlen(line) + 2);
	bool ok;
	int err;

	if (!text)
		return fail("no memory");
	sprintf(text, "%s\n", line);
	ok = live_write(file, text, &err);
	free(text);
	if (ok && again && err == EEXIST)
		return true;
	return ok && (!err || fail_refused(file, where, line, err));
}

/**
 * lines_load() - do what each line of a file says, up to the first error
 * @path: of the file
 * @take: does what a line says; gets a prefix for messages, and the line without newline
 *
 * Return: false, after a message, on an error.
 */
bool lines_load(const char *path, bool (*take)(const char *where, const char *line))
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
		ok = take(where, line);
	}
	if (ferror(f))
		ok = fail("%s: %s", path, strerror(errno));
	free(line);
	fclose(f);
	return ok;
}
