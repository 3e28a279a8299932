/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _JTRACE_CLAUSE_H
#define _JTRACE_CLAUSE_H

#include "env.h"

#include <linux/jtrace_field.h>

/* Most fields of an event, and conditions of a clause. */
#define JTRACE_FIELDS		6
#define JTRACE_CONDITIONS	6

enum jtrace_op {
	JTRACE_OP_EQ,
	JTRACE_OP_NE,
	JTRACE_OP_LT,
	JTRACE_OP_LE,
	JTRACE_OP_GT,
	JTRACE_OP_GE,
	JTRACE_OP_HAS,		/* all bits of the value are set */
};

/**
 * struct jtrace_condition - FIELD OP VALUE
 * @field: index of the field
 * @type: enum jtrace_field_type
 * @op: enum jtrace_op
 * @value: to compare with; 64 bits, or 16 bytes of a string
 * @word: index of the payload's word that has the field; of a string, of those with its halves
 * @left: shift that puts the field at the top of its word
 * @string: test the second half, too
 * @negate: the condition is true if the range below does not have the value
 * @mask: bits of the shifted word that count
 * @low: of these, the lowest value in the range
 * @span: the highest one is @low + @span
 *
 * All operators are one comparison, because a range may wrap.
 */
struct jtrace_condition {
	u8 field;
	u8 type;
	u8 op;
	u64 value[2];
	u8 word[2];
	u8 left;
	bool string;
	bool negate;
	u64 mask;
	u64 low;
	u64 span;
};

/**
 * struct jtrace_clauses - which hits of an event are recorded
 * @every: record each Nth of those that meet all conditions; 1 for all
 * @nr: number of conditions
 * @cond: they must all be true
 */
struct jtrace_clauses {
	u32 every;
	u32 nr;
	struct jtrace_condition cond[JTRACE_CONDITIONS];
};

/**
 * struct jtrace_refusal - why a text is refused
 * @why: in words
 * @at: offset in the text, in bytes
 */
struct jtrace_refusal {
	const char *why;
	u32 at;
};

static __always_inline u64 jtrace_pick_word(u32 i, u64 ab, u64 cd, u64 e, u64 f)
{
	return i < 2 ? (i ? cd : ab) : (i == 2 ? e : f);
}

/**
 * jtrace_clauses_hold() - test the conditions
 * @c: clauses
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
static __always_inline bool jtrace_clauses_hold(const struct jtrace_clauses *c, u64 ab, u64 cd,
						u64 e, u64 f)
{
	const struct jtrace_condition *cond = c->cond, *end = cond + c->nr;
	u64 value;

	for (; cond < end; cond++) {
		value = jtrace_pick_word(cond->word[0], ab, cd, e, f);
		value = (value << cond->left & cond->mask) - cond->low;
		if (unlikely(cond->string))
			value |= jtrace_pick_word(cond->word[1], ab, cd, e, f) ^ cond->value[1];
		if (cond->negate ? value <= cond->span : value > cond->span)
			return false;
	}
	return true;
}

bool jtrace_clauses_parse(struct jtrace_clauses *c, const struct jtrace_field *fields, u32 nr,
			  const char *text, struct jtrace_refusal *refusal);
size_t jtrace_clauses_text(const struct jtrace_clauses *c, const struct jtrace_field *fields,
			   char *to, size_t size);
size_t jtrace_fields_text(const struct jtrace_field *fields, u32 nr, char *to, size_t size);
bool jtrace_fields_args(const struct jtrace_field *fields, u32 nr, u32 *args);

#endif /* _JTRACE_CLAUSE_H */
