// SPDX-License-Identifier: GPL-2.0
/*
 * Loading and unloading: from parameters to a recorder.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/crash_dump.h>
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "jtrace_internal.h"
#include "jtrace_version.h"

/*
 * The documented defaults, and what they grow to.  12 KiB per CPU hold three chunks that are large
 * enough to make the cost of claims negligible.  A region of 64 KiB or more is used as a whole.
 */
#define DEFAULT_SIZE		32768
#define DEFAULT_SIZE_CPU	12288
#define DEFAULT_SIZE_PERSISTENT	4096
#define REGION_MEANT		65536

/* A smaller buffer has no names of tasks by default; a larger one has at least 1,024 of them. */
#define TASKS_FROM		65536
#define TASKS_MANY_FROM		1048576
#define TASKS_MANY		32768

/* Likewise of stacks: these are 340 of usual size, and 10,900 at the most. */
#define STACKS_FROM		65536
#define STACKS_MANY_FROM	1048576
#define STACKS_MANY		32768
#define STACKS_MOST		1048576

/* Do the documented, small defaults apply to the region? */
static bool is_small_region(const struct jtrace_setup *s)
{
	return s->config.mode == JTRACE_PERSISTENT && s->region.size < REGION_MEANT;
}

/* Why there can be no stacks; NULL if there can. */
static const char *stacks_lack(const struct jtrace_config *c)
{
	return c->kind == JTRACE_KIND_SMALL ? "small entries have none" : jtrace_stack_lacks();
}

/* Bytes for stacks that the user requested. */
static u64 stacks_requested(const struct jtrace_config *c)
{
	if (c->stacks == JTRACE_DEFAULT || stacks_lack(c))
		return 0;
	return ALIGN_DOWN(c->stacks, (u64)JTRACE_SIZE_ALIGN);
}

/* Requested sites and stacks are added to the default size, unless the region limits that. */
static u64 default_size(const struct jtrace_setup *s, u32 cpus)
{
	const struct jtrace_config *c = &s->config;
	u64 size = max_t(u64, DEFAULT_SIZE, (u64)DEFAULT_SIZE_CPU * cpus);

	if (is_small_region(s))
		size = DEFAULT_SIZE_PERSISTENT;
	else if (c->mode == JTRACE_PERSISTENT)
		return s->region.size;
	return max_t(u64, size + c->sites,
		     jtrace_layout_smallest(c->sites, cpus, c->kind, JTRACE_FIT_FULL)) +
	       stacks_requested(c);
}

/* Bytes of a buffer of @size for the kernel log; at most all, which then is refused. */
static u64 log_size(const struct jtrace_setup *s, u64 size)
{
	u64 log = s->config.log;

	if (s->config.mode != JTRACE_PERSISTENT)
		return 0;
	return log == JTRACE_DEFAULT ? jtrace_log_default(size) :
				       min(size, ALIGN_DOWN(log, (u64)JTRACE_SIZE_ALIGN));
}

/*
 * Bytes of a buffer for the names of tasks; at most all, which then is refused.  The default has a
 * name for 16 entries.  A short process has up to two names, and some hundred entries with the
 * events of system calls, locks and timers; 10 with those of the scheduler alone, which is not
 * enough.
 */
static u64 tasks_size(const struct jtrace_setup *s, u64 size)
{
	u64 tasks = s->config.tasks;

	/* Small entries have no tid. */
	if (s->config.kind == JTRACE_KIND_SMALL)
		return 0;
	if (tasks == JTRACE_DEFAULT)
		tasks = size < TASKS_FROM ? 0 : size < TASKS_MANY_FROM ? size / 32 :
			max(size / 32, (u64)TASKS_MANY);
	return ALIGN_DOWN(min(size, tasks), (u64)JTRACE_SIZE_ALIGN);
}

/*
 * Bytes of a buffer for stacks; at most all, which then is refused.  By default, as many as for
 * tasks: in 10 s of load, the calls of kfree() have 199 stacks, switches of tasks 62.
 */
static u64 stacks_size(const struct jtrace_setup *s, u64 size)
{
	const struct jtrace_config *c = &s->config;
	u64 stacks = stacks_requested(c);

	if (stacks_lack(c)) {
		if (c->stacks && c->stacks != JTRACE_DEFAULT)
			pr_warn("stacks=%llu is ignored: %s\n", c->stacks, stacks_lack(c));
		return 0;
	}
	if (c->stacks == JTRACE_DEFAULT)
		stacks = size < STACKS_FROM ? 0 : size < STACKS_MANY_FROM ? size / 32 :
			 clamp_t(u64, size / 32, STACKS_MANY, STACKS_MOST);
	return ALIGN_DOWN(min(size, stacks), (u64)JTRACE_SIZE_ALIGN);
}

/**
 * struct areas - bytes of a buffer for what is not entries and sites
 * @log: for the kernel log
 * @tasks: for names of tasks
 * @stacks: for stacks
 */
struct areas {
	u64 log;
	u64 tasks;
	u64 stacks;
};

static u64 areas_size(const struct areas *a)
{
	return a->log + a->tasks + a->stacks;
}

/* Log which parameter is too small or too large, and its limit. */
static int refuse_size(const struct jtrace_setup *s, u64 size, const struct areas *a, u32 cpus)
{
	const struct jtrace_config *c = &s->config;
	u64 least = jtrace_layout_smallest(c->sites, cpus, c->kind, JTRACE_FIT_POOR);
	bool region = s->region.at && size == s->region.size;
	u64 most = jtrace_layout_most_sites(size - areas_size(a), cpus, c->kind);
	/* The last one that leaves no room for the entries is refused. */
	const struct {
		const char *name;
		u64 value, bytes, before;
	} area[] = {
		{ "stacks", c->stacks, a->stacks, a->log + a->tasks },
		{ "tasks", c->tasks, a->tasks, a->log },
		{ "log_size", c->log, a->log, 0 },
	};
	u32 i;

	for (i = 0; least && i < ARRAY_SIZE(area); i++) {
		if (!area[i].bytes || least > size - area[i].before)
			continue;
		pr_err("%s=%llu: must be at most %llu in a buffer of %llu bytes for %u CPUs\n",
		       area[i].name, area[i].value, size - area[i].before - least, size, cpus);
		return -EINVAL;
	}
	if (c->sites && most) {
		pr_err("sites=%llu: must be at most %llu in a buffer of %llu bytes for %u CPUs\n",
		       c->sites, most, size, cpus);
		return -EINVAL;
	}
	pr_err("%s=%llu: must be at least %llu for %u CPUs and %s entries\n",
	       !region ? "target_buffer_size" : c->mem_name ? "reserve_mem" : "mem_size", size,
	       least, cpus, c->kind == JTRACE_KIND_LARGE ? "large" : "small");
	return -EINVAL;
}

static bool plan_with(struct jtrace_setup *s, u64 size, const struct areas *a, u32 cpus)
{
	s->fit = jtrace_layout_plan(&s->l, size - areas_size(a), s->config.sites, cpus,
				    s->config.kind);
	return s->fit != JTRACE_FIT_NONE;
}

/* Leave out the areas that nobody asked for. */
static void keep_requested(const struct jtrace_config *c, struct areas *a)
{
	if (c->log == JTRACE_DEFAULT)
		a->log = 0;
	if (c->tasks == JTRACE_DEFAULT)
		a->tasks = 0;
	if (c->stacks == JTRACE_DEFAULT)
		a->stacks = 0;
}

/* Lay out the image in the requested or default size, or in the region if that is smaller. */
static int plan_layout(struct jtrace_setup *s)
{
	struct jtrace_config *c = &s->config;
	u32 cpus = num_possible_cpus();
	struct areas a;
	u64 size;

	if (!c->kind)
		c->kind = is_small_region(s) ? JTRACE_KIND_SMALL : JTRACE_KIND_LARGE;
	size = c->size ?: default_size(s, cpus);
	if (s->region.at)
		size = min(size, s->region.size);
	a.log = log_size(s, size);
	a.tasks = tasks_size(s, size - a.log);
	a.stacks = stacks_size(s, size - a.log - a.tasks);
	if (!plan_with(s, size, &a, cpus)) {
		keep_requested(c, &a);
		/* They were cut to what the others had left. */
		if (a.tasks)
			a.tasks = tasks_size(s, size - a.log);
		if (a.stacks)
			a.stacks = stacks_size(s, size - a.log - a.tasks);
		if (!plan_with(s, size, &a, cpus))
			return refuse_size(s, size, &a, cpus);
	}
	if (a.log)
		jtrace_layout_add_log(&s->l, a.log);
	if (a.tasks)
		jtrace_layout_add_tasks(&s->l, a.tasks);
	if (a.stacks)
		jtrace_layout_add_stacks(&s->l, a.stacks);
	return 0;
}

static int refuse_memory(u64 size)
{
	pr_err("target_buffer_size=%llu: no memory, %llu bytes are available: choose less\n", size,
	       (u64)si_mem_available() << PAGE_SHIFT);
	return -ENOMEM;
}

/*
 * Copy out the trace of an earlier boot.  Then test the pages that hold no trace: the test
 * overwrites a line in each.
 */
static int recover_region(struct jtrace_setup *s)
{
	int err = jtrace_recovered_save(&s->region, s->header.boot_id);

	if (err || s->region.ram ||
	    jtrace_region_answers(&s->region, PAGE_ALIGN(jtrace_recovered.size)))
		return err;
	return -ENXIO;
}

/* Allocate all memory, the image included, without overwriting a trace in the region. */
static int alloc_buffers(struct jtrace_setup *s)
{
	const gfp_t quiet = GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN;
	const struct jtrace_layout *l = &s->l;
	struct jtrace_trace trace;

	jtrace_recover_known(&trace, NULL, &s->header, l);
	s->dump_room = jtrace_alloc(jtrace_recover_room(&trace));
	s->ctl = kvcalloc(l->nr_chunks, sizeof(*s->ctl), quiet);
	s->site_spare = JTRACE_SITES_SPARE;
	s->site_room = kvzalloc(jtrace_sites_room(l, s->site_spare), quiet);
	s->task_room = kvzalloc(jtrace_tasks_room(l), quiet);
	s->stack_room = kvzalloc(jtrace_stacks_room(l), quiet);
	if (!s->dump_room || !s->ctl || !s->site_room || !s->task_room || !s->stack_room)
		return refuse_memory(l->size);
	if (s->config.mode == JTRACE_PERSISTENT)
		return recover_region(s);
	return jtrace_region_alloc(&s->region, l->size) ? refuse_memory(l->size) : 0;
}

static void free_buffers(struct jtrace_setup *s)
{
	jtrace_recovered_free();
	vfree(s->dump_room);
	kvfree(s->site_room);
	kvfree(s->task_room);
	kvfree(s->stack_room);
	kvfree(s->ctl);
	jtrace_region_put(&s->region);
}

/* Tell the user what to do first, in one line; a built-in jtrace that is off stays quiet. */
static void report_next(void)
{
	if (!debugfs_initialized())
		pr_info("debugfs is off: only a panic and SysRq y print the trace\n");
	else if (jtrace.setup.config.mode != JTRACE_OFF)
		pr_info("to read the trace: jtrace, or cat /sys/kernel/debug/jtrace/trace; to make it survive a reset: jtrace setup\n");
	else if (!IS_BUILTIN(CONFIG_JTRACE))
		pr_info("recording is off; to start it: jtrace start, or echo 1 > /sys/kernel/debug/jtrace/enabled\n");
}

/* The same, for what was found in the region. */
static const char *recovered_next(void)
{
	switch (jtrace_recovered.trace.verdict) {
	case JTRACE_WHOLE:
	case JTRACE_DAMAGED:
		return "to read it: jtrace -r";
	case JTRACE_UNREADABLE:
		return "to look at it: cat /sys/kernel/debug/jtrace/recovered";
	default:
		return "to check that a trace survives a reset: jtrace doctor";
	}
}

static void report_setup(void)
{
	const struct jtrace_layout *l = &jtrace.ring.l;

	pr_info("%llu bytes, %llu %s entries, clock %s\n", l->size, jtrace_layout_entries(l),
		l->kind == JTRACE_KIND_LARGE ? "large" : "small",
		jtrace_clock.ticks ? "ticks" : "fast");
	jtrace_dumper_warn(NULL);
	if (!jtrace_region_persistent(&jtrace.setup.region)) {
		report_next();
		return;
	}
	pr_info("persistent at %pa, found there: %s; %s\n", &jtrace.setup.region.phys,
		jtrace_recovered_verdict(), recovered_next());
	jtrace_region_warn(NULL);
}

/* Refuse if the old trace would be lost unread. */
static int find_region(struct jtrace_setup *s)
{
	if (is_kdump_kernel()) {
		pr_err("enabled=persistent: this is a crash kernel: it leaves the trace to the next boot\n");
		return -EBUSY;
	}
	if (!debugfs_initialized()) {
		pr_err("enabled=persistent: debugfs is off: the old trace would be lost unread: boot with debugfs=on\n");
		return -ENODEV;
	}
	return jtrace_region_find(&s->region, &s->config);
}

static int prepare_setup(struct jtrace_setup *s)
{
	struct jtrace_config *c = &s->config;
	int err;

	err = jtrace_params_parse(c) ?:
	      jtrace_clock_init(&s->clock, c) ?:
	      (c->mode == JTRACE_PERSISTENT ? find_region(s) : 0) ?:
	      plan_layout(s);
	if (err)
		return err;
	jtrace_setup_describe(s, get_random_u64() | 1);
	jtrace_boot_identify(&s->header);
	return alloc_buffers(s);
}

/* Not jtrace.setup: built in, the recorder may already use that. */
static struct jtrace_setup new_setup __initdata;

static int __init jtrace_init(void)
{
	int err;

	/* The kernel itself reports unknown parameters of a module that is loaded. */
	if (IS_BUILTIN(CONFIG_JTRACE))
		jtrace_early_unknown();
	err = prepare_setup(&new_setup);
	if (jtrace_early_on && (err || new_setup.config.mode == JTRACE_OFF))
		jtrace_early_end();
	if (err) {
		free_buffers(&new_setup);
		return err;
	}
	/* Up to here, no trace in the region has been overwritten. */
	if (jtrace_region_persistent(&new_setup.region))
		jtrace_image_clear(new_setup.region.at, new_setup.region.size,
				   new_setup.region.type == JTRACE_MEM_WB);
	if (jtrace_early_on) {
		jtrace_early_move(&new_setup);
	} else {
		jtrace_install(&new_setup);
		jtrace_panic_init();
	}
	jtrace_record_init();
	jtrace_dumper_init();
	jtrace_klog_init();
	jtrace_modules_init();
	jtrace_tasks_start();
	jtrace_seal_init();
	jtrace_suspend_init();
	jtrace_hotplug_init();
	jtrace_stop_init();
	jtrace_debugfs_init();
	if (jtrace.setup.config.mode != JTRACE_OFF)
		jtrace_enable(true);
	report_setup();
	return 0;
}

/*
 * Only clients that load without jtrace may still be loaded.  Their trace points, and jtrace's
 * own, may be in progress.  Remove the files first, because they can enable recording again.
 */
static void __exit jtrace_exit(void)
{
	jtrace_debugfs_exit();
	jtrace_enable(false);
	jtrace_stop_exit();
	jtrace_hotplug_exit();
	jtrace_suspend_exit();
	jtrace_panic_exit();
	jtrace_dumper_exit();
	jtrace_klog_exit();
	jtrace_tasks_stop();
	jtrace_modules_exit();
	if (JTRACE_HAS_CLIENTS)
		jtrace_clients_wait();
	synchronize_rcu();
	/* A CPU that did not answer jtrace_clear() may still have its request. */
	kick_all_cpus_sync();
	jtrace_seal_exit();
	jtrace_user_exit();
	free_buffers(&jtrace.setup);
}

/*
 * Built in: before devices are probed, but after debugfs, the list of reserved memory, EFI
 * variables and running clocks are available.
 */
fs_initcall(jtrace_init);
module_exit(jtrace_exit);

MODULE_DESCRIPTION("Flight recorder for kernel code: the last events before a crash");
MODULE_AUTHOR("The jtrace developers");
MODULE_VERSION(JTRACE_VERSION);
MODULE_LICENSE("GPL");
