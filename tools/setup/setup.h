/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of "jtrace setup" share. */
#ifndef _JTRACE_SETUP_H
#define _JTRACE_SETUP_H

#include "../machine/machine.h"

/**
 * enum stage - how far a setup is
 * @NO_PLAN: not begun
 * @TRIAL: the next boot, or this one, tries the reserved memory
 * @READY: every boot reserves the memory
 */
enum stage {
	NO_PLAN,
	TRIAL,
	READY,
};

/**
 * enum loader - what adds words to the kernel's command line
 * @BY_HAND: the user
 * @GRUB: GRUB, with Debian's update-grub
 * @SYSTEMD_BOOT: systemd-boot, with an entry file for each kernel
 */
enum loader {
	BY_HAND,
	GRUB,
	SYSTEMD_BOOT,
};

/* An id of a boot, without newline. */
#define BOOT_ID_SIZE	37

#define MAX_WORDS	2
#define WORD_SIZE	96

/* In a line of a boot loader: the value of a variable. */
#define UNKNOWN	'?'

/**
 * struct boot_words - what to add to the kernel's command line
 * @nr: number of words
 * @word: each without blanks and quotes
 */
struct boot_words {
	int nr;
	char word[MAX_WORDS][WORD_SIZE];
};

/**
 * struct plan - what setup does on this machine; it is kept in a file
 * @stage: how far it is
 * @loader: boot loader
 * @begun: boot that prepared the trial
 * @tested: boot that "jtrace setup --test" crashed; empty if it did not
 * @works: the trace of that boot was recovered
 * @told: "jtrace setup --test" has told whether that trace survived
 * @region: memory to reserve; start 0 if the kernel or the device tree chooses the place
 * @name: of reserve_mem=; empty with an address, or with a node of the device tree
 * @panic: panic=10 is added
 * @watchdog: systemd feeds the hardware watchdog
 * @archive: setup enabled the service that saves traces
 * @service: setup enabled its own service
 * @cmdline: setup created /etc/kernel/cmdline
 */
struct plan {
	enum stage stage;
	enum loader loader;
	char begun[BOOT_ID_SIZE];
	char tested[BOOT_ID_SIZE];
	bool works;
	bool told;
	struct range region;
	char name[64];
	bool panic;
	bool watchdog;
	bool archive;
	bool service;
	bool cmdline;
};

/**
 * struct request - the command line of "jtrace setup"
 * @size: of the memory; 0: none was given
 * @name: of reserve_mem=; NULL: none was given
 * @watchdog: let systemd feed the hardware watchdog
 * @hangs: let hangs cause a panic, and do nothing else
 * @dry_run: only say what would be done
 * @remove: undo all
 * @test: crash the machine
 * @yes: do not ask before the crash
 * @at_boot: the service runs it
 */
struct request {
	u64 size;
	const char *name;
	bool watchdog;
	bool hangs;
	bool dry_run;
	bool remove;
	bool test;
	bool yes;
	bool at_boot;
};

/* plan.c */
#define PLAN	"/etc/jtrace/setup"

bool plan_read(struct plan *p);
bool plan_write(const struct plan *p);
void plan_words(const struct plan *p, struct boot_words *w);
bool plan_is_booted(const struct plan *p);
bool read_boot_id(char *id);

/* choose.c */

/* What a request without a size gets. */
#define DEFAULT_SIZE	(4ULL << 20)

bool is_locked_down(void);
bool is_usable_size(u64 size);
bool is_usable_range(const struct range *r);
bool choose_memory(struct plan *p, const struct request *r);

/* words.c */
bool line_has_word(const char *line, const char *word);
struct boot_words words_first(const struct boot_words *w);
bool line_has_words(const char *line, const struct boot_words *w);
bool line_has_unit(const char *line, const struct boot_words *w);
char *line_less_unit(const char *line, const struct boot_words *w);
bool is_same_line(const char *a, const char *b);
bool is_booted_line(const char *line, const char *cmdline, const struct boot_words *w);
char *text_add_unit(const char *text, const char *at, const char *unit);
bool text_cut_unit(char *line, const char *end, const char *unit, bool alone);
void words_join(const struct boot_words *w, const char *quote, const char *dollar, char *to,
		size_t size);

/* boots.c */

/**
 * struct boot_entry - an entry of the boot loader
 * @name: what the user calls it
 * @kernel: path of the kernel
 * @line: command line that the kernel will get; "?" stands for what the loader adds
 * @ours: the words of setup belong there
 */
struct boot_entry {
	char *name;
	char *kernel;
	char *line;
	bool ours;
};

/**
 * struct boots - what boots next
 * @nr: number of entries
 * @entry: the entries, in the order of the loader
 * @next: which of them boots by default; -1 if that is not known
 */
struct boots {
	int nr;
	struct boot_entry *entry;
	int next;
};

void boots_add(struct boots *b, const char *name, const char *kernel, const char *line, bool ours);
void boots_free(struct boots *b);
char *running_line(void);
bool boots_has_running_kernel(const struct boots *b);
int boots_find_booted(const struct boots *b, const struct boot_words *w);
bool is_cut_word(const char *at, size_t len, const struct boot_words *w);
int boots_find_cut(const struct boots *b, const struct boot_words *w);
int boots_find_without(const struct boots *b, const struct boot_words *w);
int boots_find_with(const struct boots *b, const struct boot_words *w);
bool boots_differ(const struct boots *before, const struct boots *after, const struct boot_words *w,
		  char *how, size_t size);

/* step.c */
extern bool dry_run;

void say_step(const char *fmt, ...) __printf(1, 2);
char *read_whole(const char *path);
const char *read_error(void);
bool is_our_file(const char *path);
bool our_file_has(const char *path, const char *text);
bool is_free_name(const char *path);
bool put_file(const char *path, const char *text);
int put_changed_file(const char *path, const char *old, const char *text);
bool put_our_file(const char *path, const char *text);
bool drop_file(const char *path);
bool drop_our_file(const char *path);
int write_value(const char *path, const char *text);
void drop_half_file(const char *path);
bool run_command(const char *const *argv);
bool command_succeeds(const char *const *argv);
bool command_line_of(const char *const *argv, char *to, size_t size);
char *command_output(const char *const *argv);
bool try_command(const char *const *argv, char *why, size_t size);
bool has_command(const char *name);

/* efivar.c */
bool loader_variable(const char *name, char *to, size_t size);

/* grub.c, systemd_boot.c, loader.c: the boot loaders */

/**
 * struct loader_ops - how to change the command line of the kernel
 * @read_boots: find what boots next; @b is empty before
 * @try_once: the next boot, and no other, has the words of the plan
 * @end_trial: remove what @try_once made
 * @make_default: every boot of this system has the words, and nothing else differs, as compared
 *	in what the loader will read; if that fails, all is as before; may set @p->cmdline
 * @take_back: no boot has the words, and nothing else differs
 *
 * Each returns false, after a message, on an error.  Each may be called again.
 */
struct loader_ops {
	bool (*read_boots)(struct boots *b);
	bool (*try_once)(struct plan *p);
	bool (*end_trial)(const struct plan *p);
	bool (*make_default)(struct plan *p);
	bool (*take_back)(const struct plan *p);
};

extern const struct loader_ops grub, systemd_boot, by_hand;

bool has_running_entry(void);
bool is_changed_by_update_grub(void);
enum loader find_loader(void);
const struct loader_ops *loader_ops(enum loader loader);

/* watchdog.c */
#define WATCHDOG	"/etc/systemd/system.conf.d/jtrace-setup.conf"

bool write_watchdog(bool hangs);

/* hangs.c */
bool set_hangs(void);
bool are_hangs_set(void);
bool is_panic_by_hangs(void);
bool remove_hangs(void);

/* host.c */
bool is_host(void);

/* begin.c */
#define MODPROBE	"/etc/modprobe.d/jtrace-setup.conf"
#define MODULES_LOAD	"/etc/modules-load.d/jtrace-setup.conf"

bool may_begin(const struct request *r);
bool is_clear_of_kernel(const struct plan *p);
bool will_halt(void);
bool needs_panic(const struct plan *p);

/* test.c */
bool test_setup(struct plan *p, bool yes);
bool was_recovered(const char *boot);

/* evidence.c */
bool tell_evidence(const struct plan *p);

/* setup.c */
bool run_setup(int argc, char **argv);

#endif /* _JTRACE_SETUP_H */
