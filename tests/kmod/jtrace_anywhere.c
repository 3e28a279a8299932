// SPDX-License-Identifier: GPL-2.0
/*
 * Records from unexpected places: kprobes on any function that can have one, and an ftrace
 * callback in all functions, including those that a record calls.
 *
 * The callback does not set FTRACE_OPS_FL_RECURSION and has no guard of its own: only jtrace
 * ends the recursion.
 *
 * Write names to the parameter "kprobe", one at a time.
 */

#include <linux/ftrace.h>
#include <linux/jtrace.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "kmod.h"

static bool armed;

/* Events, and the deepest nesting of callbacks on one CPU. */
static DEFINE_PER_CPU(unsigned long, kprobe_events);
static DEFINE_PER_CPU(unsigned long, ftrace_events);
static DEFINE_PER_CPU(unsigned int, depth);
static DEFINE_PER_CPU(unsigned int, deepest);

static unsigned long sum(unsigned long __percpu *counter)
{
	unsigned long all = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		all += READ_ONCE(*per_cpu_ptr(counter, cpu));
	return all;
}

/* An argument of JTRACE(): evaluated unless recording is off. */
static __always_inline u32 counted(unsigned long __percpu *counter)
{
	this_cpu_inc(*counter);
	return 1;
}

/* ---- kprobes ---- */

#define MOST_PROBES	1024

static struct kprobe *probes[MOST_PROBES];
static unsigned int nr_probes;

static int probe_pre(struct kprobe *p, struct pt_regs *regs)
{
	if (READ_ONCE(armed))
		JTRACE("probes: kprobe (1, 0, 0, 0, address)", counted(&kprobe_events), 0, 0, 0,
		       p->addr);
	return 0;
}

static int kprobe_set(const char *val, const struct kernel_param *kp)
{
	struct kprobe *p;
	char *name;
	int err;

	if (nr_probes == MOST_PROBES)
		return -ENOSPC;
	p = kzalloc(sizeof(*p), GFP_KERNEL);
	name = kstrdup(val, GFP_KERNEL);
	err = p && name ? 0 : -ENOMEM;
	if (!err) {
		p->symbol_name = strim(name);
		p->pre_handler = probe_pre;
		err = register_kprobe(p);
	}
	if (err) {
		kfree(name);
		kfree(p);
		return err;
	}
	probes[nr_probes++] = p;
	return 0;
}

static void kprobe_end(void)
{
	unsigned int i;

	unregister_kprobes(probes, nr_probes);
	for (i = 0; i < nr_probes; i++) {
		kfree(probes[i]->symbol_name);
		kfree(probes[i]);
	}
	nr_probes = 0;
}

static int kprobe_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%u\n", nr_probes);
}

PARAM_OPS(kprobe, 0644, "name of a function to add a probe to; reads as the number of probes",
	  .set = kprobe_set, .get = kprobe_get);

/* ---- ftrace ---- */

#ifdef CONFIG_FUNCTION_TRACER

static bool tracing;

static void notrace trace_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			       struct ftrace_regs *fregs)
{
	unsigned int now;

	if (!READ_ONCE(armed))
		return;
	preempt_disable_notrace();
	now = this_cpu_inc_return(depth);
	if (now > this_cpu_read(deepest))
		this_cpu_write(deepest, now);
	JTRACE("probes: ftrace (1, depth, 0, 0, address)", counted(&ftrace_events), now, 0, 0, ip);
	this_cpu_dec(depth);
	preempt_enable_notrace();
}

static struct ftrace_ops trace_ops = {
	.func = trace_call,
};

static int ftrace_set(const char *val, const struct kernel_param *kp)
{
	bool on;
	int err;

	err = kstrtobool(val, &on);
	if (err || on == tracing)
		return err;
	err = on ? register_ftrace_function(&trace_ops) : unregister_ftrace_function(&trace_ops);
	if (!err)
		tracing = on;
	return err;
}

static void ftrace_end(void)
{
	if (tracing)
		unregister_ftrace_function(&trace_ops);
}

#else

static int ftrace_set(const char *val, const struct kernel_param *kp)
{
	return -EOPNOTSUPP;
}

static void ftrace_end(void)
{
}

#endif

PARAM_SET(ftrace, "y: trace all functions");

/* ---- control ---- */

/* After this, no event is in progress. */
static int armed_set(const char *val, const struct kernel_param *kp)
{
	bool on;
	int err = kstrtobool(val, &on);

	if (err)
		return err;
	WRITE_ONCE(armed, on);
	if (!on)
		synchronize_rcu_tasks_rude();
	return 0;
}

PARAM_SET(armed, "y: record");

static int result_get(char *buf, const struct kernel_param *kp)
{
	unsigned int most = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		most = max(most, READ_ONCE(*per_cpu_ptr(&deepest, cpu)));
	return sysfs_emit(buf, "%lu %lu %u\n", sum(&kprobe_events), sum(&ftrace_events), most);
}

PARAM_GET(result, "events of kprobes, events of the callback, its deepest nesting");

static void __exit jtrace_anywhere_exit(void)
{
	ftrace_end();
	kprobe_end();
}

module_exit(jtrace_anywhere_exit);

TEST_MODULE("trace points in all that can be probed or traced");
