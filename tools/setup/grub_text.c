// SPDX-License-Identifier: GPL-2.0
/*
 * jtrace setup: read grub.cfg, as far as it says which kernels boot, and how.
 *
 * Words, quotes, variables and comments are as in the manual of GNU GRUB, 6.1 "Writing full
 * configuration files directly".  Conditions are not evaluated: each entry counts.
 */

#include <ctype.h>
#include <stdlib.h>

#include "grub.h"

#define BLANKS	" \t"

static void *check_memory(void *memory)
{
	if (!memory)
		exit(!fail("no memory"));
	return memory;
}

/* ---- words ------------------------------------------------------------ */

/* After "$": skips the name of a variable; returns where to go on, NULL if there is no name. */
static const char *skip_variable(const char *at)
{
	if (*at == '{')
		return strchr(at, '}') ? strchr(at, '}') + 1 : NULL;
	if (isdigit(*at) || (*at && strchr("?*#@", *at)))
		return at + 1;
	if (!isalpha(*at) && *at != '_')
		return NULL;
	while (isalnum(*at) || *at == '_')
		at++;
	return at;
}

/* "\" and a character, within double quotes or outside of quotes. */
static const char *unescape(const char *at, char quote, FILE *to)
{
	/* The line goes on in the next one. */
	if (at[1] == '\n')
		return at + 2;
	if (quote && !strchr("$\"\\", at[1]))
		putc(*at, to);
	putc(at[1], to);
	return at + 2;
}

static const char *skip_blanks(const char *at)
{
	for (;;) {
		at += strspn(at, BLANKS);
		if (at[0] != '\\' || at[1] != '\n')
			return at;
		at += 2;
	}
}

/* Copy a word as GRUB understands it; returns its end. */
static const char *copy_word(const char *at, FILE *to)
{
	const char *name_end;
	char quote = 0;

	while (*at && (quote || !strchr(BLANKS "\n;{}", *at))) {
		if (quote != '\'' && *at == '\\' && at[1]) {
			at = unescape(at, quote, to);
			continue;
		}
		name_end = quote != '\'' && *at == '$' ? skip_variable(at + 1) : NULL;
		if (name_end) {
			putc(UNKNOWN, to);
			at = name_end;
			continue;
		}
		if (quote ? *at == quote : *at == '"' || *at == '\'')
			quote = quote ? 0 : *at;
		else
			putc(*at, to);
		at++;
	}
	return at;
}

static bool is_brace(char c)
{
	return c == '{' || c == '}';
}

/* Read a word, which the caller frees, or a brace, which is one; returns its end. */
static const char *read_word(const char *at, char **word)
{
	size_t size;
	FILE *to = check_memory(open_memstream(word, &size));

	if (is_brace(*at))
		putc(*at++, to);
	else
		at = copy_word(at, to);
	if (fclose(to))
		exit(!fail("no memory"));
	return at;
}

/**
 * struct command - a command of grub.cfg
 * @nr: number of words
 * @word: each as GRUB understands it; "?" stands for the value of a variable
 * @at: where each begins in the text
 * @end: of the last one, in the text
 */
struct command {
	int nr;
	char **word;
	const char **at;
	const char *end;
};

static void free_command(struct command *c)
{
	while (c->nr)
		free(c->word[--c->nr]);
	free(c->word);
	free(c->at);
	*c = (struct command){ .nr = 0 };
}

static void add_word(struct command *c, const char *at, char *word, const char *end)
{
	c->word = check_memory(reallocarray(c->word, c->nr + 1, sizeof(*c->word)));
	c->at = check_memory(reallocarray(c->at, c->nr + 1, sizeof(*c->at)));
	c->at[c->nr] = at;
	c->word[c->nr++] = word;
	c->end = end;
}

/* A command follows this word. */
static bool is_reserved(const struct command *c)
{
	static const char * const words[] = { "then", "else", "do", NULL };
	int i;

	for (i = 0; words[i] && strcmp(c->word[0], words[i]); i++)
		;
	return words[i];
}

/* Does it open a block: "menuentry ... {"?  A quoted brace does not. */
static bool opens_block(const struct command *c)
{
	return c->nr && *c->at[c->nr - 1] == '{';
}

static bool closes_block(const struct command *c)
{
	return c->nr && *c->at[0] == '}';
}

/*
 * Read the words of a command, up to the end of the line, to ";", a comment, "{", which is its last
 * word, or "}", which is a command of its own.  Returns its end.
 */
static const char *read_command(const char *at, struct command *c)
{
	const char *from;
	char *word;

	*c = (struct command){ .end = at };
	for (at = skip_blanks(at); *at && !strchr("\n;#", *at); at = skip_blanks(at)) {
		from = at;
		if (*at == '}' && c->nr)
			return at;
		at = read_word(at, &word);
		add_word(c, from, word, at);
		if (is_brace(*from))
			return at;
		if (c->nr == 1 && is_reserved(c))
			free_command(c);
	}
	return *at == '#' ? at + strcspn(at, "\n") : at;
}

static bool is_one_of(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(word, *list))
			return true;
	return false;
}

/*
 * Append an argument as GRUB hands it to the kernel: grub_create_loader_cmdline() in
 * grub-core/lib/cmdline.c of GRUB 2.06.
 */
static void put_argument(FILE *to, const char *word)
{
	bool blank = strchr(word, ' ');

	if (blank)
		putc('"', to);
	for (; *word; word++) {
		if (strchr("\\'\"", *word) &&
		    !(word[0] == '\\' && word[1] == 'x' && isxdigit(word[2]) && isxdigit(word[3])))
			putc('\\', to);
		putc(*word, to);
	}
	if (blank)
		putc('"', to);
}

static char *join_arguments(const struct command *c, int from)
{
	char *line;
	size_t size;
	FILE *to = check_memory(open_memstream(&line, &size));
	int i;

	for (i = from; i < c->nr; i++) {
		if (i > from)
			putc(' ', to);
		put_argument(to, c->word[i]);
	}
	if (fclose(to))
		exit(!fail("no memory"));
	return line;
}

/* ---- the menu --------------------------------------------------------- */

#define MAX_DEPTH	8

/**
 * struct menu - where a reader is in the menu
 * @depth: blocks that are open
 * @is_entry: this block is an entry or a submenu
 * @index: the number of the next entry in this block; [0] is outside of all blocks
 * @title: titles of the entries and submenus, joined by ">"
 * @id: their ids
 * @number: their numbers
 * @part: who wrote this part
 * @head: where the line begins that opened this block
 * @body: where the lines of this block begin
 */
struct menu {
	int depth;
	bool is_entry[MAX_DEPTH + 1];
	int index[MAX_DEPTH + 1];
	char *title[MAX_DEPTH + 1];
	char *id[MAX_DEPTH + 1];
	char *number[MAX_DEPTH + 1];
	enum grub_part part;
	const char *head[MAX_DEPTH + 1];
	const char *body[MAX_DEPTH + 1];
};

static void join_path(char **to, const char *parent, const char *name)
{
	if (asprintf(to, "%s%s%s", parent ?: "", parent ? ">" : "", name) < 0)
		exit(!fail("no memory"));
}

static const char *id_of(const struct command *c)
{
	int i;

	for (i = 2; i + 1 < c->nr; i++)
		if (!strcmp(c->word[i], "--id") || !strcmp(c->word[i], "?") ||
		    !strcmp(c->word[i], "$menuentry_id_option"))
			return c->word[i + 1];
	return "";
}

static bool is_entry_command(const struct command *c)
{
	static const char * const menus[] = { "menuentry", "submenu", NULL };

	return c->nr > 1 && is_one_of(c->word[0], menus);
}

static void open_block(struct menu *m, const struct command *c, const char *head)
{
	bool is_entry = is_entry_command(c);
	int up = m->depth, d = up + 1;
	char number[16];

	if (is_entry)
		scnprintf(number, sizeof(number), "%d", m->index[up]++);
	m->is_entry[d] = is_entry;
	m->index[d] = 0;
	m->head[d] = head;
	m->body[d] = c->end + (*c->end == '\n');
	m->depth = d;
	join_path(&m->title[d], m->title[up], is_entry ? c->word[1] : "");
	join_path(&m->id[d], m->id[up], is_entry ? id_of(c) : "");
	join_path(&m->number[d], m->number[up], is_entry ? number : "");
}

static void close_block(struct menu *m)
{
	free(m->title[m->depth]);
	free(m->id[m->depth]);
	free(m->number[m->depth]);
	m->depth--;
}

/* Kernels, and those of Xen, whose lines update-grub makes of the same words. */
static bool is_linux(const struct command *c)
{
	static const char * const loads[] = {
		"linux", "linuxefi", "linux16", "module", "module2", NULL
	};

	return c->nr > 1 && is_one_of(c->word[0], loads);
}

static void see_linux(const struct command *c, const struct menu *m, grub_see *see, void *data)
{
	int d = m->depth;
	struct grub_linux l = {
		.title = m->title[d] ?: "", .id = m->id[d] ?: "", .number = m->number[d] ?: "",
		.kernel = c->word[1], .part = m->part, .nr = c->nr - 2,
		.arg = (const char * const *)c->word + 2, .at = c->at + 2,
		.args = c->nr > 2 ? c->at[2] : c->end, .end = c->end,
		.head = m->head[d], .body = m->body[d],
	};

	l.line = join_arguments(c, 2);
	see(&l, data);
	free(l.line);
}

/* "### BEGIN /etc/grub.d/10_linux ###": update-grub puts its words into the lines of this part. */
static enum grub_part read_part(const char *line)
{
	char *copy = check_memory(strndup(line, strcspn(line, "\n")));
	enum grub_part part = GRUB_OTHER;

	if (strstr(copy, "10_linux"))
		part = GRUB_OURS;
	else if (strstr(copy, "os-prober") || strstr(copy, "custom"))
		part = GRUB_FOREIGN;
	free(copy);
	return part;
}

/**
 * grub_read() - look at each command of grub.cfg that loads a Linux kernel
 * @text: of grub.cfg or custom.cfg
 * @part: who wrote what comes before the first mark of update-grub
 * @first: number of the first entry
 * @see: called for each; what it gets is valid during the call
 * @data: for @see
 *
 * Return: number of the entry that would come next.
 */
int grub_read(const char *text, enum grub_part part, int first, grub_see *see, void *data)
{
	struct menu m = { .part = part, .index[0] = first };
	struct command c;
	const char *head;

	while (*text) {
		head = text;
		if (part != GRUB_FOREIGN && !strncmp(text, "### BEGIN ", 10))
			m.part = read_part(text);
		text = read_command(text, &c);
		if (opens_block(&c) && m.depth < MAX_DEPTH)
			open_block(&m, &c, head);
		else if (closes_block(&c) && m.depth)
			close_block(&m);
		else if (is_linux(&c))
			see_linux(&c, &m, see, data);
		free_command(&c);
		text += *text == '\n' || *text == ';';
	}
	while (m.depth)
		close_block(&m);
	return m.index[0];
}

/**
 * grub_body_end() - find the end of an entry
 * @body: where its commands begin
 *
 * Return: where its "}" is, or the end of the text.
 */
const char *grub_body_end(const char *body)
{
	const char *at = body, *brace;
	struct command c;
	int depth = 0;

	while (*at) {
		at = read_command(at, &c);
		brace = closes_block(&c) ? c.at[0] : NULL;
		depth += opens_block(&c) - !!brace;
		free_command(&c);
		if (depth < 0)
			return brace;
		at += *at == '\n' || *at == ';';
	}
	return at;
}

/* ---- the default ------------------------------------------------------ */

/* Which word sets the default: "set default=X", or "default=X"?  -1 if none does. */
static int set_default(const struct command *c)
{
	int i = !strcmp(c->word[0], "set");

	return i < c->nr && !strncmp(c->word[i], "default=", 8) ? i : -1;
}

/* Is the value of this variable in a word? */
static bool is_made_of(const struct command *c, int i, const char *variable)
{
	const char *end = i + 1 < c->nr ? c->at[i + 1] : c->end;

	return memmem(c->at[i], end - c->at[i], variable, strlen(variable));
}

/**
 * grub_default() - find what the text chooses as the entry that boots
 * @text: of grub.cfg or custom.cfg
 * @saved: saved_entry in the environment block; empty if there is none
 *
 * A choice that depends on next_entry, for one boot, does not count.
 *
 * Return: the last choice, which the caller frees; NULL if there is none, or if it is not known.
 */
char *grub_default(const char *text, const char *saved)
{
	char *found = NULL;
	struct command c;
	int set;

	while (*text) {
		text = read_command(text, &c);
		set = c.nr ? set_default(&c) : -1;
		if (set >= 0 && !is_made_of(&c, set, "next_entry")) {
			free(found);
			found = is_made_of(&c, set, "saved_entry") ? strdup(*saved ? saved : "0") :
				strchr(c.word[set], UNKNOWN) ? NULL :
				strdup(strchr(c.word[set], '=') + 1);
		}
		free_command(&c);
		text += *text == '\n' || *text == ';';
	}
	return found;
}

/**
 * grub_cut_block() - remove the block of the trial from the text of custom.cfg
 * @text: the text; changed
 *
 * Return: true if the block is all of it: then setup made the file.
 */
bool grub_cut_block(char *text)
{
	char *begin = strstr(text, BLOCK_BEGIN), *end;

	end = begin ? strstr(begin, BLOCK_END) : NULL;
	if (!end)
		return false;
	end += strlen(BLOCK_END);
	if (begin == text && !*end) {
		*text = 0;
		return true;
	}
	if (begin > text && begin[-1] == '\n')
		begin--;
	memmove(begin, end, strlen(end) + 1);
	return false;
}
