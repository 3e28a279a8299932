// SPDX-License-Identifier: GPL-2.0
/*
 * What else a developer could write where a JTRACE() is, and clocks, in loops
 * whose instructions are counted.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/pstore_ram.h>
#include <linux/sched/clock.h>
#include <linux/static_call.h>
#include <linux/timekeeping.h>

#include "exact_loop.h"

#define CREATE_TRACE_POINTS
#include "exact_event.h"

/*
 * ramoops.ko exports no function: their addresses, of /proc/kallsyms, and 2 * ZONE
 * bytes of memory that nobody uses.
 */
static ulong ram_new;
module_param(ram_new, ulong, 0400);
MODULE_PARM_DESC(ram_new, "address of persistent_ram_new()");

static ulong ram_free;
module_param(ram_free, ulong, 0400);
MODULE_PARM_DESC(ram_free, "address of persistent_ram_free()");

static ulong ram_write;
module_param(ram_write, ulong, 0400);
MODULE_PARM_DESC(ram_write, "address of persistent_ram_write()");

static ulong ram_at;
module_param(ram_at, ulong, 0400);
MODULE_PARM_DESC(ram_at, "physical address for two zones of 1 MiB; none: no zones");

#define ZONE	0x100000

static struct persistent_ram_zone *zone, *zone_ecc;

/* A direct call, as the functions of ramoops.ko call it. */
DEFINE_STATIC_CALL_NULL(exact_ram_write, persistent_ram_write);

static const char line[64] = "as many bytes as a large entry has";

EXACT_LOOP(nops100, exact_nops100())

EXACT_LOOP(event, trace_exact_event(a, b, c, d, e, f))
EXACT_LOOP(trace_printk_const, trace_printk("exact: a constant\n"))
EXACT_LOOP(trace_printk_args6,
	   trace_printk("exact: %x %x %x %x %llx %llx\n", a, b, c, d, e, f))
EXACT_LOOP(printk_const, pr_info("a constant\n"))
EXACT_LOOP(printk_args6, pr_info("%x %x %x %x %llx %llx\n", a, b, c, d, e, f))
EXACT_LOOP(pstore, static_call_cond(exact_ram_write)(zone, line, sizeof(line)))
EXACT_LOOP(pstore_ecc, static_call_cond(exact_ram_write)(zone_ecc, line, sizeof(line)))

/* The value is in a register, and that is all. */
static __always_inline void use(u64 value)
{
	asm volatile("" :: "r" (value));
}

EXACT_LOOP(mono_fast, use(ktime_get_mono_fast_ns()))
EXACT_LOOP(boot_fast, use(ktime_get_boot_fast_ns()))
EXACT_LOOP(clock_local, use(local_clock()))
EXACT_LOOP(counter, use(rdtsc()))

static const struct exact_bench table[] = {
	{ "nops100", nops100 },
	{ "event", event },
	{ "trace_printk_const", trace_printk_const },
	{ "trace_printk_args6", trace_printk_args6 },
	{ "printk_const", printk_const },
	{ "printk_args6", printk_args6 },
	{ "mono_fast", mono_fast },
	{ "boot_fast", boot_fast },
	{ "local_clock", clock_local },
	{ "rdtsc", counter },
	{ }
};

static const struct exact_bench pstore_table[] = {
	{ "write64", pstore },
	{ "write64_ecc", pstore_ecc },
	{ }
};

static struct dentry *dir, *pstore_dir;

static void zones_free(void)
{
	void (*free)(struct persistent_ram_zone *prz) = (void *)ram_free;

	if (!IS_ERR_OR_NULL(zone))
		free(zone);
	if (!IS_ERR_OR_NULL(zone_ecc))
		free(zone_ecc);
}

/* As ramoops makes them: write-combined, locked; with ecc=1, 16 bytes for 128. */
static int zones_new(void)
{
	typeof(persistent_ram_new) *new = (void *)ram_new;
	struct persistent_ram_ecc_info none = { }, ecc = { .ecc_size = 16 };

	if (!ram_new || !ram_free || !ram_write)
		return -EINVAL;
	zone = new(ram_at, ZONE, 0, &none, 0, 0, "exact");
	zone_ecc = new(ram_at + ZONE, ZONE, 0, &ecc, 0, 0, "exact-ecc");
	if (IS_ERR_OR_NULL(zone) || IS_ERR_OR_NULL(zone_ecc)) {
		zones_free();
		return -ENOMEM;
	}
	static_call_update(exact_ram_write, (typeof(persistent_ram_write) *)ram_write);
	return 0;
}

static int __init exact_peers_init(void)
{
	int err;

	if (ram_at) {
		err = zones_new();
		if (err)
			return err;
		pstore_dir = exact_add("pstore", pstore_table);
	}
	dir = exact_add("peers", table);
	return 0;
}

static void __exit exact_peers_exit(void)
{
	debugfs_remove(dir);
	debugfs_remove(pstore_dir);
	zones_free();
}

module_init(exact_peers_init);
module_exit(exact_peers_exit);

MODULE_DESCRIPTION("Bench: the instructions of other ways to record an event");
MODULE_INFO(test, "Y");
MODULE_LICENSE("GPL");
