// SPDX-License-Identifier: GPL-2.0
/*
 * The report of a panic in the kernel log, reduced to what is the same each time: what went wrong,
 * in which function, and who had called it.
 *
 * Functions that the kernel's own unwinder marks with "?" are not callers.  Left out are those that
 * print the report, and, where a watchdog interrupted a CPU or looked at a task, those in which one
 * waits: the CPU may be in any of them.  A caller that calls anything, such as that of all threads
 * or system calls, ends the list: it differs between kernels, and tells no more.
 */

#include "../../lib/read/log.h"
#include "crashes.h"

/* A report has at most so many lines. */
#define REPORT_LINES	300

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/**
 * struct kind - what went wrong
 * @line: a part of the line that names the cause
 * @name: said instead, on all processors
 * @waits: a watchdog found it: whatever waits may be on top
 */
struct kind {
	const char *line;
	const char *name;
	bool waits;
};

static const struct kind kinds[] = {
	{ "kernel NULL pointer dereference", "NULL pointer dereference", false },
	{ "unable to handle page fault", "page fault", false },
	{ "Unable to handle kernel ", "page fault", false },
	{ "kernel BUG at ", "BUG", false },
	{ "stack guard page was hit", "stack overflow", false },
	{ "kernel stack overflow", "stack overflow", false },
	{ "general protection fault", "general protection fault", false },
	{ "WARNING: ", "WARNING", false },
	/* Which of these finds a CPU that hangs first is chance. */
	{ "soft lockup", "CPU hang", true },
	{ "hard LOCKUP", "CPU hang", true },
	{ "detected stall", "CPU hang", true },
	{ " for more than ", "hung task", true },
};

static const struct kind *find_kind(const char *line)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strstr(line, kinds[i].line))
			return &kinds[i];
	return NULL;
}

/* Names, and beginnings of names that end with "*". */
static bool is_listed(const char *name, const char * const *list)
{
	size_t len;

	for (; *list; list++) {
		len = strlen(*list);
		if ((*list)[len - 1] == '*' ? !strncmp(name, *list, len - 1) : !strcmp(name, *list))
			return true;
	}
	return false;
}

/* They print the report. */
static const char * const printers[] = {
	"dump_stack", "dump_stack_lvl", "show_stack", "show_regs", "panic", "vpanic", "nmi_panic",
	"dump_backtrace", "__warn", "warn_slowpath_fmt", "check_panic_on_warn", "report_bug",
	"__report_bug", "handle_bug", "exc_invalid_op", "bug_handler", "bug_brk_handler",
	"call_break_hook", "brk_handler", NULL
};

/* One waits in them. */
static const char * const waits[] = {
	"__schedule", "schedule", "schedule_*", "io_schedule*", "__delay", "delay_*", "__const_udelay",
	"__udelay", "__ndelay", "cpu_relax", "native_queued_spin_lock_slowpath",
	"queued_spin_lock_slowpath", "pv_queued_spin_lock_slowpath", "__pv_queued_spin_lock_slowpath",
	"_raw_spin_*", "_raw_read_*", "_raw_write_*", "do_raw_*", "queued_read_lock_slowpath",
	"queued_write_lock_slowpath", "mutex_lock*", "__mutex_lock*", "down", "down_*", "__down*",
	"rwsem_*", "wait_for_completion*", "__wait_for_common", "wait_for_common*", "ktime_get*",
	"read_tsc", "sched_clock*", "native_sched_clock", "rt_spin_lock", "rt_mutex_*",
	"__rt_mutex_*", NULL
};

/* The thread of RCU, which waits for others. */
static const char * const of_rcu[] = { "rcu_gp_fqs_loop", "rcu_gp_kthread", NULL };

/* They call anything. */
static const char * const callers[] = {
	"do_one_initcall", "do_init_module", "kthread", "ret_from_fork", "ret_from_fork_asm",
	"worker_thread", "process_one_work", "process_scheduled_works", "bh_worker",
	"tasklet_action_common", "handle_softirqs", "__do_softirq", "do_softirq", "__irq_exit_rcu",
	"run_ksoftirqd", "run_timer_softirq", "call_timer_fn", "expire_timers", "__run_timers",
	"run_timer_base", "__hrtimer_run_queues", "rcu_do_batch", "irq_work_single",
	"irq_work_run_list", "__handle_irq_event_percpu", "handle_irq_event_percpu",
	"irq_thread_fn", "smp_call_function_*", "__flush_smp_call_function_queue",
	"flush_smp_call_function_queue", "generic_exec_single", "nmi_handle", "default_do_nmi",
	"do_syscall_64", "x64_sys_call", "entry_SYSCALL_*", "__x64_sys_*", "__do_sys_*", "__se_sys_*",
	"__ia32_sys_*", "__arm64_sys_*", "invoke_syscall", "el0_svc*", "el0t_*", "asm_*", "el1h_*",
	"notifier_call_chain", "device_shutdown", "do_exit", NULL
};

/* What ends the frames: those of another context follow, or none. */
static bool ends_frames(const char *text)
{
	static const char * const ends[] = {
		" </IRQ>", " </NMI>", " </TASK>", " </SOFTIRQ>", " </#DF>", "RIP: ", "Code: ", "---[ end",
		"Modules linked in", "Kernel panic", "Kernel Offset", "NMI backtrace for",
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ends); i++)
		if (begins(text, ends[i]))
			return true;
	return false;
}

/*
 * "f.isra.0+0x12/0x34 [mod]": copy f and [mod].  Compilers that clone a function name the clone
 * behind a dot.
 */
static bool parse_symbol(const char *text, char to[REPORT_FRAME])
{
	char name[100], module[56];
	u32 offset, size;
	int n = 0, nr;

	nr = sscanf(text, "%99[A-Za-z0-9_.$]+0x%x/0x%x%n", name, &offset, &size, &n);
	if (nr != 3 || !n || name[0] == '.')
		return false;
	name[strcspn(name, ".")] = 0;
	if (sscanf(text + n, " [%55[A-Za-z0-9_-]", module) == 1)
		snprintf(to, REPORT_FRAME, "%s [%s]", name, module);
	else
		snprintf(to, REPORT_FRAME, "%s", name);
	return true;
}

/**
 * struct reader - a report that is being read
 * @r: the result
 * @waits: see &struct kind
 * @in_trace: the frames have begun
 * @done: nothing is added any more
 */
struct reader {
	struct report *r;
	bool waits;
	bool in_trace;
	bool done;
};

static void take_frame(struct reader *rd, const char *text)
{
	struct report *r = rd->r;
	char frame[REPORT_FRAME], name[REPORT_FRAME];

	if (!parse_symbol(text, frame))
		return;
	snprintf(name, sizeof(name), "%s", frame);
	name[strcspn(name, " ")] = 0;
	if (is_listed(name, printers) || (rd->waits && is_listed(name, waits)))
		return;
	/* RCU shows its own thread first, if that got no CPU. */
	if (rd->waits && is_listed(name, of_rcu)) {
		r->nr = 0;
		rd->in_trace = false;
		return;
	}
	if (is_listed(name, callers)) {
		rd->done = r->nr;
		return;
	}
	/* Some kernels begin with the function of the fault. */
	if (r->nr && !strcmp(r->frame[r->nr - 1], frame))
		return;
	memcpy(r->frame[r->nr++], frame, sizeof(frame));
	rd->done = r->nr == REPORT_FRAMES;
}

static void take_report_line(struct reader *rd, const char *text)
{
	const u32 pc = jtrace_cause_pc(text);

	if (!rd->in_trace && pc && !rd->r->nr)
		take_frame(rd, text + pc);
	else if (begins(text, "Call Trace:") || begins(text, "Call trace:"))
		rd->in_trace = true;
	else if (rd->in_trace && ends_frames(text))
		rd->done = rd->r->nr;
	else if (rd->in_trace && text[0] == ' ')
		take_frame(rd, text + 1);
}

/* Find the line where the report begins; sets what is said of a panic without a cause. */
static u32 find_begin(const struct jtrace_trace *t)
{
	char text[JTRACE_LOG_TEXT_MAX + 1];
	u32 i;

	if (t->cause)
		return t->cause - 1;
	for (i = 0; i < t->log.nr; i++)
		if (jtrace_cause_read(t, i + 1, text) && begins(text, "Kernel panic - not syncing"))
			return i;
	return t->log.nr;
}

/* The words of the panic, unless the log has a line that says more. */
static const struct kind *read_kind(struct report *r, const struct jtrace_trace *t)
{
	char text[JTRACE_LOG_TEXT_MAX + 1];
	struct pen p = { r->kind, r->kind + sizeof(r->kind) - 1 };
	const struct kind *kind = NULL;

	if (jtrace_cause_read(t, t->cause, text))
		kind = find_kind(text);
	else
		snprintf(text, sizeof(text), "%.*s", (int)sizeof(t->header.reason),
			 (const char *)t->header.reason);
	if (kind) {
		pen_text(&p, kind->name);
	} else {
		/* Behind it: how the kernel was built. */
		if (strstr(text, " [#"))
			*strstr(text, " [#") = 0;
		text_normalise(&p, begins(text, "Oops: ") ? text + strlen("Oops: ") : text);
	}
	*p.at = 0;
	return kind;
}

/**
 * report_read() - read the report of a panic
 * @r: result
 * @t: an image that was scanned
 */
void report_read(struct report *r, const struct jtrace_trace *t)
{
	struct reader rd = { .r = r };
	char text[JTRACE_LOG_TEXT_MAX + 1];
	const struct kind *kind;
	u32 i, first;

	memset(r, 0, sizeof(*r));
	if (t->header.state != JTRACE_STATE_PANICKED || t->damage.nr[JTRACE_FAULT_HEADERS])
		return;
	kind = read_kind(r, t);
	rd.waits = kind && kind->waits;
	first = find_begin(t);
	for (i = first; i < t->log.nr && i - first < REPORT_LINES && !rd.done; i++) {
		/* A message is missing: what follows may be of another report. */
		if (i > first && t->log.key[i].time - t->log.key[i - 1].time > 1)
			break;
		if (!jtrace_cause_read(t, i + 1, text))
			continue;
		if (t->cause && begins(text, "Kernel panic - not syncing"))
			break;
		/* Those of all CPUs follow the task that hangs. */
		if (kind && !strcmp(kind->name, "hung task") && begins(text, "NMI backtrace for"))
			break;
		take_report_line(&rd, text);
	}
}
