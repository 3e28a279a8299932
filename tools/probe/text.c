// SPDX-License-Identifier: GPL-2.0
/*
 * Turn a definition with names into the text that the module takes.
 *
 * The module's parser judges it, with a hook that replaces each path, such as skb.dev.name, by its
 * FETCH.  Before that, a line of source or what is watched is replaced by a symbol.  All other text
 * stays as it is.
 */

#include <stdlib.h>

#include "../../lib/base/pen.h"
#include "../../lib/base/words.h"
#include "probe.h"

/**
 * struct part - a path in the text
 * @from: offset of its first byte
 * @to: offset of the first byte behind it and its type
 * @fetch: what it stands for
 * @name: of its value; empty if the user gave one, or if it is in a condition
 */
struct part {
	u32 from;
	u32 to;
	char *fetch;
	char name[JTRACE_FETCH_NAME + 1];
};

/**
 * struct translation - a definition that is parsed
 * @d: what the parser has found so far
 * @place: what it probes; checked if @checked
 * @checked: @place is that of @d, and one function
 * @r: filled if it is refused by the hook
 * @part: its paths, in the order of the text
 * @nr: how many
 */
struct translation {
	struct jtrace_probe_definition d;
	struct place place;
	bool checked;
	struct refusal *r;
	struct part part[JTRACE_FETCH_VALUES + JTRACE_FETCH_CONDITIONS];
	u32 nr;
};

/* Take the place from the parser. */
static bool check_place(struct translation *t)
{
	if (t->checked)
		return true;
	t->checked = true;
	place_take(&t->place, &t->d);
	return place_check(&t->place, t->r);
}

/* Take PATH[:TYPE]. */
static bool take_path(struct words *w, struct path *path, struct refusal *r)
{
	const char *type;
	u32 at = path->from, n;

	if (!path_skip(w->text, &at, r))
		return false;
	path->to = at;
	w->at = w->text + at;
	if (*w->at != ':')
		return true;
	type = ++w->at;
	n = words_length(w);
	path->type = jtrace_field_type(type, n);
	w->at += n;
	return path->type || refuse(r, type - w->text, JTRACE_NO_SUCH_TYPE);
}

static char *fetch_text(const struct path *path, const struct place *place, struct refusal *r)
{
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);
	bool ok = to && path_fetch(path, place, to, r);

	if (to && !fclose(to) && ok)
		return text;
	if (!to || ok)
		refuse(r, path->from, "no memory");
	free(text);
	return NULL;
}

static bool add_path(struct translation *t, struct words *w, char *name, const char **fetch)
{
	struct path path = { .text = w->text, .from = w->at - w->text };
	struct part *part = &t->part[t->nr];

	/* The parser has seen that there is room for one more. */
	if (!check_place(t) || !take_path(w, &path, t->r))
		return false;
	*part = (struct part) { .from = path.from, .to = w->at - w->text };
	part->fetch = fetch_text(&path, &t->place, t->r);
	if (!part->fetch)
		return false;
	t->nr++;
	if (name) {
		field_make(&t->d.program, path.text + path.from, path.to - path.from, name);
		memcpy(part->name, name, sizeof(part->name));
	}
	*fetch = part->fetch;
	return true;
}

/* &jtrace_fetch_path */
static bool replace_path(void *data, struct words *w, char *name, const char **fetch)
{
	struct translation *t = data;

	if (!path_root(w->at) || add_path(t, w, name, fetch))
		return true;
	*w->refusal = (struct jtrace_refusal) { t->r->why, t->r->at };
	return false;
}

/* What the text may name on this machine, and paths. */
static struct jtrace_probe_contexts contexts_of(struct translation *t)
{
	struct jtrace_probe_contexts c = *machine_contexts();
	/* A watchpoint has no arguments. */
	struct jtrace_fetch_context *all[] = {
		&c.entry, &c.inside, &c.exit, &c.tracepoint, &c.function,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		all[i]->path = replace_path;
		all[i]->data = t;
	}
	return c;
}

/* Write the definition, with a FETCH for each path. */
static void write_text(const struct translation *t, const char *text, FILE *to)
{
	const struct part *p;
	u32 at = 0;

	for (p = t->part; p < t->part + t->nr; p++) {
		fprintf(to, "%.*s%s%s%s", (int)(p->from - at), text + at, p->name,
			*p->name ? "=" : "", p->fetch);
		at = p->to;
	}
	fputs(text + at, to);
}

/* Parse a definition that has no line of source.  Returns its text, or NULL. */
static char *translate(const char *text, struct refusal *r)
{
	struct translation t = { .r = r };
	const struct jtrace_probe_contexts contexts = contexts_of(&t);
	struct jtrace_refusal refusal;
	char *result = NULL;
	size_t len;
	FILE *to;
	bool ok;

	place_parse(&t.place, text);
	ok = jtrace_probe_parse(&t.d, &contexts, text, &refusal);
	if (!ok && refusal.why != r->why)
		refuse(r, refusal.at, "%s", refusal.why);
	ok = ok && check_place(&t);
	to = ok ? open_memstream(&result, &len) : NULL;
	if (to)
		write_text(&t, text, to);
	if (ok && (!to || fclose(to)))
		ok = refuse(r, 0, "no memory");
	while (t.nr)
		free(t.part[--t.nr].fetch);
	if (ok)
		return result;
	free(result);
	return NULL;
}

/* The text with another place; NULL if it is refused. */
static char *replace_place(const char *text, const struct place *p, struct refusal *r)
{
	char place[MODULE_SIZE + SYMBOL_SIZE + 64], *result;
	struct pen pen = { place, place + sizeof(place) - 1 };

	if (*p->symbol)
		pen_format(&pen, "%s%s%s", p->module, *p->module ? ":" : "", p->symbol);
	else
		pen_format(&pen, "0x%llx", p->address);
	if (p->offset || p->line)
		pen_format(&pen, "+0x%llx", p->offset);
	if (p->length)
		pen_format(&pen, ":%u", p->length);
	*pen.at = 0;
	if (asprintf(&result, "%.*s%s%s", (int)p->at, text, place, text + p->end) >= 0)
		return result;
	refuse(r, 0, "no memory");
	return NULL;
}

/* Count from the text that the user gave. */
static void move_refusal(struct refusal *r, const struct place *p, u32 end)
{
	if (r->at >= end)
		r->at -= end - p->end;
	else if (r->at > p->at)
		r->at = p->at;
}

static bool resolve_place(struct place *p, const char *line, struct refusal *r)
{
	if (p->source == JTRACE_PROBE_WATCHPOINT)
		return watch_resolve(p, line, r);
	return place_resolve(p, r);
}

/* Put what the module takes in the place of a line, or of what is watched. */
static char *translate_place(const char *line, struct place *p, struct refusal *r)
{
	char *text = resolve_place(p, line, r) ? replace_place(line, p, r) : NULL, *result;

	if (!text)
		return NULL;
	result = translate(text, r);
	if (!result)
		move_refusal(r, p, p->end + strlen(text) - strlen(line));
	free(text);
	return result;
}

static bool is_watchpoint(const char *line)
{
	return *line == JTRACE_PROBE_WATCHPOINT && (line[1] == ':' || words_is_space(line[1]));
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
	struct place p;
	char *copy;

	if (line[0] == '-' && line[1] == ':' && words_is_name(line[2])) {
		copy = strdup(line);
		if (!copy)
			refuse(r, 0, "no memory");
		return copy;
	}
	place_parse(&p, line);
	return p.line || is_watchpoint(line) ? translate_place(line, &p, r) :
							       translate(line, r);
}
