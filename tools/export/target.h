/* SPDX-License-Identifier: GPL-2.0 */
/* Exports: outputs that write a file or a directory that the user names. */
#ifndef _JTRACE_TARGET_H
#define _JTRACE_TARGET_H

#include "../tool.h"

/* Numbers of CPUs have 16 bits in an entry. */
#define CPU_NUMBERS	65536

/* base/beside.c: for a file or a directory that has another name until it is whole */
char *beside_name(const char *path);
mode_t beside_mode(mode_t all);
void beside_catch(void);
bool beside_ended(void);
void beside_release(void);

/* base/target.c */

/**
 * struct target - a file that is being written
 * @path: its name
 * @half: its name until it is whole; NULL if it is written directly
 * @out: write to it
 * @force: replace a file of this name
 * @err: number of the first error, 0 if there is none
 */
struct target {
	const char *path;
	char *half;
	FILE *out;
	bool force;
	int err;
};

bool target_open(struct target *t, const char *path, bool force, const char *sign);
bool target_ok(struct target *t);
bool target_close(struct target *t, bool ok);

/* clock.c */

/**
 * struct export_clock - the clock of an export
 * @known: its relation to the wall clock is known
 * @offset: wall clock when it was 0, ns; 0 if that is not known
 * @written: time of the moment at which the header was written last, ns
 * @latest: largest time that readers can add to @offset
 * @later: events with larger times, which get this one
 */
struct export_clock {
	bool known;
	u64 offset;
	u64 written;
	u64 latest;
	u64 later;
};

void export_clock_open(struct export_clock *c, const struct jtrace_trace *t);
u64 export_clock_time(struct export_clock *c, u64 ns);
void export_clock_warn(const struct export_clock *c, const struct dump *d);

/* ctf/ctf.c, page/html.c, perfetto/perfetto.c: exports, see formats[] in cli/options.c */
bool export_ctf(const struct dump *d, const char *target, bool force);
bool export_html(const struct dump *d, const char *target, bool force);
bool finish_html(bool ok);
bool export_perfetto(const struct dump *d, const char *target, bool force);

#endif /* _JTRACE_TARGET_H */
