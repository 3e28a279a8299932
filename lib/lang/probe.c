// SPDX-License-Identifier: GPL-2.0
/*
 * Definition of a probe:
 *
 *	p[:NAME] [MODULE:]SYMBOL[+OFFSET]|ADDRESS VALUES [CLAUSES]
 *	r[:NAME] [MODULE:]SYMBOL|ADDRESS VALUES [CLAUSES]
 *	t[:NAME] [MODULE:]TRACEPOINT VALUES [CLAUSES]
 *	w[:NAME] [MODULE:]SYMBOL[+OFFSET][:1|2|4|8]|ADDRESS[:1|2|4|8] VALUES [CLAUSES]
 *	f[:NAME] [MODULE:]GLOB [VALUES] [CLAUSES]
 *
 * The first part is that of the kernel's kprobe events (Documentation/trace/kprobetrace.rst);
 * fetch.c parses VALUES, and conditions, which may be among the CLAUSES; clauses.c parses the
 * others.
 *
 * A probe with $regs records further entries at each hit, its parts, which have three registers
 * each.  Their tags are "NAME $regs PART/PARTS (hit:u32, REGISTER:x64, ...)".
 */

#include "../base/pen.h"
#include "probe.h"

/* ---- Name and place --------------------------------------------------- */

/* May it be in the name of a function or variable?  Compilers add suffixes, such as ".isra.0". */
static bool is_symbol(char c)
{
	return words_is_name(c) || c == '.';
}

/* That of functions may have what the kernel's glob_match() knows, but for "!" and "^". */
static u32 symbol_length(const struct words *w, const struct jtrace_probe_definition *d)
{
	u32 n = 0;

	while (is_symbol(w->at[n]) ||
	       (d->source == JTRACE_PROBE_FUNCTION && w->at[n] && strchr("*?[]-", w->at[n])))
		n++;
	return n;
}

/* Take a name into a buffer of @most bytes and a NUL. */
static bool take_word(struct words *w, u32 n, char *to, u32 most, const char *too_long)
{
	if (n > most)
		return words_refuse(w, w->at, too_long);
	memcpy(to, w->at, n);
	to[n] = 0;
	w->at += n;
	return true;
}

static bool take_source(struct words *w, const struct jtrace_probe_contexts *contexts,
			struct jtrace_probe_definition *d)
{
	d->source = *w->at;
	if (d->source != JTRACE_PROBE_INSTRUCTION && d->source != JTRACE_PROBE_RETURN &&
	    d->source != JTRACE_PROBE_TRACEPOINT && d->source != JTRACE_PROBE_WATCHPOINT &&
	    d->source != JTRACE_PROBE_FUNCTION)
		return words_refuse(w, w->at, "a probe begins with p, r, t, w, f or -:NAME");
	if (d->source == JTRACE_PROBE_WATCHPOINT && !contexts->watchpoint.nr_variables)
		return words_refuse(w, w->at, "watchpoints need an x86-64 processor");
	w->at++;
	if (*w->at == ':') {
		w->at++;
		if (!words_is_name(*w->at) || words_digit(*w->at) < 10)
			return words_refuse(w, w->at, "a name begins with a letter or _");
		if (!take_word(w, words_length(w), d->name, JTRACE_PROBE_NAME,
			       "a name has at most 63 bytes"))
			return false;
	}
	return words_is_space(*w->at) || words_refuse(w, w->at, "expected a blank and a place");
}

/* Without a name, a probe is called after its place, as in tracefs. */
static void make_name(struct jtrace_probe_definition *d)
{
	struct pen pen = { d->name, d->name + JTRACE_PROBE_NAME };
	char *c;

	if (d->source == JTRACE_PROBE_TRACEPOINT)
		pen_text(&pen, d->symbol);
	else if (d->source == JTRACE_PROBE_FUNCTION)
		pen_format(&pen, "f_%s", d->symbol);
	else if (*d->symbol)
		pen_format(&pen, "%c_%s_%llu", d->source, d->symbol, d->offset);
	else
		pen_format(&pen, "%c_0x%llx", d->source, d->address);
	*pen.at = 0;
	for (c = d->name; *c; c++)
		if (!words_is_name(*c))
			*c = '_';
}

/* What ends a number of a place. */
static const char *place_end(const struct jtrace_probe_definition *d)
{
	return d->source == JTRACE_PROBE_WATCHPOINT ? " \t:" : " \t";
}

/* Take "+OFFSET". */
static bool take_offset(struct words *w, struct jtrace_probe_definition *d)
{
	const char *offset;

	if (*w->at != '+')
		return true;
	if (d->source != JTRACE_PROBE_INSTRUCTION && d->source != JTRACE_PROBE_WATCHPOINT)
		return words_refuse(w, w->at, "only p and w take an offset");
	offset = ++w->at;
	if (!words_number(w, place_end(d), &d->offset))
		return false;
	return d->offset <= U32_MAX || words_refuse(w, offset, "an offset is less than 4 GiB");
}

/* How many bytes a watchpoint watches, if the text does not tell. */
#define LENGTH_DEFAULT	8

/* Take the ":LENGTH" of a watchpoint. */
static bool take_length(struct words *w, const char *place, struct jtrace_probe_definition *d)
{
	u64 length = LENGTH_DEFAULT;
	const char *from = w->at + 1;

	if (d->source != JTRACE_PROBE_WATCHPOINT)
		return true;
	if (*w->at == ':') {
		w->at++;
		if (!words_number(w, " \t", &length))
			return false;
		if (!length || length > 8 || length & (length - 1))
			return words_refuse(w, from, "a watchpoint has 1, 2, 4 or 8 bytes");
	}
	d->length = length;
	return *d->symbol || !(d->address % length) ||
	       words_refuse(w, place, "a watchpoint begins at a multiple of its length: add :1, :2 or :4");
}

static bool take_place(struct words *w, struct jtrace_probe_definition *d)
{
	static const char * const too_long = "a place has at most 64 bytes";
	char place[JTRACE_PROBE_PLACE + 2];
	const char *from;
	u32 n;

	words_skip_space(w);
	from = w->at;
	if (words_digit(*from) < 10) {
		if (d->source == JTRACE_PROBE_TRACEPOINT)
			return words_refuse(w, from, "the name of a tracepoint is missing");
		if (d->source == JTRACE_PROBE_FUNCTION)
			return words_refuse(w, from, "the names of functions are missing");
		return words_number(w, place_end(d), &d->address) && take_length(w, from, d);
	}
	n = symbol_length(w, d);
	if (!n)
		return words_refuse(w, from, "the name of a function, tracepoint or variable is missing");
	/* A name does not begin with a digit, a length does. */
	if (w->at[n] == ':' && (d->source != JTRACE_PROBE_WATCHPOINT ||
				words_digit(w->at[n + 1]) > 9)) {
		if (!take_word(w, n, d->module, JTRACE_PROBE_PLACE, too_long))
			return false;
		if (d->module[strcspn(d->module, "*?[]")])
			return words_refuse(w, from, "a module is named by its whole name");
		w->at++;
		n = symbol_length(w, d);
		if (!n || words_digit(*w->at) < 10)
			return words_refuse(w, w->at, "expected a name after MODULE:");
	}
	if (!take_word(w, n, d->symbol, JTRACE_PROBE_PLACE, too_long))
		return false;
	if (!take_offset(w, d) || !take_length(w, from, d))
		return false;
	if (*w->at && !words_is_space(*w->at))
		return words_refuse(w, w->at, "expected a blank");
	if (jtrace_probe_place(d, place, sizeof(place)) > JTRACE_PROBE_PLACE)
		return words_refuse(w, from, too_long);
	return true;
}

/* ---- A definition ----------------------------------------------------- */

static const struct jtrace_fetch_context *pick_context(const struct jtrace_probe_definition *d,
						       const struct jtrace_probe_contexts *contexts)
{
	switch (d->source) {
	case JTRACE_PROBE_INSTRUCTION:
		return d->offset ? &contexts->inside : &contexts->entry;
	case JTRACE_PROBE_RETURN:
		return &contexts->exit;
	case JTRACE_PROBE_WATCHPOINT:
		return &contexts->watchpoint;
	case JTRACE_PROBE_FUNCTION:
		return &contexts->function;
	}
	return &contexts->tracepoint;
}

static bool take_part(struct words *w, const struct jtrace_fetch_context *context,
		      struct jtrace_probe_definition *d)
{
	if (!d->program.nr_conditions && words_take(w, "if"))
		return jtrace_program_conditions(&d->program, context, w);
	return jtrace_clause_parse(&d->clauses, w);
}

/**
 * jtrace_probe_parse() - parse the definition of a probe
 * @d: result
 * @contexts: what the text may name
 * @text: the definition
 * @refusal: filled if the text is refused
 *
 * An address may be that of a function's first instruction, so it may name arguments.
 *
 * Return: false if the text is refused.
 */
bool jtrace_probe_parse(struct jtrace_probe_definition *d,
			const struct jtrace_probe_contexts *contexts, const char *text,
			struct jtrace_refusal *refusal)
{
	struct words w = { text, text, refusal };
	const struct jtrace_fetch_context *context;
	char tag[JTRACE_TAG_MAX + 2];

	memset(d, 0, sizeof(*d));
	if (!take_source(&w, contexts, d) || !take_place(&w, d))
		return false;
	if (!*d->name)
		make_name(d);
	context = pick_context(d, contexts);
	if (!jtrace_program_values(&d->program, context, &w))
		return false;
	for (words_skip_space(&w); *w.at; words_skip_space(&w))
		if (!take_part(&w, context, d))
			return false;
	jtrace_clauses_finish(&d->clauses);
	if (jtrace_probe_tag(d, tag, sizeof(tag)) > JTRACE_TAG_MAX)
		return words_refuse(&w, text, "the names of the probe and its values have more than 128 bytes in all");
	return true;
}

/**
 * jtrace_probe_tag() - write the tag of a probe's site: its name, and its values with their types
 * @d: the probe
 * @to: buffer for the text, which ends with NUL
 * @size: bytes, not 0
 *
 * Return: length of the text, cut to @size - 1.
 */
size_t jtrace_probe_tag(const struct jtrace_probe_definition *d, char *to, size_t size)
{
	struct jtrace_field fields[JTRACE_FETCH_VALUES];
	struct pen pen = { to, to + size - 1 };

	pen_text(&pen, d->name);
	jtrace_program_fields(&d->program, fields);
	if (d->program.nr_values)
		pen.at += jtrace_fields_text(fields, d->program.nr_values, pen.at,
					     pen.end - pen.at + 1);
	*pen.at = 0;
	return pen.at - to;
}

/**
 * jtrace_probe_place() - write the place of a probe: SYMBOL[+OFFSET][[MODULE]], or its address
 * @d: the probe
 * @to: buffer for the text, which ends with NUL
 * @size: bytes, not 0
 *
 * Return: length of the text, cut to @size - 1.
 */
size_t jtrace_probe_place(const struct jtrace_probe_definition *d, char *to, size_t size)
{
	struct pen pen = { to, to + size - 1 };

	if (*d->symbol)
		pen_text(&pen, d->symbol);
	else
		pen_format(&pen, "0x%llx", d->address);
	if (*d->symbol && (d->source == JTRACE_PROBE_INSTRUCTION ||
			   d->source == JTRACE_PROBE_WATCHPOINT))
		pen_format(&pen, "+0x%llx", d->offset);
	if (*d->module)
		pen_format(&pen, "[%s]", d->module);
	*pen.at = 0;
	return pen.at - to;
}

/**
 * jtrace_probe_text() - write a definition as jtrace_probe_parse() reads it
 * @d: the definition
 * @contexts: that it was parsed for
 * @to: buffer for the text, which ends with NUL
 * @size: bytes, not 0
 *
 * Return: length of the text, cut to @size - 1.
 */
size_t jtrace_probe_text(const struct jtrace_probe_definition *d,
			 const struct jtrace_probe_contexts *contexts, char *to, size_t size)
{
	struct pen pen = { to, to + size - 1 };

	pen_format(&pen, "%c:%s ", d->source, d->name);
	if (*d->module)
		pen_format(&pen, "%s:", d->module);
	if (*d->symbol)
		pen_text(&pen, d->symbol);
	else
		pen_format(&pen, "0x%llx", d->address);
	if (d->offset)
		pen_format(&pen, "+0x%llx", d->offset);
	if (d->length)
		pen_format(&pen, ":%u", d->length);
	pen.at += jtrace_program_text(&d->program, pick_context(d, contexts), pen.at,
				      pen.end - pen.at + 1);
	jtrace_clauses_text(&d->clauses, &pen);
	*pen.at = 0;
	return pen.at - to;
}

/* ---- Registers of a hit ----------------------------------------------- */

/**
 * jtrace_probe_parts() - how many further entries has each hit?
 * @d: the probe
 * @contexts: that it was parsed for
 *
 * Return: their number, 0 without $regs.
 */
u32 jtrace_probe_parts(const struct jtrace_probe_definition *d,
		       const struct jtrace_probe_contexts *contexts)
{
	if (!d->program.regs)
		return 0;
	return DIV_ROUND_UP(pick_context(d, contexts)->nr_registers, JTRACE_PROBE_PART);
}

/**
 * jtrace_probe_part() - which registers are in a part?
 * @d: the probe
 * @contexts: that it was parsed for
 * @part: from 0
 * @nr: result: how many, at most JTRACE_PROBE_PART
 *
 * Return: the first one.
 */
const struct jtrace_fetch_register *
jtrace_probe_part(const struct jtrace_probe_definition *d,
		  const struct jtrace_probe_contexts *contexts, u32 part, u32 *nr)
{
	const struct jtrace_fetch_context *context = pick_context(d, contexts);
	u32 first = part * JTRACE_PROBE_PART;

	*nr = min_t(u32, context->nr_registers - first, JTRACE_PROBE_PART);
	return &context->registers[first];
}

/**
 * jtrace_probe_part_site() - write the tag of a part's site
 * @d: the probe
 * @contexts: that it was parsed for
 * @part: from 0
 * @tag: buffer for the text, which ends with NUL
 * @size: bytes, not 0
 *
 * Return: types of the arguments, as &jtrace_site.args.
 */
u32 jtrace_probe_part_site(const struct jtrace_probe_definition *d,
			   const struct jtrace_probe_contexts *contexts, u32 part, char *tag,
			   size_t size)
{
	struct jtrace_field fields[1 + JTRACE_PROBE_PART] = { { "hit", JTRACE_FIELD_u32 } };
	struct pen pen = { tag, tag + size - 1 };
	const struct jtrace_fetch_register *r;
	u32 nr, i, args;

	r = jtrace_probe_part(d, contexts, part, &nr);
	for (i = 0; i < nr; i++)
		fields[1 + i] = (struct jtrace_field) { r[i].name, JTRACE_FIELD_x64 };
	pen_format(&pen, "%s $regs %u/%u", d->name, part + 1, jtrace_probe_parts(d, contexts));
	pen.at += jtrace_fields_text(fields, 1 + nr, pen.at, pen.end - pen.at + 1);
	*pen.at = 0;
	jtrace_fields_args(fields, 1 + nr, &args);
	return args;
}
