// SPDX-License-Identifier: GPL-2.0
/*
 * Provokes events of the kernel, as the parameters say, each on purpose and a known number of
 * times.
 */

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/suspend.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include "kmod.h"

PARAM_TEXT(what, "", "lock, rwsem, readers, kmalloc, cache, page, kmalloc_fail, cache_fail, page_fail, timer, hrtimer, work, nosuspend (refuse to suspend until unloaded)");
PARAM(uint, times, 5, "how often");

#define NO_WAIT	(GFP_NOWAIT | __GFP_NOWARN | __GFP_NORETRY)

static DEFINE_MUTEX(contended);
static DECLARE_RWSEM(shared);
static DECLARE_COMPLETION(held);
static bool locks;

/* The holder has the lock: wait until another task sleeps because of that. */
static void hold(const struct task_struct *task)
{
	complete(&held);
	while (!READ_ONCE(locks) || READ_ONCE(task->__state) != TASK_UNINTERRUPTIBLE)
		msleep(20);
}

static int hold_mutex(void *data)
{
	mutex_lock(&contended);
	hold(data);
	mutex_unlock(&contended);
	return 0;
}

static int hold_write(void *data)
{
	down_write(&shared);
	hold(data);
	up_write(&shared);
	return 0;
}

static int hold_read(void *data)
{
	down_read(&shared);
	hold(data);
	up_read(&shared);
	return 0;
}

/* Let another task hold the lock; false if there is none. */
static bool is_held(int (*holder)(void *data))
{
	WRITE_ONCE(locks, false);
	if (IS_ERR(kthread_run(holder, current, "jtrace_holder")))
		return false;
	wait_for_completion(&held);
	WRITE_ONCE(locks, true);
	return true;
}

static void provoke_lock(void)
{
	if (!is_held(hold_mutex))
		return;
	mutex_lock(&contended);
	mutex_unlock(&contended);
}

static void provoke_rwsem(void)
{
	if (!is_held(hold_write))
		return;
	down_read(&shared);
	up_read(&shared);
}

static void provoke_readers(void)
{
	if (!is_held(hold_read))
		return;
	down_write(&shared);
	up_write(&shared);
}

static void provoke_kmalloc(void)
{
	kfree(kmalloc(77, GFP_KERNEL));
}

static void provoke_cache(void)
{
	struct kmem_cache *cache = kmem_cache_create("jtrace_provoke", 333, 0, 0, NULL);
	void *at;

	if (!cache)
		return;
	at = kmem_cache_alloc(cache, GFP_KERNEL);
	if (at)
		kmem_cache_free(cache, at);
	kmem_cache_destroy(cache);
}

/* Allocate large objects until there are none, and free them. */
static void provoke_cache_fail(void)
{
	struct kmem_cache *cache = kmem_cache_create("jtrace_provoke", 1 << 20, 0, 0, NULL);
	void **at, **list = NULL;

	if (!cache)
		return;
	while ((at = kmem_cache_alloc(cache, NO_WAIT))) {
		*at = list;
		list = at;
	}
	while ((at = list)) {
		list = *at;
		kmem_cache_free(cache, at);
	}
	kmem_cache_destroy(cache);
}

static void provoke_page(void)
{
	struct page *page = alloc_pages(GFP_KERNEL, 3);

	if (page)
		__free_pages(page, 3);
}

/* More than the largest order. */
static void provoke_kmalloc_fail(void)
{
	size_t size = 1UL << 30;

	OPTIMIZER_HIDE_VAR(size);
	kfree(kmalloc(size, NO_WAIT));
}

/* Allocate large pages until there are none, and free them. */
static void provoke_page_fail(void)
{
	struct page *page, *list = NULL;

	while ((page = alloc_pages(NO_WAIT, 9))) {
		page->private = (unsigned long)list;
		list = page;
	}
	while ((page = list)) {
		list = (struct page *)page->private;
		page->private = 0;
		__free_pages(page, 9);
	}
}

static DECLARE_COMPLETION(fired);

static void timer_fires(struct timer_list *unused)
{
	complete(&fired);
}

static DEFINE_TIMER(timer, timer_fires);

static void provoke_timer(void)
{
	mod_timer(&timer, jiffies + 1);
	wait_for_completion(&fired);
}

/* A task that sleeps by an hrtimer. */
static void provoke_hrtimer(void)
{
	usleep_range(1000, 1100);
}

static void work_runs(struct work_struct *unused)
{
}

static DECLARE_WORK(work, work_runs);

static void provoke_work(void)
{
	schedule_work(&work);
	flush_work(&work);
}

static int refuse_suspend(struct notifier_block *nb, unsigned long event, void *unused)
{
	return event == PM_SUSPEND_PREPARE ? NOTIFY_BAD : NOTIFY_DONE;
}

static struct notifier_block suspend_nb = { .notifier_call = refuse_suspend };

static void provoke_nosuspend(void)
{
}

static const struct {
	const char *name;
	void (*call)(void);
} ways[] = {
	{ "lock", provoke_lock },
	{ "rwsem", provoke_rwsem },
	{ "readers", provoke_readers },
	{ "kmalloc", provoke_kmalloc },
	{ "cache", provoke_cache },
	{ "cache_fail", provoke_cache_fail },
	{ "page", provoke_page },
	{ "kmalloc_fail", provoke_kmalloc_fail },
	{ "page_fail", provoke_page_fail },
	{ "timer", provoke_timer },
	{ "hrtimer", provoke_hrtimer },
	{ "work", provoke_work },
	{ "nosuspend", provoke_nosuspend },
};

static int __init jtrace_provoke_init(void)
{
	int i;
	uint n;

	for (i = 0; i < ARRAY_SIZE(ways) && strcmp(what, ways[i].name); i++)
		;
	if (i == ARRAY_SIZE(ways)) {
		pr_err("what=%s: unknown\n", what);
		return -EINVAL;
	}
	register_pm_notifier(&suspend_nb);
	for (n = 0; n < times; n++)
		ways[i].call();
	return 0;
}

static void __exit jtrace_provoke_exit(void)
{
	unregister_pm_notifier(&suspend_nb);
}

module_init(jtrace_provoke_init);
module_exit(jtrace_provoke_exit);

TEST_MODULE("events of the kernel, provoked");
