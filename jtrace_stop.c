// SPDX-License-Identifier: GPL-2.0
/*
 * Stop recording from code, or at an alarm of the kernel.
 *
 * A driver that finds wrong data, and the kernel that finds a hung task, go on running: later
 * events would overwrite those that led there.  A stop closes the gate until the user writes to
 * the file enabled.  The open chunk of each CPU still fills up.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/jtrace.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/error_report.h>

#include "jtrace_internal.h"
#include "jtrace_stop.h"
#include "wrapper/wrapper.h"

/* @why is for config; a stop that comes while it is read may change it. */
static struct {
	unsigned long stopped;
	char why[64];
} stop;

/**
 * jtrace_stop() - stop recording, and record who did
 * @why: text, shown in the trace and in config; cut to 63 bytes
 *
 * Records an event "jtrace: stopped: WHY", then closes the gate.  Does nothing if recording is
 * stopped already.  Writing to the file enabled goes on.
 *
 * Context: Any.
 */
void jtrace_stop(const char *why)
{
	char tag[sizeof(JTRACE_TAG_STOPPED) + sizeof(stop.why)];
	struct jtrace_site site = { .tag = tag, .file = __FILE__, .func = __func__ };

	if (xchg(&stop.stopped, 1))
		return;
	strscpy(stop.why, why, sizeof(stop.why));
	snprintf(tag, sizeof(tag), JTRACE_TAG_STOPPED "%s", stop.why);
	if (static_branch_unlikely(&jtrace_key))
		jtrace_record_uncounted(&site);
	jtrace_gate_close();
}
EXPORT_SYMBOL_GPL(jtrace_stop);

/* ---- Stop after a number of events ------------------------------------ */

/*
 * @lock: of @users.  Not jtrace.lock: turning recording on holds that and calls the notifiers of
 * tracepoints, and one of these turns off an event with stop= if its tracepoint refuses the probe.
 */
static struct {
	struct mutex lock;	/* of @users */
	unsigned long called;
	u32 users;
	char why[sizeof(stop.why)];
} after = {
	.lock = __MUTEX_INITIALIZER(after.lock),
};

static void stop_after(void)
{
	jtrace_stop(after.why);
}

/**
 * jtrace_stop_after() - stop recording after a number of events
 * @events: so many, at most 16777215
 * @why: as for jtrace_stop()
 *
 * The first call counts, until the user writes to the file enabled.  The caller has called
 * jtrace_stop_arm().
 *
 * Context: Any.
 */
notrace void jtrace_stop_after(u32 events, const char *why)
{
	if (xchg(&after.called, 1))
		return;
	strscpy(after.why, why, sizeof(after.why));
	/* Orders the text before the budget; stop_after() reads it. */
	jtrace_budget_set(events, stop_after);
	if (!events)
		jtrace_stop(why);
}
EXPORT_SYMBOL_GPL(jtrace_stop_after);
NOKPROBE_SYMBOL(jtrace_stop_after);

/* Record without limit. */
static void forget_budget(void)
{
	jtrace_budget_forget();
	/* Orders the budget before: the next call may set it. */
	smp_store_release(&after.called, 0);
}

/**
 * jtrace_stop_arm() - somebody may call jtrace_stop_after() from now on
 *
 * Context: Process.
 */
void jtrace_stop_arm(void)
{
	mutex_lock(&after.lock);
	if (!after.users++)
		jtrace_record_count(true);
	mutex_unlock(&after.lock);
}

/**
 * jtrace_stop_disarm() - undo one jtrace_stop_arm(); no call is under way
 *
 * Context: Process.
 */
void jtrace_stop_disarm(void)
{
	mutex_lock(&after.lock);
	if (!--after.users) {
		jtrace_record_count(false);
		forget_budget();
	}
	mutex_unlock(&after.lock);
}

/* ---- Undo ------------------------------------------------------------- */

/* Undo jtrace_stop() and jtrace_stop_after(). */
void jtrace_stop_undo(void)
{
	forget_budget();
	if (!xchg(&stop.stopped, 0))
		return;
	jtrace_gate_open();
	/* Of these, the next event "jtrace: start" or "jtrace: stop" has the number. */
	jtrace_gate_skipped();
}

/* Return why recording is stopped, NULL if it is not. */
const char *jtrace_stop_reason(void)
{
	return READ_ONCE(stop.stopped) ? stop.why : NULL;
}

/* ---- Alarms of the kernel --------------------------------------------- */

/* These have the prototypes of the tracepoints, which CFI compares. */
static void stop_for_warning(void *unused, enum error_detector detector, unsigned long id)
{
	jtrace_stop("warn");
}

static void stop_for_hung_task(void *unused, struct task_struct *task)
{
	jtrace_stop("hung_task");
}

static struct stop_alarm {
	u32 bit;
	const char *parameter;
	const char *name;
	void *probe;
	struct tracepoint *tp;
} alarms[] = {
	{ JTRACE_STOP_WARN, "warn", "error_report_end", stop_for_warning },
	{ JTRACE_STOP_HUNG_TASK, "hung_task", "sched_process_hang", stop_for_hung_task },
};

/* Stop at the alarms that stop_on= names, from now on; jtrace_panic.c does so at an oops. */
void jtrace_stop_init(void)
{
	int err;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(alarms); i++) {
		struct stop_alarm *a = &alarms[i];

		if (!(jtrace.setup.config.stop_on & a->bit))
			continue;
		a->tp = jtrace_tracepoint_find(a->name);
		if (!IS_ENABLED(CONFIG_TRACEPOINTS) || !a->tp) {
			pr_warn("stop_on=%s: this kernel has no tracepoint %s: not stopped then\n",
				a->parameter, a->name);
		} else {
			err = tracepoint_probe_register(a->tp, a->probe, NULL);
			if (err) {
				pr_warn("stop_on=%s: no probe on tracepoint %s: error %d: not stopped then\n",
					a->parameter, a->name, err);
				a->tp = NULL;
			}
		}
	}
}

void jtrace_stop_exit(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(alarms); i++)
		if (IS_ENABLED(CONFIG_TRACEPOINTS) && alarms[i].tp)
			tracepoint_probe_unregister(alarms[i].tp, alarms[i].probe, NULL);
	tracepoint_synchronize_unregister();
	jtrace_stop_undo();
}
