// SPDX-License-Identifier: GPL-2.0
/*
 * show - the text of an image, as the module shows what it recovered
 *
 * Usage: show IMAGE
 * Exit: 0 shown, 1 not, 2 usage.
 *
 * IMAGE is the whole region.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../lib/read/render.h"

#define MOST_BYTES	(64UL << 20)

int main(int argc, char **argv)
{
	static char line[JTRACE_LINE_MAX];
	static struct jtrace_text text;
	struct jtrace_trace t;
	void *img, *room;
	size_t len;
	FILE *f;

	if (argc != 2) {
		fprintf(stderr, "usage: show IMAGE\n");
		return 2;
	}
	f = fopen(argv[1], "rb");
	/* At an end of its own, so that a byte too much is noticed. */
	if (!f || fseek(f, 0, SEEK_END) || ftell(f) < 0 || ftell(f) > MOST_BYTES) {
		perror(argv[1]);
		return 1;
	}
	len = ftell(f);
	rewind(f);
	img = aligned_alloc(JTRACE_PAGE, ALIGN(len, JTRACE_PAGE));
	if (!img || fread(img, 1, len, f) != len) {
		perror(argv[1]);
		return 1;
	}
	fclose(f);

	jtrace_recover_open(&t, img, len);
	t.tell = JTRACE_TELL_BOOT | JTRACE_TELL_NOT_CLEAN | JTRACE_TELL_OVER;
	jtrace_log_count(&t);
	room = malloc(jtrace_recover_room(&t) + 1);
	if (!room) {
		perror("show");
		return 1;
	}
	jtrace_recover_scan(&t, room);
	jtrace_text_open(&text, &t, t.heap);
	while (jtrace_text_next(&text, line, sizeof(line)) >= 0)
		puts(line);
	free(room);
	free(img);
	return 0;
}
