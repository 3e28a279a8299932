// SPDX-License-Identifier: GPL-2.0
/* Events of a page that begin and end something. */

#include <stdlib.h>

#include "../../entries/pairs.h"
#include "../export.h"
#include "page.h"

/* Not on the page. */
#define NO_ROW	(~0U)

/**
 * struct finding - pairs, as far as they are found
 * @p: result
 * @row: the row of each entry, in the order of a walk without filter
 * @ended: roles of which an end was seen: without one, nothing tells what is open
 */
struct finding {
	struct page_pairs *p;
	u32 *row;
	u32 ended;
};

static enum page_owner owner_of(const struct pair_begin *b)
{
	switch (b->site->role) {
	case ROLE_IRQ:
	case ROLE_SOFTIRQ:
	case ROLE_TIMER:
	case ROLE_HRTIMER:
		return PAGE_OF_CPU;
	case ROLE_BLOCK:
		return PAGE_OF_NOBODY;
	default:
		return PAGE_OF_THREAD;
	}
}

/* Both halves are on the page, or it is not there.  False if there is no memory. */
static bool add_pair(struct finding *f, const struct pair_begin *b, u32 end)
{
	struct page_pairs *p = f->p;

	if (f->row[b->at] == NO_ROW)
		return true;
	p->pair = array_grow(p->pair, p->nr, sizeof(*p->pair));
	if (!p->pair)
		return false;
	p->pair[p->nr++] = (struct page_pair){ f->row[b->at], end, owner_of(b) };
	return true;
}

static bool add_open(const struct pair_begin *begin, void *data)
{
	struct finding *f = data;

	return !(f->ended & ROLE_BIT(begin->site->role)) || add_pair(f, begin, PAGE_OPEN);
}

/* False if there is no memory. */
static bool find(struct finding *f, struct pairs *pairs, const struct jtrace_trace *t,
		 const struct jtrace_trace *all)
{
	static struct jtrace_walk walk;
	const struct jtrace_decoded *ev;
	struct pair_step step;
	u32 rows = 0;
	u64 at = 0;

	jtrace_walk_each(&walk, all, ev) {
		if (at == all->found)
			break;
		f->row[at] = select_shows(t, &walk, ev) ? rows++ : NO_ROW;
		if (!pairs_take(pairs, ev, at, &step))
			return false;
		if (step.ends) {
			f->ended |= ROLE_BIT(step.site->role);
			if (f->row[at] != NO_ROW && !add_pair(f, &step.begin, f->row[at]))
				return false;
		}
		at++;
	}
	/* What the selection has cut off may be where it ends. */
	return t->filter || pairs_each(pairs, add_open, f);
}

/**
 * page_pairs_find() - find the pairs of events of a page
 * @p: result; free it by page_pairs_free()
 * @t: the trace, with its selection
 *
 * Return: false, after a message, if there is no memory.
 */
bool page_pairs_find(struct page_pairs *p, const struct jtrace_trace *t)
{
	struct jtrace_trace all = *t;
	struct finding f = { .p = p };
	struct pairs *pairs;
	bool ok;

	*p = (struct page_pairs){ .missing = pairs_missing(t) };
	if (p->missing)
		return true;
	all.filter = NULL;
	all.from = (struct jtrace_key){ 0 };
	pairs = pairs_open(&all, ROLES_ALL);
	if (!pairs)
		return false;
	f.row = calloc(all.found + 1, sizeof(*f.row));
	ok = f.row && find(&f, pairs, t, &all);
	free(f.row);
	pairs_close(pairs);
	return ok || fail("no memory for the pairs of events");
}

/**
 * page_pairs_free() - free the pairs of a page
 * @p: as page_pairs_find() left it
 */
void page_pairs_free(struct page_pairs *p)
{
	free(p->pair);
	*p = (struct page_pairs){ 0 };
}
