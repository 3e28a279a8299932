// SPDX-License-Identifier: GPL-2.0
/*
 * Sort the parts into images.
 *
 * A source may hold several copies of an image, such as a RAM dump of a machine on which
 * trace_raw was read, and each copy may be scattered over pages.  All copies are one image:
 * the newest part of each place counts.
 *
 * From each part follows an offset at which its image would begin if it were in one piece.
 * If at least half of the parts that count agree on an offset, the image is there, and so are
 * the bytes between these parts: lib/read finds chunks in them that lost their header.
 */

#include <stdlib.h>

#include "image.h"

#define HEADER_SIZE	sizeof(struct jtrace_image_header)

#define ORDER(a, b)	((a) < (b) ? -1 : (a) > (b))

/* By image and place, then the newest first. */
static int piece_order(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return ORDER(x->id, y->id) ?: ORDER(x->place, y->place) ?: ORDER(y->claim, x->claim) ?:
	       ORDER(x->pos, y->pos);
}

/* By image, then the newest first. */
static int head_order(const void *a, const void *b)
{
	const struct head *x = a, *y = b;

	return ORDER(x->id, y->id) ?: ORDER(le64_to_cpu(y->h.real), le64_to_cpu(x->h.real)) ?:
	       ORDER(x->pos, y->pos);
}

static int image_order(const void *a, const void *b)
{
	const struct image *x = a, *y = b;

	return ORDER(x->where, y->where) ?: ORDER(x->id, y->id);
}

static int base_order(const void *a, const void *b)
{
	return ORDER(*(const s64 *)a, *(const s64 *)b);
}

static int id_order(const void *a, const void *b)
{
	return ORDER(*(const u64 *)a, *(const u64 *)b);
}

static s64 second_offset(const struct head *head)
{
	return head->l.size - HEADER_SIZE;
}

/*
 * List, in order, where the image begins according to each part that counts.  Returns the
 * length of the list.  A header may be the first or the second one, so it has two votes.
 */
static size_t image_list_bases(const struct image *im, s64 *base, size_t *places)
{
	const struct head * const head[] = { im->head, im->other };
	const struct piece *newest = im->first;
	size_t nr = 0, i;

	for (*places = 0, i = 0; i < im->nr; i++) {
		const struct piece *p = &im->first[i];

		if (!i || p->place != newest->place) {
			newest = p;
			++*places;
		}
		if (p->claim == newest->claim)
			base[nr++] = (s64)p->pos - (s64)p->place * JTRACE_GRANULE;
	}
	for (i = 0; i < ARRAY_SIZE(head) && head[i]; i++) {
		++*places;
		base[nr++] = head[i]->pos;
		base[nr++] = (s64)head[i]->pos - second_offset(head[i]);
	}
	qsort(base, nr, sizeof(*base), base_order);
	return nr;
}

/* Take a header without any other part for the first one, if the source is long enough. */
static s64 guess_base(const struct source *s, const struct head *head)
{
	if (head->pos + head->l.size > s->size && (s64)head->pos >= second_offset(head))
		return (s64)head->pos - second_offset(head);
	return head->pos;
}

/* Find out where the image begins.  @base has room for the list of image_list_bases(). */
static void image_locate(const struct source *s, struct image *im, s64 *base)
{
	size_t places, nr = image_list_bases(im, base, &places), i, k, most = 0;

	for (i = 0; i < nr; i = k) {
		for (k = i; k < nr && base[k] == base[i]; k++)
			;
		if (k - i > most) {
			most = k - i;
			im->base = base[i];
		}
	}
	im->raw = 2 * most >= places;
	im->whole = most >= places;
	if (im->head && !im->other && !im->nr)
		im->base = guess_base(s, im->head);
	if (im->raw)
		im->where = im->base < 0 ? 0 : im->base;
	else
		im->where = im->head ? im->head->pos : im->first->pos;
}

/* Take the next image from @f; returns false at the end. */
static bool image_take_next(const struct parts *f, size_t *head, size_t *piece, struct image *im)
{
	const struct head *h = *head < f->nr_heads ? &f->head[*head] : NULL;
	const struct piece *p = *piece < f->nr_pieces ? &f->piece[*piece] : NULL;

	if (!h && !p)
		return false;
	*im = (struct image){ .id = !p || (h && h->id < p->id) ? h->id : p->id };
	for (; *head < f->nr_heads && f->head[*head].id == im->id; ++*head)
		if (!im->head)
			im->head = h;
		else if (!im->other)
			im->other = h + 1;
	for (im->first = p; *piece < f->nr_pieces && f->piece[*piece].id == im->id; ++*piece)
		im->nr++;
	return true;
}

/* Only the header tells how to read an image: without it the chunks of a foreign one mislead. */
static bool is_foreign(const struct parts *f, const struct image *im)
{
	return !im->head && f->nr_foreign &&
	       bsearch(&im->id, f->foreign, f->nr_foreign, sizeof(im->id), id_order);
}

/**
 * images_list() - list the images of a source
 * @s: the source
 * @f: its parts; sorted by image afterwards
 * @list: result, in the order of @where; the caller zeroes it
 *
 * Return: false, after a message, if there is no memory.
 */
bool images_list(const struct source *s, struct parts *f, struct images *list)
{
	s64 *base = malloc((f->nr_pieces + 4) * sizeof(*base));
	size_t head = 0, piece = 0;
	struct image im;
	bool ok = base;

	if (f->nr_pieces)
		qsort(f->piece, f->nr_pieces, sizeof(*f->piece), piece_order);
	if (f->nr_heads)
		qsort(f->head, f->nr_heads, sizeof(*f->head), head_order);
	if (f->nr_foreign)
		qsort(f->foreign, f->nr_foreign, sizeof(*f->foreign), id_order);
	while (ok && image_take_next(f, &head, &piece, &im)) {
		if (is_foreign(f, &im))
			continue;
		image_locate(s, &im, base);
		list->image = array_grow(list->image, list->nr, sizeof(im));
		ok = list->image;
		if (ok)
			list->image[list->nr++] = im;
	}
	free(base);
	if (!ok)
		return fail("%s: no memory for the list of images", s->name);
	if (list->image)
		qsort(list->image, list->nr, sizeof(*list->image), image_order);
	return true;
}

/**
 * image_real() - when was the newest header of an image written?
 * @im: the image
 *
 * Return: by the wall clock of its machine, ns; 0 without a header.
 */
u64 image_real(const struct image *im)
{
	return im->head ? le64_to_cpu(im->head->h.real) : 0;
}

/**
 * images_find_newest() - choose the image to show by default
 * @list: images, at least one
 *
 * Return: the image with the newest header, then with most pieces, then the first one.
 */
const struct image *images_find_newest(const struct images *list)
{
	const struct image *best = list->image, *im;

	for (im = best + 1; im < list->image + list->nr; im++)
		if (image_real(im) > image_real(best) ||
		    (image_real(im) == image_real(best) && im->nr > best->nr))
			best = im;
	return best;
}

/**
 * images_find() - find the image at an offset
 * @list: images
 * @where: see &image.where
 *
 * Return: NULL if there is no such image.
 */
const struct image *images_find(const struct images *list, u64 where)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		if (list->image[i].where == where)
			return &list->image[i];
	return NULL;
}

/**
 * images_find_id() - find an image by its id
 * @list: images
 * @id: of the image
 *
 * Return: NULL if there is no such image.
 */
const struct image *images_find_id(const struct images *list, u64 id)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		if (list->image[i].id == id)
			return &list->image[i];
	return NULL;
}

/**
 * image_describe() - describe an image in a few words
 * @im: the image
 *
 * Return: text that is valid until the next call.
 */
const char *image_describe(const struct image *im)
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
