// SPDX-License-Identifier: GPL-2.0
/*
 * How it ends: what the image's header says about it to the next boot.
 *
 * Running is what it says when nobody had the time to say anything else: a hang,
 * a reset, a power loss.
 */

#include <linux/delay.h>
#include <linux/mutex.h>
#include <linux/reboot.h>
#include <linux/string.h>

#include "include/jtrace/internal.h"

/**
 * jtrace_seal() - write how it ended into the image
 * @state: enum jtrace_state
 * @reason: of a panic, else NULL
 *
 * Context: Any; nobody else writes headers: in a panic, on unload, or under the
 * lock.
 */
void jtrace_seal(enum jtrace_state state, const char *reason)
{
	struct jtrace_image_header *h = &jtrace.header;

	h->state = state;
	memset(h->reason, 0, sizeof(h->reason));
	if (reason)
		strscpy(h->reason, reason, sizeof(h->reason));
	jtrace_clock_stamp(h);
	jtrace_header_write(jtrace.region.at, h);
}

/**
 * jtrace_unseal() - the machine lives on, after all
 *
 * Context: Process.
 */
void jtrace_unseal(void)
{
	mutex_lock(&jtrace.lock);
	jtrace_seal(JTRACE_STATE_RUNNING, NULL);
	mutex_unlock(&jtrace.lock);
}

#define LOCK_MS		1000

/*
 * The machine goes down in good order: said as late as a module can, when the
 * devices are down, as a driver that hangs in its shutdown is what jtrace is for.
 */
static void seal_in_order(void)
{
	bool locked = false;
	int ms;

	/* Other CPUs run, and one may clear; not for ever, as it may have died of that. */
	for (ms = 0; ms < LOCK_MS && !locked; ms++) {
		locked = mutex_trylock(&jtrace.lock);
		if (!locked)
			mdelay(1);
	}
	jtrace_seal(jtrace.config.keep_on_reboot ? JTRACE_STATE_KEPT : JTRACE_STATE_CLEAN, NULL);
	if (locked)
		mutex_unlock(&jtrace.lock);
}

static void shut_down(JTRACE_SYSCORE_ARGS)
{
	seal_in_order();
}

static struct jtrace_syscore seal_syscore = {
	.ops.shutdown = shut_down,
};

/* A kernel whose kexec does not call the above says so in its command. */
static int reboot_call(struct notifier_block *nb, unsigned long action, void *command)
{
	if (action == SYS_RESTART && command && !strcmp(command, "kexec reboot"))
		seal_in_order();
	return NOTIFY_DONE;
}

static struct notifier_block reboot_nb = {
	.notifier_call = reboot_call,
};

/**
 * jtrace_seal_init() - be there when the machine is shut down
 */
void jtrace_seal_init(void)
{
	jtrace_syscore_register(&seal_syscore);
	if (JTRACE_KEXEC_SKIPS_SYSCORE)
		register_reboot_notifier(&reboot_nb);
}

/**
 * jtrace_seal_exit() - undo jtrace_seal_init(), and say that it ends here
 */
void jtrace_seal_exit(void)
{
	if (JTRACE_KEXEC_SKIPS_SYSCORE)
		unregister_reboot_notifier(&reboot_nb);
	jtrace_syscore_unregister(&seal_syscore);
	jtrace_seal(JTRACE_STATE_UNLOADED, NULL);
}
