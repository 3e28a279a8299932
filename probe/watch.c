// SPDX-License-Identifier: GPL-2.0
/*
 * Arm and disarm a watchpoint.
 *
 * Each CPU watches by a perf event of its own.  register_wide_hw_breakpoint() would do the same in
 * one call, but a CPU that goes and comes back no longer watches then (6.1 to 7.2).  A hotplug
 * state has a CPU watch as long as tasks run on it.  Its interrupts and kernel threads run a little
 * earlier and longer.
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
static int hotplug_state = -ENODEV;

/* ---- On each CPU ------------------------------------------------------ */

/* A CPU comes, or a watchpoint is armed.  An error would keep the CPU from coming. */
static int watch_on_cpu(unsigned int cpu, struct hlist_node *node)
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

static int unwatch_on_cpu(unsigned int cpu, struct hlist_node *node)
{
	struct jtrace_probe *p = hlist_entry(node, struct jtrace_probe, watch.node);
	struct perf_event **event = per_cpu_ptr(p->watch.event, cpu);

	if (*event)
		perf_event_release_kernel(*event);
	*event = NULL;
	return 0;
}

/* Why perf has refused it. */
static const char *why_not(int err)
{
	switch (err) {
	case -ENOSPC:
		return "all four watchpoints of a CPU are in use: by probes (see the file probes), perf or a debugger";
	case -ENOMEM:
		return "no memory";
	case -EINVAL:
		return "the kernel needs this memory to handle the watchpoint itself";
	}
	return "this kernel lets nobody watch there";
}

/* ---- Where ------------------------------------------------------------ */

#define NO_NAMES \
	"this kernel does not know where variables are (CONFIG_KALLSYMS_ALL): name an address"

/*
 * Each CPU has its own: since 6.15 the symbol is in the initial copy, which is freed after boot, or
 * behind it, where another symbol is.  Before, it is an offset, which is not found.
 */
static bool is_per_cpu(unsigned long address, const struct jtrace_where *w)
{
	return w->offset || (address >= jtrace_kallsyms_find("__per_cpu_start") &&
			     address < jtrace_kallsyms_find("__per_cpu_end"));
}

/* Find the variable: 0, or an error; *@why stays NULL if its module is not loaded. */
static int find_variable(struct jtrace_probe *p, struct module *coming, struct jtrace_where *w,
			 const char **why)
{
	struct jtrace_probe_definition *d = &p->definition;

	snprintf(p->target, sizeof(p->target), *d->module ? "%s:%s" : "%s%s", d->module, d->symbol);
	p->watch.address = jtrace_kallsyms_find(p->target);
	if (!p->watch.address) {
		if (*d->module && !coming && !jtrace_where_is_loaded(d->module))
			return -ENOENT;
		*why = jtrace_kallsyms_find("jiffies") ?
		       "there is no such variable, or each CPU has its own" : NO_NAMES;
		return -ENOENT;
	}
	jtrace_where_find(w, p->watch.address);
	if (is_per_cpu(p->watch.address, w) || (*d->module && strcmp(d->module, w->module))) {
		*why = "each CPU has its own: name the address of one";
		return -EINVAL;
	}
	jtrace_where_name(p, w);
	p->watch.address += d->offset;
	return 0;
}

/* May it be watched?  Records write to the memory of jtrace. */
static bool suits(struct jtrace_probe *p, struct jtrace_where *w, const char **why)
{
	const struct jtrace_probe_definition *d = &p->definition;

	if (!jtrace_arch_is_kernel(p->watch.address, d->length)) {
		*why = "this is no address of the kernel";
		return false;
	}
	if (p->watch.address % d->length) {
		*why = "a watchpoint begins at a multiple of its length: add :1, :2 or :4";
		return false;
	}
	jtrace_where_find(w, p->watch.address);
	if (jtrace_where_is_own(w) || jtrace_has_memory(p->watch.address, d->length)) {
		*why = "this is memory of jtrace";
		return false;
	}
	/* It must go when the module goes. */
	if (*d->module && strcmp(d->module, w->module)) {
		*why = "this offset leads out of the module";
		return false;
	}
	if (!*d->symbol)
		jtrace_where_name(p, w);
	p->watch.old = 0;
	if (copy_from_kernel_nofault(&p->watch.old, (void *)p->watch.address, d->length)) {
		*why = "there is no memory at this address";
		return false;
	}
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
	struct jtrace_where *w = kmalloc(sizeof(*w), GFP_KERNEL);
	int err = 0;

	*why = NULL;
	p->watch.address = p->definition.address;
	p->watch.event = alloc_percpu(struct perf_event *);
	if (!w || !p->watch.event) {
		*why = "no memory";
		err = -ENOMEM;
	} else if (hotplug_state < 0) {
		*why = "the kernel has no room to tell of CPUs that come and go";
		err = hotplug_state;
	} else if (*p->definition.symbol) {
		err = find_variable(p, coming, w, why);
	}
	if (!err && !suits(p, w, why))
		err = -EINVAL;
	if (!err) {
		p->watch.arming = true;
		err = cpuhp_state_add_instance(hotplug_state, &p->watch.node);
		p->watch.arming = false;
		if (err)
			*why = why_not(err);
	}
	kfree(w);
	p->armed = !err;
	if (err)
		free_percpu(p->watch.event);
	/* Its module is not loaded. */
	return *why || !err ? err : 0;
}

/**
 * jtrace_watch_disarm() - let no more hits come
 * @p: an armed watchpoint; none of its hits is under way on return
 *
 * Context: Process; the lock of the probes is held.
 */
void jtrace_watch_disarm(struct jtrace_probe *p)
{
	cpuhp_state_remove_instance(hotplug_state, &p->watch.node);
	free_percpu(p->watch.event);
}

/* Without the state, watchpoints are refused. */
void jtrace_watch_init(void)
{
	hotplug_state = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "jtrace/watch:online",
						watch_on_cpu, unwatch_on_cpu);
}

/* No watchpoint is armed any more. */
void jtrace_watch_exit(void)
{
	if (hotplug_state >= 0)
		cpuhp_remove_multi_state(hotplug_state);
	hotplug_state = -ENODEV;
}

#else

/* See above. */
int jtrace_watch_arm(struct jtrace_probe *p, struct module *coming, const char **why)
{
	*why = "this kernel has no watchpoints";
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
