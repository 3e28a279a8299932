// SPDX-License-Identifier: GPL-2.0
/*
 * The modules that are loaded.  The kernel exports no list of them (checked: 6.1, 6.12 and 7.2;
 * 5.12 and 5.13 removed the exports of find_module() and of the list).  /sys/module has all
 * modules: walk its kset, under its lock.
 */

#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/spinlock.h>

#include "wrapper.h"

#ifdef CONFIG_MODULES

/* /sys/module: loaded modules, and built-in code that has parameters. */
static struct kset *modules(void)
{
#ifdef MODULE
	return THIS_MODULE->mkobj.kobj.kset;
#else
	return module_kset;
#endif
}

/**
 * jtrace_modules_call() - call a function for each loaded module, the newest first
 * @fn: the function, which must not sleep
 *
 * Context: Process.
 */
void jtrace_modules_call(void (*fn)(const struct module *mod))
{
	struct kset *kset = modules();
	struct kobject *kobj;

	spin_lock(&kset->list_lock);
	list_for_each_entry_reverse(kobj, &kset->list, entry) {
		const struct module *mod = container_of(kobj, struct module_kobject, kobj)->mod;

		if (mod)
			fn(mod);
	}
	spin_unlock(&kset->list_lock);
}

#endif
