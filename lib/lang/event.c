// SPDX-License-Identifier: GPL-2.0
/*
 * Which hits of an event are recorded:
 *
 *	[CLAUSES] [if FIELD OP VALUE [and FIELD OP VALUE]...] [CLAUSES]
 *
 * clauses.c parses CLAUSES, compare.c parses OP VALUE.  "and" may be written &&.
 */

#include "event.h"

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
			    struct jtrace_event_filter *filter)
{
	do {
		if (filter->nr == JTRACE_CONDITIONS)
			return words_refuse(w, w->at, "there are at most 6 conditions");
		if (!take_condition(w, fields, nr, &filter->cond[filter->nr]))
			return false;
		filter->nr++;
	} while (words_take(w, "and") || words_take(w, "&&"));
	return true;
}

static bool take_part(struct words *w, const struct jtrace_field *fields, u32 nr,
		      struct jtrace_event_filter *filter)
{
	if (!filter->nr && words_take(w, "if"))
		return take_conditions(w, fields, nr, filter);
	return jtrace_clause_parse(&filter->clauses, w);
}

/**
 * jtrace_event_parse() - parse which hits of an event are recorded
 * @filter: result
 * @fields: of the event
 * @nr: how many
 * @text: conditions and clauses; none means to record all hits
 * @refusal: filled if the text is refused
 *
 * Return: false if the text is refused.
 */
bool jtrace_event_parse(struct jtrace_event_filter *filter, const struct jtrace_field *fields,
			u32 nr, const char *text, struct jtrace_refusal *refusal)
{
	struct jtrace_clauses *c = &filter->clauses;
	struct words w = { text, text, refusal };

	memset(filter, 0, sizeof(*filter));
	for (words_skip_space(&w); *w.at; words_skip_space(&w))
		if (!take_part(&w, fields, nr, filter))
			return false;
	jtrace_clauses_finish(c);
	filter->has_more = c->skip || c->rate || c->stops || c->stack || *c->in || *c->on ||
			   *c->off;
	return true;
}

/**
 * jtrace_event_text() - write a filter as jtrace_event_parse() reads it
 * @filter: the filter
 * @fields: of the event
 * @to: buffer for the text, which ends with NUL; it is empty, or begins with a blank
 * @size: bytes, not 0
 *
 * Return: length of the text, cut to @size - 1.
 */
size_t jtrace_event_text(const struct jtrace_event_filter *filter,
			 const struct jtrace_field *fields, char *to, size_t size)
{
	struct pen p = { to, to + size - 1 };
	u32 i;

	for (i = 0; i < filter->nr; i++) {
		pen_format(&p, " %s %s ", i ? "and" : "if", fields[filter->cond[i].field].name);
		jtrace_compare_text(&filter->cond[i].compare, &p);
	}
	jtrace_clauses_text(&filter->clauses, &p);
	*p.at = 0;
	return p.at - to;
}
