// SPDX-License-Identifier: GPL-2.0
/*
 * Load an image into memory for lib/read: first the bytes that are in one piece, then the
 * parts from elsewhere that are missing there.
 */

#include <stdlib.h>
#include <sys/mman.h>

#include "image.h"

#define HEADER_SIZE	sizeof(struct jtrace_image_header)
#define LARGE_PAGE	(2U << 20)

/*
 * Bytes of the image.  If all parts are in one piece, the source may cut off its end, which
 * lib/read reports.  Without a header, the image ends in the page of its last piece.
 */
static u64 image_len(const struct source *s, const struct image *im)
{
	const struct piece *last = im->nr ? &im->first[im->nr - 1] : NULL;
	u64 end = last ? (u64)last->place * JTRACE_GRANULE + last->len : 0;

	if (!im->head)
		return ALIGN(end, JTRACE_PAGE);
	if (im->whole)
		return min(im->head->l.size, s->size - im->base);
	return im->head->l.size;
}

/* Without a header, any place may have a chunk.  Return false if none is known. */
static bool guess_layout(const struct image *im, const struct dump *d, struct jtrace_layout *l)
{
	size_t i;

	*l = (struct jtrace_layout){ 0 };
	for (i = 0; i < im->nr; i++)
		if (im->first[i].shift) {
			jtrace_layout_chunk(l, im->first[i].shift, im->first[i].kind);
			l->nr_chunks = min_t(u64, d->len, U32_MAX) >> l->chunk_shift;
			return true;
		}
	return false;
}

/* Leave out what changed while bytes @from to @to of the image were read. */
static bool settle_raw(const struct source *s, const struct image *im, struct dump *d, u64 from,
		       u64 to)
{
	struct jtrace_layout l;
	u64 first, end, at;

	if (im->head)
		l = im->head->l;
	else if (!guess_layout(im, d, &l))
		return true;
	at = max_t(u64, from, l.chunks_off) - l.chunks_off;
	first = ALIGN(at, 1ULL << l.chunk_shift) >> l.chunk_shift;
	end = (max_t(u64, to, l.chunks_off) - l.chunks_off) >> l.chunk_shift;
	end = min_t(u64, l.nr_chunks, end);
	at = l.chunks_off + (first << l.chunk_shift);
	if (first < end && !steady_chunks(s, &l, im->base + at, (u8 *)d->img + at, end - first))
		return false;
	return l.tasks_off < from || l.tasks_off + (u64)l.tasks_size > to ||
	       steady_tasks(s, im->base + l.tasks_off, (u8 *)d->img + l.tasks_off, l.tasks_size);
}

/* Load the image as far as it is in one piece. */
static bool load_raw(const struct source *s, const struct image *im, struct dump *d)
{
	u64 from = im->base < 0 ? 0 : im->base;
	u64 skip = from - im->base, len;

	if (skip >= d->len || from >= s->size)
		return true;
	len = min(d->len - skip, s->size - from);
	return source_read(s, from, (u8 *)d->img + skip, len) &&
	       settle_raw(s, im, d, skip, skip + len);
}

/* Copy only headers that were found, so that lib/read reports a lost one. */
static void put_headers(const struct image *im, struct dump *d)
{
	const struct head *head = im->head;
	bool second;
	u64 last;

	if (!head)
		return;
	last = head->l.size - HEADER_SIZE;
	second = im->other || (im->raw && (s64)head->pos == im->base + (s64)last);
	if (im->other || !second)
		memcpy(d->img, &head->h, HEADER_SIZE);
	if (second && last + HEADER_SIZE <= d->len)
		memcpy((u8 *)d->img + last, &head->h, HEADER_SIZE);
}

static bool is_in_place(const struct image *im, const struct piece *p)
{
	return im->raw && (s64)p->pos == im->base + (s64)p->place * JTRACE_GRANULE;
}

/* Count the committed slots of a chunk. */
static u32 count_entries(const struct source *s, const struct piece *p, bool *ok)
{
	u64 word[JTRACE_PAGE / sizeof(u64)] = { 0 };
	struct jtrace_layout l = { 0 };
	u32 slot, nr = 0;

	jtrace_layout_chunk(&l, p->shift, p->kind);
	*ok = source_read(s, p->pos, word, p->len);
	for (slot = 0; *ok && slot < l.entries; slot++)
		nr += le32_to_cpu(*jtrace_slot_seq(&l, jtrace_slot_at(&l, word, 0, slot))) ==
		      (u32)p->claim;
	return nr;
}

/*
 * Choose one of the pieces @p to @end, all for one place: the newest claim or change, then the most
 * entries, then the piece that is in place.
 */
static const struct piece *choose_piece(const struct source *s, const struct image *im,
					const struct piece *p, const struct piece *end, bool *ok)
{
	const bool several = end - p > 1;
	const struct piece *best = NULL;
	u32 most = 0, nr;

	for (; *ok && p != end && (!best || p->claim == best->claim); p++) {
		nr = p->shift && several ? count_entries(s, p, ok) : 0;
		if (!best || nr > most || (nr == most && is_in_place(im, p))) {
			most = nr;
			best = p;
		}
	}
	return best;
}

static bool piece_fits(const struct image *im, const struct dump *d, const struct piece *p)
{
	u64 end = min(d->len, im->head ? im->head->l.size - HEADER_SIZE : ~0ULL);
	u64 at = (u64)p->place * JTRACE_GRANULE;

	return at >= HEADER_SIZE && at < end && p->len <= end - at;
}

/*
 * The oldest claim that a piece from elsewhere may have.  If the image is in one piece, an
 * older copy must not bring back chunks that had been overwritten there.
 */
static u64 find_oldest_claim(const struct image *im)
{
	u64 newest = 0;
	size_t i;

	for (i = 0; i < im->nr; i++)
		if (im->first[i].shift)
			newest = max(newest, im->first[i].claim);
	return im->raw && im->head && newest > im->head->l.nr_chunks ?
	       newest - im->head->l.nr_chunks + 1 : 0;
}

static bool put_piece(const struct source *s, struct dump *d, const struct piece *p)
{
	u8 *at = (u8 *)d->img + (u64)p->place * JTRACE_GRANULE;
	struct jtrace_layout l;

	d->put++;
	if (!source_read(s, p->pos, at, p->len))
		return false;
	if (!p->shift || p->len < 1U << p->shift)
		return true;
	jtrace_layout_chunk(&l, p->shift, p->kind);
	return steady_chunks(s, &l, p->pos, at, 1);
}

/* Put the missing pieces in place. */
static bool put_pieces(const struct source *s, const struct image *im, struct dump *d)
{
	const struct piece *p = im->first, *best;
	const u64 oldest = find_oldest_claim(im);
	size_t i, k;
	bool ok = true;

	for (i = 0; i < im->nr; i = k) {
		for (k = i + 1; k < im->nr && p[k].place == p[i].place; k++)
			;
		best = choose_piece(s, im, &p[i], &p[k], &ok);
		if (!ok || !best)
			return false;
		if (is_in_place(im, best) || !piece_fits(im, d, best) ||
		    (best->shift && best->claim < oldest))
			continue;
		if (!put_piece(s, d, best))
			return false;
	}
	return true;
}

/* In large pages, because the faults of small ones take longer than reading the bytes. */
static void *alloc_image(u64 len)
{
	u64 size = ALIGN(max_t(u64, len, HEADER_SIZE), sizeof(u64));
	void *p = len == (size_t)len ? calloc(1, size) : NULL;
	uintptr_t from = ALIGN((uintptr_t)p, (uintptr_t)LARGE_PAGE);

	if (p && from + LARGE_PAGE <= (uintptr_t)p + size)
		madvise((void *)from, (uintptr_t)p + size - from, MADV_HUGEPAGE);
	return p;
}

/**
 * dump_load() - load an image into memory
 * @s: the source
 * @im: one of its images
 * @d: result; the caller zeroes it, and frees it even after an error
 *
 * Return: false, after a message, on an error.
 */
bool dump_load(const struct source *s, const struct image *im, struct dump *d)
{
	d->name = s->name;
	d->where = im->where;
	d->len = image_len(s, im);
	d->img = alloc_image(d->len);
	if (!d->img)
		return fail("%s: image at 0x%llx: no memory for its %llu bytes", s->name,
			    im->where, d->len);
	if (im->raw && !load_raw(s, im, d))
		return false;
	put_headers(im, d);
	return put_pieces(s, im, d);
}
