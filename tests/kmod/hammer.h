/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The content of a record of jtrace_hammer, for the module that writes it and the program that
 * checks it.
 */
#ifndef _HAMMER_H
#define _HAMMER_H

enum hammer_context {
	HAMMER_TASK,
	HAMMER_SOFTIRQ,
	HAMMER_HARDIRQ,
	HAMMER_NMI,
	HAMMER_NR_CONTEXTS,
};

#define HAMMER_TASK_TAG		"hammer: task (id, counter, context, hash, before, after)"
#define HAMMER_SOFTIRQ_TAG	"hammer: softirq (id, counter, context, hash, before, after)"
#define HAMMER_HARDIRQ_TAG	"hammer: hardirq (id, counter, context, hash, before, after)"
#define HAMMER_NMI_TAG		"hammer: nmi (id, counter, context, hash, before, after)"

#define HAMMER_MOST_CPUS	32
#define HAMMER_MOST_THREADS	2

/* A writer is one context on one CPU: a thread, a kind of interrupt, or NMIs.  8 bits. */
static inline unsigned int hammer_id(unsigned int cpu, unsigned int context,
				     unsigned int thread)
{
	return cpu << 3 | context << 1 | thread;
}

static inline unsigned int hammer_id_cpu(unsigned int id)
{
	return id >> 3;
}

static inline unsigned int hammer_id_context(unsigned int id)
{
	return id >> 1 & 3;
}

static inline unsigned int hammer_hash(unsigned int a, unsigned int b, unsigned int c,
				       unsigned long long e, unsigned long long f)
{
	const unsigned long long words[] = { (unsigned long long)b << 32 | a, c, e, f };
	unsigned long long h = 0;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		h = (h ^ words[i]) * 0x9e3779b97f4a7c15ULL;
		h ^= h >> 32;
	}
	return h;
}

/* The argument of a small entry: hash, writer, low half of the counter. */
static inline unsigned int hammer_small(unsigned int id, unsigned int counter)
{
	unsigned int low = (id & 0xff) << 16 | (counter & 0xffff);

	return hammer_hash(low, 0, 0, 0, 0) << 24 | low;
}

/**
 * struct hammer_progress - progress of a writer; in an array by hammer_id()
 * @before: time before the last of @events
 * @events: number of events that have returned
 *
 * In memory that outlives the machine: the trace must have each event that had returned.
 */
struct hammer_progress {
	unsigned long long before;
	unsigned long long events;
};

#define HAMMER_PROGRESS_SIZE	(256 * sizeof(struct hammer_progress))

#endif /* _HAMMER_H */
