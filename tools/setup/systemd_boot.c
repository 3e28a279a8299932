// SPDX-License-Identifier: GPL-2.0
/*
 * jtrace setup: systemd-boot with entries of type 1 of the UAPI group's Boot Loader Specification.
 *
 * The trial is an entry of its own, which "bootctl set-oneshot" names as the next boot only.
 * Without that name it is not the default: it has no sort-key and the lowest name, so it is the
 * last in the menu.  It has no boot counter: up to 253, systemd-boot finds an entry with a counter
 * only by a name with that counter.
 *
 * The default is in the entries of all kernels of this system, and in /etc/kernel/cmdline, from
 * which kernel-install makes the entries of later ones.
 */

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <unistd.h>

#include "setup.h"

#define CMDLINE		"/etc/kernel/cmdline"
#define TRIAL		"a-jtrace-setup.conf"

/* ---- entries ---------------------------------------------------------- */

/* In $BOOT of the specification; false, without a message, if there is none. */
static bool find_entries(char *path, size_t size)
{
	static const char * const ask[] = { "bootctl", "--print-boot-path", NULL };
	char boot[256];

	if (!command_line_of(ask, boot, sizeof(boot)) || boot[0] != '/')
		return false;
	scnprintf(path, size, "%s/loader/entries", boot);
	return root_exists(path);
}

static bool need_entries(char *path, size_t size)
{
	return find_entries(path, size) ||
	       fail("bootctl --print-boot-path: finds no boot partition with loader/entries");
}

/* Returns the value of a key in a line of an entry; NULL if the line has another key. */
static const char *value_of(const char *line, const char *key)
{
	size_t len = strlen(key);

	line += strspn(line, " \t");
	if (strncmp(line, key, len) || !line[len] || !strchr(" \t", line[len]))
		return NULL;
	return line + len + strspn(line + len, " \t");
}

/* Copy the value of the first line with a key; false if there is none. */
static bool read_value(const char *text, const char *key, char *to, size_t size)
{
	const char *value;

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		value = value_of(text, key);
		if (value) {
			scnprintf(to, size, "%.*s", (int)strcspn(value, "\n"), value);
			return true;
		}
	}
	return false;
}

/* Entries of kernels of this system, which kernel-install wrote. */
static bool is_of_this_system(const char *text)
{
	char id[64], entry_id[64];

	if (root_read("/etc/machine-id", id, sizeof(id)) <= 0 ||
	    !read_value(text, "machine-id", entry_id, sizeof(entry_id)))
		return false;
	id[strcspn(id, "\n")] = 0;
	return !strcmp(id, entry_id);
}

static bool is_of_running_kernel(const char *text)
{
	char release[128], version[128];

	root_release(release, sizeof(release));
	return read_value(text, "version", version, sizeof(version)) && !strcmp(version, release);
}

/* Called with the path and the text of an entry; returns false, after a message, on an error. */
typedef bool entry_act(const char *path, const char *text, void *data);

/* Call @act for each entry of this system, without the trial; stop when it returns false. */
static bool visit_entries(const char *entries, entry_act *act, void *data)
{
	DIR *dir = opendir(root_path(entries));
	const struct dirent *d;
	char path[512], *text;
	bool ok = true;

	if (!dir)
		return fail("%s: %s", entries, strerror(errno));
	while (ok && (d = readdir(dir))) {
		if (fnmatch("*.conf", d->d_name, 0) || !strcmp(d->d_name, TRIAL))
			continue;
		scnprintf(path, sizeof(path), "%s/%s", entries, d->d_name);
		text = read_whole(path);
		if (text && is_of_this_system(text))
			ok = act(path, text, data);
		free(text);
	}
	closedir(dir);
	return ok;
}

static bool note_entry(const char *path, const char *text, void *data)
{
	char **found = data;

	(void)path;
	if (!*found && is_of_running_kernel(text))
		*found = strdup(text);
	return true;
}

/* Returns its text, which the caller frees; NULL, without a message, if there is none. */
static char *find_running_entry(const char *entries)
{
	char *found = NULL;

	visit_entries(entries, note_entry, &found);
	return found;
}

/**
 * has_running_entry() - has systemd-boot an entry file for the running kernel?
 *
 * A unified kernel image has none.
 */
bool has_running_entry(void)
{
	char entries[300], *entry = NULL;

	if (find_entries(entries, sizeof(entries)))
		entry = find_running_entry(entries);
	free(entry);
	return entry;
}

/* The text with the words in its first line with options, or without them in any; to be freed. */
static char *edit_options(const char *text, const struct words *w, bool add)
{
	char *edited = NULL, *line, *changed;
	bool done = false;
	size_t size, len;
	FILE *to = open_memstream(&edited, &size);

	if (!to)
		exit(!fail("no memory"));
	for (; *text; text += len, text += *text == '\n') {
		len = strcspn(text, "\n");
		line = strndup(text, len);
		if (line && value_of(line, "options") && !(add && done)) {
			changed = add ? line_add_words(line, w) : line_drop_words(line, w);
			free(line);
			line = changed;
			done = true;
		}
		fprintf(to, "%s\n", line ?: "");
		free(line);
	}
	if (fclose(to))
		exit(!fail("no memory"));
	return edited;
}

/* ---- one boot --------------------------------------------------------- */

/* The trial's text: with the words, and without title and sort-key. */
static char *make_trial(const char *entry, const struct words *w)
{
	char *text = NULL, *with = edit_options(entry, w, true);
	const char *line = with;
	size_t size, len;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		exit(!fail("no memory"));
	fputs("title      jtrace setup: boot once with reserved memory\n", to);
	for (; *line; line += len, line += *line == '\n') {
		len = strcspn(line, "\n");
		if (!value_of(line, "title") && !value_of(line, "sort-key"))
			fprintf(to, "%.*s\n", (int)len, line);
	}
	if (fclose(to))
		exit(!fail("no memory"));
	free(with);
	return text;
}

static bool systemd_boot_try_once(struct plan *p)
{
	static const char * const oneshot[] = { "bootctl", "set-oneshot", TRIAL, NULL };
	char entries[300], path[400], *entry, *text, options[16];
	struct words w;
	bool ok;

	if (!need_entries(entries, sizeof(entries)))
		return false;
	entry = find_running_entry(entries);
	if (!entry)
		return fail("%s: has no entry of this system for the running kernel", entries);
	plan_words(p, &w);
	scnprintf(path, sizeof(path), "%s/" TRIAL, entries);
	ok = read_value(entry, "options", options, sizeof(options)) ||
	     fail("%s: the entry of the running kernel has no options", entries);
	text = make_trial(entry, &w);
	ok = ok && put_file(path, text) && run_command(oneshot);
	free(text);
	free(entry);
	return ok;
}

static bool systemd_boot_end_trial(const struct plan *p)
{
	static const char * const forget[] = { "bootctl", "set-oneshot", "", NULL };
	char entries[300], path[400];

	(void)p;
	if (!need_entries(entries, sizeof(entries)))
		return false;
	/* systemd-boot forgets the name when it boots the entry. */
	if (loader_variable_begins("LoaderEntryOneShot", TRIAL) && !run_command(forget))
		return false;
	scnprintf(path, sizeof(path), "%s/" TRIAL, entries);
	if (!root_exists(path))
		return true;
	say_step("remove %s", path);
	return dry_run || !unlink(root_path(path)) || fail("%s: %s", path, strerror(errno));
}

/* ---- every boot ------------------------------------------------------- */

static bool edit_entry(const char *path, const char *text, const struct words *w, bool add)
{
	char *edited = edit_options(text, w, add);
	bool ok = put_file(path, edited);

	free(edited);
	return ok;
}

static bool add_to_entry(const char *path, const char *text, void *data)
{
	return edit_entry(path, text, data, true);
}

static bool drop_from_entry(const char *path, const char *text, void *data)
{
	return edit_entry(path, text, data, false);
}

/* Look at the words as systemd-boot reads them. */
static bool check_entry(const char *path, const char *text, void *data)
{
	char options[4096] = "";

	read_value(text, "options", options, sizeof(options));
	return line_has_words(options, data) || fail("%s: wrong options: %s", path, options);
}

/* Without the file, kernel-install takes the running command line. */
static bool write_cmdline(struct plan *p, const char *entries, const struct words *w)
{
	char *old = read_whole(CMDLINE), *entry = NULL, *line, *text, options[4096] = "";
	bool ok;

	if (!old) {
		entry = find_running_entry(entries);
		if (!entry)
			return fail("%s: has no entry of this system for the running kernel",
				    entries);
		read_value(entry, "options", options, sizeof(options));
		p->cmdline = true;
	}
	line = line_add_words(old ?: options, w);
	ok = asprintf(&text, "%s\n", line) >= 0 || fail("no memory");
	if (ok) {
		ok = put_file(CMDLINE, text);
		free(text);
	}
	free(line);
	free(entry);
	free(old);
	return ok;
}

static bool systemd_boot_make_default(struct plan *p)
{
	char entries[300];
	struct words w;

	plan_words(p, &w);
	if (!need_entries(entries, sizeof(entries)))
		return false;
	if (write_cmdline(p, entries, &w) && plan_write(p) &&
	    visit_entries(entries, add_to_entry, &w) &&
	    (dry_run || visit_entries(entries, check_entry, &w)))
		return true;
	systemd_boot.take_back(p);
	return false;
}

static bool clean_cmdline(const struct plan *p, const char *entries, const struct words *w)
{
	char *old = read_whole(CMDLINE), *line, *entry, options[4096] = "";
	bool ok;

	if (!old)
		return true;
	line = line_drop_words(old, w);
	entry = p->cmdline ? find_running_entry(entries) : NULL;
	if (entry)
		read_value(entry, "options", options, sizeof(options));
	/* Keep what the administrator wrote there since. */
	if (entry && is_same_line(line, options)) {
		say_step("remove " CMDLINE);
		ok = dry_run || !unlink(root_path(CMDLINE)) ||
		     fail(CMDLINE ": %s", strerror(errno));
	} else {
		ok = put_file(CMDLINE, line);
	}
	free(entry);
	free(line);
	free(old);
	return ok;
}

static bool systemd_boot_take_back(const struct plan *p)
{
	char entries[300];
	struct words w;

	plan_words(p, &w);
	return need_entries(entries, sizeof(entries)) &&
	       visit_entries(entries, drop_from_entry, &w) &&
	       clean_cmdline(p, entries, &w);
}

const struct loader_ops systemd_boot = {
	.try_once = systemd_boot_try_once,
	.end_trial = systemd_boot_end_trial,
	.make_default = systemd_boot_make_default,
	.take_back = systemd_boot_take_back,
};
