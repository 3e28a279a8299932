// SPDX-License-Identifier: GPL-2.0
/* Threads record the first event of the same sites at once: each site gets one number. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "../../lib/image/site.h"
#include "stress.h"

#define THREADS		4
#define SITES		150
#define ROUNDS		400

/* Number and bytes of the sites that fill a table. */
#define ROOM		60
#define RECORD		48

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
			n = jtrace_site_intern(&sites, tag, "f.c", "fn", i / 3,
					       JTRACE_SITE_CALL, 0);
			/* It may change once, from the spare to the image. */
			if (number[i] && number[i] != n &&
			    !(number[i] > sites.end && n < sites.end))
				bad("site number changed", number[i], n);
			number[i] = n;
		}
	}
	return NULL;
}

/* At least @least sites fit in the image; races may cost some room. */
static void check(u32 least)
{
	struct jtrace_site_text text;
	u32 i, k, stored = 0;
	char tag[16];

	for (i = 0; i < SITES; i++) {
		for (k = 1; k < THREADS; k++)
			if (site_number[k][i] != site_number[0][i])
				bad("site has two numbers", site_number[k][i], site_number[0][i]);
		for (k = 0; k < i; k++)
			if (site_number[0][k] == site_number[0][i])
				bad("two sites have one number", k, i);
		if (!jtrace_site_stored(&sites, site_number[0][i]))
			continue;
		stored++;
		snprintf(tag, sizeof(tag), "tag %u", i);
		if (!jtrace_site_read(&l, img, IMAGE_ID, site_number[0][i], &text) ||
		    strcmp(text.tag, tag) || text.line != i / 3)
			bad("site", i, site_number[0][i]);
	}
	if (atomic64_read(&sites.stored) != stored || stored < least)
		bad("sites stored", atomic64_read(&sites.stored), stored);
	if (atomic64_read(&sites.unstored) != SITES - stored)
		bad("sites without room", atomic64_read(&sites.unstored), SITES - stored);
}

/* Fill an empty table with all sites of the threads, or with some. */
static void round_of_sites(bool full)
{
	const u32 end = l.sites_end;
	void *room = calloc(1, jtrace_sites_room(&l, JTRACE_SITES_SPARE));
	pthread_t thread[THREADS];
	u32 i;

	if (full)
		l.sites_end = l.sites_off + ROOM * RECORD;
	img = calloc(1, l.size);
	jtrace_sites_init(&sites, &l, img, IMAGE_ID, room, JTRACE_SITES_SPARE, false);
	memset(site_number, 0, sizeof(site_number));
	for (i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, interner, site_number[i]);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	check(full ? ROOM / 2 : SITES);
	l.sites_end = end;
	free(room);
	free(img);
}

/**
 * stress_sites() - fill site tables from several threads at once
 * @nr: number of the printed result
 * @seconds: limit
 *
 * Return: false after a fault.
 */
bool stress_sites(u32 nr, double seconds)
{
	time_t end = time(NULL) + 2 + (time_t)seconds;
	u32 rounds = 0;

	if (jtrace_layout_plan(&l, 1 << 20, 0, THREADS, JTRACE_KIND_LARGE) == JTRACE_FIT_NONE)
		bad("layout", 0, 0);
	pthread_barrier_init(&meet, NULL, THREADS);
	while (time(NULL) < end && rounds < ROUNDS && !wrong) {
		round_of_sites(rounds % 2);
		rounds++;
	}
	printf("%s %u - stress sites: %u rounds, bad %llu\n", wrong ? "not ok" : "ok", nr,
	       rounds, (unsigned long long)wrong);
	return !wrong;
}
