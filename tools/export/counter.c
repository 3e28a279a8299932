// SPDX-License-Identifier: GPL-2.0
/* Counters: the values of the event usage, which exports show as lines. */

#include "export.h"

/*
 * The tag and its fields, in their order.  Another tag of that name, of another version of jtrace,
 * is an event as all others.
 */
static const char usage_tag[] =
	"usage (free_kb:u64, available_kb:u64, dirty_kb:u32, runnable:s32, interrupts:u32)";

static const struct export_counter counters[] = {
	{ "free memory", 1024 },
	{ "available memory", 1024 },
	{ "dirty memory", 1024 },
	{ "runnable tasks", 0 },
	{ "interrupts", 0 },
};

/**
 * export_counters() - find the counters of a site
 * @t: the trace
 * @number: of the site
 * @nr: result: how many: one for each of its first values; 0 if they are no counters
 *
 * Return: the counters.  A value below 0 is not known.
 */
const struct export_counter *export_counters(const struct jtrace_trace *t, u32 number, u32 *nr)
{
	const struct jtrace_site_text *site;
	u32 len;

	site = decode_site(t, number, &len);
	/* A small entry has one of the values only. */
	*nr = 0;
	if (t->l.kind == JTRACE_KIND_LARGE && site && site->kind == JTRACE_SITE_EVENT &&
	    !strcmp(site->tag, usage_tag))
		*nr = ARRAY_SIZE(counters);
	return counters;
}
