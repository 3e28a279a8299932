// SPDX-License-Identifier: GPL-2.0
/*
 * Clauses of an event: which hits are recorded.
 *
 *	[every=N] [if FIELD OP VALUE [and FIELD OP VALUE]...]
 *
 * lib/lang/compare.c parses OP VALUE.  "and" may be written &&.
 */

#include "clause.h"

/* ---- Text to clauses -------------------------------------------------- */

static bool take_condition(struct words *w, const struct jtrace_field *fields, u32 nr,
			   struct jtrace_condition *c)
{
	bool narrow;
	s8 place[2];
	u32 n, i;

	words_skip_space(w);
	n = words_length(w);
	for (i = 0; i < nr && !words_match(w->at, n, fields[i].name); i++)
		;
	if (i == nr)
		return words_refuse(w, w->at, "the event has no such field");
	if (!jtrace_field_places(fields, i, place))
		return words_refuse(w, w->at, "the field does not fit an entry");
	w->at += n;
	narrow = jtrace_place_shares(place[0], jtrace_field_width(fields[i].type));
	c->field = i;
	c->word[0] = jtrace_place_word(place[0]);
	c->word[1] = jtrace_place_word(place[1]);
	c->left = narrow && place[0] % 2 == 0 ? 32 : 0;
	c->compare.type = fields[i].type;
	return jtrace_compare_parse(&c->compare, w, narrow ? 32 : 0);
}

static bool take_conditions(struct words *w, const struct jtrace_field *fields, u32 nr,
			    struct jtrace_clauses *c)
{
	do {
		if (c->nr == JTRACE_CONDITIONS)
			return words_refuse(w, w->at, "there are at most 6 conditions");
		if (!take_condition(w, fields, nr, &c->cond[c->nr]))
			return false;
		c->nr++;
	} while (words_take(w, "and") || words_take(w, "&&"));
	return true;
}

static bool take_every(struct words *w, struct jtrace_clauses *c)
{
	const char *from = w->at;
	u64 every;

	if (*w->at++ != '=')
		return words_refuse(w, from, "expected =N after every");
	if (!words_number(w, " \t", &every))
		return false;
	if (!every || every > U32_MAX)
		return words_refuse(w, from + 1, "N is 1 to 4294967295");
	c->every = every;
	return true;
}

/**
 * jtrace_clauses_parse() - parse the clauses of an event
 * @c: result
 * @fields: of the event
 * @nr: how many
 * @text: no clause means to record all hits
 * @refusal: filled if the text is refused
 *
 * Return: false if the text is refused.
 */
bool jtrace_clauses_parse(struct jtrace_clauses *c, const struct jtrace_field *fields, u32 nr,
			  const char *text, struct jtrace_refusal *refusal)
{
	struct words w = { text, text, refusal };

	memset(c, 0, sizeof(*c));
	for (words_skip_space(&w); *w.at; words_skip_space(&w)) {
		const char *from = w.at;

		if (!c->every && words_take(&w, "every")) {
			if (!take_every(&w, c))
				return false;
		} else if (!c->nr && words_take(&w, "if")) {
			if (!take_conditions(&w, fields, nr, c))
				return false;
		} else {
			return words_refuse(&w, from,
				      "expected every=N or \"if\", each once, or the end");
		}
	}
	if (!c->every)
		c->every = 1;
	return true;
}

/* ---- Clauses to text -------------------------------------------------- */

/**
 * jtrace_clauses_text() - write clauses as jtrace_clauses_parse() reads them
 * @c: clauses
 * @fields: of the event
 * @to: buffer for the text, which ends with NUL; it is empty, or begins with a blank
 * @size: bytes, not 0
 *
 * Return: length of the text, cut to @size - 1.
 */
size_t jtrace_clauses_text(const struct jtrace_clauses *c, const struct jtrace_field *fields,
			   char *to, size_t size)
{
	struct pen p = { to, to + size - 1 };
	u32 i;

	if (c->every != 1)
		pen_format(&p, " every=%u", c->every);
	for (i = 0; i < c->nr; i++) {
		pen_format(&p, " %s %s ", i ? "and" : "if", fields[c->cond[i].field].name);
		jtrace_compare_text(&c->cond[i].compare, &p);
	}
	*p.at = 0;
	return p.at - to;
}
