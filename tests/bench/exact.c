// SPDX-License-Identifier: GPL-2.0
/*
 * Count the instructions of a loop: of a JTRACE() in a module that loads without jtrace,
 * of its peers, and of the loops that other modules add.
 *
 * QEMU with -icount shift=0 advances the guest's time stamp counter by one for each
 * instruction (of rep, for each round).  So with interrupts disabled, the ticks of a loop
 * minus those of the empty loop are the instructions of its body: the same on any host,
 * under any load.
 *
 * Read /sys/kernel/debug/exact/TABLE/NAME to run a loop.  It gives one line:
 *
 *	EVENTS TOTAL MODE
 *
 * EVENTS rounds took TOTAL instructions.  Of as many single rounds, most took MODE.
 */

#define pr_fmt(fmt) "exact_bench: " fmt
#define JTRACE_OPTIONAL

#include <linux/debugfs.h>
#include <linux/irqflags.h>
#include <linux/jtrace.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/pstore_ram.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/static_call.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>

#include "exact.h"

#define CREATE_TRACE_POINTS
#include "exact_event.h"

JTRACE_CLIENT();

/* Rounds with interrupts disabled: timers and RCU must not wait for long. */
#define BATCH	2048

/* Numbers of instructions of a round that the mode distinguishes. */
#define BINS	65536

static uint events = BATCH;
module_param(events, uint, 0644);
MODULE_PARM_DESC(events, "rounds to measure");

static uint warm = BATCH;
module_param(warm, uint, 0644);
MODULE_PARM_DESC(warm, "rounds to run before these");

/* ramoops.ko exports no function: addresses from /proc/kallsyms. */
static ulong ram[3];
module_param_array(ram, ulong, NULL, 0400);
MODULE_PARM_DESC(ram, "addresses of persistent_ram_new(), _free() and _write()");

static ulong ram_at;
module_param(ram_at, ulong, 0400);
MODULE_PARM_DESC(ram_at, "physical address of 1 MiB of reserved memory; 0: no zone of ramoops");

struct exact_values exact_values = {
	.a = 0x12, .b = 0x3456, .c = 0x789abc, .d = 0xdef01234,
	.e = 0x56789abc, .f = 0xffff888012345678,
};
EXPORT_SYMBOL_GPL(exact_values);

static DEFINE_MUTEX(lock);
static struct dentry *root;

/* ---- Loops ------------------------------------------------------------ */

static struct persistent_ram_zone *zone;
static const char line[64] = "as many bytes as a large entry has";

/* Functions of ramoops.ko; newer headers do not declare them. */
typedef struct persistent_ram_zone *ram_new_t(phys_addr_t start, size_t size, u32 sig,
					      struct persistent_ram_ecc_info *ecc,
					      unsigned int memtype, u32 flags, char *label);
typedef int ram_write_t(struct persistent_ram_zone *prz, const void *s, unsigned int count);
static ram_write_t *ram_write;

/* A direct call, like that of the functions in ramoops.ko. */
DEFINE_STATIC_CALL_NULL(exact_ram_write, *ram_write);

static const struct exact_object exact_object = { .name = "eth0", .e = 0x56789abcdef01234 };

/*
 * A function for probes.  What follows the call of ftrace is an instruction of 5 bytes, so that
 * kprobes can replace it with a jump.
 */
static noinline __noclone u64 exact_function(const struct exact_object *object, u32 a, u32 b,
					     u32 c, u32 d)
{
	u64 result;

	asm volatile("movl $110, %k0" : "=a" (result)
		     : "r" (object), "r" (a), "r" (b), "r" (c), "r" (d) : "memory");
	return result;
}

/* What watchpoints watch. */
extern u32 exact_watched;
u32 exact_watched;

/* Make the compiler load the value into a register. */
static __always_inline void use(u64 value)
{
	asm volatile("" :: "r" (value));
}

EXACT_LOOP(empty, asm volatile("" :: "r" (a), "r" (b), "r" (c), "r" (d), "r" (e), "r" (f)))
EXACT_LOOP(nops100, exact_nops100())
EXACT_LOOP(optional6, JTRACE("exact: six (a, b, c, d, e, f)", a, b, c, d, e, f))
EXACT_LOOP(event, trace_exact_event(a, b, c, d, e, f))
EXACT_LOOP(object, trace_exact_object(&exact_object, a, b, c, d))
EXACT_LOOP(function, use(exact_function(&exact_object, a, b, c, d)))
EXACT_LOOP(write, WRITE_ONCE(exact_watched, a))
EXACT_LOOP(trace_printk_const, trace_printk("exact: a constant\n"))
EXACT_LOOP(trace_printk_args6,
	   trace_printk("exact: %x %x %x %x %llx %llx\n", a, b, c, d, e, f))
EXACT_LOOP(printk_args6, pr_info("%x %x %x %x %llx %llx\n", a, b, c, d, e, f))
EXACT_LOOP(pstore, static_call_cond(exact_ram_write)(zone, line, sizeof(line)))
EXACT_LOOP(mono_fast, use(ktime_get_mono_fast_ns()))

static const struct exact_bench table[] = {
	{ "nops100", nops100 },
	{ "optional6", optional6 },
	{ "event", event },
	{ "object", object },
	{ "function", function },
	{ "write", write },
	{ "trace_printk_const", trace_printk_const },
	{ "trace_printk_args6", trace_printk_args6 },
	{ "printk_args6", printk_args6 },
	{ "pstore", pstore },
	{ "mono_fast", mono_fast },
	{ }
};

/* ---- Counting --------------------------------------------------------- */

/*
 * Wait while a reschedule is pending: each preempt_enable() of the body would call the
 * scheduler, which cannot switch.
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

static u64 count_total(const struct exact_bench *bench, u32 n)
{
	u64 ticks = 0;

	while (n) {
		u32 batch = min_t(u32, n, BATCH);

		ticks += run(bench->loop, batch) - run(empty, batch);
		n -= batch;
	}
	return ticks;
}

static u32 find_mode(const struct exact_bench *bench, u32 n, u32 *bins)
{
	u32 mode = 0;

	for (; n; n--) {
		u64 ticks = run(bench->loop, 1) - run(empty, 1);
		u32 bin = min_t(u64, ticks, BINS - 1);

		bins[bin]++;
		if (bins[bin] > bins[mode])
			mode = bin;
	}
	return mode;
}

static int exact_show(struct seq_file *m, void *v)
{
	const struct exact_bench *bench = m->private;
	u32 *bins;

	bins = vzalloc(BINS * sizeof(*bins));
	if (!bins)
		return -ENOMEM;
	mutex_lock(&lock);
	count_total(bench, warm);
	seq_printf(m, "%u %llu", events, count_total(bench, events));
	seq_printf(m, " %u\n", find_mode(bench, events, bins));
	mutex_unlock(&lock);
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

/* ---- Load and unload -------------------------------------------------- */

static int __init exact_init(void)
{
	ram_new_t *new = (void *)ram[0];
	struct persistent_ram_ecc_info no_ecc = { };

	if (ram_at && ram[0] && ram[1] && ram[2]) {
		/* As ramoops does: write-combined, locked. */
		zone = new(ram_at, 0x100000, 0, &no_ecc, 0, 0, "exact");
		if (IS_ERR(zone))
			return PTR_ERR(zone);
		static_call_update(exact_ram_write, (ram_write_t *)ram[2]);
	}
	root = debugfs_create_dir("exact", NULL);
	exact_add("peers", table);
	return 0;
}

static void __exit exact_exit(void)
{
	void (*free)(struct persistent_ram_zone *prz) = (void *)ram[1];

	debugfs_remove(root);
	if (zone)
		free(zone);
}

module_init(exact_init);
module_exit(exact_exit);

MODULE_DESCRIPTION("Bench: count the instructions that record an event");
MODULE_INFO(test, "Y");
MODULE_LICENSE("GPL");
