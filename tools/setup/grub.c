// SPDX-License-Identifier: GPL-2.0
/*
 * jtrace setup: GRUB, as Debian configures it.
 *
 * The trial is an entry in custom.cfg, which grub.cfg reads.  It is a copy of the running kernel's
 * entry, with the words at the end of its line.  grub-reboot names it as the next boot only: GRUB
 * clears that name in its environment block before it boots.  It cannot do so on some file systems
 * (cf. check_writable() in Debian's util/grub.d/00_header.in), and then would try for ever: there,
 * the user chooses the entry in the menu.  The trial also checks by itself that GRUB could.
 *
 * The default is a file in /etc/default/grub.d.  A shell reads it, then GRUB reads what
 * update-grub wrote.  So what is checked is the result, word by word.  Single quotes protect the
 * "$" from GRUB, because os-prober of another system on this machine loses a backslash, but copies
 * quotes.
 */

#include <errno.h>
#include <stdlib.h>

#include "setup.h"

#define GRUB_CFG	"/boot/grub/grub.cfg"
#define CUSTOM_CFG	"/boot/grub/custom.cfg"
#define DEFAULT_CFG	"/etc/default/grub.d/jtrace.cfg"
#define ENTRY		"jtrace-setup"

/* The last line of the user may lack a newline. */
#define BLOCK_BEGIN	"\n### BEGIN jtrace setup ###\n"
#define BLOCK_END	"### END jtrace setup ###\n"

/* ---- lines of grub.cfg ------------------------------------------------ */

static bool starts_with_word(const char *line, const char *word)
{
	size_t len = strlen(word);

	line += strspn(line, " \t");
	return !strncmp(line, word, len) && (line[len] == ' ' || line[len] == '\t');
}

/* Returns the kernel's path and its command line, unquoted, which the caller frees; or NULL. */
static char *parse_linux(const char *line)
{
	const char *at = line + strspn(line, " \t");

	if (!starts_with_word(at, "linux") && !starts_with_word(at, "linuxefi") &&
	    !starts_with_word(at, "linux16"))
		return NULL;
	at += strcspn(at, " \t");
	return grub_unquote(at + strspn(at, " \t"));
}

/* Is it the kernel of this release? */
static bool is_of_release(const char *linux_line, const char *release)
{
	size_t path = strcspn(linux_line, " \t"), len = strlen(release);
	const char *name = linux_line + path - len;

	return path > len && !strncmp(name, release, len) &&
	       (name[-1] == '-' || name[-1] == '/');
}

/* ---- the entry of the running kernel ---------------------------------- */

/**
 * struct entry - a menu entry in grub.cfg
 * @body: its lines, up to the line with "}"
 * @size: of these
 * @same: it has the running command line
 * @unrestricted: with a password, GRUB does not ask for it
 */
struct entry {
	const char *body;
	size_t size;
	bool same;
	bool unrestricted;
};

/* The command line, without the path that GRUB puts before it. */
static char *running_line(void)
{
	char *line = read_whole("/proc/cmdline"), *at;

	if (!line)
		exit(!fail("/proc/cmdline: %s", strerror(errno)));
	at = strncmp(line, "BOOT_IMAGE=", 11) ? line : line + strcspn(line, "\n ");
	memmove(line, at, strlen(at) + 1);
	return line;
}

static size_t line_size(const char *line)
{
	size_t len = strcspn(line, "\n");

	return len + (line[len] == '\n');
}

/* Does a line begin an entry whose body is in the next lines? */
static bool opens_entry(const char *line)
{
	size_t len = strcspn(line, "\n");

	while (len && strchr(" \t", line[len - 1]))
		len--;
	return starts_with_word(line, "menuentry") && len && line[len - 1] == '{';
}

/* Look at an entry: is it that of the running kernel?  Returns its end. */
static const char *read_entry(const char *head, const char *release, const char *running,
			      struct entry *found)
{
	static const char option[] = " --unrestricted ";
	const char *body = head + line_size(head), *at = body;
	bool ours = false, same = false;
	char *line, *linux_line;

	for (; *at && at[strspn(at, " \t")] != '}'; at += line_size(at)) {
		line = strndup(at, strcspn(at, "\n"));
		linux_line = line ? parse_linux(line) : NULL;
		if (linux_line && is_of_release(linux_line, release)) {
			ours = true;
			same = is_same_line(linux_line + strcspn(linux_line, " \t"), running);
		}
		free(linux_line);
		free(line);
	}
	if (*at && ours && (!found->body || (same && !found->same)))
		*found = (struct entry){
			.body = body, .size = at - body, .same = same,
			.unrestricted = memmem(head, body - head, option, strlen(option)),
		};
	return at;
}

/* Prefer the entry with the running command line, else the first of the running kernel. */
static bool find_entry(const char *cfg, struct entry *found)
{
	char release[128], *running = running_line();

	*found = (struct entry){ .body = NULL };
	root_release(release, sizeof(release));
	while (*cfg)
		if (opens_entry(cfg))
			cfg = read_entry(cfg, release, running, found);
		else
			cfg += line_size(cfg);
	free(running);
	return found->body ||
	       fail(GRUB_CFG ": has no entry for the running kernel %s: run update-grub, and boot a kernel that is in the menu",
		    release);
}

/* The trial must not become the default by the way. */
static bool saves_default(const char *line)
{
	line += strspn(line, " \t");
	return !strncmp(line, "savedefault", 11);
}

/*
 * Runs while GRUB reads its menu.  Without a fallback, GRUB waits in the menu if the entry cannot
 * be loaded.  With the name still in the environment block, the next boots would be trials, too.
 */
static const char guard[] =
	"if [ \"${default}\" = " ENTRY " ]; then\n"
	"\tset fallback=0\n"
	"\tload_env next_entry\n"
	"\tif [ \"${next_entry}\" = " ENTRY " ]; then\n"
	"\t\tset default=0\n"
	"\tfi\n"
	"fi\n";

/* The block for custom.cfg, which the caller frees. */
static char *make_block(const struct entry *e, const char *words)
{
	char *text = NULL, *linux_line, *line;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	const char *at;

	if (!to)
		exit(!fail("no memory"));
	fprintf(to, BLOCK_BEGIN "menuentry 'jtrace setup: boot once with reserved memory'%s --id " ENTRY " {\n",
		e->unrestricted ? " --unrestricted" : "");
	for (at = e->body; at < e->body + e->size; at += line_size(at)) {
		line = strndup(at, strcspn(at, "\n"));
		linux_line = line ? parse_linux(line) : NULL;
		if (linux_line)
			fprintf(to, "%s %s\n", line, words);
		else if (line && !saves_default(line))
			fprintf(to, "%s\n", line);
		free(linux_line);
		free(line);
	}
	fprintf(to, "}\n%s" BLOCK_END, guard);
	if (fclose(to))
		exit(!fail("no memory"));
	return text;
}

/* ---- custom.cfg ------------------------------------------------------- */

/* Remove the block from the text of custom.cfg. */
static void cut_block(char *text)
{
	char *begin = strstr(text, BLOCK_BEGIN), *end;

	end = begin ? strstr(begin, BLOCK_END) : NULL;
	if (end) {
		end += strlen(BLOCK_END);
		memmove(begin, end, strlen(end) + 1);
	}
}

/* Put a block into custom.cfg, or only remove it; without other text, remove the file. */
static bool write_custom(const char *block)
{
	char *old = read_whole(CUSTOM_CFG), *text;
	bool ok;

	if (!old && errno != ENOENT)
		return fail(CUSTOM_CFG ": %s", strerror(errno));
	if (!old && !*block)
		return true;
	if (old)
		cut_block(old);
	if (asprintf(&text, "%s%s", old ?: "", block) < 0)
		exit(!fail("no memory"));
	if (*text) {
		ok = put_file(CUSTOM_CFG, text);
	} else {
		say_step("remove " CUSTOM_CFG);
		ok = dry_run || !remove(root_path(CUSTOM_CFG)) ||
		     fail(CUSTOM_CFG ": %s", strerror(errno));
	}
	free(text);
	free(old);
	return ok;
}

/* ---- one boot --------------------------------------------------------- */

/* Can GRUB clear the name of the next entry?  As Debian's 00_header decides. */
static bool can_write_environment(void)
{
	static const char * const fs_probe[] = {
		"grub-probe", "--target=fs", "/boot/grub", NULL
	};
	static const char * const abstraction_probe[] = {
		"grub-probe", "--target=abstraction", "/boot/grub", NULL
	};
	static const char * const no_fs[] = {
		"btrfs", "cpiofs", "newc", "odc", "romfs", "squash4", "tarfs", "zfs",
	};
	char fs[64], abstraction[64];
	size_t i;

	if (!command_line_of(fs_probe, fs, sizeof(fs)) ||
	    !command_line_of(abstraction_probe, abstraction, sizeof(abstraction)))
		return false;
	for (i = 0; i < ARRAY_SIZE(no_fs); i++)
		if (!strcmp(fs, no_fs[i]))
			return false;
	return !abstraction[0];
}

/* The menu must read custom.cfg, and forget the next entry when it boots it. */
static bool is_cfg_fit(const char *cfg)
{
	return (strstr(cfg, "custom.cfg") && strstr(cfg, "next_entry")) ||
	       fail(GRUB_CFG ": does not read custom.cfg, or has no next_entry: run update-grub, then jtrace setup");
}

static bool grub_try_once(struct plan *p)
{
	static const char * const reboot[] = { "grub-reboot", ENTRY, NULL };
	char *cfg, *block, words[256];
	struct words w;
	struct entry e;
	bool ok;

	if (!is_free_name(DEFAULT_CFG))
		return false;
	cfg = read_whole(GRUB_CFG);
	if (!cfg)
		return fail(GRUB_CFG ": %s", strerror(errno));
	plan_words(p, &w);
	words_join(&w, "'", "$", words, sizeof(words));
	ok = is_cfg_fit(cfg) && find_entry(cfg, &e);
	if (ok) {
		block = make_block(&e, words);
		ok = write_custom(block);
		free(block);
	}
	free(cfg);
	if (ok && !can_write_environment()) {
		puts("GRUB cannot write to this file system: choose \"jtrace setup\" in its menu at the next boot.");
		return true;
	}
	return ok && run_command(reboot);
}

/* GRUB forgets the next entry when it boots it; before that boot it is still there. */
static bool grub_end_trial(const struct plan *p)
{
	static const char * const unset[] = {
		"grub-editenv", "/boot/grub/grubenv", "unset", "next_entry", NULL
	};
	char *env = read_whole("/boot/grub/grubenv");
	bool named = env && strstr(env, "\nnext_entry=" ENTRY "\n"), ok;

	(void)p;
	free(env);
	ok = write_custom("");
	return (!named || run_command(unset)) && ok;
}

/* ---- every boot ------------------------------------------------------- */

/**
 * struct cfg_reader - a place in the text of grub.cfg
 * @rest: what was not read
 * @foreign: another system, or the user, wrote the entries of this part
 */
struct cfg_reader {
	char *rest;
	bool foreign;
};

/* The next line that boots a kernel of this system, unquoted, which the caller frees; or NULL. */
static char *next_linux(struct cfg_reader *r)
{
	char *line, *found;

	while ((line = strsep(&r->rest, "\n"))) {
		if (!strncmp(line, "### BEGIN ", 10))
			r->foreign = strstr(line, "os-prober") || strstr(line, "custom");
		found = r->foreign ? NULL : parse_linux(line);
		if (found)
			return found;
	}
	return NULL;
}

/* A "memmap=4M" without address is the size of all memory: such a line does not boot. */
static bool has_cut_memmap(const char *line)
{
	char value[256];
	const char *end;

	while ((line = next_option(line, "memmap=", value, sizeof(value)))) {
		if (!strcmp(value, "exactmap"))
			continue;
		parse_size(value, &end);
		if (end == value || !*end || !strchr("$@#!%", *end))
			return true;
	}
	return false;
}

/* Check each line that boots a kernel: the running one must get the words. */
static bool check_cfg(const struct words *w)
{
	char release[128], *cfg = read_whole(GRUB_CFG), *linux_line;
	struct cfg_reader r = { .rest = cfg };
	bool ok = cfg, found = false;

	root_release(release, sizeof(release));
	while (ok && (linux_line = next_linux(&r))) {
		ok = !has_cut_memmap(linux_line);
		if (ok && is_of_release(linux_line, release)) {
			ok = line_has_words(linux_line, w);
			found = true;
		}
		if (!ok)
			fail(GRUB_CFG ": wrong line: %s", linux_line);
		free(linux_line);
	}
	free(cfg);
	return ok && (found || fail(GRUB_CFG ": has no entry for the running kernel %s", release));
}

static bool update_grub(void)
{
	static const char * const update[] = { "update-grub", NULL };

	return run_command(update);
}

static bool grub_make_default(struct plan *p)
{
	char words[256], text[512], *old = read_whole(GRUB_CFG);
	struct words w;
	bool ok;

	plan_words(p, &w);
	/* Within double quotes, a shell turns \$ into $, and keeps single quotes. */
	words_join(&w, "'", "\\$", words, sizeof(words));
	scnprintf(text, sizeof(text), "GRUB_CMDLINE_LINUX=\"$GRUB_CMDLINE_LINUX %s\"\n", words);
	if (our_file_has(DEFAULT_CFG, text) && check_cfg(&w)) {
		free(old);
		return true;
	}
	ok = old && put_our_file(DEFAULT_CFG, text) && update_grub() &&
	     (dry_run || check_cfg(&w));
	if (!old)
		return fail(GRUB_CFG ": %s", strerror(errno));
	if (!ok) {
		/* At once: this may have lines that do not boot. */
		put_file(GRUB_CFG, old);
		drop_our_file(DEFAULT_CFG);
	}
	free(old);
	return ok;
}

/* Does a line still have one of the words? */
static bool is_clean(const struct words *w)
{
	char *cfg = read_whole(GRUB_CFG), *linux_line;
	struct cfg_reader r = { .rest = cfg };
	bool ok = true;

	while (ok && (linux_line = next_linux(&r))) {
		if (w->nr && line_has_word(linux_line, w->word[0]))
			ok = fail(GRUB_CFG ": still has '%s': another file in /etc/default adds it",
				  w->word[0]);
		free(linux_line);
	}
	free(cfg);
	return ok;
}

static bool grub_take_back(const struct plan *p)
{
	bool had = is_our_file(DEFAULT_CFG);
	struct words w;

	if (!drop_our_file(DEFAULT_CFG) || (had && !update_grub()))
		return false;
	plan_words(p, &w);
	return !had || dry_run || is_clean(&w);
}

const struct loader_ops grub = {
	.try_once = grub_try_once,
	.end_trial = grub_end_trial,
	.make_default = grub_make_default,
	.take_back = grub_take_back,
};
