// SPDX-License-Identifier: GPL-2.0
/* What the kernel calls an address, and whether a module is there. */

#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/string.h>

#include "probe.h"

/**
 * jtrace_where_find() - what does the kernel call an address?
 * @w: result
 * @address: of code or data
 *
 * Context: Process.
 */
void jtrace_where_find(struct jtrace_where *w, unsigned long address)
{
	char *at;

	sprint_symbol(w->text, address);
	w->symbol = w->text;
	w->module = "";
	w->offset = 0;
	at = strchr(w->text, '[');
	if (at) {
		w->module = at + 1;
		at[strcspn(at, "]")] = 0;
	}
	at = strchr(w->text, '+');
	if (at) {
		*at++ = 0;
		at[strcspn(at, "/")] = 0;
		if (kstrtou64(at, 16, &w->offset))
			w->offset = 0;
	}
}

/**
 * jtrace_where_is_own_module() - is it a module of jtrace?
 * @name: of the module
 */
bool jtrace_where_is_own_module(const char *name)
{
	return !strcmp(name, "jtrace") || !strcmp(name, "jtrace_events") ||
	       !strcmp(name, "jtrace_probe");
}

/**
 * jtrace_where_is_own() - is it a function or a variable of jtrace?
 * @w: where it is
 */
bool jtrace_where_is_own(const struct jtrace_where *w)
{
	return jtrace_where_is_own_module(w->module) ||
	       (!*w->module && !strncmp(w->symbol, "jtrace_", strlen("jtrace_")));
}

/* The folder /sys/module: not exported, but each module is in it. */
#ifdef MODULE
#define MODULES_FOLDER	(THIS_MODULE->mkobj.kobj.kset)
#else
#define MODULES_FOLDER	module_kset
#endif

/**
 * jtrace_where_is_loaded() - is there a folder /sys/module/NAME, and its module does not leave?
 * @module: its name
 *
 * Context: Process.
 */
bool jtrace_where_is_loaded(const char *module)
{
	struct kobject *found = kset_find_obj(MODULES_FOLDER, module);
	bool leaves = false;

#ifdef CONFIG_MODULES
	/* A module is not freed before its folder; what is built in has none. */
	if (found) {
		const struct module *mod = container_of(found, struct module_kobject, kobj)->mod;

		leaves = mod && READ_ONCE(mod->state) == MODULE_STATE_GOING;
	}
#endif
	kobject_put(found);
	return found && !leaves;
}
