/* SPDX-License-Identifier: GPL-2.0 */
/* The parts of the stress program. */
#ifndef _JTRACE_STRESS_H
#define _JTRACE_STRESS_H

#include "../../lib/env.h"

bool stress_sites(u32 nr, double seconds);

#endif /* _JTRACE_STRESS_H */
