// SPDX-License-Identifier: GPL-2.0
/* jtrace_hammer as a client that loads without jtrace. */
#define JTRACE_OPTIONAL
#include "../jtrace_hammer.c"

JTRACE_CLIENT();
