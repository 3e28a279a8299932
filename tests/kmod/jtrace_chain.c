// SPDX-License-Identifier: GPL-2.0
/*
 * A known chain of calls, in each context: for stacks.  See tests/selftests/stack.sh.
 *
 * Its innermost function has a trace point with a stack, a tracepoint, and, in a task, an
 * allocation of %CHAIN_SIZE bytes.  In an oops, it dies.
 */

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/jtrace.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <linux/tracepoint.h>

#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/apic.h>
#include <asm/nmi.h>
#endif

#include "../../lib/base/compat.h"
#include "kmod.h"

/* No other allocation has this size. */
#define CHAIN_SIZE	4242

/* Since 6.16 DECLARE_TRACE() adds to the name. */
#ifdef DECLARE_TRACE_EVENT
#define DECLARE		DECLARE_TRACE_EVENT
#else
#define DECLARE		DECLARE_TRACE
#endif

DECLARE(jtrace_chain, TP_PROTO(u32 n), TP_ARGS(n));
DEFINE_TRACE(jtrace_chain, TP_PROTO(u32 n), TP_ARGS(n));

/* Not static: the compiler would change their names, or make them one. */
u32 jtrace_chain_low(u32 n);
void jtrace_chain_last(u32 n);
u32 jtrace_chain_mid(u32 n);
u32 jtrace_chain_top(u32 n);
void jtrace_chain_done(void);

/* Number of the chain that dies. */
#define FATAL		5

/* With room for a jump of kprobes. */
noinline u32 jtrace_chain_low(u32 n)
{
	asm volatile(".rept 8; nop; .endr");
	JTRACE_STACK("chain (n)", n);
	trace_jtrace_chain(n);
	jtrace_chain_last(n);
	if (n == FATAL)
		write_null();
	if (in_task())
		kfree(kmalloc(CHAIN_SIZE, GFP_KERNEL));
	return n + 1;
}

/* The trace point is the last thing that it does. */
noinline void jtrace_chain_last(u32 n)
{
	barrier();
	JTRACE_STACK("last (n)", n);
}

/* None of the calls is the last thing that a function does: each has a frame. */
noinline u32 jtrace_chain_mid(u32 n)
{
	n = jtrace_chain_low(n);
	OPTIMIZER_HIDE_VAR(n);
	return n + 1;
}

noinline u32 jtrace_chain_top(u32 n)
{
	n = jtrace_chain_mid(n);
	OPTIMIZER_HIDE_VAR(n);
	return n + 1;
}

/* Once after each chain. */
noinline void jtrace_chain_done(void)
{
	barrier();
}

static DECLARE_COMPLETION(done);

static void chain(u32 n)
{
	jtrace_chain_top(n);
	jtrace_chain_done();
	complete(&done);
}

static enum hrtimer_restart chain_hardirq(struct hrtimer *timer)
{
	chain(3);
	return HRTIMER_NORESTART;
}

static void chain_softirq(struct timer_list *unused)
{
	chain(2);
}

#ifdef CONFIG_X86_LOCAL_APIC

static unsigned long nmi_sent;

static int chain_nmi(unsigned int type, struct pt_regs *regs)
{
	if (!xchg(&nmi_sent, 0))
		return NMI_DONE;
	jtrace_chain_top(4);
	return NMI_HANDLED;
}

/* The NMI comes before the call returns, or soon after it. */
static int call_nmi(void)
{
	int err = register_nmi_handler(NMI_LOCAL, chain_nmi, 0, "jtrace_chain");

	if (err)
		return err;
	preempt_disable();
	WRITE_ONCE(nmi_sent, 1);
	apic->send_IPI(smp_processor_id(), NMI_VECTOR);
	preempt_enable();
	mdelay(10);
	unregister_nmi_handler(NMI_LOCAL, "jtrace_chain");
	return 0;
}

#else

static int call_nmi(void)
{
	return -EOPNOTSUPP;
}

#endif

static int call_set(const char *val, const struct kernel_param *kp)
{
	static struct hrtimer hrtimer;
	static struct timer_list timer;

	reinit_completion(&done);
	if (sysfs_streq(val, "task")) {
		chain(1);
	} else if (sysfs_streq(val, "oops")) {
		chain(FATAL);
	} else if (sysfs_streq(val, "softirq")) {
		timer_setup(&timer, chain_softirq, 0);
		mod_timer(&timer, jiffies + 1);
	} else if (sysfs_streq(val, "hardirq")) {
		jtrace_hrtimer_setup(&hrtimer, chain_hardirq, CLOCK_MONOTONIC,
				     HRTIMER_MODE_REL_HARD);
		hrtimer_start(&hrtimer, ms_to_ktime(1), HRTIMER_MODE_REL_HARD);
	} else if (sysfs_streq(val, "nmi")) {
		return call_nmi();
	} else {
		return -EINVAL;
	}
	wait_for_completion(&done);
	return 0;
}

PARAM_SET(call, "task, softirq, hardirq, nmi, oops: call the chain there, with n = 1 to 5");

module_exit(undo_nothing);

TEST_MODULE("a known chain of calls");
