// SPDX-License-Identifier: GPL-2.0
/* Runs of one timer's function, one after the other, with nothing else on the CPU. */

#include "why.h"

/**
 * storms_take() - look at any entry
 * @m: the machine
 * @s: its site
 * @ev: the entry
 * @ns: its time
 */
void storms_take(struct model *m, const struct pair_site *s, const struct jtrace_decoded *ev,
		 u64 ns)
{
	const u32 timers = ROLE_BIT(ROLE_TIMER) | ROLE_BIT(ROLE_HRTIMER);
	struct why_storm *storm = &m->cpu[ev->cpu].storm;
	const u64 timer = ROLE_BIT(s->role) & timers ? fields_value(&s->fields, s->key, ev) : 0;

	if (!timer || timer != storm->timer || storm->since < m->from)
		*storm = (struct why_storm){ .timer = timer, .since = ns };
	storm->nr++;
	if (timer && s->ends) {
		storm->inside += storm->began ? ns - storm->began : 0;
	} else if (timer) {
		storm->site = s;
		storm->began = ns;
		storm->begin = *ev;
	}
}
