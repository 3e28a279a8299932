/* SPDX-License-Identifier: GPL-2.0 */
/* The page of jtrace --html. */
#ifndef _JTRACE_PAGE_H
#define _JTRACE_PAGE_H

#include "../../image/image.h"

/* pairs.c */
void page_put_pairs(FILE *to, const struct jtrace_trace *t);

/* rows.c */
bool page_put_rows(FILE *to, const struct jtrace_trace *t);

/* stacks.c */
void page_open_stacks(const struct jtrace_trace *t);
void page_close_stacks(void);
u32 page_put_stack(FILE *to, const struct jtrace_trace *t, const struct jtrace_decoded *ev);

/* json.c */
bool page_goes_on(FILE *to);
void page_put_text(FILE *to, const char *text);
void page_put_bytes(FILE *to, const struct jtrace_trace *t, const char *from, size_t len);
void page_put_string(FILE *to, const struct jtrace_trace *t, const char *name, const char *from,
		     size_t len);

/* html.c; see ../export.h, too */
bool html_write(const struct dump *d, FILE *to);

/* embed.c: the files of the page, each with a NUL at its end */
#define PAGE_PART	extern const char __attribute__((visibility("hidden")))

PAGE_PART page_html[];
PAGE_PART page_css[];
PAGE_PART page_unpack_js[];
PAGE_PART page_data_js[];
PAGE_PART page_axis_js[];
PAGE_PART page_lanes_js[];
PAGE_PART page_counters_js[];
PAGE_PART page_measure_js[];
PAGE_PART page_durations_js[];
PAGE_PART page_runs_js[];
PAGE_PART page_tasks_js[];
PAGE_PART page_figures_js[];
PAGE_PART page_stacks_js[];
PAGE_PART page_filters_js[];
PAGE_PART page_list_js[];
PAGE_PART page_search_js[];
PAGE_PART page_address_js[];
PAGE_PART page_js[];

#endif /* _JTRACE_PAGE_H */
