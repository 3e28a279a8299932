// SPDX-License-Identifier: GPL-2.0
/*
 * What caused a panic: the line of the kernel log that names the fault, and the one with the
 * program counter.
 *
 * Only a line that belongs to the panic may be shown: an older oops that the machine survived is
 * not its cause.  So the words of the panic, from the header, decide which lines count, and no
 * message may be missing between such a line and that of the panic.
 */

#include "log.h"

/* An oops names its fault so many messages before the line with its number, at the most. */
#define OOPS_HEAD	24

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* "Oops: 0002 [#1] PREEMPT SMP", "Internal error: Oops: 96000044 [#1] SMP" */
static bool has_number(const char *text)
{
	const char *at = strstr(text, " [#");
	u32 digits = 0;

	if (!at || at[3] < '0' || at[3] > '9')
		return false;
	while (at - digits > text && is_hex(at[-1 - (int)digits]))
		digits++;
	return digits >= 4 && at - digits > text && at[-1 - (int)digits] == ' ';
}

/* The first lines of an oops, on x86 and arm64. */
static bool names_fault(const char *text)
{
	return begins(text, "BUG: ") || begins(text, "kernel BUG at ") ||
	       begins(text, "Unable to handle kernel ");
}

/*
 * Panics that no oops causes: words of the panic, and a part of the line that says why.  A task
 * that sleeps has no program counter: those that follow are of other tasks, on all CPUs.
 */
static const struct report {
	const char *reason, *line, *begin;
	bool has_pc;
} reports[] = {
	{ "softlockup", "BUG: soft lockup", "", true },
	{ "Hard LOCKUP", "hard LOCKUP on cpu", "", true },
	/* Not "INFO: task cat:115 is blocked on a mutex likely owned by task cat:114." */
	{ "hung_task", " for more than ", "INFO: task ", false },
	{ "RCU Stall", "detected stall", "", true },
	{ "kernel: panic_on_warn", "", "WARNING: ", true },
};

static const struct report *report_for(const char *reason)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(reports); i++)
		if (strstr(reason, reports[i].reason))
			return &reports[i];
	return NULL;
}

static bool is_report(const struct report *r, const char *text)
{
	return begins(text, r->begin) && strstr(text, r->line);
}

/**
 * jtrace_cause_pc() - find the symbol in a line with the program counter
 * @text: "RIP: 0010:f+0x2f/0x100 [mod]", "pc : f+0x2f/0x100 [mod]"; ends at a NUL
 *
 * Return: offset of the symbol, 0 if it is another line.
 */
u32 jtrace_cause_pc(const char *text)
{
	static const char * const words[] = { "RIP: 0010:", "pc : " };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (begins(text, words[i]))
			return strlen(words[i]);
	return 0;
}

/**
 * jtrace_cause_read() - read one line of the cause
 * @t: an image that was scanned
 * @nr: &jtrace_trace.cause or &jtrace_trace.cause_pc
 * @text: result: the text and a NUL; %JTRACE_LOG_TEXT_MAX + 1 bytes
 *
 * Return: false if there is none.
 */
bool jtrace_cause_read(const struct jtrace_trace *t, u32 nr, char *text)
{
	struct jtrace_log_line line;

	if (!nr || !jtrace_log_part(t, nr - 1, &line, text))
		return false;
	text[line.len] = 0;
	return true;
}

/**
 * jtrace_cause_find() - find the lines of the log that name the cause of a panic
 * @t: an image whose log was scanned; cause and cause_pc are set
 */
void jtrace_cause_find(struct jtrace_trace *t)
{
	char reason[sizeof(t->header.reason) + 1] = { 0 }, text[JTRACE_LOG_TEXT_MAX + 1];
	u32 i, named = 0;
	const struct report *want;
	bool oops;

	t->cause = 0;
	t->cause_pc = 0;
	if (t->header.state != JTRACE_STATE_PANICKED || t->damage.nr[JTRACE_FAULT_HEADERS])
		return;
	memcpy(reason, t->header.reason, sizeof(t->header.reason));
	oops = strstr(reason, "Fatal exception");
	want = report_for(reason);
	for (i = 0; i < t->log.nr && (oops || want); i++) {
		if (t->can_sleep)
			cond_resched();
		if (i && t->log.key[i].time - t->log.key[i - 1].time > 1) {
			t->cause = 0;
			named = 0;
		}
		if (!jtrace_cause_read(t, i + 1, text))
			continue;
		/* That of a report that is no oops: "BUG: sleeping function called ...". */
		if (strstr(text, "Call Trace:") || strstr(text, "Call trace:"))
			named = 0;
		if (begins(text, "Kernel panic - not syncing"))
			break;
		if (oops && names_fault(text))
			named = i + 1;
		if (oops ? has_number(text) : is_report(want, text)) {
			t->cause = named && t->log.key[i].time - t->log.key[named - 1].time <
				   OOPS_HEAD ? named : i + 1;
			t->cause_pc = 0;
			named = 0;
		} else if (t->cause && !t->cause_pc && (oops || want->has_pc) &&
			   jtrace_cause_pc(text)) {
			t->cause_pc = i + 1;
		}
	}
}
