/* SPDX-License-Identifier: GPL-2.0 */
/* Convert the raw times of entries to those that are shown. */
#ifndef _JTRACE_TIME_H
#define _JTRACE_TIME_H

#include "trace.h"

void jtrace_stamps_scan(struct jtrace_trace *t);
void jtrace_clock_went_back(struct jtrace_trace *t, u64 ticks);
u64 jtrace_recover_ns(const struct jtrace_trace *t, u64 time);
u64 jtrace_share(u64 ns, u64 since, u64 ticks);

#endif /* _JTRACE_TIME_H */
