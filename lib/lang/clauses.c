// SPDX-License-Identifier: GPL-2.0
/*
 * Clauses of a probe or an event, each at most once:
 *
 *	skip=N  every=N  rate=N  stop=N  stack[=N]  in=SWITCH  on=SWITCH  off=SWITCH
 *
 * Conditions, which begin with "if", are the business of who has values to compare.
 */

#include "clauses.h"

/* Words that begin a clause, or go on with its conditions. */
static const char * const clause_words[] = {
	"if", "and", "skip", "every", "rate", "stop", "stack", "in", "on", "off",
};

/**
 * jtrace_clause_is_word() - does a word begin a clause, or go on with its conditions?
 * @word: the word, not terminated
 * @n: its length
 */
bool jtrace_clause_is_word(const char *word, u32 n)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(clause_words); i++)
		if (words_match(word, n, clause_words[i]))
			return true;
	return false;
}

/* Take "=N". */
static bool take_count(struct words *w, u64 least, u64 most, const char *range, u64 *value)
{
	const char *from = w->at;

	if (*from != '=')
		return words_refuse(w, from, "expected =N");
	w->at++;
	if (!words_number(w, " \t", value))
		return false;
	return (*value >= least && *value <= most) || words_refuse(w, from + 1, range);
}

/* Take "=N", where 0 stands for no clause. */
static bool take_u32(struct words *w, u32 *value)
{
	u64 n;

	if (!take_count(w, 1, U32_MAX, "N is 1 to 4294967295", &n))
		return false;
	*value = n;
	return true;
}

static bool take_stop(struct words *w, struct jtrace_clauses *c)
{
	u64 n;

	if (!take_count(w, 0, JTRACE_CLAUSE_STOP_MAX, "N is 0 to 16777215", &n))
		return false;
	c->stops = true;
	c->stop = n;
	return true;
}

/* Take "=N", or nothing. */
static bool take_stack(struct words *w, u32 *frames)
{
	u64 n = JTRACE_STACK_DEFAULT;

	if (*w->at && !words_is_space(*w->at) &&
	    !take_count(w, 1, JTRACE_STACK_MAX, "N is 1 to 32", &n))
		return false;
	*frames = n;
	return true;
}

/* Take "=SWITCH". */
static bool take_switch(struct words *w, char *name)
{
	u32 n;

	if (*w->at != '=')
		return words_refuse(w, w->at, "expected =SWITCH");
	w->at++;
	if (!words_is_name(*w->at) || words_digit(*w->at) < 10)
		return words_refuse(w, w->at, "a name begins with a letter or _");
	n = words_length(w);
	if (n > JTRACE_SWITCH_NAME)
		return words_refuse(w, w->at, "a name has at most 31 bytes");
	memcpy(name, w->at, n);
	name[n] = 0;
	w->at += n;
	return true;
}

/**
 * jtrace_clause_parse() - parse one clause
 * @c: the clause is added; zeroed before the first one
 * @w: the text
 *
 * Return: false if it is refused.
 */
bool jtrace_clause_parse(struct jtrace_clauses *c, struct words *w)
{
	if (!c->skip && words_take(w, "skip"))
		return take_count(w, 1, ~0ULL, "N is 1 or more", &c->skip);
	if (!c->every && words_take(w, "every"))
		return take_u32(w, &c->every);
	if (!c->rate && words_take(w, "rate"))
		return take_u32(w, &c->rate);
	if (!c->stops && words_take(w, "stop"))
		return take_stop(w, c);
	if (!c->stack && words_take(w, "stack"))
		return take_stack(w, &c->stack);
	if (!*c->in && words_take(w, "in"))
		return take_switch(w, c->in);
	if (!*c->on && words_take(w, "on"))
		return take_switch(w, c->on);
	if (!*c->off && words_take(w, "off"))
		return take_switch(w, c->off);
	return words_refuse(w, w->at, "expected the end, or a clause that is not there yet: if, skip=, every=, rate=, stop=, stack, in=, on= or off=");
}

/**
 * jtrace_clauses_finish() - fill in what was left out
 * @c: the clauses, all parsed
 */
void jtrace_clauses_finish(struct jtrace_clauses *c)
{
	if (!c->every)
		c->every = 1;
}

/**
 * jtrace_clauses_text() - write clauses as jtrace_clause_parse() reads them, each after a blank
 * @c: the clauses
 * @pen: where to
 */
void jtrace_clauses_text(const struct jtrace_clauses *c, struct pen *pen)
{
	if (c->skip)
		pen_format(pen, " skip=%llu", c->skip);
	if (c->every > 1)
		pen_format(pen, " every=%u", c->every);
	if (c->rate)
		pen_format(pen, " rate=%u", c->rate);
	if (c->stops)
		pen_format(pen, " stop=%u", c->stop);
	if (c->stack == JTRACE_STACK_DEFAULT)
		pen_text(pen, " stack");
	else if (c->stack)
		pen_format(pen, " stack=%u", c->stack);
	if (*c->in)
		pen_format(pen, " in=%s", c->in);
	if (*c->on)
		pen_format(pen, " on=%s", c->on);
	if (*c->off)
		pen_format(pen, " off=%s", c->off);
}
