/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of jtrace_probe.ko share. */
#ifndef _JTRACE_PROBE_MODULE_H
#define _JTRACE_PROBE_MODULE_H

#include <linux/ftrace.h>
#include <linux/jtrace_site.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/tracepoint.h>

#include "../jtrace_clauses.h"
#include "../jtrace_lines.h"
#include "../lib/image/site.h"
#include "../lib/lang/probe.h"
#include "../lib/lang/spent.h"
#include "arch.h"

/* Room for the text of a definition: six values and six conditions of six loads each. */
#define JTRACE_PROBE_TEXT	4096

/**
 * struct jtrace_probe_counts - what one CPU counts for a probe
 * @hits: hits while recording was on
 * @filtered: of these, not recorded because of a condition or a closed switch
 * @passed: of these, passed over by skip= or every=
 * @limited: of these, more than rate= lets pass
 * @lost: of these, not recorded because the ring had no room
 * @faults: values that could not be loaded
 * @missed: hits inside a hit of a probe, which are not looked at
 * @spent: their time
 */
struct jtrace_probe_counts {
	u64 hits;
	u64 filtered;
	u64 passed;
	u64 limited;
	u64 lost;
	u64 faults;
	u64 missed;
	struct jtrace_spent spent;
};

/**
 * struct jtrace_probe_part - an entry with registers of each hit
 * @site: of the entry
 * @nr: how many registers
 * @at: where they are in the context
 * @tag: of the site
 */
struct jtrace_probe_part {
	struct jtrace_site site;
	u32 nr;
	u32 at[JTRACE_PROBE_PART];
	char tag[JTRACE_TAG_MAX + 1];
};

/**
 * struct jtrace_probe_watch - what a watchpoint has beyond a probe
 * @address: of what is watched
 * @old: what was there at the last hit
 * @node: in the list of the hotplug state
 * @event: of each CPU
 * @arming: a CPU that cannot watch is an error
 */
struct jtrace_probe_watch {
	unsigned long address;
	u64 old;
	struct hlist_node node;
	struct perf_event * __percpu *event;
	bool arming;
};

/**
 * struct jtrace_probe_functions - what a probe of functions has beyond others
 * @ops: of ftrace, in a kernel that has it
 * @in_modules: how many of the functions are in modules
 * @kept: ftrace does not let it go
 */
struct jtrace_probe_functions {
#ifdef CONFIG_DYNAMIC_FTRACE
	struct ftrace_ops ops;
#endif
	u32 in_modules;
	bool kept;
};

/**
 * struct jtrace_probe - a probe
 * @site: of its entries
 * @counts: of each CPU
 * @run: its clauses
 * @is_special: hits take hit_specially(): because of in=, @has_clauses, @too_slow, or a
 *	condition that jtrace_program_test() cannot test
 * @from: where its stacks begin, but for what a hit knows
 * @via: the function between the tracepoint and its hits
 * @where: more of where its stacks begin
 * @watch: of a watchpoint
 * @functions: of a probe of functions
 * @has_clauses: a hit that meets the conditions is looked at by record_by_clauses()
 * @too_slow: it took too much time, and disarms itself
 * @parts: of $regs, or NULL
 * @nr_parts: how many
 * @recorded: hits recorded, to number them for $regs
 * @definition: what the user wrote
 * @list: of all probes
 * @tag: of the site
 * @place: function of the site
 * @target: MODULE:SYMBOL, as kprobes take it
 * @armed: hits come
 * @leaving: disarmed, but kprobes may not have taken out its jump
 * @rp: registered while @armed, read while @leaving; a probe on an instruction has its kprobe only
 * @tp: the tracepoint, while @armed
 * @missed_before: misses that kprobes counted before it was armed last
 *
 * A hit reads the first members only.  The lock protects the others.
 */
struct jtrace_probe {
	struct jtrace_counted_site site;
	struct jtrace_probe_counts __percpu *counts;
	bool is_special;
	struct jtrace_clauses_run run;
	struct jtrace_stack_from from;
	struct jtrace_code via[JTRACE_STACK_VIA];
	struct jtrace_stack_place where;
	struct jtrace_probe_watch watch;
	struct jtrace_probe_functions functions;
	bool has_clauses;
	bool too_slow;
	struct jtrace_probe_part *parts;
	u32 nr_parts;
	atomic_t recorded;
	struct jtrace_probe_definition definition;

	struct list_head list;
	char tag[JTRACE_TAG_MAX + 1];
	char place[JTRACE_FUNC_MAX + 1];
	char target[2 * JTRACE_PROBE_PLACE + 2];
	bool armed;
	bool leaving;
	struct kretprobe rp;
	struct tracepoint *tp;
	u64 missed_before;
};

/* where.c */

#define JTRACE_OWN_REFUSED	"jtrace does not probe itself"

/**
 * struct jtrace_where - what the kernel calls an address
 * @text: buffer: SYMBOL+OFFSET/SIZE [MODULE]
 * @symbol: the function or variable; a number: it has no name
 * @offset: in it
 * @is_named: the address is in what @symbol names
 * @module: empty: the kernel
 */
struct jtrace_where {
	char text[KSYM_SYMBOL_LEN];
	const char *symbol;
	u64 offset;
	bool is_named;
	const char *module;
};

struct jtrace_probe;

void jtrace_where_find(struct jtrace_where *w, unsigned long address);
void jtrace_where_name(struct jtrace_probe *p, const struct jtrace_where *w);
bool jtrace_where_is_own_module(const char *name);
bool jtrace_where_is_own(const struct jtrace_where *w);
bool jtrace_where_is_loaded(const char *module);
struct module *jtrace_where_module(const char *name);

/* hit.c */
struct perf_event;
struct perf_sample_data;
struct work_struct;

void jtrace_probe_hit_init(struct work_struct *slow);
void jtrace_probe_hit_exit(void);
int jtrace_probe_hit_instruction(struct kprobe *kp, struct pt_regs *regs);
int jtrace_probe_hit_return(struct kretprobe_instance *ri, struct pt_regs *regs);
void *jtrace_probe_hit_tracepoint(const struct jtrace_program *program);
void jtrace_probe_hit_watchpoint(struct perf_event *event, struct perf_sample_data *data,
				 struct pt_regs *regs);

#ifdef CONFIG_DYNAMIC_FTRACE
void jtrace_probe_hit_function(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
			       struct ftrace_regs *fregs);
void jtrace_probe_hit_function_fully(unsigned long ip, unsigned long parent,
				     struct ftrace_ops *ops, struct ftrace_regs *fregs);
#endif

/* arm.c: the lock protects all probes. */
extern struct mutex jtrace_probes_lock;
extern struct list_head jtrace_probes;

int jtrace_probe_arm(struct jtrace_probe *p, struct module *coming, const char **why);
void jtrace_probe_disarm(struct jtrace_probe *p);
void jtrace_probe_settle(struct jtrace_probe *p);
const char *jtrace_probe_mode(const struct jtrace_probe *p);
u64 jtrace_probe_missed(const struct jtrace_probe *p);
bool jtrace_probe_is_in(const struct jtrace_probe *p, const struct module *mod, bool init);

/* watch.c */
int jtrace_watch_arm(struct jtrace_probe *p, struct module *coming, const char **why);
void jtrace_watch_disarm(struct jtrace_probe *p);
void jtrace_watch_init(void);
void jtrace_watch_exit(void);

/* functions.c */
int jtrace_functions_arm(struct jtrace_probe *p, const char **why);
void jtrace_functions_disarm(struct jtrace_probe *p);
void jtrace_functions_follow(const struct list_head *probes, const struct module *mod,
			     unsigned long state);
const char *jtrace_functions_mode(const struct jtrace_probe *p);

/* anchor.c */
void jtrace_probe_anchor(void);

/* define.c */
int jtrace_probe_define(const char *text, struct jtrace_refusal *refusal);
int jtrace_probe_remove(const char *name, struct jtrace_refusal *refusal);
void jtrace_probes_remove_all(void);
int jtrace_probes_init(void);
void jtrace_probes_exit(void);

/* lines.c */
extern struct jtrace_lines jtrace_probes_lines;

#endif /* _JTRACE_PROBE_MODULE_H */
