// SPDX-License-Identifier: GPL-2.0
/*
 * Clauses of an event: which hits are recorded.
 *
 *	[every=N] [if FIELD OP VALUE [and FIELD OP VALUE]...]
 *
 * OP is eq, ne, lt, le, gt, ge, has, or == != < <= > >= &.  "and" may be written &&.  VALUE is a
 * number (decimal, or hex with 0x), a word, or text in quotes with \" and \\.
 */

#include "clause.h"
#include "pen.h"

/* ---- Types and places of fields --------------------------------------- */

static const char * const type_names[] = {
	[JTRACE_FIELD_u8] = "u8", [JTRACE_FIELD_u16] = "u16",
	[JTRACE_FIELD_u32] = "u32", [JTRACE_FIELD_u64] = "u64",
	[JTRACE_FIELD_s8] = "s8", [JTRACE_FIELD_s16] = "s16",
	[JTRACE_FIELD_s32] = "s32", [JTRACE_FIELD_s64] = "s64",
	[JTRACE_FIELD_x8] = "x8", [JTRACE_FIELD_x16] = "x16",
	[JTRACE_FIELD_x32] = "x32", [JTRACE_FIELD_x64] = "x64",
	[JTRACE_FIELD_symbol] = "symbol", [JTRACE_FIELD_string] = "string",
};

/* Find the places of field @field of @fields.  Return false if there are none. */
static bool find_places(const struct jtrace_field *fields, u32 field, s8 *place)
{
	u32 taken = 0, i;

	for (i = 0; i <= field; i++) {
		bool wide = jtrace_field_width(fields[i].type) == 8;

		place[0] = jtrace_place_take(&taken, wide);
		place[1] = fields[i].type & JTRACE_FIELD_STRING ?
			   jtrace_place_take(&taken, wide) : place[0];
		if (place[0] < 0 || place[1] < 0)
			return false;
	}
	return true;
}

/**
 * jtrace_fields_args() - compute the argument types of a site
 * @fields: of the event
 * @nr: how many
 * @args: result: &jtrace_site_record.args
 *
 * Return: false if the fields do not fit an entry.
 */
bool jtrace_fields_args(const struct jtrace_field *fields, u32 nr, u32 *args)
{
	s8 place[2];
	u32 i, h;

	*args = JTRACE_ARGS_TOLD;
	for (i = 0; i < nr; i++) {
		if (!find_places(fields, i, place))
			return false;
		for (h = 0; h < 2; h++)
			*args |= (u32)jtrace_field_arg(fields[i].type) <<
				 JTRACE_ARG_BITS * place[h];
	}
	return true;
}

/**
 * jtrace_fields_text() - write " (FIELD:TYPE, ...)"; nothing without fields
 * @fields: of the event
 * @nr: how many
 * @to: buffer for the text, which ends with NUL
 * @size: bytes, not 0
 *
 * Return: length of the text, cut to @size - 1.
 */
size_t jtrace_fields_text(const struct jtrace_field *fields, u32 nr, char *to, size_t size)
{
	struct pen p = { to, to + size - 1 };
	u32 i;

	for (i = 0; i < nr; i++) {
		pen_text(&p, i ? ", " : " (");
		pen_text(&p, fields[i].name);
		pen_char(&p, ':');
		pen_text(&p, type_names[fields[i].type]);
	}
	if (nr)
		pen_char(&p, ')');
	*p.at = 0;
	return p.at - to;
}

/* ---- Conditions ------------------------------------------------------- */

static const char * const op_names[][2] = {
	[JTRACE_OP_EQ] = { "eq", "==" }, [JTRACE_OP_NE] = { "ne", "!=" },
	[JTRACE_OP_LT] = { "lt", "<" }, [JTRACE_OP_LE] = { "le", "<=" },
	[JTRACE_OP_GT] = { "gt", ">" }, [JTRACE_OP_GE] = { "ge", ">=" },
	[JTRACE_OP_HAS] = { "has", "&" },
};

/* Compute what jtrace_clauses_hold() needs.  @place: of the field, or of its halves. */
static void compile_condition(struct jtrace_condition *c, const s8 *place)
{
	bool narrow = jtrace_place_shares(place[0], jtrace_field_width(c->type));
	/* Signed numbers as unsigned ones in the same order: the range of those >= @value wraps. */
	u64 least = jtrace_field_signed(c->type) ? 1ULL << 63 : 0;
	u64 value = c->value[0];

	c->word[0] = jtrace_place_word(place[0]);
	c->word[1] = jtrace_place_word(place[1]);
	c->string = c->type & JTRACE_FIELD_STRING;
	c->left = narrow && place[0] % 2 == 0 ? 32 : 0;
	c->mask = narrow ? ~0ULL << 32 : ~0ULL;
	value = narrow ? value << 32 : value;
	if (c->op == JTRACE_OP_HAS)
		c->mask &= value;
	switch (c->op) {
	case JTRACE_OP_HAS:
	case JTRACE_OP_EQ:
	case JTRACE_OP_NE:
		c->low = value;
		c->span = 0;
		c->negate = c->op == JTRACE_OP_NE;
		break;
	case JTRACE_OP_LT:
	case JTRACE_OP_GE:
		/* From @value to the greatest one. */
		c->low = value;
		c->span = least - 1 - value;
		c->negate = c->op == JTRACE_OP_LT;
		break;
	default:
		/* From the least one to @value. */
		c->low = least;
		c->span = value - least;
		c->negate = c->op == JTRACE_OP_GT;
	}
}

/* ---- Text to clauses -------------------------------------------------- */

/**
 * struct source - a text that is parsed
 * @text: all of it
 * @at: the next character
 * @refusal: filled at the first error
 */
struct source {
	const char *text;
	const char *at;
	struct jtrace_refusal *refusal;
};

/* Return false. */
static bool refuse(struct source *s, const char *at, const char *why)
{
	s->refusal->why = why;
	s->refusal->at = at - s->text;
	return false;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static bool is_operator(char c)
{
	return c && strchr("=!<>&", c);
}

static void skip_space(struct source *s)
{
	while (is_space(*s->at))
		s->at++;
}

/* The length of the word at @s: of an identifier or a number, or of signs. */
static u32 word_length(const struct source *s)
{
	bool (*is)(char c) = is_operator(*s->at) ? is_operator : is_name;
	u32 n = 0;

	while (is(s->at[n]))
		n++;
	return n;
}

static bool word_is(const char *word, u32 n, const char *name)
{
	return n == strlen(name) && !memcmp(word, name, n);
}

/* Take the next word if it is @name. */
static bool take(struct source *s, const char *name)
{
	u32 n;

	skip_space(s);
	n = word_length(s);
	if (!word_is(s->at, n, name))
		return false;
	s->at += n;
	return true;
}

static u32 digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
	       c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

/* Parse an unsigned number that ends at a blank or at the end. */
static bool take_number(struct source *s, u64 *value)
{
	const char *from = s->at;
	u32 base = 10, d;

	if (from[0] == '0' && (from[1] == 'x' || from[1] == 'X')) {
		base = 16;
		s->at += 2;
	}
	if (digit(*s->at) >= base)
		return refuse(s, from, "a number is missing");
	for (*value = 0; (d = digit(*s->at)) < base; s->at++) {
		if (*value > (~0ULL - d) / base)
			return refuse(s, from, "the number is larger than 64 bits");
		*value = *value * base + d;
	}
	return !*s->at || is_space(*s->at) || refuse(s, s->at, "this is no digit");
}

/* Parse a number for a field of @type; a negative one becomes its two's complement. */
static bool take_value(struct source *s, u32 type, u64 *value)
{
	const char *from = s->at;
	bool sign = jtrace_field_signed(type), negative = *from == '-';
	u32 bits = 8 * jtrace_field_width(type);
	u64 most;

	if (negative && !sign)
		return refuse(s, from, "the field is never negative");
	s->at += negative;
	if (!take_number(s, value))
		return false;
	most = (~0ULL >> (64 - bits) >> sign) + negative;
	if (*value > most)
		return refuse(s, from, "the field is never so large");
	if (negative)
		*value = -*value;
	return true;
}

/* Parse a word or a quoted text. */
static bool take_string(struct source *s, u64 *value)
{
	const char *from = s->at;
	bool quoted = *from == '"';
	u8 bytes[JTRACE_FIELD_TEXT] = { 0 };
	__le64 half[2];
	u32 n = 0;

	for (s->at += quoted; *s->at && (quoted ? *s->at != '"' : !is_space(*s->at)); s->at++) {
		if (quoted && *s->at == '\\') {
			s->at++;
			if (*s->at != '"' && *s->at != '\\')
				return refuse(s, s->at, "after \\ comes \" or \\");
		}
		if (n == sizeof(bytes))
			return refuse(s, from, "the text has more than 16 bytes");
		bytes[n++] = *s->at;
	}
	if (quoted && *s->at++ != '"')
		return refuse(s, from, "the closing quote is missing");
	if (!quoted && !n)
		return refuse(s, from, "a value is missing");
	if (*s->at && !is_space(*s->at))
		return refuse(s, s->at, "a blank is missing after the quote");
	memcpy(half, bytes, sizeof(half));
	value[0] = le64_to_cpu(half[0]);
	value[1] = le64_to_cpu(half[1]);
	return true;
}

static bool take_operator(struct source *s, struct jtrace_condition *c)
{
	u32 n, i;

	skip_space(s);
	n = word_length(s);
	for (i = 0; i < ARRAY_SIZE(op_names); i++)
		if (word_is(s->at, n, op_names[i][0]) || word_is(s->at, n, op_names[i][1]))
			break;
	if (i == ARRAY_SIZE(op_names))
		return refuse(s, s->at, "here comes eq, ne, lt, le, gt, ge or has");
	if (c->type & JTRACE_FIELD_STRING && i > JTRACE_OP_NE)
		return refuse(s, s->at, "a string takes eq or ne");
	c->op = i;
	s->at += n;
	return true;
}

static bool take_condition(struct source *s, const struct jtrace_field *fields, u32 nr,
			   struct jtrace_condition *c)
{
	s8 place[2];
	u32 n, i;

	skip_space(s);
	n = word_length(s);
	for (i = 0; i < nr && !word_is(s->at, n, fields[i].name); i++)
		;
	if (i == nr)
		return refuse(s, s->at, "the event has no such field");
	if (!find_places(fields, i, place))
		return refuse(s, s->at, "the field does not fit an entry");
	s->at += n;
	c->field = i;
	c->type = fields[i].type;
	if (!take_operator(s, c))
		return false;
	skip_space(s);
	if (!(c->type & JTRACE_FIELD_STRING ? take_string(s, c->value) :
					      take_value(s, c->type, c->value)))
		return false;
	compile_condition(c, place);
	return true;
}

static bool take_conditions(struct source *s, const struct jtrace_field *fields, u32 nr,
			    struct jtrace_clauses *c)
{
	do {
		if (c->nr == JTRACE_CONDITIONS)
			return refuse(s, s->at, "there are at most 6 conditions");
		if (!take_condition(s, fields, nr, &c->cond[c->nr]))
			return false;
		c->nr++;
	} while (take(s, "and") || take(s, "&&"));
	return true;
}

static bool take_every(struct source *s, struct jtrace_clauses *c)
{
	const char *from = s->at;
	u64 every;

	if (*s->at++ != '=')
		return refuse(s, from, "after every comes =N");
	if (!take_number(s, &every))
		return false;
	if (!every || every > U32_MAX)
		return refuse(s, from + 1, "N is 1 to 4294967295");
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
	struct source s = { text, text, refusal };

	memset(c, 0, sizeof(*c));
	for (skip_space(&s); *s.at; skip_space(&s)) {
		const char *from = s.at;

		if (!c->every && take(&s, "every")) {
			if (!take_every(&s, c))
				return false;
		} else if (!c->nr && take(&s, "if")) {
			if (!take_conditions(&s, fields, nr, c))
				return false;
		} else {
			return refuse(&s, from,
				      "here comes every=N or \"if\", each once, or the end");
		}
	}
	if (!c->every)
		c->every = 1;
	return true;
}

/* ---- Clauses to text -------------------------------------------------- */

static void put_string(struct pen *p, const u64 *value)
{
	__le64 half[2] = { cpu_to_le64(value[0]), cpu_to_le64(value[1]) };
	char text[JTRACE_FIELD_TEXT + 1] = { 0 };
	const char *at;

	memcpy(text, half, sizeof(half));
	pen_char(p, '"');
	for (at = text; *at; at++) {
		if (*at == '"' || *at == '\\')
			pen_char(p, '\\');
		pen_char(p, *at);
	}
	pen_char(p, '"');
}

static void put_value(struct pen *p, const struct jtrace_condition *c)
{
	if (c->type & JTRACE_FIELD_STRING)
		put_string(p, c->value);
	else if (c->type & JTRACE_FIELD_HEX)
		pen_format(p, "0x%llx", c->value[0]);
	else if (jtrace_field_signed(c->type))
		pen_format(p, "%lld", (s64)c->value[0]);
	else
		pen_format(p, "%llu", c->value[0]);
}

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
		pen_format(&p, " %s %s %s ", i ? "and" : "if", fields[c->cond[i].field].name,
			   op_names[c->cond[i].op][0]);
		put_value(&p, &c->cond[i]);
	}
	*p.at = 0;
	return p.at - to;
}
