/* SPDX-License-Identifier: GPL-2.0 */
/* Find images in a source, and load one. */
#ifndef _JTRACE_TOOL_IMAGE_H
#define _JTRACE_TOOL_IMAGE_H

#include "../../lib/read/render.h"
#include "../base/base.h"
#include "source.h"

/* scan.c */

/**
 * struct piece - a valid chunk, site or log record
 * @id: image id
 * @pos: offset in the source
 * @claim: claim number of a chunk; the time of the last change of a module's record; else 0
 * @place: offset in the image, in granules
 * @len: bytes in the source; fewer than the chunk has if the source ends
 * @shift: log2 of the chunk size, 0 for a record
 * @kind: kind of the entries, 0 for a record
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
 * struct head - a valid image header: the first one, or the backup header
 * @pos: offset in the source
 * @id: image id
 * @h: the header
 * @l: the layout in it
 */
struct head {
	u64 pos;
	u64 id;
	struct jtrace_image_header h;
	struct jtrace_layout l;
};

/**
 * struct parts - all parts of images in a source
 * @head: in the order of @pos; images_list() sorts them by image, the newest header first
 * @nr_heads: number of headers
 * @piece: in the order of @pos; images_list() sorts them with piece_order()
 * @nr_pieces: number of pieces
 * @foreign: ids of images that this jtrace does not know how to read; images_list() leaves them out
 * @nr_foreign: number of their headers
 * @nr_bad: number of places that begin like a header, but are not valid
 * @bad: offset of the first foreign one, or else of the first one
 * @bad_fault: its fault
 * @bad_header: its bytes
 */
struct parts {
	struct head *head;
	size_t nr_heads;
	struct piece *piece;
	size_t nr_pieces;
	u64 *foreign;
	size_t nr_foreign;
	u64 nr_bad;
	u64 bad;
	enum jtrace_header_fault bad_fault;
	struct jtrace_image_header bad_header;
};

bool scan(const struct source *s, struct parts *f);
bool scan_pages(const struct source *s, const u64 *page, size_t nr, struct parts *f);
void parts_free(struct parts *f);

/* sort.c */

/**
 * struct image - an image with at least one part in the source
 * @id: image id
 * @base: offset in the source of the image's first byte; may be negative if @raw is false,
 *	or if the beginning is cut off
 * @where: offset of the first byte in the source; users name the image by it
 * @raw: at least half of the parts lie at their offset from @base
 * @whole: all of them do
 * @head: newest header, NULL if all are lost
 * @other: second newest header, NULL if there is no such header
 * @first: first piece
 * @nr: number of pieces, in all copies of the image
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
const struct image *images_find_id(const struct images *list, u64 id);
u64 image_real(const struct image *im);
const char *image_describe(const struct image *im);

/* dump.c */

/**
 * struct dump - an image in memory, and its trace
 * @name: name of the source
 * @where: offset of the image in the source
 * @img: the image
 * @len: bytes of the image
 * @put: number of parts that were put in place, because they are not where the others are
 * @room: memory for lib/read
 * @t: the trace, after dump_open()
 */
struct dump {
	const char *name;
	u64 where;
	u64 *img;
	u64 len;
	u64 put;
	void *room;
	struct jtrace_trace t;
};

bool dump_open(struct dump *d);
bool dump_readable(const struct dump *d);
void dump_free(struct dump *d);
const char *state_name(u8 state);
const char *context_name(u32 context);

/* steady.c */
bool steady_chunks(const struct source *s, const struct jtrace_layout *l, u64 pos, void *chunks,
		   u64 nr);
bool steady_tasks(const struct source *s, u64 pos, void *area, u64 len);

/* gather.c */
bool dump_load(const struct source *s, const struct image *im, struct dump *d);

/* watch.c */

/* What a look at a file finds. */
enum watched {
	WATCH_FAILED,		/* after a message */
	WATCH_NOTHING,		/* the image has gone, and no newer one is there yet */
	WATCH_SAME,
	WATCH_OTHER,		/* a newer image, after a message */
};

/**
 * struct watch - an image in a file that a machine writes to
 * @s: the file
 * @path: its name
 * @at: offset of the image that the user chose, or ~0: the newest one counts
 * @image: the image as it was found
 * @head: the last header that was found
 * @page: numbers of pages with its parts, in ascending order
 * @nr_pages: how many
 * @all_known: each page of the image is known
 * @searched: moment after the last search of the whole file, ns
 * @cost: of this search, ns of CPU time
 * @fruitless: searches in a row that found nothing new
 * @gone: a message has told that the image has gone
 */
struct watch {
	struct source *s;
	const char *path;
	u64 at;
	struct image image;
	struct head head;
	u64 *page;
	size_t nr_pages;
	bool all_known;
	u64 searched;
	u64 cost;
	u32 fruitless;
	bool gone;
};

bool watch_open(struct watch *w, struct source *s, const char *path);
bool watch_choose(struct watch *w, const struct parts *f, const struct image *im);
void watch_hurry(struct watch *w);
enum watched watch_look(struct watch *w, struct dump *d);
void watch_close(struct watch *w);

#endif /* _JTRACE_TOOL_IMAGE_H */
