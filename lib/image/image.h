/* SPDX-License-Identifier: GPL-2.0 */
/* Geometry of an image, its header, and the check value. */
#ifndef _JTRACE_IMAGE_H
#define _JTRACE_IMAGE_H

#include "../base/env.h"

/* Sizes are a multiple of this; also the smallest chunk. */
#define JTRACE_SIZE_ALIGN	128
/* A dump sorts all entries at once; for this size it takes some seconds. */
#define JTRACE_LARGEST_SIZE	(256ULL * 1024 * 1024)

/**
 * enum jtrace_fit - how well a buffer fits the machine's CPUs
 * @JTRACE_FIT_FULL: 3 chunks a CPU and 4 more, at least 4 entries a chunk
 * @JTRACE_FIT_TIGHT: 2 chunks a CPU and 2 more, at least 4 entries a chunk
 * @JTRACE_FIT_FEW: the same chunks, with fewer entries
 * @JTRACE_FIT_POOR: 1 chunk a CPU and 2 more; other CPUs may overwrite a CPU's previous chunk
 * @JTRACE_FIT_NONE: too small to work
 */
enum jtrace_fit {
	JTRACE_FIT_FULL,
	JTRACE_FIT_TIGHT,
	JTRACE_FIT_FEW,
	JTRACE_FIT_POOR,
	JTRACE_FIT_NONE,
};

/**
 * struct jtrace_layout - geometry of an image
 * @size: bytes of the image
 * @sites_off: first byte of the site records
 * @sites_end: first byte after them
 * @chunks_off: first byte of chunk 0
 * @nr_chunks: number of chunks
 * @log_off: first byte of the log records
 * @log_size: bytes for log records, 0 for none
 * @tasks_off: first byte of the task records
 * @tasks_size: bytes for task records, 0 for none
 * @stacks_off: first byte of the stack records
 * @stacks_size: bytes for stack records, 0 for none
 * @chunk_shift: log2 of the chunk size
 * @kind: of the entries
 * @form: JTRACE_FORM_*, including @kind
 * @cpus: all CPU numbers are smaller, 0 if unknown; the writer sets it
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
	u32 log_off;
	u32 log_size;
	u32 tasks_off;
	u32 tasks_size;
	u32 stacks_off;
	u32 stacks_size;
	u8 chunk_shift;
	u8 kind;
	u8 form;
	u16 cpus;
	u16 entry_size;
	u16 entries;
	u16 first_off;
};

enum jtrace_fit jtrace_layout_plan(struct jtrace_layout *l, u64 size, u64 sites, u32 cpus,
				   enum jtrace_kind kind);
void jtrace_layout_add_log(struct jtrace_layout *l, u32 size);
void jtrace_layout_add_tasks(struct jtrace_layout *l, u32 size);
void jtrace_layout_add_stacks(struct jtrace_layout *l, u32 size);
u64 jtrace_layout_smallest(u64 sites, u32 cpus, enum jtrace_kind kind, enum jtrace_fit fit);
u64 jtrace_layout_most_sites(u64 size, u32 cpus, enum jtrace_kind kind);
bool jtrace_layout_chunk(struct jtrace_layout *l, u8 chunk_shift, u8 kind);

/* Bits that these readers know. */
#define JTRACE_INCOMPAT_KNOWN	(JTRACE_INCOMPAT_MONO | JTRACE_INCOMPAT_CHECKED)
#define JTRACE_FORM_KNOWN	(JTRACE_FORM_KIND | JTRACE_FORM_TICKS | JTRACE_FORM_MONO | \
				 JTRACE_FORM_CHECKED)

void jtrace_header_init(struct jtrace_image_header *h, const struct jtrace_layout *l,
			u64 image_id);
void jtrace_header_write(void *img, struct jtrace_image_header *h);
void jtrace_image_clear(void *at, u64 size, bool write_back);

/**
 * enum jtrace_header_fault - why bytes are not a valid header
 * @JTRACE_HEADER_OK: they are
 * @JTRACE_HEADER_MAGIC: they do not start like a header
 * @JTRACE_HEADER_VERSION: another format version
 * @JTRACE_HEADER_INCOMPAT: a feature that these readers do not know
 * @JTRACE_HEADER_CRC: damaged
 * @JTRACE_HEADER_LAYOUT: the numbers contradict each other
 * @JTRACE_HEADER_CUT: valid, but the end of the image is missing
 */
enum jtrace_header_fault {
	JTRACE_HEADER_OK,
	JTRACE_HEADER_MAGIC,
	JTRACE_HEADER_VERSION,
	JTRACE_HEADER_INCOMPAT,
	JTRACE_HEADER_CRC,
	JTRACE_HEADER_LAYOUT,
	JTRACE_HEADER_CUT,
};

enum jtrace_header_fault jtrace_header_read(const void *at, u64 len, u64 most,
					    struct jtrace_image_header *h,
					    struct jtrace_layout *l);

/**
 * jtrace_header_area() - find an area
 * @h: a header
 * @kind: of the area
 *
 * Return: its place as stored, which may not be inside the image, or NULL.
 */
static inline const struct jtrace_area *jtrace_header_area(const struct jtrace_image_header *h,
							   enum jtrace_area_kind kind)
{
	u32 i;

	for (i = 0; i < JTRACE_AREAS; i++)
		if (le32_to_cpu(h->area[i].kind) == kind)
			return &h->area[i];
	return NULL;
}

/* Is this a header of a writer that is newer or older than these readers?  It has no damage. */
static inline bool jtrace_header_foreign(enum jtrace_header_fault fault)
{
	return fault == JTRACE_HEADER_VERSION || fault == JTRACE_HEADER_INCOMPAT;
}

/* Incompat bits of a header that these readers do not know. */
static inline u32 jtrace_header_unknown(const struct jtrace_image_header *h)
{
	return le32_to_cpu(h->incompat) & ~JTRACE_INCOMPAT_KNOWN;
}

/* Do entries carry a check value? */
static __always_inline bool jtrace_layout_checked(const struct jtrace_layout *l)
{
	return l->form & JTRACE_FORM_CHECKED;
}

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
 * jtrace_mix() - mix two words into a check value
 * @key: jtrace_check_key(); a pointer, because a record has no register left
 * @state: so far
 * @a: first word
 * @b: second word
 *
 * Multiply and fold, as in wyhash (Wang Yi, 2019): each bit of the words affects all 64 bits of
 * the result, in six instructions on x86-64.  Not all processors have CRC32 instructions; a
 * table is slow and evicts the caller's cache lines; rotating and xoring misses one pair of
 * flipped bits in seventy.
 *
 * Return: the new state.  After the last words its low half is the check value, which misses
 * 2^-32 of all damage.
 */
static __always_inline u64 jtrace_mix(const u64 *key, u64 state, u64 a, u64 b)
{
	return jtrace_mul_fold_keyed(state ^ a, b, key, false);
}

/**
 * jtrace_check_key() - compute the key of the check values of an image's entries
 * @image_id: random, not 0
 *
 * The id itself cannot be the key: headers and sites contain it, and an entry read at a wrong
 * offset would multiply by 0 where a word equals the key.  So multiply it by GOLDEN_RATIO_64, as
 * hash_64() does in the kernel.
 */
static inline u64 jtrace_check_key(u64 image_id)
{
	return image_id * 0x61c8864680b583ebULL;
}

/*
 * Start the check value of an entry; @cursor is its sequence and place.  Multiply once before
 * mixing other words: otherwise two flipped bits, one here and one there, could cancel out.
 */
static __always_inline u64 jtrace_check_begin(const u64 *key, u64 cursor, u64 origin)
{
	return jtrace_mul_fold_keyed(cursor, origin, key, true);
}

/* Check value of a large entry; @origin is cpu | context << 16 | stack << 32. */
static __always_inline u32 jtrace_check_large(const u64 *key, u64 cursor, u64 origin, u64 time,
					      u32 site, u32 tid, u64 ab, u64 cd, u64 e5, u64 e6)
{
	u64 s = jtrace_check_begin(key, cursor, origin);

	s = jtrace_mix(key, s, ab, cd);
	s = jtrace_mix(key, s, e5, e6);
	return jtrace_mix(key, s, time, (u64)tid << 32 | site);
}

/* Check value of a small entry, to which jtrace_check_cpu() is added. */
static __always_inline u32 jtrace_check_small(const u64 *key, u64 cursor, u64 time, u32 site,
					      u32 a)
{
	u64 s = jtrace_check_begin(key, cursor, 0);

	return jtrace_mix(key, s, time, (u64)a << 32 | site);
}

/* The CPU number twice: one flipped bit cannot make it another CPU. */
static __always_inline u32 jtrace_check_cpu(u32 cpu)
{
	return cpu << 16 | cpu;
}

/**
 * jtrace_copy_words() - copy aligned words, with one read and one write each
 * @to: aligned to 8
 * @from: aligned to 8
 * @bytes: a multiple of 8
 *
 * The region may be device memory, where memcpy() is not allowed, or change meanwhile.
 */
static inline void jtrace_copy_words(void *to, const void *from, size_t bytes)
{
	const u64 *in = from;
	u64 *out = to;
	size_t i;

	/* Unrolling halves the instructions; an entry needs no loop. */
#pragma GCC unroll 8
	for (i = 0; i < bytes / sizeof(u64); i++)
		WRITE_ONCE(out[i], READ_ONCE(in[i]));
}

#endif /* _JTRACE_IMAGE_H */
