// SPDX-License-Identifier: GPL-2.0
/*
 * jtrace why: how a machine ended, and what was unfinished then.
 *
 * Statements hold as of a moment: the first line of the panic, because what follows is the panic's
 * own work; else the stop of recording; else the newest entry.
 */

#include "../../lib/read/log.h"
#include "why.h"

/* After the first line of a fault, its report is printed, and then no claim succeeds for 2 s. */
#define FAULT_NS	(3 * NS_PER_S)

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/*
 * A fault that stops recording for a moment, if the machine survives it.  Most reports that begin
 * with "BUG: " do not: a lockup, or a task that sleeps where it must not.
 */
static bool is_fault(const char *text)
{
	return begins(text, "BUG: unable to handle ") || begins(text, "BUG: kernel NULL pointer ") ||
	       begins(text, "kernel BUG at ") || begins(text, "Unable to handle kernel ") ||
	       begins(text, "Oops: ") || begins(text, "Internal error: ") || strstr(text, " [#");
}

/* One that panics tells of others. */
static bool is_watchdog(const struct jtrace_trace *t)
{
	static const char * const words[] = { "lockup", "LOCKUP", "hung_task", "RCU Stall" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (memmem(t->header.reason, sizeof(t->header.reason), words[i],
			   strlen(words[i])))
			return true;
	return false;
}

/* "CPU: 0 PID: 142 Comm: ..."; since 6.12 "CPU: 0 UID: 0 PID: 142 Comm: ...". */
static bool parse_where(const char *text, struct panic *where)
{
	u32 uid;

	return (sscanf(text, "CPU: %u PID: %u ", &where->cpu, &where->tid) == 2 ||
		sscanf(text, "CPU: %u UID: %u PID: %u ", &where->cpu, &uid, &where->tid) == 3) &&
	       where->cpu < CPU_NUMBERS;
}

/* Find the moment up to which the trace is judged, and from when on, both in ns. */
static const char *find_moment(const struct jtrace_trace *t, u64 *until, u64 *from,
			       struct panic *where)
{
	const bool panicked = t->header.state == JTRACE_STATE_PANICKED;
	static struct jtrace_log_reader reader;
	struct jtrace_log_line line;
	char text[JTRACE_LOG_TEXT_MAX + 1];
	u64 ns, panic = ~0ULL;

	*from = 0;
	*until = ~0ULL;
	if (panicked && t->cause && jtrace_log_part(t, t->cause - 1, &line, text) &&
	    line.time != JTRACE_LOG_NO_TIME)
		panic = jtrace_log_ns(t, &line);
	jtrace_log_open(&reader, t);
	while (jtrace_log_next(&reader, &line)) {
		if (line.time == JTRACE_LOG_NO_TIME)
			continue;
		ns = jtrace_log_ns(t, &line);
		scnprintf(text, sizeof(text), "%.*s", (int)line.len, line.text);
		if (panicked && strstr(text, "Kernel panic - not syncing"))
			panic = min(panic, ns);
		else if (ns < panic && is_fault(text))
			*from = ns + FAULT_NS;
		/* The first one of the report. */
		if (ns >= panic && !where->known && !is_watchdog(t))
			where->known = parse_where(text, where);
	}
	if (panic == ~0ULL) {
		*until = t->newest.tie ? jtrace_recover_ns(t, t->newest.time) : 0;
		return "its last event";
	}
	*until = panic;
	return "the first line of the panic";
}

static void put_how(const struct dump *d, struct pen *p)
{
	const struct jtrace_image_header *h = &d->t.header;
	char text[JTRACE_LOG_TEXT_MAX + 1];

	if (d->t.damage.nr[JTRACE_FAULT_HEADERS]) {
		pen_text(p, "How it ended is lost with the headers of the image.");
		return;
	}
	switch (h->state) {
	case JTRACE_STATE_PANICKED:
		pen_text(p, "It panicked: ");
		if (jtrace_cause_read(&d->t, d->t.cause, text)) {
			jtrace_put_escaped(&d->t, p, text, 128);
			pen_text(p, "; ");
		}
		jtrace_put_escaped(&d->t, p, (const char *)h->reason, sizeof(h->reason));
		break;
	case JTRACE_STATE_CLEAN:
		pen_text(p, "It was shut down cleanly.");
		break;
	case JTRACE_STATE_RUNNING:
		pen_text(p, is_this_boot(h->boot_id) ? "It is this boot, which goes on." :
			 "No panic is recorded: it hung, was reset, or was still running when this was saved.");
		break;
	default:
		pen_format(p, "Its state was \"%s\" when recording ended.", state_name(h->state));
		break;
	}
}

/**
 * why_write() - write why a machine died
 * @d: the image, with decode_open(), and all of its entries
 * @form: how
 * @moment: what came later is not looked at, ns; ~0 for all
 * @to: where to
 * @found: result: there is a finding
 *
 * Return: false, after a message, on an error.
 */
bool why_write(const struct dump *d, enum why_form form, u64 moment, FILE *to, bool *found)
{
	static struct verdict v;
	char how[1024];
	struct pen p = { how, how + sizeof(how) - 1 };
	const char *as_of;
	u64 until, from;
	bool ok;

	memset(&v, 0, sizeof(v));
	as_of = find_moment(&d->t, &until, &from, &v.panic);
	if (moment < until) {
		until = moment;
		as_of = "as told";
	}
	ok = model_read(&v.m, &d->t, until, from) && judge(&v);
	if (ok) {
		put_how(d, &p);
		*p.at = 0;
		if (v.m.stopped)
			as_of = "recording was stopped";
		if (form == WHY_JSON)
			say_json(&v, as_of, to);
		else if (form == WHY_FINDINGS)
			say_findings(&v, to);
		else
			say_text(&v, how, as_of, to);
		*found = v.nr;
	}
	model_close(&v.m);
	return ok;
}

/**
 * why_each_task() - call a function for each task, as of the end
 * @d: the image, with decode_open(), and all of its entries
 * @call: the function
 * @data: its second argument
 *
 * Return: false, after a message, on an error.
 */
bool why_each_task(const struct dump *d, void (*call)(const struct why_task *task, void *data),
		   void *data)
{
	static struct verdict v;
	u64 until, from;
	bool ok;

	memset(&v, 0, sizeof(v));
	find_moment(&d->t, &until, &from, &v.panic);
	ok = model_read(&v.m, &d->t, until, from);
	if (ok && model_knows_tasks(&v.m))
		model_each_task(&v.m, call, data);
	model_close(&v.m);
	return ok;
}
