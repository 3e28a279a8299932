/* SPDX-License-Identifier: GPL-2.0 */
/* Why a machine died: what was unfinished when its trace ends. */
#ifndef _JTRACE_WHY_H
#define _JTRACE_WHY_H

#include <stdio.h>

#include "../../lib/base/pen.h"
#include "../entries/pairs.h"
#include "../image/image.h"

#define NS_PER_MS	1000000ULL
#define NS_PER_S	1000000000ULL

/* model.c */

/**
 * enum task_state - what a task does, by the scheduler's events
 * @TASK_UNKNOWN: no event tells
 * @TASK_RUNS: it runs
 * @TASK_READY: it was woken or preempted, and has not run since
 * @TASK_SLEEPS: it went to sleep, and was not woken since
 * @TASK_GONE: it is dead
 */
enum task_state {
	TASK_UNKNOWN,
	TASK_RUNS,
	TASK_READY,
	TASK_SLEEPS,
	TASK_GONE,
};

/**
 * struct why_runner - what may wake tasks: a timer, a work item, a kind of softirq
 * @role: which of these
 * @object: address of the timer or work item, number of the softirq
 * @function: address of its function; 0 for a softirq
 * @tells: a task that it wakes has waited for what it does
 * @site: of @last
 * @last: it began
 */
struct why_runner {
	enum pair_role role;
	u64 object;
	u64 function;
	bool tells;
	const struct pair_site *site;
	struct jtrace_decoded last;
};

/**
 * struct why_task - a task
 * @tid: its number
 * @state: what it does
 * @flags: state of a task that sleeps, as in sched_switch
 * @cpu: of a task that is ready: whose it is; -1 if its wake-up goes on
 * @target: where it ran last, when its wake-up began
 * @since: of @state, ns
 * @slowest: the longest uninterruptible sleep that ended, ns
 * @slept: when it went to sleep last, ns; 0 if it did not
 * @waking: it runs, and a wake-up of it has begun
 * @work: the work item that it runs, if it is one
 * @woke: the task that it woke last since its own last sleep, 0 if it woke none
 * @woke_at: then, ns
 * @user: it makes system calls
 * @exits: since when it exits, ns; 0 if it does not
 * @born: when it was made, ns; 0 if that is not known
 * @call: the number of the one that it is in, and 1; 0 if it is in none
 * @family: the task that made it, if that is known, or itself
 * @ev: the entry that told @state
 */
struct why_task {
	u32 tid;
	enum task_state state;
	u32 flags;
	int cpu;
	u32 target;
	u64 since;
	u64 slowest;
	u64 slept;
	bool waking;
	bool user;
	u64 exits;
	u64 born;
	const struct why_runner *work;
	u32 woke;
	u64 woke_at;
	u64 call;
	u32 family;
	struct jtrace_decoded ev;
};

/**
 * struct why_waker - who ends sleeps that are alike, see wakers.c
 * @family: see &struct why_task
 * @call: see there
 * @deep: they are uninterruptible
 * @by: in this the last ones were woken; NULL if elsewhere
 * @task_by: this task woke the last ones, if there is no @by; 0: another one, or nobody knows
 * @nr: so many in turn
 * @tid: the task that was woken last
 * @last: then, ns
 * @slowest: the longest one, ns
 */
struct why_waker {
	u32 family;
	u64 call;
	bool deep;
	const struct why_runner *by;
	u32 task_by;
	u64 nr;
	u32 tid;
	u64 last;
	u64 slowest;
};

/**
 * struct why_stay - a task that ran on a CPU until the task that stops CPUs interrupted it
 * @tid: of the task, 0: none
 * @ticks: see &struct why_cpu.ticks
 * @since: see &struct why_cpu.since
 * @until: when it was interrupted, ns
 * @switched: see &struct why_cpu.switched
 */
struct why_stay {
	u32 tid;
	u32 ticks;
	u64 since;
	u64 until;
	struct jtrace_decoded switched;
};

/**
 * struct why_storm - runs of a timer's function, with no other entry of the CPU between them
 * @site: of @begin; NULL: the last entry is of something else
 * @timer: address of the timer
 * @nr: begins and ends
 * @since: time of the first one, ns
 * @inside: time in which the function ran, ns
 * @began: time of @begin, ns
 * @begin: the last begin
 */
struct why_storm {
	const struct pair_site *site;
	u64 timer;
	u64 nr;
	u64 since;
	u64 inside;
	u64 began;
	struct jtrace_decoded begin;
};

/**
 * struct why_running - what runs on a CPU beside tasks
 * @known: the rest is known, if it is &struct model.epoch
 * @timer: whose function runs in an interrupt
 * @soft_timer: whose function runs in a softirq
 * @softirq: of which kind
 */
struct why_running {
	u32 known;
	const struct why_runner *timer;
	const struct why_runner *soft_timer;
	const struct why_runner *softirq;
};

/**
 * struct why_cpu - a CPU
 * @nr: number of its entries
 * @offline: it went offline
 * @known: @tid and what follows it are known, if it is &struct model.epoch
 * @tid: of the task that runs
 * @since: since when, but for moments of @stopper, ns
 * @switched: the entry that told
 * @stopper: the task that stops CPUs, if it interrupted @tid; else 0
 * @interrupted: the task that @tid interrupted
 * @running: see there
 * @ticks: interrupts and timers since @since
 * @ticked: &struct model.epoch when %WHY_TICKS of them last interrupted one task
 * @nr_all: number of entries of all CPUs up to its newest one
 * @at: time of its newest entry, ns
 * @silence: the longest time without an entry, while a task ran, ns
 * @storm: its newest entries, if they are of one timer
 * @last: its newest entry
 */
struct why_cpu {
	u64 nr;
	bool offline;
	u32 known;
	u32 tid;
	u64 since;
	struct jtrace_decoded switched;
	u32 stopper;
	struct why_stay interrupted;
	struct why_running running;
	u32 ticks;
	u32 ticked;
	u64 nr_all;
	u64 at;
	u64 silence;
	struct why_storm storm;
	struct jtrace_decoded last;
};

/**
 * enum why_group - groups of events that a rule needs
 * @GROUP_SCHED: sched_switch and sched_wakeup
 * @GROUP_IRQ: handlers of interrupts
 * @GROUP_SOFTIRQ: softirqs
 * @GROUP_TIMER: functions of timers
 * @GROUP_WORKQUEUE: work items
 * @GROUP_SYSCALL: system calls
 * @GROUP_LOCK: waits for locks
 * @GROUP_BLOCK: requests to disks
 * @GROUPS: number of these
 */
enum why_group {
	GROUP_SCHED,
	GROUP_IRQ,
	GROUP_SOFTIRQ,
	GROUP_TIMER,
	GROUP_WORKQUEUE,
	GROUP_SYSCALL,
	GROUP_LOCK,
	GROUP_BLOCK,
	GROUPS,
};

/**
 * struct model - the machine at the last moment that counts
 * @t: the trace, without selection
 * @pairs: what is open
 * @until: the moment, ns: nothing that came later counts
 * @from: from when on no entry is missing and none contradicts another one, ns
 * @first: time of the oldest entry, ns
 * @nr: number of entries
 * @stopped: recording was stopped
 * @stopped_at: then, ns
 * @epoch: how often all that was known was forgotten, and 1
 * @switches: number of times that a task began to run
 * @unwoken: of these, without a wake-up
 * @migrations: number of times that a task went to another CPU
 * @newest: time of the newest entry, ns
 * @last: the same, raw
 * @paused: when the last time without any entry ended that was so long that the machine may have
 *	been stopped, ns
 * @seen: a bit for each event that groups need, and that happened
 * @passed: of these, those whose clauses may pass over hits
 * @ended: roles of which something ended, so that their ends are recorded
 * @cpu: CPUs by their number
 * @cpus: how many have entries
 * @tasks: a tree of tsearch()
 * @slow: the slowest of what ended, a tree of tsearch()
 * @runners: a tree of tsearch()
 * @wakers: a tree of tsearch()
 */
struct model {
	const struct jtrace_trace *t;
	struct pairs *pairs;
	u64 until;
	u64 from;
	u64 first;
	u64 nr;
	bool stopped;
	u64 stopped_at;
	u32 epoch;
	u64 switches;
	u64 unwoken;
	u64 migrations;
	u64 newest;
	u64 last;
	u64 paused;
	u32 seen;
	u32 passed;
	u32 ended;
	struct why_cpu *cpu;
	u32 cpus;
	void *tasks;
	void *slow;
	void *runners;
	void *wakers;
};

/**
 * struct why_slow - the slowest of what ended
 * @role: what it was
 * @key: of a lock, an interrupt, a function, ...
 * @nr: how many ended
 * @ns: the slowest one
 * @last: when the last one ended, ns
 */
struct why_slow {
	enum pair_role role;
	u64 key;
	u64 nr;
	u64 ns;
	u64 last;
};

/* So many interrupts show that a CPU has a tick while a task runs. */
#define WHY_TICKS	3

bool model_read(struct model *m, const struct jtrace_trace *t, u64 until, u64 from);
bool model_has(const struct model *m, enum why_group group);
bool model_passes_over(const struct model *m, enum why_group group);
bool model_knows_tasks(const struct model *m);
void model_close(struct model *m);

/* model_tasks.c */
void *model_grow(void **tree, const void *wanted, size_t size,
		 int (*order)(const void *, const void *));
struct why_task *model_get_task(struct model *m, u32 tid);
struct why_slow *model_get_slow(struct model *m, const struct pair_begin *b);
const struct why_slow *model_slowest(const struct model *m, const struct pair_begin *b);
const struct why_task *model_task(const struct model *m, u32 tid);
void model_each_task(const struct model *m,
		     void (*call)(const struct why_task *task, void *data), void *data);

/* storms.c */
void storms_take(struct model *m, const struct pair_site *s, const struct jtrace_decoded *ev,
		 u64 ns);

/* wakers.c */
bool wakers_take(struct model *m, const struct pair_site *site, const struct jtrace_decoded *ev);
bool wakers_wake(struct model *m, const struct why_task *task, const struct jtrace_decoded *ev,
		 u64 ns);
void wakers_forget(struct model *m, const struct why_task *task);
const struct why_runner *wakers_runner(const struct model *m, const struct why_waker *w);
const struct why_runner *wakers_timer(const struct model *m, const struct why_waker *w);
const struct why_waker *model_waker(const struct model *m, const struct why_task *task);

/* Does the kernel run softirqs in threads, which others preempt? */
static inline bool model_is_rt(const struct model *m)
{
	return memmem(m->t->header.release, sizeof(m->t->header.release), "rt", 2);
}

/* Is it known which task runs on a CPU? */
static inline bool model_knows_cpu(const struct model *m, const struct why_cpu *cpu)
{
	return cpu->known == m->epoch;
}

/* judge.c */

#define FINDING_TEXT	2048
#define FINDING_EVIDENCE 3
#define FINDING_TASKS	8

/**
 * struct finding - what is told
 * @rank: findings of a larger one come first
 * @likely: it is an inference; else a fact
 * @what: a word for programs
 * @text: a sentence without its stop, escaped
 * @tid: tasks that it is about
 * @tids: how many
 * @cpu: that it is about, -1 if none
 * @since: when it began, ns
 * @evidence: entries that show it
 * @nr: how many
 */
struct finding {
	u32 rank;
	bool likely;
	const char *what;
	char text[FINDING_TEXT];
	u32 tid[FINDING_TASKS];
	u32 tids;
	int cpu;
	u64 since;
	struct jtrace_decoded evidence[FINDING_EVIDENCE];
	u32 nr;
};

/* More are not told. */
#define FINDINGS	3

/**
 * struct panic - where the panic began, by the kernel log
 * @known: the rest is set
 * @cpu: on this CPU
 * @tid: and in this task, or an interrupt of it
 */
struct panic {
	bool known;
	u32 cpu;
	u32 tid;
};

/**
 * struct verdict - all that is told
 * @m: the machine
 * @panic: where it panicked
 * @finding: those with the largest ranks, in their order
 * @nr: how many
 * @more: others, which are not told
 * @why_not: why nothing is said about what is unfinished, or NULL
 */
struct verdict {
	struct model m;
	struct panic panic;
	struct finding finding[FINDINGS];
	u32 nr;
	u32 more;
	const char *why_not;
};

bool judge(struct verdict *v);

/* names.c */
void put_task_name(const struct jtrace_trace *t, struct pen *p, u32 tid, u64 time);
void put_span(struct pen *p, u64 ns);
void put_time(struct pen *p, u64 ns);
void put_begin_name(const struct jtrace_trace *t, struct pen *p, const struct pair_begin *b);
void put_state(struct pen *p, const struct why_task *task);
bool begin_value(const struct jtrace_trace *t, const struct jtrace_decoded *ev, const char *name,
		 struct field_value *to);

/* say.c */
void say_text(const struct verdict *v, const char *how, const char *as_of, FILE *to);
void say_json(const struct verdict *v, const char *as_of, FILE *to);
void say_findings(const struct verdict *v, FILE *to);

/* why.c */

/**
 * enum why_form - what to print
 * @WHY_TEXT: all, for people
 * @WHY_JSON: all, for programs
 * @WHY_FINDINGS: the sentences of the findings, a line each
 */
enum why_form {
	WHY_TEXT,
	WHY_JSON,
	WHY_FINDINGS,
};

bool why_write(const struct dump *d, enum why_form form, u64 moment, FILE *to, bool *found);

bool why_each_task(const struct dump *d, void (*call)(const struct why_task *task, void *data),
		   void *data);

#endif /* _JTRACE_WHY_H */
