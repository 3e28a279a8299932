// SPDX-License-Identifier: GPL-2.0
/* The boot that left the recovered trace: which one, and where its kernel and modules lay. */

#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "jtrace_internal.h"
#include "lib/read/render.h"

static bool anything_recovered(void)
{
	return jtrace_recovered.trace.verdict != JTRACE_EMPTY &&
	       jtrace_recovered.trace.verdict != JTRACE_UNREADABLE;
}

/**
 * jtrace_recovered_boot() - which boot left the recovered trace?
 *
 * Context: Any.
 * Return: its boot id, 16 bytes, also after the trace was freed, 0 if it died before its id was
 * known; NULL if both headers are lost.
 */
const u8 *jtrace_recovered_boot(void)
{
	const struct jtrace_trace *t = &jtrace_recovered.trace;

	if (!anything_recovered() || t->damage.nr[JTRACE_FAULT_HEADERS])
		return NULL;
	return t->header.boot_id;
}

static void show_boot(struct seq_file *m, const struct jtrace_trace *t)
{
	const struct jtrace_image_header *h = &t->header;
	char release[4 * sizeof(h->release) + 1];

	if (!jtrace_recovered_boot()) {
		seq_puts(m, "# a boot whose name is lost\n");
		return;
	}
	jtrace_escape(NULL, release, sizeof(release), (const char *)h->release, sizeof(h->release));
	seq_printf(m, "# boot %*phN, Linux %s\n", (int)sizeof(h->boot_id), h->boot_id, release);
	if (!h->text)
		return;
	seq_printf(m, "kernel 0x%llx build id %*phN\n", le64_to_cpu(h->text),
		   (int)sizeof(h->build_id), h->build_id);
}

static void show_module(struct seq_file *m, const struct jtrace_module *module)
{
	char name[4 * JTRACE_TAG_MAX + 1];

	jtrace_escape(NULL, name, sizeof(name), module->name, sizeof(module->name));
	seq_printf(m, "%s 0x%llx+0x%x", name, module->base[JTRACE_MODULE_TEXT],
		   module->size[JTRACE_MODULE_TEXT]);
	if (module->has_id)
		seq_printf(m, " build id %*phN", JTRACE_BUILD_ID_SIZE, module->build_id);
	seq_puts(m, module->until == ~0ULL ? "\n" : " unloaded\n");
}

/*
 * Position 0 is the kernel, known from the header.  Other positions are places in the image of
 * modules, unless the image is freed.
 */
static void *boot_start(struct seq_file *m, loff_t *pos)
{
	m->private = jtrace_recovered_get() ? &jtrace_recovered : NULL;
	return *pos <= U32_MAX ? pos : NULL;
}

static void *boot_next(struct seq_file *m, void *v, loff_t *pos)
{
	const struct jtrace_trace *t = &jtrace_recovered.trace;
	struct jtrace_module module;
	u32 next = 0;

	if (m->private && anything_recovered())
		next = jtrace_module_next(&t->l, t->img, t->image_id, *pos, &module);
	*pos = next ?: 1ULL << 32;
	return next ? pos : NULL;
}

static void boot_stop(struct seq_file *m, void *v)
{
	if (m->private)
		jtrace_recovered_put();
}

static int boot_show(struct seq_file *m, void *v)
{
	const struct jtrace_trace *t = &jtrace_recovered.trace;
	u32 after = *(loff_t *)v;
	struct jtrace_module module;

	if (!anything_recovered())
		seq_puts(m, "# no trace of an earlier boot\n");
	else if (!after)
		show_boot(m, t);
	else if (m->private &&
		 jtrace_module_next(&t->l, t->img, t->image_id, after - 1, &module) == after)
		show_module(m, &module);
	return 0;
}

/* Kernel and modules of the earlier boot, one line each. */
const struct seq_operations jtrace_last_boot_sops = {
	.start = boot_start,
	.next = boot_next,
	.stop = boot_stop,
	.show = boot_show,
};
