/* SPDX-License-Identifier: GPL-2.0 */
/* Exports: outputs that write a file or a directory that the user names. */
#ifndef _JTRACE_EXPORT_H
#define _JTRACE_EXPORT_H

#include "../entries/entries.h"
#include "../image/image.h"

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

/* counter.c */

/**
 * struct export_counter - a value that changes in time
 * @name: for people
 * @bytes: of one; 0: it is a number
 */
struct export_counter {
	char *name;
	u32 bytes;
};

const struct export_counter *export_counters(const struct jtrace_trace *t, u32 number, u32 *nr);

/* save.c */

/**
 * struct saved - a copy of an image, with the names it needs
 * @img: its bytes
 * @len: how many
 * @names: number of names that were added
 */
struct saved {
	u8 *img;
	u64 len;
	u32 names;
};

bool save_build(struct saved *to, const struct dump *d);
void save_free(struct saved *s);
bool export_save(const struct dump *d, const char *target, bool force);

/* ctf/ctf.c, dat/dat.c, page/html.c, perfetto/perfetto.c: see formats[] in cli/options.c */
bool export_ctf(const struct dump *d, const char *target, bool force);
bool export_html(const struct dump *d, const char *target, bool force);
bool finish_html(bool ok);
bool export_dat(const struct dump *d, const char *target, bool force);
bool export_perfetto(const struct dump *d, const char *target, bool force);

#endif /* _JTRACE_EXPORT_H */
