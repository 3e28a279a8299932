/* SPDX-License-Identifier: GPL-2.0 */
/* Clauses: which hits that meet the conditions are recorded, and what a recorded one does. */
#ifndef _JTRACE_CLAUSES_H
#define _JTRACE_CLAUSES_H

#include "../base/pen.h"
#include "../base/words.h"

/* Most bytes of the name of a switch. */
#define JTRACE_SWITCH_NAME	31

/* Most events that stop= lets pass. */
#define JTRACE_CLAUSE_STOP_MAX	0xffffff

/**
 * struct jtrace_clauses - the clauses of a probe or an event, but for its conditions
 * @skip: pass over so many hits
 * @every: of those that follow, record each Nth; 1 for all
 * @rate: record at most so many in a second; 0 for no limit
 * @stops: stop recording after @stop more events
 * @stop: see @stops
 * @stack: record a stack of so many frames; 0 for none
 * @in: switch that must be open, empty for none
 * @on: switch that it opens
 * @off: switch that it closes
 */
struct jtrace_clauses {
	u64 skip;
	u32 every;
	u32 rate;
	bool stops;
	u32 stop;
	u32 stack;
	char in[JTRACE_SWITCH_NAME + 1];
	char on[JTRACE_SWITCH_NAME + 1];
	char off[JTRACE_SWITCH_NAME + 1];
};

/* May they pass over a hit that meets the conditions? */
static inline bool jtrace_clauses_pass_over(const struct jtrace_clauses *c)
{
	return c->skip || c->every > 1 || c->rate || *c->in;
}

bool jtrace_clause_parse(struct jtrace_clauses *c, struct words *w);
void jtrace_clauses_finish(struct jtrace_clauses *c);
void jtrace_clauses_text(const struct jtrace_clauses *c, struct pen *pen);
bool jtrace_clause_is_word(const char *word, u32 n);

#endif /* _JTRACE_CLAUSES_H */
