/* SPDX-License-Identifier: GPL-2.0 */
/* Lines of the kernel log in an image. */
#ifndef _JTRACE_READ_LOG_H
#define _JTRACE_READ_LOG_H

#include "../image/log.h"
#include "trace.h"

/**
 * struct jtrace_log_reader - the lines of an image, in order
 * @t: the trace
 * @at: number of the next record
 * @shown: there was a line
 * @seq: message of the last line
 * @part: number after that of the last part that was read
 * @text: of the last line
 */
struct jtrace_log_reader {
	const struct jtrace_trace *t;
	u32 at;
	bool shown;
	u64 seq;
	u32 part;
	char text[JTRACE_LOG_LINE_MAX];
};

void jtrace_log_count(struct jtrace_trace *t);
void jtrace_log_scan(struct jtrace_trace *t);
bool jtrace_log_part(const struct jtrace_trace *t, u32 index, struct jtrace_log_line *line,
		     char *text);
void jtrace_log_open(struct jtrace_log_reader *r, const struct jtrace_trace *t);
bool jtrace_log_next(struct jtrace_log_reader *r, struct jtrace_log_line *line);
u64 jtrace_log_ns(const struct jtrace_trace *t, const struct jtrace_log_line *line);

/* cause.c */
void jtrace_cause_find(struct jtrace_trace *t);
bool jtrace_cause_read(const struct jtrace_trace *t, u32 nr, char *text);
u32 jtrace_cause_pc(const char *text);

#endif /* _JTRACE_READ_LOG_H */
