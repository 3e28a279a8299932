/* SPDX-License-Identifier: GPL-2.0 */
/* Which hits of an event are recorded. */
#ifndef _JTRACE_LIB_EVENT_H
#define _JTRACE_LIB_EVENT_H

#include "clauses.h"
#include "compare.h"
#include "field.h"

/* Most conditions of an event. */
#define JTRACE_CONDITIONS	6

/**
 * struct jtrace_condition - FIELD OP VALUE
 * @field: index of the field
 * @word: index of the payload's word that has the field; of a string, of those with its halves
 * @left: shift that puts a narrow field in the upper half of its word
 * @compare: with what
 */
struct jtrace_condition {
	u8 field;
	u8 word[2];
	u8 left;
	struct jtrace_compare compare;
};

/**
 * struct jtrace_event_filter - which hits of an event are recorded
 * @has_more: there are clauses other than every=
 * @nr: number of conditions
 * @cond: they must all be true
 * @clauses: see there
 */
struct jtrace_event_filter {
	bool has_more;
	u32 nr;
	struct jtrace_condition cond[JTRACE_CONDITIONS];
	struct jtrace_clauses clauses;
};

static __always_inline u64 jtrace_pick_word(u32 i, u64 ab, u64 cd, u64 e, u64 f)
{
	return i < 2 ? (i ? cd : ab) : (i == 2 ? e : f);
}

/**
 * jtrace_event_holds() - test the conditions
 * @filter: has them
 * @ab: &jtrace_payload.word[0] of the event
 * @cd: the next one
 * @e: same
 * @f: same
 *
 * Inlined, and without an array: a filter must cost less than the record that it saves.
 *
 * Context: Any.
 * Return: true if all of them are true.
 */
static __always_inline bool jtrace_event_holds(const struct jtrace_event_filter *filter, u64 ab,
					       u64 cd, u64 e, u64 f)
{
	const struct jtrace_condition *cond = filter->cond, *end = cond + filter->nr;

	for (; cond < end; cond++) {
		u64 at = jtrace_compare_offset(&cond->compare,
					       jtrace_pick_word(cond->word[0], ab, cd, e, f) <<
					       cond->left);

		if (unlikely(cond->compare.string))
			at = jtrace_compare_second(&cond->compare, at,
						   jtrace_pick_word(cond->word[1], ab, cd, e, f));
		if (!jtrace_compare_holds(&cond->compare, at))
			return false;
	}
	return true;
}

bool jtrace_event_parse(struct jtrace_event_filter *filter, const struct jtrace_field *fields,
			u32 nr, const char *text, struct jtrace_refusal *refusal);
size_t jtrace_event_text(const struct jtrace_event_filter *filter,
			 const struct jtrace_field *fields, char *to, size_t size);

#endif /* _JTRACE_LIB_EVENT_H */
