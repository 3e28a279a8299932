// SPDX-License-Identifier: GPL-2.0
/*
 * Turn a definition with names into the text that the module takes.
 *
 * Each path, such as skb.dev.name, is replaced by its FETCH.  All other text stays as it is, so
 * that the module judges it: lib/lang/probe.c and lib/lang/fetch.c have its grammar.
 */

#include <stdlib.h>

#include "../../lib/base/words.h"
#include "probe.h"

/**
 * struct part - a value, or the left side of a condition, that is a path
 * @path: the path and its type
 * @next: offset of the first byte behind both
 * @unnamed: a value without a name
 */
struct part {
	struct path path;
	u32 next;
	bool unnamed;
};

/**
 * struct scan - a definition that is split
 * @text: all of it
 * @at: offset of the next character
 * @r: filled if it is refused
 * @part: its paths, in the order of the text
 * @nr: how many
 * @names: of its values
 * @values: values so far
 */
struct scan {
	const char *text;
	u32 at;
	struct refusal *r;
	struct part *part;
	size_t nr;
	struct field_names names;
	u32 values;
};

static char peek(const struct scan *s)
{
	return s->text[s->at];
}

static void skip_space(struct scan *s)
{
	while (words_is_space(peek(s)))
		s->at++;
}

static void skip_word(struct scan *s)
{
	while (peek(s) && !words_is_space(peek(s)))
		s->at++;
}

/* The length of a word or operator, as the module takes them. */
static u32 word_length(const struct scan *s)
{
	struct words w = { s->text, s->text + s->at, NULL };

	return words_length(&w);
}

static bool is_word(const struct scan *s, const char *name)
{
	return words_match(s->text + s->at, word_length(s), name);
}

/* Take ":TYPE" behind a path. */
static bool take_type(struct scan *s, struct path *path)
{
	u32 n;

	if (peek(s) != ':')
		return true;
	s->at++;
	n = word_length(s);
	path->type = jtrace_field_type(s->text + s->at, n);
	if (!path->type)
		return refuse(s->r, s->at, JTRACE_NO_SUCH_TYPE);
	s->at += n;
	return true;
}

/* Take PATH[:TYPE]. */
static bool take_path(struct scan *s, bool unnamed)
{
	struct path path = { .text = s->text, .from = s->at };

	if (!path_skip(s->text, &s->at, s->r))
		return false;
	path.to = s->at;
	if (!take_type(s, &path))
		return false;
	s->part = array_grow(s->part, s->nr, sizeof(*s->part));
	if (!s->part)
		return refuse(s->r, s->at, "no memory");
	s->part[s->nr++] = (struct part) { path, s->at, unnamed };
	return true;
}

/* Take [NAME=]FETCH[:TYPE]. */
static bool take_value(struct scan *s)
{
	u32 n = words_is_name(peek(s)) ? word_length(s) : 0;
	bool named = n && s->text[s->at + n] == '=';
	char name[16];

	if (named) {
		if (!field_take(&s->names, s->text + s->at, n))
			return refuse(s->r, s->at, "no memory");
		s->at += n + 1;
	}
	s->values++;
	if (path_root(s->text + s->at)) {
		if (!take_path(s, !named))
			return false;
		return !peek(s) || words_is_space(peek(s)) ||
		       refuse(s->r, s->at, "expected a blank, or :TYPE");
	}
	/* The name that the module gives it: $regs counts, but is always called hit. */
	n = strncmp(s->text + s->at, "$regs", 5) ?
	    scnprintf(name, sizeof(name), "arg%u", s->values) :
	    scnprintf(name, sizeof(name), "hit");
	skip_word(s);
	return named || field_take(&s->names, name, n) || refuse(s->r, s->at, "no memory");
}

/* Does a clause begin here?  An argument may have the name of one: "in.x" is a path. */
static bool is_clause(const struct scan *s)
{
	const char *at = s->text + s->at;
	u32 n = words_is_name(*at) ? word_length(s) : 0;

	return n && jtrace_fetch_is_reserved(at, n) && at[n] != '.' && at[n] != '[' &&
	       strncmp(at + n, "->", 2);
}

static void skip_operand(struct scan *s)
{
	if (peek(s) != '"') {
		skip_word(s);
		return;
	}
	for (s->at++; peek(s) && peek(s) != '"'; s->at++)
		if (peek(s) == '\\' && s->text[s->at + 1])
			s->at++;
	s->at += !!peek(s);
}

/* Take FETCH[:TYPE] OP VALUE, and more of them with "and" between. */
static bool take_conditions(struct scan *s)
{
	for (;;) {
		skip_space(s);
		if (path_root(s->text + s->at)) {
			if (!take_path(s, false))
				return false;
		} else {
			while (peek(s) && !words_is_space(peek(s)) && !words_is_sign(peek(s)))
				s->at++;
		}
		skip_space(s);
		s->at += word_length(s);
		skip_space(s);
		skip_operand(s);
		skip_space(s);
		if (is_word(s, "and"))
			s->at += 3;
		else if (is_word(s, "&&"))
			s->at += 2;
		else
			return true;
	}
}

static bool take_clauses(struct scan *s)
{
	for (skip_space(s); peek(s); skip_space(s)) {
		if (is_word(s, "if")) {
			s->at += 2;
			if (!take_conditions(s))
				return false;
		} else {
			skip_word(s);
		}
	}
	return true;
}

static bool split(struct scan *s)
{
	for (skip_space(s); peek(s) && !is_clause(s); skip_space(s))
		if (!take_value(s))
			return false;
	return take_clauses(s);
}

/* Write the definition, with a FETCH for each path. */
static bool write_text(struct scan *s, const struct place *place, FILE *to)
{
	u32 at = 0;
	size_t i;

	if (place->line) {
		fprintf(to, "%.*s%s:%s+0x%llx", (int)place->at, s->text, place->module,
			place->symbol, place->offset);
		at = place->end;
	}
	for (i = 0; i < s->nr; i++) {
		const struct part *p = &s->part[i];
		const char *path = s->text + p->path.from, *name;

		fprintf(to, "%.*s", (int)(p->path.from - at), s->text + at);
		if (p->unnamed) {
			name = field_make(&s->names, path, p->path.to - p->path.from);
			if (!name)
				return refuse(s->r, p->path.from, "no memory");
			fprintf(to, "%s=", name);
		}
		if (!path_fetch(&p->path, place, to, s->r))
			return false;
		at = p->next;
	}
	fputs(s->text + at, to);
	return true;
}

static char *translate(const char *text, struct refusal *r)
{
	struct scan s = { .text = text, .r = r };
	struct place place;
	char *result = NULL;
	size_t len;
	FILE *to;
	bool ok;

	place_parse(&place, text);
	s.at = place.end;
	to = open_memstream(&result, &len);
	if (!to) {
		refuse(r, 0, "no memory");
		return NULL;
	}
	ok = place_resolve(&place, r) && split(&s) && place_check(&place, r) &&
	     write_text(&s, &place, to);
	if (fclose(to) && ok)
		ok = refuse(r, 0, "no memory");
	free(s.part);
	free(s.names.name);
	if (ok)
		return result;
	free(result);
	return NULL;
}

/**
 * probe_text() - turn a definition with names into the text that the module takes
 * @line: the definition, without blanks and a comment around it
 * @r: filled if it is refused
 *
 * Return: the text, to be freed; NULL if it is refused.
 */
char *probe_text(const char *line, struct refusal *r)
{
	char *copy;

	if (strchr("prt", *line) && (line[1] == ':' || words_is_space(line[1])))
		return translate(line, r);
	/* "-:NAME", or nothing that the module takes. */
	copy = strdup(line);
	if (!copy)
		refuse(r, 0, "no memory");
	return copy;
}
