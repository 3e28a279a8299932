/* SPDX-License-Identifier: GPL-2.0 */
/* Records of the kernel log in an image. */
#ifndef _JTRACE_LOG_H
#define _JTRACE_LOG_H

#include "image.h"

/* Bytes of a record before its text, and of the longest record. */
#define JTRACE_LOG_HEAD		sizeof(struct jtrace_log_record)
#define JTRACE_LOG_RECORD_MAX	ALIGN(JTRACE_LOG_HEAD + JTRACE_LOG_TEXT_MAX, JTRACE_GRANULE)

/**
 * union jtrace_log_buffer - a copy of a record
 * @r: what comes before the text
 * @word: all of it
 */
union jtrace_log_buffer {
	struct jtrace_log_record r;
	u64 word[JTRACE_LOG_RECORD_MAX / sizeof(u64)];
};

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

u64 jtrace_log_default(u64 size);

void jtrace_log_init(struct jtrace_log *g, void *img, u64 image_id, u32 off, u32 size,
		     bool write_back);
u32 jtrace_log_need(u32 len);
u16 jtrace_log_store(struct jtrace_log *g, const struct jtrace_log_line *line);
u32 jtrace_log_parse(const char *text, u32 len, struct jtrace_log_line *line);

u32 jtrace_log_copy(const void *at, u64 len, union jtrace_log_buffer *rec);
u32 jtrace_log_record(const void *at, u64 len, u64 *image_id, u32 *place);

#endif /* _JTRACE_LOG_H */
