// SPDX-License-Identifier: GPL-2.0
/*
 * Reading one chunk and one entry of an image, dead or being written.
 *
 * A reader of a live image runs beside writers; why what it accepts is whole is
 * told in ring.c, whose labels are used here.
 */

#include "chunk.h"

const u64 jtrace_chunk_key = 0xd6e8feb86659fd93ULL;

/**
 * jtrace_chunk_check() - check value of a chunk header
 * @h: the header
 *
 * Return: what its check field must hold.
 */
u32 jtrace_chunk_check(const struct jtrace_chunk_header *h)
{
	const struct jtrace_moment stamp = {
		le64_to_cpu(h->stamp.ticks), le64_to_cpu(h->stamp.mono), le64_to_cpu(h->stamp.boot),
	};

	return jtrace_chunk_check_words(le64_to_cpu(h->image_id), le64_to_cpu(h->claim),
					(u64)le32_to_cpu(h->reserved) << 32 |
					le32_to_cpu(h->place),
					(u32)h->form << 24 | (u32)h->chunk_shift << 16 |
					le16_to_cpu(h->cpu), le16_to_cpu(h->cpus), &stamp);
}

/**
 * jtrace_chunk_parse() - read bytes that may be a chunk's header
 * @at: 64 bytes, aligned to 8
 * @image_id: result: of the image it belongs to
 * @place: result: of the chunk
 * @c: result, but for the index
 *
 * Return: log2 of the chunk's size, or 0 if this is no header.
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
 * @image_id: of it
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

/* Is what was read under claim @c->claim still of that claim? */
static bool chunk_unchanged(const struct jtrace_layout *l, const void *img,
			    const struct jtrace_chunk *c)
{
	smp_rmb();	/* recheck:D pairs with claim:C */
	return c->rescued ||
	       le64_to_cpu(READ_ONCE(jtrace_chunk_at(l, img, c->index)->claim)) == c->claim;
}

/* An entry of either kind, copied out. */
union entry {
	struct jtrace_large_entry large;
	struct jtrace_small_entry small;
};

static void large_event(const struct jtrace_large_entry *e, struct jtrace_event *ev)
{
	int i;

	ev->time = le64_to_cpu(e->time);
	ev->site = le32_to_cpu(e->site);
	ev->tid = le32_to_cpu(e->tid);
	ev->cpu = le16_to_cpu(e->cpu);
	ev->context = le16_to_cpu(e->context);
	for (i = 0; i < 4; i++)
		ev->arg[i] = le32_to_cpu(e->arg[i]);
	for (i = 0; i < 2; i++)
		ev->wide[i] = le64_to_cpu(e->wide[i]);
}

static u32 large_check(const struct jtrace_event *ev, u64 image_id, u64 cursor)
{
	u64 key = jtrace_check_key(image_id);

	return jtrace_check_large(&key, cursor, ev->context << 16 | ev->cpu, ev->time,
				  ev->site, ev->tid, (u64)ev->arg[1] << 32 | ev->arg[0],
				  (u64)ev->arg[3] << 32 | ev->arg[2], ev->wide[0], ev->wide[1]);
}

static void small_event(const struct jtrace_small_entry *e, struct jtrace_event *ev)
{
	memset(ev, 0, sizeof(*ev));
	ev->time = le64_to_cpu(e->time);
	ev->site = le32_to_cpu(e->site);
	ev->arg[0] = le32_to_cpu(e->arg);
}

/* What jtrace_check_cpu() must have been; the CPU of a large entry is stored. */
static u32 small_cpu(const struct jtrace_small_entry *e, const struct jtrace_event *ev,
		     u64 image_id, u64 cursor)
{
	u64 key = jtrace_check_key(image_id);

	return le32_to_cpu(e->check) -
	       jtrace_check_small(&key, cursor, ev->time, ev->site, ev->arg[0]);
}

/* A claim's low half and the place: what a writer's cursor is. */
static u64 slot_cursor(const void *img, const void *slot, u32 seq)
{
	return (u64)seq << 32 | ((const u8 *)slot - (const u8 *)img) / JTRACE_GRANULE;
}

/**
 * jtrace_entry_read() - read an entry
 * @l: geometry of the image
 * @img: the image, dead or live
 * @image_id: of it
 * @c: its chunk, as read by jtrace_chunk_read() or jtrace_chunk_find()
 * @slot: less than entries
 * @ev: result
 *
 * Return: enum jtrace_entry_state.
 */
enum jtrace_entry_state jtrace_entry_read(const struct jtrace_layout *l, const void *img,
					  u64 image_id, const struct jtrace_chunk *c, u32 slot,
					  struct jtrace_event *ev)
{
	const void *at = jtrace_slot_at(l, img, c->index, slot);
	bool right = true;
	union entry e;
	u64 cursor;
	__le32 seq;

	seq = smp_load_acquire(jtrace_slot_seq(l, at));		/* read:B */
	if (le32_to_cpu(seq) != (u32)c->claim)
		return JTRACE_ENTRY_NONE;
	if (l->kind == JTRACE_KIND_SMALL)
		jtrace_copy_words(&e.small, at, sizeof(e.small));
	else
		jtrace_copy_words(&e.large, at, sizeof(e.large));
	if (!chunk_unchanged(l, img, c))
		return JTRACE_ENTRY_NONE;

	cursor = slot_cursor(img, at, c->claim);
	if (l->kind == JTRACE_KIND_SMALL) {
		small_event(&e.small, ev);
		ev->cpu = c->cpu;
		if (jtrace_layout_checked(l))
			right = small_cpu(&e.small, ev, image_id, cursor) ==
				jtrace_check_cpu(c->cpu);
	} else {
		large_event(&e.large, ev);
		if (jtrace_layout_checked(l))
			right = le32_to_cpu(e.large.check) == large_check(ev, image_id, cursor) &&
				ev->cpu == c->cpu;
	}
	return right ? JTRACE_ENTRY_OK : JTRACE_ENTRY_BAD;
}

/* Does a slot hold an entry that its own check value confirms, and of which CPU? */
static bool entry_alone(const struct jtrace_layout *l, const void *img, u64 image_id, u32 index,
			u32 slot, u32 *seq, u32 *cpu)
{
	const void *at = jtrace_slot_at(l, img, index, slot);
	struct jtrace_event ev;
	union entry e;
	u64 cursor;
	u32 told;

	*seq = le32_to_cpu(smp_load_acquire(jtrace_slot_seq(l, at)));	/* read:B */
	if (!*seq)
		return false;
	jtrace_copy_words(&e, at, l->entry_size);
	cursor = slot_cursor(img, at, *seq);
	if (l->kind == JTRACE_KIND_SMALL) {
		small_event(&e.small, &ev);
		told = small_cpu(&e.small, &ev, image_id, cursor);
		*cpu = (u16)told;
		return told == jtrace_check_cpu(*cpu);
	}
	large_event(&e.large, &ev);
	*cpu = ev.cpu;
	return le32_to_cpu(e.large.check) == large_check(&ev, image_id, cursor);
}

/* Newer than all headers tell are only the last claims of all. */
#define NEWER_MOST	0x1000000U

/**
 * jtrace_chunk_find() - read a chunk's header, or find out what it must have been
 * @l: geometry of the image
 * @img: the image, dead or live
 * @image_id: of it
 * @index: of the chunk, less than nr_chunks
 * @near: largest claim number of all headers, from which this chunk's is less
 *	than 2^31 away, unless its own header tells
 * @cpus: CPU numbers are less than that
 * @c: result
 *
 * Entries with check values say of themselves where they belong.  They are
 * listened to when the header is lost, and when it is of an older claim than
 * theirs, as its new line never reached memory.  The newest claim counts.
 *
 * Return: false if there is nothing.
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
		/* What is left from a CPU that was idle for long may seem to be newer. */
		if ((found && claim <= c->claim) || (header && claim > near + NEWER_MOST) ||
		    !entry_alone(l, img, image_id, index, slot, &seq, &cpu) || cpu >= cpus)
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
 * @end: slot after the last one
 * @to: zeroed memory for the chunk
 *
 * Copies only whole entries, all of one claim; the slots of others stay zero.
 *
 * Return: number of entries copied, or -1 if the chunk was claimed meanwhile: then it
 * stays zero altogether.
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
		__le32 seq = smp_load_acquire(jtrace_slot_seq(l, at));	/* read:B */

		if ((u32)c->claim != le32_to_cpu(seq))
			continue;
		jtrace_copy_words((u8 *)to + l->first_off + slot * l->entry_size, at,
				  l->entry_size);
		copied++;
	}
	if (chunk_unchanged(l, img, c))
		return copied;
	memset(to, 0, 1U << l->chunk_shift);
	return -1;
}
