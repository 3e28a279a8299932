/* SPDX-License-Identifier: GPL-2.0 */
/* The text of a trace, line by line. */
#ifndef _JTRACE_RENDER_H
#define _JTRACE_RENDER_H

#include "log.h"
#include "walk.h"

/* A line with all strings at their longest and each byte escaped, and its NUL. */
#define JTRACE_LINE_MAX	(176 + 4 * (JTRACE_TAG_MAX + JTRACE_FILE_MAX + JTRACE_FUNC_MAX))

/* Number of sites whose text is cached, and bytes of text for each. */
#define JTRACE_MEMO_SITES	256
#define JTRACE_MEMO_TEXT	122

/**
 * struct jtrace_site_memo - cached text of a site
 * @number: of the site
 * @len: of @text, 0 without a text
 * @text: as in a line
 */
struct jtrace_site_memo {
	u32 number;
	u16 len;
	char text[JTRACE_MEMO_TEXT];
};

/* The parts of a text, in order; each may be empty. */
enum jtrace_text_part {
	JTRACE_TEXT_TELL,
	JTRACE_TEXT_TITLE,
	JTRACE_TEXT_ENTRIES,
	JTRACE_TEXT_LAST,
	JTRACE_TEXT_END,
	JTRACE_TEXT_PARTS,
};

/**
 * struct jtrace_text - a text that is being read
 * @t: the trace
 * @pos: number of the next line, from 0; may be set to any value
 * @end: number of the first line after each part
 * @heap: for @walk
 * @walk: through the entries
 * @at: entries that @walk has passed, 0 before it starts
 * @above: raw time of the last but one of them
 * @first: raw time of a line above the first entry; set after opening, 0 for none
 * @ev: the last one, NULL if a live image has lost the rest
 * @time: a raw time
 * @ns: the time shown for @time
 * @site: cached text of sites, at a hash of their number
 *
 * Each reader has its own.  The caches only save work: the text is the same for any order of
 * lines.  To go back, a reader walks from the first entry again.
 */
struct jtrace_text {
	const struct jtrace_trace *t;
	u64 pos;
	u64 end[JTRACE_TEXT_PARTS];
	struct jtrace_key *heap;
	struct jtrace_walk walk;
	u64 at;
	u64 above;
	u64 first;
	const struct jtrace_decoded *ev;
	u64 time;
	u64 ns;
	struct jtrace_site_memo site[JTRACE_MEMO_SITES];
};

void jtrace_text_open(struct jtrace_text *text, const struct jtrace_trace *t,
		      struct jtrace_key *heap);
void jtrace_text_limit(struct jtrace_text *text, struct jtrace_trace *t, u64 most, u64 bytes,
		       char *buf, size_t size);
int jtrace_text_next(struct jtrace_text *text, char *buf, size_t size);
int jtrace_log_text(const struct jtrace_trace *t, const struct jtrace_log_line *line,
		    char *buf, size_t size);

/* tell.c: lines about an image before its entries, or instead of them */

/* Number of lines before the bytes of an unreadable image. */
#define JTRACE_CORRUPT_TITLE	2

struct pen;

/* A line of the kernel log that has a tab in each byte, its time, and its NUL. */
#define JTRACE_LOG_TEXT	(32 + 8 * JTRACE_LOG_LINE_MAX)

/* Written where messages are missing; the argument is their number, unsigned long long. */
#define JTRACE_LOG_MISSING	"JTRACE: messages missing here: %llu"

u32 jtrace_tell_lines(const struct jtrace_trace *t);
u64 jtrace_tell_real(const struct jtrace_trace *t);
void jtrace_tell_line(const struct jtrace_trace *t, struct pen *p, u32 nr);
u32 jtrace_put_char(const struct jtrace_trace *t, struct pen *p, const char *text, size_t len);
void jtrace_put_escaped(const struct jtrace_trace *t, struct pen *p, const char *text, size_t len);
void jtrace_escape(const struct jtrace_trace *t, char *to, size_t size, const char *from,
		   size_t len);

/* Least number of bytes that a line costs in the kernel log beside its text. */
#define JTRACE_LOG_LINE_EXTRA	8

static inline u64 jtrace_text_lines(const struct jtrace_text *text)
{
	return text->end[JTRACE_TEXT_PARTS - 1];
}

#endif /* _JTRACE_RENDER_H */
