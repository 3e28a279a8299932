// SPDX-License-Identifier: GPL-2.0
/*
 * Panics, oopses or gets stuck in the n-th call of a function of jtrace.  Is no client of jtrace,
 * so it can be loaded first.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/bug.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/panic.h>
#include <linux/processor.h>
#include <linux/string.h>
#include <jtrace/compat.h>

static char *symbol = "jtrace_recover_scan";
module_param(symbol, charp, 0444);
MODULE_PARM_DESC(symbol, "function of jtrace");

static int call = 1;
module_param(call, int, 0444);
MODULE_PARM_DESC(call, "number of the call, from 1");

static uint delay_us;
module_param(delay_us, uint, 0444);
MODULE_PARM_DESC(delay_us, "panic this long after the call, in hardirq");

static char *how = "panic";
module_param(how, charp, 0444);
MODULE_PARM_DESC(how, "panic, oops (of the task), stuck (until go; jiffies jump)");

static int jump = 61;
module_param(jump, int, 0444);
MODULE_PARM_DESC(jump, "seconds that jiffies jump by when it gets stuck");

static bool go;
module_param(go, bool, 0644);
MODULE_PARM_DESC(go, "y: continue after stuck");

static atomic_t calls = ATOMIC_INIT(0);

static enum hrtimer_restart trap_later(struct hrtimer *timer)
{
	panic("jtrace_trap\n");
	return HRTIMER_NORESTART;
}

static struct hrtimer timer;

/* checkpatch would take BUG() for error handling. */
#define DIE	BUG

/* Runs in place of the function: an oops in a probe's handler may count as one in an interrupt. */
static void die(void)
{
	DIE();
}

/*
 * Runs in place of the function, with interrupts on: other CPUs may wait for an IPI.  Returns
 * like jtrace_text_next() after the last line.
 */
static int get_stuck(void)
{
	u64 start = ktime_get_mono_fast_ns();

	jiffies += jump * HZ;
	while (!READ_ONCE(go) && ktime_get_mono_fast_ns() - start < 60 * NSEC_PER_SEC)
		cpu_relax();
	return -1;
}

/* Calls by the panic itself hit inside of a hit, which kprobes ignores. */
static int trap_pre(struct kprobe *p, struct pt_regs *regs)
{
	if (atomic_inc_return(&calls) != call)
		return 0;
	if (!strcmp(how, "oops")) {
		instruction_pointer_set(regs, (unsigned long)die);
		return 1;
	}
	if (!strcmp(how, "stuck")) {
		instruction_pointer_set(regs, (unsigned long)get_stuck);
		return 1;
	}
	if (!delay_us)
		panic("jtrace_trap\n");
	hrtimer_start(&timer, ns_to_ktime(1000ULL * delay_us), HRTIMER_MODE_REL_PINNED_HARD);
	return 0;
}

/*
 * A probe with a post_handler stays a breakpoint.  Turning one into a jump holds the lock for
 * loading modules until all threads have slept, and those of jtrace_hammer never sleep.
 */
static void trap_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe trap = { .pre_handler = trap_pre, .post_handler = trap_post };

/* Any function of jtrace: is jtrace loaded? */
static struct kprobe known = { .symbol_name = "jtrace_enable" };

static int trap_set(void)
{
	int err = register_kprobe(&trap);

	if (err && err != -ENOENT)
		pr_err("symbol=%s: error %d\n", symbol, err);
	return err;
}

/* jtrace's code is in memory, but has not run.  Without the probe, jtrace is not loaded. */
static int module_call(struct notifier_block *nb, unsigned long action, void *data)
{
	const struct module *mod = data;
	int err;

	if (action != MODULE_STATE_COMING || strcmp(mod->name, "jtrace"))
		return NOTIFY_DONE;
	err = trap_set();
	if (err == -ENOENT)
		pr_err("symbol=%s: jtrace has no such function\n", symbol);
	return notifier_from_errno(err);
}

static struct notifier_block nb = { .notifier_call = module_call };

static int __init jtrace_trap_init(void)
{
	int err;

	trap.symbol_name = symbol;
	jtrace_hrtimer_setup(&timer, trap_later, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	err = trap_set();
	if (err != -ENOENT)
		return err;
	if (register_kprobe(&known) == -ENOENT)
		return register_module_notifier(&nb);
	unregister_kprobe(&known);
	pr_err("symbol=%s: jtrace has no such function\n", symbol);
	return err;
}

static void __exit jtrace_trap_exit(void)
{
	unregister_module_notifier(&nb);
	unregister_kprobe(&trap);
	hrtimer_cancel(&timer);
}

module_init(jtrace_trap_init);
module_exit(jtrace_trap_exit);

MODULE_DESCRIPTION("Test: die in any function of jtrace");
MODULE_INFO(test, "Y");
MODULE_LICENSE("GPL");
