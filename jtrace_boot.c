// SPDX-License-Identifier: GPL-2.0
/*
 * The image identifies its boot and says where the kernel and its modules lie.  With that, the next
 * boot resolves addresses in the arguments of a recovered trace.  Unknown values stay 0 or are left
 * out.
 */

#include <linux/buildid.h>
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

/* The build id as the image stores it; "" if the kernel keeps none. */
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

static int module_call(struct notifier_block *nb, unsigned long state, void *data)
{
	if (state == MODULE_STATE_COMING)
		note_module(data);
	return NOTIFY_DONE;
}

static struct notifier_block module_nb = {
	.notifier_call = module_call,
};

/* From now on, note in the image where modules lie. */
void jtrace_modules_init(void)
{
	/* This order misses no module.  A module noted twice is stored once. */
	register_module_notifier(&module_nb);
	jtrace_modules_call(note_module);
}

void jtrace_modules_exit(void)
{
	unregister_module_notifier(&module_nb);
}
#endif
