// SPDX-License-Identifier: GPL-2.0
/* Parts that jtrace.ko has, too: two modules cannot share an object. */
#include "../lib/lang/field.c"
#include "../lib/lang/value.c"
#include "../wrapper/kallsyms.c"
