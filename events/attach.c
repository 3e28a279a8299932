// SPDX-License-Identifier: GPL-2.0
/*
 * Control of events: add and remove groups, attach probes to tracepoints.
 *
 * A tracepoint of a module comes and goes with it.  An event that is on is attached whenever its
 * tracepoint is there.  Clauses are changed while the event is detached, so probes take no lock.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../lib/image/site.h"
#include "events.h"

/* Protects the groups and the state of their events. */
DEFINE_MUTEX(jtrace_events_lock);
LIST_HEAD(jtrace_event_groups);

/* ---- The slow part of a probe ----------------------------------------- */

/*
 * Does every= let this hit pass?  Counted per CPU: a counter that CPUs share would be a locked
 * instruction at each allocation.  An interrupt in between may record one hit more, or one less.
 */
static __always_inline bool is_turn(struct jtrace_event *event, u32 every)
{
	if (every > 1) {
		if (this_cpu_inc_return(event->counts->turn) < every)
			return false;
		this_cpu_write(event->counts->turn, 0);
	}
	return true;
}

/* Do the clauses let a hit pass that meets the conditions? */
static __always_inline bool passes(struct jtrace_event *event, const struct jtrace_clauses *c)
{
	struct jtrace_clauses_run *run = &event->own->run;

	return jtrace_clauses_open(run) && !jtrace_clauses_is_skipped(run, c->skip) &&
	       is_turn(event, c->every) && jtrace_clauses_is_within_rate(run, c->rate);
}

/* The stack of the running probe; inlined, so that it begins at the function that calls this. */
static __always_inline u32 take_stack(const struct jtrace_event *event, u32 most)
{
	struct jtrace_stack_from from = { .via = event->own->via, .most = most };
	struct pt_regs regs;

	JTRACE_STACK_HERE(&from, &regs);
	return jtrace_stack_take(&from);
}

/* There are clauses other than every=. */
static noinline notrace void record_by_clauses(struct jtrace_event *event, u64 ab, u64 cd, u64 e,
					       u64 f)
{
	const struct jtrace_clauses *c = &event->filter->clauses;

	if (!passes(event, c))
		this_cpu_inc(event->counts->filtered);
	else if (jtrace_record_told(&event->site.site, ab, cd, e, f,
				    c->stack ? take_stack(event, c->stack) : 0))
		jtrace_clauses_act(&event->own->run, c, event->name);
}
NOKPROBE_SYMBOL(record_by_clauses);

/**
 * jtrace_event_record_if() - record a hit if its filter lets it pass; else count it
 * @event: it has a filter
 * @ab: its values, as jtrace_record() takes them
 * @cd: same
 * @e: same
 * @f: same
 *
 * Context: Any.
 */
notrace void jtrace_event_record_if(struct jtrace_event *event, u64 ab, u64 cd, u64 e, u64 f)
{
	const struct jtrace_event_filter *filter = event->filter;

	if (jtrace_event_holds(filter, ab, cd, e, f)) {
		if (unlikely(filter->has_more)) {
			record_by_clauses(event, ab, cd, e, f);
			return;
		}
		if (is_turn(event, filter->clauses.every)) {
			jtrace_record(&event->site.site, ab, cd, e, f);
			return;
		}
	}
	this_cpu_inc(event->counts->filtered);
}
EXPORT_SYMBOL_GPL(jtrace_event_record_if);
NOKPROBE_SYMBOL(jtrace_event_record_if);

/* All counters begin anew.  No probe runs. */
static void reset_counts(struct jtrace_event *event)
{
	int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(event->counts, cpu), 0, sizeof(*event->counts));
}

/* ---- Attach and detach ------------------------------------------------ */

/* No hit of it comes any more: it is off. */
static void turn_off(struct jtrace_event *event)
{
	struct jtrace_event_state *own = event->own;

	if (own->on)
		jtrace_clauses_end(&own->run, &own->filter.clauses);
	own->on = false;
	event->filter = NULL;
}

/* An event whose tracepoint refuses the probe is off. */
static int attach(struct jtrace_event *event)
{
	struct jtrace_event_state *own = event->own;
	int err;

	if (!own->on || own->attached || !own->tp || !event->probe)
		return 0;
	/* Not on the stack if the compiler has made jumps of the calls. */
	jtrace_code_find(&own->via[0], own->tp->iterator);
	jtrace_code_find(&own->via[1], event->probe);
	jtrace_code_find(&own->via[2], jtrace_event_record_if);
	err = tracepoint_probe_register(own->tp, event->probe, event);
	own->attached = !err;
	if (err) {
		/* Hits of a tracepoint that has just gone may be under way. */
		tracepoint_synchronize_unregister();
		turn_off(event);
		pr_warn("%s: turned off: no probe on tracepoint %s: error %d\n", event->name,
			event->tracepoint, err);
	}
	return err;
}

/* The probe may still run: call tracepoint_synchronize_unregister() before changing its filter. */
static void detach(struct jtrace_event *event)
{
	if (event->own->attached)
		tracepoint_probe_unregister(event->own->tp, event->probe, event);
	event->own->attached = false;
}

static bool is_name(const struct jtrace_event_order *order, const char *name)
{
	return order->len == strlen(name) && !memcmp(order->name, name, order->len);
}

static bool is_meant(const struct jtrace_event_order *order, const struct jtrace_event_group *group,
		     const struct jtrace_event *event)
{
	return is_name(order, event->name) || is_name(order, group->name) ||
	       (group->within && is_name(order, group->within)) || is_name(order, "all");
}

/* Entries of an event that passes over hits have a site of their own.  No probe runs. */
static void set_partial(struct jtrace_event *event, bool partial)
{
	struct jtrace_site *site = &event->site.site;
	u32 args = (site->args & ~JTRACE_ARGS_PARTIAL) | (partial ? JTRACE_ARGS_PARTIAL : 0);

	if (args != site->args)
		site->number = 0;
	site->args = args;
}

/*
 * What began before an event was switched is not known to end behind it: hits in between were
 * recorded by other conditions, or not at all.  Readers need to know where.  No probe of the events
 * that are switched runs.
 */
static void record_switch(u32 on, u32 off)
{
	JTRACE(JTRACE_TAG_SWITCHED "on, off)", on, off);
}

/* Turn on an event that is off; its text has been parsed before. */
static int turn_on(struct jtrace_event *event, const char *text)
{
	struct jtrace_event_state *own = event->own;
	struct jtrace_refusal refusal;
	int err;

	if (!jtrace_event_parse(&own->filter, event->fields, event->nr_fields, text, &refusal))
		return -EINVAL;
	err = jtrace_clauses_begin(&own->run, &own->filter.clauses);
	if (err) {
		pr_warn("%s: turned off: no memory for its clauses\n", event->name);
		return err;
	}
	own->on = true;
	event->filter = own->filter.nr || own->filter.has_more ||
			own->filter.clauses.every > 1 ? &own->filter : NULL;
	set_partial(event, own->filter.nr || jtrace_clauses_pass_over(&own->filter.clauses));
	reset_counts(event);
	return attach(event);
}

/* Can this boot not take the stack that is asked for? */
static bool refuse_stack(const struct jtrace_clauses *c, struct jtrace_refusal *refusal)
{
	refusal->why = c->stack ? jtrace_stack_refused() : NULL;
	refusal->at = 0;
	return refusal->why;
}

/**
 * jtrace_events_switch() - turn events on or off
 * @order: which, and how
 * @refusal: filled if the order is refused: nothing has changed then
 *
 * Context: Process.
 * Return: 0; -EINVAL if the order is refused; -ENOMEM, or the error of a tracepoint that refuses
 * the probe: its event is off, the others are as ordered.
 */
int jtrace_events_switch(const struct jtrace_event_order *order, struct jtrace_refusal *refusal)
{
	struct jtrace_event_group *group;
	struct jtrace_event_filter filter;
	struct jtrace_event *event;
	int err = -EINVAL, ret;
	u32 i, meant = 0, were_on = 0;

	if (order->on) {
		refusal->at = 0;
		refusal->why = jtrace_source_refused(JTRACE_SOURCE_EVENTS);
		if (refusal->why)
			return -EINVAL;
	}
	mutex_lock(&jtrace_events_lock);
	jtrace_for_each_event(group, i, event) {
		if (!is_meant(order, group, event))
			continue;
		meant++;
		if (order->on && (!jtrace_event_parse(&filter, event->fields, event->nr_fields,
						      order->filter, refusal) ||
				  refuse_stack(&filter.clauses, refusal))) {
			refusal->at += order->filter - order->name;
			goto out;
		}
	}
	if (!meant) {
		*refusal = (struct jtrace_refusal) { "no event or group has this name: the file events lists all", 0 };
		goto out;
	}
	jtrace_for_each_event(group, i, event)
		if (is_meant(order, group, event)) {
			/* Without a tracepoint, too: it may have gone just now. */
			were_on += event->own->on;
			detach(event);
		}
	if (were_on)
		tracepoint_synchronize_unregister();
	if (order->on || were_on)
		record_switch(order->on ? meant : 0, order->on ? 0 : were_on);
	err = 0;
	/* An end without a begin tells nothing; a begin without an end would. */
	jtrace_for_each_event_reverse(group, i, event) {
		if (!is_meant(order, group, event))
			continue;
		turn_off(event);
		if (!order->on)
			continue;
		ret = turn_on(event, order->filter);
		if (ret)
			*refusal = (struct jtrace_refusal) { "the event cannot be turned on: the kernel log says why", 0 };
		err = err ?: ret;
	}
out:
	mutex_unlock(&jtrace_events_lock);
	return err;
}

/* ---- Tracepoints ------------------------------------------------------ */

/*
 * A tracepoint is there: attach the events of this group that are on.
 *
 * An event keeps the first tracepoint of its name, that of the kernel before those of modules:
 * another one may have another prototype, and would be left attached.
 */
static void tracepoint_comes(struct tracepoint *tp, void *data)
{
	struct jtrace_event_group *group = data;
	u32 i;

	for (i = 0; i < group->nr; i++) {
		if (group->events[i]->own->tp || strcmp(tp->name, group->events[i]->tracepoint))
			continue;
		group->events[i]->own->tp = tp;
		attach(group->events[i]);
	}
}

#ifdef CONFIG_MODULES
static void tracepoint_goes(struct tracepoint *tp, struct jtrace_event_group *group)
{
	u32 i;

	for (i = 0; i < group->nr; i++) {
		if (group->events[i]->own->tp != tp)
			continue;
		detach(group->events[i]);
		group->events[i]->own->tp = NULL;
	}
}

/* Also called for each module that is loaded already, and when the notifier is unregistered. */
static int module_changes(struct notifier_block *nb, unsigned long state, void *data)
{
	struct jtrace_event_group *group = container_of(nb, struct jtrace_event_group, modules);
	struct module *mod = ((struct tp_module *)data)->mod;
	unsigned int i;

	mutex_lock(&jtrace_events_lock);
	for (i = 0; i < mod->num_tracepoints; i++) {
		struct tracepoint *tp = tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]);

		if (state == MODULE_STATE_COMING)
			tracepoint_comes(tp, group);
		else if (state == MODULE_STATE_GOING)
			tracepoint_goes(tp, group);
	}
	mutex_unlock(&jtrace_events_lock);
	return NOTIFY_OK;
}

static void watch_modules(struct jtrace_event_group *group)
{
	group->modules.notifier_call = module_changes;
	register_tracepoint_module_notifier(&group->modules);
}

static void unwatch_modules(struct jtrace_event_group *group)
{
	unregister_tracepoint_module_notifier(&group->modules);
}
#else
static void watch_modules(struct jtrace_event_group *group)
{
}

static void unwatch_modules(struct jtrace_event_group *group)
{
}
#endif

/* ---- Groups ----------------------------------------------------------- */

static void free_event(struct jtrace_event *event)
{
	free_percpu(event->counts);
	kfree(event->own);
	event->counts = NULL;
	event->own = NULL;
}

static int prepare_event(struct jtrace_event *event)
{
	struct jtrace_site *site = &event->site.site;
	size_t len = strlen(event->name);

	event->own = kzalloc(sizeof(*event->own), GFP_KERNEL);
	event->counts = alloc_percpu(struct jtrace_event_counts);
	if (!event->own || !event->counts)
		return -ENOMEM;
	if (!jtrace_fields_args(event->fields, event->nr_fields, &site->args) ||
	    len > JTRACE_TAG_MAX) {
		pr_err("%s: the fields do not fit an entry, or the name is longer than %d\n",
		       event->name, JTRACE_TAG_MAX);
		return -EINVAL;
	}
	memcpy(event->own->tag, event->name, len);
	jtrace_fields_text(event->fields, event->nr_fields, event->own->tag + len,
			   sizeof(event->own->tag) - len);
	site->tag = event->own->tag;
	site->number = 0;
	event->site.lost = &event->counts->lost;
	return 0;
}

/* Is a name in use?  @within: it is that of a larger group, which others may be within, too. */
static bool is_taken(const char *name, bool within)
{
	const struct jtrace_event_order order = { name, strlen(name) };
	struct jtrace_event_group *group;
	struct jtrace_event *event;
	u32 i;

	jtrace_for_each_event(group, i, event) {
		if (within ? is_name(&order, event->name) : is_meant(&order, group, event)) {
			pr_err("%s: there is an event or a group of this name\n", name);
			return true;
		}
	}
	return false;
}

static bool name_is_taken(const struct jtrace_event_group *new)
{
	bool taken = is_taken(new->name, false) || (new->within && is_taken(new->within, true));
	u32 i;

	for (i = 0; i < new->nr && !taken; i++)
		taken = is_taken(new->events[i]->name, false);
	return taken;
}

static void free_group(struct jtrace_event_group *group, u32 nr)
{
	while (nr--)
		free_event(group->events[nr]);
}

/**
 * jtrace_events_add() - add a group of events, all of them off
 * @group: it and its events live until jtrace_events_remove()
 *
 * Context: Process.
 * Return: 0, -EEXIST if a name is taken, -EINVAL if fields do not fit an entry, -ENOMEM.
 */
int jtrace_events_add(struct jtrace_event_group *group)
{
	u32 nr;
	int err = 0;

	for (nr = 0; nr < group->nr && !err; nr++)
		err = prepare_event(group->events[nr]);
	mutex_lock(&jtrace_events_lock);
	if (!err && name_is_taken(group))
		err = -EEXIST;
	if (!err) {
		list_add_tail(&group->list, &jtrace_event_groups);
		for_each_kernel_tracepoint(tracepoint_comes, group);
	}
	mutex_unlock(&jtrace_events_lock);
	if (err) {
		free_group(group, nr);
		return err;
	}
	watch_modules(group);
	return 0;
}
EXPORT_SYMBOL_GPL(jtrace_events_add);

/**
 * jtrace_events_remove() - undo jtrace_events_add()
 * @group: the group; no probe of it runs any more on return
 *
 * Context: Process.
 */
void jtrace_events_remove(struct jtrace_event_group *group)
{
	u32 i, were_on = 0;

	unwatch_modules(group);
	mutex_lock(&jtrace_events_lock);
	for (i = 0; i < group->nr; i++) {
		were_on += group->events[i]->own->on;
		detach(group->events[i]);
	}
	list_del(&group->list);
	mutex_unlock(&jtrace_events_lock);
	tracepoint_synchronize_unregister();
	if (were_on)
		record_switch(0, were_on);
	for (i = 0; i < group->nr; i++)
		turn_off(group->events[i]);
	free_group(group, group->nr);
}
EXPORT_SYMBOL_GPL(jtrace_events_remove);
