// SPDX-License-Identifier: GPL-2.0
/*
 * jtrace setup: the menu of GRUB: what boots next, and the words in its lines.  GRUB reads
 * grub.cfg, and custom.cfg as part of it.
 */

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <sys/stat.h>

#include "grub.h"

/* ---- what boots next -------------------------------------------------- */

/* Half a minute, in tenths of a second. */
#define MOST_WAITS	300

/**
 * grub_wait() - wait until update-grub has written grub.cfg
 *
 * grub-mkconfig copies it from grub.cfg.new, which it leaves only if it failed.
 */
void grub_wait(void)
{
	struct stat st;
	int i;

	for (i = 0; i < MOST_WAITS && !stat(root_path(GRUB_CFG ".new"), &st) &&
	     time(NULL) - st.st_mtime < 60; i++)
		usleep(100000);
}

/**
 * grub_read_cfg() - read grub.cfg
 *
 * Return: its text, which the caller frees; NULL after a message.
 */
char *grub_read_cfg(void)
{
	char *cfg = read_whole(GRUB_CFG);

	if (!cfg)
		fail(GRUB_CFG ": %s", read_error());
	return cfg;
}

/**
 * grub_unit() - write the words as they stand in grub.cfg
 * @w: the words
 * @to: result
 * @size: of @to
 */
void grub_unit(const struct boot_words *w, char *to, size_t size)
{
	words_join(w, "'", "$", to, size);
}

/**
 * struct reader - fills in the entries
 * @b: the entries
 * @choice: what GRUB chooses by default: a title, an id or a number, after those of its submenus
 */
struct reader {
	struct boots *b;
	const char *choice;
};

/* One level of "a>b", or all if there is only one. */
static const char *skip_level(const char *path, size_t *len)
{
	*len = strcspn(path, ">");
	return path + *len + (path[*len] == '>');
}

static bool is_level(const char *path, size_t len, const char *choice, size_t choice_len)
{
	return len == choice_len && !strncmp(path, choice, len);
}

static bool is_choice(const struct grub_linux *l, const char *choice)
{
	const char *title = l->title, *id = l->id, *number = l->number;
	size_t title_len, id_len, number_len, len;

	while (*choice && *number) {
		const char *t = title, *i = id, *n = number, *c = choice;

		title = skip_level(title, &title_len);
		id = skip_level(id, &id_len);
		number = skip_level(number, &number_len);
		choice = skip_level(choice, &len);
		if (!is_level(t, title_len, c, len) && !is_level(i, id_len, c, len) &&
		    !is_level(n, number_len, c, len))
			return false;
	}
	return !*choice && !*number;
}

static void note_linux(const struct grub_linux *l, void *data)
{
	const struct reader *r = data;

	if (r->choice && r->b->next < 0 && is_choice(l, r->choice))
		r->b->next = r->b->nr;
	boots_add(r->b, l->title, l->kernel, l->line, l->part == GRUB_OURS);
}

/**
 * grub_environment() - read a variable of the environment block
 * @name: of the variable
 * @to: result; empty if there is none
 * @size: of @to
 */
void grub_environment(const char *name, char *to, size_t size)
{
	char *env = read_whole(GRUBENV), *at = env;
	size_t len = strlen(name);

	to[0] = 0;
	while (at && *at) {
		if (!strncmp(at, name, len) && at[len] == '=')
			scnprintf(to, size, "%.*s", (int)strcspn(at + len + 1, "\n"), at + len + 1);
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
	free(env);
}

/**
 * grub_boots_of() - find what boots if a text is grub.cfg
 * @cfg: the text; GRUB reads custom.cfg as part of it, at its end
 * @b: result
 */
void grub_boots_of(const char *cfg, struct boots *b)
{
	char saved[256], *custom = read_whole(CUSTOM_CFG), *choice;
	struct reader r = { .b = b };
	int nr;

	grub_environment("saved_entry", saved, sizeof(saved));
	if (custom)
		grub_cut_block(custom);
	choice = custom ? grub_default(custom, saved) : NULL;
	if (!choice)
		choice = grub_default(cfg, saved);
	r.choice = choice;
	*b = (struct boots){ .next = -1 };
	nr = grub_read(cfg, GRUB_OURS, 0, note_linux, &r);
	if (custom)
		grub_read(custom, GRUB_FOREIGN, nr, note_linux, &r);
	free(choice);
	free(custom);
}

/**
 * grub_read_boots() - find what boots next
 * @b: result
 *
 * Return: false, after a message, on an error.
 */
bool grub_read_boots(struct boots *b)
{
	char *cfg = grub_read_cfg();

	if (!cfg)
		return false;
	grub_boots_of(cfg, b);
	free(cfg);
	return true;
}

/**
 * is_changed_by_update_grub() - does update-grub write the entry of this boot?
 *
 * Return: true also if no entry is that of this boot.
 */
bool is_changed_by_update_grub(void)
{
	struct boot_words none = { .nr = 0 };
	struct boots b = { .nr = 0 };
	bool ours = true;
	int booted;

	if (!grub_read_boots(&b))
		return true;
	booted = boots_find_booted(&b, &none);
	if (booted >= 0)
		ours = b.entry[booted].ours;
	boots_free(&b);
	return ours;
}

/* ---- the unit in a text ----------------------------------------------- */

/**
 * struct places - where to put the unit
 * @w: the words
 * @nr: number of places
 * @at: the places, ascending
 */
struct places {
	const struct boot_words *w;
	int nr;
	const char **at;
};

static void note_place(const struct grub_linux *l, void *data)
{
	struct places *p = data;

	if (l->part != GRUB_OURS || line_has_unit(l->line, p->w))
		return;
	p->at = reallocarray(p->at, p->nr + 1, sizeof(*p->at));
	if (!p->at)
		exit(!fail("no memory"));
	p->at[p->nr++] = l->args;
}

/**
 * grub_put_units() - put the words into each line of this system that lacks them
 * @text: of grub.cfg, or of an entry
 * @w: the words
 *
 * Return: the new text, which the caller frees.
 */
char *grub_put_units(const char *text, const struct boot_words *w)
{
	char unit[256], *result = strdup(text), *with;
	struct places p = { .w = w };

	if (!result)
		exit(!fail("no memory"));
	grub_unit(w, unit, sizeof(unit));
	grub_read(text, GRUB_OURS, 0, note_place, &p);
	while (p.nr) {
		with = text_add_unit(result, result + (p.at[--p.nr] - text), unit);
		free(result);
		result = with;
	}
	free(p.at);
	return result;
}

/**
 * struct cuts - where units may be
 * @nr: number of lines
 * @args: where the arguments of each line begin
 * @end: where they end
 */
struct cuts {
	int nr;
	const char **args;
	const char **end;
};

static void note_cut(const struct grub_linux *l, void *data)
{
	struct cuts *c = data;

	if (l->part == GRUB_FOREIGN)
		return;
	c->args = reallocarray(c->args, c->nr + 1, sizeof(*c->args));
	c->end = reallocarray(c->end, c->nr + 1, sizeof(*c->end));
	if (!c->args || !c->end)
		exit(!fail("no memory"));
	c->args[c->nr] = l->args;
	c->end[c->nr++] = l->end;
}

/**
 * grub_cut_units() - cut one unit out of each line of this system
 * @text: of grub.cfg; changed
 * @unit: the words as they stand there
 */
void grub_cut_units(char *text, const char *unit)
{
	struct cuts c = { .nr = 0 };

	grub_read(text, GRUB_OURS, 0, note_cut, &c);
	while (c.nr--)
		text_cut_unit((char *)c.args[c.nr], c.end[c.nr], unit, true);
	free(c.args);
	free(c.end);
}

/**
 * struct breaks - where broken words are
 * @w: the words
 * @nr: number of places
 * @from: where each begins
 * @to: where to go on
 */
struct breaks {
	const struct boot_words *w;
	int nr;
	const char **from;
	const char **to;
};

static void note_broken(const struct grub_linux *l, void *data)
{
	struct breaks *b = data;
	int i, last;

	for (i = 0; i < l->nr && l->part != GRUB_FOREIGN; i++) {
		if (!is_cut_word(l->arg[i], strlen(l->arg[i]), b->w))
			continue;
		/* With the other word of the unit. */
		last = i + (b->w->nr > 1 && i + 1 < l->nr && !strcmp(l->arg[i + 1], b->w->word[1]));
		b->from = reallocarray(b->from, b->nr + 1, sizeof(*b->from));
		b->to = reallocarray(b->to, b->nr + 1, sizeof(*b->to));
		if (!b->from || !b->to)
			exit(!fail("no memory"));
		b->from[b->nr] = l->at[i];
		b->to[b->nr++] = last + 1 < l->nr ? l->at[last + 1] : l->end;
		i = last;
	}
}

/**
 * grub_cut_broken() - cut out what is left of the words if another file has changed them
 * @text: of grub.cfg; changed
 * @w: the words
 */
void grub_cut_broken(char *text, const struct boot_words *w)
{
	struct breaks b = { .w = w };

	grub_read(text, GRUB_OURS, 0, note_broken, &b);
	while (b.nr--)
		memmove((char *)b.from[b.nr], b.to[b.nr], strlen(b.to[b.nr]) + 1);
	free(b.from);
	free(b.to);
}

/* ---- what update-grub would write ------------------------------------- */

/**
 * grub_make_cfg() - find what update-grub would write
 *
 * Return: the text, which the caller frees; NULL after a message.
 */
char *grub_make_cfg(void)
{
	static const char * const mkconfig[] = { "grub-mkconfig", NULL };
	struct boots b;
	char *cfg;
	bool has;

	cfg = command_output(mkconfig);
	if (!cfg)
		return NULL;
	grub_boots_of(cfg, &b);
	has = boots_has_running_kernel(&b);
	boots_free(&b);
	if (has)
		return cfg;
	free(cfg);
	fail("grub-mkconfig: makes no entry for the running kernel");
	return NULL;
}
