// SPDX-License-Identifier: GPL-2.0
/* Threads that meet on the first firing of the same sites: one number for each. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "../../lib/site.h"
#include "stress.h"

#define THREADS		4
#define SITES		150
#define ROUNDS		400
#define IMAGE_ID	0x123456789abcdef0ULL

static struct jtrace_layout l;
static struct jtrace_sites sites;
static u8 *img;
static u32 site_number[THREADS][SITES];
static pthread_barrier_t meet;
static u64 wrong;

static void bad(const char *what, u64 a, u64 b)
{
	if (__atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED) < 10)
		printf("# %s: %llx %llx\n", what, (unsigned long long)a, (unsigned long long)b);
}

static void *interner(void *arg)
{
	u32 *number = arg, i, round;
	char tag[16];

	for (round = 0; round < 3; round++) {
		pthread_barrier_wait(&meet);
		for (i = 0; i < SITES; i++) {
			u32 n;

			snprintf(tag, sizeof(tag), "tag %u", i);
			n = jtrace_site_intern(&sites, tag, "f.c", "fn", i / 3);
			if (number[i] && number[i] != n)
				bad("site number changed", number[i], n);
			number[i] = n;
		}
	}
	return NULL;
}

static void check(void)
{
	struct jtrace_site_text text;
	char tag[16];
	u32 i, k;

	for (i = 0; i < SITES; i++) {
		for (k = 1; k < THREADS; k++)
			if (site_number[k][i] != site_number[0][i])
				bad("site has two numbers", site_number[k][i], site_number[0][i]);
		snprintf(tag, sizeof(tag), "tag %u", i);
		if (!jtrace_site_read(&l, img, IMAGE_ID, site_number[0][i], &text) ||
		    strcmp(text.tag, tag) || text.line != i / 3)
			bad("site", i, site_number[0][i]);
	}
	if (atomic64_read(&sites.stored) != SITES || atomic64_read(&sites.unstored))
		bad("sites stored", atomic64_read(&sites.stored), SITES);
}

/* One table from empty to full of all that the threads intern. */
static void round_of_sites(void)
{
	u32 *index = calloc(jtrace_sites_slots(&l), sizeof(*index));
	pthread_t thread[THREADS];
	u32 i;

	img = calloc(1, l.size);
	jtrace_sites_init(&sites, &l, img, IMAGE_ID, index, false);
	memset(site_number, 0, sizeof(site_number));
	for (i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, interner, site_number[i]);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	check();
	free(index);
	free(img);
}

/**
 * stress_sites() - fill site tables from several threads at once
 * @nr: of the result that is printed
 * @seconds: how long, at the most
 *
 * Return: false if something was wrong.
 */
bool stress_sites(u32 nr, double seconds)
{
	time_t end = time(NULL) + 2 + (time_t)seconds;
	u32 rounds = 0;

	if (jtrace_layout_plan(&l, 1 << 20, 0, THREADS, JTRACE_KIND_LARGE) == JTRACE_ROOM_NONE)
		bad("layout", 0, 0);
	pthread_barrier_init(&meet, NULL, THREADS);
	while (time(NULL) < end && rounds < ROUNDS && !wrong) {
		round_of_sites();
		rounds++;
	}
	printf("%s %u - stress sites: %u rounds, bad %llu\n", wrong ? "not ok" : "ok", nr,
	       rounds, (unsigned long long)wrong);
	return !wrong;
}
