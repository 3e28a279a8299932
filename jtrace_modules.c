// SPDX-License-Identifier: GPL-2.0
/* Where modules lie: remembered in the image for who has an address from it. */

#include <linux/buildid.h>
#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "include/jtrace/internal.h"

static void note_module(const struct module *mod)
{
	char build_id[2 * BUILD_ID_SIZE_MAX + 1] = "", where[40];

#ifdef CONFIG_STACKTRACE_BUILD_ID
	bin2hex(build_id, mod->build_id, sizeof(mod->build_id));
#endif
	scnprintf(where, sizeof(where), "%llx+%llx", jtrace_module_base(mod),
		  jtrace_module_size(mod));
	jtrace_site_module(&jtrace.sites, mod->name, build_id, where);
}

/*
 * The modules that are there already, the newest first: as /sys/module knows
 * them.  The list of modules itself, and its lock, are the kernel's own.
 */
static void note_modules(void)
{
#ifdef MODULE
	struct kset *kset = THIS_MODULE->mkobj.kobj.kset;
#else
	struct kset *kset = module_kset;
#endif
	const struct module *mod;
	struct kobject *kobj;

	spin_lock(&kset->list_lock);
	list_for_each_entry_reverse(kobj, &kset->list, entry) {
		mod = container_of(kobj, struct module_kobject, kobj)->mod;
		if (mod)
			note_module(mod);
	}
	spin_unlock(&kset->list_lock);
}

static int module_call(struct notifier_block *nb, unsigned long state, void *data)
{
	if (state == MODULE_STATE_COMING)
		note_module(data);
	return NOTIFY_DONE;
}

static struct notifier_block module_nb = {
	.notifier_call = module_call,
};

/**
 * jtrace_modules_init() - remember in the image where modules lie, from now on
 */
void jtrace_modules_init(void)
{
	note_modules();
	register_module_notifier(&module_nb);
}

/**
 * jtrace_modules_exit() - undo it
 */
void jtrace_modules_exit(void)
{
	unregister_module_notifier(&module_nb);
}
