// SPDX-License-Identifier: GPL-2.0
/*
 * Panics, oopses or gets stuck in the n-th call of a function of jtrace.  Is no client of jtrace,
 * so it can be loaded first.
 */

#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/notifier.h>
#include <linux/panic.h>
#include <linux/string.h>
#include "../../lib/base/compat.h"

#include "kmod.h"

PARAM_TEXT(symbol, "jtrace_recover_scan", "function of jtrace");
PARAM(int, call, 1, "number of the call, from 1");
PARAM(uint, delay_us, 0, "panic this long after the call, in hardirq");
PARAM_TEXT(how, "panic", "panic, oops (of the task), stuck (until go; jiffies jump)");
PARAM(int, jump, 61, "seconds that jiffies jump by when it gets stuck");
PARAM_RW(bool, go, false, "y: continue after stuck");

static atomic_t calls = ATOMIC_INIT(0);

static enum hrtimer_restart trap_later(struct hrtimer *timer)
{
	panic("jtrace_trap\n");
	return HRTIMER_NORESTART;
}

static struct hrtimer timer;

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
	jiffies += jump * HZ;
	wait_until(&go, true);
	return -1;
}

static int calls_get(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE, "%d\n", atomic_read(&calls));
}

PARAM_GET(calls, "how often the function was called");

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

static struct kprobe trap = { .pre_handler = trap_pre, .post_handler = stay };

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

TEST_MODULE("die in any function of jtrace");
