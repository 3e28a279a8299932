// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: panic
 *
 * The trace on the console: in a panic, after an oops, on a SysRq key.
 *
 * What the kernel says of its own death goes first, on the console and in what is saved
 * of its log.  Pstore keeps the last few KiB of that.  A panic calls the notifiers before
 * it saves the log: ours closes the gate and seals the image.  The trace is printed by a
 * dumper of the log (jtrace_dumper.c), when the others have saved it.  If another one
 * follows, we wait until the machine restarts, when dumpers are called again; if it never
 * will (panic_timeout is 0), or in an NMI, we do not wait.  An oops is dumped by a work
 * item, when the task is dying of it: then no panic can come of it.
 *
 * Other notifiers may end the machine, as that of pvpanic does.  So an oops that will panic
 * is sealed at once.
 *
 * Other CPUs may be stopped at any instruction with any lock held, so nothing that
 * runs in a panic or an oops takes a lock, allocates or waits.  The image is read where
 * it lies.
 *
 * Some CPUs may not be stopped at all (one that is in an NMI is not), and go on
 * to print and record: the gate keeps what they may overwrite small.
 *
 * Others live on while the first lines of a panic are printed.  A dump for SysRq that
 * filled the log meanwhile, faster than the console is, would push them out of it: it
 * ends, and none begins, while an oops or a panic is printed.
 *
 * What a panic calls may fault and so panic again, on the same CPU, and then it
 * calls us again: most of all a console driver, as each line that is printed goes
 * through it.  The second time the dump goes on after the step that was not
 * survived: the header that could not be written stays as it is, the line that
 * the driver died of is in the log.  The kernel prints that at the end of the
 * panic; nobody but it calls the console then.  The third time nothing is done, so
 * that it comes to an end.
 *
 * In a panic the header is not read from the image, as we know what it should be: the
 * image may have lost it, or be in memory that cannot be written any more.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/console.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hardirq.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/kdebug.h>
#include <linux/nmi.h>
#include <linux/notifier.h>
#include <linux/panic.h>
#include <linux/panic_notifier.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/debug.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/sysrq.h>
#include <linux/workqueue.h>

#include "include/jtrace/internal.h"
#include "include/jtrace/slow.h"
#include "lib/render.h"

/* 'y': free on all 64-bit architectures but sparc64. */
#define SYSRQ_KEY		'y'

/* The console gets its chance, and watchdogs their due, each so many lines. */
#define LINES_AT_ONCE		8

/* Shortest lines there are: "[   0.000000000][cpu 0] : 00000000 : ..." */
#define SHORTEST_SMALL		56
#define SHORTEST_LARGE		140

/* How far a panic came. */
enum stage {
	STAGE_NONE,
	STAGE_SEAL,
	STAGE_SCAN,
	STAGE_PRINT,
	STAGE_DONE,
};

/*
 * The one dump that can be under way.  The task that sets @owner owns the rest, and the
 * setup's dump_room, until it is done or dies; a panic takes it for good.
 */
static struct {
	struct task_struct *owner;
	enum stage stage;
	bool again, can_sleep;
	struct jtrace_trace trace;
	struct jtrace_text text;
	char line[JTRACE_LINE_MAX];
} dump;

/* The kernel calls jtrace_panic_log_saved() in a panic, after its notifiers. */
static bool has_dumper;

static bool release_dump(void)
{
	return cmpxchg(&dump.owner, current, NULL) == current;
}

/* The log buffer of which a dump takes half; log_buf_len= may make it larger. */
static u64 log_budget(void)
{
	return (1ULL << CONFIG_LOG_BUF_SHIFT) / 2;
}

/**
 * jtrace_panic_most() - most entries that a dump on the console may print
 *
 * Return: a bound; what fits in the log buffer depends on the lines.
 */
u32 jtrace_panic_most(void)
{
	const struct jtrace_layout *l = &jtrace.ring.l;
	int lines = jtrace.setup.config.panic_lines;
	u64 entries = jtrace_layout_entries(l);

	if (lines > 0)
		return min_t(u64, entries, lines);
	if (!lines)
		return entries;
	return min(entries, log_budget() / (l->kind == JTRACE_KIND_LARGE ?
					    SHORTEST_LARGE : SHORTEST_SMALL));
}

/* Let the console, if it can be had, print what is in the log. */
static void let_console_print(void)
{
	touch_nmi_watchdog();
	/* The console's semaphore is not safe in an NMI: panic() flushes later. */
	if (!in_nmi() && !dump.again && console_trylock())
		console_unlock();
	/* RCU waits for this CPU, where the kernel cannot preempt itself. */
	if (dump.can_sleep)
		cond_resched();
}

/* Until an oops or a panic raises oops_in_progress over @level: false then. */
static bool print_lines(int level)
{
	while (dump.text.pos < jtrace_text_lines(&dump.text)) {
		if (READ_ONCE(oops_in_progress) > level)
			return false;
		if (jtrace_text_next(&dump.text, dump.line, sizeof(dump.line)) < 0)
			break;
		printk(KERN_ALERT "%s\n", dump.line);
		/* The gate of a panic never opens. */
		if (dump.stage == STAGE_NONE)
			jtrace_freeze_extend();
		if (dump.text.pos % LINES_AT_ONCE == 0)
			let_console_print();
	}
	let_console_print();
	return true;
}

/*
 * Find out what is to be printed; the caller owns the dump and has closed the gate.
 * While others live, our header may be half changed: those in the image say by their
 * CRC that they are not, and one of them always is whole.
 */
static void scan_image(bool live)
{
	const struct jtrace_layout *l = &jtrace.ring.l, *told = &dump.trace.l;

	if (live)
		jtrace_recover_open(&dump.trace, jtrace.setup.region.at, l->size);
	/* It was recorded here, wherever the header is from. */
	dump.trace.known = true;
	if (!live || dump.trace.image_id != jtrace.ring.image_id || told->size != l->size ||
	    told->chunks_off != l->chunks_off || told->nr_chunks != l->nr_chunks)
		jtrace_recover_known(&dump.trace, jtrace.setup.region.at, &jtrace.setup.header, l);
	jtrace_recover_scan(&dump.trace, jtrace.setup.dump_room);
	jtrace_text_limit(&dump.text, &dump.trace, jtrace_panic_most(),
			  jtrace.setup.config.panic_lines < 0 ? log_budget() : 0,
			  dump.line, sizeof(dump.line));
}

/* console_verbose() would respect a level of 0. */
static int raise_loglevel(void)
{
	int loglevel = console_loglevel;

	console_loglevel = CONSOLE_LOGLEVEL_MOTORMOUTH;
	return loglevel;
}

/*
 * Dump the live buffer and go on; do nothing if a dump is under way.
 * @level: what oops_in_progress is; what raises it goes first.
 */
static void dump_live(int level, bool can_sleep)
{
	int loglevel;

	if (cmpxchg(&dump.owner, NULL, current))
		return;
	dump.can_sleep = can_sleep;
	jtrace_freeze_for_dump();
	scan_image(true);
	loglevel = raise_loglevel();
	if (!print_lines(level))
		printk(KERN_ALERT "JTRACE: dump ended early: an oops or a panic goes first\n");
	console_loglevel = loglevel;
	jtrace_thaw_after_dump();
	release_dump();
}

/* For good.  A dump that was under way, here or elsewhere, is dead. */
static void panic_begin(const char *reason)
{
	dump.stage = STAGE_SEAL;
	dump.can_sleep = false;
	jtrace_gate_close();
	WRITE_ONCE(dump.owner, ERR_PTR(-EBUSY));
	jtrace_seal(JTRACE_STATE_PANICKED, reason);
}

/* What comes after sealing, whether or not that succeeded. */
static void print_trace(void)
{
	if (dump.stage == STAGE_DONE || dump.again)
		return;
	if (dump.stage == STAGE_SEAL) {
		dump.stage = STAGE_SCAN;
		scan_image(false);
	} else {
		dump.again = true;
		printk(KERN_ALERT "JTRACE: another panic interrupted the dump, which continues\n");
		if (dump.stage == STAGE_SCAN) {
			printk(KERN_ALERT "JTRACE: the trace cannot be read\n");
			return;
		}
	}
	dump.stage = STAGE_PRINT;
	raise_loglevel();
	print_lines(INT_MAX);
	dump.stage = STAGE_DONE;
}

/* Before our dumper is registered, in early boot, there is no other one to wait for. */
static int panic_call(struct notifier_block *nb, unsigned long action, void *reason)
{
	if (dump.stage == STAGE_NONE)
		panic_begin(reason);
	if (!READ_ONCE(has_dumper))
		print_trace();
	return NOTIFY_DONE;
}

/*
 * Another dumper follows: may it save the log before we print?  Not from an NMI, as no one
 * flushes to the console what is printed there at the restart.  Not a second time.
 */
static bool can_wait(bool last)
{
	return dump.stage == STAGE_SEAL && panic_timeout && !in_nmi() &&
	       !last;
}

/**
 * jtrace_panic_log_saved() - the kernel calls its dumpers, of which ours is one
 * @reason: a panic, or later a restart without a shutdown
 * @last: is ours the last one?
 *
 * Prints the trace, unless another dumper is to save the log before.  The restart is then the
 * next chance.
 *
 * Context: Any.
 */
void jtrace_panic_log_saved(enum kmsg_dump_reason reason, bool last)
{
	if (reason == KMSG_DUMP_EMERG && dump.stage == STAGE_SEAL)
		print_trace();
	if (reason != KMSG_DUMP_PANIC)
		return;
	if (dump.stage == STAGE_NONE)
		panic_begin(NULL);
	if (!can_wait(last))
		print_trace();
}

/**
 * jtrace_panic_set_dumper() - is our dumper registered, to be called after the notifiers?
 * @registered: which
 *
 * Context: Process.
 */
void jtrace_panic_set_dumper(bool registered)
{
	WRITE_ONCE(has_dumper, registered);
}

static struct notifier_block panic_nb = {
	.notifier_call = panic_call,
	.priority = INT_MAX,
};

/*
 * The oops that is being dealt with.  @task dies of it, and is held; NULL: there is none.
 * A panic that comes of it comes before the task exits.
 */
static struct {
	struct task_struct *task;
	bool sealed;
	struct irq_work irq_work;
	struct work_struct work;
} oops;

/* Will this oops panic, whatever panic_on_oops is?  Then in these words. */
static const char *reason_if_fatal(void)
{
	if (in_interrupt())
		return "Fatal exception in interrupt";
	if (!current->pid)
		return "Attempted to kill the idle task!";
	if (is_global_init(current) && thread_group_empty(current))
		return "Attempted to kill init!";
	return NULL;
}

/* Its interrupts are off, so that who clears has written the header, or waits for us. */
static bool seal_fatal(const char *words)
{
	if (!words || dump.stage != STAGE_NONE || mutex_is_locked(&jtrace.lock))
		return false;
	jtrace_seal(JTRACE_STATE_PANICKED, words);
	return true;
}

static int die_call(struct notifier_block *nb, unsigned long event, void *data)
{
	bool sealed;

	if (event != DIE_OOPS)
		return NOTIFY_DONE;
	/* The kernel lets one CPU at a time come here. */
	if (jtrace_slow_abandon(raw_cpu_ptr(&jtrace_cpus)))
		WRITE_ONCE(jtrace.unfinished, jtrace.unfinished + 1);
	jtrace_freeze_for_oops();
	if (release_dump())
		jtrace_dump_died();
	sealed = seal_fatal(reason_if_fatal());
	if (sealed)
		WRITE_ONCE(oops.sealed, true);
	if (!sealed && !jtrace.setup.config.dump_on_oops)
		return NOTIFY_DONE;
	get_task_struct(current);
	if (cmpxchg(&oops.task, NULL, current))
		put_task_struct(current);
	else
		irq_work_queue(&oops.irq_work);
	return NOTIFY_DONE;
}

/* A lock of the workqueues may be held by who dies, so that the notifier must not ask. */
static void oops_irq_work(struct irq_work *unused)
{
	queue_work(jtrace_unbound_wq, &oops.work);
}

static bool oops_is_over(const struct task_struct *task, unsigned long until)
{
	return READ_ONCE(task->flags) & PF_EXITING || time_after(jiffies, until);
}

/* The machine lives on. */
static void oops_work(struct work_struct *unused)
{
	unsigned long until = jiffies + JTRACE_FREEZE_TIME;
	struct task_struct *task = READ_ONCE(oops.task);

	if (!task)
		return;
	while (!oops_is_over(task, until))
		msleep(20);
	WRITE_ONCE(oops.task, NULL);
	put_task_struct(task);
	if (xchg(&oops.sealed, false) && dump.stage == STAGE_NONE) {
		mutex_lock(&jtrace.lock);
		jtrace_seal(JTRACE_STATE_RUNNING, NULL);
		mutex_unlock(&jtrace.lock);
	}
	if (jtrace.setup.config.dump_on_oops)
		dump_live(jtrace_level_at_rest(), true);
}

static struct notifier_block die_nb = {
	.notifier_call = die_call,
	.priority = INT_MAX,
};

static void sysrq_call(jtrace_sysrq_key_t key)
{
	if (jtrace_oops_in_progress())
		printk(KERN_ALERT "JTRACE: no dump while an oops or a panic is printed\n");
	else
		dump_live(jtrace_level_at_rest(), false);
}

static const struct sysrq_key_op sysrq_op = {
	.handler = sysrq_call,
	.help_msg = "jtrace(y)",
	.action_msg = "Show jtrace",
	.enable_mask = SYSRQ_ENABLE_LOG,
};

/**
 * jtrace_panic_hold() - wait for a dump that is under way, and let none begin
 *
 * A panic does not ask.
 *
 * Context: Process.
 */
void jtrace_panic_hold(void)
{
	while (cmpxchg(&dump.owner, NULL, current))
		msleep(20);
}

/**
 * jtrace_panic_release() - undo jtrace_panic_hold()
 */
void jtrace_panic_release(void)
{
	release_dump();
}

/**
 * jtrace_panic_init() - be there when the kernel dies
 */
void jtrace_panic_init(void)
{
	jtrace_freeze_init();
	oops.irq_work = IRQ_WORK_INIT_HARD(oops_irq_work);
	INIT_WORK(&oops.work, oops_work);
	atomic_notifier_chain_register(&panic_notifier_list, &panic_nb);
	register_die_notifier(&die_nb);
	if (IS_ENABLED(CONFIG_MAGIC_SYSRQ) && register_sysrq_key(SYSRQ_KEY, &sysrq_op))
		pr_warn("SysRq key %c is taken: no dump by SysRq\n", SYSRQ_KEY);
}

/**
 * jtrace_panic_exit() - undo jtrace_panic_init()
 */
void jtrace_panic_exit(void)
{
	unregister_sysrq_key(SYSRQ_KEY, &sysrq_op);
	unregister_die_notifier(&die_nb);
	irq_work_sync(&oops.irq_work);
	flush_work(&oops.work);
	atomic_notifier_chain_unregister(&panic_notifier_list, &panic_nb);
}
