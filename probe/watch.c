// SPDX-License-Identifier: GPL-2.0
/*
 * Arm and disarm a watchpoint.
 *
 * Each CPU watches by a perf event of its own.  register_wide_hw_breakpoint() would do the same in
 * one call, but a CPU that goes and comes back no longer watches then (6.1 to 7.2).  A hotplug
 * state has the CPUs watch before tasks run on them, and as long as they do.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpuhotplug.h>
#include <linux/err.h>
#include <linux/hw_breakpoint.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../wrapper/wrapper.h"
#include "probe.h"

#ifdef JTRACE_ARCH_WATCHES

/* The hotplug state, or an error. */
static int state = -ENODEV;

static const char *why_not(int err)
{
	switch (err) {
	case -ENOSPC:
		return "a CPU has four watchpoints, and another one is not left: see the file probes, perf and debuggers";
	case -ENOMEM:
		return "no memory";
	case -EINVAL:
		return "the kernel needs this memory to handle the watchpoint itself";
	}
	return "this kernel has no watchpoints, or its processor has none";
}

/* ---- On each CPU ------------------------------------------------------ */

/* A CPU comes, or an armed watchpoint does.  An error would keep the CPU from coming. */
static int begin(unsigned int cpu, struct hlist_node *node)
{
	struct jtrace_probe *p = hlist_entry(node, struct jtrace_probe, watch.node);
	struct perf_event_attr attr;
	struct perf_event *event;

	hw_breakpoint_init(&attr);
	attr.bp_addr = p->watch.address;
	attr.bp_len = p->definition.length;
	attr.bp_type = HW_BREAKPOINT_W;
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, jtrace_probe_hit_watchpoint, p);
	if (!IS_ERR(event)) {
		*per_cpu_ptr(p->watch.event, cpu) = event;
		return 0;
	}
	if (p->watch.arming)
		return PTR_ERR(event);
	pr_warn("watchpoint %s: CPU %u does not watch (error %ld): what it writes is not seen\n",
		p->definition.name, cpu, PTR_ERR(event));
	return 0;
}

static int end(unsigned int cpu, struct hlist_node *node)
{
	struct jtrace_probe *p = hlist_entry(node, struct jtrace_probe, watch.node);
	struct perf_event **event = per_cpu_ptr(p->watch.event, cpu);

	if (*event)
		perf_event_release_kernel(*event);
	*event = NULL;
	return 0;
}

/* ---- Where ------------------------------------------------------------ */

/* Is it the symbol of a per-CPU variable: an offset, or in memory that is free after boot? */
static bool is_per_cpu(unsigned long address)
{
	return !jtrace_arch_is_kernel(address, 1) ||
	       (address >= jtrace_kallsyms_find("__per_cpu_start") &&
		address < jtrace_kallsyms_find("__per_cpu_end"));
}

/* Find the variable: 0, or an error; *@why is NULL if its module is not loaded. */
static int find(struct jtrace_probe *p, struct module *coming, const char **why)
{
	struct jtrace_probe_definition *d = &p->definition;

	*why = NULL;
	p->watch.address = d->address;
	if (!*d->symbol)
		return 0;
	snprintf(p->target, sizeof(p->target), *d->module ? "%s:%s" : "%s%s", d->module, d->symbol);
	p->watch.address = jtrace_kallsyms_find(p->target);
	if (!p->watch.address) {
		if (*d->module && !coming && !jtrace_where_is_loaded(d->module))
			return -ENOENT;
		*why = jtrace_kallsyms_find("jiffies") ? "there is no such variable" :
		       "this kernel does not know where variables are (CONFIG_KALLSYMS_ALL): name an address";
		return -ENOENT;
	}
	if (is_per_cpu(p->watch.address)) {
		*why = "each CPU has its own: name the address of one";
		return -EINVAL;
	}
	p->watch.address += d->offset;
	return 0;
}

/* Name the place, as that of a probe: the address means nothing after a reboot. */
static void name_place(struct jtrace_probe *p, const struct jtrace_where *w)
{
	struct jtrace_probe_definition *d = &p->definition;
	char whole[JTRACE_PROBE_PLACE + 2];

	if (!*d->symbol) {
		/* What was allocated has no name. */
		if (!strncmp(w->symbol, "0x", 2))
			return;
		scnprintf(p->place, sizeof(p->place), *w->module ? "%s+0x%llx[%s]" : "%s+0x%llx",
			  w->symbol, w->offset, w->module);
		return;
	}
	if (*d->module || strlen(w->module) > JTRACE_PROBE_PLACE)
		return;
	/* When the module comes back, the watchpoint does. */
	strscpy(d->module, w->module, sizeof(d->module));
	if (jtrace_probe_place(d, whole, sizeof(whole)) > JTRACE_PROBE_PLACE)
		*d->module = 0;
	jtrace_probe_place(d, p->place, sizeof(p->place));
}

/* May it be watched?  Records write to the memory of jtrace. */
static bool suits(struct jtrace_probe *p, const char **why)
{
	u32 length = p->definition.length;
	struct jtrace_where *w;

	if (!jtrace_arch_is_kernel(p->watch.address, length)) {
		*why = "this is no address of the kernel";
		return false;
	}
	if (p->watch.address % length) {
		*why = "a watchpoint begins at a multiple of its length: add :1, :2 or :4";
		return false;
	}
	w = kmalloc(sizeof(*w), GFP_KERNEL);
	if (!w) {
		*why = "no memory";
		return false;
	}
	jtrace_where_find(w, p->watch.address);
	if (jtrace_where_is_own(w) || jtrace_has_memory(p->watch.address, length)) {
		*why = "this is memory of jtrace";
		kfree(w);
		return false;
	}
	name_place(p, w);
	kfree(w);
	return true;
}

/* ---- Arm and disarm --------------------------------------------------- */

/**
 * jtrace_watch_arm() - let hits come
 * @p: a watchpoint
 * @coming: module that is being loaded, or NULL
 * @why: why it is refused
 *
 * Context: Process; the lock of the probes is held.
 * Return: 0 if it is armed, or waits for its module; else an error.
 */
int jtrace_watch_arm(struct jtrace_probe *p, struct module *coming, const char **why)
{
	int err;

	if (state < 0) {
		*why = why_not(state);
		return state;
	}
	err = find(p, coming, why);
	if (err)
		return *why ? err : 0;
	if (!suits(p, why))
		return -EINVAL;
	p->watch.event = alloc_percpu(struct perf_event *);
	if (!p->watch.event) {
		*why = why_not(-ENOMEM);
		return -ENOMEM;
	}
	p->watch.old = 0;
	if (copy_from_kernel_nofault(&p->watch.old, (void *)p->watch.address,
				     p->definition.length)) {
		*why = "there is no memory at this address";
		err = -EFAULT;
	} else {
		p->watch.arming = true;
		err = cpuhp_state_add_instance(state, &p->watch.node);
		p->watch.arming = false;
		if (err)
			*why = why_not(err);
	}
	if (err)
		free_percpu(p->watch.event);
	else
		p->armed = true;
	return err;
}

/**
 * jtrace_watch_disarm() - let no more hits come
 * @p: an armed watchpoint; none of its hits is under way on return
 *
 * Context: Process; the lock of the probes is held.
 */
void jtrace_watch_disarm(struct jtrace_probe *p)
{
	cpuhp_state_remove_instance(state, &p->watch.node);
	free_percpu(p->watch.event);
}

/* Without the state, watchpoints are refused. */
void jtrace_watch_init(void)
{
	state = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "jtrace/watch:online", begin, end);
}

/* No watchpoint is armed any more. */
void jtrace_watch_exit(void)
{
	if (state >= 0)
		cpuhp_remove_multi_state(state);
	state = -ENODEV;
}

#else

/* The parser has refused it. */
int jtrace_watch_arm(struct jtrace_probe *p, struct module *coming, const char **why)
{
	*why = "watchpoints need an x86-64 processor";
	return -EOPNOTSUPP;
}

void jtrace_watch_disarm(struct jtrace_probe *p)
{
}

void jtrace_watch_init(void)
{
}

void jtrace_watch_exit(void)
{
}

#endif /* JTRACE_ARCH_WATCHES */
