// SPDX-License-Identifier: GPL-2.0
/* A notifier of panics that may end the machine.  Nothing tells which there are: walk the list. */

#include <linux/kernel.h>
#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "wrapper.h"

/**
 * jtrace_pvpanic_is_there() - is pvpanic loaded?
 *
 * It reports a panic to the hypervisor from a notifier.
 *
 * Context: Process.
 */
bool jtrace_pvpanic_is_there(void)
{
	const struct notifier_block *nb;
	char name[32];
	bool found = false;

	rcu_read_lock();
	for (nb = rcu_dereference(panic_notifier_list.head); nb && !found;
	     nb = rcu_dereference(nb->next)) {
		snprintf(name, sizeof(name), "%ps", nb->notifier_call);
		found = strstarts(name, "pvpanic_");
	}
	rcu_read_unlock();
	return found;
}
