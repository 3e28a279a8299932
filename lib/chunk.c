// SPDX-License-Identifier: GPL-2.0
/*
 * Reading one chunk and one entry of an image, dead or being written.
 *
 * A reader of a live image runs beside writers; why what it accepts is whole is
 * told in ring.c, whose labels are used here.
 */

#include "chunk.h"

/* Entries and headers are copied by aligned words, each read once. */
static void copy_words(u64 *to, const void *from, size_t bytes)
{
	const u64 *word = from;
	size_t i;

	for (i = 0; i < bytes / sizeof(*to); i++)
		to[i] = READ_ONCE(word[i]);
}

/**
 * jtrace_chunk_check() - check value of a chunk header
 * @h: the header
 *
 * Return: what its check field must hold.
 */
u32 jtrace_chunk_check(const struct jtrace_chunk_header *h)
{
	u64 s = le32_to_cpu(h->magic);

	s = jtrace_mix(s, le64_to_cpu(h->image_id));
	s = jtrace_mix(s, le64_to_cpu(h->claim));
	s = jtrace_mix(s, (u64)le32_to_cpu(h->ordinal) << 32 | le32_to_cpu(h->place));
	s = jtrace_mix(s, (u32)h->kind << 24 | (u32)h->chunk_shift << 16 | le16_to_cpu(h->cpu));
	s = jtrace_mix(s, le64_to_cpu(h->stamp.ticks));
	s = jtrace_mix(s, le64_to_cpu(h->stamp.mono));
	return jtrace_mix(s, le64_to_cpu(h->stamp.boot));
}

/**
 * jtrace_chunk_read() - read a chunk's header
 * @l: geometry of the image
 * @img: the image, dead or live
 * @image_id: of it
 * @index: of the chunk, less than nr_chunks
 * @c: result
 *
 * Return: false if the chunk was never claimed, is being claimed, or is damaged.
 */
bool jtrace_chunk_read(const struct jtrace_layout *l, const void *img, u64 image_id,
		       u32 index, struct jtrace_chunk *c)
{
	union {
		struct jtrace_chunk_header h;
		u64 word[sizeof(struct jtrace_chunk_header) / sizeof(u64)];
	} copy;

	copy_words(copy.word, jtrace_chunk_at(l, img, index), sizeof(copy));
	if (le32_to_cpu(copy.h.magic) != JTRACE_CHUNK_MAGIC ||
	    le64_to_cpu(copy.h.image_id) != image_id ||
	    le32_to_cpu(copy.h.place) != jtrace_chunk_place(l, index) ||
	    copy.h.chunk_shift != l->chunk_shift || copy.h.kind != l->kind ||
	    le32_to_cpu(copy.h.check) != jtrace_chunk_check(&copy.h))
		return false;

	c->index = index;
	c->claim = le64_to_cpu(copy.h.claim);
	c->ordinal = le32_to_cpu(copy.h.ordinal);
	c->cpu = le16_to_cpu(copy.h.cpu);
	c->cleared = le32_to_cpu(copy.h.cleared);
	c->stamp.ticks = le64_to_cpu(copy.h.stamp.ticks);
	c->stamp.mono = le64_to_cpu(copy.h.stamp.mono);
	c->stamp.boot = le64_to_cpu(copy.h.stamp.boot);
	return true;
}

/* Is what was read under claim @c->claim still of that claim? */
static bool chunk_unchanged(const struct jtrace_layout *l, const void *img,
			    const struct jtrace_chunk *c)
{
	smp_rmb();	/* recheck:D pairs with claim:C */
	return le64_to_cpu(READ_ONCE(jtrace_chunk_at(l, img, c->index)->claim)) == c->claim;
}

/**
 * jtrace_entry_read() - read an entry
 * @l: geometry of the image
 * @img: the image, dead or live
 * @c: its chunk, as read by jtrace_chunk_read()
 * @slot: less than entries
 * @ev: result
 *
 * Return: false if there is no whole entry of this claim in the slot.
 */
bool jtrace_entry_read(const struct jtrace_layout *l, const void *img,
		       const struct jtrace_chunk *c, u32 slot, struct jtrace_event *ev)
{
	const void *at = jtrace_slot_at(l, img, c->index, slot);
	union {
		struct jtrace_large_entry large;
		struct jtrace_small_entry small;
		u64 word[sizeof(struct jtrace_large_entry) / sizeof(u64)];
	} copy;
	__le32 seq;

	seq = smp_load_acquire(jtrace_slot_seq(l, at));		/* read:B */
	if (le32_to_cpu(seq) != (u32)c->claim)
		return false;
	copy_words(copy.word, at, l->entry_size);
	if (!chunk_unchanged(l, img, c))
		return false;

	memset(ev, 0, sizeof(*ev));
	if (l->kind == JTRACE_KIND_SMALL) {
		ev->time = le64_to_cpu(copy.small.time);
		ev->site = le32_to_cpu(copy.small.site);
		ev->arg[0] = le32_to_cpu(copy.small.arg);
		ev->cpu = c->cpu;
		return true;
	}
	ev->time = le64_to_cpu(copy.large.time);
	ev->site = le32_to_cpu(copy.large.site);
	ev->tid = le32_to_cpu(copy.large.tid);
	ev->cpu = le16_to_cpu(copy.large.cpu);
	ev->context = le16_to_cpu(copy.large.context);
	ev->arg[0] = le32_to_cpu(copy.large.arg[0]);
	ev->arg[1] = le32_to_cpu(copy.large.arg[1]);
	ev->arg[2] = le32_to_cpu(copy.large.arg[2]);
	ev->arg[3] = le32_to_cpu(copy.large.arg[3]);
	ev->wide[0] = le64_to_cpu(copy.large.wide[0]);
	ev->wide[1] = le64_to_cpu(copy.large.wide[1]);
	return true;
}

/**
 * jtrace_chunk_copy() - copy a chunk of a live image
 * @l: geometry of the image
 * @img: the image
 * @image_id: of it
 * @index: of the chunk
 * @to: zeroed memory for the chunk
 *
 * Only whole entries are copied, all of one claim; the slots of others stay
 * zero.  A chunk that is not valid stays zero altogether.
 *
 * Return: number of entries copied.
 */
u32 jtrace_chunk_copy(const struct jtrace_layout *l, const void *img, u64 image_id,
		      u32 index, void *to)
{
	struct jtrace_chunk c;
	u32 slot, copied = 0;

	if (!jtrace_chunk_read(l, img, image_id, index, &c))
		return 0;
	copy_words(to, jtrace_chunk_at(l, img, index), sizeof(struct jtrace_chunk_header));
	for (slot = 0; slot < l->entries; slot++) {
		const void *from = jtrace_slot_at(l, img, index, slot);
		__le32 seq = smp_load_acquire(jtrace_slot_seq(l, from));	/* read:B */

		if (le32_to_cpu(seq) != (u32)c.claim)
			continue;
		copy_words((u64 *)((u8 *)to + l->first_off + slot * l->entry_size), from,
			   l->entry_size);
		copied++;
	}
	if (chunk_unchanged(l, img, &c))
		return copied;
	memset(to, 0, 1U << l->chunk_shift);
	return 0;
}
