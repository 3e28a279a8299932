// SPDX-License-Identifier: GPL-2.0
/*
 * Which images the parts belong to that were found.
 *
 * Every part says where its image would begin, were it in one piece.  Where at
 * least half of an image's parts agree, there is one: there may be several copies
 * of an image, as in a RAM dump of a machine on which trace_raw was read.  An older
 * copy may have fewer parts: where both headers agree, half of the parts between
 * them are enough.  The headers alone are not: of scattered copies any two may
 * happen to be as far apart as those of one.  If nowhere so many agree, the image
 * is scattered over pages and is put together from all of its parts.
 */

#include <stdlib.h>

#include "tool.h"

#define HEADER_SIZE	sizeof(struct jtrace_image_header)

/**
 * struct vote - for where an image begins
 * @id: of the image
 * @base: where
 * @pos: of the part whose vote it is
 * @head: by a header
 */
struct vote {
	u64 id;
	s64 base;
	s64 pos;
	bool head;
};

#define ORDER(a, b)	((a) < (b) ? -1 : (a) > (b))

static int vote_order(const void *a, const void *b)
{
	const struct vote *x = a, *y = b;

	return ORDER(x->id, y->id) ?: ORDER(x->base, y->base);
}

/* By image and place; of several at one place the newest first. */
static int piece_order(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return ORDER(x->id, y->id) ?: ORDER(x->place, y->place) ?: ORDER(y->claim, x->claim) ?:
	       ORDER(x->pos, y->pos);
}

static int image_order(const void *a, const void *b)
{
	const struct image *x = a, *y = b;

	return ORDER(x->where, y->where) ?: ORDER(x->id, y->id);
}

static u64 head_last(const struct head *head)
{
	return head->l.size - HEADER_SIZE;
}

static s64 piece_base(const struct piece *p)
{
	return (s64)p->pos - (s64)p->place * JTRACE_GRANULE;
}

static struct vote *votes_cast(const struct finds *f, size_t *nr)
{
	struct vote *votes = malloc((f->nr_pieces + 2 * f->nr_heads + 1) * sizeof(*votes));
	struct vote *v = votes;
	size_t i;

	if (!votes)
		return NULL;
	for (i = 0; i < f->nr_pieces; i++) {
		const struct piece *p = &f->piece[i];

		*v++ = (struct vote){ p->id, piece_base(p), p->pos, false };
	}
	for (i = 0; i < f->nr_heads; i++) {
		const struct head *h = &f->head[i];

		*v++ = (struct vote){ h->id, h->pos, h->pos, true };
		*v++ = (struct vote){ h->id, h->pos - head_last(h), h->pos, true };
	}
	*nr = v - votes;
	qsort(votes, *nr, sizeof(*votes), vote_order);
	return votes;
}

static int head_at(const void *key, const void *member)
{
	return ORDER(*(const u64 *)key, ((const struct head *)member)->pos);
}

static const struct head *find_head(const struct finds *f, u64 id, u64 pos)
{
	const struct head *h;

	if (!f->nr_heads)
		return NULL;
	h = bsearch(&pos, f->head, f->nr_heads, sizeof(*f->head), head_at);
	return h && h->id == id ? h : NULL;
}

static int latest_order(const void *a, const void *b)
{
	const struct head *x = *(const struct head **)a, *y = *(const struct head **)b;

	return ORDER(x->id, y->id) ?: ORDER(le64_to_cpu(y->h.real), le64_to_cpu(x->h.real)) ?:
	       ORDER(x->pos, y->pos);
}

static int pos_order(const void *a, const void *b)
{
	const struct piece *x = *(const struct piece **)a, *y = *(const struct piece **)b;

	return ORDER(x->id, y->id) ?: ORDER(x->pos, y->pos);
}

static bool finds_sort(struct finds *f)
{
	size_t i;

	if (f->nr_pieces)
		qsort(f->piece, f->nr_pieces, sizeof(*f->piece), piece_order);
	f->by_id = malloc((f->nr_heads + 1) * sizeof(*f->by_id));
	f->by_pos = malloc((f->nr_pieces + 1) * sizeof(*f->by_pos));
	if (!f->by_id || !f->by_pos)
		return false;
	for (i = 0; i < f->nr_heads; i++)
		f->by_id[i] = &f->head[i];
	qsort(f->by_id, f->nr_heads, sizeof(*f->by_id), latest_order);
	for (i = 0; i < f->nr_pieces; i++)
		f->by_pos[i] = &f->piece[i];
	qsort(f->by_pos, f->nr_pieces, sizeof(*f->by_pos), pos_order);
	return true;
}

/*
 * The index of the first member that is not before @key, @nr if there is none; the
 * arguments are those of bsearch().
 */
static size_t lower_bound(const void *key, const void *base, size_t nr, size_t size,
			  int (*order)(const void *key, const void *member))
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (order(key, base + mid * size) > 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int head_of(const void *key, const void *member)
{
	return ORDER(*(const u64 *)key, (*(const struct head **)member)->id);
}

static int piece_of(const void *key, const void *member)
{
	return ORDER(*(const u64 *)key, ((const struct piece *)member)->id);
}

static int piece_at(const void *key, const void *member)
{
	return ORDER(*(const s64 *)key, (s64)(*(const struct piece **)member)->pos);
}

/* First of the headers of image @id in by_id, of which there are @nr. */
static size_t heads_from(const struct finds *f, size_t nr, u64 id)
{
	return lower_bound(&id, f->by_id, nr, sizeof(*f->by_id), head_of);
}

/* How many pieces of an image begin before @pos. */
static size_t pieces_before(const struct finds *f, const struct image *im, s64 pos)
{
	return lower_bound(&pos, f->by_pos + (im->nr ? im->first - f->piece : 0), im->nr,
			   sizeof(*f->by_pos), piece_at);
}

/* The header written last and one more, wherever they are. */
static void latest_heads(const struct finds *f, struct image *im)
{
	size_t i = heads_from(f, f->nr_heads, im->id);

	if (i < f->nr_heads && f->by_id[i]->id == im->id)
		im->head = f->by_id[i++];
	if (im->head && i < f->nr_heads && f->by_id[i]->id == im->id)
		im->twin = f->by_id[i];
}

/* Its pieces; returns in how many different places they are. */
static size_t image_pieces(const struct finds *f, struct image *im)
{
	size_t i = lower_bound(&im->id, f->piece, f->nr_pieces, sizeof(*f->piece), piece_of);
	size_t places = 0;
	u32 last = 0;

	im->first = i < f->nr_pieces ? f->piece + i : NULL;
	for (im->nr = 0; i < f->nr_pieces && f->piece[i].id == im->id; i++, im->nr++) {
		places += !im->nr || f->piece[i].place != last;
		last = f->piece[i].place;
	}
	return places;
}

static bool image_add(struct images *list, const struct image *im)
{
	list->image = array_grow(list->image, list->nr, &list->most, sizeof(*im));
	if (!list->image)
		return false;
	list->image[list->nr++] = *im;
	return true;
}

/* One that is in one piece at @base. */
static bool add_raw(const struct finds *f, struct images *list, struct image im, s64 base)
{
	im.raw = true;
	im.base = base;
	im.where = base < 0 ? 0 : base;
	im.head = base >= 0 ? find_head(f, im.id, base) : NULL;
	if (im.head) {
		im.twin = find_head(f, im.id, base + head_last(im.head));
	} else {
		latest_heads(f, &im);
		im.twin = NULL;
	}
	return image_add(list, &im);
}

/* One that is scattered; a header alone is taken for the first, if that fits. */
static bool add_scattered(const struct source *s, const struct finds *f, struct images *list,
			  struct image im)
{
	u64 pos;

	latest_heads(f, &im);
	if (im.head && !im.twin && !im.nr) {
		pos = im.head->pos;
		if (pos + im.head->l.size > s->size && pos >= head_last(im.head))
			pos -= head_last(im.head);
		return add_raw(f, list, im, pos);
	}
	if (im.head)
		im.where = im.head->pos;
	else if (im.first)
		im.where = im.first->pos;
	return image_add(list, &im);
}

/*
 * Are there both headers of an image where the votes @v to @end say that it begins,
 * and do half of the pieces between say the same?  Those in the page of a header do in
 * any case.
 */
static bool between_heads(const struct finds *f, const struct image *im, const struct vote *v,
			  const struct vote *end)
{
	const struct head *head = v->base < 0 ? NULL : find_head(f, im->id, v->base);
	size_t agree = 0;
	s64 from, to;

	if (!head || !find_head(f, im->id, v->base + head_last(head)))
		return false;
	from = v->base + JTRACE_PAGE;
	to = v->base + ALIGN_DOWN(head_last(head), JTRACE_PAGE);
	for (; v < end; v++)
		agree += !v->head && v->pos >= from && v->pos < to;
	return to <= from ||
	       2 * agree >= pieces_before(f, im, to) - pieces_before(f, im, from);
}

/* The votes @v to @end are those for one image. */
static bool add_images(const struct source *s, const struct finds *f, struct images *list,
		       const struct vote *v, const struct vote *end)
{
	struct image im = { .id = v->id };
	size_t places = image_pieces(f, &im), before = list->nr;

	while (v < end) {
		const struct vote *from = v;
		size_t pieces = 0;

		for (; v < end && v->base == from->base; v++)
			pieces += !v->head;
		if ((!pieces || 2 * pieces < places) &&
		    !between_heads(f, &im, from, v))
			continue;
		if (!add_raw(f, list, im, from->base))
			return false;
	}
	return list->nr > before || add_scattered(s, f, list, im);
}

/* Is there an image in one piece at @base? */
static const struct image *raw_at(const struct images *list, u64 id, s64 base)
{
	const struct image key = { .id = id, .where = base < 0 ? 0 : base };
	const struct image *im = NULL;

	if (list->nr)
		im = bsearch(&key, list->image, list->nr, sizeof(key), image_order);
	return im && im->raw && im->base == base ? im : NULL;
}

/*
 * Leave in by_id only headers that are at no end of an image in one piece: once for
 * all images, as there may be as many of these as headers.  Returns their number.
 */
static size_t heads_elsewhere(struct finds *f, const struct images *list)
{
	size_t i, nr = 0;

	for (i = 0; i < f->nr_heads; i++) {
		const struct head *h = f->by_id[i];

		if (!raw_at(list, h->id, h->pos) &&
		    !raw_at(list, h->id, (s64)h->pos - head_last(h)))
			f->by_id[nr++] = h;
	}
	return nr;
}

/* An image of which the larger part is in one piece may have its other header elsewhere. */
static void add_twins(struct finds *f, struct images *list)
{
	size_t nr = heads_elsewhere(f, list), i, k;

	for (i = 0; i < list->nr; i++) {
		struct image *im = &list->image[i];

		if (!im->raw || !im->head || im->twin)
			continue;
		k = heads_from(f, nr, im->id);
		if (k < nr && f->by_id[k]->id == im->id)
			im->twin = f->by_id[k];
	}
}

/**
 * images_list() - find out which images there are
 * @s: the source
 * @f: what was found in it; pieces are sorted
 * @list: result, by position; zeroed before
 *
 * Return: false, after a message, if there is no memory.
 */
bool images_list(const struct source *s, struct finds *f, struct images *list)
{
	const struct vote *end;
	struct vote *votes;
	size_t nr, i, k;
	bool ok = true;

	votes = finds_sort(f) ? votes_cast(f, &nr) : NULL;
	for (i = 0; ok && votes && i < nr; i = k) {
		for (k = i; k < nr && votes[k].id == votes[i].id; k++)
			;
		end = votes + k;
		ok = add_images(s, f, list, votes + i, end);
	}
	ok = ok && votes;
	free(votes);
	if (ok && list->nr)
		qsort(list->image, list->nr, sizeof(*list->image), image_order);
	if (ok)
		add_twins(f, list);
	return ok || fail("%s: no memory for what is found in it", s->name);
}

static u64 image_real(const struct image *im)
{
	return im->head ? le64_to_cpu(im->head->h.real) : 0;
}

/**
 * images_newest() - the one to show if nothing else is said
 * @list: not empty
 *
 * Return: the one whose header was written last; among equals that with most
 * parts, then the first.
 */
const struct image *images_newest(const struct images *list)
{
	const struct image *best = list->image, *im;

	for (im = best + 1; im < list->image + list->nr; im++)
		if (image_real(im) > image_real(best) ||
		    (image_real(im) == image_real(best) && im->nr > best->nr))
			best = im;
	return best;
}

/**
 * images_at() - the one at an offset
 * @list: of images
 * @where: as in &image.where
 *
 * Return: NULL if there is none.
 */
const struct image *images_at(const struct images *list, u64 where)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		if (list->image[i].where == where)
			return &list->image[i];
	return NULL;
}

/**
 * images_owner() - the image in one piece that a piece is a part of
 * @list: of images
 * @p: the piece
 *
 * Return: NULL if there is none.
 */
const struct image *images_owner(const struct images *list, const struct piece *p)
{
	return raw_at(list, p->id, piece_base(p));
}

/**
 * image_what() - a few words on an image, for people to choose by
 * @im: the image
 *
 * Return: text that is good until the next call.
 */
const char *image_what(const struct image *im)
{
	static char text[160];
	const struct jtrace_image_header *h;
	size_t n = 0, i;

	if (!im->head)
		return im->raw ? "no header" : "no header, scattered";
	h = &im->head->h;
	n += scnprintf(text, sizeof(text), "%s%s", state_name(h->state),
		       h->release[0] ? ", " : "");
	for (i = 0; i < sizeof(h->release) && h->release[i]; i++)
		text[n++] = h->release[i] > ' ' && h->release[i] < 0x7f ? h->release[i] : '?';
	text[n] = 0;
	if (!im->raw)
		scnprintf(text + n, sizeof(text) - n, ", scattered");
	return text;
}
