/* SPDX-License-Identifier: GPL-2.0 */
/* What is said about an image before its entries, or instead of them. */
#ifndef _JTRACE_TELL_H
#define _JTRACE_TELL_H

#include "recover.h"

/* So many lines introduce the bytes of an image that cannot be read. */
#define JTRACE_CORRUPT_TITLE	2

u32 jtrace_tell_lines(const struct jtrace_trace *t);
int jtrace_tell_line(const struct jtrace_trace *t, u32 nr, char *buf, size_t size);

void jtrace_tell_escaped(const struct jtrace_trace *t, char *to, size_t size, const char *from,
			 size_t len);
void jtrace_escape(char *to, size_t size, const char *from, size_t len);

#endif /* _JTRACE_TELL_H */
