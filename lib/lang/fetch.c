// SPDX-License-Identifier: GPL-2.0
/*
 * What a probe fetches, and when:
 *
 *	[[FIELD=]FETCH[:TYPE]]...
 *	if FETCH[:TYPE] OP VALUE [and FETCH[:TYPE] OP VALUE]...
 *
 * FETCH is that of the kernel's kprobe events (Documentation/trace/kprobetrace.rst): %REGISTER,
 * $argN, $retval, $stack, $stackN, $comm, @ADDRESS, \NUMBER, +OFFSET(FETCH) or -OFFSET(FETCH); of a
 * watchpoint $value, which was written, and $old, which was there at the last hit; of functions
 * $function and $caller.
 * TYPE is one of enum jtrace_field_type; x64 without, and string for $comm.  compare.c parses
 * OP VALUE.
 *
 * $regs is a value, too: the number of the hit, in the field "hit".  The entries that follow have
 * the registers of this hit, see lib/lang/probe.c.
 */

#include "../base/pen.h"
#include "clauses.h"
#include "fetch.h"

/* ---- FETCH ------------------------------------------------------------ */

/* Take a number; what may follow a FETCH ends it. */
static bool take_number(struct words *w, u64 *value)
{
	return words_number(w, " \t):=!<>&", value);
}

static bool take_register(struct words *w, const struct jtrace_fetch_context *context,
			  struct jtrace_fetch *f)
{
	u32 n, i;

	w->at++;
	n = words_length(w);
	for (i = 0; i < context->nr_registers; i++)
		if (words_match(w->at, n, context->registers[i].name))
			break;
	if (i == context->nr_registers)
		return words_refuse(w, w->at, context->nr_registers ?
				    "there is no such register" : "there are no registers here");
	w->at += n;
	f->source = JTRACE_FETCH_REGISTER;
	f->nr = i;
	f->at = context->registers[i].at;
	return true;
}

/* Put a load that comes after those that are there. */
static bool put_load(struct words *w, struct jtrace_fetch *f, u64 offset)
{
	if (f->nr_loads == JTRACE_FETCH_LOADS)
		return words_refuse(w, w->at, "a value takes at most 6 loads");
	f->offset[f->nr_loads++] = offset;
	return true;
}

static bool take_stack(struct words *w, const char *name,
		       const struct jtrace_fetch_context *context, struct jtrace_fetch *f)
{
	u64 nr;

	if (!context->has_stack)
		return words_refuse(w, name, "there is no stack here");
	f->source = JTRACE_FETCH_STACK;
	f->at = context->stack;
	f->nr = 0;
	if (words_digit(*w->at) > 9)
		return true;
	if (!take_number(w, &nr))
		return false;
	if (nr > 1023)
		return words_refuse(w, name, "N of $stackN is 0 to 1023");
	f->nr = nr + 1;
	return put_load(w, f, 8 * nr);
}

/* Is it an argument that must be loaded? */
static bool is_loaded_arg(const struct jtrace_fetch *f, const struct jtrace_fetch_context *context)
{
	return f->source == JTRACE_FETCH_ARG && f->nr > context->nr_args - context->nr_more;
}

static bool take_arg(struct words *w, const char *name, const struct jtrace_fetch_context *context,
		     struct jtrace_fetch *f)
{
	u64 nr;

	if (!take_number(w, &nr))
		return false;
	if (!nr || nr > context->nr_args)
		return words_refuse(w, name, context->nr_args ? "there is no such argument" :
				    "there are no arguments here");
	f->source = JTRACE_FETCH_ARG;
	f->nr = nr;
	if (is_loaded_arg(f, context)) {
		f->at = context->more;
		return put_load(w, f, 8 * (nr - 1 - (context->nr_args - context->nr_more)));
	}
	f->at = context->arg[nr - 1];
	return true;
}

/* Take what this kind of place has beyond others. */
static bool take_named(struct words *w, u32 n, const struct jtrace_fetch_context *context,
		       struct jtrace_fetch *f)
{
	u32 i;

	for (i = 0; i < context->nr_variables; i++)
		if (words_match(w->at, n, context->variables[i].name))
			break;
	if (i == context->nr_variables)
		return false;
	f->source = JTRACE_FETCH_VARIABLE;
	f->nr = i;
	f->at = context->variables[i].at;
	w->at += n;
	return true;
}

/* Take what begins with "$". */
static bool take_variable(struct words *w, const struct jtrace_fetch_context *context,
			  struct jtrace_fetch *f)
{
	const char *name = w->at++;
	u32 n = words_length(w);

	if (words_match(w->at, n, "comm")) {
		f->source = JTRACE_FETCH_COMM;
		w->at += n;
		return true;
	}
	if (words_match(w->at, n, "retval")) {
		if (!context->has_retval)
			return words_refuse(w, name, "there is no return value here");
		f->source = JTRACE_FETCH_RETVAL;
		f->at = context->retval;
		w->at += n;
		return true;
	}
	if (words_match(w->at, n, "regs")) {
		if (!context->nr_registers)
			return words_refuse(w, name, "there are no registers here");
		f->source = JTRACE_FETCH_REGS;
		f->constant = true;
		w->at += n;
		return true;
	}
	if (take_named(w, n, context, f))
		return true;
	if (words_match(w->at, n, "value") || words_match(w->at, n, "old"))
		return words_refuse(w, name, "only w has $value and $old");
	if (words_match(w->at, n, "function") || words_match(w->at, n, "caller"))
		return words_refuse(w, name, "only f has $function and $caller");
	if (n >= 5 && !memcmp(w->at, "stack", 5)) {
		w->at += 5;
		return take_stack(w, name, context, f);
	}
	if (n >= 3 && !memcmp(w->at, "arg", 3)) {
		w->at += 3;
		return take_arg(w, name, context, f);
	}
	return words_refuse(w, name, "expected argN, retval, stack, stackN, value, old, function, caller, comm or regs after $");
}

static bool take_constant(struct words *w, struct jtrace_fetch *f)
{
	bool address = *w->at++ == '@', negative = !address && *w->at == '-';

	w->at += negative;
	f->source = address ? JTRACE_FETCH_ADDRESS : JTRACE_FETCH_NUMBER;
	f->constant = true;
	if (!take_number(w, &f->number))
		return false;
	if (negative)
		f->number = -f->number;
	return !address || put_load(w, f, 0);
}

static bool take_source(struct words *w, const struct jtrace_fetch_context *context,
			struct jtrace_fetch *f)
{
	switch (*w->at) {
	case '%':
		return take_register(w, context, f);
	case '$':
		return take_variable(w, context, f);
	case '@':
	case '\\':
		return take_constant(w, f);
	}
	return words_refuse(w, w->at, "expected %REGISTER, $VARIABLE, @ADDRESS, \\NUMBER or +OFFSET(...)");
}

/* Take "+OFFSET(" or "-OFFSET(". */
static bool take_offset(struct words *w, u64 *offset)
{
	bool negative = *w->at++ == '-';

	if (!words_number(w, "(", offset))
		return false;
	if (*w->at++ != '(')
		return words_refuse(w, w->at - 1, "expected ( after the offset");
	if (negative)
		*offset = -*offset;
	return true;
}

static bool take_type(struct words *w, const struct jtrace_fetch_context *context,
		      struct jtrace_fetch *f)
{
	const char *from = w->at;
	u32 n;

	f->type = f->source == JTRACE_FETCH_COMM ? JTRACE_FIELD_string :
		  f->source == JTRACE_FETCH_REGS ? JTRACE_FIELD_u32 : JTRACE_FIELD_x64;
	if (*w->at == ':') {
		from = ++w->at;
		n = words_length(w);
		f->type = jtrace_field_type(w->at, n);
		if (!f->type)
			return words_refuse(w, from, JTRACE_NO_SUCH_TYPE);
		w->at += n;
	}
	if (f->source == JTRACE_FETCH_REGS && f->type != JTRACE_FIELD_u32)
		return words_refuse(w, from, "$regs is a u32, the number of the hit");
	if (f->source == JTRACE_FETCH_COMM) {
		if (!jtrace_field_is_text(f->type))
			return words_refuse(w, from, "$comm is a string or a string8");
	} else if (f->nr_loads == is_loaded_arg(f, context)) {
		if (jtrace_field_is_text(f->type))
			return words_refuse(w, from, "a string is loaded from memory: +0(...)");
		if (f->type == JTRACE_FIELD_bytes)
			return words_refuse(w, from, "bytes are loaded from memory: +0(...)");
	}
	f->width = jtrace_field_width(f->type);
	f->left = f->width < 8 ? 64 - 8 * f->width : 0;
	f->is_signed = jtrace_field_signed(f->type);
	return true;
}

/* Take FETCH[:TYPE] as it is written above. */
static bool take_plain(struct words *w, const struct jtrace_fetch_context *context,
		       struct jtrace_fetch *f)
{
	u64 offset[JTRACE_FETCH_LOADS];
	const char *from = w->at;
	u32 nr = 0, i;

	memset(f, 0, sizeof(*f));
	while (*w->at == '+' || *w->at == '-') {
		if (nr == JTRACE_FETCH_LOADS)
			return words_refuse(w, w->at, "a value takes at most 6 loads");
		if (!take_offset(w, &offset[nr++]))
			return false;
	}
	if (!take_source(w, context, f))
		return false;
	if (nr && (f->source == JTRACE_FETCH_COMM || f->source == JTRACE_FETCH_REGS))
		return words_refuse(w, from, f->source == JTRACE_FETCH_COMM ?
				    "$comm is no address" : "$regs is no address");
	/* The innermost one is loaded first. */
	for (i = 0; i < nr; i++) {
		if (*w->at != ')')
			return words_refuse(w, w->at, "a closing ) is missing");
		if (!put_load(w, f, offset[nr - 1 - i]))
			return false;
		w->at++;
	}
	return take_type(w, context, f);
}

/* Take FETCH[:TYPE]; @name: made for a path, if the field has none. */
static bool take_fetch(struct words *w, const struct jtrace_fetch_context *context,
		       struct jtrace_fetch *f, char *name)
{
	const char *from = w->at, *path = NULL;
	struct words inner;

	if (context->path && !context->path(context->data, w, name, &path))
		return false;
	if (!path)
		return take_plain(w, context, f);
	inner = (struct words){ path, path, w->refusal };
	return take_plain(&inner, context, f) || words_refuse(w, from, w->refusal->why);
}

/* ---- Values and conditions -------------------------------------------- */

/* The only name of $regs: readers find the registers of a hit by it. */
static const char hit_name[] = "hit";

/* Does a clause begin here?  A path may begin with the same word: "in.x". */
static bool ends_values(const struct words *w, const struct jtrace_fetch_context *context)
{
	u32 n = words_is_name(*w->at) ? words_length(w) : 0;

	return n && jtrace_clause_is_word(w->at, n) &&
	       !(context->path && w->at[n] && (strchr(".[", w->at[n]) ||
					       !strncmp(w->at + n, "->", 2)));
}

/* Take "FIELD=", or make a name; *@made: it is made. */
static bool take_name(struct words *w, const struct jtrace_fetch_context *context,
		      const struct jtrace_program *p, char *name, bool *made)
{
	u32 n = words_is_sign(*w->at) ? 0 : words_length(w);
	struct pen pen = { name, name + JTRACE_FETCH_NAME };

	/* The first word may be that of a path. */
	if (context->path && w->at[n] != '=')
		n = 0;
	*made = !n;
	if (n) {
		if (words_digit(*w->at) < 10)
			return words_refuse(w, w->at, "a name begins with a letter or _");
		if (n > JTRACE_FETCH_NAME)
			return words_refuse(w, w->at, "a name has at most 31 bytes");
		if (jtrace_fetch_is_reserved(w->at, n))
			return words_refuse(w, w->at, "this word cannot be a name");
		if (w->at[n] != '=')
			return words_refuse(w, w->at, "expected a value: [NAME=]FETCH[:TYPE]");
		pen_bytes(&pen, w->at, n);
	} else if (!strncmp(w->at, "$regs", 5)) {
		pen_text(&pen, hit_name);
	} else {
		pen_format(&pen, "arg%u", p->nr_values - p->nr_given + 1);
	}
	*pen.at = 0;
	w->at += n ? n + 1 : 0;
	return true;
}

static bool is_taken(const struct jtrace_program *p, const char *name)
{
	u32 i;

	for (i = 0; i < p->nr_values; i++)
		if (!strcmp(p->value[i].name, name))
			return true;
	return false;
}

/* Which shape has it, if its type needs no sign and no cut? */
static u8 find_shape(const struct jtrace_fetch *f)
{
	if (f->constant || f->source == JTRACE_FETCH_COMM)
		return JTRACE_SHAPE_ANY;
	if (!f->nr_loads)
		return JTRACE_SHAPE_WORD;
	return f->nr_loads == 1 && f->width == 8 ? JTRACE_SHAPE_LOAD : JTRACE_SHAPE_LOADS;
}

/* Find the way to fetch the last value. */
static void plan_value(struct jtrace_program *p, struct jtrace_fetch_value *v)
{
	struct jtrace_fetch_copy copy = { v->fetch.at, v->to };
	struct jtrace_fetch *f = &v->fetch;
	u8 shape = find_shape(f);

	/* Does it have the size of its place?  If not, the place has its sign, or zeros. */
	if (jtrace_field_is_text(f->type) || f->type == JTRACE_FIELD_bytes ||
	    (f->width < (v->narrow ? 4 : 8) && (f->is_signed || shape == JTRACE_SHAPE_WORD)))
		shape = JTRACE_SHAPE_ANY;
	f->shape = shape;
	if (shape == JTRACE_SHAPE_ANY)
		p->slow[p->nr_slow++] = v - p->value;
	else if (shape != JTRACE_SHAPE_WORD)
		p->loaded[p->nr_loaded++] = (void *)v - (void *)p->value;
	else if (v->narrow)
		p->half[p->nr_halves++] = copy;
	else
		p->word[p->nr_words++] = copy;
}

/* Find the way to test a condition. */
static void plan_condition(struct jtrace_program *p, struct jtrace_fetch_condition *c)
{
	struct jtrace_fetch *f = &c->fetch;

	f->raise = f->left;
	c->raised = c->compare;
	jtrace_compare_shift(&c->raised, f->raise);
	if (p->nr_conditions)
		c[-1].more = true;
	/* A text of less than 8 bytes is a number. */
	f->shape = c->compare.string ? JTRACE_SHAPE_ANY : find_shape(f);
	p->lean &= f->shape != JTRACE_SHAPE_ANY;
}

/* The value takes its place in an entry. */
static bool place_value(struct jtrace_program *p, struct jtrace_fetch_value *v)
{
	struct jtrace_field fields[JTRACE_FETCH_VALUES];
	bool shares;
	s8 place[2];

	jtrace_program_fields(p, fields);
	if (!jtrace_field_places(fields, p->nr_values - 1, place))
		return false;
	shares = jtrace_place_shares(place[0], jtrace_field_width(v->fetch.type));
	v->word[0] = jtrace_place_word(place[0]);
	v->word[1] = jtrace_place_word(place[1]);
	v->shift = shares && place[0] % 2 ? 32 : 0;
	v->narrow = shares;
	v->to = 8 * v->word[0] + v->shift / 8;
	plan_value(p, v);
	return true;
}

static bool take_values(struct jtrace_program *p, const struct jtrace_fetch_context *context,
			struct words *w)
{
	struct jtrace_fetch_value *v;
	const char *from;
	bool made;

	for (words_skip_space(w); *w->at; words_skip_space(w)) {
		from = w->at;
		if (ends_values(w, context))
			return true;
		if (p->nr_values == JTRACE_FETCH_VALUES)
			return words_refuse(w, from, "there are at most 6 values");
		v = &p->value[p->nr_values];
		if (!take_name(w, context, p, v->name, &made) ||
		    !take_fetch(w, context, &v->fetch, made ? v->name : NULL))
			return false;
		if (*w->at && !words_is_space(*w->at))
			return words_refuse(w, w->at, "expected a blank, or :TYPE");
		if (is_taken(p, v->name))
			return words_refuse(w, from, "two values have this name");
		p->nr_values++;
		if (v->fetch.source == JTRACE_FETCH_REGS) {
			if (strcmp(v->name, hit_name))
				return words_refuse(w, from, "the field of $regs is called hit");
			p->regs = p->nr_values;
		}
		if (!place_value(p, v))
			return words_refuse(w, from, "the value does not fit: an entry has four of 32 bits and two of 64");
	}
	return true;
}

/**
 * jtrace_program_values() - parse the values of a probe
 * @p: result: the values given and these, no conditions
 * @context: what the text may name
 * @w: the text; on return after the values, at one of the words that follow them or at the end
 *
 * Return: false if the text is refused.
 */
bool jtrace_program_values(struct jtrace_program *p, const struct jtrace_fetch_context *context,
			   struct words *w)
{
	struct words given = { context->given, context->given, w->refusal };

	memset(p, 0, sizeof(*p));
	p->lean = true;
	if (context->given && !take_values(p, context, &given))
		return false;
	p->nr_given = p->nr_values;
	return take_values(p, context, w);
}

/**
 * jtrace_program_conditions() - parse what comes after "if"
 * @p: the conditions are added
 * @context: what the text may name
 * @w: the text
 *
 * Return: false if the text is refused.
 */
bool jtrace_program_conditions(struct jtrace_program *p,
			       const struct jtrace_fetch_context *context, struct words *w)
{
	struct jtrace_fetch_condition *c;
	const char *from;

	do {
		words_skip_space(w);
		if (p->nr_conditions == JTRACE_FETCH_CONDITIONS)
			return words_refuse(w, w->at, "there are at most 6 conditions");
		c = &p->condition[p->nr_conditions];
		from = w->at;
		if (!take_fetch(w, context, &c->fetch, NULL))
			return false;
		if (c->fetch.source == JTRACE_FETCH_REGS)
			return words_refuse(w, from, "$regs is no condition");
		if (c->fetch.type == JTRACE_FIELD_bytes)
			return words_refuse(w, from, "bytes are no condition: name a number or a string");
		c->compare.type = c->fetch.type;
		if (!jtrace_compare_parse(&c->compare, w, false))
			return false;
		plan_condition(p, c);
		p->nr_conditions++;
	} while (words_take(w, "and") || words_take(w, "&&"));
	return true;
}

/**
 * jtrace_program_fields() - names and types of the values
 * @p: the program, which must outlive @fields
 * @fields: result, @p->nr_values of them
 */
void jtrace_program_fields(const struct jtrace_program *p, struct jtrace_field *fields)
{
	u32 i;

	for (i = 0; i < p->nr_values; i++)
		fields[i] = (struct jtrace_field) { p->value[i].name, p->value[i].fetch.type };
}

/* ---- To text ---------------------------------------------------------- */

static void put_source(struct pen *pen, const struct jtrace_fetch *f,
		       const struct jtrace_fetch_context *context)
{
	switch (f->source) {
	case JTRACE_FETCH_REGISTER:
		pen_format(pen, "%%%s", context->registers[f->nr].name);
		break;
	case JTRACE_FETCH_ARG:
		pen_format(pen, "$arg%u", f->nr);
		break;
	case JTRACE_FETCH_RETVAL:
		pen_text(pen, "$retval");
		break;
	case JTRACE_FETCH_STACK:
		pen_text(pen, "$stack");
		if (f->nr)
			pen_format(pen, "%u", f->nr - 1);
		break;
	case JTRACE_FETCH_VARIABLE:
		pen_format(pen, "$%s", context->variables[f->nr].name);
		break;
	case JTRACE_FETCH_NUMBER:
		pen_format(pen, "\\0x%llx", f->number);
		break;
	case JTRACE_FETCH_ADDRESS:
		pen_format(pen, "@0x%llx", f->number);
		break;
	case JTRACE_FETCH_REGS:
		pen_text(pen, "$regs");
		break;
	default:
		pen_text(pen, "$comm");
	}
}

static void put_fetch(struct pen *pen, const struct jtrace_fetch *f,
		      const struct jtrace_fetch_context *context)
{
	/* Its first load is part of the source. */
	bool own = f->source == JTRACE_FETCH_ADDRESS || is_loaded_arg(f, context) ||
		   (f->source == JTRACE_FETCH_STACK && f->nr);
	u32 i;

	for (i = f->nr_loads; i > own; i--) {
		s64 offset = f->offset[i - 1];

		pen_format(pen, "%c%llu(", offset < 0 ? '-' : '+',
			   offset < 0 ? -(u64)offset : (u64)offset);
	}
	put_source(pen, f, context);
	for (i = own; i < f->nr_loads; i++)
		pen_char(pen, ')');
	pen_format(pen, ":%s", jtrace_field_type_name(f->type));
}

/**
 * jtrace_program_text() - write a program as it is parsed: values that are not given, conditions
 * @p: the program
 * @context: that it was parsed for
 * @to: buffer for the text, which ends with NUL; it is empty, or begins with a blank
 * @size: bytes, not 0
 *
 * Return: length of the text, cut to @size - 1.
 */
size_t jtrace_program_text(const struct jtrace_program *p,
			   const struct jtrace_fetch_context *context, char *to, size_t size)
{
	struct pen pen = { to, to + size - 1 };
	u32 i;

	for (i = p->nr_given; i < p->nr_values; i++) {
		pen_format(&pen, " %s=", p->value[i].name);
		put_fetch(&pen, &p->value[i].fetch, context);
	}
	for (i = 0; i < p->nr_conditions; i++) {
		pen_text(&pen, i ? " and " : " if ");
		put_fetch(&pen, &p->condition[i].fetch, context);
		pen_char(&pen, ' ');
		jtrace_compare_text(&p->condition[i].compare, &pen);
	}
	*pen.at = 0;
	return pen.at - to;
}
