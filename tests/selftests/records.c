// SPDX-License-Identifier: GPL-2.0
/* Are records of jtrace_hammer true, and all there? */

#include <string.h>

#include "../kmod/hammer.h"
#include "verify.h"

static struct {
	bool seen;
	unsigned int mask;
	unsigned int counter;
	long long ns;
} writers[256];
static struct hammer_progress progress[256];
/* Of each CPU, times of its first entry, and until when some are missing; or 0. */
static long long oldest[MOST_CPUS], missing[MOST_CPUS];
/* Of all entries. */
static struct {
	long long ns;
	unsigned int cpu;
} *times;
static unsigned long nr_times, most_times;
/* Records since one was missing between two of its writer. */
static unsigned long since_gap;

unsigned long hammers, brackets;
long long early = -NS * 1000, late = -NS * 1000;

void records_begin(void)
{
	memset(writers, 0, sizeof(writers));
	memset(oldest, 0, sizeof(oldest));
	memset(missing, 0, sizeof(missing));
	nr_times = 0;
	since_gap = 0;
}

static void note_time(const struct entry *e)
{
	if (nr_times == most_times) {
		most_times = 2 * most_times + 1024;
		times = realloc(times, most_times * sizeof(*times));
		if (!times)
			wrong("no memory");
	}
	times[nr_times].ns = e->ns;
	times[nr_times++].cpu = e->cpu;
}

/*
 * Chunks are overwritten in the order of their claims, and each CPU fills its own at
 * its own pace: what is missing is of one CPU, and may be newer than what is there of
 * another.  Entries without a gap of the CPU that has the fewest.
 */
unsigned long records_unbroken(void)
{
	unsigned long fewest = nr_times, n, i;
	unsigned int cpu;

	for (cpu = 0; cpu < MOST_CPUS; cpu++) {
		if (!missing[cpu])
			continue;
		for (i = n = 0; i < nr_times; i++)
			n += times[i].cpu == cpu && times[i].ns > missing[cpu];
		if (n < fewest)
			fewest = n;
	}
	return fewest;
}

unsigned long records_since_gap(void)
{
	return since_gap;
}

/* The record before @e of its writer is missing: a large one tells when that was. */
static void note_gap(const struct entry *e, bool full)
{
	long long ns = full ? (long long)e->wide[1] : e->ns;

	if (ns > missing[e->cpu])
		missing[e->cpu] = ns;
}

static void note_bracket(const struct entry *e, long long *most, long long off,
			 const char *what)
{
	brackets++;
	if (off > *most)
		*most = off;
	if (opt_bracket && off > opt_tolerance)
		wrong("cpu %u: time is %lld ns %s", e->cpu, off, what);
}

static void check_hammer(const struct entry *e)
{
	static const char * const tags[HAMMER_NR_CONTEXTS] = {
		HAMMER_TASK_TAG, HAMMER_SOFTIRQ_TAG, HAMMER_HARDIRQ_TAG, HAMMER_NMI_TAG
	};
	bool unknown = opt_only_hammer && begins(tag(e), "<site ");
	unsigned int id = e->arg[0], counter = e->arg[1], mask = ~0U;

	if (!begins(tag(e), "hammer: ") && !unknown)
		return;
	if (!e->large || !(e->arg[1] | e->arg[3])) {
		/* The modulus of the counter may have been passed: no order. */
		mask = 0xffff;
		id = e->arg[0] >> 16 & 0xff;
		counter = e->arg[0] & mask;
		if (hammer_small(id, counter) != e->arg[0])
			wrong("hash is not %02x", hammer_small(id, counter) >> 24);
	} else if (hammer_hash(id, counter, e->arg[2], e->wide[0], e->wide[1]) != e->arg[3]) {
		wrong("hash is not %08x", hammer_hash(id, counter, e->arg[2], e->wide[0],
						      e->wide[1]));
	} else if (e->arg[2] != hammer_id_context(id)) {
		wrong("context is not %u", hammer_id_context(id));
	}
	if (id > 255 || hammer_id_context(id) >= HAMMER_NR_CONTEXTS)
		wrong("no writer has this id");
	if (!unknown && !begins(tag(e), tags[hammer_id_context(id)]))
		wrong("foreign tag: that writer has '%s'", tags[hammer_id_context(id)]);
	if (e->cpu != hammer_id_cpu(id))
		wrong("recorded on cpu %u", hammer_id_cpu(id));
	if (writers[id].seen && (mask == ~0U ? counter <= writers[id].counter :
					       counter == writers[id].counter))
		wrong("counter: the one before was %x", writers[id].counter);
	since_gap++;
	if (writers[id].seen && counter != ((writers[id].counter + 1) & mask)) {
		since_gap = 0;
		note_gap(e, mask == ~0U);
	}
	if (mask == ~0U) {
		note_bracket(e, &early, (long long)e->wide[0] - e->ns, "before its bracket");
		if (writers[id].seen && counter == writers[id].counter + 1)
			note_bracket(e, &late, writers[id].ns - (long long)e->wide[1],
				     "behind the bracket of this writer's record before");
	}
	writers[id].seen = true;
	writers[id].mask = mask;
	writers[id].counter = counter;
	writers[id].ns = e->ns;
	hammers++;
}

/* Entries are given in the order of time. */
void check_record(const struct entry *e)
{
	if (!oldest[e->cpu])
		oldest[e->cpu] = e->ns;
	check_hammer(e);
	note_time(e);
}

void read_progress(const char *name)
{
	FILE *f = fopen(name, "rb");

	if (!f || fread(progress, sizeof(progress), 1, f) != 1 || fclose(f)) {
		perror(name);
		exit(2);
	}
}

/*
 * Check that every event is shown that had returned, and at most one more, unless the writers
 * went on.  Only a CPU's newest events without a gap count.
 */
void check_progress(bool went_on)
{
	unsigned int id;

	for (id = 0; id < 256; id++) {
		unsigned int there = writers[id].seen ? writers[id].counter + 1 : 0;
		unsigned int returned = progress[id].events;

		unsigned int cpu = hammer_id_cpu(id);
		long long before = progress[id].before;

		if (!returned || oldest[cpu] > before || missing[cpu] > before)
			continue;
		if (!writers[id].seen || ((there - returned) & writers[id].mask) >
						(went_on ? writers[id].mask / 2 : 1))
			wrong("writer %02x: event %u returned, the last one here is %u",
			      id, returned, there);
	}
}
