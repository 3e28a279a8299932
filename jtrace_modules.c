// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: modules
 *
 * Where modules lie: remembered in the image, to symbolize addresses in its arguments.
 *
 * A notifier tells of modules that are loaded after jtrace.  Kernels export nothing that
 * lists those that are there before (checked: 6.1, 6.12 and 7.2; find_module() and the
 * list itself went with 5.12 and 5.13), and most modules are.  /sys/module has them all:
 * its kset is walked once, under the kset's own lock.
 */

#include <linux/buildid.h>
#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/spinlock.h>

#include "include/jtrace/internal.h"

/* As it is stored, and compared with what was stored; "" where it is not kept. */
static void build_id_text(const struct module *mod, char text[2 * BUILD_ID_SIZE_MAX + 1])
{
#ifdef CONFIG_STACKTRACE_BUILD_ID
	bin2hex(text, mod->build_id, sizeof(mod->build_id));
	text[2 * BUILD_ID_SIZE_MAX] = 0;
#else
	text[0] = 0;
#endif
}

static void note_module(const struct module *mod)
{
	char build_id[2 * BUILD_ID_SIZE_MAX + 1], where[40];

	build_id_text(mod, build_id);
	scnprintf(where, sizeof(where), "%lx+%x", (unsigned long)jtrace_module_code(mod)->base,
		  jtrace_module_code(mod)->size);
	jtrace_site_module(&jtrace.sites, mod->name, build_id, where);
}

/* /sys/module: loaded modules, and built-in code that has parameters. */
static struct kset *modules(void)
{
#ifdef MODULE
	return THIS_MODULE->mkobj.kobj.kset;
#else
	return module_kset;
#endif
}

static const struct module *module_of(struct kobject *kobj)
{
	return container_of(kobj, struct module_kobject, kobj)->mod;
}

/* Those that are there already, the newest first. */
static void note_modules(void)
{
	struct kset *kset = modules();
	struct kobject *kobj;

	spin_lock(&kset->list_lock);
	list_for_each_entry_reverse(kobj, &kset->list, entry)
		if (module_of(kobj))
			note_module(module_of(kobj));
	spin_unlock(&kset->list_lock);
}

/**
 * jtrace_module_now() - where a module lies now
 * @name: of the module
 * @build_id: result, in hex, or "" if the kernel does not keep it
 * @size: result, bytes
 *
 * Context: Process.
 * Return: its base, or 0 if it is not loaded.
 */
u64 jtrace_module_now(const char *name, char build_id[2 * BUILD_ID_SIZE_MAX + 1], u64 *size)
{
	struct kobject *kobj = kset_find_obj(modules(), name);
	const struct module *mod = kobj ? module_of(kobj) : NULL;
	u64 base = 0;

	if (mod) {
		base = (unsigned long)jtrace_module_code(mod)->base;
		*size = jtrace_module_code(mod)->size;
		build_id_text(mod, build_id);
	}
	kobject_put(kobj);
	return base;
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
	/* In this order none is missed; one that is noted twice is noted once. */
	register_module_notifier(&module_nb);
	note_modules();
}

/**
 * jtrace_modules_exit() - undo it
 */
void jtrace_modules_exit(void)
{
	unregister_module_notifier(&module_nb);
}
