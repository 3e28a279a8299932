// SPDX-License-Identifier: GPL-2.0
/* The one recorder: what all files of the module use, and none of them owns alone. */

#include <linux/jtrace.h>
#include <linux/module.h>
#include <linux/percpu.h>

#include "jtrace_internal.h"

struct jtrace jtrace = {
	.lock = __MUTEX_INITIALIZER(jtrace.lock),
};

DEFINE_PER_CPU(struct jtrace_ring_cpu, jtrace_cpus);

#ifndef MODULE
/* Recording began while the kernel parsed its command line, and its image was not moved yet. */
bool jtrace_early_on __read_mostly;
struct jtrace_moment jtrace_early_began;
#endif

/* On while recording is enabled. */
DEFINE_STATIC_KEY_FALSE(jtrace_key);
EXPORT_SYMBOL_GPL(jtrace_key);
