// SPDX-License-Identifier: GPL-2.0
/*
 * Count the instructions of a loop, in a machine that has a counter for them.
 *
 * QEMU with -icount shift=0 advances the guest's time stamp counter by one for
 * each instruction (of rep, for each round).  So with interrupts disabled the
 * ticks of a loop less those of the same loop without body are the instructions
 * of the body, and the same ones on any host under any load.  On another machine
 * the figures are those of its counter.
 *
 * Reading /sys/kernel/debug/exact/TABLE/NAME runs a loop and gives one line:
 *
 *	EVENTS TOTAL LEAST MODE OFTEN MOST
 *
 * First EVENTS rounds took TOTAL instructions.  Then as many were measured one by
 * one: between LEAST and MOST, and OFTEN of them the same number, MODE.
 */

#include <linux/debugfs.h>
#include <linux/irqflags.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/vmalloc.h>

#include "exact_loop.h"

/* So many rounds at a time: no timer waits for long, and no RCU. */
#define BATCH	2048

/* Differences that are told from each other. */
#define BINS	65536

static uint events = BATCH;
module_param(events, uint, 0644);
MODULE_PARM_DESC(events, "rounds to be measured");

static uint warm = BATCH;
module_param(warm, uint, 0644);
MODULE_PARM_DESC(warm, "rounds before these that are not");

struct exact_values exact_values = {
	.a = 0x12, .b = 0x3456, .c = 0x789abc, .d = 0xdef01234,
	.e = 0x56789abc, .f = 0xffff888012345678,
};
EXPORT_SYMBOL_GPL(exact_values);

static DEFINE_MUTEX(lock);
static struct dentry *root;

/* The values are in registers, and that is all. */
EXACT_LOOP(empty, asm volatile("" :: "r" (a), "r" (b), "r" (c), "r" (d), "r" (e), "r" (f)))

/*
 * Not while a reschedule is pending: each preempt_enable() of the body would then
 * call the scheduler, in vain.
 */
static u64 run(u64 (*loop)(u32 n), u32 n)
{
	unsigned long flags;
	u64 ticks;

	for (;;) {
		local_irq_save(flags);
		if (!need_resched())
			break;
		local_irq_restore(flags);
		cond_resched();
	}
	ticks = loop(n);
	local_irq_restore(flags);
	return ticks;
}

/* Rounds in batches: what they took more than those of the empty loop. */
static u64 run_many(const struct exact_bench *bench, u32 n)
{
	u64 ticks = 0;

	while (n) {
		u32 batch = min_t(u32, n, BATCH);

		ticks += run(bench->loop, batch) - run(empty, batch);
		n -= batch;
	}
	return ticks;
}

/* Rounds one by one: how often they took how many. */
static void run_each(const struct exact_bench *bench, u32 n, u32 *bins)
{
	for (; n; n--) {
		u64 ticks = run(bench->loop, 1) - run(empty, 1);

		bins[min_t(u64, ticks, BINS - 1)]++;
	}
}

static void show_bins(struct seq_file *m, const u32 *bins)
{
	u32 i, least = BINS, mode = 0, most = 0;

	for (i = 0; i < BINS; i++) {
		if (!bins[i])
			continue;
		least = min(least, i);
		most = i;
		if (bins[i] > bins[mode])
			mode = i;
	}
	seq_printf(m, " %u %u %u %u\n", least, mode, bins[mode], most);
}

static int exact_show(struct seq_file *m, void *v)
{
	const struct exact_bench *bench = m->private;
	u32 *bins;

	bins = vzalloc(BINS * sizeof(*bins));
	if (!bins)
		return -ENOMEM;
	mutex_lock(&lock);
	run_many(bench, warm);
	seq_printf(m, "%u %llu", events, run_many(bench, events));
	run_each(bench, events, bins);
	mutex_unlock(&lock);
	show_bins(m, bins);
	vfree(bins);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(exact);

/**
 * exact_add() - make the files of a table
 * @dir: name of their folder
 * @table: the loops, up to one without a name
 *
 * Return: the folder, for debugfs_remove(), which also waits for readers.
 */
struct dentry *exact_add(const char *dir, const struct exact_bench *table)
{
	struct dentry *d = debugfs_create_dir(dir, root);

	for (; table->name; table++)
		debugfs_create_file(table->name, 0400, d, (void *)table, &exact_fops);
	return d;
}
EXPORT_SYMBOL_GPL(exact_add);

static int __init exact_loop_init(void)
{
	root = debugfs_create_dir("exact", NULL);
	return PTR_ERR_OR_ZERO(root);
}

static void __exit exact_loop_exit(void)
{
	debugfs_remove(root);
}

module_init(exact_loop_init);
module_exit(exact_loop_exit);

MODULE_DESCRIPTION("Bench: count the instructions of a loop");
MODULE_INFO(test, "Y");
MODULE_LICENSE("GPL");
