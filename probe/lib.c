// SPDX-License-Identifier: GPL-2.0
/*
 * Parts of lib/ that jtrace.ko or jtrace_events.ko has, too: two modules cannot share an object.
 * Built in, those of jtrace.o are there.
 */
#include "../lib/lang/clauses.c"
#include "../lib/lang/compare.c"
#ifdef MODULE
#include "../lib/lang/field.c"
#include "../lib/lang/value.c"
#endif
