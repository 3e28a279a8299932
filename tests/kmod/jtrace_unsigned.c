// SPDX-License-Identifier: GPL-2.0
/*
 * While allow is y, a kernel that is locked down loads unsigned modules as if they had a trusted
 * signature.  It still refuses everything else.
 */
#include <linux/kprobes.h>
#include <linux/security.h>

#include "kmod.h"

PARAM_RW(bool, allow, false, "y: load unsigned modules");

/* Return 0 to have the answer changed. */
static int on_question(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return !allow || regs_get_kernel_argument(regs, 0) != LOCKDOWN_MODULE_SIGNATURE;
}
NOKPROBE_SYMBOL(on_question);

static int on_answer(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	regs_set_return_value(regs, 0);
	return 0;
}
NOKPROBE_SYMBOL(on_answer);

static struct kretprobe probe = {
	.kp.symbol_name = "security_locked_down",
	.entry_handler = on_question,
	.handler = on_answer,
};

static int __init jtrace_unsigned_init(void)
{
	return register_kretprobe(&probe);
}

static void __exit jtrace_unsigned_exit(void)
{
	unregister_kretprobe(&probe);
}

module_init(jtrace_unsigned_init);
module_exit(jtrace_unsigned_exit);

TEST_MODULE("unsigned modules under lockdown");
