/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ways to data that the kernel does not export, one file each.  Delete a file when the kernel
 * exports its data.
 */
#ifndef _JTRACE_WRAPPER_H
#define _JTRACE_WRAPPER_H

#include <linux/types.h>

struct module;
struct tracepoint;

void jtrace_read_boot_id(u8 *id);
void jtrace_read_kernel(u64 *address, u8 *build_id);
void jtrace_modules_call(void (*fn)(const struct module *mod));
bool jtrace_pvpanic_is_there(void);
unsigned long jtrace_kallsyms_find(const char *name);
void jtrace_running_find(void);
int jtrace_running(void);

#ifdef CONFIG_TRACEPOINTS
struct tracepoint *jtrace_tracepoint_find(const char *name);
#else
static inline struct tracepoint *jtrace_tracepoint_find(const char *name)
{
	return NULL;
}
#endif

#endif /* _JTRACE_WRAPPER_H */
