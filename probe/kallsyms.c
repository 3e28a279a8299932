// SPDX-License-Identifier: GPL-2.0
/* jtrace.ko has it, too: two modules cannot share an object, and it is exported to nobody. */
#include "../wrapper/kallsyms.c"
