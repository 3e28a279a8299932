// SPDX-License-Identifier: GPL-2.0
/* jtrace setup: can this machine be set up, and what does it need? */

#include <stdlib.h>

#include "setup.h"

/* Of the kernel: MAX_MEMMAP_REGIONS in arch/x86/boot/compressed/kaslr.c. */
#define MEMMAPS_KEPT_CLEAR	4

static bool enforces_signatures(void)
{
	char state[8] = "";

	root_read("/sys/module/module/parameters/sig_enforce", state, sizeof(state));
	return state[0] == 'Y' || is_locked_down();
}

/* Whether the kernel trusts the key shows only when it loads the module. */
static bool is_loadable(void)
{
	static const char * const find[] = { "modinfo", "-F", "filename", "jtrace", NULL };
	static const char * const load[] = { "modprobe", "jtrace", NULL };
	static const char * const unload[] = { "modprobe", "-r", "jtrace", NULL };
	char builtin[64], why[256];

	if (root_exists("/sys/module/jtrace"))
		return true;
	if (!command_line_of(find, builtin, sizeof(builtin)))
		return fail("the running kernel has no module jtrace: install jtrace-dkms, or run \"make install\" in its sources");
	if (!enforces_signatures() || dry_run)
		return true;
	if (!try_command(load, why, sizeof(why)))
		return fail("this kernel loads signed modules only, and refuses jtrace (%s): run \"mokutil --import /var/lib/dkms/mok.pub\", reboot and enroll the key",
			    why);
	return run_command(unload);
}

/* Options that somebody wrote by hand would win or lose by the order of file names. */
static bool has_own_options(void)
{
	struct parameters p = { .any = false };

	read_planned_parameters(&p);
	return p.persistent || p.region.start || p.region.size || p.name[0];
}

/* Each of "memmap=A,B" counts. */
static int count_memmaps(void)
{
	char *line = running_line(), value[256];
	const char *at = line, *comma;
	int nr = 0;

	while ((at = next_option(at, "memmap=", value, sizeof(value))))
		for (nr++, comma = value; (comma = strchr(comma, ',')); comma++)
			nr++;
	free(line);
	return nr;
}

/**
 * is_clear_of_kernel() - does KASLR keep the kernel out of the memory?
 * @p: the plan, with its memory
 *
 * Return: false, after a message, if it does not.
 */
bool is_clear_of_kernel(const struct plan *p)
{
	int nr = p->region.start ? count_memmaps() : 0;

	return nr < MEMMAPS_KEPT_CLEAR ||
	       fail("setup: the command line has %d memmap= already: KASLR keeps clear of %d only, and a further one could hold the kernel",
		    nr, MEMMAPS_KEPT_CLEAR);
}

/**
 * may_begin() - can this machine be set up?
 * @r: what the user wants
 *
 * Return: false, after a message, if it cannot.
 */
bool may_begin(const struct request *r)
{
	if (!is_host())
		return false;
	if (has_own_options())
		return fail("setup: modprobe.d or the command line has options for jtrace and its memory already: remove them, or check them by jtrace doctor");
	if (r->watchdog && !root_exists("/dev/watchdog"))
		return fail("--watchdog: this machine has no /dev/watchdog: load the driver of its watchdog first");
	return is_free_name(MODPROBE) && is_free_name(MODULES_LOAD) &&
	       is_free_name(WATCHDOG) && is_loadable();
}

/**
 * will_halt() - would a panic stop this machine for good?
 */
bool will_halt(void)
{
	char timeout[32] = "0";

	root_read("/proc/sys/kernel/panic", timeout, sizeof(timeout));
	return !atoi(timeout);
}

static bool has_panic(const char *line)
{
	char value[8];

	return next_option(line, "panic=", value, sizeof(value));
}

/* In a plan without memory, panic=10 could not be told from that of the administrator. */
static bool has_own_panic(const struct plan *p)
{
	char *later = read_whole("/etc/kernel/cmdline");
	bool has = later && has_panic(later);
	struct boots b = { .nr = 0 };
	int i;

	free(later);
	if (p->region.start || p->name[0])
		return false;
	if (loader_ops(p->loader)->read_boots(&b))
		for (i = 0; i < b.nr; i++)
			has |= has_panic(b.entry[i].line);
	boots_free(&b);
	return has;
}

/**
 * needs_panic() - does this machine need panic=10?
 * @p: the plan, with its memory and its boot loader
 *
 * Not if a word of the administrator is there: sysctl set another value then.  A value of --hangs
 * comes too late for a boot that fails early.
 */
bool needs_panic(const struct plan *p)
{
	char *line = running_line();
	bool has = has_panic(line);

	free(line);
	return (will_halt() || is_panic_by_hangs()) && !has && !has_own_panic(p);
}
