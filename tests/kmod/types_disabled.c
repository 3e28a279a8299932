// SPDX-License-Identifier: GPL-2.0
/* Compiled with JTRACE_DISABLED: nothing is evaluated or recorded. */
#include <linux/jtrace.h>

#include "types.h"

#ifndef JTRACE_DISABLED
#error "must be compiled with JTRACE_DISABLED"
#endif

void types_disabled(void)
{
	JTRACE("disabled: none");
	JTRACE("disabled: some", types_evaluate(), types_evaluate());
	JTRACE("disabled: all", types_evaluate(), types_evaluate(), types_evaluate(),
	       types_evaluate(), types_evaluate(), types_evaluate());
}
