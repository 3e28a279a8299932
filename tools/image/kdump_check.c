// SPDX-License-Identifier: GPL-2.0
/*
 * Check a compressed dump before libkdumpfile reads it: version 0.5.1 trusts sizes in the file.
 * A descriptor of a page with a large size overflows a buffer of it, for instance.
 *
 * The file has blocks of the size of a page: a header; a sub header; two bitmaps, of the frames
 * that the machine has, and of those in the dump; a descriptor of 24 bytes for each frame in the
 * dump; the pages.  libkdumpfile tries the header of 32-bit machines first, and so do the checks.
 */

#ifdef JTRACE_LIBKDUMPFILE

#include <stdlib.h>

#include "kdump.h"

/* Offsets in the header. */
#define HEADER_VERSION		8
#define HEADER_32		416
#define HEADER_64		428
#define HEADER_LEN		464

/* From HEADER_32 or HEADER_64 on. */
#define BLOCK_SIZE		0
#define SUB_HEADER_BLOCKS	4
#define BITMAP_BLOCKS		8
#define FRAMES			12

/* Offsets in the sub header. */
#define SUB_SPLIT		12
#define SUB_NOTE		48
#define SUB_FRAMES		96
#define SUB_LEN			104

#define DESCRIPTOR_LEN		24
#define DESCRIPTOR_SIZE		8
#define DESCRIPTOR_FLAGS	12

/* zlib, lzo, snappy, zstd */
#define COMPRESSED		0x27

#define PAGE_MIN		(4 << 10)
#define PAGE_MAX		(256 << 10)

/* Would libkdumpfile take these fields for a header, in this byte order? */
static bool try_fields(struct kdump_layout *l, const u8 *at, bool swap)
{
	u64 blocks;

	l->swap = swap;
	l->page = kdump_number(l, at + BLOCK_SIZE, 4);
	blocks = kdump_number(l, at + BITMAP_BLOCKS, 4);
	return l->page >= PAGE_MIN && l->page <= PAGE_MAX && !(l->page & (l->page - 1)) &&
	       blocks * l->page * 8 >= kdump_number(l, at + FRAMES, 4);
}

/* Check the header, and compute where the bitmaps and the descriptors are. */
static bool check_header(const struct source *s, struct kdump_layout *l, u64 *version)
{
	u8 header[HEADER_LEN];
	u64 sub, blocks;

	if (s->size < sizeof(header))
		return fail("%s: damaged dump: %llu bytes, the header has %u", s->name, s->size,
			    HEADER_LEN);
	if (!source_read(s, 0, header, sizeof(header)))
		return false;
	if (try_fields(l, header + HEADER_32, false) || try_fields(l, header + HEADER_32, true))
		return fail("%s: dump of a 32-bit machine, where jtrace does not run", s->name);
	if (!try_fields(l, header + HEADER_64, false) && !try_fields(l, header + HEADER_64, true))
		return fail("%s: damaged dump: no valid page size and bitmap size in its header",
			    s->name);
	*version = kdump_number(l, header + HEADER_VERSION, 4);
	if (!*version || *version > 255)
		return fail("%s: dump has header version %llu, must be 1 to 255", s->name, *version);
	sub = kdump_number(l, header + HEADER_64 + SUB_HEADER_BLOCKS, 4);
	blocks = kdump_number(l, header + HEADER_64 + BITMAP_BLOCKS, 4);
	l->frames = kdump_number(l, header + HEADER_64 + FRAMES, 4);
	l->bitmap = (1 + sub) * l->page;
	l->bits = blocks * l->page * 8;
	l->descriptors = l->bitmap + l->bits / 8;
	if (!sub || l->bits > 2 * KDUMP_FRAMES_MAX + 16ULL * PAGE_MAX || blocks > U32_MAX / 2 ||
	    sub > U32_MAX / 2 || l->descriptors > s->size)
		return fail("%s: damaged dump: its bitmaps would end at 0x%llx, the file ends at 0x%llx",
			    s->name, l->descriptors, s->size);
	return true;
}

/* Check an offset and a size in the sub header. */
static bool check_range(const struct source *s, const char *what, u64 at, u64 len)
{
	if (!len || (len <= 16 << 20 && at <= s->size && len <= s->size - at))
		return true;
	return fail("%s: damaged dump: %llu bytes of %s at 0x%llx, the file ends at 0x%llx", s->name,
		    len, what, at, s->size);
}

static bool check_sub_header(const struct source *s, struct kdump_layout *l, u64 version)
{
	u8 sub[SUB_LEN];

	/* It is in the file, because the bitmaps follow. */
	if (!source_read(s, l->page, sub, sizeof(sub)))
		return false;
	if (version >= 2 && kdump_number(l, sub + SUB_SPLIT, 4))
		return fail("%s: part of a split dump: join the parts with makedumpfile --reassemble",
			    s->name);
	if (version >= 4) {
		l->note = kdump_number(l, sub + SUB_NOTE, 8);
		l->note_len = kdump_number(l, sub + SUB_NOTE + 8, 8);
		if (!check_range(s, "notes", l->note, l->note_len))
			return false;
	} else if (version == 3) {
		return fail("%s: dump has header version 3, which jtrace does not read", s->name);
	}
	if (version >= 6)
		l->frames = kdump_number(l, sub + SUB_FRAMES, 8);
	if (!l->frames || l->frames > l->bits || l->frames > KDUMP_FRAMES_MAX)
		return fail("%s: damaged dump: %llu page frames, must be 1 to %llu", s->name, l->frames,
			    min(l->bits, KDUMP_FRAMES_MAX));
	/* Old dumps have one bitmap. */
	if (l->frames <= l->bits / 2) {
		l->bits = l->bits / 2 / 8 / l->page * l->page * 8;
		l->bitmap += l->bits / 8;
	}
	return true;
}

static bool is_descriptor_bad(const struct source *s, const struct kdump_layout *l, const u8 *at)
{
	u64 offset = kdump_number(l, at, 8);
	u64 size = kdump_number(l, at + DESCRIPTOR_SIZE, 4);
	u64 flags = kdump_number(l, at + DESCRIPTOR_FLAGS, 4);

	return !size || size > l->page || (!(flags & COMPRESSED) && size != l->page) ||
	       offset > s->size || size > s->size - offset;
}

static bool add_bad(const struct source *s, struct kdump_layout *l, u64 frame)
{
	struct frames *last = l->nr_bad ? &l->bad[l->nr_bad - 1] : NULL;

	if (last && frame == last->first + last->nr) {
		last->nr++;
		return true;
	}
	l->bad = array_grow(l->bad, l->nr_bad, sizeof(*l->bad));
	if (!l->bad)
		return fail("%s: no memory for the list of damaged pages", s->name);
	l->bad[l->nr_bad++] = (struct frames){ frame, 1 };
	return true;
}

/**
 * struct reader - reads descriptors one after the other
 * @at: offset of the next one to read into @bytes
 * @next: of @bytes
 * @len: of @bytes
 * @failed: the file could not be read
 * @bytes: of the file
 */
struct reader {
	u64 at;
	u32 next;
	u32 len;
	bool failed;
	u8 bytes[2048 * DESCRIPTOR_LEN];
};

/* Return the next descriptor; NULL beyond the end of the file, or after a message. */
static const u8 *read_descriptor(const struct source *s, struct reader *r)
{
	if (r->next == r->len) {
		r->len = min_t(u64, sizeof(r->bytes), s->size - min(s->size, r->at));
		r->len -= r->len % DESCRIPTOR_LEN;
		r->next = 0;
		if (!r->len)
			return NULL;
		r->failed = !source_read(s, r->at, r->bytes, r->len);
		if (r->failed)
			return NULL;
		r->at += r->len;
	}
	r->next += DESCRIPTOR_LEN;
	return r->bytes + r->next - DESCRIPTOR_LEN;
}

/* Check the descriptors of the frames in a part of the bitmap. */
static bool check_bits(const struct source *s, struct kdump_layout *l, struct reader *r,
		       const u8 *bitmap, u64 frame, u64 nr)
{
	const u8 *descriptor;
	u64 i;

	for (i = 0; i < nr; i++) {
		if (!(i & 63) && !*(const u64 *)(bitmap + i / 8)) {
			i += 63;
			continue;
		}
		if (!(bitmap[i / 8] >> (i & 7) & 1))
			continue;
		descriptor = read_descriptor(s, r);
		if (r->failed)
			return false;
		if (frame + i >= l->frames)
			continue;
		if ((!descriptor || is_descriptor_bad(s, l, descriptor)) &&
		    !add_bad(s, l, frame + i))
			return false;
	}
	return true;
}

static bool check_descriptors(const struct source *s, struct kdump_layout *l)
{
	struct reader *r = calloc(1, sizeof(*r));
	u64 bitmap[PAGE_MIN / sizeof(u64)];
	const u64 nr = sizeof(bitmap) * 8;
	bool ok = r;
	u64 frame;

	if (!r)
		return fail("%s: no memory", s->name);
	r->at = l->descriptors;
	/* @bits is a multiple of the bits of a page. */
	for (frame = 0; ok && frame < l->bits; frame += nr)
		ok = source_read(s, l->bitmap + frame / 8, bitmap, sizeof(bitmap)) &&
		     check_bits(s, l, r, (u8 *)bitmap, frame, nr);
	free(r);
	return ok;
}

/**
 * kdump_check() - check a dump, and find its parts
 * @s: the file
 * @l: result; the caller zeroes it, and frees @bad even after an error
 *
 * Return: false, after a message, if libkdumpfile must not see the file.
 */
bool kdump_check(const struct source *s, struct kdump_layout *l)
{
	u64 version = 0;

	return check_header(s, l, &version) && check_sub_header(s, l, version) &&
	       check_descriptors(s, l) && kdump_check_notes(s, l);
}

#endif /* JTRACE_LIBKDUMPFILE */
