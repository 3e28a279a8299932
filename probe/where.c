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
	u64 size = 0;
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
		if (sscanf(at, "0x%llx/0x%llx", &w->offset, &size) != 2)
			size = 0;
	}
	/* Without the names of variables, one gets that of a function before it. */
	w->is_named = w->offset < size;
}

/**
 * jtrace_where_name() - name the place of a probe
 * @p: the probe; its place and its module are filled
 * @w: where it is; of a probe by symbol, where the symbol is
 *
 * A probe by address gets the name of its place, because the address means nothing after a reboot.
 * One by symbol gets the module: when the module comes back, the probe does.
 *
 * Context: Process.
 */
void jtrace_where_name(struct jtrace_probe *p, const struct jtrace_where *w)
{
	struct jtrace_probe_definition *d = &p->definition;
	char whole[JTRACE_PROBE_PLACE + 2];

	if (!*d->symbol) {
		/* Memory that was allocated has no name. */
		if (w->is_named)
			scnprintf(p->place, sizeof(p->place),
				  *w->module ? "%s+0x%llx[%s]" : "%s+0x%llx", w->symbol,
				  w->offset, w->module);
		return;
	}
	if (*d->module || strlen(w->module) > JTRACE_PROBE_PLACE)
		return;
	strscpy(d->module, w->module, sizeof(d->module));
	if (jtrace_probe_place(d, whole, sizeof(whole)) > JTRACE_PROBE_PLACE)
		*d->module = 0;
	jtrace_probe_place(d, p->place, sizeof(p->place));
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
	       (!*w->module && (!strcmp(w->symbol, "jtrace") ||
				!strncmp(w->symbol, "jtrace_", strlen("jtrace_"))));
}

/* The folder /sys/module: not exported, but each module is in it. */
#ifdef MODULE
#define MODULES_FOLDER	(THIS_MODULE->mkobj.kobj.kset)
#else
#define MODULES_FOLDER	module_kset
#endif

/**
 * jtrace_where_module() - find a module that is loaded
 * @name: of the module
 *
 * Context: Process; the lock of the probes is held, which a module waits for when it leaves.
 * Return: NULL if it is not loaded, leaves, or is part of the kernel.
 */
struct module *jtrace_where_module(const char *name)
{
	struct module *mod = NULL;
#ifdef CONFIG_MODULES
	struct kobject *found = kset_find_obj(MODULES_FOLDER, name);

	/* A module is not freed before its folder. */
	if (found)
		mod = container_of(found, struct module_kobject, kobj)->mod;
	if (mod && READ_ONCE(mod->state) == MODULE_STATE_GOING)
		mod = NULL;
	kobject_put(found);
#endif
	return mod;
}

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
