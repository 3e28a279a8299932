/* SPDX-License-Identifier: GPL-2.0 */
/* All of jtrace(1), for tests that call its functions. */
#ifndef _JTRACE_TOOL_COMMAND_H
#define _JTRACE_TOOL_COMMAND_H

int jtrace_main(int argc, char **argv);

#define main jtrace_main
#include "../../tools/cli/main.c"
#undef main

#endif /* _JTRACE_TOOL_COMMAND_H */
