// SPDX-License-Identifier: GPL-2.0
/*
 * jtrace doctor: for how long does the buffer remember, at the present rate?  What came before a
 * hang is overwritten if the machine goes on recording until something notices the hang.
 */

#include <glob.h>
#include <stdlib.h>

#include "../../lib/read/walk.h"
#include "../live/live.h"
#include "doctor.h"

#define NS_PER_S	1000000000ULL

/* A buffer that is not full yet must have recorded for so long, to tell a rate. */
#define LEAST_NS	(10 * NS_PER_S)

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

/* From its oldest entry to its newest one, in ns; if it is not full yet, as if it were. */
static u64 find_span(const struct jtrace_trace *t)
{
	struct jtrace_key *heap = malloc(jtrace_walk_room(t) + 1);
	const u64 newest = t->newest.tie ? jtrace_recover_ns(t, t->newest.time) : 0;
	struct jtrace_walk *walk = malloc(sizeof(*walk));
	const struct jtrace_decoded *ev = NULL;
	u64 span = 0;

	if (heap && walk && newest) {
		jtrace_walk_open(walk, t, heap, false);
		ev = jtrace_walk_next(walk);
	}
	if (ev && jtrace_recover_ns(t, ev->time) < newest)
		span = newest - jtrace_recover_ns(t, ev->time);
	if (!t->header.counts.overwritten)
		span = span < LEAST_NS ? 0 : span / t->found * jtrace_layout_entries(&t->l);
	free(walk);
	free(heap);
	return span;
}

/* Returns 0 if nothing can be said. */
static u64 read_span(void)
{
	struct dump d = { .name = "trace_raw" };
	size_t room = 0, len = 0;
	u64 span = 0;

	if (live_read(d.name, (void **)&d.img, &room, &len))
		return 0;
	d.len = len;
	if (dump_open(&d) && d.t.fault == JTRACE_HEADER_OK)
		span = find_span(&d.t);
	dump_free(&d);
	return span;
}

/**
 * check_history() - does the buffer remember for long enough?
 * @f: the module was looked at
 */
void check_history(const struct facts *f)
{
	const u32 lockup = 2 * read_seconds("/proc/sys/kernel/watchdog_thresh");
	const u32 watchdog = find_watchdog(), least = max(lockup, watchdog);
	u64 span;

	if (!f->module.loaded || f->module.err || !root_exists("/sys/kernel/debug/jtrace/trace_raw"))
		return;
	span = read_span();
	if (!span)
		return;
	if (span / NS_PER_S >= least)
		report(FINE, "history", "the buffer holds %llu.%llu s at the present rate",
		       span / NS_PER_S, span % NS_PER_S / (NS_PER_S / 10));
	else
		report(WARN, "history",
		       "the buffer holds %llu.%llu s at the present rate, and a hang is noticed after %u s (%s): what led to it may be overwritten: take %llu times the memory, or turn on fewer events",
		       span / NS_PER_S, span % NS_PER_S / (NS_PER_S / 10), least,
		       least == watchdog ? "watchdog" : "kernel.watchdog_thresh",
		       least * NS_PER_S / max_t(u64, span, 1) + 1);
}
