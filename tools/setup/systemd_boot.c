// SPDX-License-Identifier: GPL-2.0
/*
 * jtrace setup: systemd-boot with entries of type 1 of the UAPI group's Boot Loader Specification,
 * https://uapi-group.org/specifications/specs/boot_loader_specification/
 *
 * The trial is an entry of its own, which "bootctl set-oneshot" names as the next boot only.
 * Without that name it is not the default: it has no sort-key and the lowest name, so it is the
 * last in the menu.  It has no boot counter: systemd-boot finds an entry with a counter only by a
 * name with that counter, until 257.
 *
 * The default is in the entries of all kernels of this system, and in /etc/kernel/cmdline, from
 * which kernel-install makes the entries of later ones.
 */

#include <errno.h>
#include <stdlib.h>

#include "entries.h"

#define CMDLINE		"/etc/kernel/cmdline"
#define VENDOR_CMDLINE	"/usr/lib/kernel/cmdline"

static bool systemd_boot_read_boots(struct boots *b)
{
	struct entries e;

	if (!entries_read(&e))
		return false;
	entries_boots(&e, b);
	entries_free(&e);
	return true;
}

/* ---- one boot --------------------------------------------------------- */

/* The trial's text: with the words, and without title and sort-key. */
static char *make_trial(const char *entry, const struct boot_words *w)
{
	char *text = NULL, *with = entry_add_words(entry, w);
	const char *line;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		exit(!fail("no memory"));
	fputs("title      jtrace setup: boot once with reserved memory\n", to);
	for (line = with; *line; line = next_line(line))
		if (!entry_value(line, "title") && !entry_value(line, "sort-key"))
			fprintf(to, "%.*s\n", (int)strcspn(line, "\n"), line);
	if (fclose(to))
		exit(!fail("no memory"));
	free(with);
	return text;
}

static bool fail_booted(void)
{
	char *running = running_line();

	fail("systemd-boot: no entry of this system has the command line of this boot: boot an entry as it is, then run jtrace setup; this boot has: %s",
	     running);
	free(running);
	return false;
}

static void say_boots(const struct entries *e, int booted)
{
	struct boots b;

	entries_boots(e, &b);
	printf("Boots now: '%s': %s\n", b.entry[booted].name, b.entry[booted].line);
	if (b.next >= 0 && b.next != booted)
		printf("Boots by default: '%s': %s\n", b.entry[b.next].name,
		       b.entry[b.next].line);
	boots_free(&b);
}

static bool systemd_boot_try_once(struct plan *p)
{
	static const char * const oneshot[] = { "bootctl", "set-oneshot", TRIAL, NULL };
	char folder[300], path[400], *text;
	struct entries e;
	struct boot_words w;
	int booted;
	bool ok;

	if (!entries_need(folder, sizeof(folder)) || !entries_read(&e))
		return false;
	plan_words(p, &w);
	scnprintf(path, sizeof(path), "%s/" TRIAL, folder);
	booted = entries_find_booted(&e, &w);
	ok = booted >= 0 || fail_booted();
	if (ok) {
		say_boots(&e, booted);
		text = make_trial(e.text[booted], &w);
		ok = put_file(path, text) && run_command(oneshot);
		free(text);
	}
	entries_free(&e);
	return ok;
}

static bool systemd_boot_end_trial(const struct plan *p)
{
	static const char * const forget[] = { "bootctl", "set-oneshot", "", NULL };
	char folder[300], path[400], once[64];

	(void)p;
	if (!entries_need(folder, sizeof(folder)))
		return false;
	/* systemd-boot forgets the name when it boots the entry. */
	if (loader_variable("LoaderEntryOneShot", once, sizeof(once)) && !strcmp(once, TRIAL) &&
	    !run_command(forget))
		return false;
	scnprintf(path, sizeof(path), "%s/" TRIAL, folder);
	drop_half_file(path);
	return !root_exists(path) || drop_file(path);
}

/* ---- every boot ------------------------------------------------------- */

/*
 * Where kernel-install finds the words of later kernels: the file, else the vendor's, else the
 * running command line.  NULL, after a message, if there is no entry of this boot.
 */
static char *later_words(const struct entries *e, const struct boot_words *w, bool *is_new)
{
	char *old = read_whole(CMDLINE), options[4096];
	int booted;

	*is_new = !old && errno == ENOENT;
	if (!old && !*is_new)
		fail(CMDLINE ": %s", read_error());
	if (!*is_new)
		return old;
	old = read_whole(VENDOR_CMDLINE);
	if (old)
		return old;
	booted = entries_find_booted(e, w);
	if (booted < 0) {
		fail_booted();
		return NULL;
	}
	entry_values(e->text[booted], "options", options, sizeof(options));
	if (asprintf(&old, "%s\n", options) < 0)
		exit(!fail("no memory"));
	return old;
}

/* The first word of the file: newer versions of kernel-install skip comments. */
static const char *first_word(const char *text)
{
	for (; *text; text = next_line(text)) {
		text += strspn(text, " \t");
		if (*text != '#' && *text != '\n')
			return text;
	}
	return text;
}

static char *add_to_cmdline(const char *old, const struct boot_words *w)
{
	char unit[256], *text;

	if (line_has_unit(old, w)) {
		text = strdup(old);
		if (!text)
			exit(!fail("no memory"));
		return text;
	}
	entry_unit(w, unit, sizeof(unit));
	return text_add_unit(old, first_word(old), unit);
}

static bool write_cmdline(struct plan *p, const struct entries *e, const struct boot_words *w)
{
	char *old, *text;
	bool is_new, ok;

	/* A machine without this folder makes no entries by itself. */
	if (!w->nr || (!root_exists("/etc/kernel") && !root_exists(VENDOR_CMDLINE)))
		return true;
	old = later_words(e, w, &is_new);
	if (!old)
		return false;
	p->cmdline |= is_new;
	text = add_to_cmdline(old, w);
	/* The plan first: --remove must know, whatever happens. */
	ok = plan_write(p) && put_file(CMDLINE, text);
	free(text);
	free(old);
	return ok;
}

/* Does each file say what is meant? */
static bool check_entries(const struct boots *before, const struct boot_words *w)
{
	struct boots after = { .nr = 0 };
	char how[1024];
	int without;
	bool ok;

	if (!systemd_boot_read_boots(&after))
		return false;
	without = boots_find_without(&after, w);
	ok = without == -1 || (without == -2 ? fail("loader/entries: has no entry of this system") :
			       fail("%s: has no words of jtrace: %s", after.entry[without].name,
				    after.entry[without].line));
	ok = ok && (!boots_differ(before, &after, w, how, sizeof(how)) ||
		    fail("loader/entries: %s", how));
	boots_free(&after);
	return ok;
}

static bool write_entries(const struct entries *e, const struct boot_words *w)
{
	bool ok = true;
	char *text;
	int i;

	for (i = 0; i < e->nr && ok; i++) {
		if (!entry_is_ours(e->path[i], e->text[i]))
			continue;
		text = entry_add_words(e->text[i], w);
		ok = put_file(e->path[i], text);
		free(text);
	}
	return ok;
}

static bool systemd_boot_make_default(struct plan *p)
{
	struct boots before;
	struct entries e;
	struct boot_words w;
	bool ok;

	plan_words(p, &w);
	if (!entries_read(&e))
		return false;
	entries_boots(&e, &before);
	ok = write_cmdline(p, &e, &w) && write_entries(&e, &w) &&
	     (dry_run || check_entries(&before, &w));
	boots_free(&before);
	entries_free(&e);
	if (!ok)
		systemd_boot.take_back(p);
	return ok;
}

static char *cut_from_cmdline(const char *old, const struct boot_words *w)
{
	struct boot_words first = words_first(w);
	char unit[256], *text = strdup(old), *at;

	if (!text)
		exit(!fail("no memory"));
	entry_unit(w, unit, sizeof(unit));
	at = (char *)first_word(text);
	if (!text_cut_unit(at, at + strlen(at), unit, false)) {
		entry_unit(&first, unit, sizeof(unit));
		text_cut_unit(at, at + strlen(at), unit, false);
	}
	return text;
}

/* Setup made the file of the line of an entry. */
static bool is_of_an_entry(const char *text, const struct entries *e)
{
	char options[4096];
	int i;

	for (i = 0; i < e->nr; i++) {
		entry_values(e->text[i], "options", options, sizeof(options));
		if (entry_is_ours(e->path[i], e->text[i]) && is_same_line(text, options))
			return true;
	}
	return false;
}

static bool clean_cmdline(const struct plan *p, const struct entries *e, const struct boot_words *w)
{
	char *old, *text, *vendor;
	bool ours, ok;

	drop_half_file(CMDLINE);
	old = read_whole(CMDLINE);
	if (!old)
		return errno == ENOENT || fail(CMDLINE ": %s", read_error());
	text = cut_from_cmdline(old, w);
	vendor = read_whole(VENDOR_CMDLINE);
	/* Keep what the administrator wrote there since. */
	ours = p->cmdline && (vendor ? is_same_line(text, vendor) : is_of_an_entry(text, e));
	ok = ours ? drop_file(CMDLINE) : put_file(CMDLINE, text);
	free(vendor);
	free(text);
	free(old);
	return ok;
}

static bool clean_entries(const struct entries *e, const struct boot_words *w)
{
	bool ok = true;
	char *text;
	int i;

	for (i = 0; i < e->nr; i++) {
		drop_half_file(e->path[i]);
		if (!entry_is_ours(e->path[i], e->text[i]))
			continue;
		text = entry_cut_words(e->text[i], w);
		ok = put_file(e->path[i], text) && ok;
		free(text);
	}
	return ok;
}

static bool is_clean(const struct boot_words *w)
{
	/* panic=10 alone may be the user's own. */
	bool tells = w->nr && strncmp(w->word[0], "panic", 5);
	struct boots b;
	bool ok = true;
	int i;

	if (!systemd_boot_read_boots(&b))
		return false;
	for (i = 0; i < b.nr && ok && tells; i++)
		if (b.entry[i].ours && line_has_word(b.entry[i].line, w->word[0]))
			ok = fail("%s: still has '%s': %s", b.entry[i].name, w->word[0],
				  b.entry[i].line);
	boots_free(&b);
	return ok;
}

static bool systemd_boot_take_back(const struct plan *p)
{
	struct entries e;
	struct boot_words w;
	bool ok;

	plan_words(p, &w);
	if (!entries_read(&e))
		return false;
	ok = clean_entries(&e, &w);
	entries_free(&e);
	/* The entries without the words tell whether setup made that file. */
	if (!ok || !entries_read(&e))
		return false;
	ok = clean_cmdline(p, &e, &w);
	entries_free(&e);
	return ok && (dry_run || is_clean(&w));
}

const struct loader_ops systemd_boot = {
	.read_boots = systemd_boot_read_boots,
	.try_once = systemd_boot_try_once,
	.end_trial = systemd_boot_end_trial,
	.make_default = systemd_boot_make_default,
	.take_back = systemd_boot_take_back,
};
