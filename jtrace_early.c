// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: early boot
 *
 * Built in, jtrace records from the moment the kernel parses its parameters.  At that point
 * start_kernel() has set up per-CPU areas and jump labels, and nothing else: there is no
 * allocator, no timekeeping and no console.  One CPU runs, with interrupts off.
 *
 * So early boot has an image of its own, in memory that the kernel frees after boot.  Only the
 * memory differs: the same code records and reads, and a panic dumps the image.  The parameters
 * that follow on the command line are not known yet, so entries are large and not persistent.
 *
 * When jtrace is initialized, the events move to the requested image, with their time, CPU,
 * thread, context and site, and recording continues there.  Other CPUs run by then and may have
 * been preempted or interrupted inside jtrace_record().  So jtrace_record() checks
 * &jtrace_early_on with preemption disabled, and the move begins a grace period after that is
 * cleared.  Events during the move are counted, not recorded.  If the parameters are refused,
 * recording ends.
 *
 * Time
 * ----
 * Entries carry readings of the processor's counter if its rate is known, even if the kernel
 * will not trust it later: one CPU that does not idle can trust it.  The ktime clocks may stand
 * still at first, and advance by jiffies until clock sources are chosen, provided that no tick is
 * lost.  So chunks get no stamps of their own: all have the one taken at the beginning.  Readers
 * interpolate from there to the move or the panic: the order is right, and so are both ends.
 * Without a counter, entries show the ktime clocks.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "jtrace_internal.h"
#include "lib/read/walk.h"

#define IMAGE_SIZE	(CONFIG_JTRACE_EARLY_SIZE * 1024ULL)

/* A quarter is for sites, because instrumented code is in many files. */
#define SITES_SIZE	(IMAGE_SIZE / 4)

static struct jtrace_setup early_setup __initdata;

/* Reads the early image: its size first, its events at the move. */
static struct jtrace_trace early_trace __initdata;

/* The image, then its buffers, which take no more than the image in any layout. */
static u8 arena[2 * IMAGE_SIZE] __initdata __aligned(JTRACE_PAGE);
static u64 arena_used __initdata = IMAGE_SIZE;

static void *__init arena_alloc(u64 bytes)
{
	void *at = arena + arena_used;

	arena_used = ALIGN(arena_used + bytes, (u64)SMP_CACHE_BYTES);
	return arena_used <= sizeof(arena) ? at : NULL;
}

/* Plan for as many CPUs as fit.  The events of other CPUs are dropped. */
static void __init plan_layout(void)
{
	u32 cpus = num_possible_cpus();

	do {
		early_setup.fit = jtrace_layout_plan(&early_setup.l, IMAGE_SIZE, SITES_SIZE,
						     cpus, JTRACE_KIND_LARGE);
		cpus /= 2;
	} while (early_setup.fit == JTRACE_FIT_NONE && cpus);
}

static bool __init prepare_setup(void)
{
	/* Not random, which is not available yet: the id only has to serve this boot. */
	u64 id = (jtrace_ticks_khz() ? jtrace_ticks() : 0) | 1;

	early_setup.config = (struct jtrace_config){
		.mode = JTRACE_ON,
		.kind = JTRACE_KIND_LARGE,
		.clock = jtrace_ticks_khz() ? JTRACE_USE_TICKS : JTRACE_USE_FAST,
		.panic_lines = -1,
	};
	plan_layout();
	if (early_setup.fit == JTRACE_FIT_NONE ||
	    jtrace_clock_init(&early_setup.clock, &early_setup.config))
		return false;
	early_setup.region.at = arena;
	early_setup.region.size = IMAGE_SIZE;
	jtrace_setup_describe(&early_setup, id);
	jtrace_recover_known(&early_trace, arena, &early_setup.header, &early_setup.l);
	early_setup.ctl = arena_alloc(early_setup.l.nr_chunks * sizeof(*early_setup.ctl));
	/* No spare: built-in code is never loaded again. */
	early_setup.site_room = arena_alloc(jtrace_sites_room(&early_setup.l, 0));
	early_setup.dump_room = arena_alloc(jtrace_recover_room(&early_trace));
	return early_setup.ctl && early_setup.site_room && early_setup.dump_room;
}

/*
 * static_branch_enable() patches code, which is allowed after jump_label_init().  The static call
 * of jtrace_record() stays at the variant for all kinds of records.
 */
static void __init start_recording(void)
{
	if (jtrace_early_on || !prepare_setup())
		return;
	jtrace_install(&early_setup);
	jtrace_clock_moment(&jtrace_early_began);
	jtrace_panic_init();
	jtrace_early_on = true;
	jtrace_enable(true);
}

/* Called only while the kernel parses its command line. */
static int __ref enabled_set(const char *value, const struct kernel_param *kp)
{
	int err = param_set_charp(value, kp);

	if (!err && !slab_is_available() && (!strcmp(value, "on") || !strcmp(value, "persistent")))
		start_recording();
	return err;
}

const struct kernel_param_ops jtrace_enabled_ops = {
	.set = enabled_set,
	.get = param_get_charp,
};

/* The header of its next chunk tells what was overwritten as lost: it has no other one before. */
static void __init reset_cpu(struct jtrace_ring_cpu *rc)
{
	WRITE_ONCE(rc->cursor, 0);
	WRITE_ONCE(rc->held, 0);
	rc->closed_claim = 0;
	rc->closed_lost = -(u64)atomic64_read(&rc->overwritten);
	atomic64_set(&rc->overwritten, 0);
	atomic64_set(&rc->recorded, 0);
	atomic64_set(&rc->cleared, 0);
}

/*
 * Let no record begin, and wait for those in progress: RCU waits for code with preemption
 * disabled, an IPI to each CPU for idle code with interrupts off, which RCU does not watch.
 */
static void __init stop_records(void)
{
	WRITE_ONCE(jtrace_early_on, false);
	synchronize_rcu();
	kick_all_cpus_sync();
}

/**
 * jtrace_early_end() - end recording of early boot, if it has not ended
 *
 * Context: Process.
 */
void __init jtrace_early_end(void)
{
	int cpu;

	if (!jtrace_early_on)
		return;
	jtrace_enable(false);
	jtrace_panic_exit();
	stop_records();
	for_each_possible_cpu(cpu) {
		reset_cpu(per_cpu_ptr(&jtrace_cpus, cpu));
		memset(per_cpu(jtrace_cpus, cpu).lost, 0, sizeof(jtrace_cpus.lost));
		per_cpu(jtrace_cpus, cpu).closed_lost = 0;
	}
	jtrace.setup.region = (struct jtrace_region){ 0 };
}

/* The boot id can be read only after devices are initialized. */
static int __init identify_boot(void)
{
	/* Without jtrace_init() (initcall_blacklist=) the early image is about to be freed. */
	jtrace_early_end();
	mutex_lock(&jtrace.lock);
	if (jtrace.setup.region.at) {
		jtrace_boot_identify(&jtrace.setup.header);
		jtrace_header_write(jtrace.setup.region.at, &jtrace.setup.header);
	}
	mutex_unlock(&jtrace.lock);
	return 0;
}
device_initcall_sync(identify_boot);

/* ---- Names of parameters ------------------------------------------------ */

#define PREFIX	KBUILD_MODNAME "."

/* The same words as the kernel uses for a loaded module. */
static int __init tell_unknown(char *param, char *value, const char *doing, void *data)
{
	const struct kernel_param *p;

	if (!parameqn(param, PREFIX, strlen(PREFIX)) || parameq(param, PREFIX "dyndbg"))
		return 0;
	for (p = __start___param; p < __stop___param; p++)
		if (parameq(param, p->name))
			return 0;
	pr_warn("unknown parameter '%s' ignored\n", param + strlen(PREFIX));
	return 0;
}

/**
 * jtrace_early_unknown() - warn of unknown parameters on the command line
 *
 * The kernel ignores them, because a module may have them.
 *
 * Context: Process.
 */
void __init jtrace_early_unknown(void)
{
	char *line = kstrdup(saved_command_line, GFP_KERNEL);

	if (line)
		parse_args(KBUILD_MODNAME, line, NULL, 0, 0, 0, NULL, tell_unknown);
	kfree(line);
}

/* ---- The move --------------------------------------------------------- */

/*
 * The moment of an early entry: @ticks on the clock of the new image.  The two ktime clocks are
 * the same before the first suspend.
 */
static void __init convert_time(u64 time, const struct jtrace_moment *now, struct jtrace_moment *m)
{
	u64 ns = min(jtrace_recover_ns(&early_trace, time), now->boot), ago;

	m->mono = ns;
	m->boot = ns;
	m->ticks = time;
	if (early_setup.clock.ticks == jtrace_clock.ticks)
		return;
	m->ticks = ns;
	if (!jtrace_clock.ticks)
		return;
	ago = mul_u64_u64_div_u64(now->boot - ns, jtrace_clock.khz, NSEC_PER_MSEC);
	m->ticks = now->ticks > ago ? now->ticks - ago : 0;
}

/* Record the event again; return false if there is no room. */
static bool __init move_event(const struct jtrace_decoded *ev, const struct jtrace_moment *now)
{
	struct jtrace_ring_cpu *rc = per_cpu_ptr(&jtrace_cpus, ev->cpu);
	const struct jtrace_ring *ring = &jtrace.ring;
	struct jtrace_moment then;
	u64 cursor = rc->cursor;

	convert_time(ev->time, now, &then);
	if (jtrace_ring_full(ring, cursor)) {
		if (!jtrace_ring_claim(&jtrace.ring, rc, cursor, &then, true)) {
			/* The event was counted when it was first recorded. */
			atomic64_dec(&rc->lost[JTRACE_DROPPED_BUSY]);
			return false;
		}
		cursor = rc->cursor;
	}
	jtrace_ring_reserve(ring, rc, cursor);
	if (ring->l.kind == JTRACE_KIND_LARGE)
		jtrace_ring_fill_large(ring, cursor, then.ticks, ev->site, ev->tid,
				       ev->cpu | ev->context << 16,
				       (u64)ev->arg[1] << 32 | ev->arg[0],
				       (u64)ev->arg[3] << 32 | ev->arg[2],
				       ev->wide[0], ev->wide[1]);
	else
		jtrace_ring_fill_small(ring, cursor, then.ticks, ev->site, ev->cpu, ev->arg[0]);
	return true;
}

static u32 __init move_events(void)
{
	static struct jtrace_walk walk __initdata;
	const struct jtrace_decoded *ev;
	struct jtrace_moment now;
	u32 moved = 0;

	jtrace_clock_moment(&now);
	jtrace_walk_each(&walk, &early_trace, ev)
		moved += move_event(ev, &now);
	return moved;
}

/**
 * jtrace_early_move() - continue in another image, and move the recorded events there
 * @to: setup of that image; the region is clear
 *
 * Events are counted as skipped until jtrace_record_init().
 *
 * Context: Process.
 */
void __init jtrace_early_move(const struct jtrace_setup *to)
{
	const struct jtrace_sites sites = jtrace.sites;
	u64 recorded = 0;
	u32 moved;
	s64 closers;
	int cpu;

	stop_records();
	jtrace_panic_hold();
	for_each_possible_cpu(cpu)
		recorded += jtrace_ring_recorded(&jtrace.ring, per_cpu_ptr(&jtrace_cpus, cpu));
	jtrace_clock_stamp(&jtrace.setup.header);
	jtrace_recover_known(&early_trace, arena, &jtrace.setup.header, &early_setup.l);
	jtrace_recover_scan(&early_trace, early_setup.dump_room);

	for_each_possible_cpu(cpu)
		reset_cpu(per_cpu_ptr(&jtrace_cpus, cpu));
	closers = jtrace_gate_closers();
	jtrace_install(to);
	jtrace_sites_adopt(&jtrace.sites, &sites);
	moved = move_events();
	jtrace.gone = recorded - moved;
	/* An oops on another CPU may have closed the gate, and will open it. */
	jtrace_gate_restore(closers);
	jtrace_panic_release();
	pr_info("kept %u of %llu events of early boot\n", moved, recorded);
}
