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
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/error_report.h>

#include "include/jtrace/internal.h"

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
	char tag[sizeof("jtrace: stopped: ") + sizeof(stop.why)];
	struct jtrace_site site = { .tag = tag, .file = __FILE__, .func = __func__ };

	if (xchg(&stop.stopped, 1))
		return;
	strscpy(stop.why, why, sizeof(stop.why));
	snprintf(tag, sizeof(tag), "jtrace: stopped: %s", stop.why);
	if (static_branch_unlikely(&jtrace_key))
		jtrace_record(&site, 0, 0, 0, 0);
	jtrace_gate_close();
}
EXPORT_SYMBOL_GPL(jtrace_stop);

/* Undo jtrace_stop(). */
void jtrace_stop_undo(void)
{
	if (xchg(&stop.stopped, 0))
		jtrace_gate_open();
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

/* Not all of these tracepoints are exported, so they are found by name. */
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

static void __maybe_unused note_tracepoint(struct tracepoint *tp, void *unused)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(alarms); i++)
		if (!strcmp(tp->name, alarms[i].name))
			alarms[i].tp = tp;
}

/* Stop at the alarms that stop_on= names, from now on; jtrace_panic.c does so at an oops. */
void jtrace_stop_init(void)
{
	u32 i;

#ifdef CONFIG_TRACEPOINTS
	for_each_kernel_tracepoint(note_tracepoint, NULL);
#endif
	for (i = 0; i < ARRAY_SIZE(alarms); i++) {
		struct stop_alarm *a = &alarms[i];

		if (!(jtrace.setup.config.stop_on & a->bit))
			a->tp = NULL;
		else if (!IS_ENABLED(CONFIG_TRACEPOINTS) || !a->tp ||
			 tracepoint_probe_register(a->tp, a->probe, NULL))
			pr_warn("stop_on=%s: this kernel has no tracepoint %s: not stopped then\n",
				a->parameter, a->name);
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
