// SPDX-License-Identifier: GPL-2.0
/*
 * What an image holds, by the code that lays it out: prints rows.
 *
 * For two CPUs.  Volatile and persistent images of one size have one layout.
 */

#include <stdlib.h>

#include "../../lib/image.h"

#define CPUS	2

static void plan(struct jtrace_layout *l, u64 size, enum jtrace_kind kind)
{
	if (jtrace_layout_plan(l, size, 0, CPUS, kind) == JTRACE_ROOM_NONE) {
		fprintf(stderr, "memory: no layout for %llu bytes\n", (unsigned long long)size);
		exit(1);
	}
}

int main(void)
{
	static const struct {
		const char *name;
		enum jtrace_kind kind;
		u64 bytes;
	} kinds[] = {
		{ "large", JTRACE_KIND_LARGE, sizeof(struct jtrace_large_entry) },
		{ "small", JTRACE_KIND_SMALL, sizeof(struct jtrace_small_entry) },
	};
	static const struct {
		const char *name;
		u64 bytes;
	} sizes[] = {
		{ "4k", 4096 },
		{ "32k", 32768 },
		{ "1m", 1048576 },
	};
	struct jtrace_layout l;
	u32 k, s;

	for (k = 0; k < ARRAY_SIZE(kinds); k++)
		printf("memory.entry.%s\t%llu\tbytes\ta %s entry\n", kinds[k].name,
		       (unsigned long long)kinds[k].bytes, kinds[k].name);
	for (k = 0; k < ARRAY_SIZE(kinds); k++) {
		for (s = 0; s < ARRAY_SIZE(sizes); s++) {
			plan(&l, sizes[s].bytes, kinds[k].kind);
			printf("memory.entries.%s.%s\t%llu\tentries\tin %llu bytes for %u CPUs, volatile or persistent\n",
			       kinds[k].name, sizes[s].name,
			       (unsigned long long)jtrace_layout_entries(&l),
			       (unsigned long long)sizes[s].bytes, CPUS);
		}
	}
	/* The last size is 1 MiB. */
	for (k = 0; k < ARRAY_SIZE(kinds); k++) {
		plan(&l, sizes[s - 1].bytes, kinds[k].kind);
		printf("memory.share.%s\t%.2f\t%%\tof 1 MiB that is entries; the rest: headers, chunks, sites\n",
		       kinds[k].name,
		       100.0 * jtrace_layout_entries(&l) * kinds[k].bytes / sizes[s - 1].bytes);
	}
	return 0;
}
