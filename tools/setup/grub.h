/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of "jtrace setup" for GRUB share. */
#ifndef _JTRACE_SETUP_GRUB_H
#define _JTRACE_SETUP_GRUB_H

#include "setup.h"

#define GRUB_CFG	"/boot/grub/grub.cfg"
#define CUSTOM_CFG	"/boot/grub/custom.cfg"
#define GRUBENV		"/boot/grub/grubenv"
#define DEFAULT_CFG	"/etc/default/grub.d/jtrace.cfg"

/* grub_text.c */

/**
 * enum grub_part - who wrote a part of grub.cfg
 * @GRUB_OURS: update-grub, with the words of GRUB_CMDLINE_LINUX in each line
 * @GRUB_OTHER: another script of update-grub, which may put these words in
 * @GRUB_FOREIGN: another system, or the user: setup does not touch it
 */
enum grub_part {
	GRUB_OURS,
	GRUB_OTHER,
	GRUB_FOREIGN,
};

/**
 * struct grub_linux - a command that loads a Linux kernel
 * @title: title of its entry, after those of its submenus, joined by ">"
 * @id: ids of these, joined in the same way
 * @number: numbers of these, joined in the same way
 * @kernel: path of the kernel
 * @line: the kernel's command line; "?" stands for the value of a variable
 * @part: who wrote the entry
 * @nr: number of arguments
 * @arg: the arguments
 * @at: where each begins in the text
 * @args: where the first argument begins in the text
 * @end: where the last one ends
 * @head: where the entry begins, NULL outside of entries
 * @body: where its commands begin
 */
struct grub_linux {
	const char *title;
	const char *id;
	const char *number;
	const char *kernel;
	char *line;
	enum grub_part part;
	int nr;
	const char * const *arg;
	const char * const *at;
	const char *args;
	const char *end;
	const char *head;
	const char *body;
};

typedef void grub_see(const struct grub_linux *l, void *data);

int grub_read(const char *text, enum grub_part part, int first, grub_see *see, void *data);
const char *grub_body_end(const char *body);
char *grub_default(const char *text, const char *saved);

/*
 * Around the trial in custom.cfg.  In a file of the user, a newline comes before the block: the
 * last line may lack one.
 */
#define BLOCK_BEGIN	"### BEGIN jtrace setup ###\n"
#define BLOCK_END	"### END jtrace setup ###\n"

bool grub_cut_block(char *text);

/* grub_menu.c */
void grub_wait(void);
char *grub_read_cfg(void);
void grub_boots_of(const char *cfg, struct boots *b);
bool grub_read_boots(struct boots *b);
void grub_environment(const char *name, char *to, size_t size);
void grub_unit(const struct boot_words *w, char *to, size_t size);
char *grub_put_units(const char *text, const struct boot_words *w);
void grub_cut_units(char *text, const char *unit);
void grub_cut_broken(char *text, const struct boot_words *w);
char *grub_make_cfg(void);

/* grub_trial.c */
bool grub_try_once(struct plan *p);
bool grub_end_trial(const struct plan *p);

#endif /* _JTRACE_SETUP_GRUB_H */
