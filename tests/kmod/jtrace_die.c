// SPDX-License-Identifier: GPL-2.0
/*
 * Records a few events, then dies at load time.  Its parameters say how, and in which context.
 * The last event is "die: last words".
 */

#include <linux/console.h>
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/irqflags.h>
#include <linux/irq_work.h>
#include <linux/jtrace.h>
#include <linux/kthread.h>
#include <linux/objtool.h>
#include <linux/panic.h>
#include <linux/platform_device.h>
#include <linux/processor.h>
#include <linux/reboot.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#ifdef CONFIG_X86
#include <asm/nmi.h>
#endif

#include "kmod.h"

PARAM_TEXT(how, "panic", "panic, warn, bug, null, spin-null (holding a lock, interrupts off), console (panic holding the console), hang (interrupts off, forever), wait (uninterruptible, forever), record (in a record: the tag of its site is an invalid pointer), overflow (of the stack), double-fault, oom (with vm.panic_on_oom=2)");
PARAM_TEXT(where, "task", "task, thread (a kernel thread: an oops kills only it), softirq, hardirq, nmi (waits for one), shutdown (of a device), poweroff (the last handler)");
PARAM(uint, cpu, 0, "CPU of the thread");
PARAM(ulong, unmap, 0, "address of jtrace's buffer, in a region: unmap it before");

static DEFINE_SPINLOCK(held_lock);

static void last_words(void)
{
	JTRACE("die: last words (cpu)", raw_smp_processor_id());
}

static void die_panic(void)
{
	last_words();
	panic("jtrace_die\n");
}

/* With panic_on_warn. */
static void die_warn(void)
{
	last_words();
	WARN_ON(1);
}

static void die_bug(void)
{
	last_words();
	DIE();
}

static void die_null(void)
{
	last_words();
	write_null();
}

static void die_spin_null(void)
{
	unsigned long flags;

	spin_lock_irqsave(&held_lock, flags);
	die_null();
	spin_unlock_irqrestore(&held_lock, flags);
}

static void die_console(void)
{
	console_lock();
	die_panic();
}

static void die_hang(void)
{
	local_irq_disable();
	last_words();
	pr_info("hangs\n");
	for (;;)
		cpu_relax();
}

static void die_wait(void)
{
	last_words();
	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule();
}

/* Fault while jtrace gives a site its number: no context can enter that code twice. */
static void die_record(void)
{
	static struct jtrace_site site = { .tag = (const char *)8, .file = "", .func = "" };

	last_words();
	jtrace_record(&site, 0, 0, 0, 0);
}

static noinline int recurse(int depth)
{
	char frame[256];

	memset(frame, depth, sizeof(frame));
	barrier_data(frame);
	return depth ? recurse(depth - 1) + frame[0] : 0;
}

/* Deeper than any kernel stack: hits the guard page. */
static void die_overflow(void)
{
	last_words();
	pr_info("%d\n", recurse(1000));
}

#ifdef CONFIG_X86
/* Without a stack, the page fault faults, too. */
static void die_double_fault(void)
{
	last_words();
	asm volatile("mov %0, %%rsp\n\tpush %0" : : "r" (1UL << 63) : "memory");
}

STACK_FRAME_NON_STANDARD(die_double_fault);
#endif

/* Allocate large blocks first, which is fast; these fail without an OOM. */
#define OOM_ORDER	10

static void die_oom(void)
{
	int order;

	last_words();
	for (order = OOM_ORDER; order > PAGE_ALLOC_COSTLY_ORDER; order--)
		while (alloc_pages(GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN, order))
			;
	while (alloc_pages(GFP_KERNEL, PAGE_ALLOC_COSTLY_ORDER))
		;
}

static const struct {
	const char *name;
	void (*call)(void);
} ways[] = {
	{ "panic", die_panic },
	{ "warn", die_warn },
	{ "bug", die_bug },
	{ "null", die_null },
	{ "spin-null", die_spin_null },
	{ "console", die_console },
	{ "hang", die_hang },
	{ "wait", die_wait },
	{ "record", die_record },
	{ "overflow", die_overflow },
#ifdef CONFIG_X86
	{ "double-fault", die_double_fault },
#endif
	{ "oom", die_oom },
};

static void (*die)(void);

static void die_tasklet(struct tasklet_struct *t)
{
	JTRACE("die: in softirq");
	die();
}

static DECLARE_TASKLET(tasklet, die_tasklet);

static void die_irq_work(struct irq_work *work)
{
	JTRACE("die: in hardirq");
	die();
}

static struct irq_work work = IRQ_WORK_INIT_HARD(die_irq_work);

static int die_thread(void *arg)
{
	JTRACE("die: in thread");
	die();
	return 0;
}

#ifdef CONFIG_X86
static int die_nmi(unsigned int type, struct pt_regs *regs)
{
	JTRACE("die: in nmi");
	die();
	return NMI_HANDLED;
}
#endif

static void die_shutdown(struct platform_device *unused)
{
	JTRACE("die: in shutdown");
	die();
}

static struct platform_driver driver = {
	.driver.name = "jtrace_die",
	.shutdown = die_shutdown,
};

static struct platform_device *device;

static int die_poweroff(struct sys_off_data *unused)
{
	JTRACE("die: in poweroff");
	die();
	return NOTIFY_DONE;
}

static struct sys_off_handler *off_handler;

static int die_later(void)
{
	int err;

	if (!strcmp(where, "poweroff")) {
		off_handler = register_sys_off_handler(SYS_OFF_MODE_POWER_OFF,
						       SYS_OFF_PRIO_FIRMWARE + 1,
						       die_poweroff, NULL);
		return PTR_ERR_OR_ZERO(off_handler);
	}
	device = platform_device_register_simple("jtrace_die", -1, NULL, 0);
	if (IS_ERR(device))
		return PTR_ERR(device);
	err = platform_driver_register(&driver);
	if (err)
		platform_device_unregister(device);
	return err;
}

static int die_somewhere(void)
{
	struct task_struct *task;
	int err = 0;

	if (!strcmp(where, "task")) {
		JTRACE("die: in task");
		die();
	} else if (!strcmp(where, "thread")) {
		task = kthread_run_on_cpu(die_thread, NULL, cpu, "jtrace_die");
		err = PTR_ERR_OR_ZERO(task);
	} else if (!strcmp(where, "softirq")) {
		tasklet_schedule(&tasklet);
		msleep(1000);
	} else if (!strcmp(where, "hardirq")) {
		irq_work_queue(&work);
		msleep(1000);
#ifdef CONFIG_X86
	} else if (!strcmp(where, "nmi")) {
		err = register_nmi_handler(NMI_UNKNOWN, die_nmi, 0, "jtrace_die");
		if (!err)
			pr_info("waiting for an NMI\n");
#endif
	} else if (!strcmp(where, "shutdown") || !strcmp(where, "poweroff")) {
		err = die_later();
	} else {
		pr_err("where=%s: unknown\n", where);
		err = -EINVAL;
	}
	return err;
}

static int __init jtrace_die_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(ways); i++)
		if (!strcmp(how, ways[i].name))
			die = ways[i].call;
	if (!die) {
		pr_err("how=%s: unknown\n", how);
		return -EINVAL;
	}
	JTRACE("die: loaded");
	if (unmap) {
		memunmap((void *)unmap);
		/* Else TLBs may keep the pages. */
		vm_unmap_aliases();
	}
	return die_somewhere();
}

static void __exit jtrace_die_exit(void)
{
	tasklet_kill(&tasklet);
	irq_work_sync(&work);
	if (!strcmp(where, "poweroff"))
		unregister_sys_off_handler(off_handler);
	if (!strcmp(where, "shutdown")) {
		platform_driver_unregister(&driver);
		platform_device_unregister(device);
	}
#ifdef CONFIG_X86
	if (!strcmp(where, "nmi"))
		unregister_nmi_handler(NMI_UNKNOWN, "jtrace_die");
#endif
}

module_init(jtrace_die_init);
module_exit(jtrace_die_exit);

TEST_MODULE("die in any context");
