// SPDX-License-Identifier: GPL-2.0
/*
 * Arm and disarm a probe: by kprobes, kretprobes and tracepoints; watch.c has watchpoints,
 * functions.c those of functions.
 */

#include <linux/delay.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/static_call_types.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "../wrapper/wrapper.h"
#include "probe.h"

/* Protects all probes. */
DEFINE_MUTEX(jtrace_probes_lock);
LIST_HEAD(jtrace_probes);

/* Returns at once that may wait for their end; a function that sleeps has one for each task. */
#define MOST_RETURNS	512

/* Waits for the optimizer of kprobes at most, 1 to 2 ms each. */
#define MOST_WAITS	500

#define STATIC_CALL_REFUSED	"this is a static call, not a function: probe the function that it calls"
#define THUNK_REFUSED		"the handler of a probe itself runs through this thunk"

/* ---- Kprobes: the place ------------------------------------------------ */

/*
 * Is it the trampoline of a static call?  The kernel rewrites it without care for kprobes, and
 * 6.12 decodes what is behind it, up to the end of the page and beyond.
 */
static bool is_static_call(const char *symbol)
{
	return !strncmp(symbol, STATIC_CALL_TRAMP_PREFIX_STR, STATIC_CALL_TRAMP_PREFIX_LEN);
}

static bool names_args(const struct jtrace_program *program)
{
	bool args = false;
	u32 i;

	for (i = 0; i < program->nr_values; i++)
		args |= program->value[i].fetch.source == JTRACE_FETCH_ARG;
	for (i = 0; i < program->nr_conditions; i++)
		args |= program->condition[i].fetch.source == JTRACE_FETCH_ARG;
	return args;
}

#ifdef JTRACE_ARCH_TRAMPOLINES

/* The other part of a function of which the compiler has split the cold one. */
static void find_cold(struct jtrace_code *code, const struct jtrace_where *w)
{
	const char *suffix = strstr(w->symbol, ".cold");
	char name[2 * JTRACE_PROBE_PLACE + 8];
	unsigned long at;

	scnprintf(name, sizeof(name), "%s%s%.*s%s", w->module, *w->module ? ":" : "",
		  suffix ? (int)(suffix - w->symbol) : (int)strlen(w->symbol), w->symbol,
		  suffix ? "" : ".cold");
	at = jtrace_kallsyms_find(name);
	if (at)
		jtrace_code_find(code, (void *)at);
}

/* What the stacks of a kprobe must know of its place. */
static void find_place(struct jtrace_probe *p, const struct jtrace_where *w)
{
	static const char * const trampolines[] = { JTRACE_ARCH_TRAMPOLINES };
	u32 i;

	jtrace_code_find(&p->where.within, (void *)p->rp.kp.addr - w->offset);
	find_cold(&p->where.other, w);
	for (i = 0; i < ARRAY_SIZE(trampolines) && !p->where.trampoline; i++)
		p->where.trampoline = jtrace_kallsyms_find(trampolines[i]);
}

#else

static void find_place(struct jtrace_probe *p, const struct jtrace_where *w)
{
}

#endif

/* The place is known now: is the probe good there? */
static bool suits(struct jtrace_probe *p, const char **why)
{
	struct jtrace_probe_definition *d = &p->definition;
	struct jtrace_where *w = kmalloc(sizeof(*w), GFP_KERNEL);
	bool good = false;

	if (!w) {
		*why = "no memory";
		return false;
	}
	jtrace_where_find(w, (unsigned long)p->rp.kp.addr);
	if (d->clauses.stack)
		find_place(p, w);
	if (jtrace_where_is_own(w)) {
		*why = JTRACE_OWN_REFUSED;
		goto out;
	}
	if (is_static_call(w->symbol)) {
		*why = STATIC_CALL_REFUSED;
		goto out;
	}
	if (jtrace_arch_is_thunk(w->symbol)) {
		*why = THUNK_REFUSED;
		goto out;
	}
	if (!*d->symbol) {
		if (names_args(&d->program) && !jtrace_arch_is_entry(w->offset)) {
			*why = "arguments are known at the first instruction of a function only";
			goto out;
		}
		/* From the start of a function, kprobes move it behind endbr64. */
		w->offset -= (unsigned long)p->rp.kp.addr - d->address;
	}
	jtrace_where_name(p, w);
	good = true;
out:
	kfree(w);
	return good;
}

/* ---- Kprobes: arm ----------------------------------------------------- */

static const char *why_not(int err)
{
	switch (err) {
	case -ENOENT:
	case -EADDRNOTAVAIL:
		return "there is no such function";
	case -EILSEQ:
		return "no instruction begins here";
	case -ENOMEM:
		return "no memory";
	case -EOPNOTSUPP:
		return "kprobes cannot take this instruction";
	}
	return "kprobes refuse this address: it is not kernel code, or must not be probed";
}

/* Nothing hits before its place is known: it is registered disabled, then enabled. */
static int arm_kprobe(struct jtrace_probe *p, struct module *coming, const char **why)
{
	struct jtrace_probe_definition *d = &p->definition;
	struct kprobe *kp = &p->rp.kp;
	int err;

	if (is_static_call(d->symbol)) {
		*why = STATIC_CALL_REFUSED;
		return -EINVAL;
	}
	/*
	 * Do not ask kprobes: 6.12 decodes the last function of a module up to the end of its page
	 * and beyond, and dies.
	 */
	if (jtrace_where_is_own_module(d->module)) {
		*why = JTRACE_OWN_REFUSED;
		return -EINVAL;
	}
	memset(&p->rp, 0, sizeof(p->rp));
	if (*d->symbol) {
		snprintf(p->target, sizeof(p->target), *d->module ? "%s:%s" : "%s%s", d->module,
			 d->symbol);
		kp->symbol_name = p->target;
		kp->offset = d->offset;
	} else {
		kp->addr = (kprobe_opcode_t *)(unsigned long)d->address;
	}
	kp->flags = KPROBE_FLAG_DISABLED;
	if (d->source == JTRACE_PROBE_INSTRUCTION) {
		kp->pre_handler = jtrace_probe_hit_instruction;
		err = register_kprobe(kp);
	} else {
		p->rp.handler = jtrace_probe_hit_return;
		p->rp.maxactive = MOST_RETURNS;
		err = register_kretprobe(&p->rp);
	}
	/* A module that comes is not there yet. */
	if (err == -ENOENT && *d->module && !coming && !jtrace_where_is_loaded(d->module))
		return 0;
	if (err) {
		*why = err == -ENOENT && !*d->symbol ? "there is no function at this address" :
		       why_not(err);
		return err;
	}
	p->armed = true;
	if (!suits(p, why)) {
		err = -EINVAL;
	} else {
		err = enable_kprobe(kp);
		if (err)
			*why = why_not(err);
	}
	if (err) {
		jtrace_probe_disarm(p);
		jtrace_probe_settle(p);
	}
	return err;
}

/* ---- Tracepoints ------------------------------------------------------ */

/**
 * struct search - a search for a tracepoint
 * @name: of the tracepoint
 * @module: of the module that shall have it; empty: any, or the kernel
 * @tp: the tracepoint, NULL if there is none
 * @found: name of its module, empty: the kernel
 * @nb: called for each module
 */
struct search {
	const char *name;
	const char *module;
	struct tracepoint *tp;
	char found[JTRACE_PROBE_PLACE + 1];
	struct notifier_block nb;
};

static void look_at(struct tracepoint *tp, void *data)
{
	struct search *s = data;

	if (!strcmp(tp->name, s->name))
		s->tp = tp;
}

#ifdef CONFIG_MODULES
/* As the kernel, which does not trust the tracepoints of such modules. */
static bool is_trusted(const struct module *mod)
{
	return !(mod->taints & (1UL << TAINT_PROPRIETARY_MODULE | 1UL << TAINT_FORCED_MODULE));
}

static void look_in(struct search *s, struct module *mod)
{
	u32 i;

	if ((*s->module && strcmp(s->module, mod->name)) || !is_trusted(mod) ||
	    mod->state == MODULE_STATE_GOING)
		return;
	for (i = 0; i < mod->num_tracepoints && !s->tp; i++) {
		look_at(tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]), s);
		if (s->tp)
			strscpy(s->found, mod->name, sizeof(s->found));
	}
}

/* Registering the notifier calls it for each module that has tracepoints. */
static int look_in_module(struct notifier_block *nb, unsigned long state, void *data)
{
	struct search *s = container_of(nb, struct search, nb);

	if (state == MODULE_STATE_COMING && !s->tp)
		look_in(s, ((struct tp_module *)data)->mod);
	return NOTIFY_OK;
}

static void look_in_modules(struct search *s)
{
	s->nb.notifier_call = look_in_module;
	register_tracepoint_module_notifier(&s->nb);
	unregister_tracepoint_module_notifier(&s->nb);
}
#else
static void look_in_modules(struct search *s)
{
}
#endif

/* @coming: a module that is not yet in the list of the kernel, or NULL */
static int arm_tracepoint(struct jtrace_probe *p, struct module *coming, const char **why)
{
	struct jtrace_probe_definition *d = &p->definition;
	struct search s = { .name = d->symbol, .module = d->module };
	int err;

	/* hit_few() and hit_many() do not have the prototype of the tracepoint. */
	if (IS_ENABLED(CONFIG_CFI_CLANG) || IS_ENABLED(CONFIG_CFI)) {
		*why = "this kernel checks the types of calls (CFI): probe a function instead";
		return -EINVAL;
	}
	if (!*d->module)
		for_each_kernel_tracepoint(look_at, &s);
#ifdef CONFIG_MODULES
	if (coming)
		look_in(&s, coming);
#endif
	if (!s.tp)
		look_in_modules(&s);
	if (!s.tp) {
		if (*d->module && !coming && !jtrace_where_is_loaded(d->module))
			return 0;
		*why = "there is no such tracepoint; MODULE:TRACEPOINT waits for a module";
		return -ENOENT;
	}
	if (strlen(d->symbol) + strlen(s.found) + 2 <= JTRACE_PROBE_PLACE)
		strscpy(d->module, s.found, sizeof(d->module));
	jtrace_probe_place(d, p->place, sizeof(p->place));
	/* A module may have inlined it. */
	jtrace_code_find(&p->via[0], s.tp->iterator);
	jtrace_code_find(&p->where.within, jtrace_probe_hit_tracepoint(&d->program));
	err = tracepoint_probe_register(s.tp, jtrace_probe_hit_tracepoint(&d->program), p);
	if (err) {
		*why = why_not(err);
		return err;
	}
	p->tp = s.tp;
	p->armed = true;
	return 0;
}

/* ---- All kinds -------------------------------------------------------- */

/**
 * jtrace_probe_arm() - let hits come
 * @p: the probe
 * @coming: module that is being loaded, or NULL
 * @why: why it is refused
 *
 * Context: Process; the lock is held.
 * Return: 0 if it is armed, or waits for its module; else an error.
 */
int jtrace_probe_arm(struct jtrace_probe *p, struct module *coming, const char **why)
{
	char source = p->definition.source;
	const char *refused;

	refused = jtrace_source_refused(source == JTRACE_PROBE_TRACEPOINT ?
					JTRACE_SOURCE_EVENTS : JTRACE_SOURCE_CODE);

	if (refused) {
		*why = refused;
		return -EPERM;
	}
	if (source == JTRACE_PROBE_TRACEPOINT)
		return arm_tracepoint(p, coming, why);
	if (source == JTRACE_PROBE_FUNCTION)
		return jtrace_functions_arm(p, why);
	return source == JTRACE_PROBE_WATCHPOINT ? jtrace_watch_arm(p, coming, why) :
						   arm_kprobe(p, coming, why);
}

/* Does another armed probe use this instruction? */
static bool shares_instruction(const struct jtrace_probe *p)
{
	const struct jtrace_probe *other;

	list_for_each_entry(other, &jtrace_probes, list)
		if (other != p && other->armed && other->rp.kp.addr == p->rp.kp.addr)
			return true;
	return false;
}

/*
 * Wait until kprobes have replaced the jump of an optimized probe by the instruction.
 *
 * Their optimizer does it some jiffies after the removal.  If the module is unloaded earlier, the
 * kernel (6.1 to 7.2) leaves a dead kprobe at this address forever: kill_optimized_kprobe() takes
 * it off the optimizer's list, then looks for it on that list to free it.  The next kprobe at this
 * address fails with a WARN.
 *
 * Afterwards, the module may go.  The optimizer holds the mutex of kprobes from the moment it
 * writes the instruction until it has freed the kprobe, and kprobes need that mutex to see the
 * module go.  Until then, our caller's lock stops module_changes(), which kprobes come after.
 *
 * If a kprobe of another user is at this instruction, the jump stays, and the kernel's error does
 * not occur.  Kprobes do not tell, so the wait is bounded.
 */
static void wait_for_instruction(const struct jtrace_probe *p)
{
	const struct kprobe *kp = &p->rp.kp;
	kprobe_opcode_t now;
	int i;

	if (!IS_ENABLED(CONFIG_OPTPROBES) || kprobe_ftrace((struct kprobe *)kp) ||
	    shares_instruction(p))
		return;
	for (i = 0; i < MOST_WAITS; i++) {
		if (copy_from_kernel_nofault(&now, kp->addr, sizeof(now)) || now == kp->opcode)
			return;
		usleep_range(1000, 2000);
	}
}

/**
 * jtrace_probe_settle() - wait until kprobes have taken out the jump of a probe
 * @p: the probe
 *
 * Sleeps some jiffies if the probe was a jump.  Does nothing if it was not disarmed.
 *
 * Context: Process; the lock is held since jtrace_probe_disarm().
 */
void jtrace_probe_settle(struct jtrace_probe *p)
{
	if (p->leaving)
		wait_for_instruction(p);
	p->leaving = false;
}

/**
 * jtrace_probe_disarm() - let no more hits come
 * @p: the probe; none of its hits is under way on return
 *
 * Call jtrace_probe_settle() before the lock is released or @p is freed.  To disarm several probes,
 * disarm all first: then kprobes take out their jumps together.
 *
 * Context: Process; the lock is held.
 */
void jtrace_probe_disarm(struct jtrace_probe *p)
{
	if (!p->armed)
		return;
	p->missed_before = jtrace_probe_missed(p);
	p->armed = false;
	switch (p->definition.source) {
	case JTRACE_PROBE_INSTRUCTION:
		unregister_kprobe(&p->rp.kp);
		p->leaving = true;
		break;
	case JTRACE_PROBE_RETURN:
		unregister_kretprobe(&p->rp);
		p->leaving = true;
		break;
	case JTRACE_PROBE_WATCHPOINT:
		jtrace_watch_disarm(p);
		break;
	case JTRACE_PROBE_FUNCTION:
		jtrace_functions_disarm(p);
		break;
	default:
		tracepoint_probe_unregister(p->tp,
					    jtrace_probe_hit_tracepoint(&p->definition.program), p);
		tracepoint_synchronize_unregister();
	}
}

/**
 * jtrace_probe_mode() - how hits come
 * @p: the probe
 *
 * Kprobes do not tell whether a probe is optimized, or whether all of them are turned off, so look
 * at the instruction.
 *
 * Context: Process; the lock is held.
 * Return: a word; "off" if the instruction is as it was without the probe.
 */
const char *jtrace_probe_mode(const struct jtrace_probe *p)
{
	const struct kprobe *kp = &p->rp.kp;
	kprobe_opcode_t now;

	if (p->too_slow)
		return "disarmed";
	if (!p->armed)
		return "waiting";
	if (p->definition.source == JTRACE_PROBE_TRACEPOINT)
		return "tracepoint";
	if (p->definition.source == JTRACE_PROBE_WATCHPOINT)
		return "watchpoint";
	if (p->definition.source == JTRACE_PROBE_FUNCTION)
		return jtrace_functions_mode(p);
	if (copy_from_kernel_nofault(&now, kp->addr, sizeof(now)))
		return "off";
	if (kprobe_ftrace((struct kprobe *)kp))
		return jtrace_arch_mode(now, true);
	return now == kp->opcode ? "off" : jtrace_arch_mode(now, false);
}

/* Tracepoints, watchpoints and functions have none. */
static bool has_kprobe(const struct jtrace_probe *p)
{
	return p->definition.source == JTRACE_PROBE_INSTRUCTION ||
	       p->definition.source == JTRACE_PROBE_RETURN;
}

/* Hits that kprobes could not handle, because they came inside another one. */
u64 jtrace_probe_missed(const struct jtrace_probe *p)
{
	if (!p->armed || !has_kprobe(p))
		return p->missed_before;
	return p->missed_before + p->rp.kp.nmissed + p->rp.nmissed;
}

/*
 * Is it armed in this module?  @init: in the part that is freed after its init.  Not of a probe of
 * functions, which is in many.
 */
bool jtrace_probe_is_in(const struct jtrace_probe *p, const struct module *mod, bool init)
{
	unsigned long at = has_kprobe(p) ? (unsigned long)p->rp.kp.addr :
			   p->definition.source == JTRACE_PROBE_TRACEPOINT ?
			   (unsigned long)p->tp : p->watch.address;

	return p->armed && (init ? within_module_init(at, mod) : within_module(at, mod));
}
