/* SPDX-License-Identifier: GPL-2.0 */
/* Entries that begin and end something: an interrupt, a system call, a call of a function. */
#ifndef _JTRACE_PAIRS_H
#define _JTRACE_PAIRS_H

#include "../export.h"

/*
 * What an entry is, as flags.  An entry that neither begins nor ends a pair is alone, or its other
 * half is not known.
 */
#define PAIR_BEGIN	1	/* it begins a pair, whose end follows */
#define PAIR_END	2	/* it ends the innermost pair of its track */
#define PAIR_OF_THREAD	4	/* the pair belongs to the thread, not to the CPU */
#define PAIR_WANTED	8	/* the selection shows the entry */

/**
 * struct pairs - the pairs of a trace
 * @flags: PAIR_* of each entry, in the order of a walk without filter
 * @nr: number of entries
 * @thread: threads that have pairs, as pairs_thread() numbers them
 * @threads: how many
 * @any: entries begin or end something
 * @why: why there is none, as part of a sentence; NULL if there may be some
 * @from_ns: up to this time entries of some CPU may be lost, 0 if that is not so
 */
struct pairs {
	u8 *flags;
	u64 nr;
	u64 *thread;
	size_t threads;
	bool any;
	const char *why;
	u64 from_ns;
};

bool pairs_find(struct pairs *p, const struct jtrace_trace *t, const struct jtrace_trace *all);
void pairs_free(struct pairs *p);

/* Number of a thread; each CPU has an idle one. */
static inline u64 pairs_thread(const struct jtrace_decoded *ev)
{
	return ev->tid ?: 1ULL << 32 | ev->cpu;
}

/* pair_sites.c */

/**
 * enum pair_role - what a site means for pairs
 * @ROLE_NONE: nothing
 * @ROLE_IRQ: begin or end of an interrupt's handler
 * @ROLE_SOFTIRQ: of a softirq
 * @ROLE_SYSCALL: of a system call
 * @ROLE_CALL: of a call of a function
 * @ROLE_EXIT: the thread ends
 * @ROLE_STOP: recording stops
 * @ROLE_START: recording starts
 * @ROLE_SWITCH: events are switched
 */
enum pair_role {
	ROLE_NONE,
	ROLE_IRQ,
	ROLE_SOFTIRQ,
	ROLE_SYSCALL,
	ROLE_CALL,
	ROLE_EXIT,
	ROLE_STOP,
	ROLE_START,
	ROLE_SWITCH,
};

/**
 * struct pair_site - a site
 * @role: what it means
 * @ends: it is an end
 * @number: of the site
 * @function: that is called, if it is a probe
 * @fields: of its tag; a begin and its end agree in the first one, unless it is a probe
 */
struct pair_site {
	enum pair_role role;
	bool ends;
	u32 number;
	char function[JTRACE_FUNC_MAX + 1];
	struct fields fields;
};

const struct pair_site *pair_site(const struct jtrace_trace *t, u32 number);
bool pair_sites_open(const struct jtrace_trace *t);
void pair_sites_close(void);

#endif /* _JTRACE_PAIRS_H */
