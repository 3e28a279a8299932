// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: snapshot
 *
 * A snapshot is a copy of a live image, made while CPUs record.  It stops no CPU:
 *
 * - Each entry is whole: the copy reads the sequence before the fields (read:B), and the
 *   chunk's claim again after them (recheck:D, see ring.c).  It leaves out chunks that were
 *   claimed meanwhile.
 * - The copy ends at the time when it began: it reads the cursors of all CPUs first, and
 *   leaves out later entries.  So no CPU seems to stop before others.  It takes the stamp
 *   after the cursors, and a record reads the clock before it moves its cursor, so no entry
 *   is later than the stamp.  Positions decide, not times, because the counters of CPUs may
 *   differ.
 * - The copy goes from the oldest chunk to the newest, as claims do, and is faster.  So
 *   writers do not catch up, unless something delays the reader for long.  (For a small
 *   image the caller closes the gate.)  Claims that start while the copy begins take the
 *   chunks right before it: entries that they overwrite in the oldest sixteenth count as
 *   overwritten.  Later ones are a hole, and count as lost.
 *
 * Ordered accesses
 * ----------------
 * In addition to those of ring.c::
 *
 *   cut:H
 *     If the copy reads a cursor, then it reads a last claim that is not smaller than the
 *     cursor's.  (the writer takes the number by an atomic that is a full barrier, then
 *     stores the cursor; the copy reads cursors, rmb, claims)  Likewise for the clock: a
 *     record reads it before it moves its cursor, the copy after it has read the cursors.
 */

#include "snapshot.h"
#include "task.h"

#define OLD_END	16

/* Slots before the cursor if it is in chunk @index, otherwise all slots. */
static u32 slots_before(const struct jtrace_layout *l, u64 cursor, u32 index)
{
	u64 at = (u32)((u32)cursor - jtrace_entry_place(l, index, 0));

	return min_t(u64, at * JTRACE_GRANULE / l->entry_size, l->entries);
}

/* How many slots of a chunk were reserved when the copy began? */
static u32 cut_end(const struct jtrace_layout *l, const struct jtrace_cut *cut,
		   const struct jtrace_chunk *c)
{
	u64 cursor, open;

	if (!cut->cursors)
		return l->entries;
	cursor = c->cpu < cut->cpus ? cut->cursors[c->cpu] : 0;
	/*
	 * A cursor without a place: no open chunk, because of jtrace_ring_close() or because
	 * this CPU has no event yet.  Otherwise its claim is not after the last one (cut:H).
	 */
	if (!(u32)cursor)
		return c->claim <= cut->claims ? l->entries : 0;
	open = cut->claims - (u32)(cut->claims - (cursor >> 32));
	if (c->claim != open)
		return c->claim < open ? l->entries : 0;
	return slots_before(l, cursor, c->index);
}

/* Entries of chunk @index when the copy began, assuming that it was used and not cleared. */
static u32 entries_then(const struct jtrace_layout *l, const struct jtrace_cut *cut, u32 index)
{
	u32 i, entries = l->entries;

	for (i = 0; i < cut->cpus; i++)
		if ((u32)cut->cursors[i])
			entries = min(entries, slots_before(l, cut->cursors[i], index));
	return entries;
}

/* Copy the chunk at @index.  Return false if a CPU has claimed it since the copy began. */
static bool copy(const struct jtrace_layout *l, const void *img,
		 const struct jtrace_image_header *h, const struct jtrace_cut *cut, u32 index,
		 void *to, u64 *copied)
{
	const struct jtrace_chunk_header *at = jtrace_chunk_at(l, img, index);
	struct jtrace_chunk c;
	int got = 0;

	if (jtrace_chunk_read(l, img, le64_to_cpu(h->image_id), index, &c)) {
		u32 end = c.claim < le64_to_cpu(h->floor) ? 0 : cut_end(l, cut, &c);

		if (end)
			got = jtrace_chunk_copy(l, img, &c, end,
						(u8 *)to + ((u8 *)at - (u8 *)img));
		*copied += max(got, 0);
	}
	/* A claim stores the number first (claim:C); it is 0 in a chunk that was never claimed. */
	return got > 0 || !cut->cursors || le64_to_cpu(READ_ONCE(at->claim)) <= cut->claims;
}

static void copy_stacks(const struct jtrace_layout *l, const void *img, void *to, bool can_sleep)
{
	const u64 end = l->stacks_off + (u64)l->stacks_size;
	u64 at, len;

	for (at = l->stacks_off; at < end; at += len) {
		len = min_t(u64, end - at, JTRACE_PAGE);
		jtrace_copy_words((u8 *)to + at, (const u8 *)img + at, len);
		if (can_sleep)
			cond_resched();
	}
}

/**
 * jtrace_snapshot() - copy a live image
 * @l: geometry of the image
 * @img: the image
 * @h: header for the copy, with the present stamp and all counters but those of shown
 *	entries; the sums and the crc are set here
 * @cut: where the copy ends
 * @to: l->size zeroed bytes
 *
 * Leaves out entries that are cleared or not whole, and chunks that are being claimed.  So
 * the copy can be read like an image without writers.
 *
 * Context: Any, but never while the ring is cleared.  Takes time linear in the size of the
 * image, and reschedules if @cut->can_sleep.
 * Return: number of entries copied.
 */
u64 jtrace_snapshot(const struct jtrace_layout *l, const void *img,
		    struct jtrace_image_header *h, const struct jtrace_cut *cut, void *to)
{
	/* Older chunks were cleared or never existed. */
	u64 oldest = max(le64_to_cpu(h->floor), JTRACE_FIRST_CLAIM + 1);
	u64 copied = 0, gone = 0, lost = 0;
	struct jtrace_counts *n = &h->counts;
	u32 i, index;

	/* An unfinished site record has no valid CRC, in the image or in the copy. */
	jtrace_copy_words((u8 *)to + l->sites_off, (const u8 *)img + l->sites_off,
			  l->sites_end - l->sites_off);
	/* The same holds for stack records.  Those of entries before the cut are stored already. */
	copy_stacks(l, img, to, cut->can_sleep);
	jtrace_tasks_copy(l, img, le64_to_cpu(h->image_id), to, cut->can_sleep);
	for (i = 1; i <= l->nr_chunks; i++) {
		if (cut->can_sleep)
			cond_resched();
		div_u64_rem(cut->claims + i, l->nr_chunks, &index);
		if (copy(l, img, h, cut, index, to, &copied) ||
		    cut->claims + i < oldest + l->nr_chunks)
			continue;
		if (i <= l->nr_chunks / OLD_END)
			gone += entries_then(l, cut, index);
		else
			lost += entries_then(l, cut, index);
	}
	gone += le64_to_cpu(n->overwritten);
	n->overwritten = cpu_to_le64(gone);
	n->lost_in_snapshot = cpu_to_le64(lost);
	n->recorded = cpu_to_le64(copied + gone + lost + le64_to_cpu(n->cleared) +
				  le64_to_cpu(n->unfinished));
	jtrace_header_write(to, h);
	return copied;
}
