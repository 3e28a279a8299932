/* SPDX-License-Identifier: GPL-2.0 */
/* What every part of the tools may use. */
#ifndef _JTRACE_BASE_H
#define _JTRACE_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "../../lib/base/env.h"

/* say.c */
bool fail(const char *fmt, ...) __printf(1, 2);

/* output.c: standard output */
bool output_ok(void);
bool output_end(void);

/* colour.c */
bool is_terminal(void);
void colour_open(void);
void colour_line(FILE *to, const char *line);
void colour_dim(FILE *to, const char *line);
void colour_log(FILE *to, const char *line, u32 prio);

/* pager.c */
void pager_open(void);
bool pager_is_open(void);
void pager_close(void);

/* array.c */
void *array_grow(void *array, size_t nr, size_t size);

/* utf8.c */
u32 utf8_decode(const char *text, size_t len, u32 *code);
bool utf8_is_control(u32 code);
u32 utf8_plain(const char *text, size_t len);

/* root.c */
const char *root_path(const char *path);
bool root_exists(const char *path);
ssize_t root_read(const char *path, char *buf, size_t size);
void root_release(char *to, size_t size);
bool is_debugfs_mounted(void);
bool is_this_boot(const u8 *boot_id);

/* beside.c: for a file or a directory that has another name until it is whole */
char *beside_name(const char *path);
mode_t beside_mode(mode_t all);
void beside_catch(void);
bool beside_ended(void);
void beside_release(void);

/* target.c */

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

#endif /* _JTRACE_BASE_H */
