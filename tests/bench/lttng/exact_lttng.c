// SPDX-License-Identifier: GPL-2.0
/* LTTng's probe of the trace event of exact.ko. */
#include <linux/module.h>
#include <lttng/tracer.h>

/* The kernel's declaration: the compiler checks that both agree. */
#include "../exact_event.h"

#define LTTNG_PACKAGE_BUILD
#define CREATE_TRACE_POINTS
#include "exact_lttng_event.h"

MODULE_DESCRIPTION("Bench: LTTng's probe of a trace event");
MODULE_INFO(test, "Y");
MODULE_LICENSE("GPL");
