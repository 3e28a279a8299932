// SPDX-License-Identifier: GPL-2.0
/* jtrace doctor: does the buffer remember for long enough? */

#include "doctor.h"

/**
 * check_history() - does the buffer remember for long enough, at the present rate?
 * @f: the module was looked at
 */
void check_history(const struct facts *f)
{
	struct history h;

	if (!f->module.loaded || f->module.err || !history_read(&h))
		return;
	if (h.times == 1)
		report(FINE, "history", "the buffer holds %llu.%llu s at the present rate",
		       h.ms / 1000, h.ms % 1000 / 100);
	else
		report(WARN, "history",
		       "the buffer holds %llu.%llu s at the present rate, and a hang is noticed after %u s (%s): what led to it may be overwritten: take %u times the memory, or turn on fewer events",
		       h.ms / 1000, h.ms % 1000 / 100, h.noticed,
		       h.by_watchdog ? "watchdog" : "kernel.watchdog_thresh", h.times);
}
