// SPDX-License-Identifier: GPL-2.0
/*
 * An image in memory, as lib/recover wants it: what is in one piece is taken as
 * it is, what is missing there is put in from wherever else it was found.
 */

#include <stdlib.h>

#include "tool.h"

#define HEADER_SIZE	sizeof(struct jtrace_image_header)

/**
 * struct gather - an image being put together
 * @s: the source
 * @list: of its images
 * @im: the one
 * @d: in memory
 * @put: pieces that were elsewhere, and put in place
 */
struct gather {
	const struct source *s;
	const struct images *list;
	const struct image *im;
	struct dump *d;
	u64 put;
};

/* Is nothing of it anywhere else, but in other copies? */
static bool in_one_piece(const struct gather *g)
{
	size_t i;

	for (i = 0; g->im->raw && i < g->im->nr; i++)
		if (!images_owner(g->list, &g->im->first[i]))
			return false;
	return g->im->raw;
}

/*
 * Bytes of the image that there may be: lib/recover is to see that an end is cut
 * off.  Without a header it ends somewhere after its last piece.
 */
static u64 image_len(const struct gather *g)
{
	const struct image *im = g->im;
	const struct piece *last;

	if (im->head && in_one_piece(g))
		return min(im->head->l.size, g->s->size - im->base);
	if (im->head)
		return im->head->l.size;
	last = im->first + im->nr - 1;
	return ALIGN((u64)last->place * JTRACE_GRANULE + last->len, JTRACE_PAGE);
}

/* What of [base, base + len) the source has. */
static bool load_raw(const struct source *s, const struct image *im, struct dump *d)
{
	u64 from = im->base < 0 ? 0 : im->base;
	u64 skip = from - im->base;

	if (skip >= d->len || from >= s->size)
		return true;
	return source_read(s, from, (u8 *)d->img + skip, min(d->len - skip, s->size - from));
}

/* Is there a header at @at, and this image's? */
static bool head_valid(const struct image *im, const struct dump *d, u64 at)
{
	struct jtrace_image_header h;
	struct jtrace_layout l;

	switch (jtrace_header_read((const u8 *)d->img + at, d->len - at, d->len, &h, &l)) {
	case JTRACE_HEADER_OK:
	case JTRACE_HEADER_CUT:
		return le64_to_cpu(h.image_id) == im->id;
	default:
		return false;
	}
}

/* No more headers than were found: that one is lost is to be seen. */
static void put_heads(const struct image *im, struct dump *d)
{
	bool first, second;
	u64 last;

	if (!im->head)
		return;
	last = im->head->l.size - HEADER_SIZE;
	first = im->raw && head_valid(im, d, 0);
	second = im->raw && last < d->len && head_valid(im, d, last);
	if (!first && (!second || im->twin))
		memcpy(d->img, &im->head->h, HEADER_SIZE);
	if (!second && im->twin && last + HEADER_SIZE <= d->len)
		memcpy((u8 *)d->img + last, &im->head->h, HEADER_SIZE);
}

/* Slots of a chunk that hold an entry of its claim. */
static u32 committed(const struct source *s, const struct piece *p, bool *ok)
{
	u64 word[JTRACE_PAGE / sizeof(u64)] = { 0 };
	struct jtrace_layout l;
	u32 slot, nr = 0;

	memset(&l, 0, sizeof(l));
	jtrace_layout_chunk(&l, p->shift, p->kind);
	*ok = source_read(s, p->pos, word, p->len);
	for (slot = 0; *ok && slot < l.entries; slot++)
		nr += le32_to_cpu(*jtrace_slot_seq(&l, jtrace_slot_at(&l, word, 0, slot))) ==
		      (u32)p->claim;
	return nr;
}

/*
 * The best of the pieces @p to @end for one place: newest claim, most entries.
 * What is a part of another copy of the image stays there: to mix two moments
 * would show what never was.
 */
static const struct piece *best_piece(const struct gather *g, const struct piece *p,
				      const struct piece *end, bool *ok)
{
	const struct piece *best = NULL;
	u32 most = 0, nr;

	for (; *ok && p != end && (!best || p->claim == best->claim); p++) {
		const struct image *owner = images_owner(g->list, p);

		if (owner && owner != g->im)
			continue;
		nr = p->shift ? committed(g->s, p, ok) : 0;
		if (!best || nr > most) {
			most = nr;
			best = p;
		}
	}
	return best;
}

static bool piece_fits(const struct gather *g, const struct piece *p)
{
	const struct head *head = g->im->head;
	u64 end = min(g->d->len, head ? head->l.size - HEADER_SIZE : ~0ULL);
	u64 at = (u64)p->place * JTRACE_GRANULE;

	return at >= HEADER_SIZE && at < end && p->len <= end - at;
}

/* The pieces @p to @end are for one place: is it filled? */
static bool put_piece(struct gather *g, const struct piece *p, const struct piece *end)
{
	const u64 at = (u64)p->place * JTRACE_GRANULE;
	const struct piece *q;
	bool ok = true;

	for (q = p; g->im->raw && q != end; q++)
		if ((s64)q->pos == g->im->base + (s64)at)
			return true;
	if (!piece_fits(g, p))
		return true;
	q = best_piece(g, p, end, &ok);
	if (!ok || !q)
		return ok;
	g->put++;
	return source_read(g->s, q->pos, (u8 *)g->d->img + at, q->len);
}

/* Fill the places that have no valid piece. */
static bool put_pieces(struct gather *g)
{
	const struct piece *p = g->im->first, *end = g->im->nr ? p + g->im->nr : p, *next;

	for (; p != end; p = next) {
		for (next = p; next != end && next->place == p->place; next++)
			;
		if (!put_piece(g, p, next))
			return false;
	}
	return true;
}

/**
 * dump_load() - bring an image into memory
 * @s: the source
 * @list: of its images
 * @im: one of them
 * @d: result, zeroed before; to be freed in any case
 *
 * Return: false, after a message, if that failed.
 */
bool dump_load(const struct source *s, const struct images *list, const struct image *im,
	       struct dump *d)
{
	struct gather g = { s, list, im, d, 0 };

	d->len = image_len(&g);
	if (d->len == (size_t)d->len)
		d->img = calloc(1, ALIGN(max(d->len, (u64)HEADER_SIZE), sizeof(u64)));
	if (!d->img)
		return fail("%s: image at 0x%llx: no memory for its %llu bytes", s->name,
			    (unsigned long long)im->where, (unsigned long long)d->len);
	if (im->raw && !load_raw(s, im, d))
		return false;
	put_heads(im, d);
	if (!put_pieces(&g))
		return false;
	if (g.put)
		note("%s: image at 0x%llx: %llu of its parts were elsewhere, and put in place",
		     s->name, (unsigned long long)im->where, (unsigned long long)g.put);
	return true;
}

/**
 * dump_open() - make a trace of an image
 * @d: with the image
 * @name: for messages
 *
 * Return: false, after a message, if that failed.
 */
bool dump_open(struct dump *d, const char *name)
{
	u64 room;

	jtrace_recover_open(&d->t, d->img, d->len);
	if (d->t.verdict == JTRACE_EMPTY || d->t.verdict == JTRACE_UNREADABLE)
		return fail("%s: what is left of the image cannot be read", name);
	room = jtrace_recover_room(&d->t);
	if (room == (size_t)room)
		d->room = malloc(room + 1);
	if (!d->room)
		return fail("%s: no memory for %llu bytes of order", name,
			    (unsigned long long)room);
	jtrace_recover_scan(&d->t, d->room);
	return true;
}

/**
 * dump_free() - undo both
 * @d: the image
 */
void dump_free(struct dump *d)
{
	free(d->img);
	free(d->room);
}
