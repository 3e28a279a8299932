// SPDX-License-Identifier: GPL-2.0
/*
 * Print rows: the entries of an image for two CPUs, by the code that lays it out.
 * Volatile and persistent images of one size have one layout.
 */

#include <stdlib.h>

#include "../../lib/image/image.h"

#define CPUS	2

static unsigned long long count_entries(u64 size, enum jtrace_kind kind)
{
	struct jtrace_layout l;

	if (jtrace_layout_plan(&l, size, 0, CPUS, kind) == JTRACE_FIT_NONE) {
		fprintf(stderr, "memory: no layout for %llu bytes\n", (unsigned long long)size);
		exit(1);
	}
	return jtrace_layout_entries(&l);
}

static void print_rows(const char *name, enum jtrace_kind kind, unsigned int bytes)
{
	static const struct {
		const char *name;
		u32 bytes;
	} sizes[] = { { "4k", 0x1000 }, { "32k", 0x8000 }, { "1m", 0x100000 } };
	u32 i;

	printf("memory.entry.%s\t%u\tbytes\ta %s entry\n", name, bytes, name);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		printf("memory.entries.%s.%s\t%llu\tentries\tin %u bytes for %u CPUs, without a kernel log\n",
		       name, sizes[i].name, count_entries(sizes[i].bytes, kind), sizes[i].bytes,
		       CPUS);
	printf("memory.share.%s\t%.2f\t%%\tof 1 MiB that is entries; the rest: headers, chunks, sites\n",
	       name, 100.0 * count_entries(0x100000, kind) * bytes / 0x100000);
}

int main(void)
{
	print_rows("large", JTRACE_KIND_LARGE, sizeof(struct jtrace_large_entry));
	print_rows("small", JTRACE_KIND_SMALL, sizeof(struct jtrace_small_entry));
	return 0;
}
