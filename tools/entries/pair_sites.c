// SPDX-License-Identifier: GPL-2.0
/* Sites whose entries begin or end something. */

#include <stdlib.h>

#include "pairs.h"

/* Events of events/, and the fields in which a begin and its end agree. */
static const struct {
	const char *name;
	enum pair_role role;
	bool ends;
	const char *key;
	const char *second;
} events[] = {
	{ "irq_handler_entry", ROLE_IRQ, false, "irq", NULL },
	{ "irq_handler_exit", ROLE_IRQ, true, "irq", NULL },
	{ "softirq_entry", ROLE_SOFTIRQ, false, "vec", NULL },
	{ "softirq_exit", ROLE_SOFTIRQ, true, "vec", NULL },
	{ "timer_expire_entry", ROLE_TIMER, false, "timer", NULL },
	{ "timer_expire_exit", ROLE_TIMER, true, "timer", NULL },
	{ "hrtimer_expire_entry", ROLE_HRTIMER, false, "hrtimer", NULL },
	{ "hrtimer_expire_exit", ROLE_HRTIMER, true, "hrtimer", NULL },
	{ "workqueue_execute_start", ROLE_WORK, false, "work", NULL },
	{ "workqueue_execute_end", ROLE_WORK, true, "work", NULL },
	{ "sys_enter", ROLE_SYSCALL, false, "id", NULL },
	{ "sys_exit", ROLE_SYSCALL, true, "id", NULL },
	{ "contention_begin", ROLE_LOCK, false, "lock_addr", NULL },
	{ "contention_end", ROLE_LOCK, true, "lock_addr", NULL },
	{ "block_rq_issue", ROLE_BLOCK, false, "sector", "dev" },
	{ "block_rq_complete", ROLE_BLOCK, true, "sector", "dev" },
	{ "sched_process_exit", ROLE_EXIT, true, "pid", NULL },
	{ "sched_switch", ROLE_RUN, false, "next_pid", NULL },
	{ "sched_waking", ROLE_WAKE, false, "pid", NULL },
	{ "sched_wakeup", ROLE_WAKE, false, "pid", NULL },
	{ "sched_wakeup_new", ROLE_WAKE_NEW, false, "pid", NULL },
};

static bool find_keys(struct pair_site *s, const char *key, const char *second)
{
	s->key = fields_find(&s->fields, key);
	s->second = second ? fields_find(&s->fields, second) : -1;
	return s->key >= 0 && !field_has_text(s->fields.field[s->key].type) &&
	       (!second || (s->second >= 0 &&
			    jtrace_field_is_text(s->fields.field[s->second].type)));
}

static void judge_event(struct pair_site *s, const struct jtrace_site_text *text)
{
	const u32 len = fields_parse_site(&s->fields, text);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		if (!s->fields.nr || strlen(events[i].name) != len ||
		    memcmp(events[i].name, text->tag, len))
			continue;
		/* A begin or an end may have been passed over. */
		if (text->partial && events[i].role != ROLE_EXIT)
			continue;
		if (!find_keys(s, events[i].key, events[i].second))
			continue;
		s->role = events[i].role;
		s->ends = events[i].ends;
	}
}

static bool begins_with(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Events of jtrace itself, around a time without recording, or without that of some events. */
static void judge_call(struct pair_site *s, const struct jtrace_site_text *text)
{
	if (begins_with(text->tag, JTRACE_TAG_START))
		s->role = ROLE_START;
	else if (begins_with(text->tag, JTRACE_TAG_STOP) ||
		 begins_with(text->tag, JTRACE_TAG_STOPPED))
		s->role = ROLE_STOP;
	else if (begins_with(text->tag, JTRACE_TAG_SWITCHED))
		s->role = ROLE_SWITCH;
	else if (begins_with(text->tag, JTRACE_TAG_THAWED))
		s->role = ROLE_THAW;
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
 * pair_sites_open() - begin to look at the sites of a trace
 * @s: result; pair_sites_close() frees it, after an error, too
 * @t: the trace
 * @roles: those to look for, see ROLE_BIT()
 *
 * Return: false if there is no memory.
 */
bool pair_sites_open(struct pair_sites *s, const struct jtrace_trace *t, u32 roles)
{
	*s = (struct pair_sites){ .t = t, .roles = roles, .nr = t->l.sites_end / JTRACE_GRANULE };
	s->site = calloc(s->nr + 1ULL, sizeof(*s->site));
	return s->site;
}

/**
 * pair_sites_close() - free what was looked at
 * @s: the sites
 */
void pair_sites_close(struct pair_sites *s)
{
	u32 i;

	for (i = 0; s->site && i < s->nr; i++)
		free(s->site[i]);
	free(s->site);
	s->site = NULL;
}

static bool is_wanted(const struct pair_sites *s, enum pair_role role)
{
	return role >= ROLE_EXIT || s->roles & ROLE_BIT(role);
}

/**
 * pair_site() - find what a site means
 * @s: the sites
 * @number: of the site
 *
 * Return: the site, which means nothing if it is not stored; NULL if there is no memory.
 */
const struct pair_site *pair_site(struct pair_sites *s, u32 number)
{
	static const struct pair_site none;
	struct jtrace_site_text text;
	struct pair_site *one;

	if (number >= s->nr)
		return &none;
	if (s->site[number])
		return s->site[number];
	one = calloc(1, sizeof(*one));
	s->site[number] = one;
	if (!one)
		return NULL;
	one->number = number;
	one->second = -1;
	if (!jtrace_site_read(&s->t->l, s->t->img, s->t->image_id, number, &text))
		return one;
	if (text.kind == JTRACE_SITE_CALL)
		judge_call(one, &text);
	else if (text.kind == JTRACE_SITE_EVENT)
		judge_event(one, &text);
	else if (jtrace_site_is_probe(text.kind))
		judge_probe(one, &text);
	if (!is_wanted(s, one->role))
		one->role = ROLE_NONE;
	return one;
}

/**
 * pairs_never_end() - is it a system call that never ends: the task does, or goes on elsewhere?
 * @t: the trace
 * @b: its begin
 *
 * Return: true if it is.
 */
bool pairs_never_end(const struct jtrace_trace *t, const struct pair_begin *b)
{
	static const char * const calls[] = { "exit", "exit_group", "rt_sigreturn", "sigreturn" };
	struct field_value v;
	char name[SYMBOL_TEXT];
	u32 i;

	if (b->site->role != ROLE_SYSCALL)
		return false;
	fields_get(&b->site->fields, b->site->key, &b->ev, &v);
	if (!symbolic_name(t, &v, name, sizeof(name)))
		return true;
	for (i = 0; i < ARRAY_SIZE(calls); i++)
		if (!strcmp(name, calls[i]))
			return true;
	return false;
}
