// SPDX-License-Identifier: GPL-2.0
/* Where the archive keeps traces. */

#include <stdlib.h>

#include "machine.h"

/**
 * archive_number() - read the number of a trace in the archive
 * @dir: its directory, with JTRACE_ROOT
 *
 * Return: 0 if it has none.
 */
u64 archive_number(const char *dir)
{
	char path[4096], text[32] = "";
	FILE *f;

	scnprintf(path, sizeof(path), "%s/" ARCHIVE_NUMBER, dir);
	f = fopen(path, "re");
	if (f && !fgets(text, sizeof(text), f))
		text[0] = 0;
	if (f)
		fclose(f);
	return strtoull(text, NULL, 10);
}
