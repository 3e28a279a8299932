// SPDX-License-Identifier: GPL-2.0
/*
 * Measure how many call sites fit in a buffer, and compare with a document.
 *
 * Usage: capacity DOCUMENT
 *
 * The buffer's size follows a figure there: "50<!-- sites 32768 -->".  The figure must not be
 * larger than the capacity on any machine, and not much smaller.
 */
#include <stdlib.h>

#include "../../lib/image/site.h"

static u32 nr, bad;

/* Sites of usual length that fit in a buffer on a machine. */
static u32 measure(u64 size, u32 cpus, enum jtrace_kind kind)
{
	struct jtrace_sites s = { 0 };
	struct jtrace_layout l;
	char tag[32];
	u8 *img, *room;
	u32 n = 0;

	if (jtrace_layout_plan(&l, size, 0, cpus, kind) == JTRACE_FIT_NONE)
		return 0;
	img = calloc(1, l.size);
	room = calloc(1, jtrace_sites_room(&l, 0));
	if (img && room) {
		jtrace_sites_init(&s, &l, img, 1, room, 0, false);
		do {
			snprintf(tag, sizeof(tag), "irq (status %05u)", n++);
		} while (jtrace_site_stored(&s, jtrace_site_intern(&s, tag, "my_driver.c",
								   "my_driver_interrupt", n,
								   JTRACE_SITE_CALL, 0)));
		n--;
	}
	free(room);
	free(img);
	return n;
}

static void judge(u64 size, u32 told)
{
	u32 kind, cpus, n, least = ~0U;

	for (kind = JTRACE_KIND_SMALL; kind <= JTRACE_KIND_LARGE; kind++) {
		for (cpus = 1; cpus <= 16; cpus++) {
			n = measure(size, cpus, kind);
			if (n && n < least)
				least = n;
		}
	}
	nr++;
	if (told > least || told < least - least / 8) {
		bad++;
		printf("not ");
	}
	printf("ok %u - capacity: %llu bytes: %u call sites, the document says %u\n", nr,
	       (unsigned long long)size, least, told);
}

int main(int argc, char **argv)
{
	static const char mark[] = "<!-- sites ";
	char line[1024], *at, *from;
	FILE *in = argc == 2 ? fopen(argv[1], "r") : NULL;
	u32 told;

	if (!in) {
		fprintf(stderr, "usage: capacity DOCUMENT\n");
		return 2;
	}
	while (fgets(line, sizeof(line), in)) {
		for (at = line; (at = strstr(at, mark)); at++) {
			told = 0;
			for (from = at; from > line && strchr("0123456789,", from[-1]); from--)
				;
			for (; from < at; from++)
				if (*from != ',')
					told = 10 * told + (*from - '0');
			judge(strtoull(at + strlen(mark), NULL, 10), told);
		}
	}
	fclose(in);
	printf("1..%u\n", nr);
	return bad || nr < 5;
}
