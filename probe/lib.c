// SPDX-License-Identifier: GPL-2.0
/* Parts of lib/ that jtrace_events.ko has, too: two modules cannot share an object. */
#include "../lib/lang/clauses.c"
#include "../lib/lang/compare.c"
#include "../lib/lang/field.c"
