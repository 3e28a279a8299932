/* SPDX-License-Identifier: GPL-2.0 */
/* A trace as trace.dat, for trace-cmd and KernelShark. */
#ifndef _JTRACE_DAT_H
#define _JTRACE_DAT_H

#include "../export.h"

/* Numbers of events have 16 bits; the first one is of entries whose site is not known. */
#define DAT_LOST	1
#define DAT_EVENTS	65535

/* Bytes of a record: common fields, six fields, and the text, which is cut. */
#define DAT_COMMON	8
#define DAT_TEXT	3000
#define DAT_RECORD	(DAT_COMMON + JTRACE_FIELDS * 16 + 8 + DAT_TEXT + 8)

/**
 * struct dat_event - the entries of a site
 * @id: number of the event
 * @fields: of the site; none: the arguments are a to f
 * @offset: of each field in a record
 * @text: offset of the place and length of the text
 * @size: of a record without its text
 */
struct dat_event {
	u16 id;
	struct fields fields;
	u32 offset[JTRACE_FIELDS];
	u32 text;
	u32 size;
};

/**
 * struct dat_events - all events
 * @t: the trace
 * @event: in the order of @id
 * @nr: how many
 * @by_site: index in @event plus 1 by the number of the site, 0 if it was not met
 * @sites: number of these
 */
struct dat_events {
	const struct jtrace_trace *t;
	struct dat_event **event;
	size_t nr;
	u16 *by_site;
	u32 sites;
};

/* event.c */
bool dat_events_open(struct dat_events *all, const struct jtrace_trace *t);
const struct dat_event *dat_event_find(struct dat_events *all, u32 site);
u32 dat_record(const struct dat_events *all, const struct dat_event *e,
	       const struct jtrace_decoded *ev, u8 to[DAT_RECORD]);
bool dat_put_formats(const struct dat_events *all, FILE *to);
void dat_events_close(struct dat_events *all);

/* page.c */

/**
 * struct dat_cpu - the pages of a CPU
 * @begun: it has an event
 * @at: offset of the next page in the file
 * @pages: bytes of all its pages
 * @last: time of its last event
 * @used: bytes in @data
 * @page: the page that is being filled, NULL while sizes are computed
 */
struct dat_cpu {
	bool begun;
	u64 at;
	u64 pages;
	u64 last;
	u32 used;
	u8 *page;
};

bool dat_page_add(struct dat_cpu *c, u64 ns, const u8 *record, u32 len, FILE *to);
bool dat_page_end(struct dat_cpu *c, FILE *to);

#endif /* _JTRACE_DAT_H */
