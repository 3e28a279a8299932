/* SPDX-License-Identifier: GPL-2.0 */
/* Lines of the kernel log in an image. */
#ifndef _JTRACE_LOG_H
#define _JTRACE_LOG_H

#include "trace.h"

/* Longest line; the kernel's have less. */
#define JTRACE_LOG_LINE_MAX	2048

/**
 * struct jtrace_log - the writer's side of log records
 * @img: the image
 * @image_id: of the image
 * @off: first byte for records, a multiple of %JTRACE_GRANULE
 * @size: bytes for records
 * @next: offset from @off where the next record goes
 * @write_back: records are written back to memory
 *
 * New records overwrite the oldest.  Nothing is decided by what is read from the image.
 */
struct jtrace_log {
	u8 *img;
	u64 image_id;
	u32 off;
	u32 size;
	u32 next;
	bool write_back;
};

/**
 * struct jtrace_log_line - a line of the kernel log
 * @seq: number of its message
 * @time: of the message on the clock of the kernel log, ns, or %JTRACE_LOG_NO_TIME
 * @shift: what that clock lags behind CLOCK_BOOTTIME, ns; may wrap
 * @missing: messages that are missing before this line, at least 1 if part of one is
 * @part: number of the line's first part in its message
 * @prio: facility and level
 * @len: bytes of @text
 * @text: without a NUL at its end; read from an image: any bytes
 */
struct jtrace_log_line {
	u64 seq;
	u64 time;
	u64 shift;
	u64 missing;
	u16 part;
	u8 prio;
	u32 len;
	const char *text;
};

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

u64 jtrace_log_default(u64 size);

void jtrace_log_init(struct jtrace_log *g, void *img, u64 image_id, u32 off, u32 size,
		     bool write_back);
u32 jtrace_log_need(u32 len);
u16 jtrace_log_store(struct jtrace_log *g, const struct jtrace_log_line *line);
u32 jtrace_log_parse(const char *text, u32 len, struct jtrace_log_line *line);

u32 jtrace_log_record(const void *at, u64 len, u64 *image_id, u32 *place);
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

#endif /* _JTRACE_LOG_H */
