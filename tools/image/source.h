/* SPDX-License-Identifier: GPL-2.0 */
/* Files, dumps and compressed images as bytes that can be read in any order. */
#ifndef _JTRACE_SOURCE_H
#define _JTRACE_SOURCE_H

#include <stdbool.h>
#include <stdio.h>

#include "../../lib/env.h"

/* An image has at most so many bytes: twice the size of the largest buffer. */
#define IMAGE_MOST	(512ULL << 20)

struct kdump;

/**
 * struct source - bytes that can be read in any order
 * @name: for messages
 * @fd: the file, or a copy in memory of a file that can be read only once
 * @size: bytes
 * @kdump: a compressed dump, whose offsets are physical addresses, else NULL
 */
struct source {
	const char *name;
	int fd;
	u64 size;
	struct kdump *kdump;
};

/* source.c */
bool source_open(struct source *s, const char *path);
bool source_wrap(struct source *s, const char *name, int fd);
u64 source_skip(const struct source *s, u64 at);
bool source_read(const struct source *s, u64 at, void *to, size_t len);
void source_close(struct source *s);

/* kdump.c */
bool kdump_open(struct source *s);
u64 kdump_skip(const struct source *s, u64 at);
bool kdump_load(const struct source *s, u64 at, void *to, size_t len);
void kdump_warn(const struct source *s);
void kdump_close(struct source *s);

/* zstd.c */
bool zstd_open(struct source *s);
bool zstd_write(const void *from, size_t len, FILE *to);

#endif /* _JTRACE_SOURCE_H */
