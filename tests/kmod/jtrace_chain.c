// SPDX-License-Identifier: GPL-2.0
/*
 * A known chain of calls, in each context: for stacks.  See tests/selftests/stack.sh.
 *
 * Its innermost function has a trace point with a stack, a tracepoint, and, in a task, an
 * allocation of %CHAIN_SIZE bytes; it writes to a variable.  In an oops, it dies.
 *
 * Other ways to write to that variable, and to read it, are for watchpoints: see
 * tests/selftests/watch.sh.
 */

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/jtrace.h>
#include <linux/kthread.h>
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
void jtrace_chain_write(u64 value);

/* To be watched; none of it is in a register. */
struct jtrace_chain_watched {
	u32 before;
	u32 flags;
	u64 number;
	u8 byte[8];
};

extern struct jtrace_chain_watched jtrace_chain_watched;
struct jtrace_chain_watched jtrace_chain_watched = { .number = 42 };

DECLARE_PER_CPU(u64, jtrace_chain_each);
DEFINE_PER_CPU(u64, jtrace_chain_each);

/* Number of the chain that dies. */
#define FATAL		5

/* With room for a jump of kprobes. */
noinline u32 jtrace_chain_low(u32 n)
{
	asm volatile(".rept 8; nop; .endr");
	JTRACE_STACK("chain (n)", n);
	trace_jtrace_chain(n);
	jtrace_chain_last(n);
	WRITE_ONCE(jtrace_chain_watched.number, n);
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

/* ---- Writes ----------------------------------------------------------- */

noinline void jtrace_chain_write(u64 value)
{
	WRITE_ONCE(jtrace_chain_watched.number, value);
}

static u32 writes;

static int writer(void *end)
{
	u32 i;

	for (i = 0; i < writes; i++) {
		jtrace_chain_write(i);
		if (i % 64 == 0)
			cond_resched();
	}
	complete(end);
	return 0;
}

/* Each CPU that is online writes so often, at once. */
static int writes_set(const char *val, const struct kernel_param *kp)
{
	static DECLARE_COMPLETION(end);
	struct task_struct *task;
	u32 begun = 0;
	int cpu, err = kstrtou32(val, 0, &writes);

	if (err)
		return err;
	reinit_completion(&end);
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		task = kthread_create(writer, &end, "writer/%d", cpu);
		if (IS_ERR(task)) {
			err = PTR_ERR(task);
			break;
		}
		kthread_bind(task, cpu);
		wake_up_process(task);
		begun++;
	}
	cpus_read_unlock();
	while (begun--)
		wait_for_completion(&end);
	return err;
}

PARAM_SET(writes, "each CPU writes so often to jtrace_chain_watched.number");

static int touch_set(const char *val, const struct kernel_param *kp)
{
	struct jtrace_chain_watched *w = &jtrace_chain_watched;
	unsigned long flags;

	if (sysfs_streq(val, "same")) {
		WRITE_ONCE(w->number, READ_ONCE(w->number));
	} else if (sysfs_streq(val, "beside")) {
		WRITE_ONCE(w->flags, w->flags + 1);
		WRITE_ONCE(w->byte[0], w->byte[0] + 1);
	} else if (sysfs_streq(val, "byte")) {
		WRITE_ONCE(w->byte[5], 0x55);
	} else if (sysfs_streq(val, "irqs_off")) {
		local_irq_save(flags);
		jtrace_chain_write(7);
		jtrace_chain_write(8);
		local_irq_restore(flags);
	} else {
		return -EINVAL;
	}
	return 0;
}

PARAM_SET(touch, "same, beside, byte, irqs_off: write to jtrace_chain_watched");

/* ---- The chain in a context ------------------------------------------- */

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

static int __init jtrace_chain_init(void)
{
	jtrace_chain_write(1);
	return 0;
}

module_init(jtrace_chain_init);
module_exit(undo_nothing);

TEST_MODULE("a known chain of calls");
