// SPDX-License-Identifier: GPL-2.0
/* x86-64: what jtrace_arch_init() sets. */

#include <linux/cache.h>

#include "arch_x86.h"

u64 jtrace_arch_lowest __ro_after_init = ~0ULL;
