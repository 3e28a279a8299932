// SPDX-License-Identifier: GPL-2.0
/*
 * Records as fast as it can, on all CPUs, from threads and interrupts, events
 * that say themselves who wrote them and whether they are whole.
 *
 * Starts when it is loaded.  Each writer is alone in its context on its CPU, so
 * its counter needs no atomic.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/io.h>
#include <linux/jiffies.h>
#include <linux/jtrace.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/prio.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "hammer.h"

static uint threads_per_cpu = 1;
module_param(threads_per_cpu, uint, 0444);
MODULE_PARM_DESC(threads_per_cpu, "threads on each CPU, 1 or 2");

static uint seconds = 10;
module_param(seconds, uint, 0444);
MODULE_PARM_DESC(seconds, "stop after so long; 0: run until the module is unloaded");

static ulong count;
module_param(count, ulong, 0444);
MODULE_PARM_DESC(count, "stop after so many events of a thread; 0: no limit");

static uint contexts = 1 << HAMMER_TASK | 1 << HAMMER_SOFTIRQ | 1 << HAMMER_HARDIRQ;
module_param(contexts, uint, 0444);
MODULE_PARM_DESC(contexts, "sum of 1: task, 2: softirq, 4: hardirq");

static ulong cpus = ~0UL;
module_param(cpus, ulong, 0444);
MODULE_PARM_DESC(cpus, "mask of CPUs to use");

static uint burst = 16;
module_param(burst, uint, 0444);
MODULE_PARM_DESC(burst, "events in a row");

static uint pause_us;
module_param(pause_us, uint, 0444);
MODULE_PARM_DESC(pause_us, "threads sleep so long after each burst");

static uint irq_us = 500;
module_param(irq_us, uint, 0444);
MODULE_PARM_DESC(irq_us, "time between bursts in interrupts, at the least");

static bool mono;
module_param(mono, bool, 0444);
MODULE_PARM_DESC(mono, "time readings are of the monotonic clock, not of the boot-time clock");

static ulong progress;
module_param(progress, ulong, 0444);
MODULE_PARM_DESC(progress, "physical address of a reserved page that tells what was recorded");

static bool small;
module_param(small, bool, 0444);
MODULE_PARM_DESC(small, "put all in the first argument, for small entries");

/**
 * struct writer - one context on one CPU
 * @id: hammer_id()
 * @progress: to be kept up to date, or NULL
 * @events: recorded, or lost, so far
 * @after: time when the event before was recorded
 */
struct writer {
	u32 id;
	struct hammer_progress *progress;
	u64 events;
	u64 after;
};

struct worker {
	struct task_struct *task;
	u32 cpu;
	u32 thread;
	struct writer writers[HAMMER_NR_CONTEXTS];
	struct hrtimer timers[HAMMER_NR_CONTEXTS];
};

static struct hammer_progress *progress_page;
static struct worker *workers;
static u32 nr_workers;
static atomic_t nr_running;

static int running_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%d\n", atomic_read(&nr_running));
}

static const struct kernel_param_ops running_ops = { .get = running_get };
module_param_cb(running, &running_ops, NULL, 0444);
MODULE_PARM_DESC(running, "threads that have not stopped");

static int events_get(char *buf, const struct kernel_param *kp)
{
	u64 sum = 0;
	u32 i, context;

	for (i = 0; i < nr_workers; i++)
		for (context = 0; context < HAMMER_NR_CONTEXTS; context++)
			sum += READ_ONCE(workers[i].writers[context].events);
	return sysfs_emit(buf, "%llu\n", sum);
}

static const struct kernel_param_ops events_ops = { .get = events_get };
module_param_cb(events, &events_ops, NULL, 0444);
MODULE_PARM_DESC(events, "how many events there were; exact when all have stopped");

static u64 clock_now(void)
{
	return mono ? ktime_get_mono_fast_ns() : ktime_get_boot_fast_ns();
}

static void hammer_event(struct writer *w)
{
	u32 context = hammer_id_context(w->id), counter = w->events, hash;
	u64 before;

	if (small) {
		u32 all = hammer_small(w->id, counter);

		if (context == HAMMER_TASK)
			JTRACE(HAMMER_TASK_TAG, all);
		else if (context == HAMMER_SOFTIRQ)
			JTRACE(HAMMER_SOFTIRQ_TAG, all);
		else
			JTRACE(HAMMER_HARDIRQ_TAG, all);
		return;
	}

	before = clock_now();
	hash = hammer_hash(w->id, counter, context, before, w->after);
	if (context == HAMMER_TASK)
		JTRACE(HAMMER_TASK_TAG, w->id, counter, context, hash, before, w->after);
	else if (context == HAMMER_SOFTIRQ)
		JTRACE(HAMMER_SOFTIRQ_TAG, w->id, counter, context, hash, before, w->after);
	else
		JTRACE(HAMMER_HARDIRQ_TAG, w->id, counter, context, hash, before, w->after);
	w->after = clock_now();
}

/* Whoever sees the count in the progress page knows that so many events returned. */
static void hammer_once(struct writer *w)
{
	struct hammer_progress *p = w->progress;
	u64 before = p ? clock_now() : 0;

	hammer_event(w);
	WRITE_ONCE(w->events, w->events + 1);
	if (p) {
		WRITE_ONCE(p->before, before);
		/* For whoever reads what is left of the machine. */
		smp_store_release(&p->events, w->events);
	}
}

static void hammer_burst(struct writer *w)
{
	u32 i;

	for (i = 0; i < burst; i++)
		hammer_once(w);
}

/*
 * A burst takes long where the clock is slow to read and the machine is busy; it
 * gets a third of the time at the most, or nothing else would ever run.
 */
static enum hrtimer_restart tick(struct hrtimer *timer, struct writer *w)
{
	ktime_t begin = hrtimer_cb_get_time(timer), end;
	s64 pause = 1000ULL * irq_us;

	hammer_burst(w);
	end = hrtimer_cb_get_time(timer);
	pause = max(pause, 2 * ktime_to_ns(ktime_sub(end, begin)));
	hrtimer_set_expires(timer, ktime_add_ns(end, pause));
	return HRTIMER_RESTART;
}

static enum hrtimer_restart softirq_tick(struct hrtimer *timer)
{
	struct worker *wk = container_of(timer, struct worker, timers[HAMMER_SOFTIRQ]);

	return tick(timer, &wk->writers[HAMMER_SOFTIRQ]);
}

static enum hrtimer_restart hardirq_tick(struct hrtimer *timer)
{
	struct worker *wk = container_of(timer, struct worker, timers[HAMMER_HARDIRQ]);

	return tick(timer, &wk->writers[HAMMER_HARDIRQ]);
}

static void timer_begin(struct hrtimer *timer, enum hrtimer_restart (*call)(struct hrtimer *),
			enum hrtimer_mode mode)
{
	hrtimer_init(timer, CLOCK_MONOTONIC, mode);
	timer->function = call;
	hrtimer_start(timer, ns_to_ktime(1000ULL * irq_us), mode);
}

/* Is it time for this thread to end? */
static bool over(const struct worker *wk, unsigned long end)
{
	return kthread_should_stop() || (seconds && time_after_eq(jiffies, end)) ||
	       (count && wk->writers[HAMMER_TASK].events >= count);
}

static int hammer_thread(void *arg)
{
	unsigned long end = jiffies + seconds * HZ;
	struct worker *wk = arg;
	bool soft = wk->thread == 0 && contexts & 1 << HAMMER_SOFTIRQ;
	bool hard = wk->thread == 0 && contexts & 1 << HAMMER_HARDIRQ;

	if (soft)
		timer_begin(&wk->timers[HAMMER_SOFTIRQ], softirq_tick,
			    HRTIMER_MODE_REL_PINNED_SOFT);
	if (hard)
		timer_begin(&wk->timers[HAMMER_HARDIRQ], hardirq_tick,
			    HRTIMER_MODE_REL_PINNED_HARD);
	while (!over(wk, end)) {
		if (contexts & 1 << HAMMER_TASK)
			hammer_burst(&wk->writers[HAMMER_TASK]);
		if (pause_us)
			fsleep(pause_us);
		else if (contexts & 1 << HAMMER_TASK)
			cond_resched();
		else
			schedule_timeout_interruptible(1);
	}
	if (soft)
		hrtimer_cancel(&wk->timers[HAMMER_SOFTIRQ]);
	if (hard)
		hrtimer_cancel(&wk->timers[HAMMER_HARDIRQ]);
	atomic_dec(&nr_running);
	return 0;
}

static int worker_start(struct worker *wk, u32 cpu, u32 thread)
{
	struct task_struct *task;
	u32 context;

	wk->cpu = cpu;
	wk->thread = thread;
	for (context = 0; context < HAMMER_NR_CONTEXTS; context++) {
		u32 id = hammer_id(cpu, context, thread);

		wk->writers[context].id = id;
		if (progress_page)
			wk->writers[context].progress = &progress_page[id];
	}
	task = kthread_create(hammer_thread, wk, "hammer/%u.%u", cpu, thread);
	if (IS_ERR(task))
		return PTR_ERR(task);
	kthread_bind(task, cpu);
	/* Readers have to get a word in. */
	set_user_nice(task, MAX_NICE);
	/* It may be gone by itself when it is stopped. */
	wk->task = get_task_struct(task);
	atomic_inc(&nr_running);
	wake_up_process(task);
	return 0;
}

static void hammer_stop(void)
{
	u32 i;

	for (i = 0; i < nr_workers; i++) {
		kthread_stop(workers[i].task);
		put_task_struct(workers[i].task);
	}
	kfree(workers);
	if (progress_page)
		memunmap(progress_page);
}

static int __init jtrace_hammer_init(void)
{
	u32 cpu, thread;
	int err;

	if (!threads_per_cpu || threads_per_cpu > HAMMER_MOST_THREADS) {
		pr_err("threads_per_cpu=%u: must be 1 or 2\n", threads_per_cpu);
		return -EINVAL;
	}
	if (progress) {
		progress_page = memremap(progress, HAMMER_PROGRESS_SIZE, MEMREMAP_WB);
		if (!progress_page)
			return -ENOMEM;
		memset(progress_page, 0, HAMMER_PROGRESS_SIZE);
	}
	workers = kcalloc(HAMMER_MOST_CPUS * HAMMER_MOST_THREADS, sizeof(*workers), GFP_KERNEL);
	if (!workers) {
		hammer_stop();
		return -ENOMEM;
	}
	for_each_online_cpu(cpu) {
		if (cpu >= HAMMER_MOST_CPUS || !(cpus & 1UL << cpu))
			continue;
		for (thread = 0; thread < threads_per_cpu; thread++) {
			err = worker_start(&workers[nr_workers], cpu, thread);
			if (err) {
				hammer_stop();
				return err;
			}
			nr_workers++;
		}
	}
	return 0;
}

static void __exit jtrace_hammer_exit(void)
{
	hammer_stop();
}

module_init(jtrace_hammer_init);
module_exit(jtrace_hammer_exit);

MODULE_DESCRIPTION("Test: records from all contexts on all CPUs");
MODULE_INFO(test, "Y");
MODULE_LICENSE("GPL");
