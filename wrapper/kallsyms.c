// SPDX-License-Identifier: GPL-2.0
/*
 * The address of a symbol.  The kernel exports kallsyms_lookup_name() no more (since 5.7, checked:
 * 6.1, 6.12 and 7.2), and a CPU with IBT must not reach it by a pointer: the kernel has taken away
 * the endbr64 of all functions that it does not call so itself.  But register_kprobe() looks up its
 * symbol before it judges the address: what it refuses has the address, too.
 */

#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/string.h>

#include "wrapper.h"

/**
 * jtrace_kallsyms_find() - find the address of a symbol
 * @name: the symbol, or MODULE:SYMBOL
 *
 * Variables are among the symbols if the kernel has CONFIG_KALLSYMS_ALL.  Symbols that are offsets
 * are not found: those of per-CPU variables before 6.15.
 *
 * Context: Process; may sleep.
 * Return: its address; 0 if there is none.
 */
unsigned long jtrace_kallsyms_find(const char *name)
{
	struct kprobe kp = { .symbol_name = name, .flags = KPROBE_FLAG_DISABLED };
	char text[KSYM_SYMBOL_LEN];
	unsigned long offset = 0;
	const char *plus;

	if (!register_kprobe(&kp))
		unregister_kprobe(&kp);
	if (!kp.addr)
		return 0;
	/* Kprobes pass over an endbr64. */
	sprint_symbol(text, (unsigned long)kp.addr);
	plus = strchr(text, '+');
	if (!plus || sscanf(plus, "+0x%lx/", &offset) != 1)
		offset = 0;
	return (unsigned long)kp.addr - (offset == 4 ? offset : 0);
}
