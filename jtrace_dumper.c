// SPDX-License-Identifier: GPL-2.0
/*
 * The last dumper of the kernel log.
 *
 * In a panic the kernel calls its dumpers, which save the end of its log: ramoops to reserved
 * memory (4 KiB by default), others to the firmware's variables, to flash or to a screen.  A
 * trace printed before would push the kernel's own report out of the saved log.  So a dumper
 * prints the trace, and it stays the last one.
 *
 * The kernel calls dumpers in the order of their registration.  Most dumpers come in a module, so
 * after each module load we check whether one follows ours, and register ours again.  That takes a
 * lock that sleeps on PREEMPT_RT, so only process context does it; a panic only checks.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/init.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/panic.h>
#include <linux/printk.h>

#include "jtrace_internal.h"
#include "wrapper/wrapper.h"

/*
 * @registered: one of @two, or NULL.  The other one is registered before this one is removed, so
 * that one is always there.  @end: head of the list, which the kernel does not export.
 */
static struct {
	struct mutex lock;	/* held to register */
	struct kmsg_dumper two[2];
	struct kmsg_dumper *registered;
	const struct list_head *end;
} dumper = {
	.lock = __MUTEX_INITIALIZER(dumper.lock),
};

/* Return false if our dumper is not registered, or is just being registered. */
static bool is_last(void)
{
	const struct kmsg_dumper *ours = READ_ONCE(dumper.registered);

	return ours && READ_ONCE(ours->list.next) == READ_ONCE(dumper.end);
}

static void dumper_call(JTRACE_KMSG_DUMP_ARGS)
{
	jtrace_klog_save(JTRACE_KMSG_DUMP_REASON);
	jtrace_panic_log_saved(JTRACE_KMSG_DUMP_REASON, is_last());
}

static int register_anew(void)
{
	struct kmsg_dumper *old = dumper.registered;
	struct kmsg_dumper *new = &dumper.two[old == &dumper.two[0]];
	int err;

	*new = (struct kmsg_dumper){
		.dump = dumper_call,
		.max_reason = KMSG_DUMP_EMERG,
	};
	err = kmsg_dump_register(new);
	if (err)
		return err;
	WRITE_ONCE(dumper.registered, new);
	jtrace_panic_set_dumper(true);
	return old ? kmsg_dump_unregister(old) : 0;
}

/*
 * The list head follows the dumper that was registered last, unless another dumper was registered
 * at the same moment.  That one does not follow ours the next time.  So the same successor twice
 * is the head.
 */
static int go_last(void)
{
	const struct list_head *before;
	int err;

	do {
		before = dumper.end;
		err = register_anew();
		if (err)
			return err;
		WRITE_ONCE(dumper.end, READ_ONCE(dumper.registered->list.next));
	} while (dumper.end != before);
	return 0;
}

/* Become the last one again if another dumper follows ours. */
static void stay_last(void)
{
	mutex_lock(&dumper.lock);
	if (dumper.registered && !is_last())
		go_last();
	mutex_unlock(&dumper.lock);
}

#ifdef CONFIG_MODULES
static int module_call(struct notifier_block *nb, unsigned long state, void *unused)
{
	if (state == MODULE_STATE_LIVE)
		stay_last();
	return NOTIFY_DONE;
}

static struct notifier_block module_nb = {
	.notifier_call = module_call,
};
#else
static struct notifier_block module_nb;
#endif

#ifndef MODULE
/* Built in: the dumpers of built-in drivers are registered by now. */
static int __init jtrace_dumper_late(void)
{
	stay_last();
	return 0;
}
late_initcall_sync(jtrace_dumper_late);
#endif

/**
 * jtrace_dumper_warn() - warn if the trace may not reach the console in a panic
 * @m: config, or NULL for the log
 */
void jtrace_dumper_warn(struct seq_file *m)
{
	if (jtrace_pvpanic_is_there())
		jtrace_warn(m, "pvpanic tells the hypervisor of a panic, which may end the machine before the trace is printed: start QEMU with -action panic=none");
	if (!READ_ONCE(dumper.registered) || is_last())
		return;
	if (panic_timeout)
		jtrace_warn(m, "another dumper saves the kernel log after jtrace is called: on panic, jtrace prints the trace when the machine restarts");
	else
		jtrace_warn(m, "another dumper saves the kernel log after jtrace is called: on panic, that log has the trace in it, unless panic_timeout is set");
}

void jtrace_dumper_init(void)
{
	int err;

	mutex_lock(&dumper.lock);
	err = go_last();
	mutex_unlock(&dumper.lock);
	if (err)
		pr_warn("cannot register a dumper of the kernel log: %d: on panic, jtrace prints the trace before others save the log\n",
			err);
	register_module_notifier(&module_nb);
}

void jtrace_dumper_exit(void)
{
	unregister_module_notifier(&module_nb);
	if (dumper.registered)
		kmsg_dump_unregister(dumper.registered);
	jtrace_panic_set_dumper(false);
	dumper.registered = NULL;
}
