// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: panic
 *
 * The trace on the console: in a panic, on an oops, on a SysRq key.
 *
 * Other CPUs may be stopped at any instruction with any lock held, so nothing
 * here takes a lock, allocates or waits.  The image is read where it lies.
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
#include <linux/hardirq.h>
#include <linux/jiffies.h>
#include <linux/kdebug.h>
#include <linux/nmi.h>
#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/debug.h>
#include <linux/sysrq.h>

#include "include/jtrace/internal.h"
#include "lib/render.h"

/* 'y': free on all 64-bit architectures but sparc64. */
#define SYSRQ_KEY		'y'

/* The console gets its chance, and watchdogs their due, each so many lines. */
#define LINES_AT_ONCE		8

/* Bytes that a line costs in the kernel log beside its text, at the least. */
#define LOG_LINE_EXTRA		8

/* Shortest lines there are: "[   0.000000000][cpu 0] : 00000000 : ..." */
#define SHORTEST_SMALL		56
#define SHORTEST_LARGE		140

/* An oops that is over gives a panic that follows so long to begin. */
#define FREEZE_TIME		(2 * HZ)

/* How far a panic came. */
enum stage {
	STAGE_NONE,
	STAGE_SEAL,
	STAGE_SCAN,
	STAGE_PRINT,
	STAGE_DONE,
};

/*
 * The one dump that can be under way.  @memory was allocated when the module was
 * loaded.  Who gets @busy owns the rest; a panic takes it.  @next: line
 * to be printed.
 */
static struct {
	atomic_t busy;
	enum stage stage;
	bool again;
	struct jtrace_trace trace;
	struct jtrace_dump memory;
	u64 next;
	struct jtrace_memo memo;
	char line[JTRACE_LINE_MAX];
} dump;

/*
 * The oops that was dumped, in case that it panics: then once is enough.  The
 * task is known by its start too, as its memory may be another task's by then.
 */
static struct {
	struct task_struct *task;
	u64 start;
	unsigned long when;
} dumped_oops;

/* An oops was dumped a moment ago. */
static notrace bool dumped_lately(void)
{
	return dumped_oops.task && time_before(jiffies, dumped_oops.when + FREEZE_TIME);
}

static bool oops_was_dumped(void)
{
	return dumped_lately() && dumped_oops.task == current &&
	       dumped_oops.start == current->start_boottime;
}

/* The log buffer of which a dump takes half; log_buf_len= may make it larger. */
static u64 log_budget(void)
{
	return (1ULL << CONFIG_LOG_BUF_SHIFT) / 2;
}

/**
 * jtrace_panic_most() - most entries that a dump on the console may print
 * @c: parameters
 * @l: geometry of the image
 *
 * Return: a bound; what fits in the log buffer depends on the lines.
 */
u32 jtrace_panic_most(const struct jtrace_config *c, const struct jtrace_layout *l)
{
	u64 entries = jtrace_layout_entries(l);
	int lines = c->panic_lines;

	if (lines > 0)
		return min_t(u64, entries, lines);
	if (!lines)
		return entries;
	return min(entries, log_budget() / (l->kind == JTRACE_KIND_LARGE ?
					    SHORTEST_LARGE : SHORTEST_SMALL));
}

/* Leave out the oldest entries until the text fits in half the log buffer. */
static void fit_log(struct jtrace_trace *t)
{
	struct jtrace_keys *k = &t->entries;
	u64 lines = jtrace_render_lines(t), left = log_budget();
	u64 i, kept = 0;
	int len;

	for (i = lines; i-- > 0; ) {
		len = jtrace_render_line(t, &dump.memo, i, dump.line, sizeof(dump.line));
		if (len < 0)
			continue;
		if (len + LOG_LINE_EXTRA > left)
			break;
		left -= len + LOG_LINE_EXTRA;
		kept++;
	}
	if (kept == lines)
		return;
	/* At least one entry, so that the text keeps its form. */
	kept = min_t(u64, lines - kept, k->nr ? k->nr - 1 : 0);
	k->key += kept;
	k->nr -= kept;
}

/* Let the console, if it can be had, print what is in the log. */
static void breathe(void)
{
	touch_nmi_watchdog();
	/* The console's semaphore is not safe in an NMI: panic() flushes later. */
	if (!in_nmi() && !dump.again && console_trylock())
		console_unlock();
}

/* Until an oops or a panic raises oops_in_progress over @level: false then. */
static bool print_lines(const struct jtrace_trace *t, int level)
{
	u64 i, lines = jtrace_render_lines(t);

	while (dump.next < lines) {
		if (READ_ONCE(oops_in_progress) > level)
			return false;
		i = dump.next++;
		if (jtrace_render_line(t, &dump.memo, i, dump.line, sizeof(dump.line)) < 0)
			continue;
		printk(KERN_ALERT "%s\n", dump.line);
		if (i % LINES_AT_ONCE == LINES_AT_ONCE - 1)
			breathe();
	}
	breathe();
	return true;
}

/*
 * Find out what is to be printed; the caller owns the dump and has closed the gate.
 * While others live, our header may be half changed: those in the image say by their
 * CRC that they are not, and one of them always is whole.
 */
static void scan(bool live)
{
	const struct jtrace_layout *l = &jtrace.ring.l, *told = &dump.trace.l;

	if (live)
		jtrace_recover_open(&dump.trace, jtrace.region.at, l->size);
	if (!live || dump.trace.image_id != jtrace.ring.image_id || told->size != l->size ||
	    told->chunks_off != l->chunks_off || told->nr_chunks != l->nr_chunks)
		jtrace_recover_known(&dump.trace, jtrace.region.at, &jtrace.header, l);
	jtrace_recover_scan(&dump.trace, dump.memory.room, dump.memory.most);
	memset(&dump.memo, 0, sizeof(dump.memo));
	if (jtrace.config.panic_lines < 0)
		fit_log(&dump.trace);
	dump.next = 0;
}

/* console_verbose() would respect a level of 0. */
static int be_loud(void)
{
	int loglevel = console_loglevel;

	console_loglevel = CONSOLE_LOGLEVEL_MOTORMOUTH;
	return loglevel;
}

/*
 * Dump the live buffer and go on; false, and nothing, if a dump is under way.
 * @level: what oops_in_progress is; what raises it goes first.
 */
static bool dump_live(int level)
{
	int loglevel;

	if (atomic_xchg(&dump.busy, 1))
		return false;
	jtrace_ring_gate_close(&jtrace.ring);
	scan(true);
	loglevel = be_loud();
	if (!print_lines(&dump.trace, level))
		printk(KERN_ALERT "JTRACE: cut short: an oops or a panic goes first\n");
	console_loglevel = loglevel;
	jtrace_ring_gate_open(&jtrace.ring);
	atomic_set_release(&dump.busy, 0);	/* pairs with the xchg of the next dump */
	return true;
}

/* What comes after sealing, whether or not that succeeded. */
static void panic_dump(void)
{
	if (dump.stage == STAGE_SEAL) {
		dump.stage = STAGE_SCAN;
		scan(false);
	} else if (dump.stage == STAGE_SCAN) {
		printk(KERN_ALERT "JTRACE: the trace cannot be read\n");
		return;
	}
	dump.stage = STAGE_PRINT;
	be_loud();
	print_lines(&dump.trace, INT_MAX);
	dump.stage = STAGE_DONE;
}

static int panic_call(struct notifier_block *nb, unsigned long action, void *reason)
{
	switch (dump.stage) {
	case STAGE_DONE:
		return NOTIFY_DONE;
	case STAGE_NONE:
		dump.stage = STAGE_SEAL;
		/* For good.  A dump that was under way here or elsewhere is dead. */
		jtrace_ring_gate_close(&jtrace.ring);
		atomic_set(&dump.busy, 1);
		jtrace_seal(JTRACE_STATE_PANICKED, reason);
		break;
	default:
		if (dump.again)
			return NOTIFY_DONE;
		dump.again = true;
		printk(KERN_ALERT "JTRACE: interrupted by another panic, goes on\n");
	}
	if (dump.stage == STAGE_SEAL && oops_was_dumped()) {
		printk(KERN_ALERT "JTRACE: the trace was printed with the oops\n");
		dump.stage = STAGE_DONE;
		return NOTIFY_DONE;
	}
	panic_dump();
	return NOTIFY_DONE;
}

static struct notifier_block panic_nb = {
	.notifier_call = panic_call,
	.priority = INT_MAX,
};

/*
 * The freeze: while an oops or a panic is printed, and until an oops has
 * panicked or has had the time to, the gate is closed.  Printing takes a while,
 * in which other CPUs would overwrite what led to it.
 */
static unsigned long frozen_until;

/*
 * What oops_in_progress is while there is none: on arm64 it stays one higher
 * after each fault that was survived, as the task dies between the two
 * bust_spinlocks(0) that are due.
 */
static int oops_at_rest;

static notrace bool oops_goes_on(void)
{
	int level = READ_ONCE(oops_in_progress);

	if (likely(level == READ_ONCE(oops_at_rest)))
		return false;
	if (level > READ_ONCE(oops_at_rest))
		return true;
	WRITE_ONCE(oops_at_rest, level);
	return false;
}

static notrace void freeze(void)
{
	if (!xchg(&frozen_until, (jiffies + FREEZE_TIME) | 1))
		jtrace_ring_gate_close(&jtrace.ring);
}

static notrace void thaw(unsigned long until)
{
	if (cmpxchg(&frozen_until, until, 0) == until)
		jtrace_ring_gate_open(&jtrace.ring);
}

/**
 * jtrace_freeze_or_thaw() - close the gate in an oops, open it when it is over
 *
 * Called before a claim: notifiers come when all has been printed.
 *
 * Context: Any.
 */
notrace void jtrace_freeze_or_thaw(void)
{
	unsigned long until = READ_ONCE(frozen_until);

	if (unlikely(oops_goes_on())) {
		if (!dumped_lately())
			freeze();
		return;
	}
	if (unlikely(until) && time_after(jiffies, until))
		thaw(until);
}

/* Will this oops panic whatever panic_on_oops is? */
static bool oops_is_fatal(void)
{
	return in_interrupt() || !current->pid || is_global_init(current);
}

static int die_call(struct notifier_block *nb, unsigned long event, void *data)
{
	unsigned long until;

	if (event != DIE_OOPS)
		return NOTIFY_DONE;
	/* This oops will undo one. */
	WRITE_ONCE(oops_at_rest, max(oops_in_progress - 1, 0));
	if (!jtrace.config.dump_on_oops || oops_is_fatal() || !dump_live(oops_in_progress)) {
		freeze();
		return NOTIFY_DONE;
	}
	dumped_oops.when = jiffies;
	dumped_oops.start = current->start_boottime;
	dumped_oops.task = current;
	/* The story is told: go on. */
	until = READ_ONCE(frozen_until);
	if (until)
		thaw(until);
	return NOTIFY_DONE;
}

static struct notifier_block die_nb = {
	.notifier_call = die_call,
	.priority = INT_MAX,
};

static void sysrq_call(jtrace_sysrq_key_t key)
{
	if (oops_goes_on())
		printk(KERN_ALERT "JTRACE: not printed while an oops or a panic is\n");
	else
		dump_live(READ_ONCE(oops_at_rest));
}

static const struct sysrq_key_op sysrq_op = {
	.handler = sysrq_call,
	.help_msg = "jtrace(y)",
	.action_msg = "Show jtrace",
	.enable_mask = SYSRQ_ENABLE_LOG,
};

/**
 * jtrace_panic_prepare() - get the memory that a dump needs
 * @s: its header and layout describe the image that will be
 *
 * Return: 0, or an error after one line that says why.
 */
int jtrace_panic_prepare(struct jtrace_setup *s)
{
	struct jtrace_trace t;

	jtrace_recover_known(&t, NULL, &s->header, &s->l);
	s->dump.most = jtrace_panic_most(&s->config, &s->l);
	s->dump.room = jtrace_alloc(jtrace_recover_room(&t, s->dump.most));
	if (s->dump.room)
		return 0;
	pr_err("panic_lines=%d: no memory for a dump of %u entries\n",
	       s->config.panic_lines, s->dump.most);
	return -ENOMEM;
}

/**
 * jtrace_panic_use() - the memory for dumps from now on
 * @d: memory
 *
 * Context: No dump is under way.
 */
void jtrace_panic_use(const struct jtrace_dump *d)
{
	dump.memory = *d;
}

/**
 * jtrace_panic_hold() - wait for a dump that is under way, and let none begin
 *
 * A panic does not ask.
 *
 * Context: Process.
 */
void jtrace_panic_hold(void)
{
	while (atomic_xchg(&dump.busy, 1))
		msleep(20);
}

/**
 * jtrace_panic_release() - undo jtrace_panic_hold()
 */
void jtrace_panic_release(void)
{
	atomic_set_release(&dump.busy, 0);	/* pairs with the xchg of the next dump */
}

/**
 * jtrace_panic_init() - be there when the kernel dies
 */
void jtrace_panic_init(void)
{
	oops_at_rest = READ_ONCE(oops_in_progress);
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
	atomic_notifier_chain_unregister(&panic_notifier_list, &panic_nb);
}
