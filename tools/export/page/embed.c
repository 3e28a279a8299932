// SPDX-License-Identifier: GPL-2.0
/*
 * The fixed parts of a page: the files in this folder, as they are.
 *
 * The assembler includes them, so that every build of the tools has them without a step before.
 * Their path starts from ../include, which the compiler searches for headers in all builds.
 */

#include "page.h"

#define EMBED(name, file)					\
	asm(".pushsection .rodata\n"				\
	    ".globl " #name "\n"				\
	    ".hidden " #name "\n"				\
	    #name ":\n"						\
	    ".incbin \"../tools/export/page/" file "\"\n"		\
	    ".byte 0\n"						\
	    ".popsection\n")

EMBED(page_html, "page.html");
EMBED(page_css, "page.css");
EMBED(page_unpack_js, "unpack.js");
EMBED(page_data_js, "data.js");
EMBED(page_axis_js, "axis.js");
EMBED(page_lanes_js, "lanes.js");
EMBED(page_counters_js, "counters.js");
EMBED(page_measure_js, "measure.js");
EMBED(page_durations_js, "durations.js");
EMBED(page_runs_js, "runs.js");
EMBED(page_tasks_js, "tasks.js");
EMBED(page_figures_js, "figures.js");
EMBED(page_stacks_js, "stacks.js");
EMBED(page_filters_js, "filters.js");
EMBED(page_list_js, "list.js");
EMBED(page_search_js, "search.js");
EMBED(page_address_js, "address.js");
EMBED(page_js, "page.js");
