/* SPDX-License-Identifier: GPL-2.0 */
/* Entries that begin and end something: an interrupt, a system call, a wait for a lock. */
#ifndef _JTRACE_PAIRS_H
#define _JTRACE_PAIRS_H

#include "entries.h"

/* pair_sites.c */

/**
 * enum pair_role - what a site means for pairs
 * @ROLE_NONE: nothing
 * @ROLE_IRQ: begin or end of an interrupt's handler
 * @ROLE_SOFTIRQ: of a softirq
 * @ROLE_TIMER: of a timer's function
 * @ROLE_HRTIMER: of that of a high-resolution timer
 * @ROLE_WORK: of a work item
 * @ROLE_SYSCALL: of a system call
 * @ROLE_LOCK: of a wait for a lock
 * @ROLE_BLOCK: of a request to a disk
 * @ROLE_CALL: of a call of a function
 * @ROLE_EXIT: the thread ends
 * @ROLE_STOP: recording stops
 * @ROLE_START: recording starts
 * @ROLE_SWITCH: events are switched
 * @ROLE_THAW: events were skipped until now
 * @ROLE_RUN: another task runs
 * @ROLE_WAKE: a task is woken
 * @ROLE_WAKE_NEW: a new task is woken
 */
enum pair_role {
	ROLE_NONE,
	ROLE_IRQ,
	ROLE_SOFTIRQ,
	ROLE_TIMER,
	ROLE_HRTIMER,
	ROLE_WORK,
	ROLE_SYSCALL,
	ROLE_LOCK,
	ROLE_BLOCK,
	ROLE_CALL,
	ROLE_EXIT,
	ROLE_STOP,
	ROLE_START,
	ROLE_SWITCH,
	ROLE_THAW,
	ROLE_RUN,
	ROLE_WAKE,
	ROLE_WAKE_NEW,
};

/* A set of roles, and all that are pairs. */
#define ROLE_BIT(role)	(1U << (role))
#define ROLES_ALL	(ROLE_BIT(ROLE_EXIT) - 2)

/**
 * struct pair_site - a site
 * @role: what it means
 * @ends: it is an end
 * @number: of the site
 * @key: index of the field in which a begin and its end agree; a call has none
 * @second: index of another such field, -1 if there is none
 * @function: that is called, if it is a probe
 * @fields: of its tag
 */
struct pair_site {
	enum pair_role role;
	bool ends;
	u32 number;
	int key;
	int second;
	char function[JTRACE_FUNC_MAX + 1];
	struct fields fields;
};

/**
 * struct pair_sites - sites by their number, which is below the end of the table
 * @t: the trace
 * @roles: those that are looked for; others mean nothing
 * @nr: number of sites
 * @site: those that were looked at
 */
struct pair_sites {
	const struct jtrace_trace *t;
	u32 roles;
	u32 nr;
	struct pair_site **site;
};

bool pair_sites_open(struct pair_sites *s, const struct jtrace_trace *t, u32 roles);
const struct pair_site *pair_site(struct pair_sites *s, u32 number);
void pair_sites_close(struct pair_sites *s);

/* pairs.c */

/**
 * struct pair_begin - a begin whose end was not seen yet
 * @site: of the entry
 * @at: number of the entry, as the caller counts them
 * @value: that the end must have, too; of a request, a hash of disk and sector
 * @ev: the entry
 * @last: the last entry that says the same: a wait for a mutex spins first, and sleeps then
 */
struct pair_begin {
	const struct pair_site *site;
	u64 at;
	u64 value;
	struct jtrace_decoded ev;
	struct jtrace_decoded last;
};

/**
 * struct pair_step - what an entry is
 * @site: what its site means
 * @ends: it ends @begin
 * @mark: for the caller: false at the first pair of this thread or CPU, then what the caller set
 * @contradicts: @begin, and all that was open with it, cannot be true, and is forgotten: entries
 *	are missing that the trace does not know of
 * @breaks: all that was open before is forgotten
 * @begin: see there
 */
struct pair_step {
	const struct pair_site *site;
	bool ends;
	bool *mark;
	bool contradicts;
	bool breaks;
	struct pair_begin begin;
};

/* pair_sites.c */
bool pairs_never_end(const struct jtrace_trace *t, const struct pair_begin *b);

/* pairs.c */
struct pairs;

struct pairs *pairs_open(const struct jtrace_trace *t, u32 roles);
bool pairs_take(struct pairs *p, const struct jtrace_decoded *ev, u64 at, struct pair_step *step);
bool pairs_each(struct pairs *p, bool (*call)(const struct pair_begin *begin, void *data),
		void *data);
u64 pairs_complete(const struct pairs *p);
bool pairs_is_complete(const struct pairs *p, bool of_cpu, const struct jtrace_decoded *ev);
const char *pairs_missing(const struct jtrace_trace *t);
void pairs_close(struct pairs *p);

/* Did an interrupt or a softirq record an entry? */
static inline bool is_in_interrupt(const struct jtrace_decoded *ev)
{
	return ev->context & (JTRACE_CTX_SOFTIRQ | JTRACE_CTX_HARDIRQ | JTRACE_CTX_NMI);
}

/* Number of a thread; each CPU has an idle one. */
static inline u64 pairs_thread(const struct jtrace_decoded *ev)
{
	return ev->tid ?: 1ULL << 32 | ev->cpu;
}

#endif /* _JTRACE_PAIRS_H */
