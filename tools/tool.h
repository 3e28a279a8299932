/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of jtrace(1) know of each other. */
#ifndef _JTRACE_TOOL_H
#define _JTRACE_TOOL_H

#include <sys/types.h>

#include "../lib/render.h"

/* ---- say.c ---- */

bool fail(const char *fmt, ...) __printf(1, 2);

/* ---- output.c: standard output ---- */

void output_begin(void);
bool output_ok(void);
bool output_end(void);

/* ---- array.c ---- */

void *array_grow(void *array, size_t nr, size_t size);

/* ---- file.c: bytes by their offset, wherever they come from ---- */

/**
 * struct source - bytes that can be read in any order
 * @name: for messages
 * @fd: of the file, or of a copy in memory when it can only be read once
 * @size: bytes
 */
struct source {
	const char *name;
	int fd;
	u64 size;
};

bool source_open(struct source *s, const char *path);
bool source_wrap(struct source *s, const char *name, int fd);
bool source_read(const struct source *s, u64 at, void *to, size_t len);
void source_close(struct source *s);

/* ---- scan.c: what of an image is somewhere in a source ---- */

/**
 * struct piece - a valid chunk or site record
 * @id: of its image
 * @pos: where it was found
 * @claim: of a chunk, 0 of a site
 * @place: where in the image it belongs, in granules
 * @len: bytes of it that there are
 * @shift: log2 of the chunk size, 0 of a site
 * @kind: of the entries, 0 of a site
 */
struct piece {
	u64 id;
	u64 pos;
	u64 claim;
	u32 place;
	u16 len;
	u8 shift;
	u8 kind;
};

/**
 * struct head - a valid image header, at either end of an image
 * @pos: where it was found
 * @id: of the image
 * @h: the header
 * @l: what it tells
 */
struct head {
	u64 pos;
	u64 id;
	struct jtrace_image_header h;
	struct jtrace_layout l;
};

/**
 * struct parts - all that was found
 * @head: by position; by image, that written last first, once images_list() ran
 * @nr_heads: number of them
 * @piece: by position, and in the order of piece_order() once images_list() ran
 * @nr_pieces: number of them
 * @nr_bad: what begins like a header, and is none
 * @bad: the first of these
 * @bad_fault: what is wrong with it
 * @bad_version: its format version
 */
struct parts {
	struct head *head;
	size_t nr_heads;
	struct piece *piece;
	size_t nr_pieces;
	u64 nr_bad;
	u64 bad;
	enum jtrace_header_fault bad_fault;
	u32 bad_version;
};

bool scan(const struct source *s, struct parts *f);
void parts_free(struct parts *f);

/* ---- image.c: which images these are ---- */

/**
 * struct image - an image that something was found of
 * @id: of the image
 * @base: where in the source its first byte is, or would be, if @raw
 * @where: first byte of it that was found; what people name it by
 * @raw: its bytes are, by and large, in one piece
 * @whole: all of its parts are in that piece
 * @head: the header that was written last, NULL if none survived
 * @other: another one, NULL if there is none
 * @first: its first piece
 * @nr: number of its pieces, of all copies of this image
 */
struct image {
	u64 id;
	s64 base;
	u64 where;
	bool raw;
	bool whole;
	const struct head *head;
	const struct head *other;
	const struct piece *first;
	size_t nr;
};

struct images {
	struct image *image;
	size_t nr;
};

bool images_list(const struct source *s, struct parts *f, struct images *list);
const struct image *images_find_newest(const struct images *list);
const struct image *images_find(const struct images *list, u64 where);
const char *image_describe(const struct image *im);

/* ---- dump.c: an image in memory, and its trace ---- */

/**
 * struct dump - a trace that is ready to be shown
 * @name: of the source
 * @where: first byte of the image in the source that was found
 * @img: the image
 * @len: bytes of it
 * @room: for lib/recover
 * @t: what lib/recover made of it
 */
struct dump {
	const char *name;
	u64 where;
	u64 *img;
	u64 len;
	void *room;
	struct jtrace_trace t;
};

bool dump_open(struct dump *d);
bool dump_readable(const struct dump *d);
void dump_free(struct dump *d);
const char *state_name(u8 state);

/* ---- gather.c ---- */

bool dump_load(const struct source *s, const struct image *im, struct dump *d);

/* ---- text.c, json.c: outputs, in the table of formats in jtrace.c ---- */

bool print_text(const struct jtrace_trace *t, FILE *to);
void show_text(const struct dump *d);
void show_json(const struct dump *d);

/* ---- utf8.c ---- */

u32 utf8_decode(const char *text, size_t len, u32 *code);
bool utf8_is_control(u32 code);
u32 utf8_plain(const char *text, size_t len);

/* ---- root.c: small files of the system ---- */

const char *root_path(const char *path);
bool root_exists(const char *path);
ssize_t root_read(const char *path, char *buf, size_t size);
bool is_debugfs_mounted(void);
bool is_this_boot(const u8 *boot_id);

/* ---- live.c: the files of the module ---- */

/* Where traces are kept, a folder for each boot and in it one for each trace. */
#define ARCHIVE		"/var/lib/jtrace"

bool live_open(struct source *s, const char *name);
bool live_copy(const char *name, FILE *to);

/* ---- doctor.c ---- */

bool run_doctor(void);

#endif /* _JTRACE_TOOL_H */
