// SPDX-License-Identifier: GPL-2.0
/* Each look at a message of the kernel log makes a new one, which the consoles do not show. */

/* For pr_devel() */
#define DEBUG

#include <linux/atomic.h>
#include <linux/kprobes.h>

#include "kmod.h"

PARAM(int, most, 2000, "so many messages");

static atomic_t calls = ATOMIC_INIT(0);

static int calls_get(char *to, const struct kernel_param *kp)
{
	return scnprintf(to, PAGE_SIZE, "%d\n", atomic_read(&calls));
}

PARAM_GET(calls, "messages that were read");

static int echo(struct kprobe *p, struct pt_regs *regs)
{
	int nr = atomic_inc_return(&calls);

	if (nr <= most)
		pr_devel("%d\n", nr);
	return 0;
}

static struct kprobe probe = {
	.symbol_name = "kmsg_dump_get_line",
	.pre_handler = echo,
	.post_handler = stay,
};

static int __init jtrace_echo_init(void)
{
	return register_kprobe(&probe);
}

static void __exit jtrace_echo_exit(void)
{
	unregister_kprobe(&probe);
}

module_init(jtrace_echo_init);
module_exit(jtrace_echo_exit);

TEST_MODULE("the kernel log grows while it is read");
