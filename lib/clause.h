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
 * @place: of the value in an entry; of a string, those of its halves
 * @value: to compare with; 64 bits, or 16 bytes of a string
 */
struct jtrace_condition {
	u8 field;
	u8 type;
	u8 op;
	s8 place[2];
	u64 value[2];
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

/**
 * jtrace_clauses_hold() - test the conditions
 * @c: clauses
 * @word: &jtrace_payload.word of the event
 *
 * Context: Any.
 * Return: true if all of them are true.
 */
bool jtrace_clauses_hold(const struct jtrace_clauses *c, const u64 *word);

bool jtrace_clauses_parse(struct jtrace_clauses *c, const struct jtrace_field *fields, u32 nr,
			  const char *text, struct jtrace_refusal *refusal);
size_t jtrace_clauses_text(const struct jtrace_clauses *c, const struct jtrace_field *fields,
			   char *to, size_t size);
size_t jtrace_fields_text(const struct jtrace_field *fields, u32 nr, char *to, size_t size);
bool jtrace_fields_args(const struct jtrace_field *fields, u32 nr, u32 *args);

#endif /* _JTRACE_CLAUSE_H */
