/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Build a line of text.  For the line of an entry vsnprintf() would take more time than all
 * other steps together, in the kernel and in user space; other lines use it.
 */
#ifndef _JTRACE_PEN_H
#define _JTRACE_PEN_H

#include "env.h"

/**
 * struct pen - a position in a buffer
 * @at: the next byte
 * @end: text is cut here; one more byte holds the NUL
 */
struct pen {
	char *at;
	char *end;
};

static inline void pen_char(struct pen *p, char c)
{
	if (p->at < p->end)
		*p->at++ = c;
}

static inline void pen_bytes(struct pen *p, const char *from, size_t len)
{
	len = min_t(size_t, len, p->end - p->at);
	memcpy(p->at, from, len);
	p->at += len;
}

static inline void pen_text(struct pen *p, const char *text)
{
	while (*text)
		pen_char(p, *text++);
}

#define pen_format(p, ...) \
	((p)->at += scnprintf((p)->at, (p)->end - (p)->at + 1, __VA_ARGS__))

/* Write exactly @digits digits. */
static inline void pen_hex(struct pen *p, u64 value, u32 digits)
{
	while (digits--)
		pen_char(p, "0123456789abcdef"[value >> 4 * digits & 15]);
}

/* Pad on the left to @width. */
static inline void pen_dec(struct pen *p, u64 value, u32 width, char pad)
{
	char digit[20];
	u32 nr = 0;

	do {
		u64 rest = div_u64(value, 10);

		digit[nr++] = '0' + (u32)(value - 10 * rest);
		value = rest;
	} while (value);
	while (width-- > nr)
		pen_char(p, pad);
	while (nr--)
		pen_char(p, digit[nr]);
}

#endif /* _JTRACE_PEN_H */
