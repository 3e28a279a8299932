// SPDX-License-Identifier: GPL-2.0
/*
 * A kmsg dumper like pstore's: it prints whether the log that it would save contains a trace.
 */

#include <linux/kmsg_dump.h>
#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/string.h>
#include "../../lib/base/compat.h"

#include "kmod.h"

static bool registered;

PARAM(bool, late, false, "register it in a panic, after jtrace's notifier");

static void save(JTRACE_KMSG_DUMP_ARGS)
{
	enum kmsg_dump_reason why = JTRACE_KMSG_DUMP_REASON;
	struct kmsg_dump_iter iter;
	static char line[1024];
	bool trace = false;
	size_t len;

	kmsg_dump_rewind(&iter);
	while (!trace && kmsg_dump_get_line(&iter, false, line, sizeof(line) - 1, &len)) {
		line[len] = 0;
		trace = strstr(line, "JTRACE: Recovered");
	}
	pr_emerg("%s: %s\n", kmsg_dump_reason_str(why), trace ? "a trace" : "no trace");
}

static struct kmsg_dumper saver = {
	.dump = save,
	.max_reason = KMSG_DUMP_EMERG,
};

static int registered_set(const char *value, const struct kernel_param *kp)
{
	int err;

	if (registered)
		return -EBUSY;
	err = kmsg_dump_register(&saver);
	registered = !err;
	return err;
}

static const struct kernel_param_ops registered_ops = {
	.set = registered_set,
	.get = param_get_bool,
};

module_param_cb(registered, &registered_ops, &registered, 0644);
MODULE_PARM_DESC(registered, "any value: register it");

static int panic_call(struct notifier_block *nb, unsigned long action, void *data)
{
	registered = !kmsg_dump_register(&saver);
	return NOTIFY_DONE;
}

static struct notifier_block panic_nb = {
	.notifier_call = panic_call,
	.priority = INT_MIN,
};

static int __init jtrace_saver_init(void)
{
	return late ? atomic_notifier_chain_register(&panic_notifier_list, &panic_nb) : 0;
}

static void __exit jtrace_saver_exit(void)
{
	if (late)
		atomic_notifier_chain_unregister(&panic_notifier_list, &panic_nb);
	if (registered)
		kmsg_dump_unregister(&saver);
}

module_init(jtrace_saver_init);
module_exit(jtrace_saver_exit);

TEST_MODULE("another kmsg dumper");
