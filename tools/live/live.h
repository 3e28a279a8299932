/* SPDX-License-Identifier: GPL-2.0 */
/* The module that runs: its files in debugfs. */
#ifndef _JTRACE_LIVE_H
#define _JTRACE_LIVE_H

#include "../entries/entries.h"
#include "../image/image.h"

/* debugfs.c */
bool live_open(struct source *s, const char *name);
bool live_fail(const char *name, int err);
bool live_fail_recovered(void);
void live_hint_begin(bool cleared);
int live_read(const char *name, void **to, size_t *room, size_t *len);
bool live_copy(const char *name, FILE *to);
bool live_write(const char *name, const char *text, int *err);

/* lines.c */
bool lines_write(const char *file, const char *where, const char *line, bool again);
bool lines_load(const char *path, bool (*take)(const char *where, const char *line));

/* verbs.c */
bool run_start(void);
bool run_stop(void);
bool run_clear(void);
bool run_event(int argc, char **argv);

/* follow.c */
bool follow_live(struct select *select, bool decode,
		 void (*show)(const struct dump *d, bool first, u64 gap));

#endif /* _JTRACE_LIVE_H */
