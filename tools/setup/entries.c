// SPDX-License-Identifier: GPL-2.0
/*
 * jtrace setup: entry files of type 1 of the UAPI group's Boot Loader Specification,
 * https://uapi-group.org/specifications/specs/boot_loader_specification/
 *
 * The words are in front of the first line with options; an entry without such a line gets one at
 * its end.
 */

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>

#include "entries.h"

/* ---- entries ---------------------------------------------------------- */

/* In $BOOT of the specification; false, without a message, if there is none. */
static bool entries_find(char *path, size_t size)
{
	static const char * const ask[] = { "bootctl", "--print-boot-path", NULL };
	char boot[256];

	if (!command_line_of(ask, boot, sizeof(boot)) || boot[0] != '/')
		return false;
	scnprintf(path, size, "%s/loader/entries", boot);
	return root_exists(path);
}

/**
 * entries_need() - find the folder of the entry files
 * @path: result
 * @size: of @path
 *
 * Return: false, after a message, if there is none.
 */
bool entries_need(char *path, size_t size)
{
	return entries_find(path, size) ||
	       fail("bootctl --print-boot-path: finds no boot partition with loader/entries");
}

/**
 * entry_value() - find the value of a key in a line of an entry
 * @line: the line
 * @key: the key
 *
 * Return: NULL if the line has another key.
 */
const char *entry_value(const char *line, const char *key)
{
	size_t len = strlen(key);

	line += strspn(line, " \t");
	if (strncmp(line, key, len) || !line[len] || !strchr(" \t", line[len]))
		return NULL;
	return line + len + strspn(line + len, " \t");
}

/**
 * next_line() - find the next line of a text
 * @line: a line
 */
const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return line + (*line == '\n');
}

/**
 * entry_values() - copy the values of all lines with a key, with blanks between them
 * @text: of an entry
 * @key: the key
 * @to: result
 * @size: of @to
 *
 * Return: false if there is none.
 */
bool entry_values(const char *text, const char *key, char *to, size_t size)
{
	const char *value;
	bool any = false;
	size_t len = 0;

	for (to[0] = 0; *text; text = next_line(text)) {
		value = entry_value(text, key);
		if (!value)
			continue;
		len += scnprintf(to + len, size - len, "%s%.*s", any ? " " : "",
				 (int)strcspn(value, "\r\n"), value);
		any = true;
	}
	return any;
}

/* Does a key of an entry have this value? */
static bool has_value(const char *text, const char *key, const char *wanted)
{
	char value[256];

	return *wanted && entry_values(text, key, value, sizeof(value)) && !strcmp(value, wanted);
}

/* kernel-install names entries by a token.  If that is not the machine's id, they lack the id. */
static bool has_token(const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	char token[256];
	size_t len;

	root_read("/etc/kernel/entry-token", token, sizeof(token));
	len = strcspn(token, "\n");
	return len && !strncmp(name, token, len) && name[len] == '-';
}

/**
 * entry_is_ours() - is it an entry of this system, which boots a kernel?
 * @path: of its file
 * @text: of the entry
 */
bool entry_is_ours(const char *path, const char *text)
{
	char id[64], other[16];

	root_read("/etc/machine-id", id, sizeof(id));
	id[strcspn(id, "\n")] = 0;
	return (has_value(text, "machine-id", id) || has_token(path)) &&
	       (entry_values(text, "options", other, sizeof(other)) ||
		entry_values(text, "linux", other, sizeof(other)));
}

static bool is_of_running_kernel(const char *text)
{
	char release[128];

	root_release(release, sizeof(release));
	return has_value(text, "version", release);
}

/**
 * entries_free() - free the entries
 * @e: the entries
 */
void entries_free(struct entries *e)
{
	while (e->nr--) {
		free(e->path[e->nr]);
		free(e->text[e->nr]);
	}
	free(e->path);
	free(e->text);
}

static int is_entry_name(const struct dirent *d)
{
	return !fnmatch("*.conf", d->d_name, 0) && strcmp(d->d_name, TRIAL);
}

static bool add_entry(struct entries *e, const char *folder, const char *name)
{
	char *path, *text;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		exit(!fail("no memory"));
	text = read_whole(path);
	if (!text) {
		fail("%s: %s", path, read_error());
		free(path);
		return false;
	}
	e->path = reallocarray(e->path, e->nr + 1, sizeof(*e->path));
	e->text = reallocarray(e->text, e->nr + 1, sizeof(*e->text));
	if (!e->path || !e->text)
		exit(!fail("no memory"));
	e->path[e->nr] = path;
	e->text[e->nr++] = text;
	return true;
}

/**
 * entries_read() - read the entry files
 * @e: result; the caller frees it
 *
 * Return: false, after a message, on an error; there is nothing to free then.
 */
bool entries_read(struct entries *e)
{
	struct dirent **names;
	char folder[300];
	bool ok = true;
	int nr, i;

	*e = (struct entries){ .nr = 0 };
	if (!entries_need(folder, sizeof(folder)))
		return false;
	nr = scandir(root_path(folder), &names, is_entry_name, alphasort);
	if (nr < 0)
		return fail("%s: %s", folder, strerror(errno));
	for (i = 0; i < nr; i++) {
		ok = ok && add_entry(e, folder, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	if (!ok)
		entries_free(e);
	return ok;
}

/* ---- what boots next -------------------------------------------------- */

/* A name without a boot counter: "a+2-1.conf" is "a.conf". */
static void entry_id(const char *name, char *to, size_t size)
{
	size_t len = strlen(name), end;

	if (len > 5 && !strcmp(name + len - 5, ".conf"))
		len -= 5;
	end = len;
	while (end && strchr("0123456789-", name[end - 1]))
		end--;
	if (end && end < len && name[end - 1] == '+')
		len = end - 1;
	scnprintf(to, size, "%.*s", (int)len, name);
}

/* The id of an entry that the loader names: in lower case, and some versions keep the counter. */
static void read_id(const char *variable, char *to, size_t size)
{
	char name[256];

	loader_variable(variable, name, sizeof(name));
	entry_id(name, to, size);
}

static bool has_id(const char *path, const char *id)
{
	char own[256];

	entry_id(strrchr(path, '/') + 1, own, sizeof(own));
	return *id && !strcasecmp(own, id);
}

/**
 * entries_boots() - find what boots next
 * @e: the entries
 * @b: result
 */
void entries_boots(const struct entries *e, struct boots *b)
{
	char options[4096], version[128], chosen[256];
	int i;

	read_id("LoaderEntryDefault", chosen, sizeof(chosen));
	*b = (struct boots){ .next = -1 };
	for (i = 0; i < e->nr; i++) {
		if (has_id(e->path[i], chosen))
			b->next = i;
		entry_values(e->text[i], "options", options, sizeof(options));
		entry_values(e->text[i], "version", version, sizeof(version));
		boots_add(b, strrchr(e->path[i], '/') + 1, version, options,
			  entry_is_ours(e->path[i], e->text[i]));
	}
}

/**
 * entries_find_booted() - find the entry of this boot
 * @e: the entries
 * @w: words that may be missing in the entry or in the running command line
 *
 * It has the running command line.  If several have, systemd-boot tells which one it was.
 *
 * Return: its number, -1 if there is none.
 */
int entries_find_booted(const struct entries *e, const struct boot_words *w)
{
	char selected[256], options[4096], *running = running_line();
	int i, found = -1;

	read_id("LoaderEntrySelected", selected, sizeof(selected));
	for (i = 0; i < e->nr; i++) {
		if (!entry_is_ours(e->path[i], e->text[i]) || !is_of_running_kernel(e->text[i]))
			continue;
		entry_values(e->text[i], "options", options, sizeof(options));
		if (!is_booted_line(options, running, w))
			continue;
		if (found < 0 || has_id(e->path[i], selected))
			found = i;
	}
	free(running);
	return found;
}

/**
 * has_running_entry() - has systemd-boot an entry file for the running kernel?
 *
 * A unified kernel image has none.
 */
bool has_running_entry(void)
{
	struct entries e;
	char folder[300];
	bool found = false;
	int i;

	if (!entries_find(folder, sizeof(folder)) || !entries_read(&e))
		return false;
	for (i = 0; i < e.nr && !found; i++)
		found = entry_is_ours(e.path[i], e.text[i]) && is_of_running_kernel(e.text[i]);
	entries_free(&e);
	return found;
}

/* ---- the words in a text ---------------------------------------------- */

/**
 * entry_unit() - write the words as they stand in an entry
 * @w: the words
 * @to: result
 * @size: of @to
 */
void entry_unit(const struct boot_words *w, char *to, size_t size)
{
	words_join(w, "", "$", to, size);
}

/**
 * entry_add_words() - put the words into an entry that lacks them
 * @text: of the entry
 * @w: the words
 *
 * Return: the new text, which the caller frees.
 */
char *entry_add_words(const char *text, const struct boot_words *w)
{
	char options[4096], unit[256], *with;
	const char *line, *value = NULL;
	bool ends;

	entry_unit(w, unit, sizeof(unit));
	entry_values(text, "options", options, sizeof(options));
	if (line_has_unit(options, w)) {
		with = strdup(text);
		if (!with)
			exit(!fail("no memory"));
		return with;
	}
	for (line = text; *line && !value; line = next_line(line))
		value = entry_value(line, "options");
	if (value)
		return text_add_unit(text, value, unit);
	ends = !*text || text[strlen(text) - 1] == '\n';
	if (asprintf(&with, "%s%soptions %s%s", text, ends ? "" : "\n", unit, ends ? "\n" : "") < 0)
		exit(!fail("no memory"));
	return with;
}

/* Remove the line that entry_add_words() made; false if there is none. */
static bool cut_line(char *text, const char *unit)
{
	char line[300], *at;

	scnprintf(line, sizeof(line), "options %s", unit);
	at = strstr(text, line);
	if (!*unit || !at || (at > text && at[-1] != '\n'))
		return false;
	if (!strcmp(at + strlen(line), "\n"))
		*at = 0;
	else if (!at[strlen(line)] && at > text)
		at[-1] = 0;
	else
		return false;
	return true;
}

static bool cut_unit(char *text, const struct boot_words *w)
{
	char unit[256], *line, *value;

	entry_unit(w, unit, sizeof(unit));
	if (cut_line(text, unit))
		return true;
	for (line = text; *line; line = (char *)next_line(line)) {
		value = (char *)entry_value(line, "options");
		if (value && text_cut_unit(value, value + strcspn(value, "\n"), unit, false))
			return true;
	}
	return false;
}

/**
 * entry_cut_words() - cut the words out of an entry
 * @text: of the entry
 * @w: the words; the first one may stand alone
 *
 * Return: the new text, which the caller frees.
 */
char *entry_cut_words(const char *text, const struct boot_words *w)
{
	struct boot_words first = words_first(w);
	char *less = strdup(text);

	if (!less)
		exit(!fail("no memory"));
	if (!cut_unit(less, w))
		cut_unit(less, &first);
	return less;
}
