/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _JTRACE_COMPARE_H
#define _JTRACE_COMPARE_H

#include "../base/pen.h"
#include "../base/words.h"

#include <linux/jtrace_field.h>

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
 * struct jtrace_compare - OP VALUE
 * @type: enum jtrace_field_type of what is compared
 * @op: enum jtrace_op
 * @string: compare the second half, too
 * @negate: the two halves must differ
 * @value: to compare with; 64 bits, or 16 bytes of a string
 * @mask: bits of the value that count
 * @low: of these, the lowest value in the range
 * @span: the highest one is @low + @span
 *
 * All operators are one comparison, because a range may wrap.  A text of less than 8 bytes is a
 * number: @mask has its bytes and the NUL.
 */
struct jtrace_compare {
	u8 type;
	u8 op;
	bool string;
	bool negate;
	u64 value[2];
	u64 mask;
	u64 low;
	u64 span;
};

/*
 * Inlined, and in two steps, because only a string needs its second half: a filter must cost less
 * than the record that it saves.
 */

/* The offset of a value from the start of the range.  Of @string: 0 if the first half is equal. */
static __always_inline u64 jtrace_compare_offset(const struct jtrace_compare *c, u64 value)
{
	return (value & c->mask) - c->low;
}

/* The offset of @string: in the range of one if it holds. */
static __always_inline u64 jtrace_compare_second(const struct jtrace_compare *c, u64 offset,
						 u64 value)
{
	return (offset | (value ^ c->value[1])) - c->negate;
}

/* Is the comparison true? */
static __always_inline bool jtrace_compare_holds(const struct jtrace_compare *c, u64 offset)
{
	return offset <= c->span;
}

bool jtrace_compare_is_operator(const char *word, u32 n);
bool jtrace_compare_parse(struct jtrace_compare *c, struct words *w, u32 left);
void jtrace_compare_shift(struct jtrace_compare *c, u32 left);
void jtrace_compare_text(const struct jtrace_compare *c, struct pen *p);

#endif /* _JTRACE_COMPARE_H */
