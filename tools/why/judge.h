/* SPDX-License-Identifier: GPL-2.0 */
/* What the rules share. */
#ifndef _JTRACE_JUDGE_H
#define _JTRACE_JUDGE_H

#include "why.h"

/* Handlers that run for longer than this, and than so many times the slowest one, hang. */
#define HANDLER_NS	(300 * NS_PER_MS)
#define HANDLER_TIMES	10

/* Waits and work. */
#define WAIT_NS		NS_PER_S

/* A task that is blocked waits for a disk at the most. */
#define BLOCKED_NS	(5 * NS_PER_S)

/* If no work item or request like it has ended, nobody knows how long it takes. */
#define FIRST_NS	(10 * NS_PER_S)

/**
 * struct open - what is open for long
 * @nr: how many
 * @begin: the begins, in the order of their CPUs or threads, then of time
 */
struct open {
	size_t nr;
	struct pair_begin *begin;
};

/**
 * struct companion - the first CPU that a finding says gets nowhere in the kernel
 * @known: there is one
 * @cpu: its number
 * @since: since then, ns
 */
struct companion {
	bool known;
	u32 cpu;
	u64 since;
};

/**
 * struct judging - judging, as far as it is
 * @v: result
 * @handlers: handlers that are open, by CPU
 * @requests: requests to disks that are open
 * @open: what else is open, by thread
 * @cpu_told: a bit for each CPU that a finding is about
 * @stuck: since when the first one of these gets nowhere, ns; ~0 if there is none
 * @companion: see there
 * @blocked: the two tasks that are blocked for longest, the longest first
 * @sleeper: the task that sleeps for longest without a wake-up that was due
 * @inner: what the CPU that panicked had begun last
 * @failed: no memory
 */
struct judging {
	struct verdict *v;
	struct open handlers;
	struct open requests;
	struct open open;
	u8 cpu_told[CPU_NUMBERS / 8];
	u64 stuck;
	struct companion companion;
	const struct why_task *blocked[2];
	const struct why_task *sleeper;
	struct pair_begin inner;
	bool failed;
};

/* Roles of a CPU. */
#define HANDLERS						\
	(ROLE_BIT(ROLE_IRQ) | ROLE_BIT(ROLE_SOFTIRQ) |		\
	 ROLE_BIT(ROLE_TIMER) | ROLE_BIT(ROLE_HRTIMER))

/* finding.c */
struct finding *finding_begin(struct finding *f, struct pen *p, u32 rank, const char *what);
void finding_task(struct finding *f, u32 tid);
bool finding_has(const struct finding *f, u32 tid);
void finding_event(struct finding *f, const struct jtrace_decoded *ev);
void finding_tell(struct verdict *v, const struct finding *f);
bool judge_is_in_finding(const struct judging *j, u32 tid);
void judge_put_task(const struct judging *j, struct pen *p, u32 tid, u64 time);
bool judge_put_inside(const struct judging *j, struct pen *p, struct finding *f, u32 tid);
bool judge_serves_anyone(const struct judging *j, const struct why_task *task);
void judge_put_woken(const struct judging *j, struct pen *p, struct finding *f,
		     const struct why_task *task);
u64 judge_ns(const struct judging *j, const struct jtrace_decoded *ev);
u64 judge_age(const struct judging *j, const struct jtrace_decoded *ev);
bool judge_is_long(const struct judging *j, const struct pair_begin *b, u64 least, u32 times);
void judge_put_age(const struct judging *j, struct pen *p, const struct pair_begin *b);
const struct pair_begin *judge_find_open(const struct judging *j, u32 roles, u32 tid);

/* judge_cpu.c */
bool judge_is_told(const struct judging *j, u32 cpu);
void judge_panic(struct judging *j);
void judge_handlers(struct judging *j);
void judge_storms(struct judging *j);
void judge_tasks_of_cpus(struct judging *j);

/* judge_lock.c */
const struct pair_begin *judge_wait(const struct judging *j, u32 tid);
bool judge_waits_for_lock(const struct judging *j, u32 tid);
void judge_locks(struct judging *j);

/* judge_waker.c */
void judge_put_reason(const struct judging *j, struct pen *p, struct finding *f,
		      const struct why_task *task);
void judge_sleepers(struct judging *j);

/* judge_rest.c */
void judge_requests(struct judging *j);
void judge_work(struct judging *j);
void judge_blocked(struct judging *j);

#endif /* _JTRACE_JUDGE_H */
