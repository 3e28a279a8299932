// SPDX-License-Identifier: GPL-2.0
/*
 * The image identifies its boot and says where the kernel and its modules lie.  With that, the next
 * boot resolves addresses in the arguments of a recovered trace.  Unknown values stay 0 or are left
 * out.
 */

#include <linux/elf.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/string.h>
#include <linux/utsname.h>

#include "jtrace_internal.h"
#include "wrapper/wrapper.h"

/**
 * jtrace_boot_identify() - identify this boot in a header
 * @h: result: machine, release, boot_id, build_id and text, as far as they are known
 *
 * Context: Process.
 */
void jtrace_boot_identify(struct jtrace_image_header *h)
{
	u64 text;

	static_assert(sizeof(h->build_id) == 20);

	h->machine = cpu_to_le16(ELF_ARCH);
	strscpy(h->release, init_utsname()->release, sizeof(h->release));
	jtrace_read_boot_id(h->boot_id);
	jtrace_read_kernel(&text, h->build_id);
	h->text = cpu_to_le64(text);
}

#ifdef CONFIG_MODULES

/* Of the modules in jtrace.sites. */
static DEFINE_SPINLOCK(modules_lock);

static void note_module(const struct module *mod, bool late)
{
	struct jtrace_module m = {
		.module = (unsigned long)mod,
		.from = late ? jtrace_clock_now() : 0,
	};
	void *base;
	u32 i;

	strscpy(m.name, mod->name, sizeof(m.name));
	for (i = 0; i < JTRACE_MODULE_RANGES; i++) {
		base = jtrace_module_range(mod, i, &m.size[i]);
		m.base[i] = (unsigned long)base;
		if (i == JTRACE_MODULE_RODATA)
			m.has_id = jtrace_module_find_id(base, m.size[i], m.build_id);
	}
	spin_lock(&modules_lock);
	jtrace_module_note(&jtrace.sites, &m, late);
	spin_unlock(&modules_lock);
}

static void end_module(const struct module *mod)
{
	spin_lock(&modules_lock);
	jtrace_module_end(&jtrace.sites, (unsigned long)mod, jtrace_clock_now());
	spin_unlock(&modules_lock);
}

static void note_loaded(const struct module *mod)
{
	note_module(mod, false);
	/*
	 * If the notifier found no record to end, it has taken the lock before, so the state that
	 * was set before that is seen here.
	 */
	if (READ_ONCE(mod->state) == MODULE_STATE_GOING)
		end_module(mod);
}

static int module_call(struct notifier_block *nb, unsigned long state, void *data)
{
	if (state == MODULE_STATE_COMING)
		note_module(data, true);
	/* Its exit function has run, or its init function failed. */
	else if (state == MODULE_STATE_GOING)
		end_module(data);
	return NOTIFY_DONE;
}

static struct notifier_block module_nb = {
	.notifier_call = module_call,
};

/* From now on, note in the image where modules lie, and when they go. */
void jtrace_modules_init(void)
{
	/* This order misses no module.  One that is noted twice ends twice, too. */
	register_module_notifier(&module_nb);
	jtrace_modules_call(note_loaded);
}

void jtrace_modules_exit(void)
{
	unregister_module_notifier(&module_nb);
}
#endif
