// SPDX-License-Identifier: GPL-2.0
/*
 * Arm and disarm a probe of functions, by one hook of ftrace.
 *
 * "*" is all functions: ftrace adds those of modules that come.  Any other probe has a set of them.
 * ftrace finds those of the kernel and of the modules that are there.  It neither follows modules
 * nor finds all functions of one, so those are found here: a module that comes has a list of what
 * ftrace can trace in it, before its init.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ftrace.h>
#include <linux/glob.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "probe.h"

#ifdef CONFIG_DYNAMIC_FTRACE

#define NO_SUCH	"no function that can be traced has such a name"

/* ---- Which functions -------------------------------------------------- */

/*
 * A hit and a record run these: the reads of some clocks, and loads of memory.  Each call would be
 * a hit inside the hit, which counts as missed.
 */
static const char * const own[] = {
	"copy_from_kernel_nofault", "copy_from_kernel_nofault_allowed", "read_hpet", "acpi_pm_read",
	"arch_counter_read", "xen_clocksource_get_cycles", "xen_clocksource_read",
};

static bool is_own(const char *symbol)
{
	return match_string(own, ARRAY_SIZE(own), symbol) >= 0;
}

static void leave_out_own(struct ftrace_ops *ops)
{
	char name[JTRACE_PROBE_PLACE + 1];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(own); i++) {
		/* ftrace writes to it.  This kernel may not have the function. */
		strscpy(name, own[i], sizeof(name));
		ftrace_set_notrace(ops, name, strlen(name), 0);
	}
}

static bool is_all(const struct jtrace_probe_definition *d)
{
	return !*d->module && !strcmp(d->symbol, "*");
}

#ifdef CONFIG_MODULES

/**
 * struct target - a probe, and functions of a module that it has or gets
 * @p: the probe
 * @ip: the functions
 * @nr: how many
 */
struct target {
	struct jtrace_probe *p;
	unsigned long *ip;
	u32 nr;
};

/* Which part of a module: what is freed after its init, the rest, or both. */
enum part {
	PART_INIT,
	PART_CORE,
	PART_ALL,
};

/* Add the functions to the set of the probe, or remove them.  Returns how many. */
static u32 change_set(struct target *t, bool remove)
{
	struct ftrace_ops *ops = &t->p->functions.ops;
	u32 done = 0, i;

	if (!t->nr)
		return 0;
	if (!ftrace_set_filter_ips(ops, t->ip, t->nr, remove, 0))
		return t->nr;
	/* All or nothing: ftrace may have refused one. */
	for (i = 0; i < t->nr; i++)
		done += !ftrace_set_filter_ip(ops, t->ip[i], remove, 0);
	return done;
}

/* Is there such code?  What was freed after the init may be another module's now. */
static bool is_in_part(const struct module *mod, unsigned long ip, enum part part)
{
	bool init = within_module_init(ip, mod);

	return ip && within_module(ip, mod) && (part == PART_ALL || init == (part == PART_INIT));
}

/* Find the functions of each target.  A look for a name takes long: once a function. */
static void find_functions(const struct module *mod, enum part part, struct target *t, u32 nr,
			   struct jtrace_where *w)
{
	unsigned long ip;
	u32 i, k;

	for (i = 0; i < mod->num_ftrace_callsites; i++) {
		ip = mod->ftrace_callsites[i];
		ip = ip ? jtrace_arch_call_site(ip) : 0;
		if (!is_in_part(mod, ip, part))
			continue;
		jtrace_where_find(w, ip);
		/* ftrace knows the start of a function as its call there. */
		for (k = 0; k < nr; k++)
			if (glob_match(t[k].p->definition.symbol, w->symbol))
				t[k].ip[t[k].nr++] = ip - w->offset;
	}
}

/* Add the functions of a module to the sets of the targets, or remove them: 0 or -ENOMEM. */
static int change_module(const struct module *mod, enum part part, bool remove, struct target *t,
			 u32 nr)
{
	struct jtrace_where *w = kmalloc(sizeof(*w), GFP_KERNEL);
	int err = w ? 0 : -ENOMEM;
	u32 i;

	for (i = 0; i < nr; i++) {
		t[i].nr = 0;
		t[i].ip = kvmalloc_array(mod->num_ftrace_callsites, sizeof(*t[i].ip), GFP_KERNEL);
		err = t[i].ip ? err : -ENOMEM;
	}
	if (!err)
		find_functions(mod, part, t, nr, w);
	for (i = 0; i < nr; i++) {
		t[i].nr = change_set(&t[i], remove);
		t[i].p->functions.in_modules += remove ? -t[i].nr : t[i].nr;
		kvfree(t[i].ip);
	}
	kfree(w);
	return err;
}

/* May the probe have functions of the module? */
static bool concerns(const struct jtrace_probe *p, const struct module *mod)
{
	const struct jtrace_probe_definition *d = &p->definition;

	return d->source == JTRACE_PROBE_FUNCTION && p->armed && !is_all(d) &&
	       (!*d->module || !strcmp(d->module, mod->name));
}

/* The probes that may have functions of the module: how many. */
static u32 find_targets(const struct list_head *probes, const struct module *mod, struct target *t)
{
	struct jtrace_probe *p;
	u32 nr = 0;

	list_for_each_entry(p, probes, list) {
		if (!concerns(p, mod))
			continue;
		if (t)
			t[nr].p = p;
		nr++;
	}
	return nr;
}

/* A module that was loading when its probe was defined may not have been found then. */
static int add_late(const struct module *mod, struct target *t, u32 nr)
{
	int err = 0;
	u32 i;

	for (i = 0; i < nr; i++)
		if (*t[i].p->definition.module && !t[i].p->functions.in_modules)
			err = change_module(mod, PART_CORE, false, &t[i], 1) ?: err;
	return err;
}

static void warn_without(const struct module *mod, const struct target *t, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (*t[i].p->definition.module && !t[i].p->functions.in_modules)
			pr_warn("probe %s is not armed in module %s: " NO_SUCH "\n",
				t[i].p->definition.name, mod->name);
}

/**
 * jtrace_functions_follow() - a module comes, has ended its init, or goes
 * @probes: all probes
 * @mod: the module
 * @state: its state, as its notifiers are told
 *
 * Context: Process; the lock of the probes is held.
 */
void jtrace_functions_follow(const struct list_head *probes, const struct module *mod,
			     unsigned long state)
{
	u32 nr = mod->num_ftrace_callsites ? find_targets(probes, mod, NULL) : 0;
	struct target *t = nr ? kcalloc(nr, sizeof(*t), GFP_KERNEL) : NULL;
	int err = nr && !t ? -ENOMEM : 0;

	if (t) {
		find_targets(probes, mod, t);
		if (state == MODULE_STATE_COMING) {
			err = change_module(mod, PART_ALL, false, t, nr);
			warn_without(mod, t, nr);
		} else if (state == MODULE_STATE_LIVE) {
			err = change_module(mod, PART_INIT, true, t, nr) ?: add_late(mod, t, nr);
		} else {
			err = change_module(mod, PART_ALL, true, t, nr);
		}
	}
	kfree(t);
	if (err)
		pr_warn("no memory for the functions of module %s: probes do not follow it\n",
			mod->name);
}

/* The functions of a module that is there: how many, or an error. */
static int add_module(struct jtrace_probe *p, const struct module *mod)
{
	struct target t = { .p = p };
	/* Its init may just be freed. */
	enum part part = mod->state == MODULE_STATE_LIVE ? PART_CORE : PART_ALL;

	return change_module(mod, part, false, &t, 1) ?: t.nr;
}

#else

static int add_module(struct jtrace_probe *p, const struct module *mod)
{
	return -ENOENT;
}

#endif

/* The functions that are there: 0, or an error. */
static int fill_set(struct jtrace_probe *p, const char **why)
{
	const struct jtrace_probe_definition *d = &p->definition;
	char glob[JTRACE_PROBE_PLACE + 1];
	struct module *mod;
	int nr;

	if (is_own(d->symbol)) {
		*why = "a hit itself calls this function";
		return -EINVAL;
	}
	if (!*d->module) {
		/* ftrace writes to it. */
		strscpy(glob, d->symbol, sizeof(glob));
		*why = NO_SUCH "; MODULE:GLOB waits for a module";
		return ftrace_set_filter(&p->functions.ops, glob, strlen(glob), 0);
	}
	mod = jtrace_where_module(d->module);
	if (!mod) {
		*why = "this is part of the kernel: name the functions without it";
		return jtrace_where_is_loaded(d->module) ? -ENOENT : 0;
	}
	nr = add_module(p, mod);
	*why = nr < 0 ? "no memory" : NO_SUCH " in this module";
	return nr > 0 ? 0 : nr ?: -ENOENT;
}

/* ---- Arm and disarm --------------------------------------------------- */

/* Does a hit need more than the function and its caller? */
static bool needs_registers(const struct jtrace_probe_definition *d)
{
	const struct jtrace_program *program = &d->program;

	return program->nr_values > program->nr_given || program->nr_conditions;
}

/* ftrace has switched itself off, and may still call the probe: it and this module stay. */
static void keep(struct jtrace_probe *p)
{
	pr_warn("probe %s: ftrace is broken, and keeps it: unload jtrace_probe no more\n",
		p->definition.name);
	p->functions.kept = true;
	WRITE_ONCE(p->too_slow, true);
	__module_get(THIS_MODULE);
}

/**
 * jtrace_functions_arm() - let hits come
 * @p: a probe of functions
 * @why: why it is refused
 *
 * All functions take seconds.
 *
 * Context: Process; the lock of the probes is held.
 * Return: 0 if it is armed, also if it waits for its module; else an error.
 */
int jtrace_functions_arm(struct jtrace_probe *p, const char **why)
{
	const struct jtrace_probe_definition *d = &p->definition;
	struct ftrace_ops *ops = &p->functions.ops;
	int err = 0;

	memset(&p->functions, 0, sizeof(p->functions));
	ops->func = jtrace_probe_hit_function;
	if (p->is_special || needs_registers(d)) {
		if (!IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS)) {
			*why = "this kernel tells of functions only which it is, and its caller: no values, conditions and clauses";
			return -EOPNOTSUPP;
		}
		ops->func = jtrace_probe_hit_function_fully;
		ops->flags = FTRACE_OPS_FL_SAVE_REGS;
	}
	if (!is_all(d)) {
		*why = "ftrace refuses it";
		err = ftrace_set_filter_ip(ops, (unsigned long)jtrace_probe_anchor, 0, 1) ?:
		      fill_set(p, why);
	}
	if (!err) {
		leave_out_own(ops);
		*why = "ftrace refuses it";
		err = register_ftrace_function(ops);
		/* ftrace may have kept it. */
		if (err == -ENODEV)
			keep(p);
	}
	p->armed = !err;
	if (err && !p->functions.kept)
		ftrace_free_filter(ops);
	return err;
}

/**
 * jtrace_functions_disarm() - let no more hits come
 * @p: an armed probe of functions; none of its hits is under way on return
 *
 * Context: Process; the lock of the probes is held.
 */
void jtrace_functions_disarm(struct jtrace_probe *p)
{
	if (unregister_ftrace_function(&p->functions.ops))
		keep(p);
	else
		ftrace_free_filter(&p->functions.ops);
}

/**
 * jtrace_functions_mode() - how hits come
 * @p: an armed probe of functions
 *
 * Context: Process; the lock of the probes is held.
 * Return: a word; "off" if the kernel has turned off ftrace.
 */
const char *jtrace_functions_mode(const struct jtrace_probe *p)
{
	u8 first[JTRACE_ARCH_TRACED];

	if (*p->definition.module && !p->functions.in_modules)
		return "waiting";
	if (copy_from_kernel_nofault(first, jtrace_probe_anchor, sizeof(first)))
		return "off";
	return jtrace_arch_is_traced(first) ? "ftrace" : "off";
}

#else

/* See above. */
int jtrace_functions_arm(struct jtrace_probe *p, const char **why)
{
	*why = "this kernel cannot trace functions (CONFIG_DYNAMIC_FTRACE)";
	return -EOPNOTSUPP;
}

void jtrace_functions_disarm(struct jtrace_probe *p)
{
}

const char *jtrace_functions_mode(const struct jtrace_probe *p)
{
	return "off";
}

#endif /* CONFIG_DYNAMIC_FTRACE */

#if !defined(CONFIG_DYNAMIC_FTRACE) || !defined(CONFIG_MODULES)
void jtrace_functions_follow(const struct list_head *probes, const struct module *mod,
			     unsigned long state)
{
}
#endif
