/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of "jtrace setup" for systemd-boot share. */
#ifndef _JTRACE_SETUP_ENTRIES_H
#define _JTRACE_SETUP_ENTRIES_H

#include "setup.h"

/* The entry for one boot. */
#define TRIAL		"a-jtrace-setup.conf"

/**
 * struct entries - the entry files, in the order of their names, without the trial
 * @nr: number of them
 * @path: of each
 * @text: of each
 */
struct entries {
	int nr;
	char **path;
	char **text;
};

bool entries_need(char *path, size_t size);
bool entries_read(struct entries *e);
void entries_free(struct entries *e);
void entries_boots(const struct entries *e, struct boots *b);
int entries_find_booted(const struct entries *e, const struct boot_words *w);

const char *next_line(const char *line);
const char *entry_value(const char *line, const char *key);
bool entry_values(const char *text, const char *key, char *to, size_t size);
bool entry_is_ours(const char *path, const char *text);
void entry_unit(const struct boot_words *w, char *to, size_t size);
char *entry_add_words(const char *text, const struct boot_words *w);
char *entry_cut_words(const char *text, const struct boot_words *w);

#endif /* _JTRACE_SETUP_ENTRIES_H */
