// SPDX-License-Identifier: GPL-2.0
/* jtrace setup --test: crash the machine once, to prove that a trace outlives the reset. */

#include <unistd.h>

#include "setup.h"

static bool write_once(const char *path, const char *text)
{
	int err = write_value(path, text);

	return !err || fail("%s: %s", path, strerror(err));
}

static bool agrees(void)
{
	char answer[16];

	if (!isatty(STDIN_FILENO))
		return fail("--test: standard input is no terminal: add --yes");
	fputs("This crashes the running kernel now.  Unsaved data is lost.\nGo on? [yes/no] ",
	      stdout);
	fflush(stdout);
	if (fgets(answer, sizeof(answer), stdin) && !strcmp(answer, "yes\n"))
		return true;
	return fail("--test: the answer is not yes: nothing was done");
}

static bool will_reset(void)
{
	return !will_halt() ||
	       fail("--test: kernel.panic is 0, so this machine would halt, and switching it off loses the trace: sysctl kernel.panic=10");
}

static bool records_there(const struct plan *p)
{
	struct module m;

	module_read(&m);
	if (m.persistent && (!p->region.start || m.region.start == p->region.start))
		return true;
	return fail("--test: jtrace does not record to reserved memory: run jtrace doctor");
}

/* Returns false, after a message, if it was not crashed; there is no other return. */
static bool crash_to_test(struct plan *p, bool yes)
{
	if (p->stage != READY)
		return fail("--test: this machine is not ready: run jtrace setup%s",
			    p->stage == TRIAL ? ", which waits for a reboot" : "");
	if (!will_reset() || !records_there(p))
		return false;
	if (dry_run) {
		say_step("crash this machine");
		return true;
	}
	if (!yes && !agrees())
		return false;
	p->works = false;
	p->told = false;
	if (!read_boot_id(p->tested) || !plan_write(p) ||
	    !write_once("/sys/kernel/debug/jtrace/marker", "jtrace setup --test\n"))
		return false;
	puts("Crashing this machine.  When it is back, jtrace setup --test says whether the trace survived.");
	fflush(stdout);
	sync();
	return write_once("/proc/sysrq-trigger", "c") && fail("--test: the kernel did not crash");
}

/* Was there a test crash of which nothing is told yet? */
static bool is_untold(const struct plan *p)
{
	char id[BOOT_ID_SIZE];

	return p->tested[0] && !p->told && read_boot_id(id) && strcmp(id, p->tested);
}

/**
 * test_setup() - crash this machine, or tell what became of the trace of the last test crash
 * @p: the plan
 * @yes: do not ask before the crash
 *
 * Return: false, after a message, on an error.
 */
bool test_setup(struct plan *p, bool yes)
{
	if (!is_untold(p))
		return crash_to_test(p, yes);
	/* If nobody has read the line, the next call tells it again. */
	if (!tell_evidence(p) || fflush(stdout))
		return false;
	p->told = true;
	return dry_run || plan_write(p);
}

/**
 * was_recovered() - was the trace of a boot recovered, and is it still there?
 * @boot: its id
 */
bool was_recovered(const char *boot)
{
	char start[512], path[128] = ARCHIVE "/", *end = path + strlen(path);
	const char *at;

	/* The archive names a boot by its id without "-". */
	for (at = boot; *at && end < path + sizeof(path) - 1; at++)
		if (*at != '-')
			*end++ = *at;
	*end = 0;
	if (root_exists(path))
		return true;
	if (root_read("/sys/kernel/debug/jtrace/recovered", start, sizeof(start)) <= 0)
		return false;
	at = strstr(start, ", boot ");
	return at && !strncmp(at + 7, boot, strlen(boot));
}
