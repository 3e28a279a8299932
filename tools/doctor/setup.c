// SPDX-License-Identifier: GPL-2.0
/* jtrace doctor: does this machine do what "jtrace setup" planned, and did a trace survive? */

#include <glob.h>
#include <stdlib.h>
#include <unistd.h>

#include "../machine/machine.h"
#include "../setup/setup.h"
#include "doctor.h"

static void check_trial(const struct plan *p)
{
	char id[BOOT_ID_SIZE];

	if (plan_is_booted(p))
		report(WARN, "setup", "this boot tries the reserved memory: run jtrace setup to make it the default");
	else if (read_boot_id(id) && !strcmp(id, p->begun))
		report(WARN, "setup", "prepared, not tried yet: reboot");
	else
		report(LOSS, "setup", "the boot that should try the reserved memory did not come up, or another one came first: run jtrace setup again");
}

/* The boot loader may have lost the words since this boot. */
static void check_next(const struct plan *p)
{
	struct boots b = { .nr = 0 };
	struct boot_words w;
	int wrong;

	/* Only root can read the menu of GRUB. */
	if (p->loader == BY_HAND || geteuid())
		return;
	if (!loader_ops(p->loader)->read_boots(&b)) {
		report(WARN, "next boot", "the menu of the boot loader cannot be read");
		return;
	}
	plan_words(p, &w);
	wrong = boots_find_cut(&b, &w);
	if (wrong >= 0) {
		report(LOSS, "next boot",
		       "'%s' does not boot, because its memmap= is cut: run jtrace setup: %s",
		       b.entry[wrong].name, b.entry[wrong].line);
	} else {
		wrong = boots_find_without(&b, &w);
		if (wrong == -2)
			report(LOSS, "next boot", "the boot loader has no entry of this system");
		else if (wrong >= 0)
			report(LOSS, "next boot", "'%s' lacks words of %s: run jtrace setup: %s",
			       b.entry[wrong].name, PLAN, b.entry[wrong].line);
		else if (b.next >= 0 && !b.entry[b.next].ours)
			report(WARN, "next boot",
			       "'%s', which boots by default, is not an entry that jtrace setup changes: %s",
			       b.entry[b.next].name, b.entry[b.next].line);
		else
			report(FINE, "next boot", "each entry has the words of %s", PLAN);
	}
	boots_free(&b);
}

static void check_ready(const struct plan *p, const struct facts *f)
{
	struct boot_words w;
	char text[256];

	plan_words(p, &w);
	words_join(&w, "", "$", text, sizeof(text));
	if (!plan_is_booted(p))
		report(LOSS, "setup",
		       "the command line lacks words of %s, which has '%s': run jtrace setup", PLAN,
		       text);
	else if (p->region.start && f->region.start && p->region.start != f->region.start)
		report(LOSS, "setup",
		       "jtrace uses memory at 0x%llx, but %s has 0x%llx: run jtrace setup",
		       f->region.start, PLAN, p->region.start);
	else
		report(FINE, "setup", "this boot is as %s says", PLAN);
}

static void check_crash(const struct plan *p)
{
	char id[BOOT_ID_SIZE];
	glob_t found;

	if (!p->tested[0]) {
		if (!glob(root_path(ARCHIVE "/*/*/" ARCHIVE_IMAGE), GLOB_BRACE, NULL, &found)) {
			report(FINE, "crash", "%zu recovered traces are in " ARCHIVE,
			       found.gl_pathc);
			globfree(&found);
		}
	} else if (p->works || was_recovered(p->tested)) {
		report(FINE, "crash", "it works: the trace of the test crash was recovered");
	} else if (read_boot_id(id) && !strcmp(id, p->tested)) {
		report(WARN, "crash", "the test crash did not end this boot: run jtrace setup --test");
	} else {
		report(LOSS, "crash", "the trace of the test crash was not recovered: see the lines above");
	}
}

/**
 * check_setup() - compare this boot with the plan of "jtrace setup"
 * @f: facts
 */
void check_setup(const struct facts *f)
{
	struct plan p;

	if (!plan_read(&p)) {
		report(LOSS, "setup", PLAN " is damaged");
		return;
	}
	if (p.stage == NO_PLAN)
		return;
	if (p.stage == TRIAL) {
		check_trial(&p);
		return;
	}
	check_ready(&p, f);
	check_next(&p);
	check_crash(&p);
}
