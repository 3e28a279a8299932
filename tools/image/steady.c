// SPDX-License-Identifier: GPL-2.0
/*
 * Read what a machine may be writing meanwhile: a file that is the RAM of a virtual machine.
 *
 * A kernel that reads its own image reads the sequence of an entry before the fields, and the claim
 * of the chunk after them (read:B and recheck:D in lib/image/ring.c).  One pread() copies in any
 * order.  So each chunk is read three times, one after the other.  An entry counts if it is equal
 * in all of them, and so is the header of its chunk:
 *
 * - the first one has its sequence, so the second one begins when all its fields are stored;
 * - the third one has its claim, so nobody has begun to overwrite it when the second one ends.
 *
 * A file that nobody writes to reads the same each time, and nothing is left out.
 */

#include "../../lib/image/task.h"
#include "image.h"

/* Read so much again while it is in the cache. */
#define BLOCK	(64U << 10)

/* A claim takes less time than this many readings, unless the host takes the CPU away from it. */
#define READINGS	3

/* The same bytes, read later. */
static u8 again[2][BLOCK];

static bool read_again(const struct source *s, u64 pos, u32 at, u32 len)
{
	smp_rmb();	/* read:B */
	if (!source_read(s, pos, again[0] + at, len))
		return false;
	smp_rmb();	/* recheck:D */
	return source_read(s, pos, again[1] + at, len);
}

/* Are bytes equal in all readings?  @at: offset of @first in @again. */
static bool is_steady(const u8 *first, u32 at, u32 len)
{
	return !memcmp(first, again[0] + at, len) && !memcmp(again[0] + at, again[1] + at, len);
}

/* Blank the slots of a chunk that change, or the whole chunk if its header does not stay. */
static bool settle(const struct source *s, const struct jtrace_layout *l, u64 pos, u8 *chunk,
		   u32 at)
{
	const u32 size = 1U << l->chunk_shift;
	u32 tries, slot, off;

	for (tries = 0; !is_steady(chunk, at, sizeof(struct jtrace_chunk_header)); tries++) {
		if (tries == READINGS) {
			memset(chunk, 0, size);
			return true;
		}
		if (!source_read(s, pos, chunk, size) || !read_again(s, pos, at, size))
			return false;
	}
	for (slot = 0, off = l->first_off; slot < l->entries; slot++, off += l->entry_size)
		if (!is_steady(chunk + off, at + off, l->entry_size))
			memset(chunk + off, 0, l->entry_size);
	return true;
}

/**
 * steady_chunks() - leave out what changes while chunks are read
 * @s: the source
 * @l: geometry of a chunk
 * @pos: offset of the first one in the source
 * @chunks: their bytes, as just read
 * @nr: number of them
 *
 * Entries that are being recorded, and chunks that are being claimed, are blank then.
 *
 * Return: false, after a message, on an error.
 */
bool steady_chunks(const struct source *s, const struct jtrace_layout *l, u64 pos, void *chunks,
		   u64 nr)
{
	const u32 size = 1U << l->chunk_shift;
	u8 *first = chunks;
	u32 len, at;
	u64 left;

	/* Dumps do not change. */
	if (s->ops)
		return true;
	for (left = nr << l->chunk_shift; left; left -= len, pos += len, first += len) {
		len = min_t(u64, left, BLOCK);
		if (!read_again(s, pos, 0, len))
			return false;
		if (is_steady(first, 0, len))
			continue;
		for (at = 0; at < len; at += size)
			if (!settle(s, l, pos + at, first + at, at))
				return false;
	}
	return true;
}

/**
 * steady_tasks() - leave out names of tasks that change while they are read
 * @s: the source
 * @pos: offset of the area in the source
 * @area: its bytes, as just read
 * @len: number of them
 *
 * Of a set that changes, no name is known then (names:A in lib/image/task.c).
 *
 * Return: false, after a message, on an error.
 */
bool steady_tasks(const struct source *s, u64 pos, void *area, u64 len)
{
	u8 *first = area;
	u32 n, at;

	static_assert(BLOCK % JTRACE_TASK_SET == 0);
	if (s->ops)
		return true;
	for (len = ALIGN_DOWN(len, JTRACE_TASK_SET); len; len -= n, pos += n, first += n) {
		n = min_t(u64, len, BLOCK);
		smp_rmb();	/* names:A */
		if (!source_read(s, pos, again[0], n))
			return false;
		for (at = 0; at < n; at += JTRACE_TASK_SET)
			if (memcmp(first + at, again[0] + at, JTRACE_TASK_SET))
				memset(first + at, 0, JTRACE_TASK_SET);
	}
	return true;
}
