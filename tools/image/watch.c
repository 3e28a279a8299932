// SPDX-License-Identifier: GPL-2.0
/*
 * Look again and again at an image in a file that a machine writes to: the RAM of a virtual
 * machine.
 *
 * The whole file is searched once, for the pages of the image.  Each look reads these only, and
 * puts the image together from what they hold then.  The whole file is searched again
 *
 * - if the image has gone: the machine was reset, or jtrace was unloaded;
 * - if pages of the image are not known yet.  In ordinary memory an image is scattered, and a
 *   page shows whose it is when its first chunk is claimed;
 * - seldom in any case: after a reset, the old image may stay in memory.
 *
 * A search waits for a multiple of the time that the last one took, so that searches take a tenth
 * of a CPU at the most, or a hundredth if they go on to find nothing.
 */

#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <sys/stat.h>

#include "image.h"

#define NS_PER_SEC	1000000000ULL
#define SHARE		10
#define SHARE_LEAST	100
#define SELDOM		(5 * NS_PER_SEC)

static u64 clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * NS_PER_SEC + t.tv_nsec;
}

/**
 * watch_open() - begin to watch a file
 * @w: result; close it even after an error
 * @s: the file, which was searched just now; the caller closes it after watch_close()
 * @path: its name
 *
 * Return: false, after a message, if it is not a file that a machine can write to.
 */
bool watch_open(struct watch *w, struct source *s, const char *path)
{
	struct stat named, opened;

	*w = (struct watch){
		.s = s,
		.path = path,
		.at = ~0ULL,
		.searched = clock_ns(CLOCK_MONOTONIC),
		.cost = clock_ns(CLOCK_PROCESS_CPUTIME_ID),
	};
	if (s->ops || stat(path, &named) || fstat(s->fd, &opened) ||
	    named.st_dev != opened.st_dev || named.st_ino != opened.st_ino)
		return fail("-f: %s: not a file that a machine writes to", s->name);
	return true;
}

/**
 * watch_close() - free what watch_choose() and watch_look() allocated
 * @w: the watch
 */
void watch_close(struct watch *w)
{
	free(w->page);
	w->page = NULL;
}

static int page_order(const void *a, const void *b)
{
	const u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* Append the pages of some bytes of the file. */
static u64 *append(u64 *page, u64 from, u64 len)
{
	u64 at;

	for (at = from / JTRACE_PAGE; at <= (from + len - 1) / JTRACE_PAGE; at++)
		*page++ = at;
	return page;
}

/* The bytes of the file that are the image's if it is in one piece. */
static u64 raw_range(const struct watch *w, const struct image *im, u64 *from)
{
	const s64 end = im->base + (s64)im->head->l.size;

	*from = im->base < 0 ? 0 : im->base;
	return im->raw && end > 0 && *from < min_t(u64, w->s->size, end) ?
	       min_t(u64, w->s->size, end) - *from : 0;
}

/* How many pages of the image have a part?  The pieces are in the order of their places. */
static u64 count_known(const struct image *im)
{
	u64 page, last = 0, nr = 2;
	size_t i;

	for (i = 0; i < im->nr; i++) {
		page = (u64)im->first[i].place * JTRACE_GRANULE / JTRACE_PAGE;
		nr += page != last && page != im->head->l.size / JTRACE_PAGE - 1;
		last = page;
	}
	return nr;
}

/* List the pages of an image. */
static bool list_pages(struct watch *w, const struct parts *f, const struct image *im)
{
	u64 from, len = raw_range(w, im, &from), *page, *end;
	size_t i, nr;

	/* A part may lie on two pages of the file. */
	page = malloc((len / JTRACE_PAGE + 2 + 2 * (im->nr + f->nr_heads)) * sizeof(*page));
	if (!page)
		return fail("%s: no memory for the list of pages", w->s->name);
	end = len ? append(page, from, len) : page;
	for (i = 0; i < im->nr; i++)
		end = append(end, im->first[i].pos, im->first[i].len);
	for (i = 0; i < f->nr_heads; i++)
		if (f->head[i].id == im->id)
			end = append(end, f->head[i].pos, sizeof(f->head[i].h));
	qsort(page, end - page, sizeof(*page), page_order);
	for (i = 0, nr = 0; i < (size_t)(end - page); i++)
		if (!i || page[i] != page[nr - 1])
			page[nr++] = page[i];
	free(w->page);
	w->page = page;
	w->nr_pages = nr;
	return true;
}

/**
 * watch_choose() - choose the image to watch
 * @w: after watch_open()
 * @f: the parts of images in the file
 * @im: one of them
 *
 * Return: false, after a message, if it has no header, or if there is no memory.
 */
bool watch_choose(struct watch *w, const struct parts *f, const struct image *im)
{
	if (!im->head)
		return fail("-f: %s: the image at 0x%llx has no header", w->s->name, im->where);
	w->image = *im;
	w->head = *im->head;
	w->all_known = le32_to_cpu(im->head->h.compat) & JTRACE_COMPAT_PERSISTENT ||
		       count_known(im) >= im->head->l.size / JTRACE_PAGE;
	w->gone = false;
	return list_pages(w, f, im);
}

/* Is it still the file of this name, and as large as it was? */
static bool check_file(const struct watch *w)
{
	struct stat named, opened;

	if (stat(w->path, &named))
		return fail("-f: %s: %s", w->path, strerror(errno));
	if (fstat(w->s->fd, &opened) || named.st_dev != opened.st_dev ||
	    named.st_ino != opened.st_ino)
		return fail("-f: %s: another file has this name now: run this command again",
			    w->path);
	if (S_ISREG(opened.st_mode) && opened.st_size < w->s->size)
		return fail("-f: %s: has %llu bytes, had %llu", w->path,
			    (unsigned long long)opened.st_size, w->s->size);
	return true;
}

/* Is it time to search the whole file?  @here: the image has not gone. */
static bool is_due(const struct watch *w, bool here)
{
	const u64 since = clock_ns(CLOCK_MONOTONIC) - w->searched;

	if (!w->searched)
		return true;
	if ((!here || !w->all_known) &&
	    since >= (u64)min(SHARE << w->fruitless, SHARE_LEAST) * w->cost)
		return true;
	return since >= max(SELDOM, SHARE_LEAST * w->cost);
}

/* The newest image, or the one that the user chose; else the one that is watched. */
static const struct image *choose(const struct watch *w, const struct images *list)
{
	const struct image *im = NULL;

	if (list->nr)
		im = w->at != ~0ULL ? images_find(list, w->at) : images_find_newest(list);
	if (im && im->head && image_real(im) > le64_to_cpu(w->head.h.real))
		return im;
	im = images_find_id(list, w->image.id);
	return im && im->head ? im : NULL;
}

/* Search the whole file. */
static enum watched search(struct watch *w)
{
	const u64 start = clock_ns(CLOCK_PROCESS_CPUTIME_ID), before = w->nr_pages;
	enum watched found = WATCH_NOTHING;
	struct images list = { 0 };
	struct parts f = { 0 };
	bool ok = scan(w->s, &f) && images_list(w->s, &f, &list);
	const struct image *im = ok ? choose(w, &list) : NULL;

	if (im)
		found = im->id == w->image.id ? WATCH_SAME : WATCH_OTHER;
	if (found == WATCH_OTHER)
		warnx("%s: another image, at 0x%llx (%s)", w->s->name, im->where,
		      image_describe(im));
	if (found != WATCH_NOTHING)
		ok = watch_choose(w, &f, im);
	parts_free(&f);
	free(list.image);
	w->searched = clock_ns(CLOCK_MONOTONIC);
	w->cost = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - start;
	w->fruitless = found == WATCH_OTHER || w->nr_pages > before ? 0 : min(w->fruitless + 1, 4U);
	return ok ? found : WATCH_FAILED;
}

/* Load the image from its pages. */
static enum watched load(struct watch *w, struct dump *d)
{
	enum watched found = WATCH_NOTHING;
	struct images list = { 0 };
	struct parts f = { 0 };
	const struct image *there;
	struct image im;
	bool ok = scan_pages(w->s, w->page, w->nr_pages, &f) && images_list(w->s, &f, &list);

	there = ok ? images_find_id(&list, w->image.id) : NULL;
	if (there) {
		im = *there;
		if (im.head)
			w->head = *im.head;
		else
			im.head = &w->head;
		found = WATCH_SAME;
		ok = dump_load(w->s, &im, d);
	}
	parts_free(&f);
	free(list.image);
	return ok ? found : WATCH_FAILED;
}

/**
 * watch_hurry() - let the next look search the whole file if pages are not known yet
 * @w: after watch_choose()
 */
void watch_hurry(struct watch *w)
{
	if (!w->all_known)
		w->searched = 0;
}

/**
 * watch_look() - load the image as it is now
 * @w: after watch_choose()
 * @d: result, if there is an image; the caller zeroes it, and frees it even after an error
 *
 * Return: what was found; WATCH_FAILED after a message.
 */
enum watched watch_look(struct watch *w, struct dump *d)
{
	enum watched found = check_file(w) ? load(w, d) : WATCH_FAILED, now;

	if (found == WATCH_FAILED || !is_due(w, found == WATCH_SAME))
		return found;
	dump_free(d);
	*d = (struct dump){ 0 };
	found = search(w);
	if (found == WATCH_NOTHING && !w->gone)
		warnx("%s: the image has gone: waiting for another one", w->s->name);
	w->gone = found == WATCH_NOTHING;
	if (found == WATCH_FAILED || found == WATCH_NOTHING)
		return found;
	now = load(w, d);
	/* It may go at this moment. */
	return now == WATCH_SAME ? found : now;
}
