// SPDX-License-Identifier: GPL-2.0
/*
 * Makes the kernel trust the time-stamp counter, until told otherwise.  Emulated processors do
 * not report a constant rate that continues in idle.
 */
#include <asm/cpufeature.h>
#include <asm/tsc.h>
#include "../../jtrace_internal.h"

#include "kmod.h"

static const int features[] = { X86_FEATURE_CONSTANT_TSC, X86_FEATURE_NONSTOP_TSC };
static unsigned long *const has = (unsigned long *)boot_cpu_data.x86_capability;
static bool had[ARRAY_SIZE(features)];

static int unstable_set(const char *value, const struct kernel_param *kp)
{
	mark_tsc_unstable("jtrace_tsc");
	return 0;
}

PARAM_SET(unstable, "any value: the kernel no longer trusts the counter");

PARAM_RW(ulong, clock, 0, "address of jtrace_clock");

/* jtrace adds this to each reading, as if firmware had changed the counter. */
static int jump_set(const char *value, const struct kernel_param *kp)
{
	struct jtrace_clock_state *clk = (void *)clock;
	long ms;
	int err = kstrtol(value, 0, &ms);

	if (err || !clk)
		return err ?: -EINVAL;
	WRITE_ONCE(clk->offset, clk->offset + ms * clk->khz);
	return 0;
}

PARAM_SET(jump, "make the counter jump by this many ms");

static int __init jtrace_tsc_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(features); i++)
		had[i] = test_and_set_bit(features[i], has);
	return 0;
}

static void __exit jtrace_tsc_exit(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(features); i++)
		if (!had[i])
			clear_bit(features[i], has);
}

module_init(jtrace_tsc_init);
module_exit(jtrace_tsc_exit);

TEST_MODULE("a trusted counter that jumps");
