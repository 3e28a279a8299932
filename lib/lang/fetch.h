/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _JTRACE_FETCH_H
#define _JTRACE_FETCH_H

#include "clauses.h"
#include "compare.h"
#include "field.h"

/* Most values and conditions of a probe, and dereferences of a value. */
#define JTRACE_FETCH_VALUES	JTRACE_FIELDS
#define JTRACE_FETCH_CONDITIONS	6
#define JTRACE_FETCH_LOADS	6

/* Most bytes of a field's name. */
#define JTRACE_FETCH_NAME	31

/**
 * struct jtrace_fetch_register - a register that a text may name
 * @name: without "%" or "$"
 * @at: offset in the context
 */
struct jtrace_fetch_register {
	const char *name;
	u32 at;
};

struct words;

/*
 * Is the next FETCH[:TYPE] one that the caller of the parser knows, a path of names?  If so, take
 * it, set @fetch to the text that it stands for, which must last until it is parsed, and write the
 * name of the field to @name, JTRACE_FETCH_NAME bytes and a NUL, unless that is NULL.  If not,
 * leave all as it is.  Returns false if it is refused.
 */
typedef bool (*jtrace_fetch_path)(void *data, struct words *w, char *name, const char **fetch);

/**
 * struct jtrace_fetch_context - what a text may name at a kind of place
 * @registers: in any order; each has 8 bytes, as all that the context holds
 * @nr_registers: how many
 * @arg: offsets of the arguments
 * @nr_args: how many
 * @nr_more: the last of them are not in the context, but in 8 bytes each from the address at @more
 * @has_retval: @retval is valid
 * @has_stack: @stack is valid
 * @retval: offset of the return value
 * @stack: offset of the stack pointer
 * @variables: what else the context has, named with "$"
 * @nr_variables: how many
 * @given: the values that each program begins with, as text; NULL: none
 * @more: offset of the address of the last arguments
 * @path: takes a FETCH that only its caller knows, see jtrace_fetch_path; NULL: there is none
 * @data: for @path
 *
 * The context of a kprobe is its struct pt_regs; in that of a watchpoint, more follows.  That of a
 * function is its struct pt_regs, with the function and its caller in two places that mean nothing
 * there.  That of a tracepoint is an array of the arguments that come in registers; the others may
 * not be there, so they are loaded.
 */
struct jtrace_fetch_context {
	const struct jtrace_fetch_register *registers;
	u32 nr_registers;
	u32 arg[8];
	u32 nr_args;
	u32 nr_more;
	bool has_retval;
	bool has_stack;
	u32 retval;
	u32 stack;
	const struct jtrace_fetch_register *variables;
	u32 nr_variables;
	const char *given;
	u32 more;
	jtrace_fetch_path path;
	void *data;
};

/* Where a value, or the chain of its loads, begins. */
enum jtrace_fetch_source {
	JTRACE_FETCH_REGISTER,
	JTRACE_FETCH_ARG,
	JTRACE_FETCH_RETVAL,
	JTRACE_FETCH_STACK,
	JTRACE_FETCH_VARIABLE,	/* of a watchpoint or a function */
	JTRACE_FETCH_NUMBER,
	JTRACE_FETCH_ADDRESS,
	JTRACE_FETCH_COMM,	/* name of the task */
	JTRACE_FETCH_REGS,	/* number of the hit; its registers are in entries of their own */
};

/* How jtrace_fetch_lean() fetches a value. */
enum jtrace_shape {
	JTRACE_SHAPE_ANY,	/* not: jtrace_fetch_run() does */
	JTRACE_SHAPE_WORD,	/* a word of the context */
	JTRACE_SHAPE_LOAD,	/* one load of 8 bytes */
	JTRACE_SHAPE_LOADS,	/* other loads, the last one of a number */
};

/**
 * struct jtrace_fetch - how to fetch a value
 * @type: enum jtrace_field_type
 * @source: enum jtrace_fetch_source
 * @nr: index of its register or variable, number of its argument; of $stackN, N + 1, and 0 of
 *	$stack
 * @constant: it begins with @number, not with a word of the context
 * @width: bytes of the last load, without one of the type; if it takes two places, of each half
 * @left: shift that leaves a narrow value in the upper bits of 64
 * @is_signed: extend its sign
 * @nr_loads: how many
 * @shape: enum jtrace_shape
 * @raise: jtrace_fetch_lean() shifts it by so many bits; of JTRACE_SHAPE_LOAD, 0
 * @at: offset in the context
 * @number: the number, or the address
 * @offset: added before each load
 */
struct jtrace_fetch {
	u8 type;
	u8 source;
	u16 nr;
	bool constant;
	u8 width;
	u8 left;
	bool is_signed;
	u8 nr_loads;
	u8 shape;
	u8 raise;
	u32 at;
	u64 number;
	u64 offset[JTRACE_FETCH_LOADS];
};

/**
 * struct jtrace_fetch_value - a value that is recorded
 * @fetch: how
 * @name: of the field
 * @word: index of the payload's word; if it takes two places, of both
 * @shift: puts it in the upper half of its word
 * @narrow: only its lower 32 bits count
 * @to: offset in the payload
 */
struct jtrace_fetch_value {
	struct jtrace_fetch fetch;
	char name[JTRACE_FETCH_NAME + 1];
	u8 word[2];
	u8 shift;
	bool narrow;
	u8 to;
};

/**
 * struct jtrace_fetch_copy - a value that is in the context as it is in the payload
 * @from: offset in the context
 * @to: offset in the payload
 */
struct jtrace_fetch_copy {
	u16 from;
	u16 to;
};

/**
 * struct jtrace_fetch_condition - FETCH OP VALUE
 * @fetch: what to compare
 * @compare: with what
 * @raised: the same for a value that jtrace_fetch_lean() fetches
 * @more: another one follows
 */
struct jtrace_fetch_condition {
	struct jtrace_fetch fetch;
	struct jtrace_compare compare;
	struct jtrace_compare raised;
	bool more;
};

/**
 * struct jtrace_program - what a probe fetches, and when
 * @nr_values: how many
 * @nr_given: how many of them its text does not have
 * @nr_conditions: how many
 * @regs: 1 + index of the value that is the number of the hit, which the caller adds; 0 without
 *	$regs
 * @lean: jtrace_program_test() may know whether the conditions hold
 * @nr_halves: how many of the values are in @half
 * @nr_words: in @word
 * @nr_loaded: in @loaded
 * @nr_slow: in @slow
 * @half: copies of 4 bytes
 * @word: copies of 8 bytes
 * @loaded: offsets in @value of those that jtrace_fetch_lean() fetches
 * @slow: indices of those that jtrace_program_value() fetches
 * @value: values that it records
 * @condition: they must all be true
 */
struct jtrace_program {
	u32 nr_values;
	u32 nr_given;
	u32 nr_conditions;
	u32 regs;
	bool lean;
	u8 nr_halves;
	u8 nr_words;
	u8 nr_loaded;
	u8 nr_slow;
	struct jtrace_fetch_copy half[JTRACE_FETCH_VALUES];
	struct jtrace_fetch_copy word[JTRACE_FETCH_VALUES];
	u16 loaded[JTRACE_FETCH_VALUES];
	u8 slow[JTRACE_FETCH_VALUES];
	struct jtrace_fetch_value value[JTRACE_FETCH_VALUES];
	struct jtrace_fetch_condition condition[JTRACE_FETCH_CONDITIONS];
};

/**
 * struct jtrace_fetch_hit - a hit
 * @context: as &struct jtrace_fetch_context describes it
 * @comm: name of the task, 16 bytes
 * @faults: loads that failed are added
 */
struct jtrace_fetch_hit {
	const void *context;
	const char *comm;
	u32 faults;
};

/*
 * Load @width bytes, 1 to 8, from @address.  Returns false if it cannot.  The caller passes a
 * function that can be inlined: loads are most of the time that a program takes.
 */
typedef bool (*jtrace_fetch_load)(void *to, u64 address, u32 width);

/* Load a number of this width; 8 bytes of text are in the same order. */
static __always_inline bool jtrace_fetch_number(u64 *value, u64 address, u32 width,
						jtrace_fetch_load load)
{
	union {
		u64 all;
		u32 half;
		u16 quarter;
		u8 byte;
	} to;

	switch (width) {
	case 8:
		if (!load(&to.all, address, 8))
			return false;
		*value = to.all;
		return true;
	case 4:
		if (!load(&to.half, address, 4))
			return false;
		*value = to.half;
		return true;
	case 2:
		if (!load(&to.quarter, address, 2))
			return false;
		*value = to.quarter;
		return true;
	default:
		if (!load(&to.byte, address, 1))
			return false;
		*value = to.byte;
		return true;
	}
}

/* A string may end right before memory that cannot be read. */
static __always_inline bool jtrace_fetch_text(u64 *half, u64 address, jtrace_fetch_load load)
{
	u64 text;
	u32 i;
	u8 c;

	if (load(&text, address, 8)) {
		*half = jtrace_field_cut(le64_to_cpu((__force __le64)text));
		return true;
	}
	*half = 0;
	for (i = 0; i < 8; i++) {
		if (!load(&c, address + i, 1))
			return false;
		if (!c)
			break;
		*half |= (u64)c << 8 * i;
	}
	return true;
}

static __always_inline void jtrace_fetch_comm(const char *comm, u64 *half)
{
	__le64 text[2];

	memcpy(text, comm, sizeof(text));
	half[0] = jtrace_field_cut(le64_to_cpu(text[0]));
	half[1] = half[0] >> 56 ? jtrace_field_cut(le64_to_cpu(text[1])) : 0;
}

/* 16 bytes of memory. */
static __always_inline bool jtrace_fetch_bytes(u64 *half, u64 address, jtrace_fetch_load load)
{
	u64 first, second;

	if (!load(&first, address, 8) || !load(&second, address + 8, 8))
		return false;
	half[0] = le64_to_cpu((__force __le64)first);
	half[1] = le64_to_cpu((__force __le64)second);
	return true;
}

/* Fetch a value, @second: with its second half.  A load fails: false, all ones, counted. */
static __always_inline bool jtrace_fetch_run(const struct jtrace_fetch *f,
					     struct jtrace_fetch_hit *hit, u64 *value,
					     bool second, jtrace_fetch_load load)
{
	u64 v;
	u32 i;

	if (unlikely(f->source == JTRACE_FETCH_COMM)) {
		jtrace_fetch_comm(hit->comm, value);
		return true;
	}
	v = f->constant ? f->number : *(const u64 *)(hit->context + f->at);
	if (f->nr_loads) {
		for (i = 0; i + 1 < f->nr_loads; i++)
			if (!load(&v, v + f->offset[i], 8))
				goto fault;
		v += f->offset[i];
		if (jtrace_field_is_text(f->type)) {
			if (!jtrace_fetch_text(&value[0], v, load))
				goto fault;
			value[1] = 0;
			if (second && value[0] >> 56 &&
			    !jtrace_fetch_text(&value[1], v + 8, load))
				goto fault;
			return true;
		}
		if (second && f->type == JTRACE_FIELD_bytes) {
			if (!jtrace_fetch_bytes(value, v, load))
				goto fault;
			return true;
		}
		if (!jtrace_fetch_number(&v, v, f->width, load))
			goto fault;
	}
	v <<= f->left;
	value[0] = f->is_signed ? (u64)((s64)v >> f->left) : v >> f->left;
	return true;
fault:
	hit->faults++;
	value[0] = ~0ULL;
	value[1] = ~0ULL;
	return false;
}

/* A condition whose load fails does not hold, whatever it asks for; add faults. */
static __always_inline bool jtrace_condition_holds(const struct jtrace_fetch_condition *c,
						   struct jtrace_fetch_hit *hit,
						   jtrace_fetch_load load)
{
	u64 value[2] = { 0 }, at;

	if (!jtrace_fetch_run(&c->fetch, hit, value, c->compare.string, load))
		return false;
	at = jtrace_compare_offset(&c->compare, value[0]);
	if (unlikely(c->compare.string))
		at = jtrace_compare_second(&c->compare, at, value[1]);
	return jtrace_compare_holds(&c->compare, at);
}

/**
 * jtrace_program_holds() - fetch and test the conditions of a hit
 * @p: the program
 * @hit: the hit
 * @load: see &jtrace_fetch_load
 *
 * Context: Any.
 * Return: false if a condition is false.
 */
static __always_inline bool jtrace_program_holds(const struct jtrace_program *p,
						 struct jtrace_fetch_hit *hit,
						 jtrace_fetch_load load)
{
	u32 i;

	for (i = 0; i < p->nr_conditions; i++)
		if (!jtrace_condition_holds(&p->condition[i], hit, load))
			return false;
	return true;
}

/**
 * jtrace_program_value() - fetch a value of a hit
 * @p: the program
 * @i: index of the value
 * @hit: the hit
 * @payload: the value is added; zeroed before the first one
 * @load: see &jtrace_fetch_load
 *
 * Context: Any.
 */
static __always_inline void jtrace_program_value(const struct jtrace_program *p, u32 i,
						 struct jtrace_fetch_hit *hit, u64 *payload,
						 jtrace_fetch_load load)
{
	const struct jtrace_fetch_value *v = &p->value[i];
	u64 value[2] = { 0 };

	jtrace_fetch_run(&v->fetch, hit, value, jtrace_field_is_double(v->fetch.type), load);
	if (v->narrow)
		value[0] = (u32)value[0];
	payload[v->word[0]] |= value[0] << v->shift;
	if (jtrace_field_is_double(v->fetch.type))
		payload[v->word[1]] = value[1];
}

/* ---- The same with few instructions ----------------------------------- */

/* Fetch a value that is not JTRACE_SHAPE_ANY; false if a load fails. */
static __always_inline bool jtrace_fetch_lean(const struct jtrace_fetch *f, const void *context,
					      u64 *value, jtrace_fetch_load load)
{
	u64 v = *(const u64 *)(context + f->at);
	const u64 *offset = f->offset, *last;

	if (likely(f->shape == JTRACE_SHAPE_LOAD))
		return load(value, v + *offset, 8);
	if (f->shape == JTRACE_SHAPE_LOADS) {
		for (last = offset + f->nr_loads - 1; offset < last; offset++)
			if (!load(&v, v + *offset, 8))
				return false;
		if (!jtrace_fetch_number(&v, v + *offset, f->width, load))
			return false;
	}
	*value = v << f->raise;
	return true;
}

enum jtrace_truth {
	JTRACE_IS_FALSE,
	JTRACE_IS_TRUE,
	JTRACE_IS_UNKNOWN,
};

/**
 * jtrace_program_test() - test the conditions of a hit
 * @p: the program, @p->lean
 * @context: of the hit
 * @load: see &jtrace_fetch_load
 *
 * Context: Any.
 * Return: JTRACE_IS_UNKNOWN if jtrace_program_holds() must tell, because a load failed.
 */
static __always_inline enum jtrace_truth jtrace_program_test(const struct jtrace_program *p,
							     const void *context,
							     jtrace_fetch_load load)
{
	const struct jtrace_fetch_condition *c = p->condition;
	u64 value;

	if (!p->nr_conditions)
		return JTRACE_IS_TRUE;
	do {
		if (unlikely(!jtrace_fetch_lean(&c->fetch, context, &value, load)))
			return JTRACE_IS_UNKNOWN;
		if (!jtrace_compare_holds(&c->raised, jtrace_compare_offset(&c->raised, value)))
			return JTRACE_IS_FALSE;
	} while (c++->more);
	return JTRACE_IS_TRUE;
}

/**
 * jtrace_program_fetch() - fetch the values of a hit that have a shape
 * @p: the program; jtrace_program_value() fetches the @p->nr_slow others
 * @context: of the hit
 * @payload: result, zeroed by the caller
 * @load: see &jtrace_fetch_load
 *
 * Context: Any.
 * Return: false if a load failed: jtrace_program_value() must fetch all, into zeros.
 */
static __always_inline bool jtrace_program_fetch(const struct jtrace_program *p,
						 const void *context, void *payload,
						 jtrace_fetch_load load)
{
	const struct jtrace_fetch_value *v;
	u64 value;
	u32 i, half;

	for (i = 0; i < p->nr_halves; i++) {
		half = *(const u64 *)(context + p->half[i].from);
		memcpy(payload + p->half[i].to, &half, sizeof(half));
	}
	for (i = 0; i < p->nr_words; i++)
		*(u64 *)(payload + p->word[i].to) = *(const u64 *)(context + p->word[i].from);
	for (i = 0; i < p->nr_loaded; i++) {
		v = (const void *)p->value + p->loaded[i];
		if (unlikely(!jtrace_fetch_lean(&v->fetch, context, &value, load)))
			return false;
		if (v->narrow) {
			half = value;
			memcpy(payload + v->to, &half, sizeof(half));
		} else {
			*(u64 *)(payload + v->to) = value;
		}
	}
	return true;
}

bool jtrace_program_values(struct jtrace_program *p, const struct jtrace_fetch_context *context,
			   struct words *w);
bool jtrace_program_conditions(struct jtrace_program *p,
			       const struct jtrace_fetch_context *context, struct words *w);
size_t jtrace_program_text(const struct jtrace_program *p,
			   const struct jtrace_fetch_context *context, char *to, size_t size);
void jtrace_program_fields(const struct jtrace_program *p, struct jtrace_field *fields);

/**
 * jtrace_fetch_is_reserved() - does a word mean something else, so that it cannot be a name?
 * @word: the word, not terminated
 * @n: its length
 */
static inline bool jtrace_fetch_is_reserved(const char *word, u32 n)
{
	return jtrace_clause_is_word(word, n) || jtrace_compare_is_operator(word, n);
}

#endif /* _JTRACE_FETCH_H */
