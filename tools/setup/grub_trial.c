// SPDX-License-Identifier: GPL-2.0
/*
 * jtrace setup: one boot with the words, by GRUB.
 *
 * The trial is an entry in custom.cfg, which grub.cfg reads.  It is a copy of the entry of this
 * boot, with the words in front of its arguments.  grub-reboot names it as the next boot only: GRUB
 * clears that name in its environment block before it boots.  It cannot do so on some file systems
 * (cf. check_writable() in Debian's util/grub.d/00_header.in), and then would try for ever: there,
 * the user chooses the entry in the menu.  The trial also checks by itself that GRUB could.
 */

#include <errno.h>
#include <stdlib.h>

#include "grub.h"

#define ENTRY		"jtrace-setup"

/* ---- the trial -------------------------------------------------------- */

/**
 * struct search - for the entry of this boot
 * @number: of the entry, counted as boots_find_booted() does
 * @seen: entries so far
 * @head: result: where it begins
 * @head_size: result: bytes in front of its commands
 */
struct search {
	int number;
	int seen;
	const char *head;
	size_t head_size;
};

static void note_entry(const struct grub_linux *l, void *data)
{
	struct search *s = data;

	if (s->seen++ == s->number && l->head) {
		s->head = l->head;
		s->head_size = l->body - l->head;
	}
}

/* Find the entry of this boot, which update-grub must have written. */
static bool find_entry(const char *cfg, const struct boot_words *w, struct search *found)
{
	char release[128], *running;
	struct boots b;
	bool has;

	root_release(release, sizeof(release));
	grub_boots_of(cfg, &b);
	*found = (struct search){ .number = boots_find_booted(&b, w) };
	has = boots_has_running_kernel(&b);
	if (found->number >= 0 && b.entry[found->number].ours)
		grub_read(cfg, GRUB_OURS, 0, note_entry, found);
	boots_free(&b);
	if (found->head)
		return true;
	if (!has) {
		fail(GRUB_CFG ": has no entry for the running kernel %s: run update-grub, and boot a kernel that is in the menu",
		     release);
		return false;
	}
	running = running_line();
	fail(GRUB_CFG ": has no entry with the command line of this boot: boot an entry of the menu as it is, then run jtrace setup; this boot has: %s",
	     running);
	free(running);
	return false;
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

static size_t line_size(const char *line)
{
	size_t len = strcspn(line, "\n");

	return len + (line[len] == '\n');
}

/* The block for custom.cfg, which the caller frees. */
static char *make_block(const struct search *e, const struct boot_words *w)
{
	static const char option[] = " --unrestricted ";
	bool unrestricted = memmem(e->head, e->head_size, option, strlen(option));
	const char *from = e->head + e->head_size;
	char *body = strndup(from, grub_body_end(from) - from), *with, *text = NULL;
	const char *at;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to || !body)
		exit(!fail("no memory"));
	with = grub_put_units(body, w);
	fprintf(to, BLOCK_BEGIN "menuentry 'jtrace setup: boot once with reserved memory'%s --id " ENTRY " {\n",
		unrestricted ? " --unrestricted" : "");
	for (at = with; *at; at += line_size(at))
		if (!saves_default(at))
			fprintf(to, "%.*s", (int)line_size(at), at);
	fprintf(to, "}\n%s" BLOCK_END, guard);
	if (fclose(to))
		exit(!fail("no memory"));
	free(with);
	free(body);
	return text;
}

/* ---- custom.cfg ------------------------------------------------------- */

/* Has a file that is no text the block? */
static bool has_block(void)
{
	static char start[65536];
	ssize_t len = root_read(CUSTOM_CFG, start, sizeof(start));

	return len > 0 && memmem(start, len, BLOCK_BEGIN, strlen(BLOCK_BEGIN));
}

/* Put a block into custom.cfg, or only remove it; a file that setup made goes with its block. */
static bool write_custom(const char *block)
{
	char *old = read_whole(CUSTOM_CFG), *text;
	bool ours, ok;

	if (!old && errno != ENOENT)
		return (!*block && !has_block()) || fail(CUSTOM_CFG ": %s", read_error());
	if (!old && !*block)
		return true;
	ours = !old || grub_cut_block(old);
	if (ours && !*block) {
		free(old);
		return drop_file(CUSTOM_CFG);
	}
	if (asprintf(&text, "%s%s%s", old ?: "", ours || !*block ? "" : "\n", block) < 0)
		exit(!fail("no memory"));
	ok = put_file(CUSTOM_CFG, text);
	free(text);
	free(old);
	return ok;
}

/* A default that custom.cfg chooses comes after that of grub-reboot. */
static bool keeps_default(void)
{
	char *custom = read_whole(CUSTOM_CFG), *choice;
	bool ok;

	if (!custom)
		return true;
	grub_cut_block(custom);
	choice = grub_default(custom, "");
	free(custom);
	ok = !choice || fail(CUSTOM_CFG ": sets default to '%s', so the trial would not boot: remove that line, and set GRUB_DEFAULT in /etc/default/grub instead",
			     choice);
	free(choice);
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
static bool can_boot_once(const char *cfg)
{
	return (strstr(cfg, "custom.cfg") && strstr(cfg, "next_entry")) ||
	       fail(GRUB_CFG ": does not read custom.cfg, or has no next_entry: run update-grub, then jtrace setup");
}

/*
 * Note what update-grub would change beside the words.  Setup does not, but the next update-grub
 * will, for example when a kernel is installed.  False, after a message, if it cannot be known.
 */
static bool say_changes(const struct boots *now, const struct boot_words *w)
{
	char *cfg = grub_make_cfg(), how[1024];
	struct boots made;

	if (!cfg)
		return false;
	grub_boots_of(cfg, &made);
	if (boots_differ(now, &made, w, how, sizeof(how)))
		printf("Note: " GRUB_CFG " is not what update-grub would write; jtrace setup keeps it, but the next update-grub will not: %s.\n",
		       how);
	boots_free(&made);
	free(cfg);
	return true;
}

static bool say_boots(const char *cfg, const struct boot_words *w)
{
	struct boots b;
	int booted, cut;
	bool ok;

	grub_boots_of(cfg, &b);
	cut = boots_find_cut(&b, w);
	booted = boots_find_booted(&b, w);
	if (booted >= 0)
		printf("Boots now: '%s': %s\n", b.entry[booted].name, b.entry[booted].line);
	if (b.next >= 0 && b.next != booted)
		printf("Boots by default: '%s': %s\n", b.entry[b.next].name,
		       b.entry[b.next].line);
	if (b.next >= 0 && !b.entry[b.next].ours)
		puts("Note: update-grub does not write this default, so jtrace setup leaves it as it is.");
	ok = cut < 0 || fail(GRUB_CFG ": '%s' has a memmap= that does not boot: %s",
			     b.entry[cut].name, b.entry[cut].line);
	ok = ok && say_changes(&b, w);
	boots_free(&b);
	return ok;
}

/**
 * grub_try_once() - let the next boot, and no other, have the words
 * @p: the plan
 *
 * Return: false, after a message, on an error.
 */
bool grub_try_once(struct plan *p)
{
	static const char * const reboot[] = { "grub-reboot", ENTRY, NULL };
	char *cfg, *block;
	struct search e;
	struct boot_words w;
	bool ok;

	if (!is_free_name(DEFAULT_CFG))
		return false;
	cfg = grub_read_cfg();
	if (!cfg)
		return false;
	plan_words(p, &w);
	ok = can_boot_once(cfg) && find_entry(cfg, &w, &e) && keeps_default() && say_boots(cfg, &w);
	if (ok) {
		block = make_block(&e, &w);
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

/**
 * grub_end_trial() - remove what grub_try_once() made
 * @p: the plan
 *
 * GRUB forgets the next entry when it boots it; before that boot it is still there.
 *
 * Return: false, after a message, on an error.
 */
bool grub_end_trial(const struct plan *p)
{
	static const char * const unset[] = {
		"grub-editenv", GRUBENV, "unset", "next_entry", NULL
	};
	char named[64];

	(void)p;
	drop_half_file(CUSTOM_CFG);
	grub_environment("next_entry", named, sizeof(named));
	/* First, because the file may be on a disk that is full. */
	return (strcmp(named, ENTRY) || run_command(unset)) && write_custom("");
}
