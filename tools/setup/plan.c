// SPDX-License-Identifier: GPL-2.0
/*
 * The plan of "jtrace setup": a file of lines KEY=VALUE.
 *
 * Words for the command line of the kernel are not in the file.  They are made of numbers and of a
 * checked name, so that no change of the file brings other text to a boot loader.
 */

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "setup.h"

static const char * const stages[] = { "none", "trial", "ready" };
static const char * const loaders[] = { "hand", "grub", "systemd-boot" };

/**
 * read_boot_id() - read the id of this boot
 * @id: result, BOOT_ID_SIZE bytes
 *
 * Return: false, after a message, if it cannot be read.
 */
bool read_boot_id(char *id)
{
	return root_read("/proc/sys/kernel/random/boot_id", id, BOOT_ID_SIZE) ==
		BOOT_ID_SIZE - 1 ||
		fail("/proc/sys/kernel/random/boot_id: cannot be read");
}

static bool take_index(const char *value, const char * const *names, int nr, int *to)
{
	for (*to = 0; *to < nr; ++*to)
		if (!strcmp(value, names[*to]))
			return true;
	return false;
}

static bool take_number(const char *value, u64 *to)
{
	char *end;

	errno = 0;
	*to = strtoull(value, &end, 0);
	return isdigit(*value) && !*end && !errno;
}

static bool take_flag(const char *value, bool *to)
{
	*to = true;
	return !strcmp(value, "yes");
}

/* A name of reserve_mem=, or an id of a boot. */
static bool take_text(const char *value, char *to, size_t size)
{
	if (strlen(value) >= size ||
	    value[strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789_-")])
		return false;
	memcpy(to, value, strlen(value) + 1);
	return true;
}

static bool take_value(struct plan *p, const char *key, const char *value)
{
	int index;

	if (!strcmp(key, "stage")) {
		if (!take_index(value, stages, ARRAY_SIZE(stages), &index))
			return false;
		p->stage = index;
		return p->stage != NO_PLAN;
	}
	if (!strcmp(key, "loader")) {
		if (!take_index(value, loaders, ARRAY_SIZE(loaders), &index))
			return false;
		p->loader = index;
		return true;
	}
	if (!strcmp(key, "begun"))
		return take_text(value, p->begun, sizeof(p->begun));
	if (!strcmp(key, "tested"))
		return take_text(value, p->tested, sizeof(p->tested));
	if (!strcmp(key, "address"))
		return take_number(value, &p->region.start);
	if (!strcmp(key, "size"))
		return take_number(value, &p->region.size);
	if (!strcmp(key, "name"))
		return take_text(value, p->name, sizeof(p->name)) &&
		       !strncmp(value, "jtrace", 6);
	if (!strcmp(key, "works"))
		return take_flag(value, &p->works);
	if (!strcmp(key, "told"))
		return take_flag(value, &p->told);
	if (!strcmp(key, "panic"))
		return take_flag(value, &p->panic);
	if (!strcmp(key, "watchdog"))
		return take_flag(value, &p->watchdog);
	if (!strcmp(key, "archive"))
		return take_flag(value, &p->archive);
	if (!strcmp(key, "service"))
		return take_flag(value, &p->service);
	return !strcmp(key, "cmdline") && take_flag(value, &p->cmdline);
}

static bool parse_plan(struct plan *p, char *text)
{
	int nr = 0;
	char *line, *value;

	while ((line = strsep(&text, "\n"))) {
		nr++;
		if (!*line || *line == '#')
			continue;
		value = strchr(line, '=');
		if (value)
			*value++ = 0;
		if (!value || !take_value(p, line, value))
			return fail(PLAN ":%d: '%s%s%s' is no line of a plan: correct it, or remove the file, then run \"jtrace setup --remove\"",
				    nr, line, value ? "=" : "", value ?: "");
	}
	if (p->stage == NO_PLAN || !p->begun[0])
		return fail(PLAN ": has no line %s=: remove the file, then run \"jtrace setup --remove\"",
			    p->begun[0] ? "stage" : "begun");
	/* Other memory may be the kernel's. */
	if (p->region.start && !is_usable_range(&p->region))
		return fail(PLAN ": has %llu bytes at 0x%llx, which setup does not choose: remove the file, then run \"jtrace setup --remove\"",
			    p->region.size, p->region.start);
	return true;
}

/**
 * plan_read() - read the plan of this machine
 * @p: result; stage NO_PLAN if there is no plan
 *
 * Return: false, after a message, if the file is damaged or cannot be read.
 */
bool plan_read(struct plan *p)
{
	char text[4096];

	*p = (struct plan){ .stage = NO_PLAN };
	if (root_read(PLAN, text, sizeof(text)) < 0)
		return errno == ENOENT || fail(PLAN ": %s", strerror(errno));
	return parse_plan(p, text);
}

static void print_flag(FILE *to, const char *name, bool value)
{
	if (value)
		fprintf(to, "%s=yes\n", name);
}

/**
 * plan_write() - keep the plan of this machine
 * @p: the plan
 *
 * Return: false, after a message, on an error.
 */
bool plan_write(const struct plan *p)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	bool ok;

	if (!to)
		return fail(PLAN ": no memory");
	fprintf(to, "stage=%s\nloader=%s\nbegun=%s\n", stages[p->stage], loaders[p->loader],
		p->begun);
	if (p->region.start)
		fprintf(to, "address=0x%llx\n", p->region.start);
	if (p->region.size)
		fprintf(to, "size=%llu\n", p->region.size);
	if (p->name[0])
		fprintf(to, "name=%s\n", p->name);
	if (p->tested[0])
		fprintf(to, "tested=%s\n", p->tested);
	print_flag(to, "works", p->works);
	print_flag(to, "told", p->told);
	print_flag(to, "panic", p->panic);
	print_flag(to, "watchdog", p->watchdog);
	print_flag(to, "archive", p->archive);
	print_flag(to, "service", p->service);
	print_flag(to, "cmdline", p->cmdline);
	ok = !fclose(to) && put_our_file(PLAN, text);
	free(text);
	return ok;
}

/* "4M", as the kernel reads it back. */
static void print_size(char *to, size_t size, u64 bytes)
{
	bool even = bytes % (1 << 20) == 0;

	scnprintf(to, size, "%llu%c", even ? bytes >> 20 : bytes >> 10, even ? 'M' : 'K');
}

/**
 * plan_words() - find the words for the command line of the kernel
 * @p: the plan
 * @w: result
 */
void plan_words(const struct plan *p, struct boot_words *w)
{
	char size[32];

	w->nr = 0;
	print_size(size, sizeof(size), p->region.size);
	if (p->name[0])
		scnprintf(w->word[w->nr++], WORD_SIZE, "reserve_mem=%s:2M:%s", size, p->name);
	else if (p->region.start)
		scnprintf(w->word[w->nr++], WORD_SIZE, "memmap=%s$0x%llx", size,
			  p->region.start);
	if (p->panic)
		scnprintf(w->word[w->nr++], WORD_SIZE, "panic=10");
}

/**
 * plan_is_booted() - has this boot the words of the plan?
 * @p: the plan
 */
bool plan_is_booted(const struct plan *p)
{
	char cmdline[16384];
	struct boot_words w;

	plan_words(p, &w);
	return root_read("/proc/cmdline", cmdline, sizeof(cmdline)) >= 0 &&
	       line_has_words(cmdline, &w);
}
