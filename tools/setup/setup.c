// SPDX-License-Identifier: GPL-2.0
/*
 * jtrace setup: make this machine ready for a trace that outlives a reset.
 *
 * The first call prepares a trial: the next boot, and no other, reserves the memory.  If that boot
 * comes up, and jtrace records there, the service makes it the default.  If not, the boot after it
 * is as before, and the service takes back what was prepared.
 */

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "setup.h"

#define ARCHIVE_UNIT	"jtrace-archive.service"
#define OUR_UNIT	"jtrace-setup.service"

/* ---- files and services ----------------------------------------------- */

static bool write_modprobe(const struct plan *p)
{
	char text[256];

	if (p->name[0])
		scnprintf(text, sizeof(text), "options jtrace enabled=persistent mem_name=%s\n",
			  p->name);
	else if (p->region.start)
		scnprintf(text, sizeof(text),
			  "options jtrace enabled=persistent mem_address=0x%llx mem_size=%llu\n",
			  p->region.start, p->region.size);
	else
		scnprintf(text, sizeof(text), "options jtrace enabled=persistent\n");
	return put_our_file(MODPROBE, text);
}

static bool is_enabled(const char *unit)
{
	const char * const ask[] = { "systemctl", "--quiet", "is-enabled", unit, NULL };

	return command_succeeds(ask);
}

/* @ours: setup enables it. */
static bool enable_service(const char *unit, bool ours)
{
	const char * const enable[] = { "systemctl", "enable", unit, NULL };

	return !ours || is_enabled(unit) || run_command(enable);
}

static bool disable_service(const char *unit, bool ours)
{
	const char * const disable[] = { "systemctl", "disable", unit, NULL };

	return !ours || run_command(disable);
}

static bool has_service(const char *unit)
{
	const char * const cat[] = { "systemctl", "cat", unit, NULL };

	return command_succeeds(cat);
}

static bool enable_services(struct plan *p)
{
	bool archive = has_service(ARCHIVE_UNIT);

	if (!has_service(OUR_UNIT))
		return fail("systemd has no " OUR_UNIT ": install jtrace-tools, or run \"make install\" in the sources of jtrace");
	if (!archive)
		puts("Note: " ARCHIVE_UNIT " is not installed: a recovered trace is kept until the next load of jtrace only.");
	p->service |= !is_enabled(OUR_UNIT);
	p->archive |= archive && !is_enabled(ARCHIVE_UNIT);
	/* --remove must know, whatever happens now. */
	return plan_write(p) && enable_service(OUR_UNIT, p->service) &&
	       enable_service(ARCHIVE_UNIT, p->archive);
}

static bool feed_planned_watchdog(const struct plan *p)
{
	return !p->watchdog || write_watchdog(are_hangs_set());
}

static void describe(const struct plan *p)
{
	struct boot_words w;
	char text[256];

	if (p->name[0])
		printf("Memory: %llu bytes, where the kernel finds room at each boot (reserve_mem=).\n"
		       "Note: the trace is lost if KASLR places the kernel there, or if a new initrd moves the memory.  nokaslr avoids the first.\n",
		       p->region.size);
	else if (p->region.start)
		printf("Memory: %llu bytes at 0x%llx.\n", p->region.size, p->region.start);
	else
		puts("Memory: the jtrace node of the device tree.");
	plan_words(p, &w);
	words_join(&w, "", "$", text, sizeof(text));
	if (w.nr)
		printf("Kernel command line: %s\n", text);
}

/* ---- from stage to stage ---------------------------------------------- */

/* The options name reserve_mem=SIZE:ALIGN:NAME, without its size. */
static void guess_size(struct plan *p)
{
	char *line = running_line(), value[128];
	const char *at = line, *end, *name;

	while ((at = next_option(at, "reserve_mem=", value, sizeof(value)))) {
		name = strrchr(value, ':');
		if (name && !strcmp(name + 1, p->name))
			p->region.size = parse_size(value, &end);
	}
	free(line);
}

/*
 * Somebody removed the plan: the options of the module tell the words.  Whether panic=10 was one of
 * them shows where they stand.
 */
static void guess_plan(struct plan *p)
{
	struct parameters options = { .any = false };

	p->loader = find_loader();
	if (!is_our_file(MODPROBE))
		return;
	read_planned_parameters(&options);
	p->region = options.region;
	memcpy(p->name, options.name, sizeof(p->name));
	p->panic = true;
	if (p->name[0])
		guess_size(p);
}

/* @watchdog: that of --watchdog, too; --hangs needs it longer than the rest. */
static bool remove_all(struct plan *p, bool watchdog)
{
	const struct loader_ops *ops;
	bool ok;

	if (p->stage == NO_PLAN)
		guess_plan(p);
	ops = loader_ops(p->loader);
	/* With the words, the next boot needs the rest. */
	if (!ops->end_trial(p) || !ops->take_back(p))
		return false;
	ok = drop_our_file(MODULES_LOAD) && drop_our_file(MODPROBE) &&
	     (!watchdog || drop_our_file(WATCHDOG));
	ok = disable_service(ARCHIVE_UNIT, p->archive) && ok;
	ok = disable_service(OUR_UNIT, p->service) && ok;
	ok = ok && drop_our_file(PLAN);
	/* Nobody else creates these, and rmdir() keeps what has a file. */
	if (ok && !dry_run) {
		rmdir(root_path("/etc/jtrace"));
		rmdir(root_path("/etc/systemd/system.conf.d"));
	}
	return ok;
}

static bool needs_no_reboot(const struct plan *p)
{
	struct boot_words w;

	plan_words(p, &w);
	return !w.nr;
}

/* A module that was loaded before it had the options of the plan must go first. */
static bool load_jtrace(void)
{
	static const char * const load[] = { "modprobe", "jtrace", NULL };
	static const char * const unload[] = { "modprobe", "-r", "jtrace", NULL };
	struct module m;

	module_read(&m);
	if (m.persistent)
		return true;
	return (!m.loaded || run_command(unload)) && run_command(load);
}

/* Does jtrace record to the memory of the plan? */
static bool trial_works(const struct plan *p)
{
	struct module m;

	if (!load_jtrace())
		return false;
	module_read(&m);
	if (!m.persistent)
		return fail("jtrace is loaded, but does not record to reserved memory: run jtrace doctor");
	if (p->region.start && (m.region.start != p->region.start ||
				m.region.size != p->region.size))
		return fail("jtrace records to %llu bytes at 0x%llx, not to %llu bytes at 0x%llx: run jtrace doctor",
			    m.region.size, m.region.start, p->region.size, p->region.start);
	return true;
}

/* Propose more memory if what leads to a hang would be overwritten before it is noticed. */
static void say_history(const struct plan *p)
{
	struct history h;
	u64 size = p->region.size ?: DEFAULT_SIZE;

	if (!history_read(&h) || h.times == 1)
		return;
	while (size < (p->region.size ?: DEFAULT_SIZE) * h.times && is_usable_size(2 * size))
		size *= 2;
	printf("The buffer holds %llu.%llu s at the present rate, and a hang is noticed after %u s: jtrace setup --remove, then jtrace setup --size %lluM, or turn on fewer events.\n",
	       h.ms / 1000, h.ms % 1000 / 100, h.noticed, size >> 20);
}

static void say_ready(const struct plan *p)
{
	if (dry_run)
		return;
	printf("Ready: each boot records to reserved memory; jtrace -r shows a recovered trace.\n"
	       "Prove it by a crash: jtrace setup --test\n");
	say_history(p);
	if (!p->watchdog && !is_our_file(WATCHDOG) && root_exists("/dev/watchdog"))
		puts("A hang does not reset this machine yet: jtrace setup --watchdog lets systemd feed its watchdog.");
}

/* Says that it is done only after it is, and was looked at. */
static bool take_back(struct plan *p, const char *why)
{
	if (dry_run)
		return fail("%s", why);
	if (!remove_all(p, !are_hangs_set()))
		return fail("%s, and not all changes could be taken back: correct what the lines above say, then run jtrace setup --remove",
			    why);
	return fail("%s: all changes are taken back, and the next boot is as before", why);
}

/* The trial came up: keep it. */
static bool finish(struct plan *p)
{
	const struct loader_ops *ops = loader_ops(p->loader);

	/* First, so that no later boot is a trial. */
	if (!ops->end_trial(p))
		return false;
	p->panic |= needs_panic(p);
	/* Before it becomes a word of the boot loader: --remove must know. */
	if (!plan_write(p) || (!dry_run && !trial_works(p)) || !ops->make_default(p))
		return take_back(p, "setup: the memory cannot be used");
	p->stage = READY;
	if (!feed_planned_watchdog(p) || !put_our_file(MODULES_LOAD, "jtrace\n") || !plan_write(p))
		return false;
	say_ready(p);
	return true;
}

static bool take_back_trial(struct plan *p)
{
	return take_back(p, "setup: the boot with reserved memory did not come up, or another one came first");
}

/* Each step does nothing where all is as it should be. */
static bool prepare(struct plan *p)
{
	return enable_services(p) && write_modprobe(p) && feed_planned_watchdog(p) &&
	       (needs_no_reboot(p) || loader_ops(p->loader)->try_once(p));
}

static bool begin(struct plan *p, const struct request *r)
{
	if (!may_begin(r) || !choose_memory(p, r) || !is_clear_of_kernel(p) ||
	    !read_boot_id(p->begun))
		return false;
	p->loader = find_loader();
	p->panic = needs_panic(p);
	p->watchdog = r->watchdog;
	p->stage = TRIAL;
	describe(p);
	return prepare(p) && (!needs_no_reboot(p) || dry_run || finish(p));
}

static bool begin_or_undo(struct plan *p, const struct request *r)
{
	if (!begin(p, r)) {
		if (p->stage == TRIAL && !dry_run)
			remove_all(p, !are_hangs_set());
		return false;
	}
	if (p->stage == TRIAL && p->loader == BY_HAND)
		puts("Then reboot: the boot with these words completes the setup.");
	else if (p->stage == TRIAL && dry_run)
		puts("If the next boot comes up, jtrace-setup.service makes this the default.");
	else if (p->stage == TRIAL)
		puts("Reboot to try it.  If that boot comes up, it becomes the default; if not, the boot after it is as before.");
	return true;
}

static bool is_tried_later(const struct plan *p)
{
	char id[BOOT_ID_SIZE];

	return read_boot_id(id) && !strcmp(id, p->begun);
}

static bool fail_default(const struct plan *p)
{
	struct boots b = { .nr = 0 };
	struct boot_words w;
	bool has;

	plan_words(p, &w);
	has = !loader_ops(p->loader)->read_boots(&b) || boots_find_with(&b, &w) >= 0;
	boots_free(&b);
	return fail("setup: %s: correct what the lines above say, then run jtrace setup",
		    has ? "the boot loader may still have words of jtrace" :
		    "the boot loader has no words of jtrace now, and the next boots reserve no memory");
}

/* Each step does nothing where all is as it should be. */
static bool repair(struct plan *p, const struct request *r)
{
	p->watchdog |= r->watchdog;
	if (p->watchdog && (!feed_planned_watchdog(p) || !plan_write(p)))
		return false;
	/* Other words: the old ones must go first. */
	if (!p->panic && needs_panic(p)) {
		if (!loader_ops(p->loader)->take_back(p))
			return false;
		p->panic = true;
	}
	if (!enable_services(p) || !write_modprobe(p) || !put_our_file(MODULES_LOAD, "jtrace\n"))
		return false;
	if (!loader_ops(p->loader)->make_default(p))
		return fail_default(p);
	if (!plan_is_booted(p))
		puts("Reboot: the command line of this boot lacks words of the plan.");
	else
		say_ready(p);
	return true;
}

static bool wants_other_memory(const struct plan *p, const struct request *r)
{
	return (r->size && r->size != p->region.size) || (r->name && strcmp(r->name, p->name));
}

static bool continue_setup(struct plan *p, const struct request *r)
{
	if (p->stage != NO_PLAN && wants_other_memory(p, r))
		return fail("setup: it has other memory already: run jtrace setup --remove, then call it again");
	switch (p->stage) {
	case NO_PLAN:
		return begin_or_undo(p, r);
	case TRIAL:
		p->watchdog |= r->watchdog;
		if (plan_is_booted(p))
			return finish(p);
		/* An earlier call may have been interrupted. */
		if (p->loader == BY_HAND || is_tried_later(p)) {
			if (!prepare(p))
				return false;
			puts("Prepared: reboot to try it.");
			return true;
		}
		if (!remove_all(p, !are_hangs_set()))
			return false;
		puts("The boot with reserved memory did not come up, or another one came first: trying again.");
		*p = (struct plan){ .stage = NO_PLAN };
		return begin_or_undo(p, r);
	case READY:
		return repair(p, r);
	}
	return false;
}

/* The proof outlives the recovered trace. */
static bool note_proof(struct plan *p)
{
	if (!p->tested[0] || p->works || !was_recovered(p->tested))
		return true;
	p->works = true;
	return plan_write(p);
}

static bool at_boot(struct plan *p)
{
	if (p->stage == READY)
		return note_proof(p);
	if (p->stage == NO_PLAN || (p->loader == BY_HAND && !plan_is_booted(p)) ||
	    is_tried_later(p))
		return true;
	return plan_is_booted(p) ? finish(p) : take_back_trial(p);
}

static bool remove_setup(struct plan *p)
{
	bool booted = p->stage != NO_PLAN && plan_is_booted(p) && !needs_no_reboot(p);

	if (!remove_hangs() || !remove_all(p, true))
		return false;
	if (booted && !dry_run)
		puts("Removed.  Reboot to give the memory back to the kernel.");
	else if (!dry_run)
		puts("Nothing of jtrace setup is left.");
	return true;
}

/* ---- the command line ------------------------------------------------- */

static bool parse_setup_size(const char *text, u64 *to)
{
	const char *end;

	*to = parse_size(text, &end);
	if (!*end && is_usable_size(*to))
		return true;
	return fail("--size %s: must be a multiple of 4096, 64K to %lluM", text,
		    (u64)JTRACE_LARGEST_SIZE >> 20);
}

static bool parse_name(const char *text, const char **to)
{
	*to = text;
	if (!strncmp(text, "jtrace", 6) && strlen(text) < 16 &&
	    !text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-")])
		return true;
	return fail("--name %s: must begin with jtrace, and have up to 15 of a-z, 0-9, _ and -",
		    text);
}

static bool parse_request(int argc, char **argv, struct request *r)
{
	static const struct option longs[] = {
		{ "size", required_argument, NULL, 's' },
		{ "name", required_argument, NULL, 'n' },
		{ "watchdog", no_argument, NULL, 'w' },
		{ "hangs", no_argument, NULL, 'h' },
		{ "dry-run", no_argument, NULL, 'd' },
		{ "remove", no_argument, NULL, 'r' },
		{ "test", no_argument, NULL, 't' },
		{ "yes", no_argument, NULL, 'y' },
		{ "at-boot", no_argument, NULL, 'b' },
		{ 0 },
	};
	int opt, verbs = 0, choices = 0;

	*r = (struct request){ .size = 0 };
	while ((opt = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (opt == '?' || (opt == 's' && !parse_setup_size(optarg, &r->size)) ||
		    (opt == 'n' && !parse_name(optarg, &r->name)))
			return false;
		choices += opt == 's' || opt == 'n' || opt == 'w';
		verbs += opt == 'h' || opt == 'r' || opt == 't' || opt == 'b';
		r->watchdog |= opt == 'w';
		r->hangs |= opt == 'h';
		r->dry_run |= opt == 'd';
		r->remove |= opt == 'r';
		r->test |= opt == 't';
		r->yes |= opt == 'y';
		r->at_boot |= opt == 'b';
	}
	if (optind < argc)
		return fail("setup: takes no argument: %s", argv[optind]);
	if (verbs > 1 || (verbs && choices))
		return fail("setup: --hangs, --remove, --test and --at-boot cannot be combined with other options");
	return !r->yes || r->test || fail("--yes: needs --test");
}

/* One at a time: the service may run when the user calls.  The lock ends with the command. */
static bool lock_setup(void)
{
	int fd = open(root_path("/run/jtrace-setup.lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		return fail("/run/jtrace-setup.lock: %s", strerror(errno));
	return !flock(fd, LOCK_EX | LOCK_NB) ||
	       fail("setup: another jtrace setup runs: try again when it has ended");
}

/* Usage errors end the command. */
static void parse_or_exit(int argc, char **argv, struct request *r)
{
	optind = 0;
	argv[0] = program_invocation_short_name;
	if (!parse_request(argc, argv, r))
		exit(2);
}

/**
 * run_setup() - make this machine ready, undo that, or prove it by a crash
 * @argc: words from "setup" on
 * @argv: as @argc
 *
 * Return: false, after a message, on an error.
 */
bool run_setup(int argc, char **argv)
{
	struct request r;
	struct plan p;
	bool ok;

	parse_or_exit(argc, argv, &r);
	if (geteuid())
		return fail("setup: must be root: sudo jtrace setup");
	dry_run = r.dry_run;
	if ((!dry_run && !lock_setup()) || !plan_read(&p))
		return false;
	if (r.test)
		return test_setup(&p, r.yes);
	if (r.remove)
		ok = remove_setup(&p);
	else if (r.hangs)
		ok = set_hangs();
	else if (r.at_boot)
		ok = at_boot(&p);
	else
		ok = continue_setup(&p, &r);
	if (!dry_run)
		sync();
	return ok;
}
