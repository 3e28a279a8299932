// SPDX-License-Identifier: GPL-2.0
/*
 * Find the data of a page, as jtrace writes it: nothing in it ends it, or acts on the text around.
 *
 * Knows nothing about images.  tests/tool/html_same compares each field.
 */

#include "fuzz.h"

#define DATA	"<script type=\"application/json\" id=\"data\">\n"
#define ROWS	",\n\"rows\":[\n"

/**
 * page_check() - check a page
 * @t: its file
 *
 * Return: number of events.
 */
u64 page_check(struct exported *t)
{
	const char *p, *end, *rows = NULL;
	u64 nr = 0;

	must(t->nr == 1 && !memchr(t->file[0].data, 0, t->file[0].len), "NUL");
	p = strstr((char *)t->file[0].data, DATA);
	must(p, "no data");
	p += strlen(DATA);
	end = strstr(p, "\n]}\n</script>");
	must(end, "no end of the data");
	for (; p < end; p++) {
		must((u8)*p >= 0x20 || *p == '\n', "byte 0x%02x", (u8)*p);
		must(*p != '<' && *p != 0x7f, "byte 0x%02x", (u8)*p);
		if (!strncmp(p, ROWS, strlen(ROWS)))
			rows = p;
		nr += rows && *p == '\n' && p[1] == '[';
	}
	must(rows, "no rows");
	return nr;
}
