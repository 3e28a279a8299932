// SPDX-License-Identifier: GPL-2.0
/*
 * jtrace setup: what boots next.  For each entry of the boot loader, this is the command line that
 * the kernel will get.  Setup reads all before a change and after it, and compares.
 */

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "setup.h"

/**
 * boots_add() - note an entry of the boot loader
 * @b: the entries
 * @name: what the user calls it
 * @kernel: path of the kernel
 * @line: command line that the kernel gets
 * @ours: the words of setup belong there
 *
 * The command ends if there is no memory.
 */
void boots_add(struct boots *b, const char *name, const char *kernel, const char *line, bool ours)
{
	struct boot_entry *e;

	b->entry = reallocarray(b->entry, b->nr + 1, sizeof(*b->entry));
	if (!b->entry)
		exit(!fail("no memory"));
	e = &b->entry[b->nr++];
	*e = (struct boot_entry){
		.name = strdup(name), .kernel = strdup(kernel), .line = strdup(line), .ours = ours,
	};
	if (!e->name || !e->kernel || !e->line)
		exit(!fail("no memory"));
}

/**
 * boots_free() - free the entries
 * @b: the entries; none then
 */
void boots_free(struct boots *b)
{
	while (b->nr) {
		struct boot_entry *e = &b->entry[--b->nr];

		free(e->name);
		free(e->kernel);
		free(e->line);
	}
	free(b->entry);
	*b = (struct boots){ .next = -1 };
}

/**
 * running_line() - read the command line of this boot
 *
 * Return: without the path that GRUB puts before it; the caller frees it.  The command ends if it
 * cannot be read.
 */
char *running_line(void)
{
	char *line = read_whole("/proc/cmdline"), *at;

	if (!line)
		exit(!fail("/proc/cmdline: %s", strerror(errno)));
	at = strncmp(line, "BOOT_IMAGE=", 11) ? line : line + strcspn(line, "\n ");
	at += strspn(at, " ");
	memmove(line, at, strlen(at) + 1);
	line[strcspn(line, "\n")] = 0;
	return line;
}

/* Is it the kernel of this release?  Debian signs some as a file of their own. */
static bool is_of_release(const char *kernel, const char *release)
{
	static const char signed_name[] = ".efi.signed";
	size_t path = strlen(kernel), len = strlen(release), end = strlen(signed_name);
	const char *name;

	if (path > end && !strcmp(kernel + path - end, signed_name))
		path -= end;
	if (!len || path <= len)
		return false;
	name = kernel + path - len;
	return !strncmp(name, release, len) && (name[-1] == '-' || name[-1] == '/');
}

/**
 * boots_has_running_kernel() - has this system an entry for the running kernel?
 * @b: the entries
 */
bool boots_has_running_kernel(const struct boots *b)
{
	char release[128];
	int i;

	root_release(release, sizeof(release));
	for (i = 0; i < b->nr; i++)
		if (b->entry[i].ours && is_of_release(b->entry[i].kernel, release))
			return true;
	return false;
}

/**
 * boots_find_booted() - find the entry of this boot: of the running kernel and its command line
 * @b: the entries
 * @w: words that may be missing on either side
 *
 * Return: its number, that of what boots next if several fit; -1 if there is none.
 */
int boots_find_booted(const struct boots *b, const struct boot_words *w)
{
	char release[128], *running = running_line();
	int i, found = -1;

	root_release(release, sizeof(release));
	for (i = 0; i < b->nr; i++) {
		const struct boot_entry *e = &b->entry[i];

		if (is_of_release(e->kernel, release) && is_booted_line(e->line, running, w) &&
		    (found < 0 || i == b->next || (e->ours && !b->entry[found].ours &&
						   found != b->next)))
			found = i;
	}
	free(running);
	return found;
}

/**
 * is_cut_word() - is it a word of setup without its address?
 * @at: the word
 * @len: its length
 * @w: the words
 *
 * "memmap=4M" without "$" and an address is the size of all memory: such a line does not boot.
 */
bool is_cut_word(const char *at, size_t len, const struct boot_words *w)
{
	size_t size = w->nr && !strncmp(w->word[0], "memmap=", 7) ? strcspn(w->word[0], "$") : 0;

	return size && len >= size && !strncmp(at, w->word[0], size) &&
	       (len == size || (!strchr("$@#!%", at[size]) && !isalnum((unsigned char)at[size])));
}

static bool has_cut_word(const char *line, const struct boot_words *w)
{
	size_t len;

	for (line += strspn(line, " \t"); *line; line += len + strspn(line + len, " \t")) {
		len = strcspn(line, " \t");
		if (is_cut_word(line, len, w))
			return true;
	}
	return false;
}

/**
 * boots_find_cut() - find an entry that does not boot, because a word of setup is cut
 * @b: the entries
 * @w: the words
 *
 * Return: its number, -1 if there is none.
 */
int boots_find_cut(const struct boots *b, const struct boot_words *w)
{
	int i;

	for (i = 0; i < b->nr; i++)
		if (b->entry[i].ours && has_cut_word(b->entry[i].line, w))
			return i;
	return -1;
}

/**
 * boots_find_without() - find an entry of this system without the words
 * @b: the entries
 * @w: the words
 *
 * Return: its number, -1 if there is none; -2 if this system has no entry at all.
 */
int boots_find_without(const struct boots *b, const struct boot_words *w)
{
	bool any = false;
	int i;

	for (i = 0; i < b->nr; i++) {
		any |= b->entry[i].ours;
		if (b->entry[i].ours && !line_has_unit(b->entry[i].line, w))
			return i;
	}
	return any ? -1 : -2;
}

/**
 * boots_find_with() - find an entry of this system with the words
 * @b: the entries
 * @w: the words
 *
 * Return: its number, -1 if there is none.
 */
int boots_find_with(const struct boots *b, const struct boot_words *w)
{
	int i;

	for (i = 0; w->nr && i < b->nr; i++)
		if (b->entry[i].ours && line_has_unit(b->entry[i].line, w))
			return i;
	return -1;
}

static bool is_same_entry(const struct boot_entry *a, const struct boot_entry *b)
{
	return a->ours == b->ours && !strcmp(a->name, b->name) && !strcmp(a->kernel, b->kernel);
}

static bool same_less_unit(const struct boot_entry *a, const struct boot_entry *b,
			   const struct boot_words *w)
{
	char *line_a = line_less_unit(a->line, w), *line_b = line_less_unit(b->line, w);
	bool same = is_same_line(line_a, line_b);

	free(line_a);
	free(line_b);
	return same;
}

/**
 * boots_differ() - is more than the words different in what boots?
 * @before: the entries before a change
 * @after: the same after it
 * @w: the words; each entry may have them, or lack them, on either side
 * @how: result: what differs first
 * @size: of @how
 */
bool boots_differ(const struct boots *before, const struct boots *after, const struct boot_words *w,
		  char *how, size_t size)
{
	int i;

	for (i = 0; i < before->nr && i < after->nr; i++) {
		const struct boot_entry *a = &before->entry[i], *b = &after->entry[i];

		if (!is_same_entry(a, b)) {
			scnprintf(how, size, "'%s' is where '%s' was", b->name, a->name);
			return true;
		}
		if (!same_less_unit(a, b, w)) {
			scnprintf(how, size, "the line of '%s' was '%s', and is '%s'", a->name,
				  a->line, b->line);
			return true;
		}
	}
	if (before->nr == after->nr)
		return false;
	scnprintf(how, size, "there were %d entries, and are %d", before->nr, after->nr);
	return true;
}
