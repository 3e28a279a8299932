/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Damage by its name, as tests of whole images ask for it.
 *
 * Set @h to the header before the damage, and the variables of damage.h.
 */
#ifndef _JTRACE_TEST_DAMAGE_NAMED_H
#define _JTRACE_TEST_DAMAGE_NAMED_H

#include <stdlib.h>

#include "damage.h"

static const struct jtrace_image_header *h;

static size_t area_off(enum jtrace_area_kind kind)
{
	return le32_to_cpu(jtrace_header_area(h, kind)->off);
}

static size_t area_end(enum jtrace_area_kind kind)
{
	return area_off(kind) + le32_to_cpu(jtrace_header_area(h, kind)->size);
}

static unsigned long nr_chunks(void)
{
	return le32_to_cpu(jtrace_header_area(h, JTRACE_AREA_CHUNKS)->size) >> h->chunk_shift;
}

static size_t chunk_at(unsigned long i)
{
	return area_off(JTRACE_AREA_CHUNKS) + (i << h->chunk_shift);
}

static void shuffle(void)
{
	size_t size = 1UL << h->chunk_shift;
	u8 *spare = malloc(size);
	unsigned long i, other;

	for (i = nr_chunks() - 1; spare && i > 0; i--) {
		other = below(i + 1);
		memcpy(spare, bytes + chunk_at(i), size);
		memcpy(bytes + chunk_at(i), bytes + chunk_at(other), size);
		memcpy(bytes + chunk_at(other), spare, size);
	}
	free(spare);
}

/* The offset of any whole unit of @size bytes. */
static size_t unit(size_t size)
{
	return below(len / size) * size;
}

/*
 * Lose the entries of a chunk as a CPU does that finds no chunk for them: its next chunk counts
 * them.  A CPU's newest chunk stays.
 */
static void lose(void)
{
	struct jtrace_chunk_header *gone, *next;
	const size_t entry = h->kind == JTRACE_KIND_LARGE ? sizeof(struct jtrace_large_entry) :
							    sizeof(struct jtrace_small_entry);
	unsigned long i;
	u32 lost;

	gone = (void *)(bytes + chunk_at(below(nr_chunks())));
	lost = le16_to_cpu(gone->lost) + ((1 << h->chunk_shift) - sizeof(*gone)) / entry;
	if (le32_to_cpu(gone->magic) != JTRACE_CHUNK_MAGIC || gone->image_id != h->image_id)
		return;
	for (i = 0; i < nr_chunks(); i++) {
		next = (void *)(bytes + chunk_at(i));
		if (le32_to_cpu(next->magic) != JTRACE_CHUNK_MAGIC || next->cpu != gone->cpu ||
		    le32_to_cpu(next->previous) != (u32)le64_to_cpu(gone->claim))
			continue;
		next->previous = gone->previous;
		next->lost = cpu_to_le16(min_t(u32, le16_to_cpu(next->lost) + lost, U16_MAX));
		next->check = cpu_to_le32(jtrace_chunk_check(next));
		memset(gone, 0, 1 << h->chunk_shift);
		return;
	}
}

/* Damage a place @kind; false if there is no such kind. */
static bool damage_place(const char *kind)
{
	if (!strcmp(kind, "flips"))
		flip_bits(1);
	else if (!strcmp(kind, "lines"))
		memset(bytes + unit(64), 0, 64);
	else if (!strcmp(kind, "pages"))
		memset(bytes + unit(4096), 0, 4096);
	else if (!strcmp(kind, "noise"))
		noise(bytes + unit(4096), 4096);
	else if (!strcmp(kind, "lose"))
		lose();
	else if (!strcmp(kind, "chunks"))
		noise(bytes + chunk_at(below(nr_chunks())),
		      sizeof(struct jtrace_chunk_header));
	else
		return false;
	return true;
}

/* Damage @kind, @n places or percent of it; false if there is no such kind. */
static bool damage_named(const char *kind, unsigned long n)
{
	size_t at;

	if (!strcmp(kind, "first")) {
		noise(bytes, sizeof(*h));
	} else if (!strcmp(kind, "last")) {
		noise(bytes + len - sizeof(*h), sizeof(*h));
	} else if (!strcmp(kind, "sites")) {
		at = area_off(JTRACE_AREA_SITES);
		noise(bytes + at, area_end(JTRACE_AREA_SITES) - at);
	} else if (!strcmp(kind, "tail")) {
		at = len - len * n / 100;
		memset(bytes + at, 0, len - at);
	} else if (!strcmp(kind, "shuffle")) {
		shuffle();
	} else {
		for (; n; n--)
			if (!damage_place(kind))
				return false;
	}
	return true;
}

#endif /* _JTRACE_TEST_DAMAGE_NAMED_H */
