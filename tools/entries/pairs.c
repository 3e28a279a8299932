// SPDX-License-Identifier: GPL-2.0
/*
 * Match entries that begin and end something.
 *
 * Handlers of interrupts, softirqs and timers belong to a CPU.  System calls, calls of functions,
 * work items and waits for locks belong to a thread, which may move to another CPU meanwhile.
 * Requests to disks belong to nobody.  What belongs together has a track: a stack of begins.
 *
 * An end matches only the begin that is innermost by all that the trace tells; at a contradiction
 * all of the track is forgotten.  Waits for locks are matched by the lock.
 *
 * Lost entries contradict nothing: if the end of one call and the begin of the next are lost, the
 * rest looks like one call.  A missing pair does less harm than a false one.  So a pair must begin
 * after the last gap (gaps.c).  It must not extend over a time when recording was off, nor over a
 * switch of events; events whose clauses may pass over a hit have none.  See pairs_missing() for
 * traces that have none at all.
 *
 * The image does not tell what was never recorded, because a clause of a probe passed over it, the
 * probe was removed meanwhile, or jtrace dropped or skipped it.  So a pair may join two calls then.
 */

#include <search.h>
#include <stdlib.h>

#include "pairs.h"

/* Deeper stacks are forgotten: then begins without ends pile up. */
#define DEPTH		32

/* What tracks are of, above the number of a thread, a CPU, or the hash of a request. */
enum track_kind {
	TRACK_INTERRUPTS,
	TRACK_TIMERS,
	TRACK_HRTIMERS,
	TRACK_CALLS,
	TRACK_WORK,
	TRACK_BH_WORK,
	TRACK_LOCKS,
	TRACK_REQUEST,
};

#define TRACK_SHIFT	40
#define TRACK_NUMBERS	((1ULL << TRACK_SHIFT) - 1)

/**
 * struct track - a stack of begins
 * @who: kind and number
 * @breaks: &struct pairs.breaks when the begins came
 * @nr: number of begins
 * @mark: for the caller
 * @begin: the outermost first
 */
struct track {
	u64 who;
	u32 breaks;
	u32 nr;
	bool mark;
	struct pair_begin *begin;
};

/**
 * struct pairs - matching, as far as it is
 * @t: the trace, without selection
 * @sites: its sites
 * @gaps: from when on the trace is complete
 * @tracks: a tree of tsearch()
 * @last: the track that was looked up last, NULL for none
 * @breaks: how often recording has started, or events were switched
 * @stopped: recording is off
 */
struct pairs {
	const struct jtrace_trace *t;
	struct pair_sites sites;
	struct gaps gaps;
	void *tracks;
	struct track *last;
	u32 breaks;
	bool stopped;
};

/**
 * pairs_missing() - does a trace have no pairs at all?
 * @t: the trace
 *
 * Return: why, as part of a sentence, or NULL.
 */
const char *pairs_missing(const struct jtrace_trace *t)
{
	static const enum jtrace_fault loses[] = {
		JTRACE_FAULT_CUT, JTRACE_FAULT_HEADERS, JTRACE_FAULT_RESCUED, JTRACE_FAULT_CHUNK,
		JTRACE_FAULT_BLANK, JTRACE_FAULT_ENTRY,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(loses); i++)
		if (t->damage.nr[loses[i]])
			return "the image is damaged";
	if (t->header.counts.unfinished)
		return "entries were never stored, because their task died";
	return t->astray ? "the clock jumped" : NULL;
}

/* ---- Tracks ----------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const struct track *x = a, *y = b;

	return x->who < y->who ? -1 : x->who > y->who;
}

static struct track *new_track(struct pairs *p, u64 who)
{
	struct track *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->who = who;
	if (tsearch(k, &p->tracks, compare))
		return k;
	free(k);
	return NULL;
}

/*
 * Find a track; @make: or make it.  What began before the last break is forgotten.  NULL if there
 * is none, or no memory.
 */
static struct track *find_track(struct pairs *p, enum track_kind kind, u64 number, bool make)
{
	const u64 who = (u64)kind << TRACK_SHIFT | (number & TRACK_NUMBERS);
	const struct track wanted = { .who = who };
	struct track **found;

	if (!p->last || p->last->who != who) {
		found = tfind(&wanted, &p->tracks, compare);
		p->last = found ? *found : make ? new_track(p, who) : NULL;
	}
	if (p->last && p->last->breaks != p->breaks) {
		p->last->nr = 0;
		p->last->breaks = p->breaks;
	}
	return p->last;
}

static void free_track(void *track)
{
	struct track *k = track;

	free(k->begin);
	free(k);
}

static void remove_track(struct pairs *p, struct track *k)
{
	p->last = NULL;
	tdelete(k, &p->tracks, compare);
	free_track(k);
}

/* The interrupt bits; how often BH is disabled may change in a call. */
static u32 interrupt_bits(u32 context)
{
	return context & (JTRACE_CTX_SOFTIRQ | JTRACE_CTX_HARDIRQ | JTRACE_CTX_NMI);
}

/* An interrupt that ran in a higher context on this thread is over. */
static void drop_interrupts(struct track *k, u32 context)
{
	while (k->nr && interrupt_bits(k->begin[k->nr - 1].ev.context) > context)
		k->nr--;
}

/**
 * pairs_is_complete() - is nothing missing from an entry on?
 * @p: as pairs_open() gave it
 * @of_cpu: of its CPU; else of all
 * @ev: the entry
 *
 * Return: true if nothing is.
 */
bool pairs_is_complete(const struct pairs *p, bool of_cpu, const struct jtrace_decoded *ev)
{
	const u64 from = of_cpu ? p->gaps.cpu_from[ev->cpu] : p->gaps.all_from;

	/* The claim's stamp may be the time of a lost entry of another CPU. */
	return !from || ev->time > from;
}

/* False if there is no memory. */
static bool push(struct track *k, const struct pair_site *s, u64 at, u64 value,
		 const struct jtrace_decoded *ev)
{
	if (k->nr == DEPTH)
		k->nr = 0;
	/* Most tracks have few begins, and there may be as many tracks as entries. */
	k->begin = array_grow(k->begin, k->nr, sizeof(*k->begin));
	if (!k->begin) {
		k->nr = 0;
		return false;
	}
	k->begin[k->nr++] = (struct pair_begin) {
		.site = s, .at = at, .value = value, .ev = *ev, .last = *ev,
	};
	return true;
}

static void end(struct pair_step *step, struct track *k, const struct pair_begin *b)
{
	step->ends = true;
	step->mark = &k->mark;
	step->begin = *b;
}

/* Its outermost begin is the one that has no end for sure. */
static void contradict(struct pair_step *step, struct track *k)
{
	if (k->nr) {
		step->contradicts = true;
		step->begin = k->begin[0];
	}
	k->nr = 0;
}

/* Interrupts do not move to another CPU. */
static bool agree(const struct pair_begin *b, const struct pair_site *s, u64 value,
		  const struct jtrace_decoded *ev)
{
	const u32 context = interrupt_bits(b->ev.context);
	const bool moves = s->role == ROLE_SYSCALL || s->role == ROLE_WORK ||
			   (s->role == ROLE_CALL && !context);

	return b->site->role == s->role && b->value == value && b->ev.tid == ev->tid &&
	       (moves || b->ev.cpu == ev->cpu) && context == interrupt_bits(ev->context) &&
	       !strcmp(b->site->function, s->function);
}

/* ---- What belongs to a CPU -------------------------------------------- */

/* Only interrupts, and their timers, interrupt one another. */
static bool runs_already(const struct track *k, const struct pair_site *s,
			 const struct jtrace_decoded *ev)
{
	const struct pair_begin *b = k->nr ? &k->begin[k->nr - 1] : NULL;

	return b && s->role != ROLE_IRQ && b->site->role == s->role &&
	       interrupt_bits(b->ev.context) == interrupt_bits(ev->context);
}

static bool take_cpu(struct pairs *p, const struct pair_site *s, u64 at,
		     const struct jtrace_decoded *ev, struct pair_step *step)
{
	const enum track_kind kind = s->role == ROLE_TIMER ? TRACK_TIMERS :
				     s->role == ROLE_HRTIMER ? TRACK_HRTIMERS : TRACK_INTERRUPTS;
	struct track *k = find_track(p, kind, ev->cpu, true);
	const u64 value = fields_value(&s->fields, s->key, ev);

	if (!k)
		return false;
	if (!s->ends) {
		if (runs_already(k, s, ev))
			contradict(step, k);
		return !pairs_is_complete(p, true, ev) || push(k, s, at, value, ev);
	}
	if (k->nr && agree(&k->begin[k->nr - 1], s, value, ev))
		end(step, k, &k->begin[--k->nr]);
	else
		contradict(step, k);
	return true;
}

/* ---- What belongs to a thread ----------------------------------------- */

/* A thread has one system call at a time, and no call of a function outlives it. */
static bool take_syscall(struct pairs *p, const struct pair_site *s, struct track *k, u64 at,
			 const struct jtrace_decoded *ev, struct pair_step *step)
{
	const u64 value = fields_value(&s->fields, s->key, ev);

	if (s->ends && k->nr && agree(k->begin, s, value, ev)) {
		end(step, k, k->begin);
		k->nr = 0;
	} else if (k->nr && k->begin[0].site->role != ROLE_SYSCALL) {
		k->nr = 0;
	} else {
		contradict(step, k);
	}
	return s->ends || !pairs_is_complete(p, false, ev) || push(k, s, at, value, ev);
}

/* Begins of the same call by other probes are no calls of their own. */
static void drop_others(struct track *k, const struct pair_begin *b)
{
	while (k->nr && k->begin[k->nr - 1].site != b->site &&
	       !strcmp(k->begin[k->nr - 1].site->function, b->site->function))
		k->nr--;
}

/* kretprobes miss returns: then calls of other functions are left over, which end before. */
static void take_return(const struct pair_site *s, struct track *k,
			const struct jtrace_decoded *ev, struct pair_step *step)
{
	u32 i = k->nr;

	while (i && !agree(&k->begin[i - 1], s, 0, ev) &&
	       k->begin[i - 1].site->role == ROLE_CALL &&
	       strcmp(k->begin[i - 1].site->function, s->function))
		i--;
	if (!i || !agree(&k->begin[i - 1], s, 0, ev))
		return;
	end(step, k, &k->begin[i - 1]);
	k->nr = i - 1;
	drop_others(k, &step->begin);
}

static bool take_calls(struct pairs *p, const struct pair_site *s, u64 at,
		       const struct jtrace_decoded *ev, struct pair_step *step)
{
	struct track *k = find_track(p, TRACK_CALLS, pairs_thread(ev), true);

	if (!k)
		return false;
	drop_interrupts(k, interrupt_bits(ev->context));
	if (s->role == ROLE_SYSCALL)
		return take_syscall(p, s, k, at, ev, step);
	if (!s->ends)
		return !pairs_is_complete(p, false, ev) || push(k, s, at, 0, ev);
	take_return(s, k, ev, step);
	return true;
}

/*
 * A thread has one work item at a time; those of system_bh_wq run in softirqs, one at a time on a
 * CPU.
 */
static bool take_work(struct pairs *p, const struct pair_site *s, u64 at,
		      const struct jtrace_decoded *ev, struct pair_step *step)
{
	const bool in_softirq = interrupt_bits(ev->context);
	struct track *k = find_track(p, in_softirq ? TRACK_BH_WORK : TRACK_WORK,
				     in_softirq ? ev->cpu : pairs_thread(ev), true);
	const u64 value = fields_value(&s->fields, s->key, ev);

	if (!k)
		return false;
	if (s->ends && k->nr && agree(k->begin, s, value, ev)) {
		end(step, k, k->begin);
		k->nr = 0;
	} else {
		contradict(step, k);
	}
	return s->ends || !pairs_is_complete(p, false, ev) || push(k, s, at, value, ev);
}

static void remove_begin(struct track *k, u32 i)
{
	memmove(&k->begin[i], &k->begin[i + 1], (--k->nr - i) * sizeof(*k->begin));
}

/* A mutex tells that the task spins, and again that it sleeps: the wait goes on. */
static bool take_lock(struct pairs *p, const struct pair_site *s, u64 at,
		      const struct jtrace_decoded *ev, struct pair_step *step)
{
	struct track *k = find_track(p, TRACK_LOCKS, pairs_thread(ev), true);
	const u64 value = fields_value(&s->fields, s->key, ev);
	u32 i;

	if (!k)
		return false;
	for (i = 0; i < k->nr && k->begin[i].value != value; i++)
		;
	if (i < k->nr && s->ends) {
		end(step, k, &k->begin[i]);
		remove_begin(k, i);
	} else if (i < k->nr) {
		k->begin[i].last = *ev;
	} else if (!s->ends && pairs_is_complete(p, false, ev)) {
		return push(k, s, at, value, ev);
	}
	return true;
}

/* The thread runs no more; another one may have its number next. */
static void take_exit(struct pairs *p, const struct jtrace_decoded *ev)
{
	static const enum track_kind kinds[] = { TRACK_CALLS, TRACK_WORK, TRACK_LOCKS };
	struct track *k;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		k = find_track(p, kinds[i], pairs_thread(ev), false);
		if (!k)
			continue;
		free(k->begin);
		k->begin = NULL;
		k->nr = 0;
	}
}

/* ---- Requests to disks ------------------------------------------------ */

static u64 hash_request(const struct pair_site *s, const struct jtrace_decoded *ev)
{
	char disk[FIELD_TEXT];
	u64 hash = fields_value(&s->fields, s->key, ev) * 0x9e3779b97f4a7c15ULL;
	u32 i;

	fields_text(&s->fields, s->second, ev, disk);
	for (i = 0; disk[i]; i++)
		hash = (hash ^ (u8)disk[i]) * 0x100000001b3ULL;
	return hash ^ hash >> 32;
}

/* Of two requests at one place, no end can be told from the other one: both are forgotten. */
static bool take_request(struct pairs *p, const struct pair_site *s, u64 at,
			 const struct jtrace_decoded *ev, struct pair_step *step)
{
	const u64 value = hash_request(s, ev);
	struct track *k = find_track(p, TRACK_REQUEST, value, !s->ends);

	if (!k)
		return s->ends;
	if (!s->ends && !k->nr && pairs_is_complete(p, false, ev))
		return push(k, s, at, value, ev);
	if (s->ends && k->nr && k->begin[0].value == value)
		end(step, k, k->begin);
	remove_track(p, k);
	return true;
}

/* ---- All -------------------------------------------------------------- */

static bool take_pair(struct pairs *p, const struct pair_site *s, u64 at,
		      const struct jtrace_decoded *ev, struct pair_step *step)
{
	switch (s->role) {
	case ROLE_IRQ:
	case ROLE_SOFTIRQ:
	case ROLE_TIMER:
	case ROLE_HRTIMER:
		return take_cpu(p, s, at, ev, step);
	default:
		break;
	}
	/* Small entries do not tell the thread, nor have they room for the rest. */
	if (p->t->l.kind != JTRACE_KIND_LARGE)
		return true;
	switch (s->role) {
	case ROLE_SYSCALL:
	case ROLE_CALL:
		return take_calls(p, s, at, ev, step);
	case ROLE_WORK:
		return take_work(p, s, at, ev, step);
	case ROLE_LOCK:
		return take_lock(p, s, at, ev, step);
	case ROLE_BLOCK:
		return take_request(p, s, at, ev, step);
	case ROLE_EXIT:
		take_exit(p, ev);
		return true;
	default:
		return true;
	}
}

/* Does what began before not match with an end behind it? */
static bool breaks(const struct pairs *p, enum pair_role role, const struct jtrace_decoded *ev)
{
	if (role == ROLE_THAW)
		return ev->time >= p->gaps.full;
	return role == ROLE_START || role == ROLE_SWITCH;
}

/**
 * pairs_take() - match the next entry
 * @p: as pairs_open() gave it
 * @ev: the entry
 * @at: its number, for &struct pair_begin.at
 * @step: result
 *
 * Return: false if there is no memory.
 */
bool pairs_take(struct pairs *p, const struct jtrace_decoded *ev, u64 at, struct pair_step *step)
{
	const struct pair_site *s = pair_site(&p->sites, ev->site);

	step->site = s;
	step->ends = false;
	step->contradicts = false;
	step->breaks = false;
	if (!s)
		return false;
	/* After the last stop, pairs_each() finds all that was open then. */
	step->breaks = breaks(p, s->role, ev);
	p->breaks += step->breaks;
	if (s->role == ROLE_START || s->role == ROLE_STOP)
		p->stopped = s->role == ROLE_STOP;
	/* After a stop, other CPUs record a little longer, with gaps. */
	return p->stopped || take_pair(p, s, at, ev, step);
}

struct each {
	const struct pairs *p;
	bool (*call)(const struct pair_begin *begin, void *data);
	void *data;
	bool go_on;
};

static void each_track(const void *node, VISIT when, void *data)
{
	const struct track *k = *(struct track *const *)node;
	struct each *each = data;
	u32 i;

	if ((when != postorder && when != leaf) || k->breaks != each->p->breaks)
		return;
	for (i = 0; i < k->nr && each->go_on; i++)
		each->go_on = each->call(&k->begin[i], each->data);
}

/**
 * pairs_each() - call a function for each begin whose end was not seen
 * @p: as pairs_open() gave it
 * @call: returns false to end
 * @data: for @call
 *
 * Return: false if @call did.
 */
bool pairs_each(struct pairs *p, bool (*call)(const struct pair_begin *begin, void *data),
		void *data)
{
	struct each each = { p, call, data, true };

	twalk_r(p->tracks, each_track, &each);
	return each.go_on;
}

/**
 * pairs_complete() - from when on no entry is missing
 * @p: as pairs_open() gave it
 *
 * Return: raw time, 0 for the beginning.
 */
u64 pairs_complete(const struct pairs *p)
{
	return p->gaps.all_from;
}

/**
 * pairs_open() - begin to match the entries of a trace
 * @t: the trace, without selection: an entry that is not shown still separates others
 * @roles: those of which pairs are wanted, see ROLE_BIT()
 *
 * Return: for pairs_take(), with each entry, the oldest first; free it by pairs_close().  NULL,
 * after a message, if there is no memory.
 */
struct pairs *pairs_open(const struct jtrace_trace *t, u32 roles)
{
	struct pairs *p = calloc(1, sizeof(*p));

	if (p) {
		p->t = t;
		if (pair_sites_open(&p->sites, t, roles) && gaps_find(&p->gaps, t))
			return p;
	}
	pairs_close(p);
	fail("no memory for the pairs of the trace");
	return NULL;
}

/**
 * pairs_close() - free all of it
 * @p: may be NULL
 */
void pairs_close(struct pairs *p)
{
	if (!p)
		return;
	tdestroy(p->tracks, free_track);
	pair_sites_close(&p->sites);
	free(p);
}
