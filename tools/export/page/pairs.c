// SPDX-License-Identifier: GPL-2.0
/* Events of a page that begin and end something, and what tasks did between them. */

#include <stdlib.h>

#include "../../entries/runs.h"
#include "../export.h"
#include "page.h"

/* Not on the page. */
#define NO_ROW	(~0U)

/**
 * enum owner - what a pair of events belongs to
 * @OF_CPU: its CPU
 * @OF_THREAD: its thread
 * @OF_NOBODY: neither
 */
enum owner {
	OF_CPU,
	OF_THREAD,
	OF_NOBODY,
};

/* The end of a pair that had not ended. */
#define OPEN_PAIR	(~0U)

/**
 * struct page_pair - two events that begin and end something
 * @begin: its row among those of events
 * @end: same, or %OPEN_PAIR
 * @owner: see there
 * @group: index of the value that similar pairs have in common, -1 for none
 */
struct page_pair {
	u32 begin;
	u32 end;
	enum owner owner;
	int group;
};

/**
 * struct page_run - what a task did between two events
 * @begin: row of the first one among those of events
 * @end: row of the second one, or %OPEN_PAIR
 * @run: what
 */
struct page_run {
	u32 begin;
	u32 end;
	struct run run;
};

/**
 * struct page_pairs - the pairs of a page, in the order of their ends
 * @pair: the pairs
 * @nr: how many
 * @run: what tasks did
 * @runs: how many of them
 * @complete: up to this time entries of some CPU may be lost, ns, 0 if that is not so
 * @missing: why there is none, as part of a sentence; NULL if there may be some
 */
struct page_pairs {
	struct page_pair *pair;
	u32 nr;
	struct page_run *run;
	u32 runs;
	u64 complete;
	const char *missing;
};

/**
 * struct finding - pairs, as far as they are found
 * @p: result
 * @t: the trace
 * @row: the row of each entry, in the order of a walk without filter
 * @ended: roles of which an end was seen: without one, nothing tells what is open
 */
struct finding {
	struct page_pairs *p;
	const struct jtrace_trace *t;
	u32 *row;
	u32 ended;
};

/* An interrupt only borrows its thread, and each CPU has an idle one. */
static enum owner owner_of(const struct pair_begin *b)
{
	if (!b->ev.tid || is_in_interrupt(&b->ev))
		return b->site->role == ROLE_BLOCK ? OF_NOBODY : OF_CPU;
	switch (b->site->role) {
	case ROLE_IRQ:
	case ROLE_SOFTIRQ:
	case ROLE_TIMER:
	case ROLE_HRTIMER:
		return OF_CPU;
	case ROLE_BLOCK:
		return OF_NOBODY;
	default:
		return OF_THREAD;
	}
}

/* Pairs are similar if this field is the same: an interrupt, a lock.  -1: all are. */
static int group_of(const struct pair_begin *b)
{
	static const u32 none = ROLE_BIT(ROLE_CALL) | ROLE_BIT(ROLE_BLOCK) | ROLE_BIT(ROLE_WORK);

	return none & ROLE_BIT(b->site->role) ? -1 : b->site->key;
}

/* Both halves are on the page, or it is not there.  False if there is no memory. */
static bool add_pair(struct finding *f, const struct pair_begin *b, u32 end)
{
	struct page_pairs *p = f->p;

	if (f->row[b->at] == NO_ROW)
		return true;
	p->pair = array_grow(p->pair, p->nr, sizeof(*p->pair));
	if (!p->pair) {
		p->nr = 0;
		return false;
	}
	p->pair[p->nr++] = (struct page_pair){ f->row[b->at], end, owner_of(b), group_of(b) };
	return true;
}

/* False if there is no memory. */
static bool add_run(struct finding *f, const struct run *run, u32 end)
{
	struct page_pairs *p = f->p;

	if (f->row[run->at] == NO_ROW)
		return true;
	p->run = array_grow(p->run, p->runs, sizeof(*p->run));
	if (!p->run) {
		p->runs = 0;
		return false;
	}
	p->run[p->runs++] = (struct page_run){ f->row[run->at], end, *run };
	return true;
}

static bool add_open_run(const struct run *run, void *data)
{
	return add_run(data, run, OPEN_PAIR);
}

static bool add_open(const struct pair_begin *begin, void *data)
{
	struct finding *f = data;

	return !(f->ended & ROLE_BIT(begin->site->role)) || pairs_never_end(f->t, begin) ||
	       add_pair(f, begin, OPEN_PAIR);
}

/* False if there is no memory. */
static bool find_runs(struct finding *f, struct runs *runs, const struct pair_step *pair,
		      const struct jtrace_decoded *ev, u64 at)
{
	struct run_step step;
	u32 i;

	if (!runs_take(runs, pair, ev, at, &step))
		return false;
	for (i = 0; i < step.nr; i++)
		if (f->row[at] != NO_ROW && !add_run(f, &step.run[i], f->row[at]))
			return false;
	return true;
}

/* False if there is no memory. */
static bool find(struct finding *f, struct pairs *pairs, struct runs *runs,
		 const struct jtrace_trace *all)
{
	const struct jtrace_trace *t = f->t;
	static struct jtrace_walk walk;
	const struct jtrace_decoded *ev;
	struct pair_step step;
	u32 rows = 0;
	u64 at = 0;

	jtrace_walk_each(&walk, all, ev) {
		if (at == all->found)
			break;
		f->row[at] = select_shows(t, &walk, ev) ? rows++ : NO_ROW;
		if (!pairs_take(pairs, ev, at, &step) || !find_runs(f, runs, &step, ev, at))
			return false;
		/* (on, off): those that were turned off may end no more. */
		if (step.site->role == ROLE_SWITCH && ev->arg[1])
			f->ended = 0;
		if (step.ends) {
			/* A probe may miss returns. */
			f->ended |= ROLE_BIT(step.site->role) & ~ROLE_BIT(ROLE_CALL);
			if (f->row[at] != NO_ROW && !add_pair(f, &step.begin, f->row[at]))
				return false;
		}
		at++;
	}
	/* What the selection has cut off may be where it ends. */
	return t->filter || (pairs_each(pairs, add_open, f) && runs_each(runs, add_open_run, f));
}

/* False, after a message, if there is no memory. */
static bool find_all(struct page_pairs *p, const struct jtrace_trace *t)
{
	struct jtrace_trace all = *t;
	struct finding f = { .p = p, .t = t };
	struct pairs *pairs;
	struct runs *runs;
	bool ok;

	*p = (struct page_pairs){ .missing = pairs_missing(t) };
	if (p->missing)
		return true;
	all.filter = NULL;
	all.from = (struct jtrace_key){ 0 };
	pairs = pairs_open(&all, ROLES_ALL);
	if (!pairs)
		return false;
	if (pairs_complete(pairs))
		p->complete = jtrace_recover_ns(t, pairs_complete(pairs));
	runs = runs_open(&all, pairs);
	f.row = calloc(all.found + 1, sizeof(*f.row));
	ok = runs && f.row && find(&f, pairs, runs, &all);
	free(f.row);
	runs_close(runs);
	pairs_close(pairs);
	return ok || fail("no memory for the pairs of events");
}

static void put_span(FILE *to, bool first, u32 begin, u32 end)
{
	fprintf(to, "%s[%u,", first ? "" : ",", begin);
	if (end == OPEN_PAIR)
		fputs("null", to);
	else
		fprintf(to, "%u", end - begin);
}

/**
 * page_put_pairs() - write the pairs of events of an image, and what tasks did
 * @to: where to: html.c has the format
 * @t: the trace, with its selection
 *
 * Without memory, a message says so, and the page, too.
 */
void page_put_pairs(FILE *to, const struct jtrace_trace *t)
{
	struct page_pairs p;
	u32 i;

	if (!find_all(&p, t)) {
		p.nr = p.runs = 0;
		p.missing = "there was no memory";
	}
	fputs(",\n\"pairs\":[", to);
	for (i = 0; i < p.nr; i++) {
		put_span(to, !i, p.pair[i].begin, p.pair[i].end);
		fprintf(to, ",%u,%d]", p.pair[i].owner, p.pair[i].group);
	}
	fputs("],\n\"runs\":[", to);
	for (i = 0; i < p.runs; i++) {
		put_span(to, !i, p.run[i].begin, p.run[i].end);
		fprintf(to, ",%u,\"%s\"]", p.run[i].run.tid, p.run[i].run.state);
	}
	fprintf(to, "],\"complete\":\"%llu\"", p.complete);
	if (p.missing)
		fprintf(to, ",\"pairless\":\"%s\"", p.missing);
	free(p.pair);
	free(p.run);
}
