/* SPDX-License-Identifier: GPL-2.0 */
/* Files, dumps and compressed images as bytes that can be read in any order. */
#ifndef _JTRACE_SOURCE_H
#define _JTRACE_SOURCE_H

#include <stdbool.h>
#include <stdio.h>

#include "../../lib/base/env.h"

/* An image has at most so many bytes: twice the size of the largest buffer. */
#define IMAGE_MOST	(512ULL << 20)

struct source;

/**
 * struct source_ops - how to read a source that is not the bytes of its file
 * @skip: as source_skip()
 * @read: as source_read()
 * @warn: after the last read: warn of bytes that read as zeros, because they could not be read
 * @close: free what belongs to @format
 */
struct source_ops {
	u64 (*skip)(const struct source *s, u64 at);
	bool (*read)(const struct source *s, u64 at, void *to, size_t len);
	void (*warn)(const struct source *s);
	void (*close)(struct source *s);
};

/**
 * struct source - bytes that can be read in any order
 * @name: for messages
 * @fd: the file, or a copy in memory of a file that can be read only once
 * @size: bytes
 * @ops: NULL: the bytes are those of the file
 * @format: of @ops
 */
struct source {
	const char *name;
	int fd;
	u64 size;
	const struct source_ops *ops;
	void *format;
};

/* source.c */
bool source_file(struct source *s, const char *name, int fd);
bool source_memory(struct source *s, const char *name);
bool source_append(struct source *s, const void *bytes, size_t len);
void source_replace(struct source *s, const struct source *by);
u64 source_skip(const struct source *s, u64 at);
bool source_read(const struct source *s, u64 at, void *to, size_t len);
void source_warn(const struct source *s);
void source_close(struct source *s);

/* open.c */
bool source_wrap(struct source *s, const char *name, int fd);
bool source_open(struct source *s, const char *path);

/* kdump.c */
bool kdump_open(struct source *s);

/* zstd.c */
bool zstd_open(struct source *s);
bool zstd_write(const void *from, size_t len, FILE *to);

#endif /* _JTRACE_SOURCE_H */
