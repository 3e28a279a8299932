/* SPDX-License-Identifier: GPL-2.0 */
/* Geometry of an image, its header, and the check value. */
#ifndef _JTRACE_IMAGE_H
#define _JTRACE_IMAGE_H

#include "env.h"

/* Sizes are a multiple of this; also the smallest chunk. */
#define JTRACE_SIZE_ALIGN	128

/**
 * enum jtrace_room - how well a buffer provides for the machine's CPUs
 * @JTRACE_ROOM_FULL: 3 chunks a CPU and 4 more, 4 entries a chunk or more
 * @JTRACE_ROOM_TIGHT: 2 chunks a CPU and 2 more, 4 entries a chunk or more
 * @JTRACE_ROOM_FEW: the same, fewer entries a chunk
 * @JTRACE_ROOM_POOR: 1 chunk a CPU and 2 more; a CPU's previous chunk may be
 *	overwritten by others
 * @JTRACE_ROOM_NONE: cannot work
 */
enum jtrace_room {
	JTRACE_ROOM_FULL,
	JTRACE_ROOM_TIGHT,
	JTRACE_ROOM_FEW,
	JTRACE_ROOM_POOR,
	JTRACE_ROOM_NONE,
};

/**
 * struct jtrace_layout - where everything is in an image
 * @size: bytes of the image
 * @sites_off: first byte of the site records
 * @sites_end: first byte after them
 * @chunks_off: first byte of chunk 0
 * @nr_chunks: number of chunks
 * @chunk_shift: log2 of the chunk size
 * @kind: of the entries
 * @entry_size: bytes
 * @entries: number in one chunk
 * @first_off: of the first entry in its chunk
 */
struct jtrace_layout {
	u64 size;
	u32 sites_off;
	u32 sites_end;
	u32 chunks_off;
	u32 nr_chunks;
	u8 chunk_shift;
	u8 kind;
	u16 entry_size;
	u16 entries;
	u16 first_off;
};

enum jtrace_room jtrace_layout_plan(struct jtrace_layout *l, u64 size, u32 cpus,
				    enum jtrace_kind kind);
u64 jtrace_layout_smallest(u32 cpus, enum jtrace_kind kind, enum jtrace_room room);
bool jtrace_layout_chunk(struct jtrace_layout *l, u8 chunk_shift, u8 kind);

void jtrace_header_init(struct jtrace_image_header *h, const struct jtrace_layout *l,
			u64 image_id);
void jtrace_header_write(void *img, struct jtrace_image_header *h);

/**
 * enum jtrace_header_fault - why bytes are not a header
 * @JTRACE_HEADER_OK: they are
 * @JTRACE_HEADER_MAGIC: they do not begin like one
 * @JTRACE_HEADER_VERSION: one of another format version
 * @JTRACE_HEADER_CRC: damaged
 * @JTRACE_HEADER_LAYOUT: its numbers contradict each other or the size
 */
enum jtrace_header_fault {
	JTRACE_HEADER_OK,
	JTRACE_HEADER_MAGIC,
	JTRACE_HEADER_VERSION,
	JTRACE_HEADER_CRC,
	JTRACE_HEADER_LAYOUT,
};

enum jtrace_header_fault jtrace_header_read(const void *at, u64 len,
					    struct jtrace_image_header *h,
					    struct jtrace_layout *l);

/* Entries an image can hold. */
static inline u64 jtrace_layout_entries(const struct jtrace_layout *l)
{
	return (u64)l->nr_chunks * l->entries;
}

/* Place of chunk @index. */
static inline u32 jtrace_chunk_place(const struct jtrace_layout *l, u32 index)
{
	return (l->chunks_off + ((u64)index << l->chunk_shift)) / JTRACE_GRANULE;
}

/* Place of entry @slot of chunk @index. */
static inline u32 jtrace_entry_place(const struct jtrace_layout *l, u32 index, u32 slot)
{
	return jtrace_chunk_place(l, index) +
	       (l->first_off + slot * l->entry_size) / JTRACE_GRANULE;
}

/**
 * jtrace_mix() - take one word into a check value
 * @state: so far; begin with any constant
 * @word: next
 *
 * The multiplier is the 64-bit golden ratio of Fibonacci hashing (Knuth, The
 * Art of Computer Programming 3, 6.4).  Each step is a bijection of the state
 * and of the word, so a difference in one word always reaches the end; of its
 * 64 bits the low 32 are stored, and 2^-32 of all damage goes unseen.  Chosen
 * over a CRC because it needs no table, no call and 5 instructions a word.
 *
 * Return: the new state, whose low half is the check value after the last word.
 */
static inline u64 jtrace_mix(u64 state, u64 word)
{
	state = (state ^ word) * 0x9e3779b97f4a7c15ULL;
	return state ^ (state >> 32);
}

#endif /* _JTRACE_IMAGE_H */
