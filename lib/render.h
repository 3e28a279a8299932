/* SPDX-License-Identifier: GPL-2.0 */
/* The text of a trace, line by line. */
#ifndef _JTRACE_RENDER_H
#define _JTRACE_RENDER_H

#include "recover.h"

/* A line with all strings at their longest and each byte escaped, and its NUL. */
#define JTRACE_LINE_MAX	(176 + 4 * (JTRACE_TAG_MAX + JTRACE_FILE_MAX + JTRACE_FUNC_MAX))

u64 jtrace_render_lines(const struct jtrace_trace *t);
int jtrace_render_line(const struct jtrace_trace *t, u64 nr, char *buf, size_t size);

#endif /* _JTRACE_RENDER_H */
