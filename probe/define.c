// SPDX-License-Identifier: GPL-2.0
/*
 * Control of probes: define and remove them, arm those of modules that come and go.
 *
 * A probe never changes: to change one, remove it and define it again.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "probe.h"

/* ---- Define and remove ------------------------------------------------ */

static struct jtrace_probe *find_probe(const char *name)
{
	struct jtrace_probe *p;

	list_for_each_entry(p, &jtrace_probes, list)
		if (!strcmp(p->definition.name, name))
			return p;
	return NULL;
}

/* Its hits are over. */
static void free_probe(struct jtrace_probe *p)
{
	if (p->functions.kept)
		return;
	free_percpu(p->counts);
	kfree(p->parts);
	kfree(p);
}

/* Fill in what is alike in all sites of a probe. */
static void fill_site(struct jtrace_site *site, const struct jtrace_probe *p, const char *tag)
{
	char source = p->definition.source;

	site->tag = tag;
	site->func = p->place;
	site->file = source == JTRACE_PROBE_INSTRUCTION ? "kprobe" :
		     source == JTRACE_PROBE_RETURN ? "kretprobe" :
		     source == JTRACE_PROBE_WATCHPOINT ? "watchpoint" :
		     source == JTRACE_PROBE_FUNCTION ? JTRACE_SITE_FUNCTION : "tracepoint";
	site->kind = source == JTRACE_PROBE_RETURN ? JTRACE_SITE_RETURN : JTRACE_SITE_PROBE;
}

static void fill_part(struct jtrace_probe_part *part, const struct jtrace_probe *p, u32 nr)
{
	const struct jtrace_probe_definition *d = &p->definition;
	const struct jtrace_fetch_register *first;
	u32 i;

	first = jtrace_probe_part(d, &jtrace_arch_contexts, nr, &part->nr);
	for (i = 0; i < part->nr; i++)
		part->at[i] = first[i].at;
	part->site.args = jtrace_probe_part_site(d, &jtrace_arch_contexts, nr, part->tag,
						 sizeof(part->tag));
	fill_site(&part->site, p, part->tag);
}

static bool make_parts(struct jtrace_probe *p)
{
	u32 i;

	p->nr_parts = jtrace_probe_parts(&p->definition, &jtrace_arch_contexts);
	p->parts = kcalloc(p->nr_parts, sizeof(*p->parts), GFP_KERNEL);
	if (!p->parts)
		return false;
	for (i = 0; i < p->nr_parts; i++)
		fill_part(&p->parts[i], p, i);
	return true;
}

/* Fill in what follows from the definition. */
static int prepare(struct jtrace_probe *p)
{
	struct jtrace_probe_definition *d = &p->definition;
	const struct jtrace_clauses *c = &d->clauses;
	struct jtrace_field fields[JTRACE_FETCH_VALUES];
	struct jtrace_site *site = &p->site.site;

	p->counts = alloc_percpu(struct jtrace_probe_counts);
	if (!p->counts || !make_parts(p))
		return -ENOMEM;
	p->has_clauses = c->skip || c->every > 1 || c->rate || c->stops || c->stack || *c->on ||
			 *c->off || p->nr_parts;
	p->from = (struct jtrace_stack_from) {
		.at_entry = d->source == JTRACE_PROBE_INSTRUCTION && *d->symbol && !d->offset,
		/* The function at the registers comes first: a return's caller, or the writer. */
		.at_return = d->source == JTRACE_PROBE_RETURN ||
			     d->source == JTRACE_PROBE_WATCHPOINT,
		.via = p->via,
		.place = &p->where,
		.most = c->stack,
	};
	p->is_special = *c->in || p->has_clauses || !d->program.lean;
	jtrace_program_fields(&d->program, fields);
	/* Never fails, as the parser has placed them; -EINVAL would need a refusal. */
	if (!jtrace_fields_args(fields, d->program.nr_values, &site->args))
		return -EOVERFLOW;
	if (d->program.nr_conditions || jtrace_clauses_pass_over(c))
		site->args |= JTRACE_ARGS_PARTIAL;
	jtrace_probe_tag(d, p->tag, sizeof(p->tag));
	jtrace_probe_place(d, p->place, sizeof(p->place));
	fill_site(site, p, p->tag);
	site->counted = true;
	p->site.lost = &p->counts->lost;
	return 0;
}

/* Does the definition of @p say the same?  Arming has added the module to that of @p. */
static bool is_defined(const struct jtrace_probe *p, struct jtrace_probe_definition *d)
{
	char *was = kmalloc(2 * JTRACE_PROBE_TEXT, GFP_KERNEL), *new;
	bool same;

	if (!was)
		return false;
	new = was + JTRACE_PROBE_TEXT;
	if (!*d->module && d->source != JTRACE_PROBE_FUNCTION)
		strscpy(d->module, p->definition.module, sizeof(d->module));
	jtrace_probe_text(&p->definition, &jtrace_arch_contexts, was, JTRACE_PROBE_TEXT);
	jtrace_probe_text(d, &jtrace_arch_contexts, new, JTRACE_PROBE_TEXT);
	same = !strcmp(was, new);
	kfree(was);
	return same;
}

/* Where the place begins: after the first word. */
static u32 place_in(const char *text)
{
	u32 n = strcspn(text, " \t");

	return n + strspn(text + n, " \t");
}

static int define(struct jtrace_probe *p, const char *text, struct jtrace_refusal *refusal)
{
	const struct jtrace_probe *other = find_probe(p->definition.name);
	int err;

	if (other && is_defined(other, &p->definition)) {
		*refusal = (struct jtrace_refusal) { "this probe is defined already", 0 };
		return -EEXIST;
	}
	if (other) {
		*refusal = (struct jtrace_refusal) { "there is a probe of this name: remove it first, with -:NAME", 0 };
		return -EINVAL;
	}
	if (p->definition.clauses.stack && jtrace_stack_refused()) {
		*refusal = (struct jtrace_refusal) { jtrace_stack_refused(), 0 };
		return -EINVAL;
	}
	err = prepare(p);
	if (err)
		return err;
	err = jtrace_clauses_begin(&p->run, &p->definition.clauses);
	if (err)
		return err;
	err = jtrace_probe_arm(p, NULL, &refusal->why);
	if (err) {
		jtrace_clauses_end(&p->run, &p->definition.clauses);
		refusal->at = place_in(text);
		return -EINVAL;
	}
	list_add_tail(&p->list, &jtrace_probes);
	return 0;
}

/**
 * jtrace_probe_define() - define a probe, and arm it
 * @text: its definition
 * @refusal: filled if it is refused
 *
 * Context: Process.
 * Return: 0, also if it waits for its module; -EINVAL if it is refused; -EEXIST if it is refused
 * because the same probe is there; -ENOMEM.
 */
int jtrace_probe_define(const char *text, struct jtrace_refusal *refusal)
{
	struct jtrace_probe *p = kzalloc(sizeof(*p), GFP_KERNEL);
	int err = -EINVAL;

	if (!p)
		return -ENOMEM;
	mutex_lock(&jtrace_probes_lock);
	if (jtrace_probe_parse(&p->definition, &jtrace_arch_contexts, text, refusal))
		err = define(p, text, refusal);
	if (err)
		free_probe(p);
	mutex_unlock(&jtrace_probes_lock);
	return err;
}

static void remove_probe(struct jtrace_probe *p)
{
	jtrace_probe_disarm(p);
	jtrace_probe_settle(p);
	jtrace_clauses_end(&p->run, &p->definition.clauses);
	list_del(&p->list);
	free_probe(p);
}

/**
 * jtrace_probe_remove() - remove a probe
 * @name: of the probe
 * @refusal: filled if there is none
 *
 * Context: Process.
 * Return: 0, or -EINVAL if there is no such probe.
 */
int jtrace_probe_remove(const char *name, struct jtrace_refusal *refusal)
{
	struct jtrace_probe *p;

	mutex_lock(&jtrace_probes_lock);
	p = find_probe(name);
	if (p)
		remove_probe(p);
	else
		*refusal = (struct jtrace_refusal) { "there is no probe of this name: the file probes lists all", 0 };
	mutex_unlock(&jtrace_probes_lock);
	return p ? 0 : -EINVAL;
}

void jtrace_probes_remove_all(void)
{
	struct jtrace_probe *p, *next;

	mutex_lock(&jtrace_probes_lock);
	list_for_each_entry(p, &jtrace_probes, list)
		jtrace_probe_disarm(p);
	list_for_each_entry_safe(p, next, &jtrace_probes, list)
		remove_probe(p);
	mutex_unlock(&jtrace_probes_lock);
}

/* Those that were disarmed since the lock was taken. */
static void settle_all(void)
{
	struct jtrace_probe *p;

	list_for_each_entry(p, &jtrace_probes, list)
		jtrace_probe_settle(p);
}

/* Disarm the probes that took too much time, and say so. */
static void disarm_slow(struct work_struct *work)
{
	struct jtrace_probe *p;

	mutex_lock(&jtrace_probes_lock);
	list_for_each_entry(p, &jtrace_probes, list) {
		if (!READ_ONCE(p->too_slow) || !p->armed)
			continue;
		jtrace_probe_disarm(p);
		pr_warn("probe %s took more than 25 %% of a CPU: disarmed: choose a place that is reached less often\n", p->definition.name);
	}
	settle_all();
	mutex_unlock(&jtrace_probes_lock);
}

static DECLARE_WORK(slow_work, disarm_slow);

/* ---- Modules that come and go ----------------------------------------- */

#ifdef CONFIG_MODULES
static void arm_in(struct jtrace_probe *p, struct module *mod)
{
	const char *why;

	if (p->armed || p->too_slow || strcmp(p->definition.module, mod->name))
		return;
	if (jtrace_probe_arm(p, mod, &why))
		pr_warn("probe %s is not armed in module %s: %s\n", p->definition.name, mod->name, why);
}

static int module_changes(struct notifier_block *nb, unsigned long state, void *data)
{
	struct module *mod = data;
	struct jtrace_probe *p;

	mutex_lock(&jtrace_probes_lock);
	list_for_each_entry(p, &jtrace_probes, list) {
		if (state == MODULE_STATE_COMING)
			arm_in(p, mod);
		else if (jtrace_probe_is_in(p, mod, state == MODULE_STATE_LIVE))
			jtrace_probe_disarm(p);
	}
	settle_all();
	jtrace_functions_follow(&jtrace_probes, mod, state);
	mutex_unlock(&jtrace_probes_lock);
	return NOTIFY_OK;
}

/*
 * Before those of kprobes and tracepoints (0), which give up what is still registered in a module
 * that goes; after that of jump labels (1), which is there already.
 */
static struct notifier_block modules = {
	.notifier_call = module_changes,
	.priority = 1,
};

static int follow_modules(void)
{
	return register_module_notifier(&modules);
}

static void leave_modules(void)
{
	unregister_module_notifier(&modules);
}
#else
static int follow_modules(void)
{
	return 0;
}

static void leave_modules(void)
{
}
#endif

int jtrace_probes_init(void)
{
	int err;

	jtrace_probe_hit_init(&slow_work);
	err = follow_modules();
	if (!err)
		jtrace_watch_init();
	return err;
}

void jtrace_probes_exit(void)
{
	jtrace_probes_remove_all();
	jtrace_watch_exit();
	leave_modules();
	jtrace_probe_hit_exit();
}
