// SPDX-License-Identifier: GPL-2.0
/*
 * Read one chunk or one entry of an image, dead or live.
 *
 * A reader of a live image runs while CPUs write.  ring.c proves that it accepts only whole
 * entries; the labels are those of ring.c.
 */

#include "chunk.h"

/**
 * jtrace_chunk_check() - compute the check value of a chunk header
 * @h: the header
 *
 * Return: the right value of its check field.
 */
u32 jtrace_chunk_check(const struct jtrace_chunk_header *h)
{
	const __le64 *at = (const __le64 *)h;
	u64 word[JTRACE_CHUNK_WORDS];
	u32 i;

	/* Keep the words in registers: a dump reads all headers before its first line. */
#pragma GCC unroll 8
	for (i = 0; i < JTRACE_CHUNK_WORDS; i++)
		word[i] = le64_to_cpu(READ_ONCE(at[i]));
	return jtrace_chunk_check_words(word);
}

/**
 * jtrace_chunk_parse() - read bytes that may be a chunk header
 * @at: 64 bytes, aligned to 8
 * @image_id: result: of the chunk's image
 * @place: result: of the chunk
 * @c: result, except for the index
 *
 * Return: log2 of the chunk's size, or 0 if the bytes are not a header.
 */
u8 jtrace_chunk_parse(const void *at, u64 *image_id, u32 *place, struct jtrace_chunk *c)
{
	struct jtrace_chunk_header h;

	jtrace_copy_words(&h, at, sizeof(h));
	if (le32_to_cpu(h.magic) != JTRACE_CHUNK_MAGIC ||
	    le32_to_cpu(h.check) != jtrace_chunk_check(&h))
		return 0;
	*image_id = le64_to_cpu(h.image_id);
	*place = le32_to_cpu(h.place);
	c->claim = le64_to_cpu(h.claim);
	c->cpu = le16_to_cpu(h.cpu);
	c->previous = le32_to_cpu(h.previous);
	c->lost = le16_to_cpu(h.lost);
	c->form = h.form;
	c->cpus = le16_to_cpu(h.cpus);
	c->rescued = false;
	c->stamp.ticks = le64_to_cpu(h.stamp.ticks);
	c->stamp.mono = le64_to_cpu(h.stamp.mono);
	c->stamp.boot = le64_to_cpu(h.stamp.boot);
	return h.chunk_shift;
}

/**
 * jtrace_chunk_read() - read a chunk's header
 * @l: geometry of the image
 * @img: the image, dead or live
 * @image_id: of the image
 * @index: of the chunk, less than nr_chunks
 * @c: result
 *
 * Return: false if the chunk was never claimed, is being claimed, or is damaged.
 */
bool jtrace_chunk_read(const struct jtrace_layout *l, const void *img, u64 image_id,
		       u32 index, struct jtrace_chunk *c)
{
	u64 id;
	u32 place;
	u8 shift;

	c->index = index;
	shift = jtrace_chunk_parse(jtrace_chunk_at(l, img, index), &id, &place, c);
	return shift && shift == l->chunk_shift && id == image_id &&
	       place == jtrace_chunk_place(l, index) &&
	       (c->form & JTRACE_FORM_KIND) == l->kind;
}

/**
 * jtrace_entry_read() - read and validate an entry
 * @l: geometry of the image
 * @img: the image, dead or live
 * @image_id: of the image
 * @c: its chunk, as read by jtrace_chunk_read() or jtrace_chunk_find()
 * @slot: less than entries
 * @ev: result
 *
 * Return: false if it is not valid.
 */
bool jtrace_entry_read(const struct jtrace_layout *l, const void *img, u64 image_id,
		       const struct jtrace_chunk *c, u32 slot, struct jtrace_decoded *ev)
{
	u64 word[JTRACE_ENTRY_WORDS];
	u32 i;

	if (jtrace_entry_words(l, img, jtrace_check_key(image_id), c,
			       jtrace_slot_at(l, img, c->index, slot),
			       l->kind == JTRACE_KIND_SMALL, word) != JTRACE_ENTRY_OK)
		return false;
	*ev = (struct jtrace_decoded){ .time = word[0], .site = word[1] };
	if (l->kind == JTRACE_KIND_SMALL) {
		ev->cpu = c->cpu;
		ev->arg[0] = word[1] >> 32;
		return true;
	}
	ev->tid = word[1] >> 32;
	ev->cpu = (u16)word[6];
	ev->context = (u16)(word[6] >> 16);
	ev->stack = word[6] >> 32;
	for (i = 0; i < 4; i++)
		ev->arg[i] = word[2 + i / 2] >> i % 2 * 32;
	ev->wide[0] = word[4];
	ev->wide[1] = word[5];
	return true;
}

/* Does its own check value confirm the entry in a slot?  Find its CPU. */
static bool confirm_entry(const struct jtrace_layout *l, const void *img, u64 image_id, u32 index,
			  u32 slot, u32 *seq, u32 *cpu)
{
	const void *at = jtrace_slot_at(l, img, index, slot);
	const bool small = l->kind == JTRACE_KIND_SMALL;
	u64 word[JTRACE_ENTRY_WORDS];

	/* If read:B reads a sequence from fill:B, then the copy has the fields of its entry. */
	*seq = le32_to_cpu(smp_load_acquire(jtrace_slot_seq(l, at)));	/* read:B */
	if (!*seq)
		return false;
	jtrace_entry_copy(at, small, word);
	*cpu = jtrace_entry_cpu(word, small, jtrace_check_key(image_id),
				jtrace_entry_cursor(img, at, *seq));
	return *cpu != U32_MAX;
}

/* A claim can be newer than all headers only by this much. */
#define NEWER_MOST	0x1000000U

/**
 * jtrace_chunk_find() - read a chunk's header, or reconstruct it
 * @l: geometry of the image
 * @img: the image, dead or live
 * @image_id: of the image
 * @index: of the chunk, less than nr_chunks
 * @near: largest claim number of all headers; without a header of its own, this chunk's is
 *	less than 2^31 away
 * @cpus: all CPU numbers are smaller
 * @c: result
 *
 * Entries with check values identify their chunk and claim.  They are used when the header is
 * lost, or is older because its new line never reached memory.  The newest claim counts.
 *
 * Return: false if the chunk has neither a header nor such an entry.
 */
bool jtrace_chunk_find(const struct jtrace_layout *l, const void *img, u64 image_id,
		       u32 index, u64 near, u32 cpus, struct jtrace_chunk *c)
{
	bool header = jtrace_chunk_read(l, img, image_id, index, c), found = header;
	u64 base = header ? c->claim : near;
	const u32 nr = jtrace_layout_checked(l) ? l->entries : 0, size = l->entry_size;
	const u8 *at = (const u8 *)jtrace_slot_seq(l, jtrace_slot_at(l, img, index, 0));
	u32 slot, seq, cpu, best = c->claim;
	u64 claim;

	for (slot = 0; slot < nr; slot++, at += size) {
		seq = le32_to_cpu(READ_ONCE(*(const __le32 *)at));
		if (seq == best && found)
			continue;
		claim = base + (s32)(seq - (u32)base);
		/* Old entries of a CPU that was idle for long may seem to be newer. */
		if ((found && claim <= c->claim) || (header && claim > near + NEWER_MOST) ||
		    !confirm_entry(l, img, image_id, index, slot, &seq, &cpu) || cpu >= cpus)
			continue;
		*c = (struct jtrace_chunk) {
			.index = index,
			.cpu = cpu,
			.claim = base + (s32)(seq - (u32)base),
			.form = l->form,
			.rescued = true,
		};
		found = true;
		best = seq;
	}
	return found;
}

/**
 * jtrace_chunk_copy() - copy a chunk of a live image
 * @l: geometry of the image
 * @img: the image
 * @c: its header, as read by jtrace_chunk_read()
 * @end: copy the slots before this one
 * @to: zeroed memory for the chunk
 *
 * Copies only whole entries of one claim; other slots stay zero.
 *
 * Return: number of entries copied, or -1 if the chunk was claimed meanwhile: the copy is
 * then all zero.
 */
int jtrace_chunk_copy(const struct jtrace_layout *l, const void *img,
		      const struct jtrace_chunk *c, u32 end, void *to)
{
	u32 slot;
	int copied = 0;

	jtrace_copy_words(to, jtrace_chunk_at(l, img, c->index),
			  sizeof(struct jtrace_chunk_header));
	for (slot = 0; slot < end; slot++) {
		const void *at = jtrace_slot_at(l, img, c->index, slot);
		/* As in confirm_entry(). */
		__le32 seq = smp_load_acquire(jtrace_slot_seq(l, at));	/* read:B */

		if ((u32)c->claim != le32_to_cpu(seq))
			continue;
		jtrace_copy_words((u8 *)to + l->first_off + slot * l->entry_size, at,
				  l->entry_size);
		copied++;
	}
	if (jtrace_chunk_unchanged(l, img, c))
		return copied;
	memset(to, 0, 1U << l->chunk_shift);
	return -1;
}
