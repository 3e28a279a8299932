/* SPDX-License-Identifier: GPL-2.0 */
/* The text of a trace, line by line. */
#ifndef _JTRACE_RENDER_H
#define _JTRACE_RENDER_H

#include "recover.h"

/* A line with all strings at their longest and each byte escaped, and its NUL. */
#define JTRACE_LINE_MAX	(176 + 4 * (JTRACE_TAG_MAX + JTRACE_FILE_MAX + JTRACE_FUNC_MAX))

/* Sites whose text is remembered, and so many bytes of it. */
#define JTRACE_MEMO_SITES	64
#define JTRACE_MEMO_TEXT	122

/**
 * struct jtrace_memo - what a reader remembers from line to line
 * @time: of an entry, raw
 * @ns: what is shown for it; 0 if @time means nothing
 * @site: text of sites, at a hash of their number
 *
 * Only saves work: the text is the same without.  Zeroed before the first line of a
 * trace; each reader has its own.
 */
struct jtrace_memo {
	u64 time;
	u64 ns;
	struct {
		u32 number;
		u16 len;
		char text[JTRACE_MEMO_TEXT];
	} site[JTRACE_MEMO_SITES];
};

u64 jtrace_render_lines(const struct jtrace_trace *t);
int jtrace_render_line(const struct jtrace_trace *t, struct jtrace_memo *memo, u64 nr, char *buf,
		       size_t size);

#endif /* _JTRACE_RENDER_H */
