// SPDX-License-Identifier: GPL-2.0
/*
 * For how long does the buffer remember?  What came before a hang is overwritten if the machine
 * goes on recording until something notices the hang.
 */

#include <glob.h>
#include <stdlib.h>

#include "machine.h"

static u32 read_seconds(const char *path)
{
	char text[64];
	long seconds;

	seconds = root_read(path, text, sizeof(text)) > 0 ? strtol(text, NULL, 10) : 0;
	return seconds > 0 && seconds < 1000000 ? seconds : 0;
}

/* The longest time-out of a watchdog that runs, 0 if none does. */
static u32 find_watchdog(void)
{
	size_t skip = strlen(root_path("")), i;
	char path[256], state[32];
	u32 longest = 0;
	glob_t found;

	if (glob(root_path("/sys/class/watchdog/watchdog*"), 0, NULL, &found))
		return 0;
	for (i = 0; i < found.gl_pathc; i++) {
		scnprintf(path, sizeof(path), "%s/state", found.gl_pathv[i] + skip);
		state[0] = 0;
		root_read(path, state, sizeof(state));
		if (strncmp(state, "active", strlen("active")))
			continue;
		scnprintf(path, sizeof(path), "%s/timeout", found.gl_pathv[i] + skip);
		longest = max(longest, read_seconds(path));
	}
	globfree(&found);
	return longest;
}

/**
 * history_read() - for how long does the buffer remember, and for how long must it?
 * @h: result
 *
 * Return: false if jtrace does not say.
 */
bool history_read(struct history *h)
{
	const u32 lockup = 2 * read_seconds("/proc/sys/kernel/watchdog_thresh");
	const u32 watchdog = find_watchdog();
	const char *value = module_state("history_ms");
	u64 times;

	*h = (struct history){
		.ms = value ? strtoull(value, NULL, 10) : 0,
		.noticed = max(lockup, watchdog),
		.by_watchdog = watchdog >= lockup,
	};
	if (!h->ms)
		return false;
	times = (h->noticed * 1000ULL + h->ms - 1) / h->ms;
	h->times = times > 1000000 ? 1000000 : times ?: 1;
	return true;
}
