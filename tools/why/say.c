// SPDX-License-Identifier: GPL-2.0
/* A verdict as text and as JSON. */

#include "../print/print.h"
#include "why.h"

static const char * const groups[] = {
	[GROUP_SCHED] = "sched",
	[GROUP_IRQ] = "irq",
	[GROUP_SOFTIRQ] = "softirq",
	[GROUP_TIMER] = "timer",
	[GROUP_WORKQUEUE] = "workqueue",
	[GROUP_SYSCALL] = "syscall",
	[GROUP_LOCK] = "lock",
	[GROUP_BLOCK] = "block",
};

/* List groups that the trace has not, or has with clauses only. */
static void list_groups(struct pen *p, const struct model *m, bool with_clauses)
{
	const char *comma = "";
	u32 i;

	static_assert(ARRAY_SIZE(groups) == GROUPS);
	for (i = 0; i < GROUPS; i++) {
		if (with_clauses ? !model_passes_over(m, i) : model_has(m, i))
			continue;
		pen_format(p, "%s%s", comma, groups[i]);
		comma = ", ";
	}
}

static void list_not_judged(struct pen *p, const struct verdict *v)
{
	const struct model *m = &v->m;
	char list[128];
	struct pen l = { list, list + sizeof(list) - 1 };

	if (v->why_not) {
		pen_format(p, "what was unfinished: %s", v->why_not);
		return;
	}
	list_groups(&l, m, true);
	*l.at = 0;
	if (list[0])
		pen_format(p, "%s: clauses pass over hits", list);
	if (!model_knows_tasks(m))
		pen_format(p, "%stasks: %s", list[0] ? "; " : "", m->unwoken ?
			   "some ran without a wake-up" : "sched_switch and sched_wakeup are not all there");
}

/*
 * Of a longer stack, only the innermost frames are printed.  Those of events of locks and of tasks
 * begin with up to five of the kernel itself.
 */
#define FRAMES	8

/* Who called, as jtrace -d prints it, but without colour: the text may go anywhere. */
static void put_stack(const struct jtrace_trace *t, const struct jtrace_decoded *ev, FILE *to)
{
	static char line[STACK_LINE];
	struct jtrace_stack s;
	u32 nr = stack_lines(t, ev, &s), i;

	for (i = 0; i < nr; i++) {
		struct pen p = { line, line + sizeof(line) - 1 };

		if (i >= FRAMES && i < s.nr) {
			fprintf(to, STACK_INDENT "(%u more frame%s)\n", s.nr - i,
				s.nr - i == 1 ? "" : "s");
			i = s.nr - 1;
			continue;
		}
		stack_line(t, ev, &s, i, &p);
		fprintf(to, STACK_INDENT "%s\n", line);
	}
}

/* "     20.833236 cpu 1 cat (315)  contention_begin flags=0x20 <MUTEX> ..." */
static void put_evidence(const struct jtrace_trace *t, const struct jtrace_decoded *ev, FILE *to)
{
	static char line[DECODED_LINE_MAX];
	struct pen p = { line, line + sizeof(line) - 1 };
	const struct jtrace_named *named = t->decode(t, ev);
	const struct jtrace_site_text *site;
	u32 len;

	put_time(&p, jtrace_recover_ns(t, ev->time));
	pen_format(&p, " cpu %u ", ev->cpu);
	put_task_name(t, &p, ev->tid, ev->time);
	pen_text(&p, "  ");
	if (named) {
		pen_text(&p, named->values);
	} else {
		site = decode_site(t, ev->site, &len);
		if (site)
			jtrace_put_escaped(t, &p, site->tag, sizeof(site->tag));
	}
	*p.at = 0;
	fprintf(to, "     %s\n", line);
	put_stack(t, ev, to);
}

static void put_finding(const struct finding *f, FILE *to)
{
	fprintf(to, "[%s] %s.\n", f->likely ? "likely" : "fact", f->text);
}

/**
 * say_findings() - print the sentences of a verdict, a line each
 * @v: the verdict
 * @to: where to
 */
void say_findings(const struct verdict *v, FILE *to)
{
	u32 i;

	for (i = 0; i < v->nr; i++)
		put_finding(&v->finding[i], to);
}

/**
 * say_text() - print a verdict for people
 * @v: the verdict
 * @how: a sentence: how it ended
 * @as_of: what ended the time that is judged
 * @to: where to
 */
void say_text(const struct verdict *v, const char *how, const char *as_of, FILE *to)
{
	const struct model *m = &v->m;
	char text[512];
	struct pen p;
	u32 i, k;

	fprintf(to, "%s\n", how);
	if (m->nr) {
		p = (struct pen){ text, text + sizeof(text) - 1 };
		pen_text(&p, "As of ");
		put_time(&p, m->until);
		pen_format(&p, " (%s); complete from ", as_of);
		put_time(&p, max(m->from, m->first));
		*p.at = 0;
		fprintf(to, "%s on, %llu events of %u CPU%s.\n", text, m->nr, m->cpus,
			m->cpus == 1 ? "" : "s");
	}
	for (i = 0; i < v->nr; i++) {
		fprintf(to, "%u. ", i + 1);
		put_finding(&v->finding[i], to);
		for (k = 0; k < v->finding[i].nr; k++)
			put_evidence(m->t, &v->finding[i].evidence[k], to);
	}
	if (v->more)
		fprintf(to, "%u more of less weight %s left out.\n", v->more,
			v->more == 1 ? "is" : "are");
	if (!v->nr)
		fputs(v->why_not ? "I do not know what was unfinished.\n" :
		      "Nothing that is recorded was unfinished for unusually long.\n", to);
	p = (struct pen){ text, text + sizeof(text) - 1 };
	list_groups(&p, m, false);
	*p.at = 0;
	if (text[0])
		fprintf(to, "Not in the trace: %s.\n", text);
	p = (struct pen){ text, text + sizeof(text) - 1 };
	list_not_judged(&p, v);
	*p.at = 0;
	if (text[0])
		fprintf(to, "Not judged: %s.\n", text);
}

static void json_finding(const struct verdict *v, const struct finding *f, FILE *to)
{
	const struct jtrace_trace *t = v->m.t;
	const struct jtrace_site_text *site;
	char task[TASK_NAME];
	u32 i, len;

	fprintf(to, "{\"type\":\"finding\",\"what\":\"%s\",\"certainty\":\"%s\"", f->what,
		f->likely ? "likely" : "fact");
	json_put_string(to, "text", f->text);
	if (f->cpu >= 0)
		fprintf(to, ",\"cpu\":%d", f->cpu);
	fputs(",\"tids\":[", to);
	for (i = 0; i < f->tids; i++)
		fprintf(to, "%s%u", i ? "," : "", f->tid[i]);
	fprintf(to, "],\"since_ns\":%llu,\"evidence\":[", f->since);
	for (i = 0; i < f->nr; i++) {
		const struct jtrace_decoded *ev = &f->evidence[i];

		fprintf(to, "%s{\"time_ns\":%llu,\"cpu\":%u,\"tid\":%u", i ? "," : "",
			jtrace_recover_ns(t, ev->time), ev->cpu, ev->tid);
		if (task_name(t, ev, task))
			json_put_string(to, "task", task);
		site = decode_site(t, ev->site, &len);
		if (site)
			json_put_bytes(to, "name", site->tag, len);
		json_put_stack(to, t, ev);
		putc('}', to);
	}
	fputs("]}\n", to);
}

/**
 * say_json() - print a verdict for programs
 * @v: the verdict
 * @as_of: what ended the time that is judged
 * @to: where to
 */
void say_json(const struct verdict *v, const char *as_of, FILE *to)
{
	const struct model *m = &v->m;
	char text[512];
	struct pen p = { text, text + sizeof(text) - 1 };
	u32 i;

	fputs("{\"type\":\"why\"", to);
	json_put_string(to, "state", state_name(m->t->header.state));
	fprintf(to, ",\"as_of_ns\":%llu", m->until);
	json_put_string(to, "as_of", as_of);
	fprintf(to, ",\"complete_from_ns\":%llu,\"events\":%llu,\"cpus\":%u,\"findings\":%u,\"more\":%u",
		max(m->from, m->first), m->nr, m->cpus, v->nr, v->more);
	list_groups(&p, m, false);
	*p.at = 0;
	json_put_string(to, "missing", text);
	p = (struct pen){ text, text + sizeof(text) - 1 };
	list_not_judged(&p, v);
	*p.at = 0;
	json_put_string(to, "not_judged", text);
	fputs("}\n", to);
	for (i = 0; i < v->nr; i++)
		json_finding(v, &v->finding[i], to);
}
