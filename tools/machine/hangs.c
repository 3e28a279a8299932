// SPDX-License-Identifier: GPL-2.0
/*
 * Does the kernel speak of a hang?  A panic saves its log; without one, a watchdog resets a machine
 * whose kernel has said nothing.  Sysctls decide, and 0 turns each of them off.
 */

#include <stdlib.h>

#include "machine.h"

/**
 * knob_read() - read a sysctl of the kernel
 * @name: below kernel.
 * @value: result, "" if it cannot be read
 * @size: size of @value
 *
 * Return: false if this kernel has no such sysctl.
 */
bool knob_read(const char *name, char *value, size_t size)
{
	char path[128];
	ssize_t len;

	scnprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
	len = root_read(path, value, size);
	value[strcspn(value, "\n")] = 0;
	return len >= 0 || root_exists(path);
}

/* Is it there, and not 0? */
static bool is_on(const char *name)
{
	char value[32];

	return knob_read(name, value, sizeof(value)) && strcmp(value, "0") && value[0];
}

/* A kernel without the switch has no way to turn it off. */
static bool is_off(const char *name)
{
	char value[32];

	return knob_read(name, value, sizeof(value)) && !strcmp(value, "0");
}

/**
 * hangs_read() - find out which hangs cause a panic
 * @h: result
 */
void hangs_read(struct hangs *h)
{
	bool detects = !is_off("watchdog_thresh");

	h->soft = detects && is_on("softlockup_panic") && !is_off("soft_watchdog");
	h->hard = detects && is_on("hardlockup_panic") && is_on("nmi_watchdog");
	h->task = is_on("hung_task_panic") && !is_off("hung_task_timeout_secs");
	h->rcu = is_on("panic_on_rcu_stall");
}
