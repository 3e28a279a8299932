/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the fuzz targets.  A target is a file with LLVMFuzzerTestOneInput(), linked with
 * libFuzzer, or with replay.c where there is no libFuzzer.
 */
#ifndef _JTRACE_FUZZ_H
#define _JTRACE_FUZZ_H

#include <stdlib.h>

#include "../../lib/read/log.h"
#include "../../lib/read/render.h"

/* Targets read no more than this of an input. */
#define MOST_INPUT	(64U << 10)

/* A property that must hold; otherwise print it and end the process. */
#define must(cond, ...)							\
do {									\
	if (!(cond)) {							\
		fprintf(fuzz_err(), "%s:%d: %s: ", __FILE__, __LINE__, #cond);	\
		fprintf(fuzz_err(), __VA_ARGS__);				\
		fputc('\n', fuzz_err());				\
		abort();						\
	}								\
} while (0)

/* The original standard error; the target may replace stderr. */
FILE *fuzz_err(void);

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* ---- lib.c ---- */

/* Accesses to images by lib/ so far, as a measure of its work. */
extern u64 fuzz_steps;

/* ---- images.c ---- */

#define NR_IMAGES	96
#define IMAGE_SITES	4

/**
 * struct made - an image that lib/ recorded
 * @img: the image
 * @len: bytes
 * @kind: of the entries
 * @checked: entries carry check values
 * @cpus: number of recording CPUs
 * @events: number of recorded events
 * @lines: lines of the kernel log
 * @seed: determines all events
 * @tags: those of the sites
 * @id: of the image
 * @site: number of the site of event n % IMAGE_SITES
 * @time: of each event
 */
struct made {
	u8 *img;
	u32 len;
	u32 kind;
	bool checked;
	u32 cpus;
	u32 events;
	u32 lines;
	u64 seed;
	const char * const *tags;
	u64 id;
	u32 site[IMAGE_SITES];
	u64 *time;
};

const struct made *made_image(u32 nr);
u8 *made_large(u32 kind, u32 chunks, u32 *len);
bool made_event(const struct made *m, const struct jtrace_decoded *ev);
bool made_log(const struct made *m, const struct jtrace_log_line *line);
bool made_site(const struct made *m, u32 number, const struct jtrace_site_text *text);

/* ---- text.c, json.c ---- */

/**
 * struct text_facts - counts of a text
 * @lines: all lines
 * @entries: lines of entries, in the order of time
 * @last: lines of the section on CPUs
 */
struct text_facts {
	u64 lines;
	u64 entries;
	u64 last;
};

struct text_facts text_check(const char *text, size_t len);
u64 json_check(const char *text, size_t len);

/* ---- target.c, ctf.c, page.c ---- */

/**
 * struct exported_file - a file of a target
 * @name: its name
 * @data: its bytes, and a NUL
 * @len: how many, without that NUL
 */
struct exported_file {
	char name[64];
	u8 *data;
	size_t len;
};

/**
 * struct exported - what an export left
 * @file: its files, in the order of their names
 * @nr: how many
 */
struct exported {
	struct exported_file *file;
	u32 nr;
};

const char *target_path(void);
void target_take(struct exported *t);
bool target_same(const struct exported *a, const struct exported *b);
u64 target_bytes(const struct exported *t);
void target_free(struct exported *t);
u64 ctf_check(struct exported *t);
u64 page_check(struct exported *t);

#endif /* _JTRACE_FUZZ_H */
