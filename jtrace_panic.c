// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: panic
 *
 * jtrace prints the trace on the console in a panic, after an oops and on a SysRq key.
 *
 * The kernel's own report goes first, on the console and in the log that dumpers save (pstore
 * keeps the last few KiB).  A panic calls its notifiers before it saves the log: our notifier
 * closes the gate and seals the image.  Our dumper (jtrace_dumper.c) prints the trace after the
 * others have saved the log.  If another dumper follows, we print when the machine restarts,
 * because dumpers are called again then.  We do not wait if the machine never restarts
 * (panic_timeout is 0), or in an NMI.  A work item dumps an oops, once the task exits: no panic
 * can come of the oops then.
 *
 * Another notifier, such as pvpanic's, may end the machine.  So an oops that will panic seals the
 * image at once.
 *
 * Other CPUs may be stopped at any instruction with any lock held.  So nothing here takes a
 * lock, allocates or waits in a panic or an oops.  The dump reads the image in place.
 *
 * A CPU in an NMI is not stopped, and goes on printing and recording.  The gate limits what it
 * can overwrite.
 *
 * Other CPUs still run while the first lines of a panic are printed.  A SysRq dump on one of
 * them could fill the log faster than the console empties it, and push those lines out.  So a
 * SysRq dump ends, and none begins, while an oops or a panic is printed.
 *
 * The dump itself may fault, most likely in a console driver, and panic again on the same CPU.
 * The second time, the dump continues after the step that failed: the header that could not be
 * written stays as it is, and the line that killed the driver is in the log.  The kernel prints
 * the log at the end of the panic; only then is the console used again.  The third time, the dump
 * does nothing, so that the panic ends.
 *
 * In a panic we use the header in ordinary memory.  The image may have lost its header, or be in
 * memory that cannot be written any more.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/console.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hardirq.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/jtrace.h>
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

#include "jtrace_internal.h"
#include "jtrace_slow.h"
#include "lib/read/render.h"

/* 'y': free on all 64-bit architectures but sparc64. */
#define SYSRQ_KEY		'y'

/* Let the console print and touch the watchdogs after so many lines. */
#define LINES_AT_ONCE		8

/* Bytes of the shortest lines: "[   0.000000000][cpu 0] : 00000000 : ..." */
#define SHORTEST_SMALL		56
#define SHORTEST_LARGE		140

/* The step that a panic has reached. */
enum stage {
	STAGE_NONE,
	STAGE_SEAL,
	STAGE_SCAN,
	STAGE_PRINT,
	STAGE_DONE,
};

/*
 * The one dump that can be under way.  The task that sets @owner owns the other fields and the
 * setup's dump_room until it is done or dies.  A panic takes them for good.
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

/* A dump may fill half of the log buffer; log_buf_len= may make the buffer larger. */
static u64 log_budget(void)
{
	return (1ULL << CONFIG_LOG_BUF_SHIFT) / 2;
}

/**
 * jtrace_panic_most() - maximum number of entries that a dump prints
 *
 * Return: an upper bound, because lines differ in length.
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

/*
 * Flush the log if the console lock is free.  We never release a lock that another context took:
 * that wakes who waits for it, and a stopped CPU may hold a lock of the scheduler.
 */
static void let_console_print(void)
{
	touch_nmi_watchdog();
	/* The console's semaphore is not safe in an NMI: panic() flushes later. */
	if (!in_nmi() && !dump.again && console_trylock())
		console_unlock();
	/* Without kernel preemption, RCU waits for this CPU. */
	if (dump.can_sleep)
		cond_resched();
}

/* Return false if an oops or a panic raises oops_in_progress above @level. */
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
 * Scan the image and choose the entries to print.  The caller owns the dump and has closed the
 * gate.  If other CPUs run (@live), our header may be half changed.  Use the headers in the
 * image then: each has a CRC, and one of the two is always whole.
 */
static void scan_image(bool live)
{
	const struct jtrace_layout *l = &jtrace.ring.l, *told = &dump.trace.l;

	if (live)
		jtrace_recover_open(&dump.trace, jtrace.setup.region.at, l->size);
	/* This kernel recorded the image, whichever header is used. */
	dump.trace.known = true;
	if (!live || dump.trace.image_id != jtrace.ring.image_id || told->size != l->size ||
	    told->chunks_off != l->chunks_off || told->nr_chunks != l->nr_chunks)
		jtrace_recover_known(&dump.trace, jtrace.setup.region.at, &jtrace.setup.header, l);
	jtrace_recover_scan(&dump.trace, jtrace.setup.dump_room);
	jtrace_text_limit(&dump.text, &dump.trace, jtrace_panic_most(),
			  jtrace.setup.config.panic_lines < 0 ? log_budget() : 0,
			  dump.line, sizeof(dump.line));
}

/* console_verbose() would keep a level of 0. */
static int raise_loglevel(void)
{
	int loglevel = console_loglevel;

	console_loglevel = CONSOLE_LOGLEVEL_MOTORMOUTH;
	return loglevel;
}

/* Dump the live buffer; end early if an oops or a panic raises oops_in_progress above @level. */
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
	if (jtrace_thaw_after_dump())
		jtrace_record_thaw();
	release_dump();
}

/* Take the dump for good.  A dump that was under way on any CPU is dead. */
static void take_dump(enum stage stage)
{
	dump.stage = stage;
	dump.can_sleep = false;
	jtrace_gate_close();
	WRITE_ONCE(dump.owner, ERR_PTR(-EBUSY));
}

static void panic_begin(const char *reason)
{
	take_dump(STAGE_SEAL);
	jtrace_seal(JTRACE_STATE_PANICKED, reason);
	jtrace_klog_save(KMSG_DUMP_PANIC);
}

/* Continue after the step that the panic has reached, even if that step failed. */
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

/* In early boot our dumper is not registered yet: print at once. */
static int panic_call(struct notifier_block *nb, unsigned long action, void *reason)
{
	if (dump.stage == STAGE_NONE)
		panic_begin(reason);
	if (!READ_ONCE(has_dumper))
		print_trace();
	return NOTIFY_DONE;
}

/*
 * Can the dumpers after ours save the log before we print?  Not in an NMI: nothing would flush the
 * lines printed at the restart to the console.  Not a second time.
 */
static bool can_wait(bool last)
{
	return dump.stage == STAGE_SEAL && panic_timeout && !in_nmi() &&
	       !last;
}

/**
 * jtrace_panic_log_saved() - print the trace when the kernel calls our dumper
 * @reason: a panic, or a restart without a shutdown
 * @last: no dumper is called after ours
 *
 * If another dumper saves the log after ours, waits for the restart.  From Linux 6.6 on
 * (eacb04ff3c5b), console_flush_on_panic() does not release the console lock.  If the task that
 * panicked holds it, the lines printed at the restart stay in the log.
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
 * jtrace_panic_set_dumper() - report whether our dumper is registered
 * @registered: the kernel calls it after the notifiers
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
 * The current oops, which kills @task; NULL if there is none.  We hold a reference to @task.
 * If the oops causes a panic, that begins before @task exits.  @busy: our notifier runs; it stays
 * set if an oops in it kills the task.
 */
static struct {
	struct task_struct *task;
	bool busy;
	bool sealed;
	struct irq_work irq_work;
	struct work_struct work;
} oops;

/* The words of the panic that this oops causes whatever panic_on_oops is, or NULL. */
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

/* Interrupts are off here: jtrace_clear() has written the header, or waits for this CPU. */
static bool seal_fatal(const char *words)
{
	if (!words || dump.stage != STAGE_NONE || mutex_is_locked(&jtrace.lock))
		return false;
	jtrace_seal(JTRACE_STATE_PANICKED, words);
	return true;
}

/* The kernel lets one CPU at a time call this. */
static void note_oops(void)
{
	bool sealed;

	if (jtrace_slow_abandon(raw_cpu_ptr(&jtrace_cpus)))
		WRITE_ONCE(jtrace.unfinished, jtrace.unfinished + 1);
	jtrace_stack_abandon();
	if (jtrace.setup.config.stop_on & JTRACE_STOP_OOPS)
		jtrace_stop("oops");
	jtrace_freeze_for_oops();
	if (release_dump())
		jtrace_dump_died();
	jtrace_klog_abandon();
	sealed = seal_fatal(reason_if_fatal());
	if (sealed)
		WRITE_ONCE(oops.sealed, true);
	if (!sealed && !jtrace.setup.config.dump_on_oops)
		return;
	get_task_struct(current);
	if (cmpxchg(&oops.task, NULL, current))
		put_task_struct(current);
	else
		irq_work_queue(&oops.irq_work);
}

/*
 * note_oops() has oopsed.  Touch the image no more: after an oops within an oops, x86 kernels may
 * wait for their own lock forever at the next one.
 */
static void give_up(void)
{
	printk(KERN_ALERT "JTRACE: an oops in jtrace itself: no trace is printed\n");
	take_dump(STAGE_DONE);
	jtrace_klog_off();
}

static int die_call(struct notifier_block *nb, unsigned long event, void *data)
{
	if (event != DIE_OOPS)
		return NOTIFY_DONE;
	if (oops.busy) {
		give_up();
		return NOTIFY_DONE;
	}
	oops.busy = true;
	note_oops();
	oops.busy = false;
	return NOTIFY_DONE;
}

/* The dying task may hold a workqueue lock, so the notifier cannot queue the work itself. */
static void oops_irq_work(struct irq_work *unused)
{
	queue_work(jtrace_unbound_wq, &oops.work);
}

static bool oops_is_over(const struct task_struct *task, unsigned long until)
{
	return READ_ONCE(task->flags) & PF_EXITING || time_after(jiffies, until);
}

/* The oops did not panic: undo the seal, and dump. */
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
	static unsigned long refused;

	if (!jtrace_oops_in_progress()) {
		WRITE_ONCE(refused, 0);
		dump_live(jtrace_level_at_rest(), false);
	} else if (!xchg(&refused, 1)) {
		/* Once: a key that is held down must not push the oops out of the log. */
		printk(KERN_ALERT "JTRACE: no dump while an oops or a panic is printed\n");
	}
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
 * A panic ignores this.
 *
 * Context: Process.
 */
void jtrace_panic_hold(void)
{
	while (cmpxchg(&dump.owner, NULL, current))
		msleep(20);
}

void jtrace_panic_release(void)
{
	release_dump();
}

/* Dump the trace from now on when the kernel dies. */
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

void jtrace_panic_exit(void)
{
	unregister_sysrq_key(SYSRQ_KEY, &sysrq_op);
	unregister_die_notifier(&die_nb);
	irq_work_sync(&oops.irq_work);
	flush_work(&oops.work);
	atomic_notifier_chain_unregister(&panic_notifier_list, &panic_nb);
}
