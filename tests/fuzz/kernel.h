/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of the kernel that jtrace_params.c needs.  Parsers of numbers follow the kernel's
 * documentation, and use those of C.
 */
#ifndef _JTRACE_FUZZ_KERNEL_H
#define _JTRACE_FUZZ_KERNEL_H

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <strings.h>

#include "../../lib/base/env.h"

/* For declarations in jtrace_internal.h that no target uses. */
#define _JTRACE_COMPAT_H
#define DECLARE_PER_CPU(type, name) extern type name
#define CONFIG_MODULES
#define BUILD_ID_SIZE_MAX	20
#define GFP_KERNEL		0
#define __GFP_ZERO		0
#define __GFP_NORETRY		0
#define __GFP_NOWARN		0

typedef u64 phys_addr_t;

enum kmsg_dump_reason {
	KMSG_DUMP_UNDEF,
};

struct mutex {
	int unused;
};

struct seq_file;

struct seq_operations {
	int unused;
};

static inline void *__vmalloc(u64 size, int flags)
{
	(void)size;
	(void)flags;
	return NULL;
}

/* Used by jtrace_params.c. */
#define IS_ENABLED(x)		0
#define IS_BUILTIN(x)		0
#define U64_MAX			UINT64_MAX
#define module_param_cb(name, ops, at, mode) \
	static char **param_##name(void) { return at; }
#define module_param_hw_named(name, value, type, hwtype, mode) \
	static char **param_##name(void) { return &(value); }
#define __MODULE_PARM_TYPE(name, type)
#define MODULE_PARM_DESC(name, text)

void pr_err(const char *fmt, ...) __printf(1, 2);

/* The whole string must be a number that fits, with at most one newline. */
static inline int kstrtoull(const char *s, unsigned int base, u64 *to)
{
	unsigned long long value;
	char *end;

	if (*s == '+')
		s++;
	if (!isxdigit((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	value = strtoull(s, &end, base);
	if (errno)
		return -errno;
	if (end[*end == '\n'])
		return -EINVAL;
	*to = value;
	return 0;
}

static inline int kstrtoint(const char *s, unsigned int base, int *to)
{
	bool minus = *s == '-';
	u64 value;
	int err = kstrtoull(minus ? s + 1 : s, base, &value);

	if (err)
		return err;
	if ((minus && s[1] == '+') || value > (u64)INT_MAX + minus)
		return minus && s[1] == '+' ? -EINVAL : -ERANGE;
	*to = minus ? -(s64)value : (s64)value;
	return 0;
}

#endif /* _JTRACE_FUZZ_KERNEL_H */
