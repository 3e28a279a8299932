// SPDX-License-Identifier: GPL-2.0
/* Load and unload jtrace_probe.ko. */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/printk.h>

#include "../jtrace_version.h"
#include "probe.h"

/*
 * The parameter may be repeated.  Its texts stay where the kernel has parsed them, as long as the
 * module is loaded: built in, there is no memory to copy them yet.
 */
#define MOST_PARAMETERS	32
static const char *probes[MOST_PARAMETERS];
static u32 nr_probes;

static int add_parameter(const char *text, const struct kernel_param *kp)
{
	if (nr_probes == MOST_PARAMETERS) {
		pr_err("probe=%s: at most %d of these parameters are taken\n", text,
		       MOST_PARAMETERS);
		return -ENOSPC;
	}
	probes[nr_probes++] = text;
	return 0;
}

static const struct kernel_param_ops probe_ops = {
	.set = add_parameter,
};
module_param_cb(probe, &probe_ops, NULL, 0);
MODULE_PARM_DESC(probe, "probes to define: lines of the file probes, with \";\" between them; may be repeated");

/* For a machine that a probe keeps from booting: a word on the kernel command line is enough. */
static bool off;
module_param(off, bool, 0);
MODULE_PARM_DESC(off, "ignore the parameters probe=: a way out if one of them is fatal; the file probes still works");

static int define_probes(void)
{
	int err = 0;
	u32 i;

	if (off) {
		pr_info("off: parameters probe= ignored: %u; the file probes works\n", nr_probes);
		return 0;
	}
	for (i = 0; i < nr_probes; i++)
		err = jtrace_lines_parameter(&jtrace_probes_lines, probes[i]) ?: err;
	return err;
}

static int __init jtrace_probe_init(void)
{
	int err;

	if (!jtrace_large_entries()) {
		/* Built in, nobody may have asked for probes. */
		if (!IS_BUILTIN(CONFIG_JTRACE_PROBE) || (nr_probes && !off))
			pr_err("jtrace has small entries, which hold one value: load it with use_large_entries=y\n");
		return -EINVAL;
	}
	err = jtrace_probes_init();
	if (err)
		return err;
	err = define_probes();
	/* Built in, it cannot be loaded again with a better line: the file remains. */
	if (err && !IS_BUILTIN(CONFIG_JTRACE_PROBE)) {
		jtrace_probes_exit();
		return err;
	}
	jtrace_lines_add(&jtrace_probes_lines);
	return 0;
}

static void __exit jtrace_probe_exit(void)
{
	jtrace_lines_remove(&jtrace_probes_lines);
	jtrace_probes_exit();
}

/* Built in: as early as jtrace, which is linked before. */
fs_initcall(jtrace_probe_init);
module_exit(jtrace_probe_exit);

MODULE_DESCRIPTION("Probes for jtrace");
MODULE_AUTHOR("The jtrace developers");
MODULE_VERSION(JTRACE_VERSION);
MODULE_LICENSE("GPL");
