/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the files of jtrace_optional. */
#ifndef _OPTIONAL_H
#define _OPTIONAL_H

#define JTRACE_OPTIONAL
#include <linux/jtrace.h>

extern uint evaluated;

int optional_fire(void);
void optional_stop(void);

#endif /* _OPTIONAL_H */
