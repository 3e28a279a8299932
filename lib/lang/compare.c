// SPDX-License-Identifier: GPL-2.0
/*
 * Compare a value of an event: OP VALUE.
 *
 * OP is eq, ne, lt, le, gt, ge, has, or == != < <= > >= &; value.c parses VALUE.
 */

#include "compare.h"
#include "value.h"

static const char * const op_names[][2] = {
	[JTRACE_OP_EQ] = { "eq", "==" }, [JTRACE_OP_NE] = { "ne", "!=" },
	[JTRACE_OP_LT] = { "lt", "<" }, [JTRACE_OP_LE] = { "le", "<=" },
	[JTRACE_OP_GT] = { "gt", ">" }, [JTRACE_OP_GE] = { "ge", ">=" },
	[JTRACE_OP_HAS] = { "has", "&" },
};

/* Not the values in the range, but all others. */
static void take_others(struct jtrace_compare *c)
{
	if (c->span == ~0ULL) {
		/* None: no value is 1. */
		c->mask = 0;
		c->low = 1;
		c->span = 0;
		return;
	}
	c->low += c->span + 1;
	c->span = -c->span - 2;
}

static void compile_text(struct jtrace_compare *c)
{
	bool differ = c->op == JTRACE_OP_NE;
	u32 n = 0;

	c->string = false;
	c->low = c->value[0];
	c->span = 0;
	while (n < 8 && c->value[0] >> 8 * n & 0xff)
		n++;
	c->mask = n < 8 ? ~0ULL >> (56 - 8 * n) : ~0ULL;
	if (n == 8 && c->type & JTRACE_FIELD_STRING) {
		/* The offset is 0 if both halves are equal, less 1 if they must differ. */
		c->string = true;
		c->negate = differ;
		c->span = differ ? ~0ULL - 1 : 0;
	} else if (differ) {
		take_others(c);
	}
}

/**
 * jtrace_compare_shift() - compute the range
 * @c: the comparison
 * @left: jtrace_compare_offset() gets the value shifted left by so many bits; bits below these do
 *	not count
 */
void jtrace_compare_shift(struct jtrace_compare *c, u32 left)
{
	/* Signed numbers as unsigned ones in the same order: the range of those >= @value wraps. */
	u64 least = jtrace_field_signed(c->type) ? 1ULL << 63 : 0;
	u64 value = c->value[0] << left;

	if (jtrace_field_is_text(c->type)) {
		compile_text(c);
		return;
	}
	c->mask = ~0ULL << left;
	if (c->op == JTRACE_OP_HAS)
		c->mask &= value;
	switch (c->op) {
	case JTRACE_OP_HAS:
	case JTRACE_OP_EQ:
	case JTRACE_OP_NE:
		c->low = value;
		c->span = 0;
		break;
	case JTRACE_OP_LT:
	case JTRACE_OP_GE:
		/* From @value to the greatest one. */
		c->low = value;
		c->span = least - 1 - value;
		break;
	default:
		/* From the least one to @value. */
		c->low = least;
		c->span = value - least;
	}
	if (c->op == JTRACE_OP_NE || c->op == JTRACE_OP_LT || c->op == JTRACE_OP_GT)
		take_others(c);
}

/* Find an operator by its name: enum jtrace_op, or one more than the last if there is none. */
static u32 find_operator(const char *word, u32 n)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(op_names); i++)
		if (words_match(word, n, op_names[i][0]) || words_match(word, n, op_names[i][1]))
			break;
	return i;
}

/**
 * jtrace_compare_is_operator() - is a word an operator?
 * @word: the word, not terminated
 * @n: its length
 */
bool jtrace_compare_is_operator(const char *word, u32 n)
{
	return find_operator(word, n) < ARRAY_SIZE(op_names);
}

static bool take_operator(struct words *w, struct jtrace_compare *c)
{
	u32 n, i;

	words_skip_space(w);
	n = words_length(w);
	i = find_operator(w->at, n);
	if (i == ARRAY_SIZE(op_names))
		return words_refuse(w, w->at, "expected eq, ne, lt, le, gt, ge or has");
	if (jtrace_field_is_text(c->type) && i > JTRACE_OP_NE)
		return words_refuse(w, w->at, "a string takes eq or ne");
	c->op = i;
	w->at += n;
	return true;
}

/**
 * jtrace_compare_parse() - parse OP VALUE
 * @c: result; @c->type is set
 * @w: text
 * @left: see jtrace_compare_shift()
 *
 * Return: false if it is refused.
 */
bool jtrace_compare_parse(struct jtrace_compare *c, struct words *w, u32 left)
{
	if (!take_operator(w, c))
		return false;
	words_skip_space(w);
	if (!jtrace_value_take(w, c->type, c->value))
		return false;
	jtrace_compare_shift(c, left);
	return true;
}

/**
 * jtrace_compare_text() - write OP VALUE as jtrace_compare_parse() reads it
 * @c: the comparison
 * @p: where to
 */
void jtrace_compare_text(const struct jtrace_compare *c, struct pen *p)
{
	pen_text(p, op_names[c->op][0]);
	pen_char(p, ' ');
	jtrace_value_text(p, c->type, c->value);
}
