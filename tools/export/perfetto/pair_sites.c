// SPDX-License-Identifier: GPL-2.0
/* Sites whose entries begin or end something. */

#include <stdlib.h>

#include "pairs.h"

/* Sites by their number, which is below the end of the table. */
static struct pair_site **site;
static u32 nr_sites;

/**
 * pair_sites_open() - begin to look at the sites of a trace
 * @t: the trace; one at a time
 *
 * Return: false if there is no memory.
 */
bool pair_sites_open(const struct jtrace_trace *t)
{
	nr_sites = t->l.sites_end / JTRACE_GRANULE;
	site = calloc(nr_sites + 1ULL, sizeof(*site));
	return site;
}

/**
 * pair_sites_close() - free what was looked at
 *
 * Call it after a pair_sites_open() that failed, too.
 */
void pair_sites_close(void)
{
	u32 i;

	for (i = 0; site && i < nr_sites; i++)
		free(site[i]);
	free(site);
	site = NULL;
}

/* Events of events/, by their whole tag. */
static const struct {
	const char *tag;
	enum pair_role role;
	bool ends;
} events[] = {
	{ "irq_handler_entry (irq:s32, name:string)", ROLE_IRQ, false },
	{ "irq_handler_exit (irq:s32, ret:s32)", ROLE_IRQ, true },
	{ "softirq_entry (vec:u32)", ROLE_SOFTIRQ, false },
	{ "softirq_exit (vec:u32)", ROLE_SOFTIRQ, true },
	{ "sys_enter (id:s32, compat:u8, arg0:x64, arg1:x64, arg2:x64)", ROLE_SYSCALL, false },
	{ "sys_exit (id:s32, compat:u8, ret:s64)", ROLE_SYSCALL, true },
	/* Of images before the mark of 32-bit calls. */
	{ "sys_enter (id:s32, arg0:x64, arg1:x64, arg2:x64)", ROLE_SYSCALL, false },
	{ "sys_exit (id:s32, ret:s64)", ROLE_SYSCALL, true },
	{ "sched_process_exit (pid:s32, prio:s32, comm:string)", ROLE_EXIT, false },
};

static void judge_event(struct pair_site *s, const struct jtrace_site_text *text)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		if (strcmp(text->tag, events[i].tag) || !fields_parse_site(&s->fields, text))
			continue;
		/* A begin or an end may have been passed over. */
		if (text->partial && events[i].role != ROLE_EXIT)
			continue;
		s->role = events[i].role;
		s->ends = events[i].ends;
	}
}

static void judge_call(struct pair_site *s, const struct jtrace_site_text *text)
{
	if (!strncmp(text->tag, JTRACE_TAG_START, strlen(JTRACE_TAG_START)))
		s->role = ROLE_START;
	else if (!strncmp(text->tag, JTRACE_TAG_STOP, strlen(JTRACE_TAG_STOP)) ||
		 !strncmp(text->tag, JTRACE_TAG_STOPPED, strlen(JTRACE_TAG_STOPPED)))
		s->role = ROLE_STOP;
	else if (!strncmp(text->tag, JTRACE_TAG_SWITCHED, strlen(JTRACE_TAG_SWITCHED)))
		s->role = ROLE_SWITCH;
}

/*
 * A kprobe has the place "FUNCTION+0xOFFSET", a kretprobe "FUNCTION", both "[MODULE]" at the end.
 * Only a kprobe at offset 0 records each call.  Parts with registers belong to a hit that has an
 * entry of its own.
 */
static void judge_probe(struct pair_site *s, const struct jtrace_site_text *text)
{
	static const char zero[] = "+0x0";
	const bool entry = text->kind == JTRACE_SITE_PROBE;
	const char *plus = strchr(text->func, '+'), *rest = "";
	int len = strcspn(text->func, "+");

	if (strstr(text->tag, " $regs ") || !len)
		return;
	if (entry) {
		if (!plus || strncmp(plus, zero, strlen(zero)))
			return;
		rest = plus + strlen(zero);
		if (*rest && *rest != '[')
			return;
	} else if (plus) {
		return;
	}
	s->role = ROLE_CALL;
	s->ends = !entry;
	scnprintf(s->function, sizeof(s->function), "%.*s%s", len, text->func, rest);
}

/**
 * pair_site() - find what a site means
 * @t: the trace
 * @number: of the site
 *
 * Return: the site, which means nothing if it is not stored; NULL if there is no memory.
 */
const struct pair_site *pair_site(const struct jtrace_trace *t, u32 number)
{
	static const struct pair_site none;
	struct jtrace_site_text text;
	struct pair_site *s;

	if (number >= nr_sites)
		return &none;
	if (site[number])
		return site[number];
	s = calloc(1, sizeof(*s));
	site[number] = s;
	if (!s)
		return NULL;
	s->number = number;
	if (!jtrace_site_read(&t->l, t->img, t->image_id, number, &text))
		return s;
	if (text.kind == JTRACE_SITE_CALL)
		judge_call(s, &text);
	else if (text.kind == JTRACE_SITE_EVENT)
		judge_event(s, &text);
	else if (jtrace_site_is_probe(text.kind))
		judge_probe(s, &text);
	return s;
}
