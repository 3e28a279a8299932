// SPDX-License-Identifier: GPL-2.0
/* The runs of the stress program, fixed and random ones, and the images that it leaves. */

#include <stdlib.h>

#include "stress.h"

#define SMALL	JTRACE_KIND_SMALL
#define LARGE	JTRACE_KIND_LARGE

static const struct config configs[] = {
	/* threads, kind, chunks, shift, keep, clear, model, overflow */
	{ 2, LARGE, 4, 7, false, false, false, false },
	{ 2, LARGE, 6, 7, true, false, true, false },
	{ 2, SMALL, 6, 7, true, false, false, true },
	{ 3, LARGE, 8, 8, true, false, true, false },
	{ 3, SMALL, 8, 9, true, false, false, false },
	{ 3, SMALL, 5, 8, false, false, true, true },
	{ 4, LARGE, 10, 7, true, false, false, false },
	{ 4, SMALL, 10, 8, true, false, true, false },
	{ 4, LARGE, 16, 9, true, false, false, true },
	{ 4, LARGE, 6, 10, false, false, true, false },
	{ 4, SMALL, 64, 10, true, false, false, false },
	{ 4, LARGE, 64, 12, true, false, true, true },
	{ 3, LARGE, 512, 7, true, false, false, false },
	{ 2, SMALL, 300, 11, true, false, true, false },
	{ 2, LARGE, 6, 8, true, true, false, true },
	{ 4, SMALL, 16, 9, true, true, true, false },
	{ 4, LARGE, 64, 10, true, true, false, false },
	{ 3, SMALL, 128, 7, false, true, true, true },
};

/* A random one that works: each thread has a free chunk beside those it may keep. */
static struct config any(u64 *rnd)
{
	struct config c = {
		.threads = 1 + random_below(rnd, MAX_THREADS),
		.kind = random_below(rnd, 2) ? SMALL : LARGE,
		.shift = JTRACE_MIN_CHUNK_SHIFT +
			 random_below(rnd, JTRACE_MAX_CHUNK_SHIFT - JTRACE_MIN_CHUNK_SHIFT + 1),
		.keep = random_below(rnd, 2),
		.clear = !random_below(rnd, 4),
		.model = random_below(rnd, 2),
		.overflow = random_below(rnd, 2),
	};

	c.chunks = c.threads * (c.keep ? 2 : 1) + 1 +
		   random_below(rnd, random_below(rnd, 3) ? 8 : 400);
	return c;
}

/**
 * stress_configs() - list the runs
 * @all: result; the caller frees it
 * @seed: of the random runs
 * @random: number of random runs
 *
 * Return: number of runs.
 */
u32 stress_configs(struct config **all, u64 seed, u32 random)
{
	u32 i, nr = ARRAY_SIZE(configs);

	*all = calloc(nr + random, sizeof(**all));
	memcpy(*all, configs, sizeof(configs));
	for (i = 0; i < random; i++)
		(*all)[nr + i] = any(&seed);
	return nr + random;
}

/**
 * stress_save() - leave an image for other readers
 * @dir: directory
 * @nr: number of the run
 * @img: the image
 * @size: of @img, bytes
 */
void stress_save(const char *dir, u32 nr, const void *img, u64 size)
{
	char name[512];
	FILE *f;

	snprintf(name, sizeof(name), "%s/run-%u.img", dir, nr);
	f = fopen(name, "wb");
	if (!f || fwrite(img, size, 1, f) != 1 || fclose(f)) {
		perror(name);
		exit(1);
	}
}
