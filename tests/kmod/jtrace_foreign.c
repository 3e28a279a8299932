// SPDX-License-Identifier: GPL-2.0
/*
 * Has tracepoints with the names of others: one of the kernel, with another prototype, and that of
 * jtrace_source.c, which may refuse probes.  It may take its time to leave.
 */

#include <linux/delay.h>
#include <linux/tracepoint.h>

#include "kmod.h"

/* From the start: parameters are set after the tracepoint has come. */
PARAM_RW(bool, refuse, true, "no probe gets the tracepoint jtrace_source");
PARAM_RW(bool, linger, false, "the exit waits until this is n, for a minute at most");

static int refuse_probe(void)
{
	return refuse ? -EBUSY : 0;
}

static void forget_probe(void)
{
}

/* Since 6.16 DECLARE_TRACE() adds to the name. */
#ifdef DECLARE_TRACE_EVENT
DECLARE_TRACE_EVENT(task_newtask, TP_PROTO(int number), TP_ARGS(number));
DECLARE_TRACE_EVENT(jtrace_source, TP_PROTO(u32 number, const char *text), TP_ARGS(number, text));
#else
DECLARE_TRACE(task_newtask, TP_PROTO(int number), TP_ARGS(number));
DECLARE_TRACE(jtrace_source, TP_PROTO(u32 number, const char *text), TP_ARGS(number, text));
#endif

DEFINE_TRACE(task_newtask, TP_PROTO(int number), TP_ARGS(number));
DEFINE_TRACE_FN(jtrace_source, refuse_probe, forget_probe, TP_PROTO(u32 number, const char *text),
		TP_ARGS(number, text));

/* Not static: the compiler would change its arguments and name. */
int jtrace_foreign_call(int number);

noinline int jtrace_foreign_call(int number)
{
	asm volatile(".rept 8; nop; .endr");
	return number;
}

static int fire_set(const char *val, const struct kernel_param *kp)
{
	int number, err = kstrtoint(val, 0, &number);

	if (!err) {
		trace_task_newtask(number);
		trace_jtrace_source(number, "foreign");
		jtrace_foreign_call(number);
	}
	return err;
}

PARAM_SET(fire, "call the tracepoints and the function with this number");

static int __init jtrace_foreign_init(void)
{
	return 0;
}

static void __exit jtrace_foreign_exit(void)
{
	int tries;

	for (tries = 0; READ_ONCE(linger) && tries < 3000; tries++)
		msleep(20);
}

module_init(jtrace_foreign_init);
module_exit(jtrace_foreign_exit);

TEST_MODULE("tracepoints that belong to others");
