/* SPDX-License-Identifier: GPL-2.0 */
/* Stop recording after a number of events.  For modules on top of jtrace. */
#ifndef _JTRACE_STOP_H
#define _JTRACE_STOP_H

#include <linux/types.h>

void jtrace_stop_arm(void);
void jtrace_stop_disarm(void);
void jtrace_stop_after(u32 events, const char *why);

#endif /* _JTRACE_STOP_H */
