/* SPDX-License-Identifier: GPL-2.0 */
/* Read one chunk or one entry of an image, dead or live. */
#ifndef _JTRACE_CHUNK_H
#define _JTRACE_CHUNK_H

#include "image.h"

/* The first claim: its low half, which entries carry, overflows soon. */
#define JTRACE_FIRST_CLAIM	(0xffffffffULL - 64)

/**
 * struct jtrace_moment - struct jtrace_stamp in host byte order
 * @ticks: in the unit of the image's clock
 * @mono: ns
 * @boot: ns
 */
struct jtrace_moment {
	u64 ticks;
	u64 mono;
	u64 boot;
};

/**
 * struct jtrace_chunk - a valid chunk header, or its reconstruction from entries
 * @index: of the chunk
 * @cpu: the CPU that wrote the chunk
 * @claim: the claim of this CPU
 * @previous: as stored, 0 if @rescued
 * @lost: as stored, 0 if @rescued
 * @form: as stored
 * @cpus: as stored
 * @rescued: the header is lost; @stamp is 0
 * @stamp: taken at the claim
 */
struct jtrace_chunk {
	u32 index;
	u32 cpu;
	u64 claim;
	u32 previous;
	u16 lost;
	u8 form;
	u16 cpus;
	bool rescued;
	struct jtrace_moment stamp;
};

/**
 * struct jtrace_decoded - a decoded entry
 * @time: raw, in the unit of the image's clock
 * @site: number
 * @tid: 0 in a small entry
 * @cpu: the CPU that recorded
 * @context: JTRACE_CTX_*, 0 in a small entry
 * @stack: number of the stack, 0 without one
 * @arg: arguments 1 to 4
 * @wide: arguments 5 and 6
 */
struct jtrace_decoded {
	u64 time;
	u32 site;
	u32 tid;
	u32 cpu;
	u32 context;
	u32 stack;
	u32 arg[4];
	u64 wide[2];
};

#define JTRACE_CHUNK_WORDS	(sizeof(struct jtrace_chunk_header) / sizeof(u64))

/* Check value of a chunk header, from its words in host byte order. */
static __always_inline u32 jtrace_chunk_check_words(const u64 *word)
{
	/* A fixed key: a reader does not know the image id yet. */
	static const u64 key = 0xd6e8feb86659fd93ULL;
	u64 s = JTRACE_CHUNK_MAGIC;

	s = jtrace_mix(&key, s, word[1], word[2]);
	s = jtrace_mix(&key, s, word[3], word[4]);
	s = jtrace_mix(&key, s, word[5], word[6]);
	return jtrace_mix(&key, s, word[7], 0);
}

u32 jtrace_chunk_check(const struct jtrace_chunk_header *h);
u8 jtrace_chunk_parse(const void *at, u64 *image_id, u32 *place, struct jtrace_chunk *c);
bool jtrace_chunk_read(const struct jtrace_layout *l, const void *img, u64 image_id,
		       u32 index, struct jtrace_chunk *c);
bool jtrace_chunk_find(const struct jtrace_layout *l, const void *img, u64 image_id,
		       u32 index, u64 near, u32 cpus, struct jtrace_chunk *c);

/**
 * enum jtrace_entry_state - content of a slot
 * @JTRACE_ENTRY_NONE: no entry of the chunk's claim
 * @JTRACE_ENTRY_BAD: an entry with a wrong check value
 * @JTRACE_ENTRY_OK: a whole entry
 */
enum jtrace_entry_state {
	JTRACE_ENTRY_NONE,
	JTRACE_ENTRY_BAD,
	JTRACE_ENTRY_OK,
};

bool jtrace_entry_read(const struct jtrace_layout *l, const void *img, u64 image_id,
		       const struct jtrace_chunk *c, u32 slot, struct jtrace_decoded *ev);
int jtrace_chunk_copy(const struct jtrace_layout *l, const void *img,
		      const struct jtrace_chunk *c, u32 end, void *to);

static inline const struct jtrace_chunk_header *
jtrace_chunk_at(const struct jtrace_layout *l, const void *img, u32 index)
{
	return (const void *)((const u8 *)img + l->chunks_off +
			      ((u64)index << l->chunk_shift));
}

static inline const void *jtrace_slot_at(const struct jtrace_layout *l, const void *img,
					 u32 index, u32 slot)
{
	return (const u8 *)jtrace_chunk_at(l, img, index) + l->first_off +
	       slot * l->entry_size;
}

/* The sequence of an entry: its last four bytes. */
static inline const __le32 *jtrace_slot_seq(const struct jtrace_layout *l, const void *slot)
{
	return (const void *)((const u8 *)slot + l->entry_size - sizeof(__le32));
}

/*
 * Read one entry, inlined in loops over a chunk.  ring.c proves that only whole entries are
 * accepted, and defines the labels.
 */

/* Words of the larger kind of entry. */
#define JTRACE_ENTRY_WORDS	(sizeof(struct jtrace_large_entry) / sizeof(u64))

/*
 * Does the chunk still have claim @c->claim?  If the caller has read a field from a newer claim,
 * then this reads the newer claim number.
 */
static __always_inline bool jtrace_chunk_unchanged(const struct jtrace_layout *l,
						   const void *img, const struct jtrace_chunk *c)
{
	smp_rmb();	/* recheck:D pairs with claim:C */
	return c->rescued ||
	       le64_to_cpu(READ_ONCE(jtrace_chunk_at(l, img, c->index)->claim)) == c->claim;
}

/* Copy an entry as words in host byte order. */
static __always_inline void jtrace_entry_copy(const void *at, const bool small, u64 *word)
{
	const u32 size = small ? sizeof(struct jtrace_small_entry) :
				 sizeof(struct jtrace_large_entry);
	u32 i;

	jtrace_copy_words(word, at, size);
	for (i = 0; i < size / sizeof(*word); i++)
		word[i] = le64_to_cpu((__force __le64)word[i]);
}

/* The writer's cursor: low half of the claim, and place. */
static __always_inline u64 jtrace_entry_cursor(const void *img, const void *at, u32 claim)
{
	return (u64)claim << 32 | (u64)((const u8 *)at - (const u8 *)img) / JTRACE_GRANULE;
}

/*
 * Return the CPU that an entry's check value confirms, or U32_MAX.  A large entry stores its
 * CPU; the check value of a small one contains it.
 */
static __always_inline u32 jtrace_entry_cpu(const u64 *word, const bool small, u64 key, u64 cursor)
{
	u32 cpu;

	if (small) {
		cpu = (u32)word[2] - jtrace_check_small(&key, cursor, word[0], word[1],
							word[1] >> 32);
		return cpu == jtrace_check_cpu((u16)cpu) ? (u16)cpu : U32_MAX;
	}
	if ((u32)word[7] != jtrace_check_large(&key, cursor, word[6], word[0], word[1],
					       word[1] >> 32, word[2], word[3], word[4], word[5]))
		return U32_MAX;
	return (u16)word[6];
}

/**
 * jtrace_entry_words() - read and validate an entry
 * @l: geometry of the image
 * @img: the image, dead or live
 * @key: of its check values
 * @c: the chunk, as read by jtrace_chunk_read() or jtrace_chunk_find()
 * @at: the slot
 * @small: the kind of entry
 * @word: result: the entry; both kinds begin with time and site
 *
 * Return: enum jtrace_entry_state.
 */
static __always_inline enum jtrace_entry_state
jtrace_entry_words(const struct jtrace_layout *l, const void *img, u64 key,
		   const struct jtrace_chunk *c, const void *at, const bool small,
		   u64 word[JTRACE_ENTRY_WORDS])
{
	/* If read:B reads a sequence from fill:B, then @word gets the fields of its entry. */
	__le32 seq = smp_load_acquire(jtrace_slot_seq(l, at));		/* read:B */

	if (le32_to_cpu(seq) != (u32)c->claim)
		return JTRACE_ENTRY_NONE;
	jtrace_entry_copy(at, small, word);
	if (!jtrace_chunk_unchanged(l, img, c))
		return JTRACE_ENTRY_NONE;
	if (jtrace_layout_checked(l) &&
	    jtrace_entry_cpu(word, small, key, jtrace_entry_cursor(img, at, c->claim)) != c->cpu)
		return JTRACE_ENTRY_BAD;
	return JTRACE_ENTRY_OK;
}

#endif /* _JTRACE_CHUNK_H */
