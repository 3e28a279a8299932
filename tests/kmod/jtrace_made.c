// SPDX-License-Identifier: GPL-2.0
/*
 * Makes sites at run time: allocates a site, records, overwrites and frees the site, then makes
 * the next one.
 */
#include <linux/jtrace.h>
#include <linux/slab.h>

#include "kmod.h"

PARAM(uint, count, 8, "number of sites; events and probes alternate");

static void free_text(const char *text)
{
	if (text)
		memset((char *)text, '!', strlen(text));
	kfree(text);
}

static int make_site(uint nr)
{
	struct jtrace_site *site = kzalloc(sizeof(*site), GFP_KERNEL);
	int err = -ENOMEM;

	if (!site)
		return err;
	site->tag = kasprintf(GFP_KERNEL, "made %u (nr, error, 0, 0, site)", nr);
	site->file = kasprintf(GFP_KERNEL, "%s", nr % 2 ? "event" : "kprobe");
	site->func = kasprintf(GFP_KERNEL, "symbol+0x%x", nr);
	site->kind = nr % 2 ? JTRACE_SITE_EVENT : JTRACE_SITE_PROBE;
	site->args = JTRACE_ARGS_TOLD | JTRACE_ARG_U32 | JTRACE_ARG_S32 << JTRACE_ARG_BITS |
		     JTRACE_ARG_POINTER << 4 * JTRACE_ARG_BITS;
	if (site->tag && site->file && site->func) {
		if (static_branch_unlikely(&jtrace_key))
			jtrace_record(site, nr | (u64)(u32)-110 << 32, 0, 0x1000 + nr, 0);
		err = 0;
	}
	free_text(site->tag);
	free_text(site->file);
	free_text(site->func);
	memset(site, 0x6b, sizeof(*site));
	kfree(site);
	return err;
}

static int __init jtrace_made_init(void)
{
	int err = 0;
	uint nr;

	for (nr = 0; nr < count && !err; nr++)
		err = make_site(nr);
	return err;
}

module_init(jtrace_made_init);
module_exit(undo_nothing);

TEST_MODULE("sites that are made at run time");
