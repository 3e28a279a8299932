// SPDX-License-Identifier: GPL-2.0
/*
 * The address of a symbol.  The kernel exports kallsyms_lookup_name() no more (since 5.7, checked:
 * 6.1, 6.12 and 7.2).  A kprobe finds its symbol by that function, and so the function itself.
 */

#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/string.h>

#include "wrapper.h"

#ifdef MODULE

typedef unsigned long (*lookup_name)(const char *name);

/* The function, or NULL. */
static lookup_name find_lookup(void)
{
	struct kprobe kp = {
		.symbol_name = "kallsyms_lookup_name",
		.flags = KPROBE_FLAG_DISABLED,
	};
	char text[KSYM_SYMBOL_LEN];
	unsigned long offset = 0;
	const char *plus;

	if (register_kprobe(&kp))
		return NULL;
	/* Kprobes pass over the endbr64 that an indirect call must meet. */
	sprint_symbol(text, (unsigned long)kp.addr);
	plus = strchr(text, '+');
	if (!plus || sscanf(plus, "+0x%lx/", &offset) != 1)
		offset = 0;
	unregister_kprobe(&kp);
	return (lookup_name)((unsigned long)kp.addr - offset);
}

/**
 * jtrace_kallsyms_find() - find the address of a symbol
 * @name: the symbol, or MODULE:SYMBOL
 *
 * Variables are among the symbols if the kernel has CONFIG_KALLSYMS_ALL.
 *
 * Context: Process; may sleep.
 * Return: its address; 0 if there is none.
 */
unsigned long jtrace_kallsyms_find(const char *name)
{
	static lookup_name lookup;

	if (!lookup)
		lookup = find_lookup();
	return lookup ? lookup(name) : 0;
}

#else

/* See above. */
unsigned long jtrace_kallsyms_find(const char *name)
{
	return kallsyms_lookup_name(name);
}

#endif
