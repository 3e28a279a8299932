// SPDX-License-Identifier: GPL-2.0
/*
 * jtrace setup: GRUB, as Debian configures it.
 *
 * The default is a file in /etc/default/grub.d, for later calls of update-grub, and the same words
 * in grub.cfg.  A shell reads that file, another one may change what it says, and update-grub would
 * also write what else changed since it ran last.  So grub-mkconfig, which is update-grub without a
 * file to write, runs before the file is there and after it: the words must be the only difference.
 * Only then they are put into the grub.cfg that boots today, in one step.  Single quotes protect
 * the "$" from GRUB, because os-prober of another system on this machine loses a backslash, but
 * copies quotes.
 */

#include <stdlib.h>

#include "grub.h"

/* Each line must have the words, and boot. */
static bool are_complete(const struct boots *b, const struct boot_words *w, const char *what)
{
	int wrong = boots_find_cut(b, w);

	if (wrong < 0)
		wrong = boots_find_without(b, w);
	if (wrong == -2)
		return fail("%s: has no entry of this system", what);
	return wrong < 0 ||
	       fail("%s: wrong line of '%s': %s", what, b->entry[wrong].name, b->entry[wrong].line);
}

/* Is this text the other one, and the words? */
static bool is_proven(const char *without, const char *with, const struct boot_words *w)
{
	static const char what[] = "grub-mkconfig, with " DEFAULT_CFG;
	struct boots before, after;
	char *less, how[2048];
	bool ok;

	grub_boots_of(without, &before);
	grub_boots_of(with, &after);
	ok = are_complete(&after, w, what) &&
	     (!boots_differ(&before, &after, w, how, sizeof(how)) || fail("%s: %s", what, how));
	boots_free(&before);
	boots_free(&after);
	if (!ok)
		return false;
	less = strdup(with);
	if (!less)
		return fail("no memory");
	grub_unit(w, how, sizeof(how));
	grub_cut_units(less, how);
	ok = !strcmp(less, without) || fail("%s: differs in more than the words", what);
	free(less);
	return ok;
}

/* The text of the file.  Within double quotes, a shell turns \$ into $, and keeps single quotes. */
static void default_text(const struct boot_words *w, char *to, size_t size)
{
	char words[256];

	words_join(w, "'", "\\$", words, sizeof(words));
	scnprintf(to, size, "GRUB_CMDLINE_LINUX=\"%s $GRUB_CMDLINE_LINUX\"\n", words);
}

/* The unit that an earlier plan wrote to the file; empty if there is none. */
static void default_unit(char *to, size_t size)
{
	static const char before[] = "GRUB_CMDLINE_LINUX=\"", after[] = " $GRUB_CMDLINE_LINUX";
	char *text = is_our_file(DEFAULT_CFG) ? read_whole(DEFAULT_CFG) : NULL;
	char *at = text ? strstr(text, before) : NULL;
	char *end = at ? strstr(at, after) : NULL;
	size_t len = 0;

	for (at = end ? at + strlen(before) : NULL; at < end && len + 1 < size; at++)
		if (*at != '\\')
			to[len++] = *at;
	to[len] = 0;
	free(text);
}

/* Write the file for later calls of update-grub, and prove what they will make of it. */
static bool write_default(const struct boot_words *w)
{
	char text[512], *without = NULL, *with = NULL;
	bool ok;

	default_text(w, text, sizeof(text));
	if (dry_run)
		return put_our_file(DEFAULT_CFG, text);
	if (!drop_our_file(DEFAULT_CFG))
		return false;
	without = grub_make_cfg();
	ok = without && put_our_file(DEFAULT_CFG, text);
	if (ok) {
		with = grub_make_cfg();
		ok = with && is_proven(without, with, w);
	}
	free(without);
	free(with);
	return ok;
}

/* How often update-grub may write grub.cfg between reading it and writing it. */
#define MOST_TRIES	3

/*
 * Change grub.cfg, and read it again.  If update-grub wrote it at the same time, change what it
 * wrote.  @change: returns the new text, to be freed.  @before: result: what booted before.
 */
static bool change_cfg(char *(*change)(const char *old, const struct boot_words *w),
		       const struct boot_words *w, struct boots *before)
{
	int tries, done = 0;
	bool same = false;
	char *old, *text, *now;

	for (tries = 0; tries < MOST_TRIES && !same; tries++) {
		grub_wait();
		old = grub_read_cfg();
		if (!old)
			return false;
		boots_free(before);
		grub_boots_of(old, before);
		text = change(old, w);
		done = put_changed_file(GRUB_CFG, old, text);
		now = done > 0 && !dry_run ? grub_read_cfg() : NULL;
		same = done > 0 && (dry_run || (now && !strcmp(now, text)));
		free(now);
		free(text);
		free(old);
		if (!done)
			return false;
	}
	return same || fail(GRUB_CFG ": another program writes it: try again when it has ended");
}

/* Put the words into the grub.cfg that boots today. */
static bool write_cfg(const struct boot_words *w)
{
	struct boots before = { .nr = 0 }, after = { .nr = 0 };
	char how[2048];
	bool ok = change_cfg(grub_put_units, w, &before);

	if (ok && !dry_run)
		ok = grub_read_boots(&after) && are_complete(&after, w, GRUB_CFG) &&
		     (!boots_differ(&before, &after, w, how, sizeof(how)) ||
		      fail(GRUB_CFG ": %s", how));
	boots_free(&before);
	boots_free(&after);
	return ok;
}

static bool is_default(const struct boot_words *w)
{
	struct boots b = { .nr = 0 };
	char text[512];
	bool is;

	default_text(w, text, sizeof(text));
	is = our_file_has(DEFAULT_CFG, text) && grub_read_boots(&b) && boots_find_cut(&b, w) < 0 &&
	     boots_find_without(&b, w) == -1;
	boots_free(&b);
	return is;
}

static bool grub_make_default(struct plan *p)
{
	struct boot_words w;

	plan_words(p, &w);
	if (is_default(&w))
		return true;
	if (write_default(&w) && write_cfg(&w))
		return true;
	grub.take_back(p);
	return false;
}

/* No line has the words, and each boots. */
static bool is_clean(const char *cfg, const struct boot_words *w, bool say)
{
	/* panic=10 alone may be the user's own. */
	bool tells = w->nr && strncmp(w->word[0], "panic", 5);
	struct boots b;
	int wrong, i;

	grub_boots_of(cfg, &b);
	wrong = boots_find_cut(&b, w);
	for (i = 0; wrong < 0 && tells && i < b.nr; i++)
		if (b.entry[i].ours && line_has_word(b.entry[i].line, w->word[0]))
			wrong = i;
	if (wrong >= 0 && say)
		fail(GRUB_CFG ": wrong line of '%s', which another file in /etc/default must have changed: %s",
		     b.entry[wrong].name, b.entry[wrong].line);
	boots_free(&b);
	return wrong < 0;
}

/* The unit of an earlier plan. */
static char earlier[256];

/* Has the text the entry of this boot? */
static bool boots_as_now(const char *cfg, const struct boot_words *w)
{
	struct boots b;
	bool is;

	grub_boots_of(cfg, &b);
	is = boots_find_booted(&b, w) >= 0;
	boots_free(&b);
	return is;
}

/*
 * The text of grub.cfg without the words, and without what another file left of them.  If that file
 * left half a quotation, nothing can be cut out: take what update-grub would write now, if that is
 * proven to boot.
 */
static char *cut_all(const char *old, const struct boot_words *w)
{
	char *text = strdup(old), unit[256], *made;

	if (!text)
		exit(!fail("no memory"));
	grub_cut_units(text, earlier);
	grub_unit(w, unit, sizeof(unit));
	if (strcmp(unit, earlier))
		grub_cut_units(text, unit);
	grub_cut_broken(text, w);
	if (is_clean(text, w, false) || dry_run)
		return text;
	made = grub_make_cfg();
	if (made && is_clean(made, w, false) && boots_as_now(made, w)) {
		free(text);
		return made;
	}
	free(made);
	return text;
}

static bool clean_cfg(const struct boot_words *w)
{
	struct boots before = { .nr = 0 };
	bool ok = change_cfg(cut_all, w, &before);
	char *now = ok && !dry_run ? grub_read_cfg() : NULL;

	ok = ok && (dry_run || (now && is_clean(now, w, true)));
	boots_free(&before);
	free(now);
	return ok;
}

/* The file first: update-grub that runs at the same time must not bring the words back. */
static bool grub_take_back(const struct plan *p)
{
	struct boot_words w;

	plan_words(p, &w);
	default_unit(earlier, sizeof(earlier));
	drop_half_file(GRUB_CFG);
	if (!drop_our_file(DEFAULT_CFG))
		return false;
	/* Without a menu, GRUB is gone. */
	return !root_exists(GRUB_CFG) || clean_cfg(&w);
}

const struct loader_ops grub = {
	.read_boots = grub_read_boots,
	.try_once = grub_try_once,
	.end_trial = grub_end_trial,
	.make_default = grub_make_default,
	.take_back = grub_take_back,
};
