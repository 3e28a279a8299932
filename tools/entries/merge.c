// SPDX-License-Identifier: GPL-2.0
/* Events and kernel log in one list, by the clock of the events. */

#include "entries.h"

/**
 * merge_next() - go to the next line
 * @m: there is one
 *
 * A line without a time follows the one before.
 */
void merge_next(struct merge *m)
{
	m->more = jtrace_log_next(&m->reader, &m->line);
	if (m->more && m->line.time != JTRACE_LOG_NO_TIME)
		m->ns = jtrace_log_ns(m->reader.t, &m->line);
}

/**
 * merge_open() - go to the first line
 * @m: result
 * @t: the trace of the image
 */
void merge_open(struct merge *m, const struct jtrace_trace *t)
{
	jtrace_log_open(&m->reader, t);
	m->ns = 0;
	merge_next(m);
}

/**
 * merge_before() - does the next line come before an event?
 * @m: the lines
 * @ns: time of the event
 */
bool merge_before(const struct merge *m, u64 ns)
{
	return m->more && m->ns < ns;
}
