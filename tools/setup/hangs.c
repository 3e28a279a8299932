// SPDX-License-Identifier: GPL-2.0
/*
 * jtrace setup --hangs: a hang causes a panic, whose kernel log says where each CPU was.
 *
 * Only what is off is turned on.  A line of the file tells what was there before, so that --remove
 * can bring it back, also in a later boot.  The file sorts before those of administrators, and what
 * they set is not in it.
 *
 * A panic saves the newest lines of the kernel log, and pstore keeps few.  The kernel prints
 * backtraces of other CPUs after the report of the one that hangs.  So they are left off where they
 * could push it out.  kernel.panic_print and kernel.panic_sys_info print even later, after the line
 * "Kernel panic", for each panic: they are not touched.
 */

#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <stdlib.h>

#include "setup.h"

#define SYSCTL	"/etc/sysctl.d/10-jtrace-setup.conf"

/* The size of most values, and of a path in a message. */
#define VALUE_SIZE	32
#define PATH_SIZE	256

/* A line of the file: what the next line changes. */
#define WAS	"# kernel.%s was %s\n"

/**
 * struct knob - a sysctl that makes a hang speak
 * @name: below kernel.
 * @value: to set, if it is 0
 * @prints: it prints backtraces of all CPUs
 */
struct knob {
	const char *name;
	const char *value;
	bool prints;
};

static const struct knob knobs[] = {
	{ "softlockup_panic", "1", false },
	{ "hardlockup_panic", "1", false },
	{ "hung_task_panic", "1", false },
	{ "panic_on_rcu_stall", "1", false },
	{ "soft_watchdog", "1", false },
	{ "nmi_watchdog", "1", false },
	{ "watchdog_thresh", "10", false },
	{ "hung_task_timeout_secs", "120", false },
	{ "hung_task_warnings", "10", false },
	{ "softlockup_all_cpu_backtrace", "1", true },
	{ "hardlockup_all_cpu_backtrace", "1", true },
	{ "hung_task_all_cpu_backtrace", "1", true },
	{ "panic", "10", false },
};

/**
 * struct setting - a knob on this machine
 * @there: this kernel has it
 * @ours: it is in our file, or will be
 * @set: it will be changed now
 * @now: its value
 * @was: its value before it was ours
 * @by: file of the administrator that sets it; empty if there is none
 */
struct setting {
	bool there;
	bool ours;
	bool set;
	char now[VALUE_SIZE];
	char was[VALUE_SIZE];
	char by[PATH_SIZE];
};

/* ---- what is there ---------------------------------------------------- */

/* A line NAME = VALUE of sysctl.d.  "/" may stand for ".", and "-" before it ignores an error. */
static bool line_sets(char *line, const char *name)
{
	char full[64], *end = strchr(line, '=');
	char *key = line + strspn(line, " \t"), *slash;

	if (!end)
		return false;
	key += *key == '-';
	while (end > key && strchr(" \t", end[-1]))
		end--;
	*end = 0;
	while ((slash = strchr(key, '/')))
		*slash = '.';
	scnprintf(full, sizeof(full), "kernel.%s", name);
	return !fnmatch(key, full, 0);
}

static bool file_sets(const char *path, const char *name)
{
	char *text = read_whole(path), *rest = text, *line;
	bool sets = false;

	while (!sets && rest && (line = strsep(&rest, "\n")))
		sets = line_sets(line, name);
	free(text);
	return sets;
}

/* Which file of the administrator, or of the distribution, sets a knob? */
static void find_owner(const char *name, char *by, size_t size)
{
	static const char * const where[] = {
		"/etc/sysctl.conf", "/etc/sysctl.d/*.conf", "/run/sysctl.d/*.conf",
		"/usr/local/lib/sysctl.d/*.conf", "/usr/lib/sysctl.d/*.conf",
	};
	size_t skip = strlen(root_path("")), i, n;
	glob_t found;

	for (i = 0; i < ARRAY_SIZE(where) && !by[0]; i++) {
		if (glob(root_path(where[i]), 0, NULL, &found))
			continue;
		for (n = 0; n < found.gl_pathc && !by[0]; n++)
			if (strcmp(found.gl_pathv[n] + skip, SYSCTL) &&
			    file_sets(found.gl_pathv[n] + skip, name))
				scnprintf(by, size, "%s", found.gl_pathv[n] + skip);
		globfree(&found);
	}
}

/* Our file tells what was there before. */
static void read_was(struct setting *s)
{
	char *text = is_our_file(SYSCTL) ? read_whole(SYSCTL) : NULL, *rest = text, *line;
	char name[64], was[VALUE_SIZE];
	size_t i;

	while (rest && (line = strsep(&rest, "\n"))) {
		if (sscanf(line, "# kernel.%63s was %31s", name, was) != 2)
			continue;
		for (i = 0; i < ARRAY_SIZE(knobs); i++)
			if (!strcmp(knobs[i].name, name)) {
				s[i].ours = true;
				memcpy(s[i].was, was, sizeof(was));
			}
	}
	free(text);
}

static bool is_ours(const struct setting *s, const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(knobs); i++)
		if (!strcmp(knobs[i].name, name))
			return s[i].ours;
	return false;
}

static void read_settings(struct setting *s)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(knobs); i++) {
		s[i].there = knob_read(knobs[i].name, s[i].now, sizeof(s[i].now));
		find_owner(knobs[i].name, s[i].by, sizeof(s[i].by));
	}
	read_was(s);
}

/* ---- room for backtraces ---------------------------------------------- */

/* What a busy CPU prints; an idle one prints a line. */
#define BACKTRACE	2560

/* A kernel log has at least that much, and EFI keeps so much of it. */
#define LOG_SIZE	(128ULL << 10)
#define EFI_SIZE	10240

static u64 read_number(const char *path)
{
	char text[32];

	return root_read(path, text, sizeof(text)) > 0 ? strtoull(text, NULL, 0) : 0;
}

/* "0-3,6" */
static u32 count_cpus(void)
{
	char text[4096], *at = text;
	u32 from, to, nr = 0;
	int len;

	root_read("/sys/devices/system/cpu/online", text, sizeof(text));
	while (sscanf(at, "%u%n", &from, &len) == 1) {
		at += len;
		to = from;
		if (sscanf(at, "-%u%n", &to, &len) == 1)
			at += len;
		nr += to >= from ? to - from + 1 : 0;
		at += *at == ',';
	}
	return nr ?: 1;
}

/* The smallest place that keeps the end of the kernel log. */
static u64 find_room(const char **where)
{
	u64 room = LOG_SIZE, size;
	char backend[32];
	struct module m;

	*where = "the kernel log";
	module_read(&m);
	/* A 16th of the buffer is for the log, and a half of that for the lines of a panic. */
	if (m.persistent && m.used / 32 < room) {
		room = m.used / 32;
		*where = "the kernel log of jtrace";
	}
	root_read("/sys/module/pstore/parameters/backend", backend, sizeof(backend));
	size = read_number("/sys/module/ramoops/parameters/record_size");
	if (!strncmp(backend, "ramoops", 7) && size && size < room) {
		room = size;
		*where = "a record of ramoops";
	}
	if (!strncmp(backend, "efi", 3) && room > EFI_SIZE) {
		room = EFI_SIZE;
		*where = "a record of pstore in EFI variables";
	}
	return room;
}

/* The other half is for the report of what hangs. */
static bool has_room(void)
{
	const char *where;
	u64 room = find_room(&where);
	u32 cpus = count_cpus();

	if ((u64)(cpus - 1) * BACKTRACE <= room / 2)
		return true;
	printf("Note: no backtraces of all CPUs: those of %u CPUs could push the report of a hang out of %s, which has %llu bytes.\n",
	       cpus, where, room);
	return false;
}

/* ---- set -------------------------------------------------------------- */

static void judge_knob(const struct knob *k, struct setting *s, bool room)
{
	bool off = !strcmp(s->now, "0");

	if (!s->there || s->ours) {
		s->set = s->there && off && !s->by[0];
	} else if (s->by[0]) {
		printf("Note: kernel.%s = %s stays: %s sets it.\n", k->name, s->now, s->by);
	} else if (off && (room || !k->prints)) {
		s->ours = true;
		s->set = true;
		memcpy(s->was, s->now, sizeof(s->was));
	}
}

static void judge_settings(struct setting *s)
{
	bool room = has_room();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(knobs); i++) {
		if (!s[i].there)
			printf("Note: this kernel has no kernel.%s.\n", knobs[i].name);
		judge_knob(&knobs[i], &s[i], room);
	}
}

/* Returns NULL, after a message, if there is no memory. */
static char *compose_file(const struct setting *s)
{
	char *text = NULL;
	size_t size, i;
	FILE *to = open_memstream(&text, &size);

	for (i = 0; to && i < ARRAY_SIZE(knobs); i++)
		if (s[i].ours)
			fprintf(to, WAS "-kernel.%s = %s\n", knobs[i].name, s[i].was, knobs[i].name,
				knobs[i].value);
	if (to && !fclose(to))
		return text;
	fail(SYSCTL ": no memory");
	return NULL;
}

/* Of the kernel, for a detector that this machine lacks; later kernels make its file read-only. */
#define ENOTSUPP	524

static const char *describe_refusal(int err)
{
	return err == ENOTSUPP || err == EACCES ? "not supported by this machine" : strerror(err);
}

/* Returns false, after a line, if the kernel refuses the value. */
static bool set_knob(const char *name, const char *value)
{
	char path[128], line[VALUE_SIZE + 1];
	int err;

	scnprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
	scnprintf(line, sizeof(line), "%s\n", value);
	err = dry_run ? 0 : write_value(path, line);
	if (err)
		printf("Note: the kernel refuses kernel.%s = %s: %s.\n", name, value,
		       describe_refusal(err));
	else
		say_step("set kernel.%s = %s", name, value);
	return !err;
}

/* Other sysctls may spoil the report. */
static void warn_of_others(void)
{
	/* Where there is the first one, the kernel complains of programs that read the second. */
	static const char * const prints[] = { "panic_sys_info", "panic_print" };
	char value[128];
	size_t i;

	if (knob_read("max_rcu_stall_to_panic", value, sizeof(value)) && atoi(value) > 1)
		printf("Note: kernel.max_rcu_stall_to_panic is %s: earlier RCU stalls cause no panic.\n",
		       value);
	for (i = 0; i < ARRAY_SIZE(prints); i++) {
		if (!knob_read(prints[i], value, sizeof(value)))
			continue;
		if (strcmp(value, "0") && value[0])
			printf("Note: kernel.%s is %s: what it prints may push the report of a panic out of pstore.\n",
			       prints[i], value);
		break;
	}
}

static bool feed_watchdog(void)
{
	if (!root_exists("/dev/watchdog")) {
		puts("Note: this machine has no /dev/watchdog: if all CPUs hang, nothing resets it.");
		return true;
	}
	if (has_command("systemctl"))
		return write_watchdog(true);
	puts("Note: this machine has no systemd: let another program feed its watchdog.");
	return true;
}

static void say_hangs(const struct setting *s, bool changed)
{
	struct module m;

	if (!changed) {
		puts("Nothing to do: all is set.");
		return;
	}
	module_read(&m);
	if (is_ours(s, "hung_task_panic"))
		puts("Note: a task that waits 120 s for a slow disk or server counts as a hang: kernel.hung_task_panic=0 in a later file of /etc/sysctl.d exempts it.");
	if (m.persistent)
		puts("Ready: a hang causes a panic; after it, jtrace -r -l shows where each CPU was.");
	else
		puts("Ready: a hang causes a panic.  Its kernel log outlives the reset if jtrace has reserved memory: jtrace setup");
}

/**
 * are_hangs_set() - did setup make hangs speak?
 */
bool are_hangs_set(void)
{
	return is_our_file(SYSCTL);
}

/**
 * is_panic_by_hangs() - would a panic stop this machine for good without our file?
 */
bool is_panic_by_hangs(void)
{
	struct setting s[ARRAY_SIZE(knobs)] = { { .there = false } };

	read_was(s);
	return is_ours(s, "panic");
}

/**
 * set_hangs() - let each hang cause a panic, whose kernel log says where the CPUs were
 *
 * Return: false, after a message, on an error.
 */
bool set_hangs(void)
{
	struct setting s[ARRAY_SIZE(knobs)] = { { .there = false } };
	bool any = false, changed, ok;
	char *text;
	size_t i;

	if (!is_host() || !is_free_name(SYSCTL) || !is_free_name(WATCHDOG))
		return false;
	read_settings(s);
	judge_settings(s);
	warn_of_others();
	text = compose_file(s);
	if (!text)
		return false;
	changed = text[0] && !our_file_has(SYSCTL, text);
	/* First, so that --remove knows what was there. */
	ok = !changed || put_our_file(SYSCTL, text);
	free(text);
	for (i = 0; ok && i < ARRAY_SIZE(knobs); i++)
		any |= s[i].set && set_knob(knobs[i].name, knobs[i].value);
	ok = ok && feed_watchdog();
	if (ok && !dry_run)
		say_hangs(s, changed || any);
	return ok;
}

/* ---- undo ------------------------------------------------------------- */

/**
 * remove_hangs() - bring back what set_hangs() changed
 *
 * A value that somebody else changed since stays.
 *
 * Return: false, after a message, on an error.
 */
bool remove_hangs(void)
{
	struct setting s[ARRAY_SIZE(knobs)] = { { .there = false } };
	size_t i;

	read_settings(s);
	for (i = 0; i < ARRAY_SIZE(knobs); i++)
		if (s[i].ours && s[i].there && !strcmp(s[i].now, knobs[i].value) &&
		    strcmp(s[i].now, s[i].was))
			set_knob(knobs[i].name, s[i].was);
	return drop_our_file(SYSCTL);
}
