/* SPDX-License-Identifier: GPL-2.0 */
/* The page of jtrace --html. */
#ifndef _JTRACE_PAGE_H
#define _JTRACE_PAGE_H

#include "../../image/image.h"

/* pairs.c */

/**
 * enum page_owner - what a pair of events belongs to
 * @PAGE_OF_CPU: its CPU
 * @PAGE_OF_THREAD: its thread
 * @PAGE_OF_NOBODY: neither
 */
enum page_owner {
	PAGE_OF_CPU,
	PAGE_OF_THREAD,
	PAGE_OF_NOBODY,
};

/* The end of a pair that had not ended. */
#define PAGE_OPEN	(~0U)

/**
 * struct page_pair - two events that begin and end something
 * @begin: its row among those of events
 * @end: same, or %PAGE_OPEN
 * @owner: see there
 */
struct page_pair {
	u32 begin;
	u32 end;
	enum page_owner owner;
};

/**
 * struct page_pairs - the pairs of a page, in the order of their ends
 * @pair: the pairs
 * @nr: how many
 * @missing: why there is none, as part of a sentence; NULL if there may be some
 */
struct page_pairs {
	struct page_pair *pair;
	u32 nr;
	const char *missing;
};

bool page_pairs_find(struct page_pairs *p, const struct jtrace_trace *t);
void page_pairs_free(struct page_pairs *p);

/* html.c; see ../export.h, too */
void html_write(const struct dump *d, FILE *to);

/* embed.c: the files of the page, each with a NUL at its end */
#define PAGE_PART	extern const char __attribute__((visibility("hidden")))

PAGE_PART page_html[];
PAGE_PART page_css[];
PAGE_PART page_data_js[];
PAGE_PART page_lanes_js[];
PAGE_PART page_counters_js[];
PAGE_PART page_measure_js[];
PAGE_PART page_durations_js[];
PAGE_PART page_figures_js[];
PAGE_PART page_stacks_js[];
PAGE_PART page_filters_js[];
PAGE_PART page_list_js[];
PAGE_PART page_search_js[];
PAGE_PART page_address_js[];
PAGE_PART page_js[];

#endif /* _JTRACE_PAGE_H */
