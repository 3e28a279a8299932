/* SPDX-License-Identifier: GPL-2.0 */
/* Record an event and do something after it, such as a stop.  For modules on top of jtrace. */
#ifndef _JTRACE_STOP_H
#define _JTRACE_STOP_H

#include <linux/types.h>

struct jtrace_site;

bool jtrace_record_told(struct jtrace_site *site, u64 ab, u64 cd, u64 e, u64 f, u32 stack);
void jtrace_stop_arm(void);
void jtrace_stop_disarm(void);
void jtrace_stop_after(u32 events, const char *why);

#endif /* _JTRACE_STOP_H */
