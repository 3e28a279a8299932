// SPDX-License-Identifier: GPL-2.0
/*
 * Calls a tracepoint of its own, and functions, with known values.  See jtrace_sink.c and
 * tests/selftests/probes.sh.
 */

#define CREATE_TRACE_POINTS
#include "jtrace_source_event.h"

#include <linux/kprobes.h>
#include <linux/smp.h>

#include "kmod.h"

struct thing {
	u32 number;
	s16 minus;
	const char *text;
	const struct thing *self;
};

/* Not static: the compiler would change their arguments and names. */
int jtrace_source_call(u32 number, const struct thing *thing, u64 large);
void jtrace_source_never(void);
int jtrace_source_begin(u32 number);
void jtrace_source_fired(void);

/* With room for a jump of kprobes. */
noinline int jtrace_source_call(u32 number, const struct thing *thing, u64 large)
{
	asm volatile(".rept 8; nop; .endr");
	return -(int)number;
}

/* Probes are not allowed here. */
noinline void jtrace_source_never(void)
{
	barrier();
}
NOKPROBE_SYMBOL(jtrace_source_never);

/* Once after all calls. */
noinline void jtrace_source_fired(void)
{
	barrier();
}

/* Calls 0, 1, 2...: even and odd numbers in turns. */
static void call(u32 calls)
{
	u32 i;

	for (i = 0; i < calls; i++) {
		struct thing thing = {
			.number = i,
			.minus = -(s16)i,
			.text = i % 2 ? "an odd number, in a long text" : "even",
			.self = &thing,
		};

		barrier_data(&thing);
		trace_jtrace_source(i, thing.text);
		jtrace_source_call(i, &thing, 0x123456789abcdef0ULL + i);
	}
	jtrace_source_fired();
}

static int fire_set(const char *val, const struct kernel_param *kp)
{
	u32 calls;
	int err = kstrtou32(val, 0, &calls);

	if (!err)
		call(calls);
	return err;
}

static u32 calls_each;

static void call_here(void *unused)
{
	call(calls_each);
}

static int fire_each_set(const char *val, const struct kernel_param *kp)
{
	int err = kstrtou32(val, 0, &calls_each);

	if (!err)
		on_each_cpu(call_here, NULL, 1);
	return err;
}

PARAM_SET(fire, "call the tracepoint and the function so often");
PARAM_SET(fire_each, "the same in an interrupt on each CPU, at once");

noinline int __init jtrace_source_begin(u32 number)
{
	barrier();
	return number;
}

static int __init jtrace_source_init(void)
{
	jtrace_source_never();
	return jtrace_source_begin(7) - 7;
}

module_init(jtrace_source_init);
module_exit(undo_nothing);

TEST_MODULE("a module with a tracepoint");
