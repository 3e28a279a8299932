/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Read one entry of an image, dead or live; inlined in loops over a chunk.
 *
 * ring.c proves that only whole entries are accepted, and defines the labels.
 */
#ifndef _JTRACE_ENTRY_H
#define _JTRACE_ENTRY_H

#include "chunk.h"

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

#endif /* _JTRACE_ENTRY_H */
