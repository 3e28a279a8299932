// SPDX-License-Identifier: GPL-2.0
/*
 * Records as fast as it can, on all CPUs, from threads, interrupts and NMIs.  Each event
 * carries its writer and a hash of its content, so a reader can check it.
 *
 * Starts at load time.  A context of a CPU has only one writer, so its counter needs no
 * atomic.  Unbound threads, and timers of a CPU that went offline, record as the writer of the
 * CPU on which they run.
 */

#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/io.h>
#include <linux/jiffies.h>
#include <linux/jtrace.h>
#include <linux/kthread.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/prio.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include "../../lib/base/compat.h"

#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/apic.h>
#include <asm/nmi.h>
#endif

#include "hammer.h"
#include "kmod.h"

PARAM(uint, threads_per_cpu, 1, "threads on each CPU, 1 or 2");
PARAM(uint, seconds, 10, "stop after this many seconds; 0: no time limit");
PARAM_RW(bool, stop, false, "y: stop all threads");
PARAM(ulong, count, 0, "stop each thread after this many events; 0: no limit");
PARAM(uint, contexts, 1 << HAMMER_TASK | 1 << HAMMER_SOFTIRQ | 1 << HAMMER_HARDIRQ, "sum of 1: task, 2: softirq, 4: hardirq, 8: NMI, which needs hardirq");
PARAM(ulong, cpus, ~0UL, "mask of CPUs to use");
PARAM(uint, burst, 16, "events in a row");
PARAM(uint, pause_us, 0, "sleep of a thread after each burst");
PARAM(uint, irq_us, 500, "minimal time between bursts in interrupts");
PARAM(bool, mono, false, "read the monotonic clock, not the boot-time clock");
PARAM(ulong, progress, 0, "physical address of a reserved page for progress; also in debugfs, as jtrace_hammer");
PARAM(bool, bound, true, "bind each thread to its CPU, which must stay online");
PARAM(bool, frees, false, "call kfree(NULL) after each event: a tracepoint of the kernel");
PARAM(bool, small, false, "put everything in the first argument, for small entries");

/**
 * struct writer - one context on one CPU
 * @id: hammer_id()
 * @progress: the writer updates it, or NULL
 * @events: number of events
 * @passed: of @events, those while recording was on: recorded or lost
 * @after: time after the previous event
 */
struct writer {
	u32 id;
	struct hammer_progress *progress;
	u64 events;
	u64 passed;
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
static struct debugfs_blob_wrapper progress_blob = { .size = HAMMER_PROGRESS_SIZE };
static struct dentry *progress_file;
static struct worker *workers;
static struct worker *of_cpu[HAMMER_MOST_CPUS];
static u32 nr_workers;
static atomic_t nr_running;

static int running_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%d\n", atomic_read(&nr_running));
}

PARAM_GET(running, "threads that have not stopped");

static int sum_get(char *buf, const struct kernel_param *kp)
{
	u64 events = 0, passed = 0;
	u32 i, context;

	for (i = 0; i < nr_workers; i++) {
		for (context = 0; context < HAMMER_NR_CONTEXTS; context++) {
			const struct writer *w = &workers[i].writers[context];

			events += READ_ONCE(w->events);
			passed += READ_ONCE(w->passed);
		}
	}
	return sysfs_emit(buf, "%llu\n", kp->arg ? passed : events);
}

/* With an argument: the sum of @passed. */
static const struct kernel_param_ops sum_ops = { .get = sum_get };
module_param_cb(events, &sum_ops, NULL, 0444);
MODULE_PARM_DESC(events, "number of events; exact after all threads have stopped");
module_param_cb(passed, &sum_ops, &nr_running, 0444);
MODULE_PARM_DESC(passed, "of these, the number while recording was on");

static u64 clock_now(void)
{
	return mono ? ktime_get_mono_fast_ns() : ktime_get_boot_fast_ns();
}

void hammer_event(struct writer *w);

/* An argument of JTRACE(): evaluated unless recording is off. */
static u32 passed(struct writer *w, u32 a)
{
	WRITE_ONCE(w->passed, w->passed + 1);
	return a;
}

/* Not static, and not inlined: probes need its name. */
noinline void hammer_event(struct writer *w)
{
	u32 context = hammer_id_context(w->id), counter = w->events, hash;
	u64 before;

	if (small) {
		u32 all = hammer_small(w->id, counter);

		if (context == HAMMER_TASK)
			JTRACE(HAMMER_TASK_TAG, passed(w, all));
		else if (context == HAMMER_SOFTIRQ)
			JTRACE(HAMMER_SOFTIRQ_TAG, passed(w, all));
		else if (context == HAMMER_HARDIRQ)
			JTRACE(HAMMER_HARDIRQ_TAG, passed(w, all));
		else
			JTRACE(HAMMER_NMI_TAG, passed(w, all));
		return;
	}

	before = clock_now();
	hash = hammer_hash(w->id, counter, context, before, w->after);
	if (context == HAMMER_TASK)
		JTRACE(HAMMER_TASK_TAG, passed(w, w->id), counter, context, hash, before, w->after);
	else if (context == HAMMER_SOFTIRQ)
		JTRACE(HAMMER_SOFTIRQ_TAG, passed(w, w->id), counter, context, hash, before,
		       w->after);
	else if (context == HAMMER_HARDIRQ)
		JTRACE(HAMMER_HARDIRQ_TAG, passed(w, w->id), counter, context, hash, before,
		       w->after);
	else
		JTRACE(HAMMER_NMI_TAG, passed(w, w->id), counter, context, hash, before, w->after);
	w->after = clock_now();
}

/* A reader of the progress page that sees the count knows that so many events returned. */
static void hammer_once(struct writer *w)
{
	struct hammer_progress *p = w->progress;
	u64 before = p ? clock_now() : 0;

	hammer_event(w);
	if (frees)
		kfree(NULL);
	WRITE_ONCE(w->events, w->events + 1);
	if (p) {
		WRITE_ONCE(p->before, before);
		/* For the next boot, which reads the page. */
		smp_store_release(&p->events, w->events);
	}
}

static void hammer_burst(struct writer *w)
{
	u32 i;

	for (i = 0; i < burst; i++)
		hammer_once(w);
}

/* An unbound thread may record as another writer after each event. */
static void task_burst(struct worker *wk)
{
	u32 i;

	if (bound) {
		hammer_burst(&wk->writers[HAMMER_TASK]);
		return;
	}
	for (i = 0; i < burst; i++) {
		preempt_disable();
		hammer_once(&of_cpu[smp_processor_id()]->writers[HAMMER_TASK]);
		preempt_enable();
	}
}

#ifdef CONFIG_X86_LOCAL_APIC

static DEFINE_PER_CPU(u32, nmi_sent);

/* The CPU merges an NMI that arrives while another one is handled: handle it here, too. */
static int hammer_nmi(unsigned int type, struct pt_regs *regs)
{
	if (this_cpu_xchg(nmi_sent, 0))
		hammer_burst(&of_cpu[smp_processor_id()]->writers[HAMMER_NMI]);
	return NMI_HANDLED;
}

/* Send to each CPU in turn, including this one.  Interrupts are off, so no CPU goes offline. */
static void nmi_send(void)
{
	static u32 last;
	u32 cpu = cpumask_next(READ_ONCE(last), cpu_online_mask);

	if (cpu >= min_t(u32, nr_cpu_ids, HAMMER_MOST_CPUS))
		cpu = cpumask_first(cpu_online_mask);
	WRITE_ONCE(last, cpu);
	xchg(per_cpu_ptr(&nmi_sent, cpu), 1);
	apic->send_IPI(cpu, NMI_VECTOR);
}

static int nmi_begin(void)
{
	return register_nmi_handler(NMI_LOCAL, hammer_nmi, 0, "jtrace_hammer");
}

/* NMIs that were sent arrive before this IPI. */
static void nmi_end(void)
{
	kick_all_cpus_sync();
	unregister_nmi_handler(NMI_LOCAL, "jtrace_hammer");
}

#else

static void nmi_send(void)
{
}

static int nmi_begin(void)
{
	return -EOPNOTSUPP;
}

static void nmi_end(void)
{
}

#endif

/*
 * A burst takes long if the clock is slow and the machine is busy.  Bursts get at most a third
 * of the time, so that other code runs, too.
 */
static enum hrtimer_restart tick(struct hrtimer *timer, u32 context)
{
	ktime_t begin = hrtimer_cb_get_time(timer), end;
	s64 pause = 1000ULL * irq_us;

	hammer_burst(&of_cpu[smp_processor_id()]->writers[context]);
	end = hrtimer_cb_get_time(timer);
	pause = max(pause, 2 * ktime_to_ns(ktime_sub(end, begin)));
	hrtimer_set_expires(timer, ktime_add_ns(end, pause));
	return HRTIMER_RESTART;
}

static enum hrtimer_restart softirq_tick(struct hrtimer *timer)
{
	return tick(timer, HAMMER_SOFTIRQ);
}

static enum hrtimer_restart hardirq_tick(struct hrtimer *timer)
{
	if (contexts & 1 << HAMMER_NMI)
		nmi_send();
	return tick(timer, HAMMER_HARDIRQ);
}

static void timer_begin(struct hrtimer *timer, enum hrtimer_restart (*call)(struct hrtimer *),
			enum hrtimer_mode mode)
{
	jtrace_hrtimer_setup(timer, call, CLOCK_MONOTONIC, mode);
	hrtimer_start(timer, ns_to_ktime(1000ULL * irq_us), mode);
}

/* Should this thread end? */
static bool over(const struct worker *wk, unsigned long end)
{
	return kthread_should_stop() || READ_ONCE(stop) ||
	       (seconds && time_after_eq(jiffies, end)) ||
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
			task_burst(wk);
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

static void worker_init(struct worker *wk, u32 cpu, u32 thread)
{
	u32 context;

	wk->cpu = cpu;
	wk->thread = thread;
	for (context = 0; context < HAMMER_NR_CONTEXTS; context++) {
		u32 id = hammer_id(cpu, context, thread);

		wk->writers[context].id = id;
		if (progress_page)
			wk->writers[context].progress = &progress_page[id];
	}
	if (!thread)
		of_cpu[cpu] = wk;
}

static int worker_start(struct worker *wk)
{
	struct task_struct *task;

	task = kthread_create(hammer_thread, wk, "hammer/%u.%u", wk->cpu, wk->thread);
	if (IS_ERR(task))
		return PTR_ERR(task);
	if (bound)
		kthread_bind(task, wk->cpu);
	/* Let readers run. */
	set_user_nice(task, MAX_NICE);
	/* It may have exited when it is stopped. */
	wk->task = get_task_struct(task);
	atomic_inc(&nr_running);
	wake_up_process(task);
	return 0;
}

static void hammer_stop(void)
{
	u32 i;

	for (i = 0; i < nr_workers; i++) {
		if (!workers[i].task)
			continue;
		kthread_stop(workers[i].task);
		put_task_struct(workers[i].task);
	}
	if (contexts & 1 << HAMMER_NMI)
		nmi_end();
	kfree(workers);
	debugfs_remove(progress_file);
	if (progress_page)
		memunmap(progress_page);
}

static int __init jtrace_hammer_init(void)
{
	u32 cpu, thread, i;
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
		progress_blob.data = progress_page;
		progress_file = debugfs_create_blob("jtrace_hammer", 0400, NULL, &progress_blob);
	}
	workers = kcalloc(HAMMER_MOST_CPUS * HAMMER_MOST_THREADS, sizeof(*workers), GFP_KERNEL);
	err = workers ? 0 : -ENOMEM;
	if (!err && contexts & 1 << HAMMER_NMI)
		err = nmi_begin();
	if (err) {
		contexts = 0;
		hammer_stop();
		return err;
	}

	/* Each thread may record as any writer. */
	for_each_possible_cpu(cpu)
		for (thread = 0; cpu < HAMMER_MOST_CPUS && thread < threads_per_cpu; thread++)
			worker_init(&workers[nr_workers++], cpu, thread);
	for (i = 0; i < nr_workers && !err; i++) {
		cpu = workers[i].cpu;
		if (cpu_online(cpu) && cpus & 1UL << cpu)
			err = worker_start(&workers[i]);
	}
	if (err)
		hammer_stop();
	return err;
}

static void __exit jtrace_hammer_exit(void)
{
	hammer_stop();
}

module_init(jtrace_hammer_init);
module_exit(jtrace_hammer_exit);

TEST_MODULE("records from all contexts on all CPUs");
