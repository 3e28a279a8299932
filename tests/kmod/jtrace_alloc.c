// SPDX-License-Identifier: GPL-2.0
/*
 * Allocations that fail, one to write to, and a report of an error: for the ready-made probes.  See
 * tests/selftests/presets.sh.
 */

#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <trace/events/error_report.h>

#include "kmod.h"

/* Each fails silently, and kills no task. */
#define FLAGS	(GFP_KERNEL | __GFP_NOWARN | __GFP_NORETRY)
#define SIZE	(2 << 20)

/* Not static: the compiler would change their names. */
void jtrace_alloc_pages(struct list_head *got);
void jtrace_alloc_kmalloc(struct list_head *got);
void jtrace_alloc_object(struct list_head *got);
void jtrace_alloc_report(unsigned long address);
void jtrace_alloc_hold(u64 *memory);
void jtrace_alloc_write(u64 value);

static struct kmem_cache *cache;

/* ---- Until one fails -------------------------------------------------- */

noinline void jtrace_alloc_pages(struct list_head *got)
{
	unsigned long pages;

	while ((pages = __get_free_pages(FLAGS, get_order(SIZE))))
		list_add((struct list_head *)pages, got);
}

noinline void jtrace_alloc_kmalloc(struct list_head *got)
{
	struct list_head *memory;

	while ((memory = kmalloc(SIZE, FLAGS)))
		list_add(memory, got);
}

noinline void jtrace_alloc_object(struct list_head *got)
{
	struct list_head *object;

	while ((object = kmem_cache_alloc(cache, FLAGS)))
		list_add(object, got);
}

static int fail_set(const char *val, const struct kernel_param *kp)
{
	struct list_head *at, *next;
	LIST_HEAD(got);

	if (sysfs_streq(val, "pages")) {
		jtrace_alloc_pages(&got);
		list_for_each_safe(at, next, &got)
			free_pages((unsigned long)at, get_order(SIZE));
	} else if (sysfs_streq(val, "kmalloc")) {
		jtrace_alloc_kmalloc(&got);
		list_for_each_safe(at, next, &got)
			kfree(at);
	} else if (sysfs_streq(val, "object")) {
		jtrace_alloc_object(&got);
		list_for_each_safe(at, next, &got)
			kmem_cache_free(cache, at);
	} else {
		return -EINVAL;
	}
	return 0;
}

PARAM_SET(fail, "pages, kmalloc, object: allocate until one fails, then free all");

/* ---- Reports ---------------------------------------------------------- */

/* As KFENCE calls it after a report: not all kernels have it, and a report would be a failure. */
noinline void jtrace_alloc_report(unsigned long address)
{
	trace_error_report_end(ERROR_DETECTOR_KFENCE, address);
	barrier();
}

static int report_set(const char *val, const struct kernel_param *kp)
{
	unsigned long address;
	int err = kstrtoul(val, 0, &address);

	if (!err)
		jtrace_alloc_report(address);
	return err;
}

PARAM_SET(report, "report an error at this address");

/* ---- While it is allocated -------------------------------------------- */

static u64 *held;

noinline void jtrace_alloc_hold(u64 *memory)
{
	held = memory;
	barrier();
}

noinline void jtrace_alloc_write(u64 value)
{
	WRITE_ONCE(*held, value);
}

static int held_set(const char *val, const struct kernel_param *kp)
{
	u64 value;
	int err = kstrtou64(val, 0, &value);

	if (!err)
		jtrace_alloc_write(value);
	return err;
}

PARAM_SET(held, "write a number to memory that was allocated");

static int __init jtrace_alloc_init(void)
{
	u64 *memory = kzalloc(sizeof(*memory), GFP_KERNEL);

	if (!memory)
		return -ENOMEM;
	jtrace_alloc_hold(memory);
	cache = kmem_cache_create("jtrace_alloc", SIZE, 0, 0, NULL);
	if (!cache) {
		kfree(held);
		return -ENOMEM;
	}
	return 0;
}

static void __exit jtrace_alloc_exit(void)
{
	kmem_cache_destroy(cache);
	kfree(held);
}

module_init(jtrace_alloc_init);
module_exit(jtrace_alloc_exit);

TEST_MODULE("allocations that fail, and an error that is reported");
