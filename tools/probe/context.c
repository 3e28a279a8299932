// SPDX-License-Identifier: GPL-2.0
/* What a definition may name on this machine. */

#include "probe.h"

/**
 * machine_contexts() - registers and arguments of this machine's processor
 */
const struct jtrace_probe_contexts *machine_contexts(void)
{
	return machine_is("aarch64") ? &jtrace_contexts_arm64 : &jtrace_contexts_x86_64;
}
